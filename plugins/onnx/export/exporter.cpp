// SPDX-License-Identifier: Apache-2.0
#include "plugins/onnx/export/exporter.h"

#include <algorithm>
#include <array>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/functions.h"
#include "core/passes/fake_run.h"
#include "plugins/onnx/export/rules.h"

namespace loupe::onnx_export {
namespace {

// A result of constants up to this many elements is computed at once even when it is larger than what it comes from.
constexpr std::int64_t kMostFolded = 4096;

bool depends_on_state(std::string_view name) {
    return name == "aten::empty" || name == "aten::empty_like" || name == "aten::empty_strided" ||
           name == "aten::new_empty" || name == "aten::new_empty_strided" || name == "aten::empty_permuted";
}

// True or false of a number that differs between runs is not decided by two examples.
bool is_decision(const Operator& op, const Operands& arguments) {
    if (op.schema.returns.size() != 1 || op.schema.returns[0].type->kind() != TypeKind::Bool) return false;
    return std::any_of(arguments.begin(), arguments.end(), [](const Operand& each) {
        return each.kind == Operand::Kind::Number || (each.is_tensor() && each.tensor->elements);
    });
}

bool holds_no_tensor(const IValue& value) {
    bool has_tensor = false;
    visit_tensors(value, [&](const Tensor&) { has_tensor = true; });
    return !has_tensor;
}

const Type& without_optional(const Type& type) { return type.kind() == TypeKind::Optional ? *type.element() : type; }

std::int64_t total_elements(const IValue& value) {
    std::int64_t total = 0;
    visit_tensors(value, [&](const Tensor& t) { total += t.defined() ? t.numel() : 0; });
    return total;
}

}  // namespace

Exporter::Exporter(const ExportOptions& options, nn::ModulePtr module)
    : options_(options), module_(std::move(module)), builder_(options.opset), scopes_(module_) {}

// ---- values

std::array<std::int64_t, kChoices> Exporter::fresh_size() {
    static constexpr std::array<std::int64_t, 12> kSizes = {97, 101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151};
    const auto n = static_cast<std::size_t>(next_size_++);
    return {kSizes[n % kSizes.size()], kSizes[(n * 5 + 6) % kSizes.size()] + 1};
}

Operand Exporter::tensor_operand(const Tensor& constant) {
    Operand operand{.kind = Operand::Kind::Tensor, .tensor = std::make_shared<TensorState>()};
    TensorState& state = *operand.tensor;
    const Tensor plain = requires_grad(constant) ? detach(constant) : constant;
    state.value = builder_.constant(plain);
    state.sizes = {to_dims(plain.sizes()), to_dims(plain.sizes())};
    state.depth = builder_.depth();
    state.is_parameter = plain.numel() > 0 && parameters_.contains(plain.address());
    return operand;
}

Operand Exporter::tensor_operand(OnnxValue value) {
    if (!value.sizes) {
        Operand operand{.kind = Operand::Kind::Tensor, .tensor = std::make_shared<TensorState>()};
        operand.tensor->value = std::move(value);
        operand.tensor->depth = builder_.depth();
        return operand;
    }
    std::array<Dims, kChoices> sizes{*value.sizes, *value.sizes};
    for (std::size_t d = 0; d < value.sizes->size(); ++d) {
        if ((*value.sizes)[d] >= 0) continue;
        const auto fresh = fresh_size();
        for (std::size_t c = 0; c < kChoices; ++c) sizes[c][d] = fresh[c];
    }
    return tensor_operand(std::move(value), std::move(sizes));
}

Operand Exporter::tensor_operand(OnnxValue value, std::array<Dims, kChoices> sizes) {
    Operand operand{.kind = Operand::Kind::Tensor, .tensor = std::make_shared<TensorState>()};
    value.sizes = sizes[0];
    for (std::size_t d = 0; d < sizes[0].size(); ++d) {
        if (sizes[0][d] != sizes[1][d]) (*value.sizes)[d] = -1;
    }
    if (!value.name.empty() && builder_.depth() == 1)
        values_made_.push_back({value.name, value.dtype, dims_of(value, sizes), false});
    operand.tensor->value = std::move(value);
    operand.tensor->sizes = std::move(sizes);
    operand.tensor->depth = builder_.depth();
    return operand;
}

Operand Exporter::number_operand(OnnxValue value, std::optional<std::array<IValue, kChoices>> choices) {
    value.sizes = Dims();
    return {.kind = Operand::Kind::Number, .number = std::move(value), .choices = std::move(choices)};
}

Operand Exporter::list_operand(Operands elements, TypePtr element_type, Operand::Kind kind) const {
    auto list = std::make_shared<ListState>();
    list->elements = std::move(elements);
    list->element_type = std::move(element_type);
    list->depth = builder_.depth();
    return {.kind = kind, .list = std::move(list)};
}

Operand Exporter::known_operand(const IValue& value) {
    if (value.is_tensor()) return tensor_operand(value.to_tensor());
    const auto all = [this](const std::vector<IValue>& values) {
        Operands out;
        for (const IValue& each : values) out.push_back(known_operand(each));
        return out;
    };
    if (value.is_list()) return list_operand(all(value.to_list().elements), value.to_list().element_type);
    if (value.is_tuple()) return list_operand(all(value.to_tuple().elements), nullptr, Operand::Kind::Tuple);
    if (value.is_dict()) {
        Operand dict = list_operand({}, value.to_dict().value_type, Operand::Kind::Dict);
        for (const auto& [key, element] : value.to_dict().entries()) {
            dict.list->keys.push_back(key);
            dict.list->elements.push_back(known_operand(element));
        }
        return dict;
    }
    return constant_operand(value);
}

OnnxValue Exporter::value_of(const Operand& operand) {
    if (operand.is_tensor()) return operand.tensor->value;
    if (operand.kind == Operand::Kind::Number) return operand.number;
    if (operand.kind == Operand::Kind::Constant) {
        if (operand.constant.is_none()) return {};
        if (operand.constant.is_bool()) return builder_.number(operand.constant.to_scalar(), ScalarType::Bool);
        if (operand.constant.is_int()) return builder_.number(operand.constant.to_int(), ScalarType::Int64);
        if (operand.constant.is_double()) return builder_.number(operand.constant.to_double(), ScalarType::Float64);
        if (operand.constant.is_complex()) unsupported("complex numbers");
    }
    if (operand.list && operand.list->sequence) return *operand.list->sequence;
    unsupported("a value that is no tensor");
}

std::optional<IValue> Exporter::example_of(const Operand& operand, std::size_t choice, const Type* type) const {
    switch (operand.kind) {
        case Operand::Kind::Constant:
            return operand.constant;
        case Operand::Kind::Number:
            if (!operand.choices) return std::nullopt;
            return (*operand.choices)[choice];
        case Operand::Kind::Tensor: {
            const TensorState& state = *operand.tensor;
            if (state.value.constant.defined()) return IValue(state.value.constant);
            if (state.elements) return IValue((*state.elements)[choice]);
            if (!state.sizes) return std::nullopt;
            return IValue(passes::fake_tensor(span_of((*state.sizes)[choice]), state.value.dtype));
        }
        case Operand::Kind::List:
        case Operand::Kind::Tuple: {
            if (operand.list->sequence) return std::nullopt;
            std::vector<IValue> elements;
            for (const Operand& each : operand.list->elements) {
                auto element = example_of(each, choice);
                if (!element) return std::nullopt;
                elements.push_back(std::move(*element));
            }
            if (operand.kind == Operand::Kind::Tuple) return IValue(make_ptr<TupleObject>(std::move(elements)));
            TypePtr element = operand.list->element_type;
            const Type* formal = type != nullptr ? &without_optional(*type) : nullptr;
            if (formal != nullptr && formal->kind() == TypeKind::List && formal->element()->kind() != TypeKind::Var)
                element = formal->element();
            if (!element) element = elements.empty() ? types::tensor() : type_of(elements.front());
            return IValue(make_ptr<ListObject>(std::move(element), std::move(elements)));
        }
        case Operand::Kind::Dict:
            return std::nullopt;
    }
    return std::nullopt;
}

// ---- calls

namespace {

bool is_known(const Operand& operand, bool& has_tensor, bool& has_parameter) {
    if (operand.kind == Operand::Kind::Constant) return true;
    if (operand.is_tensor()) {
        has_tensor = true;
        has_parameter = has_parameter || operand.tensor->is_parameter;
        return operand.tensor->value.constant.defined();
    }
    if (!operand.is_list() || operand.list->sequence) return false;
    return std::all_of(operand.list->elements.begin(), operand.list->elements.end(),
                       [&](const Operand& each) { return is_known(each, has_tensor, has_parameter); });
}

}  // namespace

std::optional<Operands> Exporter::known_results(const Operator& op, const Operands& arguments) {
    if (!op.is_pure() || depends_on_state(op.schema.name)) return std::nullopt;
    bool has_tensor = false;
    bool has_parameter = false;
    std::int64_t read = 0;
    std::vector<IValue> inputs;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!is_known(arguments[i], has_tensor, has_parameter)) return std::nullopt;
        auto example = example_of(arguments[i], 0, op.schema.arguments[i].type.get());
        if (!example) return std::nullopt;
        read += total_elements(*example);
        inputs.push_back(std::move(*example));
    }
    const bool makes_tensor = std::any_of(op.schema.returns.begin(), op.schema.returns.end(), [](const Argument& each) {
        return each.type->kind() == TypeKind::Tensor || each.type->kind() == TypeKind::List;
    });
    if (makes_tensor && (has_parameter || (has_tensor && !options_.folds_constants && read > kMostFolded)))
        return std::nullopt;
    const ObserverScope unobserved(nullptr);
    std::vector<IValue> results(op.result_count());
    call_operator(op, inputs, results.data());
    std::int64_t written = 0;
    for (const IValue& result : results) written += total_elements(result);
    if (written > std::max(read, kMostFolded) && find_rule(op) != nullptr) return std::nullopt;
    Operands out;
    for (const IValue& result : results) out.push_back(known_operand(result));
    FakeResults made;
    made[0] = std::move(results);
    mark_views(op, arguments, {std::move(inputs), {}}, made, out);
    return out;
}

