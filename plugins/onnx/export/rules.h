// SPDX-License-Identifier: Apache-2.0
#pragma once
// What operators are in ONNX: one rule an operator, one file a family. A rule goes for all overloads of its name unless
// it names one ("aten::where.self").

#include <span>
#include <string_view>

#include "plugins/onnx/export/call.h"

namespace loupe::onnx_export {

// One value a result; of a result that is a list, all of its elements.
class RuleResults {
  public:
    RuleResults(OnnxValue value) { values.push_back({std::move(value)}); }
    RuleResults(std::vector<OnnxValues> each) : values(std::move(each)) {}
    static RuleResults list(OnnxValues elements) { return RuleResults(std::vector<OnnxValues>{std::move(elements)}); }
    static RuleResults several(const OnnxValues& each) {
        std::vector<OnnxValues> all;
        for (const OnnxValue& value : each) all.push_back({value});
        return RuleResults(std::move(all));
    }

    std::vector<OnnxValues> values;
};

using RuleFunction = RuleResults (*)(Call& call);

struct Rule {
    std::string_view name;
    RuleFunction write;
    int opset = 11;  // the first that has what the rule writes
};

// clang-format off
#define LOUPE_ONNX_RULES(FAMILY)                                                                              \
    FAMILY(activation_rules) FAMILY(arithmetic_rules) FAMILY(attention_rules) FAMILY(comparison_rules)        \
    FAMILY(convolution_rules) FAMILY(creation_rules) FAMILY(indexing_rules) FAMILY(joining_rules)              \
    FAMILY(matrix_rules) FAMILY(normalization_rules) FAMILY(number_rules) FAMILY(pooling_rules)                \
    FAMILY(random_rules) FAMILY(recurrent_rules) FAMILY(reduction_rules) FAMILY(resize_rules)                  \
    FAMILY(shape_rules) FAMILY(sorting_rules) FAMILY(unary_rules) FAMILY(vision_rules) FAMILY(loss_rules)    \
    FAMILY(window_rules)
// clang-format on
#define LOUPE_DECLARE_RULES(family) std::span<const Rule> family();
LOUPE_ONNX_RULES(LOUPE_DECLARE_RULES)
#undef LOUPE_DECLARE_RULES

// Null when there is none.
const Rule* find_rule(const Operator& op);
std::vector<const Rule*> all_rules();

}  // namespace loupe::onnx_export
