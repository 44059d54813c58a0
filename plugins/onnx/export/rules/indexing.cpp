// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <numeric>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/functions.h"
#include "plugins/onnx/export/rules.h"

namespace loupe::onnx_export {
namespace {

using Ints = std::vector<std::int64_t>;

// Which dimensions are indexed, by what; those between keep their place.
struct Advanced {
    Ints axes;
    OnnxValues indices;  // int64, one an axis, of one shape
    std::int64_t index_dims = 0;
    bool is_adjacent = true;
};

OnnxValue total_of(Call& c, const OnnxValues& values) {
    OnnxValue sum = values[0];
    for (std::size_t i = 1; i < values.size(); ++i) sum = c.b.binary("Add", sum, values[i]);
    return sum;
}

// The places where a mask is true: one index a dimension of the mask.
OnnxValues places_of(Call& c, const OnnxValue& mask) {
    Builder& b = c.b;
    const std::int64_t dims = b.rank(mask);
    const OnnxValue places = b.emit("NonZero", {mask}, {}, ScalarType::Int64, Dims{dims, -1});
    OnnxValues out;
    for (std::int64_t d = 0; d < dims; ++d) out.push_back(b.gather(places, b.number(d, ScalarType::Int64), 0));
    return out;
}

Advanced advanced_of(Call& c) {
    Builder& b = c.b;
    Advanced out;
    std::int64_t axis = 0;
    const OnnxValues given = c.tensors("indices");
    for (const OnnxValue& index : given) {
        if (index.is_absent()) {
            ++axis;
            continue;
        }
        const bool is_mask = index.dtype == ScalarType::Bool || index.dtype == ScalarType::UInt8;
        const OnnxValues each =
            is_mask ? places_of(c, b.cast(index, ScalarType::Bool)) : OnnxValues{b.cast(index, ScalarType::Int64)};
        for (const OnnxValue& one : each) {
            out.axes.push_back(axis++);
            out.indices.push_back(one);
        }
    }
    if (out.axes.empty()) unsupported("an index without tensors");
    for (std::size_t i = 1; i < out.axes.size(); ++i)
        out.is_adjacent = out.is_adjacent && out.axes[i] == out.axes[i - 1] + 1;
    if (out.indices.size() > 1) {
        const OnnxValue whole = total_of(c, out.indices);
        const OnnxValue sizes = b.shape(whole);
        for (OnnxValue& index : out.indices) index = b.expand(index, sizes, whole.sizes);
    }
    out.index_dims = b.rank(out.indices[0]);
    return out;
}

// [index dims..., axes]
OnnxValue stacked(Call& c, const Advanced& advanced) {
    OnnxValues parts;
    for (const OnnxValue& index : advanced.indices) parts.push_back(c.b.unsqueeze(index, {-1}));
    return c.b.joined(parts, -1);
}

// The indexed dimensions first.
Ints order_first(const Advanced& advanced, std::int64_t dims) {
    Ints order = advanced.axes;
    for (std::int64_t d = 0; d < dims; ++d) {
        if (std::find(advanced.axes.begin(), advanced.axes.end(), d) == advanced.axes.end()) order.push_back(d);
    }
    return order;
}

Ints inverse_of(const Ints& order) {
    Ints inverse(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        inverse[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
    return inverse;
}

// From [index dims..., others...] to where indexed dimensions that stand together stood.
Ints result_order(const Advanced& advanced, std::int64_t dims) {
    const std::int64_t before = advanced.is_adjacent ? advanced.axes[0] : 0;
    Ints order;
    for (std::int64_t d = 0; d < before; ++d) order.push_back(advanced.index_dims + d);
    for (std::int64_t d = 0; d < advanced.index_dims; ++d) order.push_back(d);
    const std::int64_t others = dims - static_cast<std::int64_t>(advanced.axes.size());
    for (std::int64_t d = before; d < others; ++d) order.push_back(advanced.index_dims + d);
    return order;
}

RuleResults index(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    const Advanced advanced = advanced_of(c);
    if (advanced.indices.size() == 1) return b.gather(x, advanced.indices[0], advanced.axes[0]);
    const std::int64_t dims = b.rank(x);
    const OnnxValue first = b.transpose(x, order_first(advanced, dims));
    Dims sizes = *advanced.indices[0].sizes;
    sizes.insert(sizes.end(), first.sizes->begin() + static_cast<std::ptrdiff_t>(advanced.axes.size()),
                 first.sizes->end());
    const OnnxValue taken = b.emit("GatherND", {first, stacked(c, advanced)}, {}, x.dtype, sizes);
    return b.transpose(taken, result_order(advanced, dims));
}

RuleResults index_put(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    OnnxValue values = c.value("values", x.dtype);
    const bool adds = c.has("accumulate") && c.flag("accumulate");
    if (adds && b.opset() < 16) unsupported("index_put that accumulates needs opset 16");
    const OnnxValues given = c.tensors("indices");
    const bool is_one_mask = given.size() == 1 && given[0].dtype == ScalarType::Bool && !adds && values.is_static() &&
                             checked_numel(span_of(*values.sizes)) == 1;
    if (is_one_mask) {
        OnnxValue mask = given[0];
        Ints axes;
        for (std::int64_t d = b.rank(mask); d < b.rank(x); ++d) axes.push_back(d);
        if (!axes.empty()) mask = b.unsqueeze(mask, IntSpan(axes));
        return b.where(mask, b.reshape(values, IntSpan()), x);
    }
    const Advanced advanced = advanced_of(c);
    const std::int64_t dims = b.rank(x);
    const Ints order = order_first(advanced, dims);
    const OnnxValue first = b.transpose(x, order);
    // Sizes of what is written, with the indexed dimensions first.
    const OnnxValue rest = b.slice(b.shape(first), 0, static_cast<std::int64_t>(advanced.axes.size()), dims);
    const OnnxValue index_sizes = b.shape(advanced.indices[0]);
    const OnnxValue first_sizes = b.joined({index_sizes, rest}, 0);
    const Ints back = result_order(advanced, dims);
    const OnnxValue natural = b.gather(first_sizes, b.ints(IntSpan(back)), 0);
    values = b.expand(values, natural, Dims(back.size(), -1));
    values = b.transpose(values, inverse_of(back));
    Attributes attributes;
    if (adds) attributes.push_back({"reduction", std::string("add")});
    const OnnxValue written =
        b.emit("ScatterND", {first, stacked(c, advanced), values}, std::move(attributes), x.dtype, first.sizes);
    return b.transpose(written, inverse_of(order));
}

RuleResults gather(Call& c) {
    const OnnxValue x = c.tensor("self");
    const OnnxValue index = c.value("index", ScalarType::Int64);
    if (x.sizes && x.sizes->empty()) return c.b.expand(x, c.b.shape(index), index.sizes);
    return c.b.emit("GatherElements", {x, index}, {{"axis", c.b.axis(x, c.integer("dim"))}}, x.dtype, index.sizes);
}

// Of a source larger than the index the part that the index covers.
OnnxValue covered(Call& c, const OnnxValue& source, const OnnxValue& index) {
    if (source.is_static() && index.is_static() && *source.sizes == *index.sizes) return source;
    const std::int64_t dims = c.b.rank(index);
    Ints axes(static_cast<std::size_t>(dims));
    std::iota(axes.begin(), axes.end(), 0);
    const Ints zeros(axes.size(), 0);
    OnnxValue part = c.b.slice(source, c.b.ints(IntSpan(zeros)), c.b.shape(index), c.b.ints(IntSpan(axes)),
                               c.b.ints(IntSpan(Ints(axes.size(), 1))));
    part.sizes = index.sizes;
    return part;
}

RuleResults scatter(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    const OnnxValue index = c.value("index", ScalarType::Int64);
    OnnxValue source;
    if (c.op().schema.find_argument("value"))
        source = b.expand(c.value("value", x.dtype), b.shape(index), index.sizes);
    else
        source = covered(c, c.value("src", x.dtype), index);
    std::string reduction;
    if (c.name().find("scatter_add") != std::string_view::npos) reduction = "add";
    if (c.has("reduce")) {
        const std::string reduce = c.text("reduce");
        reduction = reduce == "sum" || reduce == "add"         ? "add"
                    : reduce == "prod" || reduce == "multiply" ? "mul"
                    : reduce == "amax"                         ? "max"
                    : reduce == "amin"                         ? "min"
                                                               : "";
        if (reduction.empty()) c.unsupported_argument("reduce", "of another kind than sum, prod, amax and amin");
        if (c.has("include_self") && !c.flag("include_self")) c.unsupported_argument("include_self", "that is false");
    }
    if ((reduction == "max" || reduction == "min") && b.opset() < 18)
        unsupported("scattering a maximum needs opset 18");
    if (!reduction.empty() && b.opset() < 16) unsupported("scattering that reduces needs opset 16");
    Attributes attributes{{"axis", b.axis(x, c.integer("dim"))}};
    if (!reduction.empty()) attributes.push_back({"reduction", reduction});
    return b.emit("ScatterElements", {x, index, source}, std::move(attributes), x.dtype, x.sizes);
}

RuleResults index_select(Call& c) {
    const OnnxValue x = c.tensor("self");
    OnnxValue index = c.value("index", ScalarType::Int64);
    if (c.b.rank(index) == 0) index = c.b.unsqueeze(index, {0});
    if (c.b.rank(x) == 0) return x;
    return c.b.gather(x, index, c.b.axis(x, c.integer("dim")));
}

// Rows along a dimension: it goes first, and ScatterND writes them.
OnnxValue scattered_rows(Call& c, const OnnxValue& source, const char* reduction) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    const std::int64_t axis = b.axis(x, c.integer("dim"));
    const OnnxValue rows = b.unsqueeze(c.value("index", ScalarType::Int64), {-1});
    Attributes attributes;
    if (reduction != nullptr) attributes.push_back({"reduction", std::string(reduction)});
    const OnnxValue first = b.swap(x, 0, axis);
    const OnnxValue written =
        b.emit("ScatterND", {first, rows, b.swap(source, 0, axis)}, std::move(attributes), x.dtype, first.sizes);
    return b.swap(written, 0, axis);
}

RuleResults index_add(Call& c) {
    OnnxValue source = c.value("source", c.tensor("self").dtype);
    if (c.has("alpha") && !(c.is_known("alpha") && c.real("alpha") == 1))
        source = c.b.binary("Mul", source, c.value("alpha", source.dtype));
    return scattered_rows(c, source, "add");
}
RuleResults index_copy(Call& c) { return scattered_rows(c, c.tensor("source"), nullptr); }

RuleResults index_fill(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    const std::int64_t axis = b.axis(x, c.integer("dim"));
    OnnxValues sizes;
    const OnnxValue index = c.tensor("index");
    for (std::int64_t d = 0; d < b.rank(x); ++d) sizes.push_back(d == axis ? b.shape(index) : b.size(x, d));
    Dims known = *x.sizes;
    known[static_cast<std::size_t>(axis)] = (*index.sizes)[0];
    return scattered_rows(c, b.expand(c.value("value", x.dtype), b.joined(sizes, 0), known), nullptr);
}

RuleResults embedding(Call& c) { return c.b.gather(c.tensor("weight"), c.tensor("indices"), 0); }

RuleResults take(Call& c) {
    return c.b.gather(c.b.reshape(c.tensor("self"), std::array<std::int64_t, 1>{-1}),
                      c.value("index", ScalarType::Int64), 0);
}

RuleResults nonzero(Call& c) {
    OnnxValue x = c.tensor("self");
    const std::int64_t dims = c.b.rank(x);
    const OnnxValue places = c.b.emit("NonZero", {x}, {}, ScalarType::Int64, Dims{dims, -1});
    return c.b.swap(places, 0, 1);
}

RuleResults masked_select(Call& c) {
    Builder& b = c.b;
    OnnxValue x = c.tensor("self");
    OnnxValue mask = c.tensor("mask");
    const auto whole = broadcast_sizes(x.sizes, mask.sizes);
    if (x.sizes != whole || mask.sizes != whole) {
        const OnnxValue sizes = b.shape(b.compare("And", b.cast(x, ScalarType::Bool), mask));
        x = b.expand(x, sizes, whole);
        mask = b.expand(mask, sizes, whole);
    }
    const std::array<std::int64_t, 1> flat{-1};
    return b.emit("Compress", {b.reshape(x, flat), b.reshape(mask, flat)}, {{"axis", std::int64_t{0}}}, x.dtype,
                  Dims{-1});
}

RuleResults one_hot(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    OnnxValue depth = c.dims("num_classes");
    if (c.is_known("num_classes") && c.integer("num_classes") < 0)
        depth = b.unsqueeze(
            b.binary("Add", b.reduce("ReduceMax", x, {}, false), b.number(std::int64_t{1}, ScalarType::Int64)), {0});
    std::optional<Dims> sizes = x.sizes;
    if (sizes) sizes->push_back(depth.constant.defined() ? depth.constant.data<std::int64_t>()[0] : -1);
    return b.emit("OneHot", {x, depth, b.ints({0, 1})}, {{"axis", std::int64_t{-1}}}, ScalarType::Int64, sizes);
}

// What a view of the tensor would have written: the view is taken of 0, 1, ..., which says where.
RuleResults scattered_view(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    if (!x.is_static()) unsupported(concat("the operator ", c.op().full_name, " on sizes that differ between runs"));
    std::string name(c.name());
    name.resize(name.size() - std::string_view("_scatter").size());
    static const OperatorHandle<> arange("aten::arange");
    const Tensor count = arange(checked_numel(span_of(*x.sizes)), static_cast<std::int64_t>(ScalarType::Int64));
    const Tensor places = fn::reshape(count, IValue(*x.sizes));
    std::vector<IValue> arguments{IValue(places)};
    for (std::size_t i = 2; i < c.arguments().size(); ++i) {
        const Operand& each = c.arguments()[i];
        if (each.kind != Operand::Kind::Constant) unsupported("a part that is chosen while the model runs");
        arguments.push_back(each.constant);
    }
    const bool is_select = name == "aten::select";
    const Operator* view = find_operator(name, is_select ? "int" : name == "aten::slice" ? "Tensor" : "");
    if (view == nullptr) unsupported(concat("there is no operator ", name));
    std::vector<IValue> results(1);
    call_operator(*view, arguments, results.data());
    const std::array<std::int64_t, 1> flat{-1};
    const OnnxValue where = b.constant(fn::reshape(results[0].to_tensor(), IValue(IntSpan(flat))));
    const OnnxValue source = b.reshape(c.value("src", x.dtype), flat);
    const OnnxValue base = b.reshape(x, flat);
    const OnnxValue written =
        b.emit("ScatterElements", {base, where, source}, {{"axis", std::int64_t{0}}}, x.dtype, base.sizes);
    return b.reshape(written, span_of(*x.sizes));
}

const Rule kRules[] = {
    {"aten::select_scatter", scattered_view},
    {"aten::slice_scatter", scattered_view},
    {"aten::diagonal_scatter", scattered_view},
    {"aten::index.Tensor", index},
    {"aten::index.Tensor_hacked_twin", index},
    {"aten::_unsafe_index", index},
    {"aten::index_put", index_put},
    {"aten::_unsafe_index_put", index_put},
    {"aten::gather", gather},
    {"aten::scatter", scatter},
    {"aten::scatter_add", scatter},
    {"aten::scatter_reduce", scatter},
    {"aten::index_select", index_select},
    {"aten::index_add", index_add, 16},
    {"aten::index_copy", index_copy},
    {"aten::index_fill", index_fill},
    {"aten::embedding", embedding},
    {"aten::take", take},
    {"aten::nonzero", nonzero},
    {"aten::argwhere", nonzero},
    {"aten::masked_select", masked_select},
    {"aten::one_hot", one_hot},
};

}  // namespace

std::span<const Rule> indexing_rules() { return kRules; }

}  // namespace loupe::onnx_export
