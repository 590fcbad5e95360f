// Bar charts as SVG.
#pragma once

#include <string>
#include <vector>

namespace upres::cli {

struct Bar {
  std::string label;
  double value = 0;  // 0 or more: the bar's length
  std::string text;  // at its end
  int color = 0;     // 0 or 1: one of two
};

struct Chart {
  std::string title;
  std::string subtitle;
  std::vector<std::string> colors;  // what each of the colours means; none: there is one only, and no legend
  std::vector<Bar> bars;
};

// A picture of 760 pixels' width with a line a bar, the longest across the chart; light or dark as its viewer
// wishes. Any text is allowed.
std::string svg_of(const Chart& chart);

}  // namespace upres::cli
