// SPDX-License-Identifier: Apache-2.0
#pragma once
// As what an explanation takes an operator that is not linear: a normalisation as linear in its input, with the scale
// that it had held; others as they are, with a word on what their derivative leaves.
//
// Why: a normalisation undoes any factor on its input, so that gradient times element adds up to 0 and explains
// nothing. With the scale held the shares add up to the result (the rule for LayerNorm in Ali et al., "XAI for
// Transformers: Better Explanations through Conservative Propagation", 2022).

#include <optional>
#include <string_view>

#include "core/dispatch/record.h"

namespace loupe::session {

struct ExplainedForm {
    std::string_view op;  // "aten::layer_norm"
    // What is held, for the reader: "1 / std".
    std::string_view held = {};
    // The first result, by operators that record themselves, what is held detached. Nothing for a call that is linear
    // already (batch norm with its running statistics).
    std::optional<Tensor> (*result)(Arguments arguments) = nullptr;
    // What the reader should know of shares by derivative.
    std::string_view note = {};
};

// Null for most operators. op: its full name.
const ExplainedForm* explained_form(std::string_view op);

}  // namespace loupe::session
