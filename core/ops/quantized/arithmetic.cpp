// SPDX-License-Identifier: Apache-2.0
// Sums, products and joins of quantised tensors: on the numbers that they stand for, rounded to a new scale.

#include "core/base/parallel.h"
#include "core/kernels/elementwise.h"
#include "core/ops/quantized/family.h"
#include "core/ops/quantized/integer_rows.h"
#include "core/ops/quantized/ordinary.h"
#include "core/ops/quantized/quantized.h"

namespace loupe::quantized_ops {
namespace {

ScalarType dtype_of(const Tensor& q) { return quantized_parts(q).integers.dtype(); }

void check_pair(const Tensor& a, const Tensor& b) {
    const QuantizedParts &left = quantized_parts(a), &right = quantized_parts(b);
    require(!left.is_by_channel() && !right.is_by_channel(), "Only per tensor quantization is supported here");
    require(left.integers.dtype() == right.integers.dtype(), "Both operands should have the same dtype");
}

Tensor rounded(const Tensor& x, double scale, std::int64_t zero_point, ScalarType dtype, bool is_rectified) {
    return quantize(is_rectified ? fn::relu(x) : x, scale, zero_point, dtype);
}

// f(i, integer of a, integer of b) of each pair of one size, a memory format and 8 bits.
template <typename F>
Tensor paired(const Tensor& a, const Tensor& b, const F& f) {
    const Tensor left = dense_integers(a);
    const Tensor right = dense_integers(b, left);
    const Tensor out = empty_like(left);
    const auto run = [&]<typename T>(std::type_identity<T>) {
        const T *const x = left.data<T>(), *const y = right.data<T>();
        T* const to = out.data<T>();
        parallel_for(0, out.numel(), kElementwiseGrain,
                     [&](std::int64_t begin, std::int64_t end) { f(begin, end, x, y, to); });
    };
    if (left.dtype() == ScalarType::UInt8)
        run(std::type_identity<std::uint8_t>{});
    else
        run(std::type_identity<std::int8_t>{});
    return out;
}
bool are_alike(const Tensor& a, const Tensor& b) {
    return std::ranges::equal(a.sizes(), b.sizes()) && dtype_of(a) != ScalarType::Int32;
}
Rounding rounding_to(double scale, std::int64_t zero_point, ScalarType dtype, bool is_rectified) {
    const Range range = integers_in(dtype);
    require(zero_point >= range.least && zero_point <= range.most, "zero_point ", zero_point,
            " lies outside the integers of the result");
    const auto narrow = [](std::int64_t number) { return static_cast<std::int32_t>(number); };
    return {1.0F / static_cast<float>(scale), narrow(zero_point), narrow(is_rectified ? zero_point : range.least),
            narrow(range.most)};
}

constexpr std::int64_t kStrip = 1024;  // elements whose numbers stay in cache

template <bool IsRectified>
Tensor add(const Tensor& a, const Tensor& b, double scale, std::int64_t zero_point) {
    check_pair(a, b);
    const ScalarType dtype = dtype_of(a);
    if (!are_alike(a, b)) {
        return rounded(fn::add(dequantized(a), dequantized(b), Scalar(1)), scale, zero_point, dtype, IsRectified);
    }
    const NumberTables left = number_tables(a), right = number_tables(b);
    const std::int64_t least = integers_in(dtype).least, first_single = in_groups(a.numel(), dtype);
    const Rounding to = rounding_to(scale, zero_point, dtype, IsRectified);
    const Tensor sum = paired(
        quantized_parts(a).integers, quantized_parts(b).integers,
        [&]<typename T>(std::int64_t begin, std::int64_t end, const T* x, const T* y, T* target) {
            float numbers[kStrip];
            const auto strip = [&](const Tensor& of_x, const Tensor& of_y, std::int64_t from, std::int64_t until) {
                const float *const p = of_x.data<float>() - least, *const q = of_y.data<float>() - least;
                for (std::int64_t i = from; i < until; i += kStrip) {
                    const std::int64_t n = std::min(kStrip, until - i);
                    for (std::int64_t k = 0; k < n; ++k) numbers[k] = p[x[i + k]] + q[y[i + k]];
                    quantize_row(numbers, n, to, target + i);
                }
            };
            strip(left.in_groups, right.in_groups, begin, std::min(end, first_single));
            strip(left.behind, right.behind, std::max(begin, first_single), end);
        });
    return make_quantized(sum, scale, zero_point);
}
// The product of the integers less their zero points, times one factor.
template <bool IsRectified>
Tensor mul(const Tensor& a, const Tensor& b, double scale, std::int64_t zero_point) {
    check_pair(a, b);
    const ScalarType dtype = dtype_of(a);
    if (!are_alike(a, b))
        return rounded(fn::mul(dequantized(a), dequantized(b)), scale, zero_point, dtype, IsRectified);
    const QuantizedParts &left = quantized_parts(a), &right = quantized_parts(b);
    Rounding to = rounding_to(scale, zero_point, dtype, IsRectified);
    to.inverse *= static_cast<float>(left.scale) * static_cast<float>(right.scale);
    const auto of_x = static_cast<int>(left.zero_point), of_y = static_cast<int>(right.zero_point);
    const Tensor product =
        paired(left.integers, right.integers,
               [&]<typename T>(std::int64_t begin, std::int64_t end, const T* x, const T* y, T* target) {
                   float numbers[kStrip];
                   for (std::int64_t i = begin; i < end; i += kStrip) {
                       const std::int64_t n = std::min(kStrip, end - i);
                       for (std::int64_t k = 0; k < n; ++k) {
                           const int both = (static_cast<int>(x[i + k]) - of_x) * (static_cast<int>(y[i + k]) - of_y);
                           numbers[k] = static_cast<float>(both);
                       }
                       quantize_row(numbers, n, to, target + i);
                   }
               });
    return make_quantized(product, scale, zero_point);
}

Tensor matmul(const Tensor& a, const Tensor& b, double scale, std::int64_t zero_point) {
    check_pair(a, b);
    return quantize(fn::matmul(dequantized(a), dequantized(b)), scale, zero_point, dtype_of(a));
}

// The scale stays where the sum's zero point is an integer of the dtype.
template <bool IsRectified>
Tensor add_scalar(const Tensor& q, const Scalar& number) {
    check_pair(q, q);
    const QuantizedParts& parts = quantized_parts(q);
    const Range range = integers_in(parts.integers.dtype());
    const double steps = std::nearbyint(number.to_double() / parts.scale);
    const double moved = static_cast<double>(parts.zero_point) - steps;
    const double least = static_cast<double>(range.least), most = static_cast<double>(range.most);
    double scale = parts.scale;
    auto zero_point = static_cast<std::int64_t>(std::clamp(moved, least, most));
    if (moved < least) scale = (most - moved) / (most - least) * parts.scale;
    if (moved > most) scale = (moved - least) / (most - least) * parts.scale;
    if (moved < least || moved > most) {
        const Tensor sum = fn::add_scalar(dequantized(q), Scalar(steps * parts.scale), Scalar(1));
        return rounded(sum, scale, zero_point, parts.integers.dtype(), IsRectified);
    }
    const Tensor integers = IsRectified ? fn::clamp(parts.integers, Scalar(zero_point), Scalar(range.most))
                                        : fn::clone(parts.integers, IValue());
    return make_quantized(integers, scale, zero_point);
}

template <bool IsRectified>
Tensor mul_scalar(const Tensor& q, const Scalar& number) {
    check_pair(q, q);
    const QuantizedParts& parts = quantized_parts(q);
    const Range range = integers_in(parts.integers.dtype());
    const double factor = number.to_double();
    if (factor == 0) return make_quantized(fn::zeros_like(parts.integers), 1.0, 0);
    Tensor integers = fn::clone(parts.integers, IValue());
    std::int64_t zero_point = parts.zero_point;
    if (factor < 0) {
        zero_point = range.most - (parts.zero_point - range.least);
        const Tensor wide = fn::to_dtype(integers, number_of(ScalarType::Int64));
        integers = fn::to_dtype(fn::rsub_scalar(wide, Scalar(range.most + range.least), Scalar(1)),
                                number_of(parts.integers.dtype()));
    }
    if (IsRectified) integers = fn::clamp(integers, Scalar(zero_point), Scalar(range.most));
    return make_quantized(integers, std::abs(factor) * parts.scale, zero_point);
}
template <Tensor (*F)(const Tensor&, const Scalar&)>
Tensor number_first(const Scalar& number, const Tensor& q) {
    return F(q, number);
}
template <Tensor (*F)(const Tensor&, const Scalar&)>
Tensor number_of_tensor(const Tensor& q, const Tensor& number) {
    return F(q, item(number));
}

template <bool IsRectified>
Tensor cat(const TensorList& tensors, std::int64_t dim, std::optional<double> scale,
           std::optional<std::int64_t> zero_point) {
    require(!tensors.empty(), "quantized::cat takes a list with at least one tensor");
    const QuantizedParts& first = quantized_parts(tensors[0]);
    const Tensor joined =
        joined_quantized(tensors, dim, scale.value_or(first.scale), zero_point.value_or(first.zero_point));
    const QuantizedParts& parts = quantized_parts(joined);
    if (!IsRectified) return joined;
    const Range range = integers_in(parts.integers.dtype());
    return with_integers(joined, fn::clamp(parts.integers, Scalar(parts.zero_point), Scalar(range.most)));
}

constexpr OperatorRecord call(std::string_view schema, std::string_view summary, KernelFunction kernel) {
    return {.schema = schema, .summary = summary, .kernel = kernel, .is_gradient_stop = true};
}

constexpr std::string_view kSum = "Sum of quantised tensors, rounded to the scale.";
constexpr std::string_view kProduct = "Product of quantised tensors, rounded to the scale.";
constexpr std::string_view kSumOfNumber = "Sum with a number, which moves the zero point.";
constexpr std::string_view kProductOfNumber = "Product with a number, which changes the scale.";
constexpr std::string_view kJoin = "Quantised tensors one after the other, in one scale.";

#define LOUPE_PAIR(NAME, SUMMARY, ...)                                                                   \
    call("quantized::" NAME "(Tensor qa, Tensor qb, float scale, int zero_point) -> Tensor qc", SUMMARY, \
         boxed<__VA_ARGS__>)
#define LOUPE_NUMBER(NAME, SUMMARY, ...) \
    call("quantized::" NAME "(Tensor qa, Scalar b) -> Tensor qc", SUMMARY, boxed<__VA_ARGS__>)
#define LOUPE_NUMBER_FIRST(NAME, SUMMARY, ...) \
    call("quantized::" NAME "(Scalar b, Tensor qa) -> Tensor qc", SUMMARY, boxed<number_first<__VA_ARGS__>>)
#define LOUPE_NUMBER_TENSOR(NAME, SUMMARY, ...) \
    call("quantized::" NAME "(Tensor qa, Tensor b) -> Tensor qc", SUMMARY, boxed<number_of_tensor<__VA_ARGS__>>)

constexpr OperatorRecord kRecords[] = {
    LOUPE_PAIR("add", kSum, add<false>).with_formula("q(deq(qa) + deq(qb))"),
    LOUPE_NUMBER("add.Scalar", kSumOfNumber, add_scalar<false>),
    LOUPE_NUMBER_FIRST("add.Scalar2", kSumOfNumber, add_scalar<false>),
    LOUPE_PAIR("add_relu", kSum, add<true>).with_formula("q(max(deq(qa) + deq(qb), 0))"),
    LOUPE_NUMBER("add_relu.Scalar", kSumOfNumber, add_scalar<true>),
    LOUPE_NUMBER_FIRST("add_relu.Scalar2", kSumOfNumber, add_scalar<true>),
    LOUPE_NUMBER("add_scalar", kSumOfNumber, add_scalar<false>),
    LOUPE_NUMBER_TENSOR("add_scalar.Tensor", kSumOfNumber, add_scalar<false>),
    LOUPE_NUMBER("add_scalar_relu", kSumOfNumber, add_scalar<true>),
    LOUPE_NUMBER_TENSOR("add_scalar_relu.Tensor", kSumOfNumber, add_scalar<true>),
    LOUPE_PAIR("mul", kProduct, mul<false>).with_formula("q(deq(qa) deq(qb))"),
    LOUPE_NUMBER("mul.Scalar", kProductOfNumber, mul_scalar<false>),
    LOUPE_NUMBER_FIRST("mul.Scalar2", kProductOfNumber, mul_scalar<false>),
    LOUPE_PAIR("mul_relu", kProduct, mul<true>).with_formula("q(max(deq(qa) deq(qb), 0))"),
    LOUPE_NUMBER("mul_relu.Scalar", kProductOfNumber, mul_scalar<true>),
    LOUPE_NUMBER_FIRST("mul_relu.Scalar2", kProductOfNumber, mul_scalar<true>),
    LOUPE_NUMBER("mul_scalar", kProductOfNumber, mul_scalar<false>),
    LOUPE_NUMBER_TENSOR("mul_scalar.Tensor", kProductOfNumber, mul_scalar<false>),
    LOUPE_NUMBER("mul_scalar_relu", kProductOfNumber, mul_scalar<true>),
    LOUPE_NUMBER_TENSOR("mul_scalar_relu.Tensor", kProductOfNumber, mul_scalar<true>),
    LOUPE_PAIR("matmul", kProduct, matmul).with_formula("q(deq(qa) @ deq(qb))"),
    call("quantized::cat(Tensor[] qx, int dim, float? scale, int? zero_point) -> Tensor", kJoin, boxed<cat<false>>),
    call("quantized::cat_relu(Tensor[] qx, int dim, float? scale, int? zero_point) -> Tensor", kJoin, boxed<cat<true>>),
};

}  // namespace

std::span<const OperatorRecord> arithmetic_records() { return kRecords; }

}  // namespace loupe::quantized_ops