namespace {

// Of every tensor in it.
bool has_elements(const Operand& operand) {
    if (operand.is_tensor()) return operand.tensor->elements || operand.tensor->value.constant.defined();
    if (!operand.list) return true;
    return std::all_of(operand.list->elements.begin(), operand.list->elements.end(), has_elements);
}

// Elements that were computed from sizes are kept of small tensors.
constexpr std::int64_t kMostKept = 64;

bool same_elements(const Tensor& a, const Tensor& b) {
    static const OperatorHandle<bool> equal("aten::equal");
    return a.dtype() == b.dtype() &&
           std::equal(a.sizes().begin(), a.sizes().end(), b.sizes().begin(), b.sizes().end()) && equal(a, b);
}

}  // namespace

std::optional<FakeResults> Exporter::fake_results(const Operator& op, const Operands& arguments,
                                                  std::array<std::vector<IValue>, kChoices>& inputs) const {
    bool is_real = true;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        is_real = is_real && has_elements(arguments[i]);
        for (std::size_t c = 0; c < kChoices; ++c) {
            auto example = example_of(arguments[i], c, op.schema.arguments[i].type.get());
            if (!example) return std::nullopt;
            inputs[c].push_back(std::move(*example));
        }
    }
    FakeResults results;
    results.is_real = is_real && op.is_pure() && !depends_on_state(op.schema.name);
    for (std::size_t c = 0; c < kChoices; ++c) {
        try {
            if (results.is_real) {
                const ObserverScope unobserved(nullptr);
                results[c].resize(op.result_count());
                call_operator(op, inputs[c], results[c].data());
                continue;
            }
            auto run = passes::run_on_fakes(op, inputs[c]);
            if (!run) return std::nullopt;
            results[c] = std::move(*run);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            return std::nullopt;  // it fails at run time, or with these sizes
        }
    }
    return results;
}

