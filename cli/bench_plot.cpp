#include "bench_plot.h"

#include <fmt/format.h>

#include <algorithm>

namespace upres::cli {
namespace {

constexpr int kWidth_px = 760;
constexpr int kMargin_px = 24;
constexpr int kLabels_px = 170;  // left of the bars
constexpr int kTexts_px = 190;   // right of the longest
constexpr int kRow_px = 30;
constexpr int kBar_px = 20;
constexpr int kBars_px = kWidth_px - 2 * kMargin_px - kLabels_px - kTexts_px;

// What fits at these sizes of letters.
constexpr size_t kTitleCharacters = 70;
constexpr size_t kSubtitleCharacters = 100;
constexpr size_t kLabelCharacters = 20;

// Colours hold against both backgrounds.
constexpr std::string_view kStyle = R"(<style>
  .back { fill: #ffffff; } .ink { fill: #1b1f24; } .soft { fill: #57606a; } .axis { stroke: #afb8c1; }
  .bar0 { fill: #2f6fb3; } .bar1 { fill: #d9822b; }
  text { font-family: system-ui, "Segoe UI", "DejaVu Sans", sans-serif; font-size: 13px; }
  .title { font-size: 17px; font-weight: 600; }
  @media (prefers-color-scheme: dark) {
    .back { fill: #14181d; } .ink { fill: #e6edf3; } .soft { fill: #9aa4af; } .axis { stroke: #4a535d; }
    .bar0 { fill: #5b9bdf; } .bar1 { fill: #eba050; }
  }
</style>
)";

// For text and attributes; characters that XML does not allow become blanks.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

// At most so many characters, the last an ellipsis where there were more.
std::string shortened(const std::string& text, size_t most) {
  std::string result;
  size_t characters = 0;
  for (const char c : text) {
    const bool continues = (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;  // of UTF-8
    if (!continues && ++characters == most + 1) return result + "\u2026";
    result += c;
  }
  return result;
}

std::string text_at(int x, int y, std::string_view classes, const std::string& text, bool ends_here = false) {
  return fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\"{}>{}</text>\n", x, y, classes,
                     ends_here ? " text-anchor=\"end\"" : "", escaped(text));
}

std::string legend(const Chart& chart, int y) {
  std::string result;
  int x = kMargin_px + kLabels_px;
  for (size_t i = 0; i < chart.colors.size(); ++i) {
    result += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"12\" height=\"12\" rx=\"2\" class=\"bar{}\"/>\n",
                          x, y - 11, i);
    result += text_at(x + 18, y, "soft", chart.colors[i]);
    x += 40 + 8 * static_cast<int>(chart.colors[i].size());
  }
  return result;
}

std::string bar_row(const Bar& bar, double longest, int y) {
  const int left = kMargin_px + kLabels_px;
  const double share = longest > 0 ? std::clamp(bar.value / longest, 0.0, 1.0) : 0;
  const double width = std::max(1.0, share * kBars_px);
  const int baseline = y + kBar_px / 2 + 5;
  return text_at(left - 10, baseline, "ink", shortened(bar.label, kLabelCharacters), true) +
         fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" rx=\"2\" class=\"bar{}\"/>\n",
                     left, y, width, kBar_px, bar.color) +
         text_at(left + static_cast<int>(width) + 8, baseline, "ink", bar.text);
}

}  // namespace

std::string svg_of(const Chart& chart) {
  const int legend_px = chart.colors.empty() ? 0 : 24;
  const int top = 80 + legend_px;
  const int height = top + kRow_px * static_cast<int>(chart.bars.size()) + kMargin_px;
  double longest = 0;
  for (const Bar& bar : chart.bars) longest = std::max(longest, bar.value);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "role=\"img\">\n"
      "<title>{2}</title>\n{3}<rect class=\"back\" width=\"{0}\" height=\"{1}\"/>\n",
      kWidth_px, height, escaped(chart.title), kStyle);
  svg += text_at(kMargin_px, 36, "ink title", shortened(chart.title, kTitleCharacters));
  svg += text_at(kMargin_px, 58, "soft", shortened(chart.subtitle, kSubtitleCharacters));
  if (legend_px > 0) svg += legend(chart, 84);
  const int left = kMargin_px + kLabels_px;
  svg += fmt::format("<line x1=\"{0}\" y1=\"{1}\" x2=\"{0}\" y2=\"{2}\" class=\"axis\"/>\n", left, top - 4,
                     height - kMargin_px);
  int y = top;
  for (const Bar& bar : chart.bars) {
    svg += bar_row(bar, longest, y);
    y += kRow_px;
  }
  return svg + "</svg>\n";
}

}  // namespace upres::cli
