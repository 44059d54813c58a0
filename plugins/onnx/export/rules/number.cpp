// SPDX-License-Identifier: Apache-2.0
// Python's numbers, where the model computes them: tensors without dimensions.
#include <array>

#include "plugins/onnx/export/rules.h"

namespace loupe::onnx_export {
namespace {

OnnxValue first(Call& c) {
    const OnnxValue x = c.exporter().value_of(c.arguments()[0]);
    return x.sizes && x.sizes->empty() ? x : c.b.reshape(x, IntSpan());
}

template <ScalarType kDtype>
RuleResults number(Call& c) {
    return c.b.cast(first(c), kDtype);
}
RuleResults as_it_is(Call& c) { return first(c); }

RuleResults floor_divide(Call& c) {
    const OnnxValue a = c.value("self", c.common({"self", "other"}));
    const OnnxValue b = c.value("other", a.dtype);
    if (is_floating(a.dtype)) return c.b.map("Floor", {c.b.binary("Div", a, b)});
    return c.b.binary("Div", c.b.binary("Sub", a, c.b.binary("Mod", a, b)), b);
}

template <int kSign>
RuleResults extreme(Call& c) {
    const OnnxValue a = c.value("self", c.common({"self", "other"}));
    return c.b.binary(kSign > 0 ? "Max" : "Min", a, c.value("other", a.dtype));
}

RuleResults length(Call& c) {
    return c.b.squeeze(c.b.size(c.exporter().value_of(c.arguments()[0]), 0), std::array<std::int64_t, 1>{0});
}

RuleResults negation(Call& c) { return c.b.map("Not", {c.b.cast(first(c), ScalarType::Bool)}); }

const Rule kRules[] = {
    {"aten::Int", number<ScalarType::Int64>},
    {"aten::IntImplicit", number<ScalarType::Int64>},
    {"aten::Float", number<ScalarType::Float32>},
    {"aten::FloatImplicit", number<ScalarType::Float32>},
    {"aten::Bool", number<ScalarType::Bool>},
    {"aten::is_nonzero", number<ScalarType::Bool>},
    {"aten::ScalarImplicit", as_it_is},
    {"aten::item", as_it_is},
    {"aten::_local_scalar_dense", as_it_is},
    {"aten::floordiv", floor_divide},
    {"prim::max.int", extreme<1>},
    {"prim::max.float", extreme<1>},
    {"prim::min.int", extreme<-1>},
    {"prim::min.float", extreme<-1>},
    {"aten::len.Tensor", length},
    {"aten::__not__", negation},
    {"prim::abs", [](Call& c) -> RuleResults { return c.b.map("Abs", {first(c)}); }},
};

}  // namespace

std::span<const Rule> number_rules() { return kRules; }

}  // namespace loupe::onnx_export
