// SPDX-License-Identifier: Apache-2.0
// Operators that write. ONNX's values are never written: a write makes a new value, for the tensor and for those whose
// memory it shares.
#include <algorithm>
#include <array>

#include "core/autograd/observer.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/functions.h"
#include "core/passes/fake_run.h"
#include "plugins/onnx/export/exporter.h"
#include "plugins/onnx/export/rules.h"

namespace loupe::onnx_export {
namespace {

// "aten::add_.Tensor" -> aten::add.Tensor; null when there is none.
const Operator* functional_form(const Operator& op) {
    std::string name = op.schema.name;
    if (!name.ends_with('_')) return nullptr;
    name.pop_back();
    return find_operator(name, op.schema.overload);
}

// 0, 1, ... in the base's shape: what a view does to these says which elements it has.
Tensor positions_of(IntSpan sizes) {
    static const OperatorHandle<> arange("aten::arange");
    return fn::reshape(arange(checked_numel(sizes), static_cast<std::int64_t>(ScalarType::Int64)), IValue(sizes));
}

bool is_whole_in_order(const Tensor& positions, const Dims& sizes) {
    if (!positions.defined() || positions.numel() != checked_numel(span_of(sizes))) return false;
    const Tensor dense = fn::contiguous(positions, std::int64_t{0});
    const auto* at = dense.data<std::int64_t>();
    for (std::int64_t i = 0; i < dense.numel(); ++i) {
        if (at[i] != i) return false;
    }
    return true;
}

}  // namespace

void Exporter::mark_views(const Operator& op, const Operands& arguments,
                          const std::array<std::vector<IValue>, kChoices>& inputs, const FakeResults& fakes,
                          Operands& results) {
    const auto mark = [&](Operand& result, const IValue& fake, std::size_t at, std::optional<std::size_t> element) {
        if (!result.is_tensor() || !fake.is_tensor() || result.tensor->base) return;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            const bool is_shared = arguments[i].is_tensor() && inputs[0][i].is_tensor() &&
                                   inputs[0][i].to_tensor().storage() == fake.to_tensor().storage();
            if (!is_shared) continue;
            if (inputs[0][i].to_tensor().is_same(fake.to_tensor()) && !element) {
                result = arguments[i];
                return;
            }
            TensorState& state = *result.tensor;
            state.base = arguments[i].tensor;
            state.op = &op;
            state.arguments = arguments;
            state.result = at;
            state.element = element;
            state.base_version = state.base->version;
            return;
        }
    };
    for (std::size_t r = 0; r < results.size(); ++r) {
        const IValue& fake = fakes[0][r];
        mark(results[r], fake, r, std::nullopt);
        if (results[r].kind != Operand::Kind::List || !fake.is_list()) continue;
        const auto& elements = fake.to_list().elements;
        for (std::size_t e = 0; e < elements.size() && e < results[r].list->elements.size(); ++e)
            mark(results[r].list->elements[e], elements[e], r, e);
    }
}

void Exporter::keep_for_outer_graphs(const std::shared_ptr<TensorState>& state) {
    if (journals_.empty() || state->depth >= builder_.depth()) return;
    for (const auto& [known, before] : journals_.back()) {
        if (known == state) return;
    }
    journals_.back().emplace_back(state, *state);
}

void Exporter::refresh(const std::shared_ptr<TensorState>& tensor) {
    if (!tensor->base) return;
    refresh(tensor->base);
    TensorState& state = *tensor;
    if (state.base_version == state.base->version) return;
    keep_for_outer_graphs(tensor);
    state.base_version = state.base->version;  // before the call: its arguments are refreshed in turn
    const Operands results = execute(*state.op, state.arguments);
    const Operand& result =
        state.element ? results[state.result].list->elements.at(*state.element) : results[state.result];
    state.value = result.tensor->value;
    ++state.version;
}

