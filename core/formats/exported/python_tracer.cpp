// SPDX-License-Identifier: Apache-2.0
// Operators of a traced program that Python runs itself, and those that programs of torch.export have under other
// names.
#include <algorithm>
#include <array>

#include "core/autograd/observer.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/dispatch.h"
#include "core/formats/exported/number_operators.h"
#include "core/formats/exported/program_tracer.h"
#include "core/ir/schema_match.h"

namespace loupe::exported {
namespace {

std::vector<IValue> run_really(const Operator& op, const std::vector<IValue>& inputs) {
    const ObserverScope unobserved(nullptr);
    std::vector<IValue> results(op.result_count());
    call_operator(op, inputs, results.data());
    return results;
}

bool is_generic(const TypePtr& type) {
    if (type->kind() == TypeKind::Var || type->kind() == TypeKind::Any || type->kind() == TypeKind::AnyList)
        return true;
    const auto& parts = type->contained();
    return std::ranges::any_of(parts, [](const TypePtr& part) { return is_generic(part); });
}

IValue argument_named(const Operator& op, const std::vector<IValue>& inputs, std::string_view name) {
    const auto at = op.schema.find_argument(name);
    return at ? inputs[*at] : IValue();
}

}  // namespace

ProgramTracer::Inputs ProgramTracer::call_python(const Operator& op, Inputs inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const bool is_written = (op.written_arguments >> i & 1) != 0 && !inputs[i].is_tensor();
        if (is_written && !made_inside_.empty() && !made_inside_.back().contains(inputs[i].object_pointer()))
            throw Error(ErrorKind::Unsupported,
                        "changes a container of before in a part that elements of tensors decide");
    }
    bool is_symbolic = false;
    for (std::size_t i = 0; i < inputs.size() && i < op.schema.arguments.size(); ++i)
        is_symbolic = is_symbolic || (holds_number(inputs[i]) && !is_generic(op.schema.arguments[i].type));
    if (!is_symbolic) return run_really(op, inputs);
    Inputs examples;
    for (const IValue& each : inputs) examples.push_back(values_.concrete(each, TracedValues::kExample));
    const Inputs results = run_really(op, examples);
    if (results.size() != 1) throw Error(ErrorKind::Unsupported, "takes a number that depends on the inputs");
    std::vector<IValue> samples;
    bool is_same = true;
    for (std::size_t s = 0; s < TracedValues::kSamples; ++s) {
        Inputs of_sample;
        for (const IValue& each : inputs) of_sample.push_back(values_.concrete(each, s));
        samples.push_back(run_really(op, of_sample).at(0));
        is_same = is_same && values_equal(samples.back(), results[0]);
    }
    if (results[0].is_number()) {
        if (const auto number = call_on_numbers(op.schema.name, inputs, results[0], samples))
            return {IValue::other(number)};
    }
    // An answer that is the same for all sizes is no expression of them.
    bool is_data = false;
    for (const IValue& each : inputs) {
        const auto number = number_in(each);
        is_data = is_data || (number && number->is_data);
    }
    if (is_same && !is_data) return results;
    throw Error(ErrorKind::Unsupported,
                "takes a number that depends on the inputs, which a program of torch.export cannot say");
}

// Operators that only TorchScript has.
ProgramTracer::Inputs ProgramTracer::translated(const Operator& op, const Inputs& inputs, bool& is_done) {
    const std::string& name = op.schema.name;
    const std::string& overload = op.schema.overload;
    is_done = true;
    if (name == "prim::data") return {call_by_name("aten::detach", {inputs[0]})};
    if (name == "prim::abs" && inputs[0].is_tensor()) return {call_by_name("aten::abs", {inputs[0]})};
    if (name == "aten::cpu") return {inputs[0]};
    if (name == "aten::as_tensor" && overload.empty() && inputs[0].is_tensor()) {
        const IValue dtype = argument_named(op, inputs, "dtype");
        return {dtype.is_none() ? inputs[0] : call_by_name("aten::to.dtype", {inputs[0], dtype})};
    }
    if (name == "aten::to" && overload.starts_with("prim_")) {
        const IValue dtype = argument_named(op, inputs, "dtype");
        const IValue copy = argument_named(op, inputs, "copy");
        const IValue device = argument_named(op, inputs, "device");
        const IValue wanted =
            dtype.is_none() ? IValue(static_cast<std::int64_t>(inputs[0].to_tensor().dtype())) : dtype;
        if (device.is_device() && device.to_device() != Device{})
            return {call_by_name("aten::to.device", {inputs[0], device, wanted, IValue(false), copy})};
        return {call_by_name("aten::to.dtype", {inputs[0], wanted, IValue(false), copy})};
    }
    if (name == "aten::_local_scalar_dense" || name == "aten::item") {
        is_done = false;
        return {};
    }
    is_done = false;
    return {};
}

