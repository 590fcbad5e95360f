#include "session/cpu/onednn.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <deque>
#include <dnnl.hpp>
#include <new>
#include <utility>
#include <vector>

#include "session/cpu/bfloat16.h"

namespace upres::session::cpu {
namespace {

using Memory = dnnl::memory;
using DataType = dnnl::memory::data_type;
using FormatTag = dnnl::memory::format_tag;

// Primitives kept for one convolution: those of the last job's bands and, up to this number, of earlier ones.
constexpr size_t kMaxPrimitives = 64;

// oneDNN's generated code counts bytes in 32 bits.
constexpr double kMaxBand_bytes = 0x7fffffff;

// One for the process: it holds no state but the kind of device.
dnnl::engine& cpu_engine() {
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

DataType data_type(Element element) { return element == Element::f32 ? DataType::f32 : DataType::bf16; }

int samples_per_channel(Element element) { return element == Element::bf16_split ? 3 : 1; }

// For bf16_split: [out][in * 3][ky][kx] from [out][in][ky][kx], so that (high, low, high) parts of the input
// meet (high, high, low) parts of the weights. What is left out is low times low.
std::vector<float> split_weights(const graph::Conv& conv) {
  const auto taps = static_cast<size_t>(conv.kernel_height) * static_cast<size_t>(conv.kernel_width);
  const std::vector<float>& weights = *conv.weights;
  std::vector<float> split(weights.size() * 3);
  for (size_t plane = 0; plane < weights.size() / taps; ++plane) {
    for (size_t tap = 0; tap < taps; ++tap) {
      const float weight = weights[plane * taps + tap];
      const float high = round_to_bfloat16(weight);
      split[(plane * 3 + 0) * taps + tap] = high;
      split[(plane * 3 + 1) * taps + tap] = high;
      split[(plane * 3 + 2) * taps + tap] = round_to_bfloat16(weight - high);
    }
  }
  return split;
}

// Calls f, turning exceptions into errors.
template <typename F>
Status guarded(const std::string& label, F f) {
  try {
    f();
    return {};
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::device, label + ": out of memory");
  } catch (const dnnl::error& error) {
    const bool memory = error.status == dnnl_out_of_memory;
    return fail(ErrorCode::device,
                label + (memory ? ": out of memory" : ": oneDNN: " + std::string(error.what())));
  }
}

// What a worker needs for itself.
struct Scratch {
  Memory memory;
  dnnl::stream stream{cpu_engine()};

  Memory& at_least(const Memory::desc& needed) {
    if (!memory || memory.get_desc().get_size() < needed.get_size()) memory = Memory(needed, cpu_engine());
    return memory;
  }
};

// `values`, laid out plainly as `dims` says, in another layout or type.
Memory packed(const float* values, const Memory::dims& dims, FormatTag plain_tag,
              const Memory::desc& wanted) {
  Memory plain({dims, DataType::f32, plain_tag}, cpu_engine(), const_cast<float*>(values));
  Memory result(wanted, cpu_engine());
  dnnl::stream stream(cpu_engine());
  dnnl::reorder(plain, result).execute(stream, plain, result);
  stream.wait();
  return result;
}

// A band whose padding reaches beyond the kernel, which oneDNN's fast kernels refuse: copied into a larger
// one with its zeros written out.
class WrittenOutPadding {
 public:
  static bool needed(const ConvBand& band, const graph::Conv& conv) {
    const graph::Padding& pad = band.padding;
    return band.in_rows == 0 || pad.top >= conv.kernel_height || pad.bottom >= conv.kernel_height ||
           pad.left >= conv.kernel_width || pad.right >= conv.kernel_width;
  }

  static ConvBand grown(ConvBand band) {
    band.in_rows += band.padding.top + band.padding.bottom;
    band.in_width_px += band.padding.left + band.padding.right;
    band.padding = {};
    return band;
  }

