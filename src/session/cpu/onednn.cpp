#include "session/cpu/onednn.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <deque>
#include <dnnl.hpp>
#include <limits>
#include <mutex>
#include <new>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "session/cpu/bfloat16.h"
#include "session/cpu/conv_weights.h"
#include "session/cpu/padded_band.h"
#include "session/cpu/samples.h"

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

template <typename T, typename... Arguments>
Result<std::unique_ptr<T>> guarded_make(const std::string& label, const Arguments&... arguments) {
  std::unique_ptr<T> made;
  auto status = guarded(label, [&] { made = std::make_unique<T>(arguments..., label); });
  if (!status) return propagate(status);
  return made;
}

// What a worker needs for itself.
class Scratch {
 public:
  // Runs a primitive of this scratchpad to its end.
  void execute(const dnnl::primitive& primitive, const Memory::desc& scratchpad,
               std::unordered_map<int, Memory> arguments) {
    if (!memory_ || memory_.get_desc().get_size() < scratchpad.get_size())
      memory_ = Memory(scratchpad, cpu_engine());
    arguments.emplace(DNNL_ARG_SCRATCHPAD, memory_);
    primitive.execute(stream_, arguments);
    stream_.wait();
  }

 private:
  Memory memory_;
  dnnl::stream stream_{cpu_engine()};
};

// oneDNN takes inputs through pointers to non-const too; it does not write them.
Memory input_memory(const Memory::desc& description, const std::byte* in) {
  return {description, cpu_engine(), const_cast<std::byte*>(in)};
}

dnnl::primitive_attr attributes_with_own_scratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

// Constants laid out plainly.
struct PlainConstants {
  const float* values = nullptr;
  Memory::dims dims;
  FormatTag tag = FormatTag::undef;
};

// The constants in the layout and type that an implementation wants, from `packed` where another one wanted
// the same.
Memory packed_as(const Memory::desc& wanted, const PlainConstants& constants, std::vector<Memory>& packed) {
  for (const Memory& known : packed) {
    if (known.get_desc() == wanted) return known;
  }
  Memory plain({constants.dims, DataType::f32, constants.tag}, cpu_engine(),
               const_cast<float*>(constants.values));
  Memory result(wanted, cpu_engine());
  dnnl::stream stream(cpu_engine());
  dnnl::reorder(plain, result).execute(stream, plain, result);
  stream.wait();
  packed.push_back(result);
  return result;
}

class DirectConvolution final : public Convolution {
 public:
  DirectConvolution(const graph::Conv& conv, Element in, Element out, std::string label)
      : conv_(conv), in_(in), out_(out), label_(std::move(label)), safe_magnitude_(safe_magnitude(conv)) {
    if (in == Element::bf16_split) split_weights_ = split_weights(conv);
    biases_ = Memory({{conv.out_channels}, DataType::f32, FormatTag::a}, cpu_engine());
    std::memcpy(biases_.get_data_handle(), conv.biases->data(), conv.biases->size() * sizeof(float));
  }

  Status prepare(int workers) override {
    return guarded(label_, [&] {
      scratch_.resize(std::max(scratch_.size(), static_cast<size_t>(workers)));
      if (primitives_.size() > kMaxPrimitives) primitives_.clear();
      if (without_relu_.size() > kMaxPrimitives) without_relu_.clear();
    });
  }

  Status make_ready(const ConvBand& band) override {
    if (largest_bytes(band) > kMaxBand_bytes) {
      return fail(ErrorCode::device, label_ + ": rows of " + std::to_string(band.in_width_px) +
                                         " pixels are too long for oneDNN; a smaller tile size helps");
    }
    return guarded(label_, [&] {
      const ConvBand shape = PaddedBand::needed(band, conv_) ? PaddedBand::grown(band) : band;
      find_or_make(shape, conv_.apply_relu, primitives_);
    });
  }

  Status run(int worker, const ConvBand& band, const TilePhase&, const std::byte* in,
             std::byte* out) override {
    return guarded(label_, [&] {
      Scratch& scratch = scratch_[static_cast<size_t>(worker)];
      if (!PaddedBand::needed(band, conv_)) {
        compute(band, in, out, scratch);
        return;
      }
      const size_t pixel_bytes = static_cast<size_t>(conv_.in_channels) * size_bytes(in_);
      const PaddedBand padded(band, pixel_bytes, in);
      compute(padded.band(), padded.in(), out, scratch);
    });
  }