// torch.tensor of numbers: a constant, or made of the numbers that depend on the inputs. A tensor of a trace that
// stands for a number.
IValue ProgramTracer::new_tensor(const Operator& op, const Inputs& inputs) {
    Inputs examples;
    for (const IValue& each : inputs) examples.push_back(values_.concrete(each, TracedValues::kExample));
    if (op.schema.name == "prim::NumToTensor") {
        const Tensor made = run_really(op, examples).at(0).to_tensor();
        TensorFacts& facts = values_.add_fixed(made);
        facts.number = inputs[0];
        facts.is_known = !number_in(inputs[0]);
        return IValue(made);
    }
    IValue dtype = argument_named(op, inputs, "dtype");
    const auto scalar = [&](const IValue& number) {
        const bool is_float = number_in(number) ? number_in(number)->kind == TypeKind::Float : number.is_double();
        const bool is_bool = number_in(number) ? number_in(number)->kind == TypeKind::Bool : number.is_bool();
        const ScalarType own = is_float ? ScalarType::Float32 : is_bool ? ScalarType::Bool : ScalarType::Int64;
        return call_by_name("aten::scalar_tensor",
                            {number, dtype.is_none() ? IValue(static_cast<std::int64_t>(own)) : dtype});
    };
    if (!holds_number(inputs[0])) {
        const Tensor made = run_really(op, examples).at(0).to_tensor();
        return call_by_name("aten::lift_fresh_copy", {IValue(stand_in_tensor(made, {}))});
    }
    const std::function<IValue(const IValue&)> stacked = [&](const IValue& value) -> IValue {
        if (!value.is_list()) return scalar(value);
        TensorList parts;
        for (const IValue& each : value.to_list().elements) parts.push_back(stacked(each).to_tensor());
        return call_by_name("aten::stack", {IValue(parts), IValue(0)});
    };
    return stacked(inputs[0]);
}

// Arithmetic on tensors that a trace made of sizes is arithmetic on the sizes.
ProgramTracer::Inputs ProgramTracer::of_number_tensors(const Operator& op, const Inputs& inputs, bool& is_done) {
    static constexpr std::array<std::string_view, 8> kNames{"aten::add",       "aten::sub", "aten::mul",
                                                            "aten::div",       "aten::neg", "aten::floor_divide",
                                                            "aten::remainder", "aten::rsub"};
    if (std::ranges::find(kNames, op.schema.name) == kNames.end()) return {};
    Inputs numbers;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Argument& formal = op.schema.arguments[i];
        if (formal.name == "alpha" && inputs[i].is_int() && inputs[i].to_int() == 1) continue;
        if (inputs[i].is_tensor()) {
            const TensorFacts* facts = values_.find(inputs[i].to_tensor());
            if (facts == nullptr || facts->number.is_none()) return {};
            numbers.push_back(facts->number);
        } else {
            numbers.push_back(inputs[i]);
        }
    }
    std::string name = op.schema.name == "aten::floor_divide" ? "aten::floordiv" : op.schema.name;
    if (name == "aten::rsub" && numbers.size() == 2) {
        std::swap(numbers[0], numbers[1]);
        name = "aten::sub";
    }
    const bool has_mode = numbers.size() == 3 && name == "aten::div";
    const std::string mode = has_mode && numbers[2].is_string() ? numbers[2].to_string() : std::string();
    if (has_mode) numbers.pop_back();
    if (mode == "floor" || mode == "trunc") name = "aten::floordiv";  // sizes are not negative
    std::vector<TypePtr> argument_types;
    for (const IValue& each : numbers) {
        const auto number = number_in(each);
        argument_types.push_back(type_of(number ? number->hint : each));
    }
    const Operator* on_numbers = ir::match_operator(name, argument_types);
    if (on_numbers == nullptr || on_numbers->tensor_arguments != 0) return {};
    const Inputs results = call_python(*on_numbers, numbers);
    const IValue example = values_.concrete(results.at(0), TracedValues::kExample);
    const Tensor made = wrapped_number(example.to_scalar());
    TensorFacts& facts = values_.add_fixed(made);
    facts.number = results[0];
    facts.is_known = !number_in(results[0]);
    is_done = true;
    return {IValue(made)};
}

