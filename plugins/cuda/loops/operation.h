// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the operations of a family are written: a formula in T. The order of conditions decides what NaN gives.

#include "plugins/cuda/loops/launch.h"

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

}  // namespace loupe::cuda
