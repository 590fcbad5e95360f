// A picture in another size, through an image and a sampler.
//
//   resize WIDTHxHEIGHT [INPUT.ppm] OUTPUT.ppm      without INPUT: a test picture of rings
//
// PPM is the plain format of the netpbm tools, binary, 8 bits: `P6 width height 255` and the pixels.
#include <vkc/vkc.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "resize_kernels.h"

namespace {

// Pixels of four channels, as images on the GPU have them; the fourth is not used.
struct Picture {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::uint8_t> rgba;
};

tl::unexpected<vkc::Error> fail(std::string message) {
  return tl::unexpected(vkc::Error{vkc::ErrorCode::file, std::move(message)});
}

Picture rings() {
  Picture picture{96, 64, {}};
  for (std::uint32_t y = 0; y < picture.height; ++y) {
    for (std::uint32_t x = 0; x < picture.width; ++x) {
      const double distance = std::hypot(x - 48.0, y - 32.0);
      const auto shade = static_cast<std::uint8_t>(127.5 + 127.5 * std::cos(distance / 3));
      picture.rgba.insert(picture.rgba.end(),
                          {shade, static_cast<std::uint8_t>(x * 2), static_cast<std::uint8_t>(y * 3), 255});
    }
  }
  return picture;
}

vkc::Result<Picture> read_ppm(const std::string& path) {
  constexpr std::uint32_t kMostPx = 1U << 14;
  std::ifstream file(path, std::ios::binary);
  std::string magic;
  Picture picture;
  std::uint32_t most = 0;
  file >> magic >> picture.width >> picture.height >> most;
  file.get();
  if (!file || magic != "P6" || most != 255 || picture.width == 0 || picture.width > kMostPx ||
      picture.height == 0 || picture.height > kMostPx)
    return fail(path + " is not a binary PPM of 8 bits and 1 to 16384 pixels across and down");
  std::vector<char> rgb(std::size_t{picture.width} * picture.height * 3);
  if (!file.read(rgb.data(), static_cast<std::streamsize>(rgb.size()))) return fail(path + " is cut short");
  for (std::size_t i = 0; i < rgb.size(); i += 3) {
    for (std::size_t c = 0; c < 3; ++c) picture.rgba.push_back(static_cast<std::uint8_t>(rgb[i + c]));
    picture.rgba.push_back(255);
  }
  return picture;
}

vkc::Status write_ppm(const Picture& picture, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file << "P6\n" << picture.width << ' ' << picture.height << "\n255\n";
  for (std::size_t i = 0; i < picture.rgba.size(); i += 4)
    file.write(reinterpret_cast<const char*>(&picture.rgba[i]), 3);
  if (!file.flush()) return fail("cannot write " + path);
  return {};
}

vkc::Result<Picture> resized(const Picture& from, std::uint32_t width, std::uint32_t height) {
  const auto instance = vkc::Instance::create({.application_name = "resize"});
  if (!instance) return tl::unexpected(instance.error());
  const auto device = vkc::Device::open(vkc::best_device(*instance, {.allow_software = true}));
  if (!device) return tl::unexpected(device.error());

  constexpr auto kFormat = vkc::ImageFormat::rgba8_unorm;
  const auto picture = vkc::Image::create_2d(*device, kFormat, from.width, from.height,
                                             {.use = vkc::ImageUse::sampled, .name = "picture"});
  if (!picture) return tl::unexpected(picture.error());
  const auto result = vkc::Image::create_2d(*device, kFormat, width, height,
                                            {.use = vkc::ImageUse::storage, .name = "resized"});
  if (!result) return tl::unexpected(result.error());
  const auto bilinear = vkc::Sampler::create(*device, {.filter = vkc::Filter::linear});
  if (!bilinear) return tl::unexpected(bilinear.error());
  const auto kernel =
      vkc::Kernel::create(*device, resize_kernels::resize, {}, vkc::KernelGroupSize{16, 8, 1});
  if (!kernel) return tl::unexpected(kernel.error());

  if (auto ok = vkc::upload(*device, *picture, from.rgba); !ok) return tl::unexpected(ok.error());
  auto commands = vkc::Commands::create(*device);
  if (!commands) return tl::unexpected(commands.error());
  // Errors of recording are kept: submit() returns the first.
  (void)kernel->dispatch(*commands, vkc::group_count(*result, kernel->group_size()),
                         {{"picture", *picture}, {"picture_sampler", *bilinear}, {"resized", *result}});
  const auto submission = commands->submit();
  if (!submission) return tl::unexpected(submission.error());
  if (auto ok = submission->wait(); !ok) return tl::unexpected(ok.error());
  auto rgba = vkc::download<std::uint8_t>(*device, *result);
  if (!rgba) return tl::unexpected(rgba.error());
  return Picture{width, height, std::move(*rgba)};
}

vkc::Status run(const std::string& size, const std::string& input, const std::string& output) {
  unsigned width = 0, height = 0;
  if (std::sscanf(size.c_str(), "%ux%u", &width, &height) != 2) return fail(size + " is not WIDTHxHEIGHT");
  const auto from = input.empty() ? vkc::Result<Picture>(rings()) : read_ppm(input);
  if (!from) return tl::unexpected(from.error());
  const auto to = resized(*from, width, height);
  if (!to) return tl::unexpected(to.error());
  if (auto ok = write_ppm(*to, output); !ok) return ok;
  std::printf("%s: %ux%u, from %ux%u\n", output.c_str(), width, height, from->width, from->height);
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3 && count != 4) {
    std::fprintf(stderr, "usage: resize WIDTHxHEIGHT [INPUT.ppm] OUTPUT.ppm\n");
    return 2;
  }
  const vkc::Status status = run(arguments[1], count == 4 ? arguments[2] : "", arguments[count - 1]);
  if (!status) std::fprintf(stderr, "%s\n", status.error().text().c_str());
  return status ? 0 : 1;
}