  [[nodiscard]] std::string implementation() const override {
    return primitives_.empty() ? std::string() : primitives_.front().description.impl_info_str();
  }

 private:
  struct Primitive {
    ConvBand band;
    dnnl::convolution_forward::primitive_desc description;
    dnnl::convolution_forward primitive;
    Memory weights;
  };

  [[nodiscard]] double largest_bytes(const ConvBand& band) const {
    const double in_rows = band.in_rows + band.padding.top + band.padding.bottom;
    const double in_width = double{1} * band.in_width_px + band.padding.left + band.padding.right;
    const double in = in_rows * in_width * conv_.in_channels * static_cast<double>(size_bytes(in_));
    const double out = double{1} * band.out_rows * band.out_width_px * conv_.out_channels;
    return std::max(in, out * static_cast<double>(size_bytes(out_)));
  }
  [[nodiscard]] int in_samples() const { return conv_.in_channels * samples_per_channel(in_); }

  // oneDNN's ReLU turns NaN into 0, so it is left to oneDNN only where no NaN can come about.
  void compute(const ConvBand& band, const std::byte* in, std::byte* out, Scratch& scratch) {
    if (!conv_.apply_relu || stays_finite(band, in)) {
      const auto ready = std::ranges::find(primitives_, band, &Primitive::band);
      assert(ready != primitives_.end());
      execute(*ready, in, out, scratch);
      return;
    }
    execute(made_without_relu(band), in, out, scratch);
    apply_relu(band, out);
  }

  [[nodiscard]] bool stays_finite(const ConvBand& band, const std::byte* in) const {
    const size_t samples =
        static_cast<size_t>(band.in_rows) * static_cast<size_t>(band.in_width_px * in_samples());
    const float largest = in_ == Element::f32
                              ? largest_magnitude(reinterpret_cast<const float*>(in), samples)
                              : largest_magnitude(reinterpret_cast<const uint16_t*>(in), samples);
    return largest <= safe_magnitude_;  // false for NaN
  }

  // From any worker: few pictures need it, so no band has it made ready.
  const Primitive& made_without_relu(const ConvBand& band) {
    const std::scoped_lock lock(without_relu_mutex_);
    return find_or_make(band, false, without_relu_);
  }

  void apply_relu(const ConvBand& band, std::byte* out) const {
    const size_t samples =
        static_cast<size_t>(band.out_rows) * static_cast<size_t>(band.out_width_px * conv_.out_channels);
    if (out_ == Element::f32) {
      auto* floats = reinterpret_cast<float*>(out);
      clip_samples(floats, samples, 0, std::numeric_limits<float>::infinity(), floats);
      return;
    }
    for (uint16_t& bits : std::span(reinterpret_cast<uint16_t*>(out), samples)) {
      if (bfloat16_value(bits) < 0) bits = 0;
    }
  }

  void execute(const Primitive& primitive, const std::byte* in, std::byte* out, Scratch& scratch) const {
    const dnnl::convolution_forward::primitive_desc& description = primitive.description;
    scratch.execute(primitive.primitive, description.scratchpad_desc(),
                    {{DNNL_ARG_SRC, input_memory(description.src_desc(), in)},
                     {DNNL_ARG_WEIGHTS, primitive.weights},
                     {DNNL_ARG_BIAS, biases_},
                     {DNNL_ARG_DST, Memory(description.dst_desc(), cpu_engine(), out)}});
  }

  const Primitive& find_or_make(const ConvBand& band, bool relu, std::deque<Primitive>& primitives) {
    const auto found = std::ranges::find(primitives, band, &Primitive::band);
    return found != primitives.end() ? *found : primitives.emplace_back(make_primitive(band, relu));
  }