Operands Exporter::execute(const Operator& op, Operands arguments) {
    for (const Operand& argument : arguments) refresh(argument);
    if (auto known = known_results(op, arguments)) return std::move(*known);
    if (op.written_arguments != 0) return execute_in_place(op, arguments);
    std::array<std::vector<IValue>, kChoices> inputs;
    const std::optional<FakeResults> fakes = fake_results(op, arguments, inputs);
    if (auto same = same_results(op, arguments, fakes)) return std::move(*same);
    const Rule* rule = find_rule(op);
    Operands results;
    if (rule != nullptr) {
        if (options_.opset < rule->opset)
            unsupported(concat("needs opset ", rule->opset, ", and the model is written for ", options_.opset));
        results = apply_rule(*rule, op, arguments, fakes);
    } else if (op.is_composite()) {
        results = decompose(op, arguments);
    } else {
        unsupported(concat("the operator ", op.full_name, " has no form in ONNX"));
    }
    if (fakes) mark_views(op, arguments, inputs, *fakes, results);
    return results;
}

// Numbers that both examples of the sizes give: types, numbers of dimensions, sizes that stay.
std::optional<Operands> Exporter::same_results(const Operator& op, const Operands& arguments,
                                               const std::optional<FakeResults>& fakes) {
    if (!fakes || !op.is_pure() || is_decision(op, arguments)) return std::nullopt;
    Operands results;
    for (std::size_t i = 0; i < op.result_count(); ++i) {
        const IValue& first = (*fakes)[0][i];
        const bool is_same = !first.is_none() && holds_no_tensor(first) && values_equal(first, (*fakes)[1][i]);
        if (!is_same || op.schema.returns[i].type->kind() == TypeKind::Tensor) return std::nullopt;
        results.push_back(known_operand(first));
    }
    if (results.empty()) return std::nullopt;
    return results;
}