void Exporter::refresh(const Operand& operand) {
    if (operand.is_tensor()) refresh(operand.tensor);
    if (!operand.list) return;
    for (const Operand& each : operand.list->elements) refresh(each);
}

OnnxValue Exporter::written_base(const TensorState& view, const OnnxValue& value) {
    const OnnxValue base = view.base->value;
    Operands arguments = view.arguments;
    const auto is_base = [&](const Operand& each) { return each.is_tensor() && each.tensor == view.base; };
    const auto at = std::find_if(arguments.begin(), arguments.end(), is_base);
    OnnxValue indices = base;
    if (base.is_static()) {
        *at = tensor_operand(positions_of(span_of(*base.sizes)));
    } else {
        const OnnxValue sizes = builder_.shape(base);
        const OnnxValue count = builder_.emit("Size", {base}, {}, ScalarType::Int64, Dims());
        *at = tensor_operand(builder_.reshape(builder_.range(count), sizes, base.sizes),
                             view.base->sizes.value_or(std::array<Dims, kChoices>()));
    }
    const Operands results = execute(*view.op, arguments);
    indices =
        (view.element ? results[view.result].list->elements.at(*view.element) : results[view.result]).tensor->value;
    if (base.is_static() && is_whole_in_order(indices.constant, *base.sizes))
        return builder_.reshape(value, span_of(*base.sizes));
    const OnnxValue flat = builder_.reshape(base, std::array<std::int64_t, 1>{-1});
    const OnnxValue places = builder_.reshape(indices, std::array<std::int64_t, 1>{-1});
    const OnnxValue values = builder_.reshape(value, std::array<std::int64_t, 1>{-1});
    const OnnxValue written =
        builder_.emit("ScatterElements", {flat, places, values}, {{"axis", std::int64_t{0}}}, base.dtype, flat.sizes);
    return builder_.reshape(written, builder_.shape(base), base.sizes);
}

void Exporter::write(const std::shared_ptr<TensorState>& target, OnnxValue value) {
    if (target->depth < builder_.depth() && !journals_.empty())
        unsupported("a write, inside of a branch or loop, to a tensor from outside of it");
    value = builder_.cast(value, target->value.dtype);
    const bool is_smaller = !value.sizes || !target->value.sizes || *value.sizes != *target->value.sizes;
    if (is_smaller) value = builder_.expand(value, builder_.shape(target->value), target->value.sizes);
    const std::optional<Dims> sizes = target->value.sizes;
    target->value = std::move(value);
    target->value.sizes = sizes;
    target->is_parameter = false;
    target->elements.reset();
    ++target->version;
    if (!target->base) return;
    write(target->base, written_base(*target, target->value));
    target->base_version = target->base->version;
}

Operands Exporter::execute_in_place(const Operator& op, const Operands& arguments) {
    const Operand& target = arguments[0];
    if (op.written_arguments != 1 || !target.is_tensor() || op.result_count() > 1)
        unsupported(concat("the operator ", op.full_name, ", which writes to its arguments, has no form in ONNX"));
    const Operator* form = functional_form(op);
    OnnxValue value;
    if (const Rule* rule = find_rule(op); rule != nullptr) {
        const std::optional<FakeResults> fakes;
        Call call(*this, op, arguments, fakes);
        value = rule->write(call).values.at(0).at(0);
    } else if (form != nullptr) {
        const Operands results = execute(*form, arguments);
        value = value_of(results.at(0));
        const bool is_shape_change = form->is_view && value.sizes != target.tensor->value.sizes;
        if (is_shape_change) unsupported(concat("the operator ", op.full_name, ", which changes a tensor's shape"));
    } else if (op.is_composite()) {
        return decompose(op, arguments);
    } else {
        unsupported(concat("the operator ", op.full_name, " has no form in ONNX"));
    }
    write(target.tensor, std::move(value));
    return {target};
}

}  // namespace loupe::onnx_export
