// SPDX-License-Identifier: Apache-2.0
// segment_reduce: sums, means, products and extrema of stretches of one dimension.

#include <cmath>
#include <limits>

#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/ops/composed/family.h"
#include "core/ops/composed/segments.h"
#include "core/ops/indexing/indices.h"
#include "core/ops/samples.h"

namespace loupe::composed {
namespace {

const OperatorHandle<> kBackwardCall{"aten::_segment_reduce_backward"};

template <typename... Parts>
void check(bool holds, const Parts&... parts) {
    if (!holds) throw Error(ErrorKind::Run, concat(parts...));
}

void check_axis(const Tensor& data, const Tensor& table, std::int64_t axis, const char* name) {
    check(data.dim() >= table.dim(), "Expected data.dim() >= ", name,
          "_value.dim() to be true, but got false.  (Could this error message be "
          "improved?  If so, please report an enhancement request to PyTorch.)");
    check(axis == table.dim() - 1, "segment_reduce(): Expected axis to be the last dimension of ", name, " but got ",
          axis, ".");
}

}  // namespace

SegmentReduce segment_reduce_of(std::string_view name) {
    if (name == "max") return SegmentReduce::Max;
    if (name == "mean") return SegmentReduce::Mean;
    if (name == "min") return SegmentReduce::Min;
    if (name == "sum") return SegmentReduce::Sum;
    check(name == "prod", "unsupported reduction given! ", name);
    return SegmentReduce::Prod;
}

Segments segment_shape(const Tensor& data, const Tensor& lengths, const Tensor& indices, const Tensor& offsets,
                       std::int64_t dim) {
    const std::int64_t axis = wrap_dim(dim, data.dim());
    check(data.numel() > 0,
          "Expected data.numel() > 0 to be true, but got false.  (Could this error message be improved?  If so, please "
          "report an "
          "enhancement request to PyTorch.)");
    check(!indices.defined(), "segment_reduce(): indices based reduction is not supported yet.");
    check(lengths.defined() || offsets.defined(), "segment_reduce(): Either lengths or offsets must be defined.");
    const Tensor& table = offsets.defined() ? offsets : lengths;
    check_axis(data, table, axis, offsets.defined() ? "offsets" : "lengths");
    check(table.dtype() == ScalarType::Int64 || table.dtype() == ScalarType::Int32, "\"_segment_reduce_",
          offsets.defined() ? "offsets" : "lengths", "_cpu_kernel1\" not implemented for '",
          dtype_graph_name(table.dtype()), "'");
    check(is_floating(data.dtype()), "\"_segment_reduce_cpu\" not implemented for '", dtype_graph_name(data.dtype()),
          "'");
    Segments s;
    for (std::int64_t d = 0; d < data.dim(); ++d) (d < axis ? s.outer : (d == axis ? s.size : s.inner)) *= data.size(d);
    s.count = table.size(-1) - (offsets.defined() ? 1 : 0);
    check(s.count >= 0, "segment_reduce(): offsets must hold at least one number");
    check(table.numel() == s.outer * table.size(-1), "segment_reduce(): ", shape_list_text(table.sizes()),
          " does not fit data of sizes ", shape_list_text(data.sizes()));
    s.output = to_dims(data.sizes());
    s.output[static_cast<std::size_t>(axis)] = s.count;
    return s;
}

Segments segments_of(const Tensor& data, const Tensor& lengths, const Tensor& offsets, std::int64_t axis,
                     bool is_unsafe) {
    Segments s = segment_shape(data, lengths, {}, offsets, axis);
    if (offsets.defined()) {
        s.bounds = indexing::index_values(offsets);
    } else {
        const std::vector<std::int64_t> values = indexing::index_values(lengths);
        for (const std::int64_t length : values) check(length >= 0, "lengths contains negative value!");
        for (std::int64_t row = 0; row < s.outer; ++row) {
            std::int64_t total = 0;
            s.bounds.push_back(0);
            for (std::int64_t k = 0; k < s.count; ++k) {
                const std::int64_t length = values[static_cast<std::size_t>(row * s.count + k)];
                total =
                    length > s.size - total ? s.size + 1 : total + length;  // too long stays too long, without overflow
                s.bounds.push_back(total);
            }
            check(is_unsafe || total == s.size,
                  "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when "
                  "!unsafe.");
        }
    }
    for (std::size_t i = 0; i < s.bounds.size(); ++i) {
        const bool is_first = i % static_cast<std::size_t>(s.count + 1) == 0;
        check(s.bounds[i] >= 0 && s.bounds[i] <= s.size && (is_first || s.bounds[i] >= s.bounds[i - 1]),
              "segment_reduce(): segments must lie within the dimension of size ", s.size, ", in order");
    }
    return s;
}

namespace {

template <typename T>
T start_value(SegmentReduce reduce, const std::optional<Scalar>& initial) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    if (initial) return T(static_cast<float>(initial->to_double()));
    switch (reduce) {
        case SegmentReduce::Max:
            return T(-kInfinity);
        case SegmentReduce::Min:
            return T(kInfinity);
        case SegmentReduce::Prod:
            return T(1.0F);
        default:
            return T(0.0F);
    }
}

template <typename T>
bool is_nan(T x) {
    return std::isnan(static_cast<double>(x));
}

// 16-bit numbers are rounded after each step, as PyTorch does.
template <typename T>
T joined(SegmentReduce reduce, T sum, T value) {
    switch (reduce) {
        case SegmentReduce::Max:
            return is_nan(value) || (!is_nan(sum) && value > sum) ? value : sum;
        case SegmentReduce::Min:
            return is_nan(value) || (!is_nan(sum) && value < sum) ? value : sum;
        case SegmentReduce::Prod:
            return T(sum * value);
        default:
            return T(sum + value);
    }
}

// Calls visit(row, segment, column) for each result.
template <typename Visit>
void for_each_result(const Segments& s, Visit&& visit) {
    for (std::int64_t row = 0; row < s.outer; ++row) {
        for (std::int64_t k = 0; k < s.count; ++k) {
            for (std::int64_t column = 0; column < s.inner; ++column) visit(row, k, column);
        }
    }
}

template <typename F>
void visit_float_types(ScalarType dtype, F&& f) {
    visit_dtype(dtype, [&]<typename T>(std::type_identity<T> type) {
        if constexpr (is_floating(scalar_type_of<T>)) f(type);
    });
}

Tensor segment_reduce(const Tensor& data, std::string_view reduce_name, const Tensor& lengths, const Tensor& indices,
                      const Tensor& offsets, std::int64_t axis, bool is_unsafe, std::optional<Scalar> initial) {
    const SegmentReduce reduce = segment_reduce_of(reduce_name);
    segment_shape(data, lengths, indices, offsets, axis);
    const Segments s = segments_of(data, lengths, offsets, axis, is_unsafe);
    const Tensor out = empty(span_of(s.output), data.dtype());
    const Tensor x = indexing::dense(data);
    visit_float_types(data.dtype(), [&]<typename T>(std::type_identity<T>) {
        for_each_result(s, [&](std::int64_t row, std::int64_t k, std::int64_t column) {
            T sum = start_value<T>(reduce, initial);
            const std::int64_t end = s.start(row, k + 1);
            for (std::int64_t j = s.start(row, k); j < end; ++j)
                sum = joined(reduce, sum, x.data<T>()[(row * s.size + j) * s.inner + column]);
            const std::int64_t length = end - s.start(row, k);
            if (reduce == SegmentReduce::Mean && length == 0 && !initial)
                sum = T(std::numeric_limits<float>::quiet_NaN());
            if (reduce == SegmentReduce::Mean && length > 0 && !is_nan(sum))
                sum = T(sum / T(static_cast<float>(length)));
            out.data<T>()[(row * s.count + k) * s.inner + column] = sum;
        });
    });
    return out;
}

// ---- backward

template <typename T>
struct Stretch {
    const T* data;
    T* grad;
    std::int64_t length;
    std::int64_t step;
};

// The gradient of one result's elements; equal extrema share it.
template <typename T>
void spread(SegmentReduce reduce, const Stretch<T>& at, T g, T result, T initial) {
    const auto is_extreme = [&](T x) { return x == result || (is_nan(x) && is_nan(result)); };
    std::int64_t ties = 0;
    if (reduce == SegmentReduce::Max || reduce == SegmentReduce::Min) {
        for (std::int64_t j = 0; j < at.length; ++j) ties += is_extreme(at.data[j * at.step]) ? 1 : 0;
        g = ties > 1 ? T(g / T(static_cast<float>(ties))) : g;
    }
    for (std::int64_t j = 0; j < at.length; ++j) {
        const T x = at.data[j * at.step];
        T& to = at.grad[j * at.step];
        if (reduce == SegmentReduce::Sum)
            to = g;
        else if (reduce == SegmentReduce::Mean)
            to = T(g / T(static_cast<float>(at.length)));
        else if (reduce != SegmentReduce::Prod)
            to = is_extreme(x) ? g : T(0.0F);
        else if (x != T(0.0F) && !is_nan(x))
            to = T(T(g * result) / x);
        else {
            T others = initial;
            for (std::int64_t i = 0; i < at.length; ++i) {
                if (i != j) others = T(others * at.data[i * at.step]);
            }
            to = T(g * others);
        }
    }
}

Tensor segment_reduce_backward(const Tensor& grad, const Tensor& output, const Tensor& data,
                               std::string_view reduce_name, const Tensor& lengths, const Tensor& offsets,
                               std::int64_t axis, std::optional<Scalar> initial) {
    const SegmentReduce reduce = segment_reduce_of(reduce_name);
    const Segments s = segments_of(data, lengths, offsets, axis, true);
    const Tensor out = zeros(data.sizes(), data.dtype());
    const Tensor x = indexing::dense(data);
    const Tensor g = indexing::dense(grad);
    const Tensor y = indexing::dense(output);
    visit_float_types(data.dtype(), [&]<typename T>(std::type_identity<T>) {
        const T first = start_value<T>(SegmentReduce::Prod, initial);
        for_each_result(s, [&](std::int64_t row, std::int64_t k, std::int64_t column) {
            const std::int64_t from = (row * s.size + s.start(row, k)) * s.inner + column;
            const std::int64_t at = (row * s.count + k) * s.inner + column;
            const Stretch<T> stretch{x.data<T>() + from, out.data<T>() + from, s.start(row, k + 1) - s.start(row, k),
                                     s.inner};
            spread(reduce, stretch, g.data<T>()[at], y.data<T>()[at], first);
        });
    });
    return out;
}

void segment_gradient(GradientContext& c) {
    c.grad("data", [&] {
        return kBackwardCall(c.grad_output(), c.result(), c.argument("data"), c.value("reduce"), c.argument("lengths"),
                             c.argument("offsets"), c.value("axis"), c.value("initial"));
    });
}

std::vector<Sample> segment_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    const Tensor lengths = tensor_of<std::int64_t>({2, 3}, {2});
    const Tensor offsets = tensor_of<std::int64_t>({0, 1, 5, 0, 4, 5}, {2, 3});
    std::vector<Sample> samples;
    for (const char* reduce : {"max", "mean", "min", "sum", "prod"}) {
        samples.push_back(
            {{random_ladder(random, {5, 2}, dtype), reduce, lengths, IValue(), IValue(), 0, false, IValue()}, reduce});
        samples.push_back({{random_ladder(random, {2, 5}, dtype), reduce, IValue(), IValue(), offsets, 1, false, 1},
                           concat(reduce, ", offsets")});
    }
    return samples;
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, Tensor? "
               "offsets=None, int axis=0, bool "
               "unsafe=False, Scalar? initial=None) -> Tensor",
     .summary = "Sum, mean, product, minimum or maximum of stretches along a dimension, given by their lengths or "
                "where they start.",
     .kernel = boxed<segment_reduce>,
     .derivative = {segment_gradient,
                    {save_argument("data"), save_argument("lengths"), save_argument("offsets"), save_result(0)}},
     .gradient = "data: grad of the segment; for the mean by its length, for prod times the others, for the extrema "
                 "where it is the one",
     .samples = segment_samples,
     .variants = kOut,
     .dtypes = {.kernel = "_segment_reduce_cpu"}},
    {.schema = "aten::_segment_reduce_backward(Tensor grad, Tensor output, Tensor data, str reduce, *, Tensor? "
               "lengths=None, Tensor? offsets=None, int "
               "axis=0, Scalar? initial=None) -> Tensor",
     .summary = "Gradient of segment_reduce.",
     .kernel = boxed<segment_reduce_backward>,
     .variants = kOut},
};

}  // namespace

std::span<const OperatorRecord> segment_records() { return kRecords; }

}  // namespace loupe::composed
