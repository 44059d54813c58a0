// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whole programs of torch.export and ONNX: NAME.pt2 or NAME.onnx with NAME.in.npz and NAME.out.npz beside it.

#include <filesystem>
#include <string>
#include <vector>

#include "core/tensor/device.h"

namespace loupe::conformance {

// What the runner calls a file: its stem, of an ONNX model its whole name.
std::string case_name(const std::filesystem::path& path);
// The programs of a folder, in order of names.
std::vector<std::filesystem::path> list_programs(const std::filesystem::path& folder);
// Runs forward and backward from arg0, arg1, … and cot0, …, and compares with out0, … and with gradients:
// grad.param.NAME by element, gradnorm.NAME by norm; of an ONNX
// model with the difference that a step along them makes. Empty when
// everything is as expected; else one line.
std::string run_program_case(const std::filesystem::path& program, Device device);

}  // namespace loupe::conformance
