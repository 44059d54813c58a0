// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the operations of a family are written: a formula in T. The order of conditions decides what NaN gives. Includes
// nothing of the engine: generated kernels of fused groups (plugins/cuda/fuser) are made of the same formulas.

#include "plugins/cuda/loops/loop.h"

#define LOUPE_UNARY(name, ...)                                                             \
    struct name {                                                                          \
        template <typename T>                                                              \
        LOUPE_HD static auto of([[maybe_unused]] const Numbers& n, [[maybe_unused]] T x) { \
            return __VA_ARGS__;                                                            \
        }                                                                                  \
    };
#define LOUPE_BINARY(name, ...)                                                \
    struct name {                                                              \
        template <typename T>                                                  \
        LOUPE_HD static auto of([[maybe_unused]] const Numbers& n, T a, T b) { \
            return __VA_ARGS__;                                                \
        }                                                                      \
    };
#define LOUPE_TERNARY(name, ...)                                                    \
    struct name {                                                                   \
        template <typename T>                                                       \
        LOUPE_HD static auto of([[maybe_unused]] const Numbers& n, T a, T b, T c) { \
            return __VA_ARGS__;                                                     \
        }                                                                           \
    };

namespace loupe::cuda {

template <typename T>
LOUPE_HD T sigmoid(T x) {
    return T(1) / (T(1) + std::exp(-x));
}
template <typename T>
LOUPE_HD T clip(T x, T low, T high) {
    const T raised = x < low ? low : x;
    return raised > high ? high : raised;
}
// max(x, 0) + log1p(exp(-|x|))
template <typename T>
LOUPE_HD T log1p_of_exp(T x) {
    return (x < T(0) ? T(0) : x) + std::log1p(std::exp(-std::abs(x)));
}

// a b + c. On the device in one rounding, as nvcc joins them: said here, because fused kernels are compiled without.
template <typename T>
LOUPE_HD T multiply_add(T a, T b, T c) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b) +
                              static_cast<std::uint64_t>(c));
    } else {
#ifdef __CUDA_ARCH__
        return std::fma(a, b, c);
#else
        return a * b + c;
#endif
    }
}

}  // namespace loupe::cuda
