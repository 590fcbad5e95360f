// The rule by which `auto` picks the numbers that a network is computed in.
#pragma once

#include <upres/precision.h>

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/log.h"
#include "graph/graph.h"
#include "session/session.h"
#include "upscale/cache.h"

namespace upres::upscale {

using upres::Precision;

std::string_view name(Precision precision);  // "auto", "fp32", "fp16", "bf16"
std::optional<Precision> precision_from_text(std::string_view text);

// The faster form must agree with fp32 at least this well: it costs at most 0.02 dB of a result of 37 dB.
inline constexpr double kAgreementDb = 60;

using MakeSession = std::function<Result<std::unique_ptr<session::Session>>(const graph::Graph&, Precision)>;

// PSNR (peak 1) of the network computed in `faster` against fp32, on one tile: a made-up picture with the
// edges, gradients and textures of a photograph, the same each time. Errors: those of the sessions; device,
// when a result holds NaN or infinities.
Result<double> measure_agreement_db(const graph::Graph& network, Precision faster,
                                    const MakeSession& make_session);

// What `auto` means for this network on this device: measured on first use, then remembered in `cache` under
// the network's hash and device_key (device, driver and versions). A measurement that fails means fp32.
Precision choose_precision(const graph::Graph& network, Precision faster, std::string_view device_key,
                           const MakeSession& make_session, const Cache& cache, const Log& log);

}  // namespace upres::upscale
