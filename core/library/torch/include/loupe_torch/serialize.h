// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values of Python's torch.save.

#include <vector>

#include <loupe_torch/ivalue.h>

namespace torch {

// The bytes of a file of Python's torch.save(value, file), and back.
c10::IValue pickle_load(const std::vector<char>& bytes);
std::vector<char> pickle_save(const c10::IValue& value);

namespace jit {
using torch::pickle_load;
using torch::pickle_save;
}  // namespace jit

}  // namespace torch
