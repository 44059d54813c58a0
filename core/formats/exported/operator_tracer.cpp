// SPDX-License-Identifier: Apache-2.0
// Operators of a traced program: on tensors nodes of it, on Python's own values run.
#include <algorithm>
#include <array>
#include <unordered_set>

#include "core/autograd/observer.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/dispatch.h"
#include "core/formats/exported/expression_fit.h"
#include "core/formats/exported/number_operators.h"
#include "core/formats/exported/program_tracer.h"
#include "core/passes/fake_run.h"

namespace loupe::exported {
namespace {

// Elements of constants that are computed with, so that numbers read from them are known.
constexpr std::int64_t kFewElements = 4096;

bool is_tensor_type(const TypePtr& type) {
    if (type->kind() == TypeKind::Optional || type->kind() == TypeKind::List) return is_tensor_type(type->element());
    return type->kind() == TypeKind::Tensor;
}

bool gives_tensors(const Operator& op) {
    return std::ranges::any_of(op.schema.returns, [](const Argument& each) { return is_tensor_type(each.type); });
}

// What only Python or a profiler sees.
bool has_no_node(const Operator& op) {
    static const std::unordered_set<std::string_view> kOperatorNames = {
        "aten::warn", "aten::retain_grad", "profiler::_record_function_enter", "profiler::_record_function_exit",
        "profiler::_record_function_enter_new"};
    return kOperatorNames.contains(op.schema.name);
}

// In place, on sizes and strides.
bool changes_metadata(const Operator& op) {
    static const std::unordered_set<std::string_view> kOperatorNames = {
        "aten::transpose_",  "aten::t_",        "aten::squeeze_", "aten::unsqueeze_",
        "aten::swapaxes_",   "aten::swapdims_", "aten::resize_",  "aten::resize_as_",
        "aten::as_strided_", "aten::set_",      "aten::set_data", "aten::squeeze_dims_"};
    return kOperatorNames.contains(op.schema.name);
}

// It must run once only.
bool writes_container(const Operator& op, const std::vector<IValue>& inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if ((op.written_arguments >> i & 1) != 0 && !inputs[i].is_tensor()) return true;
    }
    return false;
}

std::int64_t elements_of(const IValue& value) {
    std::int64_t count = 0;
    visit_tensors(value, [&](const Tensor& t) { count += t.defined() ? t.numel() : 0; });
    return count;
}

std::vector<IValue> run_really(const Operator& op, const std::vector<IValue>& inputs) {
    const ObserverScope unobserved(nullptr);
    std::vector<IValue> results(op.result_count());
    call_operator(op, inputs, results.data());
    return results;
}

}  // namespace

ProgramTracer::Inputs ProgramTracer::run_operator(const Operator& op, Inputs inputs) {
    try {
        const std::string& name = op.schema.name;
        if (has_no_node(op)) return Inputs(op.result_count());
        if (name == "aten::set_grad_enabled") return set_grad_mode(inputs[0].to_bool());
        if (name == "aten::_enter_autocast") return enter_autocast(inputs);
        if (name == "aten::_exit_autocast") {
            end_region("torch.ops.higher_order.wrap_with_autocast");
            return {};
        }
        bool is_done = false;
        Inputs results = translated(op, inputs, is_done);
        if (is_done) return results;
        bool has_tensor = false;
        for (const IValue& each : inputs) has_tensor = has_tensor || each.is_tensor();
        if (!gives_tensors(op)) {
            const bool is_pythons = (!has_tensor && op.list_arguments == 0) || writes_container(op, inputs);
            if (is_pythons || op.schema.returns.empty()) {
                // An assertion about sizes is a node.
                const bool asserts = op.schema.returns.empty() && std::ranges::any_of(inputs, holds_number);
                if (is_pythons && !asserts) return call_python(op, std::move(inputs));
                return record(op, inputs);
            }
            Inputs examples;
            for (const IValue& each : inputs) examples.push_back(values_.concrete(each, TracedValues::kExample));
            return passes::run_on_fakes(op, examples) ? read_metadata(op, inputs) : read_elements(op, inputs);
        }
        if (op.family == "numbers") {
            if (name != "prim::NumToTensor") return call_python(op, std::move(inputs));
            return {new_tensor(op, inputs)};
        }
        if (op.schema.name == "aten::tensor" || op.schema.name == "aten::as_tensor") return {new_tensor(op, inputs)};
        results = of_number_tensors(op, inputs, is_done);
        if (is_done) return results;
        results = sized_by_data(op, inputs, is_done);
        return is_done ? results : record(op, inputs);
    } catch (Error& error) {
        error.add_context({.op = op.schema.name});
        throw;
    }
}

IValue ProgramTracer::call_by_name(std::string_view full_name, Inputs inputs) {
    const Operator* op = find_operator(full_name);
    if (op == nullptr) throw Error(ErrorKind::Internal, concat("no operator ", full_name));
    for (std::size_t i = inputs.size(); i < op->argument_count(); ++i)
        inputs.push_back(op->schema.arguments[i].default_value.value_or(IValue()));
    const Inputs results = run_operator(*op, std::move(inputs));
    return results.empty() ? IValue() : results[0];
}

