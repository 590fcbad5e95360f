#include "kernels/pixels/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace upres::kernels {
namespace {

TEST(Statistics, OrderedBitsOrderAsFloatsDoAndComeBack) {
  const float largest = std::numeric_limits<float>::max();
  const float tiny = std::numeric_limits<float>::denorm_min();
  const std::vector<float> ascending = {-largest, -1.5F, -1, -tiny, -0.0F, 0.0F, tiny, 0.25F, 1, largest};
  for (size_t i = 0; i < ascending.size(); ++i) {
    EXPECT_EQ(from_ordered_bits(ordered_bits(ascending[i])), ascending[i]);
    if (i > 0) {
      EXPECT_LT(ordered_bits(ascending[i - 1]), ordered_bits(ascending[i]));
    }
  }
}

// Zero words mean "nothing seen", so no finite float may have them.
TEST(Statistics, NoFiniteFloatLooksLikeNothing) {
  for (const float value :
       {-std::numeric_limits<float>::max(), std::numeric_limits<float>::max(), 0.0F, -0.0F}) {
    EXPECT_NE(ordered_bits(value), 0U);
    EXPECT_NE(~ordered_bits(value), 0U);
  }
}

TEST(Statistics, ReadsCountsAndRange) {
  const Statistics statistics = read_statistics({3, 2, ordered_bits(1.5F), ~ordered_bits(-0.5F)});
  EXPECT_EQ(statistics.nan, 3U);
  EXPECT_EQ(statistics.infinite, 2U);
  EXPECT_EQ(statistics.largest, 1.5F);
  EXPECT_EQ(statistics.smallest, -0.5F);
  EXPECT_FALSE(statistics.finite());
  EXPECT_TRUE(read_statistics({0, 0, 1U << 31U, 1U << 31U}).finite());
}

TEST(Statistics, NothingSeenIsZeroAndChangesNoTotal) {
  const Statistics nothing = read_statistics({7, 0, 0, 0});
  EXPECT_FALSE(nothing.any_finite);
  EXPECT_EQ(nothing.smallest, 0.0F);
  Statistics total = read_statistics({0, 0, ordered_bits(0.9F), ~ordered_bits(0.5F)});
  merge(total, nothing);
  EXPECT_EQ(total.nan, 7U);
  EXPECT_EQ(total.smallest, 0.5F);
  EXPECT_EQ(total.largest, 0.9F);
}

TEST(Statistics, MergeTakesTheWiderRange) {
  Statistics total;
  merge(total, read_statistics({0, 1, ordered_bits(0.9F), ~ordered_bits(0.5F)}));
  merge(total, read_statistics({2, 3, ordered_bits(0.7F), ~ordered_bits(0.1F)}));
  EXPECT_EQ(total.nan, 2U);
  EXPECT_EQ(total.infinite, 4U);
  EXPECT_EQ(total.smallest, 0.1F);
  EXPECT_EQ(total.largest, 0.9F);
}

}  // namespace
}  // namespace upres::kernels
