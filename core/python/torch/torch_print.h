// SPDX-License-Identifier: Apache-2.0
#pragma once
// repr() of a tensor, as torch/_tensor_str.py writes it.

#include <optional>
#include <string>

#include "core/tensor/tensor.h"

namespace loupe::python {

// torch.set_printoptions.
struct PrintOptions {
    int precision = 4;
    double threshold = 1000;  // more elements than that are summarised
    std::int64_t edgeitems = 3;
    int linewidth = 80;
    std::optional<bool> sci_mode;
};
PrintOptions& print_options();

// "tensor([1., 2.], grad_fn=<AddBackward0>)", with "Parameter containing:" before a parameter's.
std::string tensor_repr(const Tensor& tensor);

}  // namespace loupe::python
