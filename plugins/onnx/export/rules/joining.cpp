// SPDX-License-Identifier: Apache-2.0
#include "plugins/onnx/export/rules.h"

namespace loupe::onnx_export {
namespace {

bool is_sequence(Call& c) { return c.operand("tensors").list && c.operand("tensors").list->sequence; }

RuleResults joined_sequence(Call& c, std::int64_t is_new) {
    const OnnxValue sequence = *c.operand("tensors").list->sequence;
    const std::int64_t axis = c.integer("dim");
    std::optional<Dims> sizes = sequence.sizes;
    if (sizes && is_new != 0) {
        const std::int64_t at = wrap_dim(axis, static_cast<std::int64_t>(sizes->size()) + 1);
        sizes->insert(sizes->begin() + at, -1);
    } else if (sizes) {
        (*sizes)[static_cast<std::size_t>(wrap_dim(axis, static_cast<std::int64_t>(sizes->size())))] = -1;
    }
    return c.b.emit("ConcatFromSequence", {sequence}, {{"axis", axis}, {"new_axis", is_new}}, sequence.dtype, sizes);
}

RuleResults cat(Call& c) {
    if (is_sequence(c)) return joined_sequence(c, 0);
    const ScalarType dtype = c.common({"tensors"});
    OnnxValues parts;
    for (const OnnxValue& part : c.tensors("tensors", dtype)) {
        // A tensor of no elements and one dimension is passed over, whatever the others' dimensions.
        const bool is_nothing = part.sizes && part.sizes->size() == 1 && (*part.sizes)[0] == 0;
        if (!is_nothing) parts.push_back(part);
    }
    if (parts.empty()) return c.tensors("tensors", dtype).at(0);
    return c.b.joined(parts, c.b.axis(parts[0], c.integer("dim")));
}

RuleResults stack(Call& c) {
    if (is_sequence(c)) return joined_sequence(c, 1);
    OnnxValues parts = c.tensors("tensors", c.common({"tensors"}));
    const std::int64_t axis = wrap_dim(c.integer("dim"), c.b.rank(parts.at(0)) + 1);
    for (OnnxValue& part : parts) part = c.b.unsqueeze(part, {axis});
    return c.b.joined(parts, axis);
}

const Rule kRules[] = {
    {"aten::cat", cat},
    {"aten::concat", cat},
    {"aten::concatenate", cat},
    {"aten::stack", stack},
};

}  // namespace

std::span<const Rule> joining_rules() { return kRules; }

}  // namespace loupe::onnx_export