  WrittenOutPadding(const ConvBand& band, size_t pixel_bytes, const std::byte* in) : band_(grown(band)) {
    const graph::Padding& pad = band.padding;
    const size_t row_bytes = static_cast<size_t>(band_.in_width_px) * pixel_bytes;
    const size_t in_row_bytes = static_cast<size_t>(band.in_width_px) * pixel_bytes;
    bytes_.resize(static_cast<size_t>(band_.in_rows) * row_bytes);
    for (int y = 0; y < band.in_rows; ++y) {
      std::byte* row = bytes_.data() + static_cast<size_t>(y + pad.top) * row_bytes;
      std::memcpy(row + static_cast<size_t>(pad.left) * pixel_bytes,
                  in + static_cast<size_t>(y) * in_row_bytes, in_row_bytes);
    }
  }

  [[nodiscard]] const ConvBand& band() const { return band_; }
  [[nodiscard]] const std::byte* in() const { return bytes_.data(); }

 private:
  ConvBand band_;
  std::vector<std::byte> bytes_;
};

class DirectConvolution final : public Convolution {
 public:
  DirectConvolution(const graph::Conv& conv, Element in, Element out, std::string label)
      : conv_(conv), in_(in), out_(out), label_(std::move(label)) {
    biases_ = Memory({{conv.out_channels}, DataType::f32, FormatTag::a}, cpu_engine());
    std::memcpy(biases_.get_data_handle(), conv.biases->data(), conv.biases->size() * sizeof(float));
  }

  Status prepare(int workers) override {
    return guarded(label_, [&] {
      while (scratch_.size() < static_cast<size_t>(workers)) scratch_.emplace_back();
      if (primitives_.size() > kMaxPrimitives) primitives_.clear();
    });
  }

  Status make_ready(const ConvBand& band) override {
    if (largest_bytes(band) > kMaxBand_bytes) {
      return fail(ErrorCode::device, label_ + ": rows of " + std::to_string(band.in_width_px) +
                                         " pixels are too long for oneDNN; a smaller --tile helps");
    }
    return guarded(label_, [&] {
      const ConvBand shape = WrittenOutPadding::needed(band, conv_) ? WrittenOutPadding::grown(band) : band;
      if (find(shape) == nullptr) primitives_.push_back(make_primitive(shape));
    });
  }

  Status run(int worker, const ConvBand& band, const TilePhase&, const std::byte* in,
             std::byte* out) override {
    return guarded(label_, [&] {
      Scratch& scratch = scratch_[static_cast<size_t>(worker)];
      if (!WrittenOutPadding::needed(band, conv_)) {
        execute(band, in, out, scratch);
        return;
      }
      const size_t pixel_bytes = static_cast<size_t>(conv_.in_channels) * size_bytes(in_);
      const WrittenOutPadding padded(band, pixel_bytes, in);
      execute(padded.band(), padded.in(), out, scratch);
    });
  }

  [[nodiscard]] std::string implementation() const override {
    return primitives_.empty() ? std::string() : primitives_.front().implementation;
  }

 private:
  struct Primitive {
    ConvBand band;
    dnnl::convolution_forward::primitive_desc description;
    dnnl::convolution_forward primitive;
    Memory weights;
    std::string implementation;
  };

  [[nodiscard]] double largest_bytes(const ConvBand& band) const {
    const double in_rows = band.in_rows + band.padding.top + band.padding.bottom;
    const double in_width = double{1} * band.in_width_px + band.padding.left + band.padding.right;
    const double in = in_rows * in_width * conv_.in_channels * static_cast<double>(size_bytes(in_));
    const double out = double{1} * band.out_rows * band.out_width_px * conv_.out_channels;
    return std::max(in, out * static_cast<double>(size_bytes(out_)));
  }
  [[nodiscard]] int in_samples() const { return conv_.in_channels * samples_per_channel(in_); }

