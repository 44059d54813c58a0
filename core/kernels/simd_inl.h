// SPDX-License-Identifier: Apache-2.0
// Vectorised loops over contiguous arrays, compiled once per instruction set. For files that are their own
// HWY_TARGET_INCLUDE; hence the toggled guard.
#if defined(LOUPE_SIMD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef LOUPE_SIMD_INL_H
#undef LOUPE_SIMD_INL_H
#else
#define LOUPE_SIMD_INL_H
#endif

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <utility>

#include "core/kernels/elementwise.h"
#include "core/tensor/scalar.h"
#include "hwy/highway.h"

#ifdef __clang__
#define LOUPE_INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#else
#define LOUPE_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#endif

HWY_BEFORE_NAMESPACE();
namespace loupe::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// An operator's kernel is a struct: constructed from the parameters; `scalar(x, ...)` for one element, and for the
// floating types, where it pays, `vector(d, x, ...)`.

template <class Op, class T, std::size_t... I>
HWY_INLINE void vector_loop(const Op& op, T* out, const std::array<const T*, sizeof...(I)>& in, std::int64_t n,
                            std::index_sequence<I...>) {
    const hn::ScalableTag<T> d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) hn::StoreU(op.vector(d, hn::LoadU(d, in[I] + i)...), d, out + i);
    if (i == n) return;
    // The remainder, padded with its last element.
    HWY_ALIGN T rest[sizeof...(I) + 1][hn::MaxLanes(d)];
    ((hn::Store(hn::Set(d, in[I][n - 1]), d, rest[I]), std::copy(in[I] + i, in[I] + n, rest[I])), ...);
    hn::Store(op.vector(d, hn::Load(d, rest[I])...), d, rest[sizeof...(I)]);
    std::copy_n(rest[sizeof...(I)], n - i, out + i);
}

template <class T, std::size_t>
using LaneVector = hn::Vec<hn::ScalableTag<T>>;

template <class Op, class T, std::size_t... I>
constexpr bool has_vector_form(std::index_sequence<I...>) {
    if constexpr (std::is_floating_point_v<T>) {
        return requires(const Op& op, hn::ScalableTag<T> d, LaneVector<T, I>... v) { op.vector(d, v...); };
    }
    return false;
}

template <class Op, class T, class Out, std::size_t... I>
HWY_INLINE void loop(const Op& op, void* const* arrays, std::int64_t n, std::index_sequence<I...> indices) {
    auto* out = static_cast<Out*>(arrays[0]);
    const std::array<const T*, sizeof...(I)> in{static_cast<const T*>(arrays[I + 1])...};
    if constexpr (std::is_same_v<T, Out> && has_vector_form<Op, T>(std::index_sequence<I...>())) {
        vector_loop(op, out, in, n, indices);
    } else {
        LOUPE_INDEPENDENT_ITERATIONS
        for (std::int64_t i = 0; i < n; ++i) out[i] = op.scalar(in[I][i]...);
    }
}

// The ElementwiseKernel of Op<T> with `Inputs` inputs of type T and an output of type Out.
template <template <class> class Op, std::size_t Inputs, class T, class Out = T>
void kernel(const void* params, void* const* arrays, std::int64_t n) {
    const Op<T> op(static_cast<const Scalar*>(params));
    loop<Op<T>, T, Out>(op, arrays, n, std::make_index_sequence<Inputs>());
}

// The kernel for a compute type, null when Op is not for it.
template <template <class> class Op, std::size_t Inputs>
ElementwiseKernel real_kernel(ScalarType as) {
    if (as == ScalarType::Float32) return &kernel<Op, Inputs, float>;
    if (as == ScalarType::Float64) return &kernel<Op, Inputs, double>;
    return nullptr;
}
template <template <class> class Op, std::size_t Inputs>
ElementwiseKernel real_or_complex_kernel(ScalarType as) {
    if (as == ScalarType::Complex64) return &kernel<Op, Inputs, std::complex<float>>;
    if (as == ScalarType::Complex128) return &kernel<Op, Inputs, std::complex<double>>;
    return real_kernel<Op, Inputs>(as);
}
template <template <class> class Op, std::size_t Inputs>
ElementwiseKernel real_or_integer_kernel(ScalarType as) {
    if (as == ScalarType::Int64) return &kernel<Op, Inputs, std::int64_t>;
    return real_kernel<Op, Inputs>(as);
}
// For Op that compares.
template <template <class> class Op, std::size_t Inputs>
ElementwiseKernel ordered_kernel(ScalarType as) {
    if (as == ScalarType::UInt64) return &kernel<Op, Inputs, std::uint64_t>;
    return real_or_integer_kernel<Op, Inputs>(as);
}
template <template <class> class Op, std::size_t Inputs>
ElementwiseKernel number_kernel(ScalarType as) {
    if (as == ScalarType::Int64) return &kernel<Op, Inputs, std::int64_t>;
    return real_or_complex_kernel<Op, Inputs>(as);
}
// For results of type bool.
template <template <class> class Op, std::size_t Inputs>
ElementwiseKernel test_kernel(ScalarType as) {
    switch (as) {
        case ScalarType::Int64:
            return &kernel<Op, Inputs, std::int64_t, bool>;
        case ScalarType::Float32:
            return &kernel<Op, Inputs, float, bool>;
        case ScalarType::Float64:
            return &kernel<Op, Inputs, double, bool>;
        case ScalarType::Complex64:
            return &kernel<Op, Inputs, std::complex<float>, bool>;
        case ScalarType::Complex128:
            return &kernel<Op, Inputs, std::complex<double>, bool>;
        default:
            return nullptr;
    }
}

// As the function below, of two arguments.
template <class D, class V, class M, class F>
HWY_INLINE V patch_lanes(D d, V x, V y, V result, M good, F&& scalar) {
    if (HWY_LIKELY(hn::AllTrue(d, good))) return result;
    using T = hn::TFromD<D>;
    HWY_ALIGN T in[hn::MaxLanes(d)];
    HWY_ALIGN T in_too[hn::MaxLanes(d)];
    HWY_ALIGN T out[hn::MaxLanes(d)];
    HWY_ALIGN T is_good[hn::MaxLanes(d)];
    hn::Store(x, d, in);
    hn::Store(y, d, in_too);
    hn::Store(result, d, out);
    hn::Store(hn::IfThenElseZero(good, hn::Set(d, T(1))), d, is_good);
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
        if (is_good[i] == T(0)) out[i] = scalar(in[i], in_too[i]);
    }
    return hn::Load(d, out);
}
// Lanes for which `good` is false are computed one by one: vector formulas need not handle infinities and NaN.
template <class D, class V, class M, class F>
HWY_INLINE V patch_lanes(D d, V x, V result, M good, F&& scalar) {
    if (HWY_LIKELY(hn::AllTrue(d, good))) return result;
    return patch_lanes(d, x, x, result, good, [&](auto a, auto) { return scalar(a); });
}
}  // namespace loupe::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