// Results whose sizes elements decide: a size of their own.
ProgramTracer::Inputs ProgramTracer::sized_by_data(const Operator& op, const Inputs& inputs, bool& is_done) {
    using Kind = SymbolExpression::Kind;
    const std::string& name = op.schema.name;
    const Tensor self = !inputs.empty() && inputs[0].is_tensor() ? inputs[0].to_tensor() : Tensor();
    const auto give = [&](const std::vector<Tensor>& tensors) {
        Inputs results;
        for (const Tensor& each : tensors) results.emplace_back(each);
        recorder_->add_call(op, inputs, results, true);
        is_done = true;
        return results;
    };
    if (!self.defined()) return {};
    const SymbolExpression rank{Kind::Number, self.dim()};
    if (name == "aten::nonzero" || name == "aten::argwhere") {
        TensorFacts& made = values_.add_sized(ScalarType::Int64, {values_.add_data_size(), rank});
        return give({made.tensor});
    }
    if (name == "aten::masked_select") {
        TensorFacts& made = values_.add_sized(self.dtype(), {values_.add_data_size()});
        return give({made.tensor});
    }
    if (name == "aten::_unique2" || name == "aten::_unique" || name == "aten::unique_consecutive") {
        const SymbolExpression count = values_.add_data_size();
        const SymbolExpression none{Kind::Number, 0};
        const Tensor unique = values_.add_sized(self.dtype(), {count}).tensor;
        const bool has_inverse = argument_named(op, inputs, "return_inverse").to_bool();
        const IValue counts = argument_named(op, inputs, "return_counts");
        const std::vector<SymbolExpression> sizes = values_.at(self).sizes;
        const Tensor inverse = values_.add_sized(ScalarType::Int64, has_inverse ? sizes : std::vector{none}).tensor;
        if (op.result_count() == 2) return give({unique, inverse});
        const bool has_counts = counts.is_bool() && counts.to_bool();
        return give({unique, inverse, values_.add_sized(ScalarType::Int64, {has_counts ? count : none}).tensor});
    }
    if (name == "aten::index" && inputs.size() == 2 && inputs[1].is_list()) {
        const bool has_mask = std::ranges::any_of(inputs[1].to_list().elements, [](const IValue& each) {
            return each.is_tensor() &&
                   (each.to_tensor().dtype() == ScalarType::Bool || each.to_tensor().dtype() == ScalarType::UInt8);
        });
        if (!has_mask) return {};
        // As many indices as the mask has elements that are set.
        const SymbolExpression count = values_.add_data_size();
        std::vector<IValue> indices;
        for (const IValue& each : inputs[1].to_list().elements) {
            const bool is_mask =
                each.is_tensor() && is_integral(each.to_tensor().dtype()) && each.to_tensor().element_size() == 1;
            const std::int64_t dims = is_mask ? each.to_tensor().dim() : 1;
            for (std::int64_t d = 0; d < dims; ++d)
                indices.push_back(is_mask ? IValue(values_.add_sized(ScalarType::Int64, {count}).tensor) : each);
        }
        const IValue list = make_ptr<ListObject>(types::optional(types::tensor()), std::move(indices));
        const Inputs as_indices{inputs[0], list};
        Inputs results = run_on_fakes(op, {values_.concrete(inputs[0], TracedValues::kExample), list});
        std::vector<IValue> samples;
        for (std::size_t s = 0; s < TracedValues::kSamples; ++s)
            samples.push_back(run_on_fakes(op, {values_.concrete(inputs[0], s), values_.concrete(list, s)}).at(0));
        with_facts(results[0], samples, as_indices);
        return give({results[0].to_tensor()});
    }
    return {};
}

}  // namespace loupe::exported
