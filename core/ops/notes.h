// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a reader is told of an operator besides its record: formulas, of the operator where the record has none, and of
// its gradients, and why its numbers may not be finite. They are read, never run; the derivative itself stands in the record.
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
    std::string_view name;      // "aten::addmm", or "aten::max.dim" for this overload alone
    std::string_view formula;   // empty: the record has it, or there is none
    std::string_view gradient;  // a line an argument: "mat1: alpha grad mat2^T"; empty: none is recorded
};

// Why a result of an operator, or a gradient that its derivative gives, is not finite though what was read was (or, with
// Infinite, turned an Inf into NaN), and what helps. Of several the first that holds is the cause.
struct NotFiniteNote {
    std::string_view name;   // as OperatorNote::name
    enum class In : std::uint8_t { Forward, Backward, Either } in = In::Forward;
    // What must hold of one of its tensors, as its numbers say.
    enum class When : std::uint8_t {
        Always,
        Zero,          // an element is 0
        Negative,      // an element is below 0
        BelowOne,      // below 1
        AtMinusOne,    // not above -1
        BeyondOne,     // of magnitude above 1
        AtOne,         // of magnitude 1 or above
        Great,         // of magnitude above 80: its exponential leaves the range of float32
        Alone,         // as few elements as the result: each is all of what was reduced
        Nothing,       // no elements
        Infinite,      // some tensor that is read holds Inf, of which NaN comes
        Unwritten,     // memory that nothing has written
    } when = When::Always;
    std::int8_t tensor = 0;  // of the tensors that the operator reads, by place; -1: its result
    std::string_view cause;  // "sqrt of a negative number"
    std::string_view advice; // "clamp it before: x.clamp(min=0).sqrt()"
};
// All of them; the one table.
std::span<const NotFiniteNote> not_finite_notes();
// Those of one operator, in its in-place and out= forms too, in order.
std::vector<const NotFiniteNote*> not_finite_notes(const Operator& op);
// Is its result memory that nothing has written yet?
bool leaves_uninitialised(const Operator& op);

// The tables, one per family that has notes.
std::span<const std::span<const OperatorNote>> operator_notes();

// Of the record, else of the notes, else of the operator that it is the same as.
std::string_view operator_formula(const Operator& op);
// Of the gradient for one argument; empty where none is recorded.
std::string_view gradient_formula(const Operator& op, std::string_view argument);
// The operator that a summary "The same as X." names; null for all others.
const Operator* same_operator(const Operator& op);

}  // namespace loupe
