// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "core/base/strings.h"
#include "core/script/emitter.h"

namespace loupe::script {
namespace {

bool is_optional_tensor(const Type& type) { return type.is_subtype_of(*types::optional(types::tensor())); }

// How many elements a slice of a sequence takes; start and stop are clamped as Python does.
std::int64_t slice_length(std::int64_t length, std::int64_t& start, std::int64_t& stop, std::int64_t step) {
    const auto clamp = [&](std::int64_t& index) {
        if (index < 0) index = std::max<std::int64_t>(index + length, step < 0 ? -1 : 0);
        if (index >= length) index = step < 0 ? length - 1 : length;
    };
    clamp(start);
    clamp(stop);
    if (step < 0) return stop < start ? (start - stop - 1) / -step + 1 : 0;
    return start < stop ? (stop - start - 1) / step + 1 : 0;
}

}  // namespace

SugaredPtr Emitter::emit_subscript(const Subscript& subscript, const TypePtr& hint) {
    const SugaredPtr sugared = emit_sugared(*subscript.value);
    const Range range = subscript.range;
    if (subscript.indices.size() != 1) {
        return simple(
            emit_tensor_subscript(sugared->as_value(builder_, subscript.value->range), subscript.indices, range));
    }
    const Expr& index = *subscript.indices.front();
    if (const auto* slice = as<Slice>(&index)) {
        if (sugared->static_length()) return emit_static_slice(*sugared, *slice, range);
        ir::Value* value = sugared->as_value(builder_, subscript.value->range);
        if (value->type()->kind() == TypeKind::Tuple) return simple(emit_tuple_slice(value, *slice, range));
        ir::Value* dimension = is_tensor(value->type()) ? builder_.constant(IValue(std::int64_t{0}), range) : nullptr;
        return simple(emit_slice(value, dimension, *slice, range));
    }
    ir::Value* value = simple_value(sugared);
    if (value != nullptr && is_tensor(value->type())) {
        return simple(emit_tensor_subscript(value, subscript.indices, range));
    }
    ir::Value* position = emit_value(index);
    if (value != nullptr && value->type()->kind() == TypeKind::Tuple) {
        return simple(emit_tuple_index(value, position, range));
    }
    if (dynamic_cast<const BuiltinValue*>(sugared.get()) != nullptr)
        sugared->as_value(builder_, subscript.value->range);
    return sugared->item_of_type(builder_, position, hint, range);
}

ir::Value* Emitter::emit_tensor_subscript(ir::Value* tensor, Exprs indices, Range range) {
    if (!is_tensor(tensor->type())) {
        fail("Unsupported operation: attempted to use multidimensional indexing on a non-tensor type", range);
    }
    const auto [place, tensors] = emit_basic_indexing(tensor, indices, range);
    if (tensors.empty()) return place;
    ir::Value* list = builder_.list(types::optional(types::tensor()), tensors);
    return call_builtin(builder_, "aten::index", {place, list}, range);
}

// Evaluates an index. dim: the dimension that it indexes; returns that of the next index.
std::int64_t Emitter::place_index(const Expr& index, std::size_t i, std::int64_t dimension, bool from_end,
                                  std::vector<ir::Value*>& values, Range range) {
    const std::int64_t next = from_end ? dimension - 1 : dimension + 1;
    if (index.kind == ExprKind::Slice) return next;
    ir::Value* value = emit_value(index);
    if (value->type()->kind() == TypeKind::List) {
        const NamedValue data{range, {}, value};
        const NamedValue dtype{range, "dtype", builder_.constant(IValue(static_cast<std::int64_t>(ScalarType::Int64)))};
        value =
            call_builtin(builder_, ir::Symbol::intern("aten::tensor"), CallArguments{{&data, 1}, {&dtype, 1}}, range);
    }
    values[i] = value;
    if (value->type()->kind() == TypeKind::None) return from_end ? dimension : next;
    if (value->type()->kind() == TypeKind::Int) return from_end ? next : dimension;
    if (is_optional_tensor(*value->type())) {
        if (from_end) fail("Ellipses followed by tensor indexing is currently not supported", range);
        return next;
    }
    fail(concat("Unsupported operation: indexing tensor with unsupported index type '", value->type()->annotation_str(),
                "'. Only ints, slices, lists and tensors are supported"),
         range);
}

std::pair<ir::Value*, std::vector<ir::Value*>> Emitter::emit_basic_indexing(ir::Value* tensor, Exprs indices,
                                                                            Range range) {
    std::vector<std::int64_t> dimensions(indices.size());
    std::vector<ir::Value*> values(indices.size());
    const auto is_ellipsis = [](const Expr* index) { return index->kind == ExprKind::Ellipsis; };
    std::size_t first = 0;
    std::int64_t dimension = 0;
    for (; first < indices.size() && !is_ellipsis(indices[first]); ++first) {
        dimensions[first] = dimension;
        dimension = place_index(*indices[first], first, dimension, false, values, range);
    }
    dimension = -1;
    for (std::size_t i = indices.size(); i-- > first + 1;) {
        if (is_ellipsis(indices[i])) fail("An index can only have a single ellipsis ('...')", range);
        dimensions[i] = dimension;
        dimension = place_index(*indices[i], i, dimension, true, values, range);
    }
    std::vector<ir::Value*> tensors;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        if (is_ellipsis(indices[i])) continue;
        const auto dimension_value = [&] { return builder_.constant(IValue(dimensions[i]), range); };
        if (values[i] == nullptr) {
            tensor = emit_slice(tensor, dimension_value(), *as<Slice>(indices[i]), range);
        } else if (values[i]->type()->kind() == TypeKind::None) {
            tensor = call_builtin(builder_, "aten::unsqueeze", {tensor, dimension_value()}, range);
        } else if (values[i]->type()->kind() == TypeKind::Int) {
            tensor = call_builtin(builder_, "aten::select", {tensor, dimension_value(), values[i]}, range);
        } else {
            const auto place = static_cast<std::size_t>(dimensions[i]);
            tensors.resize(std::max(tensors.size(), place + 1));
            tensors[place] = values[i];
        }
    }
    for (ir::Value*& each : tensors) {
        if (each == nullptr) each = builder_.constant(IValue());
    }
    return {tensor, tensors};
}

