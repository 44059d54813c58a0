// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inputs that a model takes beside a text.

#include <vector>

#include "core/model/input_spec.h"
#include "core/model/text_model.h"

namespace loupe::cli {

struct RunArguments;

// What a model that hears is given beside a text: --inputs, --input. Throws Error (Usage) for another model.
std::vector<session::InputSpec> inputs_beside_text(const session::TextModel& model, const RunArguments& options);

}  // namespace loupe::cli
