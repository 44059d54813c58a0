// SPDX-License-Identifier: Apache-2.0
// Operators whose form differs between opsets, or that constants need not become.
#include <algorithm>
#include <array>

#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "plugins/onnx/export/builder.h"
#include "plugins/onnx/proto/data_types.h"

namespace loupe::onnx_export {
namespace {

// Constants up to this many elements are computed at once; larger ones would only make the file larger.
constexpr std::int64_t kMostComputed = 4096;

bool is_small_constant(const OnnxValue& x) { return x.constant.defined() && x.constant.numel() <= kMostComputed; }

std::vector<std::int64_t> to_vector(IntSpan values) { return {values.begin(), values.end()}; }

IntSpan span(const std::vector<std::int64_t>& values) { return values; }

}  // namespace

OnnxValue Builder::cast(const OnnxValue& x, ScalarType dtype) {
    if (x.dtype == dtype || x.is_absent()) return x;
    if (x.constant.defined() && x.name.empty() && x.constant.numel() <= kMostComputed) {
        static const OperatorHandle<> to("aten::to.dtype");
        return constant(to(x.constant, static_cast<std::int64_t>(dtype), false, true, IValue()));
    }
    return emit("Cast", {x}, {{"to", std::int64_t{onnx::data_type_of(dtype)}}}, dtype, x.sizes);
}

OnnxValue Builder::reshape(const OnnxValue& x, IntSpan sizes) {
    Dims known = to_dims(sizes);
    const auto unknown = std::find(known.begin(), known.end(), -1);
    if (unknown != known.end() && x.is_static()) {
        std::int64_t rest = 1;
        for (const std::int64_t size : known) rest *= size < 0 ? 1 : size;
        if (rest > 0) *unknown = checked_numel(span_of(*x.sizes)) / rest;
    }
    const bool same =
        x.sizes && x.is_static() && std::equal(known.begin(), known.end(), x.sizes->begin(), x.sizes->end());
    if (same) return x;
    if (is_small_constant(x)) return constant(fn::reshape(x.constant, IValue(sizes)));
    return reshape(x, ints(sizes), known);
}

OnnxValue Builder::reshape(const OnnxValue& x, const OnnxValue& sizes, std::optional<Dims> known) {
    Attributes attributes;
    const bool has_zero =
        sizes.constant.defined() &&
        std::any_of(sizes.constant.data<std::int64_t>(), sizes.constant.data<std::int64_t>() + sizes.constant.numel(),
                    [](std::int64_t size) { return size == 0; });
    if (has_zero && opset_ >= 14) attributes.push_back({"allowzero", std::int64_t{1}});
    return emit("Reshape", {x, sizes}, std::move(attributes), x.dtype, std::move(known));
}

OnnxValue Builder::reshape_keeping(const OnnxValue& x, IntSpan sizes, Dims known) {
    return emit("Reshape", {x, ints(sizes)}, {}, x.dtype, std::move(known));
}

OnnxValue Builder::transpose(const OnnxValue& x, IntSpan order) {
    const bool is_same = std::is_sorted(order.begin(), order.end());
    if (is_same) return x;
    std::optional<Dims> sizes;
    if (x.sizes) {
        sizes.emplace();
        for (const std::int64_t d : order) sizes->push_back((*x.sizes)[static_cast<std::size_t>(d)]);
    }
    return emit("Transpose", {x}, {{"perm", to_vector(order)}}, x.dtype, sizes);
}

OnnxValue Builder::swap(const OnnxValue& x, std::int64_t a, std::int64_t b) {
    const std::int64_t dims = rank(x);
    if (dims == 0) return x;
    std::vector<std::int64_t> order(static_cast<std::size_t>(dims));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
    std::swap(order[static_cast<std::size_t>(wrap_dim(a, dims))], order[static_cast<std::size_t>(wrap_dim(b, dims))]);
    return transpose(x, span(order));
}

OnnxValue Builder::unsqueeze(const OnnxValue& x, std::initializer_list<std::int64_t> axes) {
    return unsqueeze(x, IntSpan(axes.begin(), axes.size()));
}

OnnxValue Builder::unsqueeze(const OnnxValue& x, IntSpan axes) {
    std::optional<Dims> sizes;
    if (x.sizes) {
        const auto dims = static_cast<std::int64_t>(x.sizes->size() + axes.size());
        std::vector<bool> is_new(static_cast<std::size_t>(dims));
        for (const std::int64_t axis : axes) is_new[static_cast<std::size_t>(wrap_dim(axis, dims))] = true;
        sizes.emplace();
        for (std::size_t d = 0, from = 0; d < is_new.size(); ++d) sizes->push_back(is_new[d] ? 1 : (*x.sizes)[from++]);
        if (is_small_constant(x)) return constant(fn::reshape(x.constant, IValue(*sizes)));
    }
    if (opset_ < 13) return emit("Unsqueeze", {x}, {{"axes", to_vector(axes)}}, x.dtype, sizes);
    return emit("Unsqueeze", {x, ints(axes)}, {}, x.dtype, sizes);
}

OnnxValue Builder::squeeze(const OnnxValue& x, IntSpan axes) {
    std::optional<Dims> sizes;
    if (x.sizes) {
        std::vector<bool> is_gone(x.sizes->size());
        for (const std::int64_t a : axes) is_gone[static_cast<std::size_t>(axis(x, a))] = true;
        sizes.emplace();
        for (std::size_t d = 0; d < is_gone.size(); ++d) {
            if (!is_gone[d]) sizes->push_back((*x.sizes)[d]);
        }
        if (is_small_constant(x)) return constant(fn::reshape(x.constant, IValue(*sizes)));
    }
    if (opset_ < 13) return emit("Squeeze", {x}, {{"axes", to_vector(axes)}}, x.dtype, sizes);
    return emit("Squeeze", {x, ints(axes)}, {}, x.dtype, sizes);
}

OnnxValue Builder::expand(const OnnxValue& x, const OnnxValue& sizes, std::optional<Dims> known) {
    const bool same = known && x.is_static() && *known == *x.sizes;
    if (same) return x;
    const bool is_static = known && std::find(known->begin(), known->end(), -1) == known->end();
    if (is_small_constant(x) && is_static && checked_numel(span_of(*known)) <= kMostComputed) {
        static const OperatorHandle<> expanded("aten::expand");
        return constant(fn::contiguous(expanded(x.constant, IValue(*known))));
    }
    return emit("Expand", {x, sizes}, {}, x.dtype, std::move(known));
}

OnnxValue Builder::joined(const OnnxValues& parts, std::int64_t axis) {
    if (parts.size() == 1) return parts[0];
    if (std::all_of(parts.begin(), parts.end(), is_small_constant)) {
        TensorList tensors;
        for (const OnnxValue& part : parts) tensors.push_back(part.constant);
        static const OperatorHandle<> cat("aten::cat");
        return constant(cat(tensors, axis));
    }
    std::optional<Dims> sizes = parts[0].sizes;
    if (sizes) {
        const auto at = static_cast<std::size_t>(wrap_dim(axis, static_cast<std::int64_t>(sizes->size())));
        std::int64_t total = 0;
        for (const OnnxValue& part : parts) {
            const std::int64_t size = part.sizes && part.sizes->size() == sizes->size() ? (*part.sizes)[at] : -1;
            total = size < 0 || total < 0 ? -1 : total + size;
        }
        (*sizes)[at] = total;
    }
    return emit("Concat", parts, {{"axis", axis}}, parts[0].dtype, sizes);
}

OnnxValue Builder::slice(const OnnxValue& x, std::int64_t axis, std::int64_t start, std::int64_t end,
                         std::int64_t step) {
    return slice(x, ints({start}), ints({end}), ints({axis}), ints({step}));
}

OnnxValue Builder::slice(const OnnxValue& x, const OnnxValue& starts, const OnnxValue& ends, const OnnxValue& axes,
                         const OnnxValue& steps) {
    std::optional<Dims> sizes = x.sizes;
    if (sizes && axes.constant.defined()) {
        for (std::int64_t i = 0; i < axes.constant.numel(); ++i)
            (*sizes)[static_cast<std::size_t>(axis(x, axes.constant.data<std::int64_t>()[i]))] = -1;
    } else if (sizes) {
        sizes = Dims(sizes->size(), -1);
    }
    return emit("Slice", {x, starts, ends, axes, steps}, {}, x.dtype, sizes);
}

OnnxValue Builder::gather(const OnnxValue& x, const OnnxValue& indices, std::int64_t axis) {
    std::optional<Dims> sizes;
    if (x.sizes && indices.sizes) {
        const auto at = static_cast<std::size_t>(this->axis(x, axis));
        sizes = Dims(x.sizes->begin(), x.sizes->begin() + static_cast<std::ptrdiff_t>(at));
        sizes->insert(sizes->end(), indices.sizes->begin(), indices.sizes->end());
        sizes->insert(sizes->end(), x.sizes->begin() + static_cast<std::ptrdiff_t>(at) + 1, x.sizes->end());
    }
    return emit("Gather", {x, indices}, {{"axis", axis}}, x.dtype, sizes);
}

OnnxValue Builder::shape(const OnnxValue& x) {
    if (x.is_static()) return ints(span_of(*x.sizes));
    std::optional<Dims> sizes;
    if (x.sizes) sizes = Dims{static_cast<std::int64_t>(x.sizes->size())};
    return emit("Shape", {x}, {}, ScalarType::Int64, sizes);
}

OnnxValue Builder::size(const OnnxValue& x, std::int64_t dim) {
    if (x.sizes) {
        dim = axis(x, dim);
        if (const std::int64_t size = (*x.sizes)[static_cast<std::size_t>(dim)]; size >= 0) return ints({size});
    } else if (dim < 0) {
        unsupported(
            "the size of a dimension counted from the end, of a tensor whose number of dimensions is not known");
    }
    return gather(shape(x), ints({dim}), 0);
}

OnnxValue Builder::where(const OnnxValue& condition, const OnnxValue& a, const OnnxValue& b) {
    return emit("Where", {condition, a, b}, {}, a.dtype,
                broadcast_sizes(broadcast_sizes(condition.sizes, a.sizes), b.sizes));
}

OnnxValue Builder::binary(std::string_view op_type, const OnnxValue& a, const OnnxValue& b) {
    return emit(op_type, {a, b}, {}, a.dtype, broadcast_sizes(a.sizes, b.sizes));
}

OnnxValue Builder::compare(std::string_view op_type, const OnnxValue& a, const OnnxValue& b) {
    return emit(op_type, {a, b}, {}, ScalarType::Bool, broadcast_sizes(a.sizes, b.sizes));
}

OnnxValue Builder::reduce(std::string_view op_type, const OnnxValue& x, IntSpan axes, bool keeps) {
    std::optional<Dims> sizes;
    std::vector<std::int64_t> reduced;
    if (x.sizes) {
        for (const std::int64_t each : axes) reduced.push_back(axis(x, each));
        sizes.emplace();
        for (std::size_t d = 0; d < x.sizes->size(); ++d) {
            const bool is_reduced = axes.empty() || std::find(reduced.begin(), reduced.end(),
                                                              static_cast<std::int64_t>(d)) != reduced.end();
            if (!is_reduced)
                sizes->push_back((*x.sizes)[d]);
            else if (keeps)
                sizes->push_back(1);
        }
    } else {
        reduced = to_vector(axes);
    }
    Attributes attributes{{"keepdims", std::int64_t{keeps ? 1 : 0}}};
    const bool takes_input = opset_ >= (op_type == "ReduceSum" ? 13 : 18);
    if (axes.empty()) return emit(op_type, {x}, std::move(attributes), x.dtype, sizes);
    if (takes_input) return emit(op_type, {x, ints(span(reduced))}, std::move(attributes), x.dtype, sizes);
    attributes.push_back({"axes", reduced});
    return emit(op_type, {x}, std::move(attributes), x.dtype, sizes);
}

OnnxValue Builder::range(const OnnxValue& count) {
    const OnnxValue end = count.sizes && count.sizes->empty() ? count : squeeze(count, std::array<std::int64_t, 1>{0});
    return emit("Range", {number(std::int64_t{0}, ScalarType::Int64), end, number(std::int64_t{1}, ScalarType::Int64)},
                {}, ScalarType::Int64, Dims{-1});
}

}  // namespace loupe::onnx_export
