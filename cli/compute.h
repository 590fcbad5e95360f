// From options to an open device, for every subcommand that computes.
#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "console.h"
#include "options.h"
#include "upscale/device.h"

namespace upres::cli {

// Sets the threads of every library in the process, chooses and opens the device.
// Errors: device, also for a precision that it cannot do; usage.
Result<upscale::Device> open_device(const ComputeOptions& options, Console& console);

// The error of something computed, with --tile in front where it is about that option: of all options it is
// the one that can only be judged together with network and picture.
Error in_tile_context(const Error& error, const ComputeOptions& options);

// Event `start`; with --verbose a line of text. What was not chosen is null: an empty model, no precision.
void announce(Console& console, const std::string& command, const upscale::Device& device,
              const std::string& model, std::optional<upscale::Precision> precision);

// Prints the error, as a `failed` event too (`input`: null where it belongs to none), and gives the exit
// code.
int report_failure(Console& console, const Error& error);

}  // namespace upres::cli
