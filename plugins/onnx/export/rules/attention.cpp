// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "plugins/onnx/export/rules.h"

namespace loupe::onnx_export {
namespace {

// Keys and values of fewer heads than the queries have serve several of them.
OnnxValue repeated_heads(Call& c, const OnnxValue& x, const OnnxValue& query) {
    Builder& b = c.b;
    const std::int64_t heads = (*x.sizes)[static_cast<std::size_t>(b.axis(x, -3))];
    const std::int64_t wanted = (*query.sizes)[static_cast<std::size_t>(b.axis(query, -3))];
    if (heads == wanted) return x;
    if (heads <= 0 || wanted <= 0 || wanted % heads != 0)
        unsupported("attention of numbers of heads that do not divide");
    std::vector<std::int64_t> places;
    for (std::int64_t i = 0; i < wanted; ++i) places.push_back(i * heads / wanted);
    return b.gather(x, b.ints(IntSpan(places)), b.axis(x, -3));
}

// 0 where a query may look, -inf elsewhere.
OnnxValue causal_mask(Call& c, const OnnxValue& query, const OnnxValue& key) {
    Builder& b = c.b;
    const OnnxValue rows = b.unsqueeze(b.range(b.size(query, -2)), {1});
    const OnnxValue columns = b.unsqueeze(b.range(b.size(key, -2)), {0});
    const double infinity = std::numeric_limits<double>::infinity();
    return b.where(b.compare("Greater", columns, rows), b.number(-infinity, query.dtype), b.number(0.0, query.dtype));
}

OnnxValue scale_of(Call& c, const OnnxValue& query) {
    Builder& b = c.b;
    if (c.has("scale")) return c.value("scale", query.dtype);
    const std::int64_t width = (*query.sizes)[static_cast<std::size_t>(b.axis(query, -1))];
    if (width > 0) return b.number(1 / std::sqrt(static_cast<double>(width)), query.dtype);
    return b.map("Reciprocal", {b.map("Sqrt", {b.cast(b.size(query, -1), query.dtype)})});
}

RuleResults attention(Call& c) {
    Builder& b = c.b;
    const OnnxValue query = c.tensor("query");
    OnnxValue key = c.tensor("key");
    OnnxValue value = c.tensor("value");
    if (c.real("dropout_p") != 0) unsupported("attention with dropout");
    if (c.has("enable_gqa") && c.flag("enable_gqa")) {
        key = repeated_heads(c, key, query);
        value = repeated_heads(c, value, query);
    }
    OnnxValue scores =
        b.emit("MatMul", {b.binary("Mul", query, scale_of(c, query)), b.swap(key, -2, -1)}, {}, query.dtype);
    if (query.sizes && key.sizes) {
        scores.sizes = Dims(std::max(query.sizes->size(), key.sizes->size()), -1);
    }
    bool may_be_all_masked = false;
    if (c.has("is_causal") && c.flag("is_causal")) scores = b.binary("Add", scores, causal_mask(c, query, key));
    if (c.has("attn_mask")) {
        OnnxValue mask = c.tensor("attn_mask");
        if (mask.dtype == ScalarType::Bool) {
            const double infinity = std::numeric_limits<double>::infinity();
            mask = b.where(mask, b.number(0.0, query.dtype), b.number(-infinity, query.dtype));
            may_be_all_masked = true;
        }
        scores = b.binary("Add", scores, b.cast(mask, query.dtype));
    }
    OnnxValue weights = b.opset() >= 13 ? b.map("Softmax", {scores}, {{"axis", std::int64_t{-1}}})
                                        : b.map("Softmax", {scores}, {{"axis", b.rank(scores) - 1}});
    // A row that looks nowhere gives 0, not NaN.
    if (may_be_all_masked)
        weights = b.where(b.emit("IsNaN", {weights}, {}, ScalarType::Bool, weights.sizes), b.number(0.0, weights.dtype),
                          weights);
    const OnnxValue y = b.emit("MatMul", {weights, value}, {}, query.dtype, c.result_sizes());
    if (c.name() == "aten::_scaled_dot_product_attention_math") return RuleResults::several({y, weights});
    return y;
}

const Rule kRules[] = {
    {"aten::scaled_dot_product_attention", attention},
    {"aten::_scaled_dot_product_attention", attention},
    {"aten::_scaled_dot_product_attention_math", attention},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", attention},
    {"aten::_scaled_dot_product_fused_attention_overrideable", attention},
};

}  // namespace

std::span<const Rule> attention_rules() { return kRules; }

}  // namespace loupe::onnx_export