  void execute(const ConvBand& band, const std::byte* in, std::byte* out, Scratch& scratch) const {
    const Primitive* primitive = find(band);
    assert(primitive != nullptr);
    const dnnl::convolution_forward::primitive_desc& description = primitive->description;
    // oneDNN takes inputs through pointers to non-const too; it does not write them.
    const Memory source(description.src_desc(), cpu_engine(), const_cast<std::byte*>(in));
    const Memory target(description.dst_desc(), cpu_engine(), out);
    primitive->primitive.execute(scratch.stream,
                                 {{DNNL_ARG_SRC, source},
                                  {DNNL_ARG_WEIGHTS, primitive->weights},
                                  {DNNL_ARG_BIAS, biases_},
                                  {DNNL_ARG_DST, target},
                                  {DNNL_ARG_SCRATCHPAD, scratch.at_least(description.scratchpad_desc())}});
    scratch.stream.wait();
  }

  [[nodiscard]] const Primitive* find(const ConvBand& band) const {
    const auto found = std::ranges::find(primitives_, band, &Primitive::band);
    return found == primitives_.end() ? nullptr : &*found;
  }

  Primitive make_primitive(const ConvBand& band) {
    const Memory::desc source({1, in_samples(), band.in_rows, band.in_width_px}, data_type(in_),
                              FormatTag::nhwc);
    const Memory::desc target({1, conv_.out_channels, band.out_rows, band.out_width_px}, data_type(out_),
                              FormatTag::nhwc);
    const Memory::desc weights(weight_dims(), data_type(in_), FormatTag::any);
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    if (conv_.apply_relu) {
      dnnl::post_ops relu;
      relu.append_eltwise(1.0F, dnnl::algorithm::eltwise_relu, 0.0F, 0.0F);
      attributes.set_post_ops(relu);
    }
    const dnnl::convolution_forward::desc operation(
        dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, source, weights,
        biases_.get_desc(), target, {1, 1}, {band.padding.top, band.padding.left},
        {band.padding.bottom, band.padding.right});
    Primitive primitive;
    primitive.band = band;
    primitive.description = dnnl::convolution_forward::primitive_desc(operation, attributes, cpu_engine());
    primitive.primitive = dnnl::convolution_forward(primitive.description);
    primitive.weights = weights_as(primitive.description.weights_desc());
    primitive.implementation = primitive.description.impl_info_str();
    return primitive;
  }

  [[nodiscard]] Memory::dims weight_dims() const {
    return {conv_.out_channels, in_samples(), conv_.kernel_height, conv_.kernel_width};
  }

  // Packs the weights as an implementation wants them, unless another one wanted the same.
  Memory weights_as(const Memory::desc& wanted) {
    for (const Memory& known : weights_) {
      if (known.get_desc() == wanted) return known;
    }
    std::vector<float> split;
    if (in_ == Element::bf16_split) split = split_weights(conv_);
    const float* values = split.empty() ? conv_.weights->data() : split.data();
    weights_.push_back(packed(values, weight_dims(), FormatTag::oihw, wanted));
    return weights_.back();
  }

  const graph::Conv conv_;  // shares the weights
  const Element in_;
  const Element out_;
  const std::string label_;
  Memory biases_;
  std::vector<Memory> weights_;
  std::vector<Primitive> primitives_;
  std::deque<Scratch> scratch_;  // [worker]
};

class OnednnProduct final : public BatchedProduct {
 public:
  OnednnProduct(int batch, int depth, int columns, std::span<const float> constants, Element in,
                std::string label)
      : label_(std::move(label)) {
    const Memory::desc any({batch, depth, columns}, data_type(in), FormatTag::any);
    for (const int rows : kRowCounts) {
      const Memory::desc source({batch, rows, depth}, data_type(in), FormatTag::abc);
      const Memory::desc target({batch, rows, columns}, DataType::f32, FormatTag::abc);
      dnnl::primitive_attr attributes;
      attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
      Primitive primitive;
      primitive.description = dnnl::matmul::primitive_desc({source, any, target}, attributes, cpu_engine());
      primitive.primitive = dnnl::matmul(primitive.description);
      primitive.constants =
          constants_as(primitive.description.weights_desc(), constants, {batch, depth, columns});
      primitives_.push_back(std::move(primitive));
    }
  }

