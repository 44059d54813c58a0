// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a reader is told of an operator besides its record: formulas, of the operator where the record has none, and of
// its gradients. They are read, never run; the derivative itself stands in the record.
//
// Notation: products by a space, "sum_k", "x^2", "a[i, j]"; `grad` is the incoming gradient, `out` the result (out0,
// out1 of several), arguments by their names. How to add a note: in the family's table in core/ops/notes, under the
// operator's name, or its full name where overloads differ.

#include <span>
#include <string_view>

#include "core/ops/registry.h"

namespace loupe {

struct OperatorNote {
    std::string_view name;      // "aten::addmm", or "aten::max.dim" for this overload alone
    std::string_view formula;   // empty: the record has it, or there is none
    std::string_view gradient;  // a line an argument: "mat1: alpha grad mat2^T"; empty: none is written down
};

// The tables, one a family that has notes.
std::span<const std::span<const OperatorNote>> operator_notes();

// Of the record, else of the notes, else of the operator that it is the same as.
std::string_view operator_formula(const Operator& op);
// Of the gradient for one argument; empty where none is written down.
std::string_view gradient_formula(const Operator& op, std::string_view argument);
// The operator that a summary "The same as X." names; null for all others.
const Operator* same_operator(const Operator& op);

}  // namespace loupe
