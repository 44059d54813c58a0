// SPDX-License-Identifier: Apache-2.0
// Special functions of two numbers, and of three.
#include "core/ops/special/beta_formulas.h"
#include "core/ops/special/gamma_formulas.h"
#include "core/ops/special/normal_formulas.h"
#include "plugins/cuda/loops/loops.h"
#include "plugins/cuda/loops/operation.h"
#include "plugins/cuda/loops/slow.h"

namespace loupe::cuda {
namespace {

#define LOUPE_OPERATION(name, formula) LOUPE_BINARY(name, special::formula(a, b))
LOUPE_SPECIAL_PAIRS(LOUPE_OPERATION)
#undef LOUPE_OPERATION
LOUPE_BINARY(Zeta, special::hurwitz_zeta(a, b))
LOUPE_TERNARY(BetaSlope, special::beta_slope(a, b, c))

}  // namespace

bool run_special_pair(SpecialPairOp op, Element as, const Queue& q, const LoopShape& loop) {
    const Numbers n;
    switch (op) {
#define LOUPE_CASE(name, formula) \
    case SpecialPairOp::name:     \
        return run_slow_in_double<name, 2>(as, q, loop, n);
        LOUPE_SPECIAL_PAIRS(LOUPE_CASE)
#undef LOUPE_CASE
        case SpecialPairOp::Zeta:
            return run_slow_real<Zeta, 2>(as, q, loop, n);
    }
    return false;
}

bool run_special_triple(SpecialTripleOp op, Element as, const Queue& q, const LoopShape& loop) {
    switch (op) {
        case SpecialTripleOp::BetaSlope:
            return run_slow_in_double<BetaSlope, 3>(as, q, loop, Numbers());
    }
    return false;
}

}  // namespace loupe::cuda
