// SPDX-License-Identifier: Apache-2.0
#pragma once
// Documentation of an operator beside its record: formulas, of the operator where the record has none, and of its
// gradients, and why its numbers may not be finite. Shown, not run; the derivative itself is in the record.
//
// Notation: products by a space, "sum_k", "x^2", "a[i, j]"; `grad` is the incoming gradient, `out` the result (out0,
// out1 of several), arguments by their names. How to add a note: in the family's table in core/ops/notes, under the
// operator's name, or its full name where overloads differ.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/dispatch/registry.h"

namespace loupe {

struct OperatorNote {
    std::string_view name;      // "aten::addmm", or "aten::max.dim" for this overload only
    std::string_view formula;   // empty: the record has it, or there is none
    std::string_view gradient;  // a line per argument: "mat1: alpha grad mat2^T"; empty: none
};

// Why a result of an operator, or a gradient from its derivative, is not finite although its inputs are (or, with
// Infinite, turned an Inf into NaN), and a remedy. Of several the first that applies is the cause.
struct NotFiniteNote {
    std::string_view name;   // as OperatorNote::name
    enum class In : std::uint8_t { Forward, Backward, Either } in = In::Forward;
    // A condition on the elements of one of its tensors.
    enum class When : std::uint8_t {
        Always,
        Zero,          // an element is 0
        Negative,      // an element is below 0
        BelowOne,      // below 1
        AtMinusOne,    // not above -1
        BeyondOne,     // of magnitude above 1
        AtOne,         // of magnitude 1 or above
        Great,         // of magnitude above 80: its exponential leaves the range of float32
        Alone,         // as few elements as the result: each reduction has one element
        Nothing,       // no elements
        Infinite,      // some input holds Inf, which leads to NaN
        Unwritten,     // uninitialised memory
    } when = When::Always;
    std::int8_t tensor = 0;  // of the tensors that the operator reads, by place; -1: its result
    std::string_view cause;  // "sqrt of a negative number"
    std::string_view advice; // "clamp it before: x.clamp(min=0).sqrt()"
};
// All notes, in one table.
std::span<const NotFiniteNote> not_finite_notes();
// Notes of one operator, also for its in-place and out= forms, in order.
std::vector<const NotFiniteNote*> not_finite_notes(const Operator& op);
// Is its result uninitialised memory?
bool leaves_uninitialised(const Operator& op);

// The tables, one per family that has notes.
std::span<const std::span<const OperatorNote>> operator_notes();

// Of the record, else of the notes, else of the operator that it is the same as.
std::string_view operator_formula(const Operator& op);
// Of the gradient for one argument; empty where there is none.
std::string_view gradient_formula(const Operator& op, std::string_view argument);
// The operator that a summary "The same as X." names; null for all others.
const Operator* same_operator(const Operator& op);

}  // namespace loupe
