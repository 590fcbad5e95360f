// vkc: compute on Vulkan in a few lines.
//
//   auto instance = vkc::Instance::create();
//   auto device = vkc::Device::open(vkc::best_device(*instance));
//   auto kernel = vkc::Kernel::create(*device, demo_kernels::saxpy, {}, vkc::KernelGroupSize{64});
//   auto x = vkc::Buffer::create(*device, count * sizeof(float)), y = ...;
//   vkc::upload(*device, *x, host_x);
//   auto commands = vkc::Commands::create(*device);
//   kernel->dispatch(*commands, vkc::group_count({count}, kernel->group_size()), {{"x", *x}, {"y", *y}},
//   push); commands->submit()->wait(); auto result = vkc::download<float>(*device, *y);
//
// Every call returns a Result: a value, or an Error that says what happened and what to do.
// A handle that was moved from may only be assigned to or destroyed.
#pragma once

#include <vkc/buffer.h>
#include <vkc/commands.h>
#include <vkc/device.h>
#include <vkc/error.h>
#include <vkc/extent.h>
#include <vkc/group_size_search.h>
#include <vkc/image.h>
#include <vkc/instance.h>
#include <vkc/kernel.h>
#include <vkc/kernel_source.h>
#include <vkc/list_view.h>
#include <vkc/sampler.h>
#include <vkc/timestamps.h>
#include <vkc/transfer.h>
