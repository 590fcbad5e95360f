// Tasks and values of tunables as JSON, for the worker.
#pragma once

#include "base/error.h"
#include "devicedb/json.h"
#include "tune/runner.h"
#include "tune/task.h"

namespace upres::tune {

// Everything but the weights.
devicedb::Json to_json(const Task& task);
devicedb::Json to_json(const Parameters& parameters);

// From an object that may hold anything; the task's weights are random. Errors: usage, naming the key that is
// missing or wrong, or when the kernel does not compute such a convolution.
Result<Task> task_from_json(const devicedb::Json& json);
// Each value is one that the kernel takes.
Result<Parameters> parameters_from_json(const devicedb::Json& json, const kernels::Kernel& kernel);

}  // namespace upres::tune
