// SPDX-License-Identifier: Apache-2.0
#pragma once
// Losses of an element and its target: formulas, and kernels of them.

#include <cmath>

#include "core/kernels/elementwise.h"
#include "core/ops/nn/loss_operations.h"
#include "core/ops/nn/simd.h"

namespace loupe::nn_ops {

// value and slope of a loss at (x, target); k is its parameter.
struct Mse {
    static constexpr LossOp kOp = LossOp::Mse;
    static constexpr const char* kName = "mse_cpu";
    static constexpr const char* kBackward = "mse_backward_cpu_out";
    LOUPE_INLINE static double value(double x, double t, double) { return (x - t) * (x - t); }
    LOUPE_INLINE static double slope(double x, double t, double) { return 2 * (x - t); }
    static double curvature(double, double, double) { return 2; }
};
struct SmoothL1 {
    static constexpr LossOp kOp = LossOp::SmoothL1;
    static constexpr const char* kName = "smooth_l1_cpu";
    static constexpr const char* kBackward = "smooth_l1_backward_cpu_out";
    LOUPE_INLINE static double value(double x, double t, double beta) {
        const double d = std::fabs(x - t);
        return d < beta ? 0.5 * d * d / beta : d - 0.5 * beta;
    }
    LOUPE_INLINE static double slope(double x, double t, double beta) {
        const double d = x - t;
        return d <= -beta ? -1 : (d >= beta ? 1 : d / beta);
    }
    static double curvature(double x, double t, double beta) { return std::fabs(x - t) < beta ? 1 / beta : 0; }
};
struct Huber {
    static constexpr LossOp kOp = LossOp::Huber;
    static constexpr const char* kName = "huber_cpu";
    static constexpr const char* kBackward = "huber_backward_cpu_out";
    LOUPE_INLINE static double value(double x, double t, double delta) {
        const double d = std::fabs(x - t);
        return d <= delta ? 0.5 * d * d : delta * (d - 0.5 * delta);
    }
    LOUPE_INLINE static double slope(double x, double t, double delta) {
        const double d = x - t;
        return d <= -delta ? -delta : (d >= delta ? delta : d);
    }
    static double curvature(double x, double t, double delta) { return std::fabs(x - t) < delta ? 1 : 0; }
};
struct SoftMargin {
    static constexpr LossOp kOp = LossOp::SoftMargin;
    static constexpr const char* kName = "soft_margin_loss";
    static constexpr const char* kBackward = "soft_margin_loss_backward";
    LOUPE_INLINE static double value(double x, double t, double) { return std::log1p(std::exp(-t * x)); }
    LOUPE_INLINE static double slope(double x, double t, double) { return -t / (1 + std::exp(t * x)); }
};

// In float32 or float64; null for other types. out, x, target; params: the loss's parameter, a double.
ElementwiseKernel loss_kernel(LossOp op, ScalarType as);
// out, x, target, grad; params: the parameter, and a factor of the result.
ElementwiseKernel loss_slope_kernel(LossOp op, ScalarType as);

}  // namespace loupe::nn_ops
