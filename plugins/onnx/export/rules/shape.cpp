// SPDX-License-Identifier: Apache-2.0
// Views and copies: other sizes, other orders, parts.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "core/base/error.h"
#include "plugins/onnx/export/rules.h"

namespace loupe::onnx_export {
namespace {

RuleResults same(Call& c) { return c.tensor("self"); }

std::string_view size_argument(const Call& c) {
    for (const std::string_view name : {"size", "shape", "repeats", "sizes"}) {
        if (c.op().schema.find_argument(name)) return name;
    }
    return "size";
}

// At most one size that differs between runs is left to Reshape.
RuleResults view(Call& c) {
    const OnnxValue x = c.tensor("self");
    const auto sizes = c.result_sizes();
    if (sizes && std::count(sizes->begin(), sizes->end(), -1) <= 1) {
        const bool has_zero = std::count(sizes->begin(), sizes->end(), 0) > 0;
        const bool is_plain = std::count(sizes->begin(), sizes->end(), -1) == 0 || !has_zero;
        if (is_plain) return c.b.reshape(x, span_of(*sizes));
    }
    const std::string_view name = size_argument(c);
    if (c.has("dtype")) c.unsupported_argument("dtype", "that reads the bytes as another type");
    return c.b.reshape(x, c.dims(name), sizes);
}

RuleResults view_as(Call& c) {
    const OnnxValue x = c.tensor("self");
    return c.b.reshape(x, c.b.shape(c.tensor("other")), c.tensor("other").sizes);
}

RuleResults flatten(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    const std::int64_t dims = b.rank(x);
    if (dims == 0) return b.reshape(x, std::array<std::int64_t, 1>{1});
    const std::int64_t start = b.axis(x, c.integer("start_dim"));
    const std::int64_t end = b.axis(x, c.integer("end_dim"));
    const auto sizes = c.result_sizes();
    if (sizes && std::count(sizes->begin(), sizes->end(), -1) <= 1) return b.reshape(x, span_of(*sizes));
    if (start == 1 && end == dims - 1) return b.emit("Flatten", {x}, {{"axis", std::int64_t{1}}}, x.dtype, sizes);
    OnnxValues parts;
    for (std::int64_t d = 0; d < dims; ++d) {
        if (d < start || d > end) parts.push_back(b.size(x, d));
        if (d == start) parts.push_back(b.ints({-1}));
    }
    return b.reshape(x, b.joined(parts, 0), sizes);
}

RuleResults unflatten(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    const auto sizes = c.result_sizes();
    if (sizes && std::count(sizes->begin(), sizes->end(), -1) <= 1) return b.reshape(x, span_of(*sizes));
    const std::int64_t axis = b.axis(x, c.integer("dim"));
    OnnxValues parts;
    for (std::int64_t d = 0; d < b.rank(x); ++d) parts.push_back(d == axis ? c.dims("sizes") : b.size(x, d));
    return b.reshape(x, b.joined(parts, 0), sizes);
}

RuleResults squeeze(Call& c) {
    const OnnxValue x = c.tensor("self");
    std::vector<std::int64_t> axes;
    const std::int64_t dims = c.b.rank(x);
    const auto add = [&](std::int64_t d) {
        if ((*x.sizes)[static_cast<std::size_t>(d)] == 1) axes.push_back(d);
    };
    if (!c.has("dim")) {
        for (std::int64_t d = 0; d < dims; ++d) add(d);
    } else {
        for (const std::int64_t d : c.ints("dim")) {
            if (dims > 0) add(wrap_dim(d, dims));
        }
    }
    return axes.empty() ? x : c.b.squeeze(x, axes);
}

RuleResults unsqueeze(Call& c) {
    const OnnxValue x = c.tensor("self");
    return c.b.unsqueeze(x, {wrap_dim(c.integer("dim"), c.b.rank(x) + 1)});
}

RuleResults permute(Call& c) {
    const OnnxValue x = c.tensor("self");
    std::vector<std::int64_t> order = c.ints("dims");
    for (std::int64_t& d : order) d = c.b.axis(x, d);
    return c.b.transpose(x, order);
}

RuleResults transpose(Call& c) {
    const bool by_axis = c.op().schema.find_argument("axis0").has_value();
    return c.b.swap(c.tensor("self"), c.integer(by_axis ? "axis0" : "dim0"), c.integer(by_axis ? "axis1" : "dim1"));
}

RuleResults t(Call& c) {
    const OnnxValue x = c.tensor("self");
    return c.b.rank(x) < 2 ? x : c.b.swap(x, 0, 1);
}

RuleResults all_reversed(Call& c) {
    const OnnxValue x = c.tensor("self");
    std::vector<std::int64_t> order(static_cast<std::size_t>(c.b.rank(x)));
    std::iota(order.rbegin(), order.rend(), 0);
    return c.b.transpose(x, order);
}

RuleResults matrix_transposed(Call& c) { return c.b.swap(c.tensor("self"), -2, -1); }

RuleResults expand(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    const auto sizes = c.result_sizes();
    if (sizes && std::count(sizes->begin(), sizes->end(), -1) == 0) return b.expand(x, b.ints(span_of(*sizes)), sizes);
    // -1 keeps a size, as 1 does in ONNX.
    const std::string_view name = size_argument(c);
    const Operand& list = c.operand(name);
    if (!list.is_list()) return b.expand(x, c.dims(name), sizes);
    OnnxValues parts;
    for (const Operand& each : list.list->elements) {
        const bool is_kept = each.kind == Operand::Kind::Constant && each.constant.to_int() == -1;
        const OnnxValue size =
            is_kept ? b.ints({1})
                    : b.reshape(b.cast(c.exporter().value_of(each), ScalarType::Int64), std::array<std::int64_t, 1>{1});
        parts.push_back(size);
    }
    return b.expand(x, b.joined(parts, 0), sizes);
}

RuleResults expand_as(Call& c) {
    const OnnxValue other = c.tensor("other");
    return c.b.expand(c.tensor("self"), c.b.shape(other), other.sizes);
}

RuleResults repeat(Call& c) {
    Builder& b = c.b;
    OnnxValue x = c.tensor("self");
    const bool is_tile = c.op().schema.find_argument("dims").has_value();
    OnnxValue counts = c.dims(is_tile ? "dims" : "repeats");
    const std::int64_t dims = b.rank(x);
    const std::int64_t wanted = (*counts.sizes)[0];
    if (wanted > dims) {
        std::vector<std::int64_t> axes(static_cast<std::size_t>(wanted - dims));
        std::iota(axes.begin(), axes.end(), 0);
        x = b.unsqueeze(x, IntSpan(axes));
    } else if (wanted < dims) {
        const std::vector<std::int64_t> ones(static_cast<std::size_t>(dims - wanted), 1);
        counts = b.joined({b.ints(IntSpan(ones)), counts}, 0);
    }
    return b.emit("Tile", {x, counts}, {}, x.dtype, c.result_sizes());
}

OnnxValue bound(Call& c, std::string_view name, std::int64_t otherwise) {
    return c.has(name) ? c.dims(name) : c.b.ints({otherwise});
}

RuleResults slice(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    const std::int64_t axis = b.axis(x, c.has("dim") ? c.integer("dim") : 0);
    const auto sizes = c.result_sizes();
    const bool is_whole = x.is_static() && sizes && *sizes == *x.sizes;
    if (is_whole) return x;
    OnnxValue out = b.slice(x, bound(c, "start", 0), bound(c, "end", std::numeric_limits<std::int64_t>::max()),
                            b.ints({axis}), bound(c, "step", 1));
    return out;
}

RuleResults select(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    const std::int64_t axis = b.axis(x, c.integer("dim"));
    return b.gather(x, c.value("index", ScalarType::Int64), axis);
}

RuleResults narrow(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    const OnnxValue start = c.dims("start");
    return b.slice(x, start, b.binary("Add", start, c.dims("length")), b.ints({b.axis(x, c.integer("dim"))}),
                   b.ints({1}));
}

RuleResults unbind(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    const std::int64_t axis = b.axis(x, c.integer("dim"));
    const std::int64_t size = (*x.sizes)[static_cast<std::size_t>(axis)];
    if (size < 0) c.unsupported_argument("self", "whose size differs between runs");
    OnnxValues parts;
    for (std::int64_t i = 0; i < size; ++i) parts.push_back(b.gather(x, b.number(i, ScalarType::Int64), axis));
    return RuleResults::list(std::move(parts));
}

RuleResults parts_of(Call& c, const OnnxValue& x, std::int64_t axis, const std::vector<std::int64_t>& sizes) {
    Builder& b = c.b;
    const std::vector<ScalarType> dtypes(sizes.size(), x.dtype);
    if (sizes.size() == 1) return RuleResults::list({x});
    if (b.opset() < 13) return RuleResults::list(b.emit_many("Split", {x}, {{"axis", axis}, {"split", sizes}}, dtypes));
    return RuleResults::list(b.emit_many("Split", {x, b.ints(IntSpan(sizes))}, {{"axis", axis}}, dtypes));
}

RuleResults split_with_sizes(Call& c) {
    const OnnxValue x = c.tensor("self");
    const std::string_view name = c.op().schema.find_argument("split_sizes") ? "split_sizes" : "split_size";
    return parts_of(c, x, c.b.axis(x, c.integer("dim")), c.ints(name));
}

std::int64_t known_size(Call& c, const OnnxValue& x, std::int64_t axis) {
    const std::int64_t size = (*x.sizes)[static_cast<std::size_t>(axis)];
    if (size < 0) c.unsupported_argument("self", "whose size differs between runs");
    return size;
}

std::vector<std::int64_t> equal_parts(std::int64_t total, std::int64_t size) {
    std::vector<std::int64_t> sizes;
    for (std::int64_t at = 0; at < total; at += size) sizes.push_back(std::min(size, total - at));
    if (sizes.empty()) sizes.push_back(0);
    return sizes;
}

RuleResults split(Call& c) {
    const OnnxValue x = c.tensor("self");
    const std::int64_t axis = c.b.axis(x, c.integer("dim"));
    return parts_of(c, x, axis,
                    equal_parts(known_size(c, x, axis), std::max<std::int64_t>(1, c.integer("split_size"))));
}

RuleResults chunk(Call& c) {
    const OnnxValue x = c.tensor("self");
    const std::int64_t axis = c.b.axis(x, c.integer("dim"));
    const std::int64_t chunks = c.integer("chunks");
    const std::int64_t size = (*x.sizes)[static_cast<std::size_t>(axis)];
    if (size >= 0)
        return parts_of(c, x, axis, equal_parts(size, std::max<std::int64_t>(1, (size + chunks - 1) / chunks)));
    if (c.b.opset() < 18) unsupported("chunks of a size that differs between runs need opset 18");
    const std::vector<ScalarType> dtypes(static_cast<std::size_t>(chunks), x.dtype);
    return RuleResults::list(c.b.emit_many("Split", {x}, {{"axis", axis}, {"num_outputs", chunks}}, dtypes));
}

RuleResults flip(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    std::vector<std::int64_t> axes = c.ints("dims");
    if (axes.empty()) return x;
    for (std::int64_t& axis : axes) axis = b.axis(x, axis);
    const std::vector<std::int64_t> steps(axes.size(), -1);
    const std::vector<std::int64_t> ends(axes.size(), std::numeric_limits<std::int64_t>::min() + 1);
    return b.slice(x, b.ints(IntSpan(steps)), b.ints(IntSpan(ends)), b.ints(IntSpan(axes)), b.ints(IntSpan(steps)));
}

RuleResults roll(Call& c) {
    Builder& b = c.b;
    OnnxValue x = c.tensor("self");
    const auto shifts = c.ints("shifts");
    const auto axes = c.ints("dims");
    if (axes.empty()) {
        const OnnxValue flat = b.reshape(x, std::array<std::int64_t, 1>{-1});
        const OnnxValue turned = b.joined(
            {b.slice(flat, 0, -shifts[0], std::numeric_limits<std::int64_t>::max()), b.slice(flat, 0, 0, -shifts[0])},
            0);
        const bool is_whole = x.is_static() && (checked_numel(span_of(*x.sizes)) == 0 ||
                                                shifts[0] % checked_numel(span_of(*x.sizes)) == 0);
        return is_whole ? x : b.reshape(turned, b.shape(x), x.sizes);
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::int64_t axis = b.axis(x, axes[i]);
        const std::int64_t size = (*x.sizes)[static_cast<std::size_t>(axis)];
        std::int64_t shift = shifts[i];
        if (size > 0) shift = ((shift % size) + size) % size;
        if (shift == 0) continue;
        x = b.joined({b.slice(x, axis, -shift, std::numeric_limits<std::int64_t>::max()), b.slice(x, axis, 0, -shift)},
                     axis);
    }
    return x;
}

RuleResults pixel_shuffle(Call& c) {
    const std::int64_t factor = c.integer("upscale_factor");
    return c.b.emit("DepthToSpace", {c.tensor("self")}, {{"blocksize", factor}, {"mode", std::string("CRD")}},
                    c.tensor("self").dtype);
}

RuleResults pixel_unshuffle(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    const std::int64_t factor = c.integer("downscale_factor");
    if (b.rank(x) != 4 || !x.is_static()) unsupported("pixel_unshuffle of other than four known sizes");
    const Dims& sizes = *x.sizes;
    const std::int64_t high = sizes[2] / factor;
    const std::int64_t wide = sizes[3] / factor;
    const OnnxValue parts = b.reshape(x, span_of(Dims{sizes[0], sizes[1], high, factor, wide, factor}));
    const OnnxValue turned = b.transpose(parts, std::array<std::int64_t, 6>{0, 1, 3, 5, 2, 4});
    return b.reshape(turned, span_of(Dims{sizes[0], sizes[1] * factor * factor, high, wide}));
}

RuleResults cast_to(Call& c) {
    const OnnxValue x = c.tensor("self");
    return c.b.cast(x, c.dtype("dtype").value_or(c.result_dtype()));
}
RuleResults cast_as(Call& c) { return c.b.cast(c.tensor("self"), c.tensor("other").dtype); }

RuleResults triangle(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    const bool is_upper = c.name() == "aten::triu";
    if (b.opset() >= 14) {
        const OnnxValue diagonal = c.value("diagonal", ScalarType::Int64);
        return b.map("Trilu", {x, diagonal}, {{"upper", std::int64_t{is_upper ? 1 : 0}}});
    }
    const OnnxValue rows = b.unsqueeze(b.range(b.size(x, -2)), {1});
    const OnnxValue columns =
        b.binary("Sub", b.unsqueeze(b.range(b.size(x, -1)), {0}), c.value("diagonal", ScalarType::Int64));
    const OnnxValue is_gone = b.compare(is_upper ? "Less" : "Greater", columns, rows);
    return b.where(is_gone, b.number(std::int64_t{0}, x.dtype), x);
}

RuleResults diagonal(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    const std::int64_t first = b.axis(x, c.integer("dim1"));
    const std::int64_t second = b.axis(x, c.integer("dim2"));
    const std::int64_t offset = c.integer("offset");
    const std::int64_t rows = known_size(c, x, first);
    const std::int64_t columns = known_size(c, x, second);
    const std::int64_t row = std::max<std::int64_t>(0, -offset);
    const std::int64_t column = std::max<std::int64_t>(0, offset);
    const std::int64_t count = std::max<std::int64_t>(0, std::min(rows - row, columns - column));
    std::vector<std::int64_t> order;
    for (std::int64_t d = 0; d < b.rank(x); ++d) {
        if (d != first && d != second) order.push_back(d);
    }
    Dims sizes;
    for (const std::int64_t d : order) sizes.push_back((*x.sizes)[static_cast<std::size_t>(d)]);
    if (std::count(sizes.begin(), sizes.end(), -1) > 1)
        c.unsupported_argument("self", "whose sizes differ between runs");
    order.push_back(first);
    order.push_back(second);
    sizes.push_back(rows * columns);
    std::vector<std::int64_t> places;
    for (std::int64_t i = 0; i < count; ++i) places.push_back((row + i) * columns + column + i);
    return b.gather(b.reshape(b.transpose(x, order), span_of(sizes)), b.ints(IntSpan(places)), -1);
}

RuleResults size(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    if (c.has("dim")) return b.squeeze(b.size(x, c.integer("dim")), std::array<std::int64_t, 1>{0});
    OnnxValues sizes;
    for (std::int64_t d = 0; d < b.rank(x); ++d)
        sizes.push_back(b.squeeze(b.size(x, d), std::array<std::int64_t, 1>{0}));
    return RuleResults::list(std::move(sizes));
}

RuleResults numel(Call& c) { return c.b.emit("Size", {c.tensor("self")}, {}, ScalarType::Int64, Dims()); }

const Rule kRules[] = {
    {"aten::view", view},
    {"aten::reshape", view},
    {"aten::_unsafe_view", view},
    {"aten::_reshape_alias", view},
    {"aten::view_copy", view},
    {"aten::view_as", view_as},
    {"aten::reshape_as", view_as},
    {"aten::flatten", flatten},
    {"aten::unflatten", unflatten},
    {"aten::squeeze", squeeze},
    {"aten::unsqueeze", unsqueeze},
    {"aten::permute", permute},
    {"aten::transpose", transpose},
    {"aten::swapaxes", transpose},
    {"aten::swapdims", transpose},
    {"aten::t", t},
    {"aten::numpy_T", all_reversed},
    {"aten::mT", matrix_transposed},
    {"aten::expand", expand},
    {"aten::broadcast_to", expand},
    {"aten::expand_as", expand_as},
    {"aten::repeat", repeat},
    {"aten::tile", repeat},
    {"aten::slice", slice},
    {"aten::select", select},
    {"aten::narrow", narrow},
    {"aten::unbind", unbind},
    {"aten::split", split},
    {"aten::split.sizes", split_with_sizes},
    {"aten::split_with_sizes", split_with_sizes},
    {"aten::unsafe_split", split},
    {"aten::unsafe_split_with_sizes", split_with_sizes},
    {"aten::chunk", chunk},
    {"aten::unsafe_chunk", chunk},
    {"aten::flip", flip},
    {"aten::roll", roll},
    {"aten::pixel_shuffle", pixel_shuffle},
    {"aten::pixel_unshuffle", pixel_unshuffle},
    {"aten::contiguous", same},
    {"aten::clone", same},
    {"aten::detach", same},
    {"aten::alias", same},
    {"aten::lift_fresh", same},
    {"aten::lift_fresh_copy", same},
    {"aten::cpu", same},
    {"aten::pin_memory", same},
    {"aten::to", cast_to},
    {"aten::_to_copy", cast_to},
    {"aten::to.other", cast_as},
    {"aten::type_as", cast_as},
    {"aten::tril", triangle},
    {"aten::triu", triangle},
    {"aten::diagonal", diagonal},
    {"aten::size", size},
    {"aten::sym_size", size},
    {"aten::numel", numel},
    {"aten::sym_numel", numel},
};

}  // namespace

std::span<const Rule> shape_rules() { return kRules; }

}  // namespace loupe::onnx_export
