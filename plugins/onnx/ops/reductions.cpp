// SPDX-License-Identifier: Apache-2.0
// Reductions over axes, and sums along one.
#include <algorithm>
#include <limits>

#include "plugins/onnx/ops/common.h"

namespace loupe::onnx {
namespace {

using Reduce = Tensor (*)(const Tensor& x, const Dims& axes, bool keepdims);

IValue number_of(ScalarType dtype) { return static_cast<std::int64_t>(dtype); }

Tensor sum(const Tensor& x, const Dims& axes, bool keepdims) {
    return fn::sum_dim(x, axes, keepdims, number_of(x.dtype()));
}
Tensor mean(const Tensor& x, const Dims& axes, bool keepdims) {
    if (is_floating(x.dtype())) return fn::mean_dim(x, axes, keepdims);
    return cast(fn::mean_dim(cast(x, ScalarType::Float64), axes, keepdims), x.dtype());
}
Tensor l1(const Tensor& x, const Dims& axes, bool keepdims) { return sum(fn::abs(x), axes, keepdims); }
Tensor l2(const Tensor& x, const Dims& axes, bool keepdims) {
    if (is_floating(x.dtype())) return fn::vector_norm(x, Scalar(2.0), axes, keepdims);
    const Tensor wide = cast(x, ScalarType::Float64);
    return cast(fn::vector_norm(wide, Scalar(2.0), axes, keepdims), x.dtype());
}
Tensor sum_square(const Tensor& x, const Dims& axes, bool keepdims) { return sum(fn::mul(x, x), axes, keepdims); }
Tensor log_sum(const Tensor& x, const Dims& axes, bool keepdims) { return fn::log(sum(x, axes, keepdims)); }
Tensor log_sum_exp(const Tensor& x, const Dims& axes, bool keepdims) {
    if (is_floating(x.dtype())) return fn::logsumexp(x, axes, keepdims);
    return cast(fn::logsumexp(cast(x, ScalarType::Float64), axes, keepdims), x.dtype());
}
Tensor product(const Tensor& x, const Dims& axes, bool keepdims) {
    Dims falling = axes;
    std::sort(falling.rbegin(), falling.rend());
    Tensor out = x;
    for (const std::int64_t axis : falling) out = fn::prod_dim(out, axis, keepdims, number_of(x.dtype()));
    return out;
}

// Of nothing: the value that no element is beyond.
Tensor of_nothing(const Tensor& x, const Dims& axes, bool keepdims, bool is_max) {
    Dims sizes;
    for (std::int64_t d = 0; d < x.dim(); ++d) {
        const bool is_reduced = std::find(axes.begin(), axes.end(), d) != axes.end();
        if (!is_reduced) sizes.push_back(x.size(d));
        if (is_reduced && keepdims) sizes.push_back(1);
    }
    const Scalar value = visit_dtype(x.dtype(), [&]<typename T>(std::type_identity<T>) -> Scalar {
        if constexpr (std::is_integral_v<T>) {
            return Scalar(
                static_cast<std::int64_t>(is_max ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max()));
        } else {
            const double infinity = std::numeric_limits<double>::infinity();
            return Scalar(is_max ? -infinity : infinity);
        }
    });
    return fn::full(sizes, value, number_of(x.dtype()));
}
Tensor largest(const Tensor& x, const Dims& axes, bool keepdims) {
    return x.numel() == 0 ? of_nothing(x, axes, keepdims, true) : fn::amax(x, axes, keepdims);
}
Tensor smallest(const Tensor& x, const Dims& axes, bool keepdims) {
    return x.numel() == 0 ? of_nothing(x, axes, keepdims, false) : fn::amin(x, axes, keepdims);
}

// No axes: all.
template <Reduce F>
Tensor reduced(const Tensor& x, const Dims& axes, bool keepdims) {
    if (x.dim() == 0) return F(fn::reshape(x, Dims{1}), Dims{0}, false);
    return F(x, axes.empty() ? all_axes(x.dim()) : wrapped_axes(axes, x.dim()), keepdims);
}
template <Reduce F>
Tensor by_attribute(const Tensor& x, const std::optional<Dims>& axes, std::int64_t keepdims) {
    return reduced<F>(x, axes.value_or(Dims()), keepdims != 0);
}
template <Reduce F>
Tensor by_input(const Tensor& x, const Tensor& axes, std::int64_t keepdims, std::int64_t noop) {
    const Dims at = axes.defined() ? whole_numbers(axes) : Dims();
    if (at.empty() && noop != 0) return fn::alias(x);
    return reduced<F>(x, at, keepdims != 0);
}

Tensor arg_extreme(const Tensor& x, std::int64_t axis, bool keepdims, bool last, const OperatorHandle<>& find) {
    const std::int64_t dim = wrap_dim(axis, x.dim());
    if (!last) return find(x, dim, keepdims);
    const Tensor from_end = find(fn::flip(x, Dims{dim}), dim, keepdims);
    return fn::rsub_scalar(from_end, Scalar(x.size(dim) - 1));
}
Tensor arg_max(const Tensor& x, std::int64_t axis, std::int64_t keepdims, std::int64_t last) {
    return arg_extreme(x, axis, keepdims != 0, last != 0, fn::argmax);
}
Tensor arg_min(const Tensor& x, std::int64_t axis, std::int64_t keepdims, std::int64_t last) {
    return arg_extreme(x, axis, keepdims != 0, last != 0, fn::argmin);
}

// exclusive: without the element itself. reverse: from the end.
Tensor accumulated(const Tensor& x, const Tensor& axis, bool exclusive, bool reverse, const OperatorHandle<>& along,
                   double start) {
    const std::int64_t dim = wrap_dim(whole_number(axis), x.dim());
    const Tensor in = reverse ? fn::flip(x, Dims{dim}) : x;
    Tensor out = along(in, dim, number_of(x.dtype()));
    if (exclusive && x.size(dim) > 0) {
        Dims edge = to_dims(x.sizes());
        edge[static_cast<std::size_t>(dim)] = 1;
        const Tensor first = fn::full(edge, Scalar(start), number_of(x.dtype()));
        out = fn::cat(TensorList{first, fn::narrow(out, dim, 0, x.size(dim) - 1)}, dim);
    }
    return reverse ? fn::flip(out, Dims{dim}) : out;
}
Tensor cum_sum(const Tensor& x, const Tensor& axis, std::int64_t exclusive, std::int64_t reverse) {
    return accumulated(x, axis, exclusive != 0, reverse != 0, fn::cumsum, 0);
}
Tensor cum_prod(const Tensor& x, const Tensor& axis, std::int64_t exclusive, std::int64_t reverse) {
    return accumulated(x, axis, exclusive != 0, reverse != 0, fn::cumprod, 1);
}

#define LOUPE_REDUCE(name, version, summary, function)                                                       \
    made_of("onnx::" name "(Tensor data, *, int[]? axes=None, int keepdims=1) -> Tensor", summary,           \
            boxed<by_attribute<function>>),                                                                  \
        reading("onnx::" name "." version                                                                    \
                "(Tensor data, Tensor? axes=None, *, int keepdims=1, int noop_with_empty_axes=0) -> Tensor", \
                summary, boxed<by_input<function>>)

constexpr OperatorRecord kRecords[] = {
    LOUPE_REDUCE("ReduceSum", "v13", "The sum over axes.", sum),
    LOUPE_REDUCE("ReduceMean", "v18", "The mean over axes.", mean),
    LOUPE_REDUCE("ReduceMax", "v18", "The largest element over axes.", largest),
    LOUPE_REDUCE("ReduceMin", "v18", "The smallest element over axes.", smallest),
    LOUPE_REDUCE("ReduceProd", "v18", "The product over axes.", product),
    LOUPE_REDUCE("ReduceL1", "v18", "The sum of absolute values over axes.", l1),
    LOUPE_REDUCE("ReduceL2", "v18", "The root of the sum of squares over axes.", l2),
    LOUPE_REDUCE("ReduceSumSquare", "v18", "The sum of squares over axes.", sum_square),
    LOUPE_REDUCE("ReduceLogSum", "v18", "The logarithm of the sum over axes.", log_sum),
    LOUPE_REDUCE("ReduceLogSumExp", "v18", "The logarithm of the sum of exponentials over axes.", log_sum_exp),
    made_of("onnx::ArgMax(Tensor data, *, int axis=0, int keepdims=1, int select_last_index=0) -> Tensor",
            "The place of the largest element along an axis.", boxed<arg_max>),
    made_of("onnx::ArgMin(Tensor data, *, int axis=0, int keepdims=1, int select_last_index=0) -> Tensor",
            "The place of the smallest element along an axis.", boxed<arg_min>),
    reading("onnx::CumSum(Tensor x, Tensor axis, *, int exclusive=0, int reverse=0) -> Tensor",
            "The sum of the elements up to each along an axis.", boxed<cum_sum>),
    reading("onnx::CumProd(Tensor x, Tensor axis, *, int exclusive=0, int reverse=0) -> Tensor",
            "The product of the elements up to each along an axis.", boxed<cum_prod>),
};

#undef LOUPE_REDUCE

}  // namespace

std::span<const OperatorRecord> reduction_records() { return kRecords; }

}  // namespace loupe::onnx
