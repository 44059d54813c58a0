// SPDX-License-Identifier: Apache-2.0
// Special functions of one number.
#include "core/ops/special/bessel_formulas.h"
#include "core/ops/special/gamma_formulas.h"
#include "core/ops/special/normal_formulas.h"
#include "plugins/cuda/loops/loops.h"
#include "plugins/cuda/loops/operation.h"
#include "plugins/cuda/loops/slow.h"

namespace loupe::cuda {
namespace {

#define LOUPE_OPERATION(name, formula) LOUPE_UNARY(name, special::formula(x))
LOUPE_SPECIAL_FUNCTIONS(LOUPE_OPERATION)
#undef LOUPE_OPERATION

LOUPE_UNARY(Erfinv, special::inverse_erf(x))
LOUPE_UNARY(Digamma, special::digamma(x))
LOUPE_UNARY(Polygamma, special::polygamma(static_cast<int>(n.whole[0]), x))

// Numbers: epsilon, negative for none; whether each step is rounded to bfloat16, as PyTorch does for that type.
struct Logit {
    template <typename T>
    LOUPE_HD static T of(const Numbers& n, T x) {
        const bool narrow = n.real[1] != 0;
        const auto rounded = [narrow](T value) {
            return narrow ? static_cast<T>(from_bfloat16(to_bfloat16(static_cast<float>(value)))) : value;
        };
        const T epsilon = rounded(n.get<T>(0)), high = rounded(T(1) - epsilon);
        if (epsilon >= T(0)) x = x < epsilon ? epsilon : (x > high ? high : x);
        return std::log(rounded(x / rounded(T(1) - x)));
    }
};

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
            return run_slow_real<Logit, 1>(as, q, loop, n);
        default:
            return false;
    }
}

}  // namespace loupe::cuda
