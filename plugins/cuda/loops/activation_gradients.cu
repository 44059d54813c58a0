// SPDX-License-Identifier: Apache-2.0
// Gradients of activation functions: a is the output's gradient, b the input, or the output where the formula says so.
#include "plugins/cuda/loops/loops.h"
#include "plugins/cuda/loops/operation.h"
#include "plugins/cuda/loops/slope_formulas.h"

namespace loupe::cuda {
namespace {

using namespace slope;

}  // namespace

bool run_activation_gradient(ActivationOp op, Element as, const Queue& q, const LoopShape& loop, const Numbers& n) {
    switch (op) {
        case ActivationOp::HardtanhBackward:
            return run_real<Hardtanh, 2>(as, q, loop, n);
        case ActivationOp::LeakyReluBackward:
            return run_real<LeakyRelu, 2>(as, q, loop, n);
        case ActivationOp::EluBackward:
            return run_real<Elu, 2>(as, q, loop, n);
        case ActivationOp::EluBackwardOfResult:
            return run_real<EluOfResult, 2>(as, q, loop, n);
        case ActivationOp::GeluBackward:
            return run_real<Gelu, 2>(as, q, loop, n);
        case ActivationOp::GeluTanhBackward:
            return run_real<GeluTanh, 2>(as, q, loop, n);
        case ActivationOp::SiluBackward:
            return run_real<Silu, 2>(as, q, loop, n);
        case ActivationOp::MishBackward:
            return run_real<Mish, 2>(as, q, loop, n);
        case ActivationOp::HardsigmoidBackward:
            return run_real<Hardsigmoid, 2>(as, q, loop, n);
        case ActivationOp::HardswishBackward:
            return run_real<Hardswish, 2>(as, q, loop, n);
        case ActivationOp::SoftplusBackward:
            return run_real<Softplus, 2>(as, q, loop, n);
        case ActivationOp::SoftshrinkBackward:
        case ActivationOp::HardshrinkBackward:
            return run_real<Shrink, 2>(as, q, loop, n);
        case ActivationOp::LogSigmoidBackward:
            return run_real<LogSigmoid, 2>(as, q, loop, n);
        case ActivationOp::ThresholdBackward:
            return run_number<Threshold, 2>(as, q, loop, n);
        case ActivationOp::SigmoidBackward:
            return run_real<Sigmoid, 2>(as, q, loop, n);
        case ActivationOp::TanhBackward:
            return run_real<Tanh, 2>(as, q, loop, n);
        default:
            return false;
    }
}

}  // namespace loupe::cuda
