// SPDX-License-Identifier: Apache-2.0
#pragma once
// What backward starts from, as it is described: values only.

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/fields.h"
#include "core/model/data_sources.h"
#include "core/model/model_info.h"

namespace loupe::session {

// The target of a loss.
struct LossTarget {
    enum class Source : std::uint8_t {
        None,
        Typed,  // a Python literal: "3", "[1, 7]", "[[0., 1.]]"
        File,   // an array of a .npy, .npz or .pt
        Data,   // of the data's first examples, as many as the model was run on
    };
    Source source = Source::None;
    std::string text;  // Typed: the literal; File: its path
    std::string key;   // File: the name in an .npz, the place in a .pt
    DataSpec data;     // Data
};
constexpr LossTarget::Source last_of(LossTarget::Source) { return LossTarget::Source::Data; }
auto fields(Like<LossTarget> auto& it) { return std::tie(it.source, it.text, it.key, it.data); }

// What backward starts from.
struct BackwardFrom {
    enum class Kind : std::uint8_t {
        Default,     // Own where the source has a loss that can be computed without more being said, else Sum
        Sum,         // of all elements of all outputs
        Mean,        // likewise
        Own,         // the `loss` of the model's source, of the output, or of the output and a target
        Loss,        // a loss of torch.nn, of the first output and a target
        Element,     // one element of an output
        Cotangents,  // gradients of the outputs, from an .npz: cot0, cot1, ...; ones for outputs without
    };
    Kind kind = Kind::Default;
    std::string loss;        // Loss: as Python calls it, "CrossEntropyLoss(label_smoothing=0.1)"
    LossTarget target;       // Own, Loss
    std::size_t output = 0;  // Element: among the outputs, flattened
    Shape index;             // Element: one number a dimension; negative ones count from the end
    std::string file;        // Cotangents
};
constexpr BackwardFrom::Kind last_of(BackwardFrom::Kind) { return BackwardFrom::Kind::Cotangents; }
auto fields(Like<BackwardFrom> auto& it) { return std::tie(it.kind, it.loss, it.target, it.output, it.index, it.file); }
// loss: "" (Default), "sum", "mean", "own", "cross_entropy", "mse", "CrossEntropyLoss(label_smoothing=0.1)", "out0[0,
// 3]", "cotangents:FILE.npz"; target: "", a Python literal, FILE, FILE:KEY, or "labels" of the data. Throws Error
// (Usage).
BackwardFrom parse_backward_from(const std::string& loss, const std::string& target = {});
// What parse_backward_from takes.
std::string loss_text(const BackwardFrom& from);
std::string target_text(const LossTarget& target);
// For people: "sum of outputs", "CrossEntropyLoss(), target [3]", "out0[0, 3]".
std::string backward_from_text(const BackwardFrom& from);

}  // namespace loupe::session
