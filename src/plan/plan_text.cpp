#include <fmt/format.h>
#include <fmt/ranges.h>

#include "plan/blocks.h"
#include "plan/plan.h"

namespace upres::plan {
namespace {

std::string_view block_name(ResourceKind kind) {
  switch (kind) {
    case ResourceKind::input:
    case ResourceKind::table:
      return "input";  // tables lie behind the inputs
    case ResourceKind::output:
      return "output";
    case ResourceKind::scratch:
      return "scratch";
    case ResourceKind::weights:
      return "weights";
    case ResourceKind::image:
      return "image";
  }
  return "?";
}

std::string value_text(const kernels::Constant& constant) {
  return std::visit([](auto value) { return fmt::format("{}", value); }, constant.value);
}

// "conv_naive_fp16 in_channels=1 apply_relu=true"
std::string kernel_text(const kernels::KernelChoice& choice) {
  const std::string constants = constants_text(choice);
  return kernels::module_name(choice) + (constants.empty() ? "" : " " + constants);
}

// "image 0 (320x180x16 f32)": width, height and blocks of four channels.
std::string image_text(const Plan& plan, uint32_t index) {
  const ImageDescription& image = plan.images[index];
  return fmt::format("image {} ({}x{}x{} {})", index, image.extent.width, image.extent.height,
                     image.extent.depth, name(image.dtype));
}

// "input=scratch+256:1024": the name in the shader, block, offset, bytes.
std::string binding_text(const Plan& plan, const Binding& binding) {
  const Resource& resource = plan.resources[binding.resource];
  if (resource.kind == ResourceKind::image)
    return fmt::format("{}={}", binding.name, image_text(plan, resource.image));
  return fmt::format("{}={}+{}:{}{}", binding.name, block_name(resource.kind), resource.offset_bytes,
                     resource.size_bytes, resource.zeroed ? " zeroed" : "");
}

std::string step_text(const Plan& plan, size_t index) {
  const Step& step = plan.steps[index];
  const kernels::GroupSize& group = step.choice.group_size;
  std::vector<std::string> bindings;
  for (const Binding& binding : step.bindings) bindings.push_back(binding_text(plan, binding));
  return fmt::format("{}{}: {} [{}] group {}x{}x{} grid {}x{}x{} push {} flops {} bytes {}\n    {}\n",
                     step.barrier_before ? "barrier\n" : "", index, step.node, kernel_text(step.choice),
                     group.x, group.y, group.z, step.grid.width, step.grid.rows, step.grid.depth,
                     step.push.size(), step.flops, step.bytes, fmt::join(bindings, ", "));
}

std::string ends_text(const Plan& plan, std::string_view what, const std::vector<graph::ValueId>& ids,
                      const std::vector<uint32_t>& resources) {
  std::string text;
  for (size_t i = 0; i < ids.size(); ++i) {
    const graph::Value& value = plan.chosen->graph.value(ids[i]);
    const Extent& extent = plan.extents[ids[i]];
    text +=
        fmt::format("{} {}: {} {} {}x{} at {}+{}\n", what, value.name, name(value.type.dtype),
                    value.type.channels, extent.width_px, extent.height_px,
                    block_name(plan.resources[resources[i]].kind), plan.resources[resources[i]].offset_bytes);
  }
  return text;
}

}  // namespace

std::string constants_text(const kernels::KernelChoice& choice) {
  std::vector<std::string> parts;
  for (const kernels::Constant& constant : choice.constants) {
    parts.push_back(fmt::format("{}={}", constant.name, value_text(constant)));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

std::string to_text(const Plan& plan) {
  const kernels::DeviceInfo& device = plan.chosen->device;
  std::string text = fmt::format("plan for {} ({}, {})\n", device.name, device.kind, device.driver);
  text += ends_text(plan, "input", plan.chosen->graph.inputs(), plan.inputs);
  text += ends_text(plan, "output", plan.chosen->graph.outputs(), plan.outputs);
  for (size_t i = 0; i < plan.steps.size(); ++i) text += step_text(plan, i);
  text += fmt::format("memory: input {}, output {}, scratch {}, weights {}\n", bytes_text(plan.input_bytes),
                      bytes_text(plan.output_bytes), bytes_text(plan.scratch_bytes),
                      bytes_text(plan.weights_bytes));
  for (uint32_t i = 0; i < plan.images.size(); ++i)
    text += fmt::format("{}: {}\n", image_text(plan, i), bytes_text(plan.images[i].size_bytes()));
  return text;
}

}  // namespace upres::plan