  Primitive make_primitive(const ConvBand& band, bool relu) {
    const Memory::dims weight_dims = {conv_.out_channels, in_samples(), conv_.kernel_height,
                                      conv_.kernel_width};
    const Memory::desc source({1, in_samples(), band.in_rows, band.in_width_px}, data_type(in_),
                              FormatTag::nhwc);
    const Memory::desc target({1, conv_.out_channels, band.out_rows, band.out_width_px}, data_type(out_),
                              FormatTag::nhwc);
    const Memory::desc weights(weight_dims, data_type(in_), FormatTag::any);
    dnnl::primitive_attr attributes = attributes_with_own_scratchpad();
    if (relu) {
      dnnl::post_ops after;
      after.append_eltwise(1.0F, dnnl::algorithm::eltwise_relu, 0.0F, 0.0F);
      attributes.set_post_ops(after);
    }
    const dnnl::convolution_forward::desc operation(
        dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, source, weights,
        biases_.get_desc(), target, {1, 1}, {band.padding.top, band.padding.left},
        {band.padding.bottom, band.padding.right});
    const float* values = split_weights_.empty() ? conv_.weights->data() : split_weights_.data();
    Primitive made;
    made.band = band;
    made.description = dnnl::convolution_forward::primitive_desc(operation, attributes, cpu_engine());
    made.primitive = dnnl::convolution_forward(made.description);
    made.weights =
        packed_as(made.description.weights_desc(), {values, weight_dims, FormatTag::oihw}, packed_weights_);
    return made;
  }

  const graph::Conv conv_;  // shares the weights
  const Element in_;
  const Element out_;
  const std::string label_;
  const float safe_magnitude_;
  std::vector<float> split_weights_;  // empty unless the input is bf16_split
  Memory biases_;
  std::vector<Memory> packed_weights_;  // for one implementation each
  std::deque<Primitive> primitives_;
  std::mutex without_relu_mutex_;  // while run() is, of packed_weights_ too
  std::deque<Primitive> without_relu_;
  std::deque<Scratch> scratch_;  // [worker]
};

class OnednnProduct final : public BatchedProduct {
 public:
  OnednnProduct(int batch, int depth, int columns, std::span<const float> constants, Element in,
                std::string label)
      : label_(std::move(label)) {
    const Memory::dims dims = {batch, depth, columns};
    const Memory::desc any(dims, data_type(in), FormatTag::any);
    std::vector<Memory> packed;
    for (const int rows : kRowCounts) {
      const Memory::desc source({batch, rows, depth}, data_type(in), FormatTag::abc);
      const Memory::desc target({batch, rows, columns}, DataType::f32, FormatTag::abc);
      Primitive made;
      made.description =
          dnnl::matmul::primitive_desc({source, any, target}, attributes_with_own_scratchpad(), cpu_engine());
      made.primitive = dnnl::matmul(made.description);
      made.constants =
          packed_as(made.description.weights_desc(), {constants.data(), dims, FormatTag::abc}, packed);
      primitives_.push_back(std::move(made));
    }
  }

  Status prepare(int workers) override {
    return guarded(label_, [&] { scratch_.resize(std::max(scratch_.size(), static_cast<size_t>(workers))); });
  }

  Status run(int worker, int rows, const std::byte* in, float* out) override {
    return guarded(label_, [&] {
      const auto index = std::ranges::find(kRowCounts, rows) - kRowCounts.begin();
      const Primitive& primitive = primitives_[static_cast<size_t>(index)];
      const dnnl::matmul::primitive_desc& description = primitive.description;
      scratch_[static_cast<size_t>(worker)].execute(
          primitive.primitive, description.scratchpad_desc(),
          {{DNNL_ARG_SRC, input_memory(description.src_desc(), in)},
           {DNNL_ARG_WEIGHTS, primitive.constants},
           {DNNL_ARG_DST, Memory(description.dst_desc(), cpu_engine(), out)}});
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
                                                             const std::string& label) {
  return guarded_make<DirectConvolution>(label, conv, in, out);
}

Result<std::unique_ptr<BatchedProduct>> BatchedProduct::create(int batch, int depth, int columns,
                                                               std::span<const float> constants, Element in,
                                                               const std::string& label) {
  return guarded_make<OnednnProduct>(label, batch, depth, columns, constants, in);
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
