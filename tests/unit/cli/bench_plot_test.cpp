#include "bench_plot.h"

#include <gmock/gmock.h>

namespace upres::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(BenchPlot, BarsAreAsLongAsTheirValues) {
  const std::string svg =
      svg_of({"title", "below", {}, {{"whole", 4, "4 ms"}, {"half", 2, "2 ms"}, {"none", 0, ""}}});
  EXPECT_THAT(svg, HasSubstr("width=\"352.0\""));
  EXPECT_THAT(svg, HasSubstr("width=\"176.0\""));
  EXPECT_THAT(svg, HasSubstr("width=\"1.0\""));
  EXPECT_THAT(svg, HasSubstr(">half</text>"));
}

TEST(BenchPlot, TextIsNoMarkup) {
  const std::string svg = svg_of({"<a & \"b\">", "", {}, {{"x<y", 1, "\x01"}}});
  EXPECT_THAT(svg, HasSubstr("&lt;a &amp; &quot;b&quot;&gt;"));
  EXPECT_THAT(svg, HasSubstr("x&lt;y"));
  EXPECT_THAT(svg, Not(HasSubstr("\x01")));
}

TEST(BenchPlot, LongTextIsCutBetweenCharacters) {
  std::string label;
  for (int i = 0; i < 30; ++i) label += "\u00e9";
  const std::string svg = svg_of({"", "", {}, {{label, 1, ""}}});
  EXPECT_THAT(svg, HasSubstr(label.substr(0, 40).append("\u2026<")));
}

TEST(BenchPlot, ColoursHaveALegendAndNothingMakesAnEmptyChart) {
  EXPECT_THAT(svg_of({"", "", {"fp32", "fp16"}, {{"a", 1, "", 1}}}), HasSubstr(">fp16</text>"));
  EXPECT_THAT(svg_of({"", "", {}, {}}), HasSubstr("</svg>"));
}

}  // namespace
}  // namespace upres::cli
