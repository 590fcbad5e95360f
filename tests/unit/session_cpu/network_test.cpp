// Networks on the CPU session against the plain reference.
#include "support.h"

namespace upres::session::test {
namespace {

// Sums of a few hundred products of order one, added in another order: 1e-5 is ten times what is seen, and a
// tenth of what the contract allows between devices.
constexpr double kTolerance = 1e-5;

constexpr Extent kSizes[] = {{1, 1}, {1, 7}, {7, 1}, {2, 3}, {16, 16}, {37, 53}, {64, 5}, {5, 64}, {129, 31}};

void expect_reference(const graph::Graph& graph, const Extent& extent, const CpuOptions& options = {}) {
  SCOPED_TRACE(testing::Message() << extent.width_px << "x" << extent.height_px << " bands of "
                                  << options.band_rows);
  std::vector<Tensor> inputs;
  for (const graph::ValueId id : graph.inputs())
    inputs.push_back(random_tensor(graph.value(id).type, extent, 7));
  auto expected = kernels::run_reference(graph, inputs);
  ASSERT_TRUE(expected) << expected.error().text();
  const auto session = make_session(graph, options);
  ASSERT_TRUE(session);
  const std::vector<Tensor> got = run(*session, inputs);
  ASSERT_EQ(got.size(), expected->size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_LE(largest_difference(got[i], (*expected)[i]), kTolerance);
}

TEST(CpuNetwork, SmallNetworksEqualTheReferenceAtOddSizes) {
  for (const int factor : {1, 2, 3, 4}) {
    for (const Extent& size : kSizes) expect_reference(small_network(factor), size);
  }
}

TEST(CpuNetwork, SeedNetworkEqualsTheReference) { expect_reference(seed_network(3), {37, 23}); }

TEST(CpuNetwork, ThreeChannelsEqualTheReference) {
  for (const Extent& size : kSizes) expect_reference(small_network(2, 3, 3), size);
}

TEST(CpuNetwork, BandsOfAnyHeightGiveTheSameBits) {
  const graph::Graph graph = small_network(3);
  const std::vector<Tensor> inputs = {random_tensor(planes(1), {37, 53}, 5)};
  const auto whole = make_session(graph, {.band_rows = 1000});
  ASSERT_TRUE(whole);
  const std::vector<Tensor> expected = run(*whole, inputs);
  for (const int rows : {1, 2, 3, 5, 8, 16, 31, 52, 53}) {
    const auto session = make_session(graph, {.band_rows = rows});
    ASSERT_TRUE(session);
    const std::vector<Tensor> got = run(*session, inputs);
    EXPECT_TRUE(got[0].bytes == expected[0].bytes) << "bands of " << rows;
  }
}

TEST(CpuNetwork, AsymmetricPaddingAndKernels) {
  std::mt19937 random(11);
  const ConvShape shapes[] = {
      {2, 5, 3, 3, {0, 0, 0, 0}, true}, {2, 5, 3, 3, {2, 0, 1, 2}, false}, {3, 4, 1, 1, {0, 0, 0, 0}, true},
      {1, 8, 5, 3, {0, 2, 4, 0}, true}, {2, 3, 2, 4, {1, 0, 0, 3}, false}, {1, 2, 3, 3, {5, 4, 3, 6}, false},
      {4, 6, 9, 1, {4, 0, 4, 0}, true}, {2, 2, 1, 1, {2, 3, 1, 1}, false},
  };
  for (const ConvShape& shape : shapes) {
    for (const Extent& size : {Extent{11, 13}, Extent{4, 9}, Extent{9, 4}}) {
      const int height = size.height_px + shape.padding.top + shape.padding.bottom;
      if (height < shape.kernel_height) continue;
      for (const int rows : {0, 1, 3}) {
        expect_reference(Chain(planes(shape.in)).conv(shape, random).done(), size, {.band_rows = rows});
      }
    }
  }
}

TEST(CpuNetwork, KernelsLargerThanThePicture) {
  std::mt19937 random(12);
  for (const Extent& size : {Extent{1, 1}, Extent{2, 1}, Extent{1, 3}, Extent{3, 3}}) {
    expect_reference(
        Chain(planes(1)).conv(same_conv(1, 16, 9), random).conv(same_conv(16, 4, 7), random).done(), size);
  }
}

}  // namespace
}  // namespace upres::session::test