// --- on tensors ---

// In-place operators give their argument, so that nothing is written.
ProgramTracer::Inputs ProgramTracer::run_on_fakes(const Operator& op, const Inputs& inputs) {
    const bool writes = op.written_arguments != 0 || op.written_elements != 0;
    if (writes && !changes_metadata(op)) {
        Inputs results;
        for (const std::int8_t alias : op.result_alias) {
            if (alias < 0 || !inputs[static_cast<std::size_t>(alias)].is_tensor()) break;
            results.push_back(inputs[static_cast<std::size_t>(alias)]);
        }
        if (results.size() == op.result_count()) return results;
    }
    auto results = passes::run_on_fakes(op, inputs);
    if (!results) throw Error(ErrorKind::Unsupported, "the size of its result depends on elements of tensors");
    return *std::move(results);
}

bool ProgramTracer::are_known(const Inputs& inputs) {
    bool has_tensor = false;
    bool is_known = true;
    for (const IValue& input : inputs) {
        is_known = is_known && !holds_number(input);
        visit_tensors(input, [&](const Tensor& t) {
            has_tensor = true;
            const TensorFacts* facts = values_.find(t);
            is_known = is_known && facts != nullptr && facts->is_known && t.numel() <= kFewElements;
        });
    }
    return has_tensor && is_known;
}

IValue ProgramTracer::with_facts(const IValue& result, const std::vector<IValue>& samples, const Inputs& inputs) {
    if (result.is_list()) {
        const auto& elements = result.to_list().elements;
        for (std::size_t i = 0; i < elements.size(); ++i) {
            std::vector<IValue> parts;
            for (const IValue& sample : samples) {
                if (sample.to_list().elements.size() != elements.size())
                    throw Error(ErrorKind::Unsupported, "the number of results depends on the sizes of inputs");
                parts.push_back(sample.to_list().elements[i]);
            }
            with_facts(elements[i], parts, inputs);
        }
        return result;
    }
    if (!result.is_tensor()) return result;
    std::vector<Tensor> fakes;
    for (const IValue& sample : samples) fakes.push_back(sample.to_tensor());
    values_.add_result(result.to_tensor(), std::move(fakes), inputs);
    return result;
}

ProgramTracer::Inputs ProgramTracer::record(const Operator& op, const Inputs& given) {
    // Numbers stand where the schema has tensors; tensors that a trace made of numbers are made here otherwise.
    Inputs inputs = given;
    Inputs written = given;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (given[i].is_tensor()) {
            TensorFacts* facts = values_.find(given[i].to_tensor());
            if (facts == nullptr || facts->number.is_none()) continue;
            if (i > 0 && op.schema.arguments[i].type->kind() == TypeKind::Tensor)
                written[i] = facts->number;
            else
                written[i] = inputs[i] = materialized(given[i].to_tensor());
        } else if (given[i].is_list()) {
            visit_tensors(given[i], [&](const Tensor& t) {
                if (const TensorFacts* facts = values_.find(t); facts != nullptr && !facts->number.is_none())
                    materialized(t);
            });
        }
    }
    const bool is_pure = op.is_pure() && op.unmarked_writes == 0 && op.result_count() > 0;
    const bool is_known = is_pure && are_known(inputs);
    Inputs examples;
    for (const IValue& each : inputs) examples.push_back(values_.concrete(each, TracedValues::kExample));
    Inputs results = is_known ? run_really(op, examples) : run_on_fakes(op, examples);
    std::vector<Inputs> samples;
    if (std::ranges::any_of(inputs, [&](const IValue& each) { return values_.varies(each); })) {
        for (std::size_t s = 0; s < TracedValues::kSamples; ++s) {
            Inputs of_sample;
            for (const IValue& each : inputs) of_sample.push_back(values_.concrete(each, s));
            samples.push_back(run_on_fakes(op, of_sample));
        }
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
        const bool is_argument = std::ranges::any_of(inputs, [&](const IValue& each) {
            return results[i].is_tensor() && each.is_tensor() && each.is_same(results[i]);
        });
        if (is_argument && !changes_metadata(op)) continue;
        std::vector<IValue> of_result;
        for (const Inputs& sample : samples) of_result.push_back(sample[i]);
        with_facts(results[i], of_result, inputs);
        const bool is_small = elements_of(results[i]) <= kFewElements;
        visit_tensors(results[i], [&](const Tensor& t) { values_.at(t).is_known = is_known && is_small; });
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const bool is_written = ((op.written_arguments | op.unmarked_writes) >> i & 1) != 0;
        if (is_written && inputs[i].is_tensor()) values_.forget_elements(inputs[i].to_tensor());
    }
    recorder_->add_call(op, written, results, is_pure);
    return results;
}

