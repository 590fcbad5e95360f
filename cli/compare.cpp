// upres compare: how alike two pictures are.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <memory>
#include <system_error>

#include "base/display_name.h"
#include "commands.h"
#include "compute.h"
#include "console.h"
#include "exit_code.h"
#include "image/picture.h"
#include "options.h"
#include "upscale/metrics.h"

namespace upres::cli {
namespace {

constexpr std::string_view kExamples = R"(Examples:
  upres compare original.png restored.png             PSNR and SSIM
  upres compare original.png restored.png --shave 3   without 3 pixels at each side, as papers measure x3
Luma is that of BT.601 in limited range, on a peak of 255. Alpha is not compared.
)";

std::string read_pixel_count(const std::string& text, int& count_px) {
  const char* const end = text.data() + text.size();
  const auto [read_to, error] = std::from_chars(text.data(), end, count_px);
  const bool is_count = error == std::errc() && read_to == end && count_px >= 0 && text.front() != '-';
  return is_count ? "" : "'" + text + "' is no number of pixels (0 or more)";
}

struct CompareOptions {
  ConsoleOptions console;
  std::vector<std::string> files;  // two
  int shave_px = 0;
};

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

void print_comparison(Console& console, const upscale::Comparison& result) {
  console.event("comparison", {{"psnr_rgb", finite_or_null(result.psnr_rgb)},
                               {"psnr_luma", finite_or_null(result.psnr_luma)},
                               {"ssim_luma", result.ssim_luma ? Json(*result.ssim_luma) : Json(nullptr)},
                               {"width", result.width_px},
                               {"height", result.height_px}});
  console.print(
      fmt::format("PSNR RGB   {:.4f} dB\nPSNR luma  {:.4f} dB\n", result.psnr_rgb, result.psnr_luma));
  console.print(result.ssim_luma ? fmt::format("SSIM luma  {:.6f}\n", *result.ssim_luma)
                                 : std::string("SSIM luma  needs at least 11x11 pixels\n"));
}

int run_compare(const CompareOptions& options) {
  const std::vector<std::string>& files = options.files;
  Console console(options.console);
  if (files.size() != 2) {
    return report_failure(console,
                          {ErrorCode::usage, "compare needs two pictures; see upres compare --help"});
  }
  const auto a = image::read(files[0], console.log());
  if (!a) return report_failure(console, a.error());
  const auto b = image::read(files[1], console.log());
  if (!b) return report_failure(console, b.error());
  if (a->image.shape.has_alpha() || b->image.shape.has_alpha()) console.note("alpha is not compared");
  const auto result = upscale::compare_pictures(a->image.view(), b->image.view(), options.shave_px);
  if (!result && result.error().code == ErrorCode::usage)
    return report_failure(console, result.error().in_context("--shave"));
  if (!result) {
    const std::string names = files[0] + ", " + files[1];
    return report_failure(console, result.error().in_context(display_name(names, kWholeName)));
  }
  print_comparison(console, *result);
  return kDone;
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  const auto options = std::make_shared<CompareOptions>();
  Subcommand command(app, "compare", "Compare two pictures: PSNR and SSIM", kExamples);
  command.add_plain("PICTURE", "the two pictures", options->files);
  command.add_read({"--shave", "N", "pixels left out at each side"},
                   [options = options.get()](const std::string& text) {
                     return read_pixel_count(text, options->shave_px);
                   });
  add_console_options(command, options->console);
  command.sets(action, [options] { return run_compare(*options); });
}

}  // namespace upres::cli
