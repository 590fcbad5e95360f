// The pieces of docs/vkc.md that are no programs, in one that uses them.
#include <cstdio>

#include "adopt.h"
#include "choose.h"
#include "in_flight.h"
#include "thumbnail.h"

namespace {

// One piece that fills a buffer, doubles nothing and reads it back: the order of three submissions.
vkc::Status flight(const vkc::Device& device) {
  const auto from = vkc::Buffer::create(device, 64, vkc::MemoryKind::upload);
  const auto middle = vkc::Buffer::create(device, 64);
  const auto to = vkc::Buffer::create(device, 64, vkc::MemoryKind::download);
  auto up = vkc::Commands::create(device, {.queue = vkc::Queue::transfer});
  auto work = vkc::Commands::create(device);
  auto down = vkc::Commands::create(device, {.queue = vkc::Queue::transfer});
  if (!from || !middle || !to || !up || !work || !down)
    return tl::unexpected(vkc::Error{.message = "no memory"});
  for (int& value : from->mapped_as<int>()) value = 7;
  (void)up->copy(*from, *middle);
  (void)work->fill(middle->range(0, 4), 9);
  (void)down->copy(*middle, *to);
  std::vector<Piece> pieces;
  pieces.push_back({std::move(*up), std::move(*work), std::move(*down)});
  const auto last = submit_all(pieces);
  if (!last) return tl::unexpected(last.error());
  if (auto ok = last->front().wait(); !ok) return ok;
  if (to->mapped_as<int>()[0] != 9 || to->mapped_as<int>()[1] != 7)
    return tl::unexpected(vkc::Error{.message = "the pieces ran out of order"});
  return {};
}

vkc::Status chosen(const vkc::Device& device) {
  const auto in = vkc::Image::create_2d(device, vkc::ImageFormat::r32_sfloat, 16, 16);
  const auto out = vkc::Image::create_2d(device, vkc::ImageFormat::r32_sfloat, 16, 16);
  const auto weights = vkc::Buffer::create(device, 36), biases = vkc::Buffer::create(device, 4);
  if (!in || !out || !weights || !biases) return tl::unexpected(vkc::Error{.message = "no memory"});
  const auto choice = choose(device, *in, *out, *weights, *biases);
  if (!choice) return tl::unexpected(choice.error());
  return {};
}

vkc::Status run() {
  const auto instance = vkc::Instance::create();
  if (!instance) return tl::unexpected(instance.error());
  const auto device =
      vkc::Device::open(vkc::best_device(*instance, {.allow_software = true}), {.transfer_queue = true});
  if (!device) return tl::unexpected(device.error());
  if (auto ok = flight(*device); !ok) return ok;
  if (auto ok = chosen(*device); !ok) return ok;
  std::mutex mutex;
  const auto none =
      adopt_renderer(VK_NULL_HANDLE, nullptr, VK_NULL_HANDLE, VK_NULL_HANDLE, VK_NULL_HANDLE, 0, mutex);
  if (none) return tl::unexpected(vkc::Error{.message = "nothing was adopted"});
  (void)record_thumbnail;  // used as in examples/resize.cpp
  return {};
}

}  // namespace

int main() {
  const vkc::Status status = run();
  if (!status) std::fprintf(stderr, "%s\n", status.error().text().c_str());
  return status ? 0 : 1;
}
