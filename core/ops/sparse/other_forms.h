// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the rules of sparse.h do with tensors that are no plain arrays and not in coordinate form.

#include "core/dispatch/record.h"

namespace loupe {

enum class FormRule : std::uint8_t {
    Values,
    Add,
    Sub,
    Scale,
    Norm,
    Copy,
    Clone,
    Same,
    Itself,
    EmptyLike,
    Zero,
    Mm,
    Mv,
    Addmm,
    Linear,
    Embedding,
    Transpose,
    T,
    Rows,
};

// Runs the operator by the rule when an argument is compressed or quantised; false when none is. Throws Error
// (Unsupported) where that form has no such operator.
bool run_on_other_form(FormRule rule, const Operator& op, Arguments arguments, IValue* results);

}  // namespace loupe
