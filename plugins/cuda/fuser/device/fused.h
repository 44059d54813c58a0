// SPDX-License-Identifier: Apache-2.0
#pragma once
// What generated kernels of fused groups are written with. NVRTC compiles it for a GPU; tests compile the same kernels
// for the host, where fibers stand for threads. Includes nothing of the engine.

#include "plugins/cuda/fuser/device/row_team.h"
#include "plugins/cuda/loops/activation_formulas.h"
#include "plugins/cuda/loops/binary_formulas.h"
#include "plugins/cuda/loops/reduction_formulas.h"
#include "plugins/cuda/loops/slope_formulas.h"
#include "plugins/cuda/loops/ternary_formulas.h"
#include "plugins/cuda/loops/unary_formulas.h"

namespace loupe::cuda::fused {

// A kernel's arguments: addresses, sizes, strides in bytes, and numbers of the host by their bits.
template <int kCount>
struct Words {
    std::int64_t at[kCount];
};
LOUPE_HD inline char* address(std::int64_t word) { return reinterpret_cast<char*>(word); }

// How an element lies in memory, and as what it is computed with: floats of 16 bits as float32 of their precision,
// integers as int64 of their range.
template <Element kElement>
struct Kind {
    using Memory = std::uint16_t;
    using Register = float;
};
template <>
struct Kind<Element::Float32> {
    using Memory = float;
    using Register = float;
};
template <>
struct Kind<Element::Float64> {
    using Memory = double;
    using Register = double;
};
template <>
struct Kind<Element::Bool> {
    using Memory = std::uint8_t;
    using Register = bool;
};
template <>
struct Kind<Element::UInt8> {
    using Memory = std::uint8_t;
    using Register = std::int64_t;
};
template <>
struct Kind<Element::Int8> {
    using Memory = std::int8_t;
    using Register = std::int64_t;
};
template <>
struct Kind<Element::Int16> {
    using Memory = std::int16_t;
    using Register = std::int64_t;
};
template <>
struct Kind<Element::Int32> {
    using Memory = std::int32_t;
    using Register = std::int64_t;
};
template <>
struct Kind<Element::Int64> {
    using Memory = std::int64_t;
    using Register = std::int64_t;
};
template <Element kElement>
using Memory = typename Kind<kElement>::Memory;
template <Element kElement>
using Register = typename Kind<kElement>::Register;

template <Element kElement>
LOUPE_HD Register<kElement> from_memory(Memory<kElement> m) {
    if constexpr (kElement == Element::Float16)
        return from_float16(m);
    else if constexpr (kElement == Element::BFloat16)
        return from_bfloat16(m);
    else if constexpr (kElement == Element::Bool)
        return m != 0;
    else
        return m;
}
template <Element kElement>
LOUPE_HD Memory<kElement> to_memory(Register<kElement> x) {
    if constexpr (kElement == Element::Float16)
        return to_float16(x);
    else if constexpr (kElement == Element::BFloat16)
        return to_bfloat16(x);
    else if constexpr (kElement == Element::Bool)
        return x ? 1 : 0;
    else
        return static_cast<Memory<kElement>>(x);
}

// A number of any type as the dtype has it, as the engine converts.
template <Element kTo, typename From>
LOUPE_HD Register<kTo> as(From x) {
    if constexpr (kTo == Element::Bool)
        return x != From(0);
    else if constexpr (kTo == Element::Float64)
        return static_cast<double>(x);
    else if constexpr (kTo == Element::Float32)
        return static_cast<float>(x);
    else if constexpr (kTo == Element::Float16 || kTo == Element::BFloat16)
        return from_memory<kTo>(to_memory<kTo>(static_cast<float>(x)));
    else
        return converted<Memory<kTo>>(x);
}

// Neighbouring elements, read and written at once.
template <Element kElement, int kCount>
struct alignas(sizeof(Memory<kElement>) * kCount) Few {
    Memory<kElement> v[kCount];

