// SPDX-License-Identifier: Apache-2.0
#include "core/ops/quantized/ordinary.h"

#include "core/base/parallel.h"
#include "core/dispatch/quantized_kernels.h"
#include "core/dispatch/refuse_form.h"
#include "core/kernels/elementwise.h"
#include "core/ops/quantized/integer_pool.h"
#include "core/ops/quantized/quantized.h"

namespace loupe {

namespace quantized_ops {
namespace {

const OperatorHandle<> copy_of("aten::copy_");

const QuantizedParts& by_tensor(const Tensor& q) {
    const QuantizedParts& parts = quantized_parts(q);
    require(!parts.is_by_channel(), "this operator takes quantised tensors of one scale");
    return parts;
}

}  // namespace

Tensor mapped(const Tensor& q, double scale, std::int64_t zero_point,
              const std::function<Tensor(const Tensor& numbers)>& f, std::optional<float> inverse) {
    const QuantizedParts& parts = by_tensor(q);
    const ScalarType dtype = parts.integers.dtype();
    if (dtype == ScalarType::Int32) return quantize(f(dequantized(q)), scale, zero_point, dtype);
    const NumberTables numbers = number_tables(q);
    const auto rounded = [&](const Tensor& table, float reciprocal) {
        return quantized_parts(quantize(f(table), scale, zero_point, dtype, reciprocal)).integers;
    };
    const float usual = 1.0F / static_cast<float>(scale);
    const Tensor grouped = rounded(numbers.in_groups, inverse.value_or(usual)), single = rounded(numbers.behind, usual);
    const Tensor from = dense_integers(parts.integers);
    const Tensor to = empty_like(from);
    const std::int64_t first_single = in_groups(from.numel(), dtype);
    visit_integers(dtype, [&]<typename T>(std::type_identity<T>) {
        const std::int64_t least = integers_in(dtype).least;
        const T* const source = from.data<T>();
        T* const target = to.data<T>();
        parallel_for(0, from.numel(), kElementwiseGrain, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i)
                target[i] = (i < first_single ? grouped : single).data<T>()[source[i] - least];
        });
    });
    return make_quantized(to, scale, zero_point);
}

Tensor on_moved_integers(const Tensor& q, const std::function<Tensor(const Tensor& moved)>& f) {
    const QuantizedParts& parts = by_tensor(q);
    const Tensor moved = fn::sub_scalar(fn::to_dtype(parts.integers, number_of(ScalarType::Float32)),
                                        Scalar(parts.zero_point), Scalar(1));
    return with_integers(q,
                         quantized_parts(quantize(f(moved), 1.0, parts.zero_point, parts.integers.dtype())).integers);
}

Tensor joined_quantized(const TensorList& tensors, std::int64_t dim, double scale, std::int64_t zero_point) {
    TensorList all;
    for (const Tensor& t : tensors) {
        const QuantizedParts& parts = by_tensor(t);
        const bool fits = parts.scale == scale && parts.zero_point == zero_point;
        all.push_back(
            fits ? parts.integers
                 : quantized_parts(quantize(dequantized(t), scale, zero_point, parts.integers.dtype())).integers);
    }
    return make_quantized(fn::cat(all, dim), scale, zero_point);
}

Tensor clamped(const Tensor& q, std::optional<double> least, std::optional<double> most) {
    const QuantizedParts& parts = by_tensor(q);
    const Range range = integers_in(parts.integers.dtype());
    const auto integer = [&](std::optional<double> number, std::int64_t otherwise) {
        return number ? quantized_value(static_cast<float>(*number), static_cast<float>(parts.scale), parts.zero_point,
                                        range)
                      : otherwise;
    };
    return with_integers(
        q, fn::clamp(parts.integers, Scalar(integer(least, range.least)), Scalar(integer(most, range.most))));
}

