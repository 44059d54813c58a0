// SPDX-License-Identifier: Apache-2.0
#pragma once
// Kernels from functions of doubles: float elements are computed in double and rounded.

#include "core/ops/pointwise/pointwise.h"

namespace loupe::special {

template <auto kFunction, typename T>
void loop_of_one(const void*, void* const* arrays, std::int64_t n) {
    auto* out = static_cast<T*>(arrays[0]);
    const auto* x = static_cast<const T*>(arrays[1]);
    for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<T>(kFunction(static_cast<double>(x[i])));
}
template <auto kFunction, typename T>
void loop_of_two(const void*, void* const* arrays, std::int64_t n) {
    auto* out = static_cast<T*>(arrays[0]);
    const auto* x = static_cast<const T*>(arrays[1]);
    const auto* y = static_cast<const T*>(arrays[2]);
    for (std::int64_t i = 0; i < n; ++i)
        out[i] = static_cast<T>(kFunction(static_cast<double>(x[i]), static_cast<double>(y[i])));
}

// Runs the loop for the result's type on the leading arguments.
inline void run_loops(ElementwiseKernel for_float, ElementwiseKernel for_double, std::size_t inputs,
                      Arguments arguments, IValue* results) {
    const Tensor out = results[0].to_tensor();
    const ScalarType as = compute_type(out.dtype());
    pointwise::run(as == ScalarType::Float64 ? for_double : for_float, out, as, arguments.first(inputs), out.dtype(),
                   as, nullptr, 32);
}

template <auto kFunction>
void of_one(Arguments arguments, IValue* results) {
    run_loops(loop_of_one<kFunction, float>, loop_of_one<kFunction, double>, 1, arguments, results);
}
template <auto kFunction>
void of_two(Arguments arguments, IValue* results) {
    run_loops(loop_of_two<kFunction, float>, loop_of_two<kFunction, double>, 2, arguments, results);
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
