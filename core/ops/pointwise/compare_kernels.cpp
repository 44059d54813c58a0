// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/ops/pointwise/compare_kernels.cpp"
#include "hwy/foreach_target.h"
// clang-format off
#include "core/kernels/simd_inl.h"
// clang-format on

#include <cmath>

#include "core/kernels/complex_math.h"
#include "core/ops/pointwise/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace loupe::HWY_NAMESPACE {
namespace {

struct Plain {
    explicit Plain(const Scalar*) {}
};

// Complex numbers have no order; the operators refuse them before.
template <class T>
struct EqOp : Plain {
    using Plain::Plain;
    bool scalar(T a, T b) const { return a == b; }
};
template <class T>
struct NeOp : Plain {
    using Plain::Plain;
    bool scalar(T a, T b) const { return a != b; }
};
template <class T>
struct LtOp : Plain {
    using Plain::Plain;
    bool scalar(T a, T b) const { return a < b; }
};
template <class T>
struct LeOp : Plain {
    using Plain::Plain;
    bool scalar(T a, T b) const { return a <= b; }
};
template <class T>
struct GtOp : Plain {
    using Plain::Plain;
    bool scalar(T a, T b) const { return a > b; }
};
template <class T>
struct GeOp : Plain {
    using Plain::Plain;
    bool scalar(T a, T b) const { return a >= b; }
};
template <class T>
struct LogicalAndOp : Plain {
    using Plain::Plain;
    bool scalar(T a, T b) const { return static_cast<int>(a != T(0)) & static_cast<int>(b != T(0)); }
};
template <class T>
struct LogicalOrOp : Plain {
    using Plain::Plain;
    bool scalar(T a, T b) const { return static_cast<int>(a != T(0)) | static_cast<int>(b != T(0)); }
};
template <class T>
struct LogicalXorOp : Plain {
    using Plain::Plain;
    bool scalar(T a, T b) const { return (a != T(0)) != (b != T(0)); }
};

template <class T>
struct LogicalNotOp : Plain {
    using Plain::Plain;
    bool scalar(T a) const { return a == T(0); }
};
template <class T>
struct IsNanOp : Plain {
    using Plain::Plain;
    bool scalar(T a) const { return a != a; }
};
template <class T>
struct IsInfOp : Plain {
    using Plain::Plain;
    bool scalar(T a) const {
        if constexpr (kIsComplexElement<T>)
            return std::isinf(a.real()) || std::isinf(a.imag());
        else if constexpr (std::is_floating_point_v<T>)
            return std::isinf(a);
        else
            return false;
    }
};
template <class T>
struct IsFiniteOp : Plain {
    using Plain::Plain;
    bool scalar(T a) const {
        if constexpr (kIsComplexElement<T>)
            return std::isfinite(a.real()) && std::isfinite(a.imag());
        else if constexpr (std::is_floating_point_v<T>)
            return std::isfinite(a);
        else
            return true;
    }
};
template <class T>
struct IsPosInfOp : Plain {
    using Plain::Plain;
    bool scalar(T a) const { return std::is_floating_point_v<T> && std::isinf(static_cast<double>(a)) && a > 0; }
};
template <class T>
struct IsNegInfOp : Plain {
    using Plain::Plain;
    bool scalar(T a) const { return std::is_floating_point_v<T> && std::isinf(static_cast<double>(a)) && a < 0; }
};
template <class T>
struct SignBitOp : Plain {
    using Plain::Plain;
    bool scalar(T a) const {
        if constexpr (std::is_floating_point_v<T>)
            return std::signbit(a);
        else
            return a < 0;
    }
};

template <template <class> class Op, std::size_t Inputs>
ElementwiseKernel real_test_kernel(ScalarType as) {
    switch (as) {
        case ScalarType::Int64:
            return &kernel<Op, Inputs, std::int64_t, bool>;
        case ScalarType::Float32:
            return &kernel<Op, Inputs, float, bool>;
        case ScalarType::Float64:
            return &kernel<Op, Inputs, double, bool>;
        default:
            return nullptr;
    }
}

// Bytes are read as they are.
template <template <class> class Op, std::size_t Inputs>
ElementwiseKernel logic_kernel(ScalarType as) {
    return as == ScalarType::Bool ? &kernel<Op, Inputs, std::uint8_t, bool> : test_kernel<Op, Inputs>(as);
}

ElementwiseKernel find_compare(CompareOp op, ScalarType as) {
    switch (op) {
        case CompareOp::Eq:
            return test_kernel<EqOp, 2>(as);
        case CompareOp::Ne:
            return test_kernel<NeOp, 2>(as);
        case CompareOp::Lt:
            return real_test_kernel<LtOp, 2>(as);
        case CompareOp::Le:
            return real_test_kernel<LeOp, 2>(as);
        case CompareOp::Gt:
            return real_test_kernel<GtOp, 2>(as);
        case CompareOp::Ge:
            return real_test_kernel<GeOp, 2>(as);
        case CompareOp::LogicalAnd:
            return logic_kernel<LogicalAndOp, 2>(as);
        case CompareOp::LogicalOr:
            return logic_kernel<LogicalOrOp, 2>(as);
        case CompareOp::LogicalXor:
            return logic_kernel<LogicalXorOp, 2>(as);
    }
    return nullptr;
}

ElementwiseKernel find_test(TestOp op, ScalarType as) {
    switch (op) {
        case TestOp::IsNan:
            return test_kernel<IsNanOp, 1>(as);
        case TestOp::IsInf:
            return test_kernel<IsInfOp, 1>(as);
        case TestOp::IsFinite:
            return test_kernel<IsFiniteOp, 1>(as);
        case TestOp::IsPosInf:
            return real_test_kernel<IsPosInfOp, 1>(as);
        case TestOp::IsNegInf:
            return real_test_kernel<IsNegInfOp, 1>(as);
        case TestOp::SignBit:
            return real_test_kernel<SignBitOp, 1>(as);
        case TestOp::LogicalNot:
            return logic_kernel<LogicalNotOp, 1>(as);
    }
    return nullptr;
}

}  // namespace
}  // namespace loupe::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace loupe {
namespace {
HWY_EXPORT(find_compare);
HWY_EXPORT(find_test);
}  // namespace
ElementwiseKernel compare_kernel(CompareOp op, ScalarType as) { return HWY_DYNAMIC_DISPATCH(find_compare)(op, as); }
ElementwiseKernel test_kernel(TestOp op, ScalarType as) { return HWY_DYNAMIC_DISPATCH(find_test)(op, as); }
}  // namespace loupe
#endif
