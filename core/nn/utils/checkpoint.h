// SPDX-License-Identifier: Apache-2.0
#pragma once
// Activation checkpointing: the forward saves nothing for backward, which runs the function again;
// torch.utils.checkpoint.
//
//     const Tensor y = checkpoint([&](CallArguments in) { return block->invoke(std::move(in)); }, {{x},
//     {}}).to_tensor();

#include <functional>
#include <string>
#include <vector>

#include "core/autograd/variable.h"
#include "core/value/callable.h"

namespace loupe::nn {

using CheckpointedFunction = std::function<IValue(CallArguments arguments)>;

struct CheckpointOptions {
    // Reentrant: runs without recording and calls backward of the second run inside of backward (no nesting, no
    // gradients_of).
    // Otherwise: pack hooks drop the saved tensors, unpacking runs the function again; nests, any backward.
    bool use_reentrant = false;
    bool preserve_rng_state = true;  // the second run draws the same numbers
};

// Arguments are kept for the second run (through an outer checkpoint's hooks, so that its forward keeps none of them).
// Throws Error (Run) in backward when the second run saves other tensors than the first.
IValue checkpoint(CheckpointedFunction function, CallArguments arguments, const CheckpointOptions& options = {});

// The functions one after another in `segments` checkpoints, but for the last segment, which keeps its activations.
// torch.utils.checkpoint.checkpoint_sequential.
IValue checkpoint_sequential(const std::vector<CheckpointedFunction>& functions, std::int64_t segments,
                             const IValue& input, const CheckpointOptions& options = {true, true});

// A method of this name (Module::set_method) replaces calls of the module, including hooks. It may call the module
// after removing itself, by setting an empty function.
inline const std::string kAroundForward = "around forward";

// Moves saved tensors to the CPU until they are needed; torch.autograd.graph.save_on_cpu.
PackHook save_on_cpu();

}  // namespace loupe::nn
