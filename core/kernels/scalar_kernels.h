// SPDX-License-Identifier: Apache-2.0
#pragma once
// Kernels of functions that are computed one element at a time, built once for all instruction sets.

#include <complex>
#include <utility>

#include "core/kernels/elementwise.h"

namespace loupe::scalar {

template <template <class> class Op, std::size_t Inputs, class T, class Out = T>
struct Loop {
    static void run(const void* params, void* const* arrays, std::int64_t n) {
        run_each(Op<T>(static_cast<const Scalar*>(params)), arrays, n, std::make_index_sequence<Inputs>());
    }
    template <std::size_t... I>
    static void run_each(const Op<T>& op, void* const* arrays, std::int64_t n, std::index_sequence<I...>) {
        auto* out = static_cast<Out*>(arrays[0]);
        for (std::int64_t i = 0; i < n; ++i) out[i] = op.scalar(static_cast<const T*>(arrays[I + 1])[i]...);
    }
};

// Null for other types.
template <template <class> class Op, std::size_t Inputs>
ElementwiseKernel real_kernel(ScalarType as) {
    if (as == ScalarType::Float32) return &Loop<Op, Inputs, float>::run;
    if (as == ScalarType::Float64) return &Loop<Op, Inputs, double>::run;
    return nullptr;
}
template <template <class> class Op, std::size_t Inputs>
ElementwiseKernel complex_kernel(ScalarType as) {
    if (as == ScalarType::Complex64) return &Loop<Op, Inputs, std::complex<float>>::run;
    if (as == ScalarType::Complex128) return &Loop<Op, Inputs, std::complex<double>>::run;
    return nullptr;
}
template <template <class> class Op, std::size_t Inputs>
ElementwiseKernel real_or_complex_kernel(ScalarType as) {
    return is_complex(as) ? complex_kernel<Op, Inputs>(as) : real_kernel<Op, Inputs>(as);
}

}  // namespace loupe::scalar
