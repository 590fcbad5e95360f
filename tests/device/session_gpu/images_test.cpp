// Activations in images: the pictures of buffers to the bit, whatever the pace and the tiles.
#include <cstring>

#include "device/session_gpu/session_fixture.h"
#include "plan/tiles.h"

namespace upres::session {
namespace {

using testing::Random;
using testing::with_ends;

constexpr const char* kKernel = "conv_packed";

devicedb::Database database_with_images(bool images) {
  if (!images) return devicedb::Database::embedded();
  const std::vector<devicedb::RecordFile> files = {
      {.records = {{.kernel = kKernel, .tuning = {{"storage", 1}}, .reason = "a test"}}}};
  return devicedb::Database::layered(devicedb::Database::embedded(), devicedb::Database(files));
}

struct Kind {
  DType dtype = DType::f32;
  bool images = false;
};

// Null where the device has none.
std::unique_ptr<GpuSession> session_of(const vkc::Device& device, const graph::Graph& graph, const Kind& kind,
                                       const GpuOptions& options) {
  const kernels::DeviceInfo info = device_info(device.physical_device());
  const bool is_half = kind.dtype == DType::f16;
  if (!(is_half ? info.limits.storage_image_fp16 && info.limits.fp16_arithmetic && info.limits.fp16_storage
                : info.limits.storage_image_fp32))
    return nullptr;
  const auto chosen =
      plan::choose_kernels(graph, info, database_with_images(kind.images), {kKernel, kind.dtype});
  EXPECT_TRUE(chosen) << chosen.error().text();
  if (!chosen) return nullptr;
  const auto images =
      std::count_if((*chosen)->storages.begin(), (*chosen)->storages.end(),
                    [](const auto& storage) { return storage.arrangement == kernels::Arrangement::image; });
  EXPECT_EQ(images, kind.images ? 3 : 0);
  auto session = GpuSession::create(device, *chosen, options);
  EXPECT_TRUE(session) << session.error().text();
  return session ? std::move(*session) : nullptr;
}

class SessionImages : public OnEveryDevice {};

TEST_F(SessionImages, HoldWhatBuffersHold) {
  for_each_device([](const vkc::Device& device) {
    for (const DType dtype : {DType::f32, DType::f16}) {
      Random random(31);
      const auto graph = with_ends(testing::espcn(8, 1, 2, 16), {.channels = 3});
      const auto buffers = session_of(device, graph, {dtype, false}, {});
      if (!buffers) continue;
      // Each submit takes as few rows as it can.
      const auto images = session_of(device, graph, {dtype, true},
                                     {.max_submit_ms = 0.01, .poison = true, .always_copy = true});
      ASSERT_TRUE(images);
      for (const Extent extent : {Extent{37, 23}, Extent{1, 1}, Extent{40, 61}, Extent{37, 23}}) {
        SCOPED_TRACE(::testing::Message() << extent.width_px << "x" << extent.height_px);
        const auto pixels = random_inputs(random, graph, extent);
        const auto expected = run_session(*buffers, pixels);
        const auto actual = run_session(*images, pixels);
        EXPECT_EQ(actual.front().bytes, expected.front().bytes);
      }
      EXPECT_GT(images->memory_use().device_bytes, 0U);
    }
  });
}

TEST_F(SessionImages, TilesAreInvisibleToTheBit) {
  for_each_device([](const vkc::Device& device) {
    Random random(32);
    const Extent input{47, 31};
    const auto graph = with_ends(testing::espcn(6, 1, 2, 16), {.channels = 1});
    const auto session = session_of(device, graph, {DType::f32, true}, {.poison = true});
    if (!session) return;
    const auto pixels = random_inputs(random, graph, input);
    const Tensor whole = run_session(*session, pixels).front();
    for (const int edge : {17, 24}) {
      const auto grid = plan::make_tiles(input, {94, 62}, graph::receptive_field(graph), 2, edge);
      ASSERT_TRUE(grid) << grid.error().text();
      ASSERT_GT(grid->tiles.size(), 1U);
      Tensor tiled(whole.type, whole.extent);
      for (const plan::Tile& tile : grid->tiles) {
        const std::vector window = {testing::crop(pixels.front(), tile.input, grid->input_window)};
        const Tensor part = run_session(*session, window, {tile.input, {}, {}}).front();
        const Origin from{tile.keep.x_px - tile.output.x_px, tile.keep.y_px - tile.output.y_px};
        testing::paste(part, from, tile.keep_extent, tile.keep, tiled);
      }
      EXPECT_EQ(tiled.bytes, whole.bytes) << "edge " << edge;
    }
  });
}

// Several pictures of changing sizes in flight, each with images of its own.
TEST_F(SessionImages, SeveralInFlight) {
  for_each_device([](const vkc::Device& device) {
    Random random(33);
    const auto graph = with_ends(testing::espcn(8, 1, 2, 16), {.channels = 1});
    const auto one = session_of(device, graph, {DType::f32, false}, {});
    if (!one) return;
    const auto session = session_of(device, graph, {DType::f32, true}, {.slots = 3});
    ASSERT_TRUE(session);
    std::vector<std::vector<Tensor>> inputs;
    std::vector<std::vector<Tensor>> outputs;
    for (const Extent extent :
         {Extent{33, 20}, Extent{20, 33}, Extent{33, 20}, Extent{9, 9}, Extent{33, 20}}) {
      inputs.push_back(random_inputs(random, graph, extent));
      outputs.push_back(make_outputs(graph, inputs.back()));
    }
    std::vector<Ticket> tickets;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const auto ticket = session->submit(make_job(inputs[i], outputs[i]));
      ASSERT_TRUE(ticket) << ticket.error().text();
      tickets.push_back(*ticket);
    }
    for (const Ticket ticket : tickets) ASSERT_TRUE(session->wait(ticket));
    for (size_t i = 0; i < inputs.size(); ++i)
      EXPECT_EQ(outputs[i].front().bytes, run_session(*one, inputs[i]).front().bytes) << i;
  });
}

}  // namespace
}  // namespace upres::session
