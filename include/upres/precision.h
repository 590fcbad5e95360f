// Numbers that a network is computed in.
#pragma once

namespace upres {

enum class Precision {
  automatic,  // the device's faster form where it agrees with fp32, else fp32
  fp32,
  fp16,  // fp16 storage, fp32 accumulation
  bf16,  // bf16 storage, fp32 accumulation
};

}  // namespace upres