Operands Exporter::apply_rule(const Rule& rule, const Operator& op, const Operands& arguments,
                              const std::optional<FakeResults>& fakes) {
    const auto& returns = op.schema.returns;
    Call call(*this, op, arguments, fakes);
    const RuleResults results = rule.write(call);
    Operands out;
    for (std::size_t i = 0; i < returns.size(); ++i) {
        if (i >= results.values.size()) {
            out.push_back(constant_operand(IValue()));  // a result that the rule does not give
            continue;
        }
        std::optional<std::array<IValue, kChoices>> examples;
        if (fakes) examples = {(*fakes)[0][i], (*fakes)[1][i]};
        out.push_back(result_operand(*returns[i].type, results.values[i], examples ? &*examples : nullptr,
                                     fakes && fakes->is_real));
    }
    return out;
}

Operand Exporter::result_operand(const Type& type, const OnnxValues& values, const std::array<IValue, kChoices>* fakes,
                                 bool is_real) {
    if (type.kind() == TypeKind::List) {
        const bool has_fakes = fakes != nullptr && (*fakes)[0].is_list() && (*fakes)[1].is_list() &&
                               (*fakes)[0].to_list().elements.size() == values.size() &&
                               (*fakes)[1].to_list().elements.size() == values.size();
        Operands elements;
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::array<IValue, kChoices> each;
            if (has_fakes) each = {(*fakes)[0].to_list().elements[i], (*fakes)[1].to_list().elements[i]};
            elements.push_back(result_operand(*type.element(), {values[i]}, has_fakes ? &each : nullptr, is_real));
        }
        return list_operand(std::move(elements), type.element());
    }
    if (values.empty() || values[0].is_absent()) return constant_operand(IValue());
    OnnxValue value = values[0];
    if (type.kind() != TypeKind::Tensor) {
        if (type.kind() == TypeKind::Int) value = builder_.cast(value, ScalarType::Int64);
        if (type.kind() == TypeKind::Bool) value = builder_.cast(value, ScalarType::Bool);
        if (type.kind() == TypeKind::Float && !is_floating(value.dtype))
            value = builder_.cast(value, ScalarType::Float32);
        if (fakes == nullptr) return number_operand(std::move(value));
        const bool is_same = values_equal((*fakes)[0], (*fakes)[1]) && !(*fakes)[0].is_bool();
        return is_same ? constant_operand((*fakes)[0]) : number_operand(std::move(value), *fakes);
    }
    const bool has_sizes = fakes != nullptr && (*fakes)[0].is_tensor() && (*fakes)[1].is_tensor() &&
                           (*fakes)[0].to_tensor().dim() == (*fakes)[1].to_tensor().dim();
    if (!has_sizes)
        return value.constant.defined() && value.name.empty() ? tensor_operand(value.constant)
                                                              : tensor_operand(std::move(value));
    const Tensor first = (*fakes)[0].to_tensor();
    const Tensor second = (*fakes)[1].to_tensor();
    if (is_complex(first.dtype())) unsupported("complex tensors");
    value = builder_.cast(value, first.dtype());
    if (value.constant.defined() && value.name.empty()) return tensor_operand(value.constant);
    const bool is_small = is_real && first.numel() <= kMostKept && second.numel() <= kMostKept;
    if (is_small && first.dtype() != ScalarType::Bool && same_elements(first, second)) return tensor_operand(first);
    Operand out = tensor_operand(std::move(value), {to_dims(first.sizes()), to_dims(second.sizes())});
    if (is_small) out.tensor->elements = {first, second};
    return out;
}

void Exporter::set_results(const ir::Node& node, const Operands& results) {
    for (std::size_t i = 0; i < node.outputs().size() && i < results.size(); ++i) set(node.output(i), results[i]);
}

}  // namespace loupe::onnx_export
