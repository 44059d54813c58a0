// SPDX-License-Identifier: Apache-2.0
#pragma once
// The steps of a fused expression as CUDA C++, in the formulas that the device's own loops are made of.

#include <string>
#include <vector>

#include "core/runtime/fuse/fused_expression.h"

namespace loupe::cuda {

// "Float32", of loupe::cuda::Element. The dtype is one that kernels compute with.
const char* element_name(ScalarType dtype);
// As what a dtype is computed with: "float", "double", "bool", "std::int64_t".
const char* register_type(ScalarType dtype);

// A number of the dtype, from memory.
std::string literal(const std::byte* number, ScalarType dtype);
// A number of float32 or float64.
std::string literal(double number, ScalarType as);

// x of `from` as `to`, rounded to it.
std::string converted_text(const std::string& x, ScalarType from, ScalarType to);

// A pointwise step's result of dtype `step.dtype`; operands: of the types that the step sees them as. `numbers` is the
// name of its parameters, see numbers_text().
std::string step_text(const runtime::FusedStep& step, const std::vector<std::string>& operands,
                      const std::string& numbers);
// "{{0.5}, {0}}": its parameters as a Numbers; empty when it has none.
std::string numbers_text(const runtime::FusedStep& step);
// The functor of a reduction, "reduction::Sum<float>"; empty when it has none.
std::string reduction_text(const std::string& name, ScalarType as);

// Why the expression has no kernel on a device; empty when it has one.
std::string refusal(const runtime::FusedExpression& expression);

}  // namespace loupe::cuda
