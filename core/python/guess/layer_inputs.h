// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shapes that an argument of a module may have, by the layer that gets it.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/eager_model.h"
#include "core/python/language/frame.h"

namespace loupe::python {

// What a module's text says of an argument of its forward.
struct ArgumentShape {
    std::vector<InputGuess> guesses;  // the likeliest first
    std::size_t dimensions = 0;       // 0: not known
};

// module: a torch.nn.Module; argument: an index among those of forward.
ArgumentShape shape_of_argument(const IValue& module, std::size_t argument, int depth = 0);

// The dimensions of what an einops pattern takes: 4 of "b c (h p1) (w p2) -> b (h w) (p1 p2 c)".
std::size_t dimensions_of_pattern(std::string_view pattern);

}  // namespace loupe::python
