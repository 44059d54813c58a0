// SPDX-License-Identifier: Apache-2.0
// Random numbers: of ONNX's generator, so other ones than PyTorch's.
#include <array>

#include "core/base/error.h"
#include "core/kernels/promotion.h"
#include "plugins/onnx/export/rules.h"
#include "plugins/onnx/proto/data_types.h"

namespace loupe::onnx_export {
namespace {

OnnxValue drawn(Call& c, std::string_view op, const OnnxValue& like, Attributes attributes) {
    attributes.push_back({"dtype", std::int64_t{onnx::data_type_of(like.dtype)}});
    return c.b.emit(op, {like}, std::move(attributes), like.dtype, like.sizes);
}

OnnxValue shaped(Call& c, ScalarType dtype) {
    const OnnxValue sizes = c.target_sizes("size");
    if (c.operand("self").is_tensor()) return c.b.cast(c.tensor("self"), dtype);
    return c.b.expand(c.b.number(std::int64_t{0}, dtype), sizes, c.result_sizes());
}

ScalarType drawn_dtype(Call& c) {
    if (const auto dtype = c.dtype("dtype")) return *dtype;
    return c.operand("self").is_tensor() ? c.tensor("self").dtype : kDefaultDtype;
}

RuleResults uniform(Call& c) { return drawn(c, "RandomUniformLike", shaped(c, drawn_dtype(c)), {}); }
RuleResults normal(Call& c) { return drawn(c, "RandomNormalLike", shaped(c, drawn_dtype(c)), {}); }

RuleResults dropout(Call& c) {
    const OnnxValue x = c.tensor(c.op().schema.arguments[0].name);
    const bool trains = c.has("train") && c.flag("train");
    if (!trains || c.real("p") == 0) return x;
    const OnnxValues both =
        c.b.emit_many("Dropout", {x, c.value("p", ScalarType::Float32), c.b.number(true, ScalarType::Bool)}, {},
                      {x.dtype, ScalarType::Bool});
    return RuleResults::several(both);
}

// Of whole channels, or with other statistics, in training: ONNX has no operator.
RuleResults other_dropout(Call& c) {
    if (c.has("train") && c.flag("train")) unsupported("dropout of this kind in training mode");
    return c.tensor(c.op().schema.arguments[0].name);
}

RuleResults bernoulli(Call& c) {
    const OnnxValue x = c.tensor("self");
    OnnxValue chance = x;
    if (c.has("p")) chance = c.b.expand(c.value("p", ScalarType::Float32), c.b.shape(x), x.sizes);
    return c.b.cast(c.b.map("Bernoulli", {chance}), x.dtype);
}

const Rule kRules[] = {
    {"aten::rand", uniform},
    {"aten::rand_like", uniform},
    {"aten::randn", normal},
    {"aten::randn_like", normal},
    {"aten::dropout", dropout, 12},
    {"aten::native_dropout", dropout, 12},
    {"aten::feature_dropout", other_dropout},
    {"aten::alpha_dropout", other_dropout},
    {"aten::feature_alpha_dropout", other_dropout},
    {"aten::bernoulli", bernoulli, 15},
};

}  // namespace

std::span<const Rule> random_rules() { return kRules; }

}  // namespace loupe::onnx_export
