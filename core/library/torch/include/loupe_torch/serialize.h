// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch::save and torch::load of tensors, and values of Python's torch.save.

#include <string>
#include <vector>

#include <loupe_torch/functions.h>
#include <loupe_torch/ivalue.h>

namespace torch {

// As LibTorch writes and reads them. Throw c10::Error.
void save(const at::Tensor& tensor, const std::string& file);
void save(const std::vector<at::Tensor>& tensors, const std::string& file);
void load(at::Tensor& tensor, const std::string& file);
void load(std::vector<at::Tensor>& tensors, const std::string& file);

// The bytes of a file of Python's torch.save(value, file), and back.
c10::IValue pickle_load(const std::vector<char>& bytes);
std::vector<char> pickle_save(const c10::IValue& value);

namespace jit {
using torch::pickle_load;
using torch::pickle_save;
}  // namespace jit

}  // namespace torch
