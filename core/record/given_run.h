// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a command line gives a run, as texts, and what becomes of it for a model: inputs and what backward starts from.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/model/backward_from.h"
#include "core/model/input_spec.h"
#include "core/model/model_info.h"
#include "core/value/schema.h"

namespace loupe::session {

struct GivenRun {
    std::string inputs_file;          // .npz, .npy, .pt or a picture
    std::vector<std::string> inputs;  // instead, one an argument: "2x3:int64", "True"
    std::uint64_t seed = 0;           // of those that are random
    std::string loss;                 // see parse_backward_from
    std::string target;
    std::string data;  // whose labels the target `labels` is

    bool has_inputs() const { return !inputs_file.empty() || !inputs.empty(); }
};
auto fields(Like<GivenRun> auto& it) {
    return std::tie(it.inputs_file, it.inputs, it.seed, it.loss, it.target, it.data);
}

// Of the arguments of a method; empty where none are given. Throws Error (Usage) for a file and texts at once and for
// texts that are no input, and what reading the file throws.
std::vector<InputSpec> given_inputs(const GivenRun& given, const FunctionSchema& schema, const ModelInfo& model);

// Gradients of outputs that stand in the file of inputs (cot0, ...) come first. Throws Error (Usage) where they and a
// loss are given, and for labels without data, and what parse_backward_from throws.
BackwardFrom given_backward(const GivenRun& given);

}  // namespace loupe::session
