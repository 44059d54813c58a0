// SPDX-License-Identifier: Apache-2.0
// Division of whole numbers. A zero among the divisors is a fault, which names what was divided.
#include "plugins/cuda/loops/binary_formulas.h"
#include "plugins/cuda/loops/fault.h"
#include "plugins/cuda/loops/loops.h"
#include "plugins/cuda/loops/operation.h"

namespace loupe::cuda {
namespace {

// As the host's: -1 has a case of its own, because the quotient of the least number does not fit.
LOUPE_HD inline std::int64_t negated(std::int64_t a) {
    return static_cast<std::int64_t>(std::uint64_t{0} - static_cast<std::uint64_t>(a));
}
struct WholeFloor {
    LOUPE_HD static std::int64_t of(std::int64_t a, std::int64_t b) {
        if (b == -1) return negated(a);
        const std::int64_t q = a / b;
        return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
    }
};
struct WholeTrunc {
    LOUPE_HD static std::int64_t of(std::int64_t a, std::int64_t b) { return b == -1 ? negated(a) : a / b; }
};
struct WholeFmod {
    LOUPE_HD static std::int64_t of(std::int64_t a, std::int64_t b) { return b == -1 ? 0 : a % b; }
};
struct WholeRemainder {
    LOUPE_HD static std::int64_t of(std::int64_t a, std::int64_t b) {
        const std::int64_t rest = WholeFmod::of(a, b);
        return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
    }
};

template <typename Op>
struct DivideBody {
    LoopShape loop;
    Fault* fault;
    LOUPE_HD void operator()(std::int64_t i) const {
        char* places[3];
        locate<3>(loop, i, places);
        const auto a = read<std::int64_t>(loop.operand[1], places[1]);
        const auto b = read<std::int64_t>(loop.operand[2], places[2]);
        if (b == 0)
            report(fault, FaultKind::Divisor, a, 0);
        else
            store(places[0], loop.operand[0].element, Op::of(a, b));
    }
};

}  // namespace

bool run_whole_division(BinaryOp op, const Queue& q, const LoopShape& loop, Fault* fault) {
    const auto run = [&](auto division) {
        launch(q, loop.count, DivideBody<decltype(division)>{loop, fault});
        return true;
    };
    switch (op) {
        case BinaryOp::DivFloor:
            return run(WholeFloor());
        case BinaryOp::DivTrunc:
            return run(WholeTrunc());
        case BinaryOp::Fmod:
            return run(WholeFmod());
        case BinaryOp::Remainder:
            return run(WholeRemainder());
        default:
            return false;
    }
}

}  // namespace loupe::cuda
