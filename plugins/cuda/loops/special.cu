// SPDX-License-Identifier: Apache-2.0
// Special functions of one number.
#include "core/ops/special/bessel_formulas.h"
#include "core/ops/special/gamma_formulas.h"
#include "core/ops/special/normal_formulas.h"
#include "plugins/cuda/loops/loops.h"
#include "plugins/cuda/loops/operation.h"
#include "plugins/cuda/loops/slow.h"
#include "plugins/cuda/loops/unary_formulas.h"

namespace loupe::cuda {
namespace {

#define LOUPE_OPERATION(name, formula) LOUPE_UNARY(name, special::formula(x))
LOUPE_SPECIAL_FUNCTIONS(LOUPE_OPERATION)
#undef LOUPE_OPERATION

LOUPE_UNARY(Erfinv, special::inverse_erf(x))
LOUPE_UNARY(Digamma, special::digamma(x))
LOUPE_UNARY(Polygamma, special::polygamma(static_cast<int>(n.whole[0]), x))

}  // namespace

bool run_special(SpecialOp op, Element as, const Queue& q, const LoopShape& loop) {
    const Numbers n;
    switch (op) {
#define LOUPE_CASE(name, formula) \
    case SpecialOp::name:         \
        return run_slow_in_double<name, 1>(as, q, loop, n);
        LOUPE_SPECIAL_FUNCTIONS(LOUPE_CASE)
#undef LOUPE_CASE
    }
    return false;
}

bool run_slow_unary(UnaryOp op, Element as, const Queue& q, const LoopShape& loop, const Numbers& n) {
    switch (op) {
        case UnaryOp::Erfinv:
            return run_slow_in_double<Erfinv, 1>(as, q, loop, n);
        case UnaryOp::I0:
            return run_slow_in_double<ModifiedBesselI0, 1>(as, q, loop, n);
        case UnaryOp::Digamma:
            return run_slow_real<Digamma, 1>(as, q, loop, n);
        case UnaryOp::Polygamma:
            return run_slow_real<Polygamma, 1>(as, q, loop, n);
        case UnaryOp::Logit:
            return run_slow_real<unary::Logit, 1>(as, q, loop, n);
        default:
            return false;
    }
}

}  // namespace loupe::cuda
