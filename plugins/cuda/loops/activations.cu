// SPDX-License-Identifier: Apache-2.0
// Activation functions.
#include "plugins/cuda/loops/activation_formulas.h"
#include "plugins/cuda/loops/loops.h"
#include "plugins/cuda/loops/operation.h"

namespace loupe::cuda {
namespace {

using namespace activation;

}  // namespace

bool run_activation(ActivationOp op, Element as, const Queue& q, const LoopShape& loop, const Numbers& n) {
    switch (op) {
        case ActivationOp::Relu:
            return run_number<Relu, 1>(as, q, loop, n);
        case ActivationOp::Hardtanh:
            return run_number<Hardtanh, 1>(as, q, loop, n);
        case ActivationOp::LeakyRelu:
            return run_real<LeakyRelu, 1>(as, q, loop, n);
        case ActivationOp::Elu:
            return run_real<Elu, 1>(as, q, loop, n);
        case ActivationOp::Gelu:
            return run_real<Gelu, 1>(as, q, loop, n);
        case ActivationOp::GeluTanh:
            return run_real<GeluTanh, 1>(as, q, loop, n);
        case ActivationOp::Silu:
            return run_real<Silu, 1>(as, q, loop, n);
        case ActivationOp::Mish:
            return run_real<Mish, 1>(as, q, loop, n);
        case ActivationOp::Hardsigmoid:
            return run_real<Hardsigmoid, 1>(as, q, loop, n);
        case ActivationOp::Hardswish:
            return run_real<Hardswish, 1>(as, q, loop, n);
        case ActivationOp::Softplus:
            return run_real<Softplus, 1>(as, q, loop, n);
        case ActivationOp::Softshrink:
            return run_real<Softshrink, 1>(as, q, loop, n);
        case ActivationOp::Hardshrink:
            return run_real<Hardshrink, 1>(as, q, loop, n);
        case ActivationOp::LogSigmoid:
            return run_real<LogSigmoid, 1>(as, q, loop, n);
        case ActivationOp::Threshold:
            return run_number<Threshold, 1>(as, q, loop, n);
        default:
            return run_activation_gradient(op, as, q, loop, n);
    }
}

}  // namespace loupe::cuda
