// SPDX-License-Identifier: Apache-2.0
#pragma once
// Calling an operator: records for autograd, picks the kernel, runs it.

#include <span>

#include "core/dispatch/registry.h"

namespace loupe {

// arguments: all of the schema's, in order. results: room for op.result_count(), filled on return.
// The thread's observer is notified, unless it is a part of another operator. Throws Error (Run) with the operator,
// shapes and dtypes.
void call_operator(const Operator& op, std::span<const IValue> arguments, IValue* results);

// Throws Error (Unsupported): the operator takes no sparse tensors.
[[noreturn]] void refuse_sparse(const Operator& op);

// Does it touch tensors or the random generator, so that observers are notified?
bool is_observed(const Operator& op);

// For each candidate kernel that these arguments could go to: "onednn: declined, int64 input"; the last line is the one
// that runs.
// Does the device of the call have a kernel of its own for it?
bool has_device_kernel(const Operator& op, std::span<const IValue> arguments);
std::vector<std::string> explain_kernel_choice(const Operator& op, std::span<const IValue> arguments);

// Output metadata from the record; throws Error (Run). Operators without `infer` give nullopt.
std::optional<MetaList> infer_outputs(const Operator& op, std::span<const IValue> arguments);
// A tensor with metadata and no elements, as argument of infer_outputs.
Tensor meta_tensor(const TensorMeta& meta);

// FLOPs and bytes; the default counts every input and output once.
Cost operator_cost(const Operator& op, std::span<const IValue> arguments, std::span<const IValue> results);

}  // namespace loupe
