// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values as str() and format() of TorchScript write them, which differs from Python: "2." for 2.0, [a, b] for
// ["a", "b"].

#include <string>

#include "core/value/ivalue.h"

namespace loupe::numbers {

std::string stream_text(const IValue& value);
// As PyTorch's C++ library prints a tensor: " 1\n 2\n[ CPUFloatType{2} ]".
std::string stream_text(const Tensor& tensor);

}  // namespace loupe::numbers
