// SPDX-License-Identifier: Apache-2.0
#pragma once
// What PyTorch's errors say of the shapes that a model wants.

#include <functional>
#include <string>
#include <vector>

#include "core/formats/eager_model.h"

namespace loupe::python {

// A change of an input that may be what an error asks for; false where it is none for that input.
struct Mend {
    std::function<bool(InputGuess&)> edit;
    bool everywhere = false;  // else of the first input that it fits
};

// The likeliest first.
std::vector<Mend> mends_for(const std::string& error);

}  // namespace loupe::python
