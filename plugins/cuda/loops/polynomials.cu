// SPDX-License-Identifier: Apache-2.0
// Orthogonal polynomials, of a number and a degree.
#include "core/ops/special/polynomial_formulas.h"
#include "plugins/cuda/loops/loops.h"
#include "plugins/cuda/loops/operation.h"
#include "plugins/cuda/loops/slow.h"

namespace loupe::cuda {
namespace {

#define LOUPE_OPERATION(name, function) LOUPE_BINARY(name, special::Polynomials<T>::function(a, special::degree_of(b)))
LOUPE_POLYNOMIALS(LOUPE_OPERATION)
#undef LOUPE_OPERATION

}  // namespace

bool run_polynomial(PolynomialOp op, Element as, const Queue& q, const LoopShape& loop) {
    const Numbers n;
    switch (op) {
#define LOUPE_CASE(name, function) \
    case PolynomialOp::name:       \
        return run_slow_real<name, 2>(as, q, loop, n);
        LOUPE_POLYNOMIALS(LOUPE_CASE)
#undef LOUPE_CASE
    }
    return false;
}

}  // namespace loupe::cuda
