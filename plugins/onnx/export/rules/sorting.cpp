// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/base/error.h"
#include "plugins/onnx/export/rules.h"

namespace loupe::onnx_export {
namespace {

const std::array<std::int64_t, 1> kFlat{-1};

OnnxValues largest(Call& c, const OnnxValue& given, const OnnxValue& count, std::int64_t axis, bool is_largest) {
    Builder& b = c.b;
    const bool is_narrow = given.dtype == ScalarType::Bool || given.dtype == ScalarType::UInt8 ||
                           given.dtype == ScalarType::Int8 || given.dtype == ScalarType::Int16;
    const OnnxValue x = is_narrow ? b.cast(given, ScalarType::Int32) : given;
    OnnxValues both = b.emit_many("TopK", {x, count}, {{"axis", axis}, {"largest", std::int64_t{is_largest ? 1 : 0}}},
                                  {x.dtype, ScalarType::Int64});
    for (OnnxValue& each : both) {
        each.sizes = x.sizes;
        if (each.sizes)
            (*each.sizes)[static_cast<std::size_t>(axis)] =
                count.constant.defined() ? count.constant.data<std::int64_t>()[0] : -1;
    }
    both[0] = b.cast(both[0], given.dtype);
    return both;
}

RuleResults without_dimensions(Call& c, const OnnxValue& x) {
    return RuleResults::several({x, c.b.number(std::int64_t{0}, ScalarType::Int64)});
}

RuleResults topk(Call& c) {
    const OnnxValue x = c.tensor("self");
    if (c.b.rank(x) == 0) return without_dimensions(c, x);
    return RuleResults::several(largest(c, x, c.dims("k"), c.b.axis(x, c.integer("dim")), c.flag("largest")));
}

OnnxValues sorted(Call& c, const OnnxValue& x, std::int64_t dim, bool descends) {
    const std::int64_t axis = c.b.axis(x, dim);
    return largest(c, x, c.b.size(x, axis), axis, descends);
}

RuleResults sort(Call& c) {
    const OnnxValue x = c.tensor("self");
    if (c.b.rank(x) == 0) return without_dimensions(c, x);
    return RuleResults::several(sorted(c, x, c.integer("dim"), c.flag("descending")));
}

RuleResults argsort(Call& c) {
    const OnnxValue x = c.tensor("self");
    if (c.b.rank(x) == 0) return c.b.number(std::int64_t{0}, ScalarType::Int64);
    return sorted(c, x, c.integer("dim"), c.flag("descending"))[1];
}

RuleResults element_of_sorted(Call& c, const OnnxValue& x, const OnnxValue& place) {
    Builder& b = c.b;
    const std::int64_t axis = b.axis(x, c.integer("dim"));
    const OnnxValues both = sorted(c, x, axis, false);
    OnnxValues out;
    for (const OnnxValue& each : both) {
        const OnnxValue taken = b.gather(each, place, axis);
        out.push_back(c.flag("keepdim") ? taken : b.squeeze(taken, std::array<std::int64_t, 1>{axis}));
    }
    return RuleResults::several(out);
}

RuleResults kthvalue(Call& c) {
    const OnnxValue x = c.tensor("self");
    if (c.b.rank(x) == 0) return without_dimensions(c, x);
    return element_of_sorted(c, x, c.b.ints({c.integer("k") - 1}));
}

// The lower of two in the middle.
OnnxValue middle(Call& c, const OnnxValue& count) {
    return c.b.binary("Div", c.b.binary("Sub", count, c.b.ints({1})), c.b.ints({2}));
}

RuleResults median_of(Call& c) {
    const OnnxValue x = c.tensor("self");
    if (c.b.rank(x) == 0) return without_dimensions(c, x);
    return element_of_sorted(c, x, middle(c, c.b.size(x, c.integer("dim"))));
}

RuleResults median(Call& c) {
    const OnnxValue flat = c.b.reshape(c.tensor("self"), kFlat);
    const OnnxValue values = sorted(c, flat, 0, false)[0];
    return c.b.squeeze(c.b.gather(values, middle(c, c.b.size(flat, 0)), 0), std::array<std::int64_t, 1>{0});
}

RuleResults unique(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    const bool has_axis = c.op().schema.find_argument("dim").has_value();
    Attributes attributes{{"sorted", std::int64_t{1}}};
    if (has_axis) attributes.push_back({"axis", b.axis(x, c.integer("dim"))});
    OnnxValues all = b.emit_many("Unique", {x}, std::move(attributes),
                                 {x.dtype, ScalarType::Int64, ScalarType::Int64, ScalarType::Int64});
    all[0].sizes = Dims{-1};
    if (has_axis) {
        all[0].sizes = x.sizes;
        (*all[0].sizes)[static_cast<std::size_t>(b.axis(x, c.integer("dim")))] = -1;
    }
    all[2].sizes = Dims{-1};
    all[3].sizes = Dims{-1};
    const OnnxValue inverse = has_axis ? all[2] : b.reshape(all[2], b.shape(x), x.sizes);
    return RuleResults::several({all[0], inverse, all[3]});
}

// Counts the boundaries that a value lies behind.
RuleResults bucketize(Call& c) {
    Builder& b = c.b;
    const OnnxValue boundaries = c.tensor("boundaries");
    const ScalarType dtype = c.common({"self", "boundaries"});
    const OnnxValue x = b.unsqueeze(c.value("self", dtype), {-1});
    const OnnxValue bounds = b.cast(boundaries, dtype);
    const OnnxValue is_behind =
        c.flag("right") ? b.map("Not", {b.compare("Less", x, bounds)}) : b.compare("Greater", x, bounds);
    const std::array<std::int64_t, 1> last{-1};
    return b.cast(b.reduce("ReduceSum", b.cast(is_behind, ScalarType::Int64), last, false),
                  c.flag("out_int32") ? ScalarType::Int32 : ScalarType::Int64);
}

const Rule kRules[] = {
    {"aten::topk", topk},
    {"aten::sort", sort},
    {"aten::msort", [](Call& c) -> RuleResults { return sorted(c, c.tensor("self"), 0, false)[0]; }},
    {"aten::argsort", argsort},
    {"aten::kthvalue", kthvalue},
    {"aten::median.dim", median_of},
    {"aten::median", median},
    {"aten::_unique2", unique},
    {"aten::_unique", unique},
    {"aten::unique_dim", unique},
    {"aten::bucketize", bucketize},
};

}  // namespace

std::span<const Rule> sorting_rules() { return kRules; }

}  // namespace loupe::onnx_export
