// SPDX-License-Identifier: Apache-2.0
// Functions of three tensors, choice by a condition, and copies.
#include "plugins/cuda/loops/loops.h"
#include "plugins/cuda/loops/operation.h"

namespace loupe::cuda {
namespace {

// From the nearer end, so that weight 1 gives b exactly.
template <typename T>
LOUPE_HD T lerp(T a, T b, T w) {
    return std::abs(w) < T(0.5) ? a + w * (b - a) : b - (b - a) * (T(1) - w);
}
// NaN in any of the three gives NaN; the upper bound wins where the bounds cross.
template <typename T>
LOUPE_HD T clamp(T x, T low, T high) {
    if (x != x) return x;
    if (low != low) return low;
    if (high != high) return high;
    const T raised = x < low ? low : x;
    return high < raised ? high : raised;
}

#define LOUPE_TERNARY(name, ...)                                                    \
    struct name {                                                                   \
        template <typename T>                                                       \
        LOUPE_HD static auto of([[maybe_unused]] const Numbers& n, T a, T b, T c) { \
            return __VA_ARGS__;                                                     \
        }                                                                           \
    };
LOUPE_TERNARY(Addcmul, a + n.get<T>(0) * b * c)
LOUPE_TERNARY(Addcdiv, a + n.get<T>(0) * b / c)
LOUPE_TERNARY(Lerp, lerp(a, b, c))
LOUPE_TERNARY(Clamp, clamp(a, b, c))
#undef LOUPE_TERNARY

LOUPE_UNARY(Same, x)

// Elements by their bits; numbers and elements of another dtype are converted.
template <typename Bits>
struct WhereBody {
    LoopShape loop;
    LOUPE_HD void operator()(std::int64_t i) const {
        char* places[kMaxOperands];
        locate(loop, i, places);
        const bool is_first = read<std::int64_t>(loop.operand[1], places[1]) != 0;
        const int which = is_first ? 2 : 3;
        const Operand& chosen = loop.operand[which];
        const Element element = loop.operand[0].element;
        if (chosen.data != nullptr && chosen.element == element)
            *reinterpret_cast<Bits*>(places[0]) = *reinterpret_cast<const Bits*>(places[which]);
        else if (is_integer(element))
            store(places[0], element, read<std::int64_t>(chosen, places[which]));
        else
            store(places[0], element, read<double>(chosen, places[which]));
    }
};
template <typename Bits>
struct MoveBody {
    LoopShape loop;
    LOUPE_HD void operator()(std::int64_t i) const {
        char* places[kMaxOperands];
        locate(loop, i, places);
        *reinterpret_cast<Bits*>(places[0]) = *reinterpret_cast<const Bits*>(places[1]);
    }
};
struct Sixteen {
    std::uint64_t halves[2];
};

}  // namespace

bool run_ternary(TernaryOp op, Element as, const Queue& q, const LoopShape& loop, const Numbers& n) {
    switch (op) {
        case TernaryOp::Addcmul: return run_number<Addcmul, 3>(as, q, loop, n);
        case TernaryOp::Addcdiv: return run_real<Addcdiv, 3>(as, q, loop, n);
        case TernaryOp::Lerp: return run_real<Lerp, 3>(as, q, loop, n);
        case TernaryOp::Clamp: return run_number<Clamp, 3>(as, q, loop, n);
    }
    return false;
}

void run_where(int element_size, const Queue& q, const LoopShape& loop) {
    switch (element_size) {
        case 1: return launch(q, loop.count, WhereBody<std::uint8_t>{loop});
        case 2: return launch(q, loop.count, WhereBody<std::uint16_t>{loop});
        case 4: return launch(q, loop.count, WhereBody<std::uint32_t>{loop});
        case 8: return launch(q, loop.count, WhereBody<std::uint64_t>{loop});
        default: return launch(q, loop.count, WhereBody<Sixteen>{loop});
    }
}

void run_copy(int bytes, const Queue& q, const LoopShape& loop) {
    switch (bytes) {
        case 1: return launch(q, loop.count, MoveBody<std::uint8_t>{loop});
        case 2: return launch(q, loop.count, MoveBody<std::uint16_t>{loop});
        case 4: return launch(q, loop.count, MoveBody<std::uint32_t>{loop});
        case 8: return launch(q, loop.count, MoveBody<std::uint64_t>{loop});
        case 16: return launch(q, loop.count, MoveBody<Sixteen>{loop});
        default: break;
    }
    // Integers do not pass through floating numbers, and the other way round.
    const Element from = loop.operand[1].element;
    const Numbers n;
    if (is_integer(from))
        run_loop<Same, std::int64_t, 1>(q, loop, n);
    else if (from == Element::Float64)
        run_loop<Same, double, 1>(q, loop, n);
    else
        run_loop<Same, float, 1>(q, loop, n);
}

}  // namespace loupe::cuda