  Status prepare(int workers) override {
    return guarded(label_, [&] {
      while (scratch_.size() < static_cast<size_t>(workers)) scratch_.emplace_back();
    });
  }

  Status run(int worker, int rows, const std::byte* in, float* out) override {
    return guarded(label_, [&] {
      const auto index = std::ranges::find(kRowCounts, rows) - kRowCounts.begin();
      const Primitive& primitive = primitives_[static_cast<size_t>(index)];
      Scratch& scratch = scratch_[static_cast<size_t>(worker)];
      const Memory source(primitive.description.src_desc(), cpu_engine(), const_cast<std::byte*>(in));
      const Memory target(primitive.description.dst_desc(), cpu_engine(), out);
      primitive.primitive.execute(
          scratch.stream, {{DNNL_ARG_SRC, source},
                           {DNNL_ARG_WEIGHTS, primitive.constants},
                           {DNNL_ARG_DST, target},
                           {DNNL_ARG_SCRATCHPAD, scratch.at_least(primitive.description.scratchpad_desc())}});
      scratch.stream.wait();
    });
  }

  [[nodiscard]] std::string implementation() const override {
    return primitives_.back().description.impl_info_str();
  }

 private:
  struct Primitive {
    dnnl::matmul::primitive_desc description;
    dnnl::matmul primitive;
    Memory constants;
  };

  Memory constants_as(const Memory::desc& wanted, std::span<const float> constants,
                      const Memory::dims& dims) const {
    for (const Primitive& known : primitives_) {
      if (known.constants.get_desc() == wanted) return known.constants;
    }
    return packed(constants.data(), dims, FormatTag::abc, wanted);
  }

  const std::string label_;
  std::vector<Primitive> primitives_;  // in the order of kRowCounts
  std::deque<Scratch> scratch_;        // [worker]
};

struct Isa {
  dnnl::cpu_isa isa;
  const char* name;
  bool bf16;
};

constexpr Isa kIsas[] = {
    {dnnl::cpu_isa::sse41, "sse41", false},
    {dnnl::cpu_isa::avx, "avx", false},
    {dnnl::cpu_isa::avx2, "avx2", false},
    {dnnl::cpu_isa::avx2_vnni, "avx2_vnni", false},
    {dnnl::cpu_isa::avx512_core, "avx512_core", false},
    {dnnl::cpu_isa::avx512_core_vnni, "avx512_core_vnni", false},
    {dnnl::cpu_isa::avx512_core_bf16, "avx512_core_bf16", true},
    {dnnl::cpu_isa::avx512_core_amx, "avx512_core_amx", true},
};

Isa effective_isa() {
  const dnnl::cpu_isa effective = dnnl::get_effective_cpu_isa();
  for (const Isa& isa : kIsas) {
    if (isa.isa == effective) return isa;
  }
  return {effective, "generic", false};
}

}  // namespace

Result<std::unique_ptr<Convolution>> make_direct_convolution(const graph::Conv& conv, Element in, Element out,
                                                             std::string label) {
  std::unique_ptr<Convolution> result;
  auto status = guarded(label, [&] { result = std::make_unique<DirectConvolution>(conv, in, out, label); });
  if (!status) return propagate(status);
  return result;
}

Result<std::unique_ptr<BatchedProduct>> BatchedProduct::create(int batch, int depth, int columns,
                                                               std::span<const float> constants, Element in,
                                                               std::string label) {
  std::unique_ptr<BatchedProduct> result;
  auto status = guarded(
      label, [&] { result = std::make_unique<OnednnProduct>(batch, depth, columns, constants, in, label); });
  if (!status) return propagate(status);
  return result;
}

std::string onednn_version() {
  const dnnl_version_t* version = dnnl_version();
  return "oneDNN " + std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
         std::to_string(version->patch);
}

std::string onednn_isa() { return effective_isa().name; }

bool onednn_has_bf16() { return effective_isa().bf16; }

bool onednn_has_amx() { return effective_isa().isa == dnnl::cpu_isa::avx512_core_amx; }

}  // namespace upres::session::cpu
