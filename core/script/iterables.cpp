// SPDX-License-Identifier: Apache-2.0
// Iterables of for loops beside values: ranges, zip and enumerate, tuples.
#include <algorithm>

#include "core/base/strings.h"
#include "core/script/schema_matching.h"
#include "core/script/sugared_value.h"

namespace loupe::script {

RangeValue::RangeValue(Builder& builder, std::span<ir::Value* const> inputs, Range range,
                       std::optional<std::int64_t> static_length)
    : static_length_(static_length) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i]->type()->kind() == TypeKind::Int) continue;
        builder.fail(
            concat("all inputs of range must be ints, found ", inputs[i]->type()->annotation_str(), " in argument ", i),
            range);
    }
    if (inputs.empty()) builder.fail("range expected at least 1 arguments, got 0", range);
    if (inputs.size() > 3) builder.fail(concat("range expected at most 3 arguments, got ", inputs.size()), range);
    if (inputs.size() == 1) {
        end_ = inputs[0];
        // Start and step, unused as in PyTorch, so that values get the same numbers.
        builder.constant(IValue(std::int64_t{0}), range);
        builder.constant(IValue(std::int64_t{1}), range);
        return;
    }
    start_ = inputs[0];
    end_ = inputs[1];
    step_ = inputs.size() == 3 ? inputs[2] : builder.constant(IValue(std::int64_t{1}), range);
}

ir::Value* RangeValue::length(Builder& builder, Range range) {
    if (static_length_) return builder.constant(IValue(*static_length_), range);
    if (start_ == nullptr) return end_;
    return call_builtin(builder, "aten::__range_length", {start_, end_, step_}, range);
}

SugaredPtr RangeValue::item(Builder& builder, ir::Value* index, Range range) {
    if (start_ == nullptr) return simple(index);
    return simple(call_builtin(builder, "aten::__derive_index", {index, start_, step_}, range));
}

void IterableTree::add(Builder& builder, SugaredPtr child, Range range) {
    const auto length = child->static_length();
    if (children_.empty()) {
        static_length_ = length;
    } else if (static_length_.has_value() != length.has_value()) {
        builder.fail(
            "Can not iterate over a module list or tuple with a value that does not have a statically "
            "determinable length",
            range);
    } else if (length) {
        static_length_ = std::min(*static_length_, *length);
    }
    children_.push_back(std::move(child));
}

void IterableTree::collect_leaves(std::vector<SugaredPtr>& leaves) const {
    for (const SugaredPtr& child : children_) {
        if (const auto* tree = dynamic_cast<const IterableTree*>(child.get())) {
            tree->collect_leaves(leaves);
        } else {
            leaves.push_back(child);
        }
    }
}

ir::Value* IterableTree::length(Builder& builder, Range range) {
    std::vector<SugaredPtr> leaves;
    collect_leaves(leaves);
    std::vector<ir::Value*> lengths;
    for (const SugaredPtr& leaf : leaves) lengths.push_back(leaf->length(builder, range));
    return call_builtin(builder, "prim::min", {builder.list(types::integer(), lengths)}, range);
}

SugaredPtr IterableTree::item(Builder& builder, ir::Value* index, Range range) {
    std::vector<SugaredPtr> items;
    for (const SugaredPtr& child : children_) items.push_back(child->item(builder, index, range));
    return make_ptr<SugaredTuple>(std::move(items));
}

ir::Value* SugaredTuple::as_value(Builder& builder, Range range) {
    std::vector<ir::Value*> values;
    for (const SugaredPtr& element : elements_) values.push_back(element->as_value(builder, range));
    return builder.tuple(values);
}

SugaredPtr SugaredTuple::item(Builder& builder, ir::Value* index, Range range) {
    const auto constant = ir::constant_of(index);
    if (!constant || !constant->is_int()) {
        builder.fail(
            "Expected integer literal for index. ModuleList/Sequential indexing is only supported with "
            "integer literals. Enumeration is supported, e.g. 'for index, v in enumerate(self): ...'",
            range);
    }
    const auto count = static_cast<std::int64_t>(elements_.size());
    const std::int64_t given = constant->to_int();
    const std::int64_t position = given < 0 ? given + count : given;
    if (position < 0 || position >= count) {
        builder.fail(concat("Index ", given, " out of range of length ", count), range);
    }
    return elements_[static_cast<std::size_t>(position)];
}

}  // namespace loupe::script