// dimension: null for lists and strings.
ir::Value* Emitter::emit_slice(ir::Value* sliced, ir::Value* dimension, const Slice& slice, Range range) {
    ir::Value* start = slice.start != nullptr ? emit_value(*slice.start) : nullptr;
    ir::Value* stop = slice.stop != nullptr ? emit_value(*slice.stop) : nullptr;
    ir::Value* step = slice.step != nullptr ? emit_value(*slice.step) : nullptr;
    std::vector<NamedValue> arguments = {{range, {}, sliced}};
    if (dimension != nullptr) arguments.push_back({range, {}, dimension});
    if (start == nullptr) start = builder_.constant(IValue(), range);
    if (stop == nullptr) stop = builder_.constant(IValue(), range);
    arguments.push_back({range, {}, start});
    arguments.push_back({range, {}, stop});
    if (step == nullptr) step = builder_.constant(IValue(std::int64_t{1}), range);
    const NamedValue step_argument{range, "step", step};
    return call_builtin(builder_, ir::Symbol::intern("aten::slice"), CallArguments{arguments, {&step_argument, 1}},
                        range);
}

ir::Value* Emitter::emit_tuple_index(ir::Value* tuple, ir::Value* index, Range range) {
    const auto& elements = tuple->type()->contained();
    if (index->type()->kind() != TypeKind::Int) fail("tuple index must be an integer", range);
    const auto constant = ir::constant_of(index);
    if (!constant) {
        const bool is_uniform =
            !elements.empty() && std::all_of(elements.begin(), elements.end(), [&](const TypePtr& each) {
                return each->is_subtype_of(*elements.front());
            });
        if (!is_uniform) {
            fail(concat("Cannot index into a ", tuple->type()->annotation_str(),
                        " with a non-integer literal because we cannot resolve the output type"),
                 range);
        }
        return builder_.tuple_index(tuple, index, elements.front());
    }
    const auto count = static_cast<std::int64_t>(elements.size());
    const std::int64_t given = constant->to_int();
    const std::int64_t position = given < 0 ? given + count : given;
    if (position < 0 || position >= count) {
        fail(concat("Tuple index out of range. Tuple is length ", count, " and index is ", given), range);
    }
    return builder_.tuple_index(tuple, index, elements[static_cast<std::size_t>(position)]);
}

std::vector<std::size_t> Emitter::static_positions(std::size_t count, const Slice& slice, Range range) {
    const auto constant = [&](const Expr* expression, std::int64_t otherwise) {
        if (expression == nullptr) return otherwise;
        const auto value = ir::constant_of(emit_value(*expression));
        if (!value || !value->is_int()) fail("tuple slice indices must be integer constants", range);
        return value->to_int();
    };
    const std::int64_t step = constant(slice.step, 1);
    if (step == 0) fail("slice step cannot be zero", range);
    const auto length = static_cast<std::int64_t>(count);
    std::int64_t start = constant(slice.start, step < 0 ? length - 1 : 0);
    std::int64_t stop = constant(slice.stop, step < 0 ? std::numeric_limits<std::int64_t>::min() / 2 : length);
    const std::int64_t taken = slice_length(length, start, stop, step);
    std::vector<std::size_t> positions;
    for (std::int64_t i = 0; i < taken; ++i) positions.push_back(static_cast<std::size_t>(start + i * step));
    return positions;
}

ir::Value* Emitter::emit_tuple_slice(ir::Value* tuple, const Slice& slice, Range range) {
    const std::vector<std::size_t> positions = static_positions(tuple->type()->contained().size(), slice, range);
    std::vector<ir::Value*> taken;
    for (const std::size_t position : positions) {
        ir::Value* index = builder_.constant(IValue(static_cast<std::int64_t>(position)), range);
        taken.push_back(builder_.tuple_index(tuple, index, tuple->type()->contained()[position]));
    }
    return builder_.tuple(taken);
}

// Of the modules of a container.
SugaredPtr Emitter::emit_static_slice(Sugared& sliced, const Slice& slice, Range range) {
    const std::vector<SugaredPtr> elements = sliced.as_tuple(builder_, range, std::nullopt);
    std::vector<SugaredPtr> taken;
    for (const std::size_t position : static_positions(elements.size(), slice, range))
        taken.push_back(elements[position]);
    return make_ptr<SugaredTuple>(std::move(taken));
}

}  // namespace loupe::script