namespace {

// The operator with other arguments; results as it gives them.
void call_with(const Operator& op, const std::vector<IValue>& arguments, IValue* results) {
    call_operator(op, arguments, results);
}
// The first result of the operator on another first argument.
Tensor first_of(const Operator& op, Arguments arguments, const Tensor& first) {
    std::vector<IValue> changed(arguments.begin(), arguments.end());
    changed[0] = IValue(first);
    std::vector<IValue> results(op.result_count());
    call_with(op, changed, results.data());
    return results[0].to_tensor();
}
// The result, in place written into self.
void give(const Operator& op, Arguments arguments, const Tensor& made, IValue* results) {
    if (op.written_arguments == 0) {
        results[0] = IValue(made);
        return;
    }
    const Tensor self = arguments[0].to_tensor();
    copy_of(quantized_parts(self).integers, quantized_parts(made).integers);
    results[0] = IValue(self);
}

// Moves elements alone: results of the integers' dtype have the meaning of the first.
void move(const Operator& op, Arguments arguments, IValue* results) {
    std::vector<IValue> changed(arguments.begin(), arguments.end());
    Tensor like;
    const auto plain = [&](const IValue& value) {
        if (!value.is_tensor() || !is_quantized(value.to_tensor())) return value;
        const Tensor t = value.to_tensor();
        if (!like.defined()) like = t;
        return IValue(by_tensor(t).integers);
    };
    for (IValue& value : changed) value = plain(value);
    if (!like.defined()) refuse_form(op, TensorForm::Quantized);
    call_with(op, changed, results);
    const auto wrapped = [&](const IValue& value) {
        const bool is_integer =
            value.is_tensor() && value.to_tensor().dtype() == quantized_parts(like).integers.dtype();
        return is_integer ? IValue(with_integers(like, value.to_tensor())) : value;
    };
    for (std::size_t i = 0; i < op.result_count(); ++i) {
        if (results[i].is_list())
            for (IValue& element : results[i].to_list().elements) element = wrapped(element);
        else
            results[i] = wrapped(results[i]);
    }
}
// A view of integers that do not lie one after the other is a copy.
void view(const Operator& op, Arguments arguments, IValue* results) {
    const Tensor self = arguments[0].to_tensor();
    results[0] = IValue(with_integers(self, first_of(op, arguments, fn::contiguous(by_tensor(self).integers, 0))));
}
// Pools and resizes, which commute with the scale.
void resample(const Operator& op, Arguments arguments, IValue* results) {
    give(op, arguments,
         on_moved_integers(arguments[0].to_tensor(), [&](const Tensor& x) { return first_of(op, arguments, x); }),
         results);
}
// (self, kernel, stride, padding, dilation, ceil_mode)
void pool(const Operator& op, Arguments arguments, IValue* results) {
    const auto numbers = [&](std::size_t i) {
        Dims out;
        for (const IValue& each : arguments[i].to_list().elements) out.push_back(each.to_int());
        return out;
    };
    const Tensor self = arguments[0].to_tensor();
    const auto made = pooled_integers(by_tensor(self).integers, numbers(1), numbers(2), numbers(3), numbers(4),
                                      arguments[5].to_bool());
    if (!made) return resample(op, arguments, results);
    results[0] = IValue(with_integers(self, *made));
}
// On the numbers, rounded back to the same scale.
void round_back(const Operator& op, Arguments arguments, IValue* results) {
    const Tensor self = arguments[0].to_tensor();
    const QuantizedParts& parts = by_tensor(self);
    const Tensor out = first_of(op, arguments, dequantized(self));
    give(op, arguments, quantize(out, parts.scale, parts.zero_point, parts.integers.dtype()), results);
}
void map(const Operator& op, Arguments arguments, IValue* results) {
    const Tensor self = arguments[0].to_tensor();
    const QuantizedParts& parts = by_tensor(self);
    give(op, arguments,
         mapped(self, parts.scale, parts.zero_point, [&](const Tensor& x) { return first_of(op, arguments, x); }),
         results);
}
// sigmoid and the like: their results lie between 0 and 1, of tanh between -1 and 1.
template <bool IsSigned>
void map_to_unit(const Operator& op, Arguments arguments, IValue* results) {
    const Tensor self = arguments[0].to_tensor();
    const Range range = integers_in(by_tensor(self).integers.dtype());
    const std::int64_t middle = range.least + (range.most - range.least + 1) / 2;
    const double steps = static_cast<double>(range.most - range.least + 1);
    give(op, arguments,
         mapped(self, (IsSigned ? 2.0 : 1.0) / steps, IsSigned ? middle : range.least,
                [&](const Tensor& x) { return first_of(op, arguments, x); }),
         results);
}
void rectify(const Operator& op, Arguments arguments, IValue* results) {
    give(op, arguments, clamped(arguments[0].to_tensor(), 0.0, std::nullopt), results);
}
void limit(const Operator& op, Arguments arguments, IValue* results) {
    const auto number = [&](std::size_t i) {
        return arguments[i].is_none() ? std::nullopt : std::optional(arguments[i].to_scalar().to_double());
    };
    give(op, arguments, clamped(arguments[0].to_tensor(), number(1), number(2)), results);
}
void stack(const Operator&, Arguments arguments, IValue* results) {
    TensorList tensors;
    for (const Tensor& t : arguments[0].to_tensors()) tensors.push_back(fn::unsqueeze(t, arguments[1].to_int()));
    const QuantizedParts& first = by_tensor(tensors[0]);
    results[0] = IValue(joined_quantized(tensors, arguments[1].to_int(), first.scale, first.zero_point));
}
void join(const Operator&, Arguments arguments, IValue* results) {
    const TensorList tensors = arguments[0].to_tensors();
    const QuantizedParts& first = by_tensor(tensors[0]);
    results[0] = IValue(joined_quantized(tensors, arguments[1].to_int(), first.scale, first.zero_point));
}
// On the numbers: comparisons.
void as_numbers(const Operator& op, Arguments arguments, IValue* results) {
    std::vector<IValue> changed(arguments.begin(), arguments.end());
    for (IValue& value : changed) {
        if (value.is_tensor() && is_quantized(value.to_tensor())) value = IValue(dequantized(value.to_tensor()));
    }
    call_with(op, changed, results);
}

constexpr QuantizedKernel kKernels[] = {
    {"aten::view", view},
    {"aten::reshape", view},
    {"aten::_unsafe_view", view},
    {"aten::as_strided", move},
    {"aten::permute", move},
    {"aten::transpose.int", move},
    {"aten::t", move},
    {"aten::squeeze", move},
    {"aten::squeeze.dim", move},
    {"aten::squeeze.dims", move},
    {"aten::unsqueeze", move},
    {"aten::select.int", move},
    {"aten::slice.Tensor", move},
    {"aten::expand", move},
    {"aten::unfold", move},
    {"aten::flip", move},
    {"aten::contiguous", move},
    {"aten::channel_shuffle", move},
    {"aten::pixel_shuffle", move},
    {"aten::split.Tensor", move},
    {"aten::split_with_sizes", move},
    {"aten::chunk", move},
    {"aten::unbind.int", move},
    {"aten::index_select", move},
    {"aten::max", move},
    {"aten::max.dim", move},
    {"aten::min", move},
    {"aten::min.dim", move},
    {"aten::sort", move},
    {"aten::sort.stable", move},
    {"aten::topk", move},
    {"aten::upsample_nearest1d", move},
    {"aten::upsample_nearest2d", resample},
    {"aten::upsample_nearest3d", resample},
    {"aten::upsample_nearest2d.vec", resample},
    {"aten::upsample_nearest3d.vec", resample},
    {"aten::_upsample_nearest_exact2d", resample},
    {"aten::upsample_bilinear2d", resample},
    {"aten::upsample_bilinear2d.vec", resample},
    {"aten::max_pool1d", resample},
    {"aten::max_pool2d", pool},
    {"aten::max_pool3d", resample},
    {"aten::avg_pool1d", resample},
    {"aten::avg_pool2d", resample},
    {"aten::avg_pool3d", resample},
    {"aten::adaptive_avg_pool1d", resample},
    {"aten::adaptive_avg_pool2d", resample},
    {"aten::_adaptive_avg_pool2d", resample},
    {"aten::adaptive_avg_pool3d", resample},
    {"aten::_adaptive_avg_pool3d", resample},
    {"aten::reflection_pad1d", resample},
    {"aten::reflection_pad2d", resample},
    {"aten::mean", round_back},
    {"aten::mean.dim", round_back},
    {"aten::std.correction", round_back},
    {"aten::constant_pad_nd", round_back},
    {"aten::grid_sampler_2d", round_back},
    {"aten::gelu", map},
    {"aten::gelu_", map},
    {"aten::leaky_relu", map},
    {"aten::leaky_relu_", map},
    {"aten::threshold", map},
    {"aten::sigmoid", map_to_unit<false>},
    {"aten::hardsigmoid", map_to_unit<false>},
    {"aten::tanh", map_to_unit<true>},
    {"aten::relu", rectify},
    {"aten::relu_", rectify},
    {"aten::hardtanh", limit},
    {"aten::hardtanh_", limit},
    {"aten::clamp", limit},
    {"aten::cat", join},
    {"aten::stack", stack},
    {"aten::eq.Tensor", as_numbers},
    {"aten::eq.Scalar", as_numbers},
    {"aten::ne.Tensor", as_numbers},
    {"aten::ne.Scalar", as_numbers},
    {"aten::lt.Tensor", as_numbers},
    {"aten::lt.Scalar", as_numbers},
    {"aten::le.Tensor", as_numbers},
    {"aten::le.Scalar", as_numbers},
    {"aten::gt.Tensor", as_numbers},
    {"aten::gt.Scalar", as_numbers},
    {"aten::ge.Tensor", as_numbers},
    {"aten::ge.Scalar", as_numbers},
    {"aten::equal", as_numbers},
};

}  // namespace
}  // namespace quantized_ops

std::span<const QuantizedKernel> quantized_kernels() { return quantized_ops::kKernels; }

}  // namespace loupe