// A number as a tensor, in the graph.
Tensor ProgramTracer::materialized(const Tensor& tensor) {
    if (recorder_->has(tensor)) return tensor;
    const TensorFacts& facts = values_.at(tensor);
    const IValue made =
        call_by_name("aten::scalar_tensor", {facts.number, IValue(static_cast<std::int64_t>(tensor.dtype()))});
    recorder_->bind(tensor, recorder_->name_of(made.to_tensor()));
    return tensor;
}

// --- what Python reads of tensors ---

ProgramTracer::Inputs ProgramTracer::read_metadata(const Operator& op, const Inputs& inputs) {
    const std::string& name = op.schema.name;
    const Tensor tensor = inputs[0].is_tensor() ? inputs[0].to_tensor() : Tensor();
    const TensorFacts* facts = tensor.defined() ? values_.find(tensor) : nullptr;
    const bool varies = facts != nullptr && !facts->samples.empty();
    if (!varies) {
        Inputs concrete;
        for (const IValue& each : inputs) concrete.push_back(values_.concrete(each, TracedValues::kExample));
        return run_really(op, concrete);
    }
    const auto size = [&](std::size_t d) {
        return values_.size_number(facts->sizes[d], tensor, "torch.ops.aten.sym_size.int",
                                   static_cast<std::int64_t>(d));
    };
    const auto stride = [&](std::size_t d) {
        return values_.size_number(facts->strides[d], tensor, "torch.ops.aten.sym_stride.int",
                                   static_cast<std::int64_t>(d));
    };
    const auto all = [&](const auto& one) {
        std::vector<IValue> list;
        for (std::size_t d = 0; d < facts->sizes.size(); ++d) list.push_back(one(d));
        return Inputs{IValue(make_ptr<ListObject>(types::integer(), std::move(list)))};
    };
    const auto at = [&] { return static_cast<std::size_t>(wrap_dim(inputs[1].to_int(), tensor.dim())); };
    const bool is_of_one = op.schema.overload == "int";
    if (name == "aten::size" || name == "aten::sym_size") return is_of_one ? Inputs{size(at())} : all(size);
    if (name == "aten::stride" || name == "aten::sym_stride") return is_of_one ? Inputs{stride(at())} : all(stride);
    if (name == "aten::len") return {size(0)};
    if (name == "aten::numel" || name == "aten::sym_numel") {
        SymbolExpression product{SymbolExpression::Kind::Number, 1};
        for (const SymbolExpression& each : facts->sizes) product = product_of(std::move(product), each);
        return {values_.size_number(product, tensor, "torch.ops.aten.sym_numel.default", {})};
    }
    Inputs results = run_really(op, inputs);
    for (std::size_t s = 0; s < TracedValues::kSamples; ++s) {
        Inputs of_sample;
        for (const IValue& each : inputs) of_sample.push_back(values_.concrete(each, s));
        const Inputs others = run_really(op, of_sample);
        if (!others.empty() && !values_equal(others[0], results[0]))
            throw Error(ErrorKind::Unsupported, "gives something else for other sizes");
    }
    return results;
}

ProgramTracer::Inputs ProgramTracer::read_elements(const Operator& op, const Inputs& inputs) {
    if (are_known(inputs)) return run_really(op, inputs);
    const TypeKind wanted = op.schema.returns[0].type->kind();
    const Tensor tensor = inputs[0].is_tensor() ? inputs[0].to_tensor() : Tensor();
    if (!tensor.defined() || inputs.size() != 1 || tensor.numel() != 1)
        throw Error(ErrorKind::Unsupported,
                    "its result depends on elements of tensors in a way that a program of torch.export cannot say");
    const ScalarType dtype = tensor.dtype();
    if (is_complex(dtype)) throw Error(ErrorKind::Unsupported, "a program of torch.export has no complex numbers");
    const TypeKind own = dtype == ScalarType::Bool ? TypeKind::Bool
                         : is_floating(dtype)      ? TypeKind::Float
                                                   : TypeKind::Int;
    if (wanted == TypeKind::Bool && own != TypeKind::Bool) {
        const IValue is_set = call_by_name("aten::ne.Scalar", {inputs[0], IValue(0)});
        return {IValue::other(values_.add_data_number(TypeKind::Bool, is_set.to_tensor()))};
    }
    const TensorFacts& facts = values_.at(tensor);
    const IValue item =
        facts.number.is_none() ? IValue::other(values_.add_data_number(own, materialized(tensor))) : facts.number;
    const char* convert = wanted == TypeKind::Int && own != TypeKind::Int       ? "aten::Int"
                          : wanted == TypeKind::Float && own != TypeKind::Float ? "aten::Float"
                                                                                : nullptr;
    if (convert == nullptr) return {item};
    const Operator* op_of_number = find_operator(concat(convert, own == TypeKind::Float  ? ".float"
                                                                 : own == TypeKind::Bool ? ".bool"
                                                                                         : ".int"));
    if (op_of_number == nullptr) op_of_number = find_operator(concat(convert, ".Scalar"));
    return call_python(*op_of_number, {item});
}

}  // namespace loupe::exported
