// SPDX-License-Identifier: Apache-2.0
// Losses of an element and its target; numbers: the loss's parameter, and a factor of the slope.
#include "plugins/cuda/loops/loops.h"
#include "plugins/cuda/loops/operation.h"

namespace loupe::cuda {
namespace {

LOUPE_BINARY(Mse, (a - b) * (a - b))
struct SmoothL1 {
    template <typename T>
    LOUPE_HD static T of(const Numbers& n, T x, T t) {
        const T beta = n.get<T>(0), d = std::abs(x - t);
        return d < beta ? T(0.5) * d * d / beta : d - T(0.5) * beta;
    }
};
struct Huber {
    template <typename T>
    LOUPE_HD static T of(const Numbers& n, T x, T t) {
        const T delta = n.get<T>(0), d = std::abs(x - t);
        return d <= delta ? T(0.5) * d * d : delta * (d - T(0.5) * delta);
    }
};
LOUPE_BINARY(SoftMargin, std::log1p(std::exp(-b* a)))

struct MseSlope {
    template <typename T>
    LOUPE_HD static T of(const Numbers& n, T x, T t, T g) {
        return T(2) * (x - t) * n.get<T>(1) * g;
    }
};
struct SmoothL1Slope {
    template <typename T>
    LOUPE_HD static T of(const Numbers& n, T x, T t, T g) {
        const T beta = n.get<T>(0), d = x - t;
        return (d <= -beta ? T(-1) : (d >= beta ? T(1) : d / beta)) * n.get<T>(1) * g;
    }
};
struct HuberSlope {
    template <typename T>
    LOUPE_HD static T of(const Numbers& n, T x, T t, T g) {
        const T delta = n.get<T>(0), d = x - t;
        return (d <= -delta ? -delta : (d >= delta ? delta : d)) * n.get<T>(1) * g;
    }
};
struct SoftMarginSlope {
    template <typename T>
    LOUPE_HD static T of(const Numbers& n, T x, T t, T g) {
        return -t / (T(1) + std::exp(t * x)) * n.get<T>(1) * g;
    }
};

}  // namespace

bool run_loss(LossOp op, Element as, const Queue& queue, const LoopShape& loop, const Numbers& numbers) {
    switch (op) {
        case LossOp::Mse:
            return run_real<Mse, 2>(as, queue, loop, numbers);
        case LossOp::SmoothL1:
            return run_real<SmoothL1, 2>(as, queue, loop, numbers);
        case LossOp::Huber:
            return run_real<Huber, 2>(as, queue, loop, numbers);
        case LossOp::SoftMargin:
            return run_real<SoftMargin, 2>(as, queue, loop, numbers);
    }
    return false;
}
bool run_loss_slope(LossOp op, Element as, const Queue& queue, const LoopShape& loop, const Numbers& numbers) {
    switch (op) {
        case LossOp::Mse:
            return run_real<MseSlope, 3>(as, queue, loop, numbers);
        case LossOp::SmoothL1:
            return run_real<SmoothL1Slope, 3>(as, queue, loop, numbers);
        case LossOp::Huber:
            return run_real<HuberSlope, 3>(as, queue, loop, numbers);
        case LossOp::SoftMargin:
            return run_real<SoftMarginSlope, 3>(as, queue, loop, numbers);
    }
    return false;
}

}  // namespace loupe::cuda
