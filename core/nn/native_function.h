// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions of PyTorch's Python side that are no operators (torch.nn.functional.interpolate,
// torch.nn.init.kaiming_uniform_): one record each, from which calls by name bind their arguments.

#include <span>
#include <string_view>

#include "core/ops/boxing.h"

namespace loupe::nn {

struct NativeFunction {
    // In schema syntax with PyTorch's parameter names and defaults: "interpolate(Tensor input, Any size=None, ...) ->
    // Tensor". "Any" takes what no schema type says (a number or a tuple, a callable).
    std::string_view schema;
    std::string_view summary;  // one sentence
    KernelFunction call;       // boxed<f>
};

// Families export one array of records each; these list them all. Names are without the module's.
std::span<const NativeFunction> functional_records();  // torch.nn.functional
std::span<const NativeFunction> init_records();        // torch.nn.init

}  // namespace loupe::nn
