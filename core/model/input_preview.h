// SPDX-License-Identifier: Apache-2.0
#pragma once
// What an input will be, before anything runs.

#include <vector>

#include "core/model/input_spec.h"

namespace loupe::session {

struct InputPreview {
    std::string error;  // not empty: nothing else is valid
    std::string dtype;
    Shape shape;
    std::vector<double> elements;  // row-major; empty when there are more than were asked for
};

// Makes or reads the tensor that the description stands for; any thread. Lists and literals have no preview.
InputPreview preview_input(const InputSpec& spec, std::int64_t max_elements);

}  // namespace loupe::session