    LOUPE_HD Register<kElement> get(int k) const { return from_memory<kElement>(v[k]); }
    LOUPE_HD void set(int k, Register<kElement> x) { v[k] = to_memory<kElement>(x); }
};
template <Element kElement, int kCount>
LOUPE_HD Few<kElement, kCount> load(const char* at) {
    return *reinterpret_cast<const Few<kElement, kCount>*>(at);
}
template <Element kElement, int kCount>
LOUPE_HD void store(char* at, const Few<kElement, kCount>& few) {
    *reinterpret_cast<Few<kElement, kCount>*>(at) = few;
}
// The last ones of an array: `here` of them are there.
template <Element kElement, int kCount>
LOUPE_HD Few<kElement, kCount> load(const char* at, std::int64_t here) {
    if (here >= kCount) return load<kElement, kCount>(at);
    Few<kElement, kCount> few = {};
    for (int k = 0; k < here; ++k) few.v[k] = reinterpret_cast<const Memory<kElement>*>(at)[k];
    return few;
}
template <Element kElement, int kCount>
LOUPE_HD void store(char* at, const Few<kElement, kCount>& few, std::int64_t here) {
    if (here >= kCount) return store(at, few);
    for (int k = 0; k < here; ++k) reinterpret_cast<Memory<kElement>*>(at)[k] = few.v[k];
}
template <Element kElement>
LOUPE_HD Register<kElement> load_one(const char* at) {
    return from_memory<kElement>(*reinterpret_cast<const Memory<kElement>*>(at));
}
template <Element kElement>
LOUPE_HD void store_one(char* at, Register<kElement> x) {
    *reinterpret_cast<Memory<kElement>*>(at) = to_memory<kElement>(x);
}
template <Element kElement>
LOUPE_HD Register<kElement> number_of(std::int64_t word) {
    Memory<kElement> m;
    memcpy(&m, &word, sizeof m);
    return from_memory<kElement>(m);
}

// The place along the innermost dimension of what is left of an index.
LOUPE_HD inline std::int64_t next_place(std::int64_t& left, std::int64_t size) {
    const std::int64_t outer = quotient(left, size);
    const std::int64_t place = left - outer * size;
    left = outer;
    return place;
}

// Reductions beside those of loops/reduction_formulas.h: norms of vectors. parameter: p.
template <typename T>
struct NormBase {
    using Element = T;
    using State = double;
    LOUPE_HD static double begin() { return 0; }
    LOUPE_HD static double size(T x) {
        const auto wide = static_cast<double>(x);
        return wide < 0 ? -wide : wide;
    }
    LOUPE_HD static void merge(double& s, const double& later) { s += later; }
    LOUPE_HD static double value(const double& s, std::int64_t, double) { return s; }
};
template <typename T>
struct Norm0 : NormBase<T> {
    LOUPE_HD static void fold(double& s, T x, std::int64_t, double) { s += x != T(0) ? 1 : 0; }
};
template <typename T>
struct Norm1 : NormBase<T> {
    LOUPE_HD static void fold(double& s, T x, std::int64_t, double) { s += NormBase<T>::size(x); }
};
template <typename T>
struct Norm2 : NormBase<T> {
    LOUPE_HD static void fold(double& s, T x, std::int64_t, double) {
        s += static_cast<double>(x) * static_cast<double>(x);
    }
    LOUPE_HD static double value(const double& s, std::int64_t, double) { return std::sqrt(s); }
};
template <typename T>
struct NormInf : NormBase<T> {
    LOUPE_HD static void merge(double& s, const double& x) { s = x > s || x != x ? x : s; }
    LOUPE_HD static void fold(double& s, T x, std::int64_t, double) { merge(s, NormBase<T>::size(x)); }
};
template <typename T>
struct NormMinusInf : NormBase<T> {
    LOUPE_HD static double begin() { return std::numeric_limits<double>::infinity(); }
    LOUPE_HD static void merge(double& s, const double& x) { s = x < s || x != x ? x : s; }
    LOUPE_HD static void fold(double& s, T x, std::int64_t, double) { merge(s, NormBase<T>::size(x)); }
};
template <typename T>
struct NormP : NormBase<T> {
    LOUPE_HD static void fold(double& s, T x, std::int64_t, double p) { s += std::pow(NormBase<T>::size(x), p); }
    LOUPE_HD static double value(const double& s, std::int64_t, double p) { return std::pow(s, 1 / p); }
};

}  // namespace loupe::cuda::fused
