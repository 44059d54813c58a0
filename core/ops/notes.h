// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a reader sees of an operator beside its summary: its formula, those of its gradients, and why its numbers may
// not be finite. Records write them down; what one record of a name says holds for overloads of that name that say
// nothing.
//
// Notation: products by a space, "sum_k", "x^2", "a[i, j]"; `grad` is the incoming gradient, `out` the result (out0,
// out1 of several), arguments by their names, x the element of self.

#include <span>
#include <string_view>

#include "core/dispatch/registry.h"

namespace loupe {

// Of the operator, in its in-place and out= forms too, in order; else of the operator that it is the same as.
std::span<const NotFiniteNote> not_finite_notes(const Operator& op);
// Is its result memory that nothing has written yet?
bool leaves_uninitialised(const Operator& op);

// Of the record, else of the first overload of its name, else of the operator that it is the same as.
std::string_view operator_formula(const Operator& op);
// Of the gradient for one argument; empty where there is none.
std::string_view gradient_formula(const Operator& op, std::string_view argument);
// The operator that a summary "The same as X." names; null for all others.
const Operator* same_operator(const Operator& op);

}  // namespace loupe
