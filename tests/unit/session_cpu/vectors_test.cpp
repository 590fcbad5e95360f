// Lets the whole program run with the vectors of lesser processors: UPRES_TEST_VECTORS is "avx2" or "sse4".
// (oneDNN's own variable for the same is ONEDNN_MAX_CPU_ISA.)
#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "session/cpu/pixels.h"

namespace upres::session::cpu {
namespace {

std::string_view wanted_vectors() {
  const char* vectors = std::getenv("UPRES_TEST_VECTORS");
  return vectors == nullptr ? "" : vectors;
}

class VectorLimit : public testing::Environment {
 public:
  void SetUp() override {
    if (wanted_vectors() == "avx2") hwy::DisableTargets(HWY_AVX3 | HWY_AVX3_DL);
    if (wanted_vectors() == "sse4") hwy::DisableTargets(HWY_AVX3 | HWY_AVX3_DL | HWY_AVX2);
  }
};

// GoogleTest owns and deletes it.
const testing::Environment* const kLimit = testing::AddGlobalTestEnvironment(new VectorLimit);

TEST(CpuVectors, AreThoseAskedFor) {
  ASSERT_NE(kLimit, nullptr);
  const std::string isa = pixel_isa();
  EXPECT_FALSE(isa.empty());
  if (wanted_vectors() == "avx2") {
    EXPECT_EQ(isa.find("AVX3"), std::string::npos) << isa;
  }
  if (wanted_vectors() == "sse4") {
    EXPECT_EQ(isa.find("AVX"), std::string::npos) << isa;
  }
}

}  // namespace
}  // namespace upres::session::cpu
