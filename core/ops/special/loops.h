// SPDX-License-Identifier: Apache-2.0
#pragma once
// Calls of the kernels, and the metadata of their results.

#include "core/ops/pointwise/pointwise.h"
#include "core/ops/special/kernels.h"

namespace loupe::special {

// Runs the kernel for the result's type on the leading arguments.
template <typename Op>
void run_special(Op op, ElementwiseKernel (*find)(Op, ScalarType), std::size_t inputs, Arguments arguments,
                 IValue* results) {
    const Tensor out = results[0].to_tensor();
    const ScalarType as = compute_type(out.dtype());
    pointwise::run(find(op, as), out, as, arguments.first(inputs), out.dtype(), as, nullptr, 32);
}

template <SpecialOp kOp>
void call_function(Arguments arguments, IValue* results) {
    run_special(kOp, special_kernel, 1, arguments, results);
}
template <SpecialPairOp kOp>
void call_pair(Arguments arguments, IValue* results) {
    run_special(kOp, special_pair_kernel, 2, arguments, results);
}
template <PolynomialOp kOp>
void call_polynomial(Arguments arguments, IValue* results) {
    run_special(kOp, polynomial_kernel, 2, arguments, results);
}

// Integers become float32; the 16-bit types are refused, as by PyTorch.
inline void require_wide(const MetaList& outputs) {
    const ScalarType dtype = outputs[0].dtype;
    pointwise::require(dtype == ScalarType::Float32 || dtype == ScalarType::Float64, "not implemented for '",
                       dtype_graph_name(dtype), "'");
}
inline void infer_wide(Arguments arguments, MetaList& outputs) {
    pointwise::infer_float_real(arguments, outputs);
    require_wide(outputs);
}
inline void infer_pair(Arguments arguments, MetaList& outputs) {
    pointwise::infer_binary_real(arguments, outputs);
    outputs[0].dtype = floating_type(outputs[0].dtype);
}
inline void infer_wide_pair(Arguments arguments, MetaList& outputs) {
    infer_pair(arguments, outputs);
    require_wide(outputs);
}
inline bool is_wide_real(ScalarType dtype) { return dtype == ScalarType::Float32 || dtype == ScalarType::Float64; }

}  // namespace loupe::special
