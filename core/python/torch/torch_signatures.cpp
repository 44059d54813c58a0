// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/torch_signatures.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>

#include "core/base/strings.h"
#include "core/base/torch_release.h"

namespace loupe::python {
namespace {

std::string_view written_type(const Argument& argument) { return argument.type_text; }

ParameterKind list_kind(const Type& element) {
    switch (element.kind()) {
        case TypeKind::Tensor:
            return ParameterKind::TensorList;
        case TypeKind::Optional:
            return ParameterKind::OptionalTensorList;
        case TypeKind::Int:
            return ParameterKind::IntList;
        case TypeKind::Float:
            return ParameterKind::FloatList;
        case TypeKind::Number:
            return ParameterKind::NumberList;
        case TypeKind::Bool:
            return ParameterKind::BoolList;
        default:
            return ParameterKind::Any;
    }
}

ParameterKind kind_of(const Argument& argument) {
    const Type* type = argument.type.get();
    if (type->kind() == TypeKind::Optional) type = type->element().get();
    const std::string_view text = written_type(argument);
    if (text.starts_with("ScalarType")) return ParameterKind::Dtype;
    if (text.starts_with("Layout")) return ParameterKind::Layout;
    if (text.starts_with("MemoryFormat")) return ParameterKind::MemoryFormat;
    switch (type->kind()) {
        case TypeKind::Tensor:
            return ParameterKind::Tensor;
        case TypeKind::Number:
            return ParameterKind::Number;
        case TypeKind::Int:
            return ParameterKind::Int;
        case TypeKind::Float:
            return ParameterKind::Float;
        case TypeKind::Complex:
            return ParameterKind::Complex;
        case TypeKind::Bool:
            return ParameterKind::Bool;
        case TypeKind::String:
            return ParameterKind::String;
        case TypeKind::Device:
            return ParameterKind::Device;
        case TypeKind::Generator:
            return ParameterKind::Generator;
        case TypeKind::List:
            return list_kind(*type->element());
        default:
            return ParameterKind::Any;
    }
}

// The C++ type that PyTorch's generator writes; its order of signatures is that of these texts.
std::string sort_type(const Parameter& parameter) {
    switch (parameter.kind) {
        case ParameterKind::Tensor:
            return "Tensor";
        case ParameterKind::Number:
            return "Scalar";
        case ParameterKind::Int:
            return parameter.is_symbolic ? "SymInt" : "int64_t";
        case ParameterKind::Float:
            return "double";
        case ParameterKind::Complex:
            return "c10::complex<double>";
        case ParameterKind::Bool:
            return "bool";
        case ParameterKind::String:
            return "c10::string_view";
        case ParameterKind::Dtype:
            return "ScalarType";
        case ParameterKind::Layout:
            return "Layout";
        case ParameterKind::MemoryFormat:
            return "MemoryFormat";
        case ParameterKind::Device:
            return "Device";
        case ParameterKind::Generator:
            return "Generator";
        case ParameterKind::TensorList:
            return "TensorList";
        case ParameterKind::OptionalTensorList:
            return "c10::List<c10::optional<Tensor>>";
        case ParameterKind::IntList:
            return concat(parameter.is_symbolic ? "SymIntArrayRef" : "IntArrayRef",
                          parameter.list_size > 0 ? concat("[", parameter.list_size, "]") : "");
        case ParameterKind::FloatList:
            return "ArrayRef<double>";
        case ParameterKind::NumberList:
            return "ScalarList";
        case ParameterKind::BoolList:
            return "ArrayRef<bool>";
        case ParameterKind::Any:
            return "PyObject*";
    }
    return {};
}

std::string default_text(const Argument& argument) {
    if (!argument.default_value) return {};
    return concat("=", argument.default_value->is_none() ? "None" : constant_text(*argument.default_value));
}

bool is_option(const FunctionSchema& schema, std::size_t at) {
    static constexpr std::array<std::string_view, 4> kOptions = {"dtype", "layout", "device", "pin_memory"};
    for (std::size_t first = at < 3 ? 0 : at - 3; first <= at && first + 4 <= schema.arguments.size(); ++first) {
        bool all = true;
        for (std::size_t i = 0; i < 4; ++i) all = all && schema.arguments[first + i].name == kOptions[i];
        if (all) return true;
    }
    return false;
}

bool is_out(const Argument& argument) { return argument.kwarg_only && argument.alias && argument.alias->is_write; }

bool has_out(const FunctionSchema& schema) {
    return std::any_of(schema.arguments.begin(), schema.arguments.end(), is_out);
}

bool holds_tensor(const Type& type) {
    if (type.kind() == TypeKind::Tensor) return true;
    if (type.kind() != TypeKind::Optional && type.kind() != TypeKind::List) return false;
    return holds_tensor(*type.element());
}
bool is_foreign(const Type& type) {
    if (type.kind() == TypeKind::Var || type.kind() == TypeKind::Dict || type.kind() == TypeKind::Future ||
        type.kind() == TypeKind::Any || type.kind() == TypeKind::Class) {
        return true;
    }
    return std::any_of(type.contained().begin(), type.contained().end(),
                       [](const TypePtr& part) { return is_foreign(*part); });
}

// TorchScript's own overloads (of lists, of numbers) are no functions of torch.
bool is_seen(const Operator& op) {
    const FunctionSchema& schema = op.schema;
    const auto foreign = [](const Argument& argument) { return is_foreign(*argument.type); };
    if (std::any_of(schema.arguments.begin(), schema.arguments.end(), foreign)) return false;
    if (schema.overload.starts_with("prim_") || schema.overload.ends_with("hacked_twin")) return false;
    const auto holds = [](const Argument& argument) { return holds_tensor(*argument.type); };
    if (op.family == "numbers") {
        if (schema.arguments.empty()) return false;
        return schema.arguments[0].name == "self" && schema.arguments[0].type->kind() == TypeKind::Tensor;
    }
    return std::any_of(schema.arguments.begin(), schema.arguments.end(), holds) ||
           std::any_of(schema.returns.begin(), schema.returns.end(), holds);
}

Parameter parameter_of(const Argument& argument, int index, bool takes_numbers) {
    Parameter out;
    out.name = argument.name;
    out.kind = kind_of(argument);
    out.list_size = argument.list_size.value_or(0);
    out.is_symbolic = argument.type_text.starts_with("SymInt");
    out.takes_none =
        argument.type->kind() == TypeKind::Optional || (argument.default_value && argument.default_value->is_none());
    out.has_default = argument.default_value.has_value();
    out.is_keyword_only = argument.kwarg_only;
    out.takes_numbers = takes_numbers && out.kind == ParameterKind::Tensor;
    out.argument = index;
    return out;
}

void add_out(Signature& signature) {
    const auto& arguments = signature.out_op->schema.arguments;
    signature.out_count = static_cast<std::size_t>(std::count_if(arguments.begin(), arguments.end(), is_out));
    const auto first = std::find_if(arguments.begin(), arguments.end(), is_out);
    Parameter out;
    out.name = "out";
    out.kind = signature.out_count > 1 ? ParameterKind::TensorList : kind_of(*first);
    out.takes_none = true;
    out.has_default = true;
    out.is_keyword_only = true;
    signature.parameters.push_back(std::move(out));
}

void add_options(Signature& signature) {
    const auto& arguments = signature.op->schema.arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (is_option(signature.op->schema, i)) {
            signature.parameters.push_back(parameter_of(arguments[i], static_cast<int>(i), false));
        }
    }
    Parameter requires_grad;
    requires_grad.name = "requires_grad";
    requires_grad.kind = ParameterKind::Bool;
    requires_grad.has_default = true;
    requires_grad.is_keyword_only = true;
    signature.parameters.push_back(std::move(requires_grad));
}

std::string sort_text_of(const Signature& signature) {
    std::string out;
    bool is_behind_star = false;
    for (const Parameter& parameter : signature.parameters) {
        if (!out.empty()) out += ", ";
        if (parameter.is_keyword_only && !is_behind_star) out += "*, ";
        is_behind_star = is_behind_star || parameter.is_keyword_only;
        out += concat(sort_type(parameter), parameter.takes_none ? "? " : " ", parameter.name);
        if (parameter.argument >= 0) {
            out += default_text(signature.op->schema.arguments[static_cast<std::size_t>(parameter.argument)]);
        }
    }
    return out;
}

Signature make_signature(const Operator& op, const Operator* out_op, bool is_method) {
    Signature out;
    out.op = &op;
    out.out_op = out_op;
    const auto& arguments = op.schema.arguments;
    const bool takes_numbers = op.record->python.takes_numbers;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (is_option(op.schema, i)) {
            out.has_options = true;
            continue;
        }
        const bool is_self = arguments[i].name == "self";
        if (is_self && is_method) {
            out.self_argument = static_cast<int>(i);
            continue;
        }
        Parameter parameter = parameter_of(arguments[i], static_cast<int>(i), takes_numbers);
        if (is_self) parameter.name = "input";
        out.parameters.push_back(std::move(parameter));
    }
    if (out_op != nullptr) add_out(out);
    if (out.has_options) add_options(out);
    for (const Parameter& parameter : out.parameters) {
        if (!parameter.is_keyword_only) ++out.most_positional;
        if (!parameter.has_default) ++out.fewest;
    }
    out.sort_text = sort_text_of(out);
    return out;
}

// The out= overload that takes the same arguments.
const Operator* out_overload_of(const Operator& op, std::span<const Operator* const> all) {
    for (const Operator* other : all) {
        if (!has_out(other->schema)) continue;
        std::vector<const Argument*> mine;
        std::vector<const Argument*> theirs;
        for (std::size_t i = 0; i < op.schema.arguments.size(); ++i) {
            if (!is_option(op.schema, i)) mine.push_back(&op.schema.arguments[i]);
        }
        for (const Argument& argument : other->schema.arguments) {
            if (!is_out(argument)) theirs.push_back(&argument);
        }
        const auto same = [](const Argument* a, const Argument* b) {
            return a->name == b->name && a->type->equals(*b->type);
        };
        if (std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end(), same)) return other;
    }
    return nullptr;
}

bool is_smaller_kind(const Parameter& a, const Parameter& b) {
    if (a.kind == ParameterKind::Number && b.kind == ParameterKind::Tensor) return a.takes_none == b.takes_none;
    if (a.kind == ParameterKind::IntList && b.kind == ParameterKind::Int) return a.list_size == 0;
    if (a.kind == ParameterKind::TensorList) {
        return b.kind == ParameterKind::IntList || b.kind == ParameterKind::NumberList ||
               b.kind == ParameterKind::FloatList;
    }
    return false;
}

// PyTorch's partial order: where it holds, b is tried before a.
bool is_smaller(const Signature& a, const Signature& b) {
    const auto inputs = [](const Signature& signature) {
        std::vector<const Parameter*> out;
        for (const Parameter& parameter : signature.parameters) {
            if (parameter.name != "out" || parameter.argument >= 0) out.push_back(&parameter);
        }
        return out;
    };
    const auto left = inputs(a);
    const auto right = inputs(b);
    if (left.size() != right.size()) return false;
    bool is_equal = true;
    for (std::size_t i = 0; i < left.size(); ++i) {
        const bool is_same = left[i]->kind == right[i]->kind && left[i]->takes_none == right[i]->takes_none &&
                             left[i]->list_size == right[i]->list_size;
        if (!is_same && !is_smaller_kind(*left[i], *right[i])) return false;
        is_equal = is_equal && is_same;
    }
    return !is_equal;
}

std::vector<Signature> sorted(std::vector<Signature> signatures) {
    std::stable_sort(signatures.begin(), signatures.end(),
                     [](const Signature& a, const Signature& b) { return a.sort_text < b.sort_text; });
    std::vector<Signature> out;
    std::vector<bool> is_placed(signatures.size(), false);
    // Breadth first, as PyTorch's: those without a predecessor, then those that each of them frees.
    std::vector<std::vector<std::size_t>> waits_for(signatures.size());
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < signatures.size(); ++i) {
        for (std::size_t j = 0; j < signatures.size(); ++j) {
            if (is_smaller(signatures[i], signatures[j])) waits_for[i].push_back(j);
        }
        if (waits_for[i].empty()) order.push_back(i);
    }
    for (std::size_t at = 0; at < order.size(); ++at) {
        for (std::size_t j = 0; j < waits_for.size(); ++j) {
            if (waits_for[j].empty()) continue;
            std::erase(waits_for[j], order[at]);
            if (waits_for[j].empty()) order.push_back(j);
        }
    }
    for (const std::size_t i : order) out.push_back(std::move(signatures[i]));
    return out;
}

std::unique_ptr<SignatureSet> make_set(std::string_view name, bool is_method) {
    const auto all = operators_named(concat("aten::", name));
    auto set = std::make_unique<SignatureSet>();
    set->name = std::string(name);
    set->is_method = is_method;
    set->has_older_form =
        std::any_of(all.begin(), all.end(), [](const Operator* op) { return op->record->python.has_older_form; });
    for (const Operator* op : all) {
        if (!is_seen(*op) || has_out(op->schema) || op->record->python.number_is_tensor) continue;
        if (is_method && !op->schema.find_argument("self")) continue;
        Signature made = make_signature(*op, is_method ? nullptr : out_overload_of(*op, all), is_method);
        const bool is_known = std::any_of(set->signatures.begin(), set->signatures.end(),
                                          [&](const Signature& each) { return each.sort_text == made.sort_text; });
        // PyTorch 2's signatures know no names of dimensions.
        const bool has_names = !is_older_torch() && std::any_of(made.parameters.begin(), made.parameters.end(),
                                                                [](const Parameter& p) { return p.name == "names"; });
        if (!is_known && !has_names) set->signatures.push_back(std::move(made));
    }
    set->signatures = sorted(std::move(set->signatures));
    return set;
}

}  // namespace

std::string_view parameter_type_name(const Parameter& parameter) {
    switch (parameter.kind) {
        case ParameterKind::Tensor:
            return "Tensor";
        case ParameterKind::Number:
            return "Number";
        case ParameterKind::Int:
            return parameter.is_symbolic && is_older_torch() ? "SymInt" : "int";
        case ParameterKind::Float:
            return "float";
        case ParameterKind::Complex:
            return "complex";
        case ParameterKind::Bool:
            return "bool";
        case ParameterKind::String:
            return "str";
        case ParameterKind::Dtype:
            return "torch.dtype";
        case ParameterKind::Layout:
            return "torch.layout";
        case ParameterKind::MemoryFormat:
            return "torch.memory_format";
        case ParameterKind::Device:
            return "torch.device";
        case ParameterKind::Generator:
            return "torch.Generator";
        case ParameterKind::TensorList:
        case ParameterKind::OptionalTensorList:
            return "tuple of Tensors";
        case ParameterKind::IntList:
            return parameter.is_symbolic && is_older_torch() ? "tuple of SymInts" : "tuple of ints";
        case ParameterKind::FloatList:
            return "tuple of floats";
        case ParameterKind::NumberList:
            return "tuple of Scalars";
        case ParameterKind::BoolList:
            return "tuple of bools";
        case ParameterKind::Any:
            return "object";
    }
    return {};
}

namespace {

// As PyTorch 2's messages end a parameter that need not be given.
std::string shown_default(const Signature& signature, const Parameter& parameter) {
    if (parameter.kind == ParameterKind::Bool && parameter.argument < 0) return "False";  // requires_grad
    if (parameter.name == "pin_memory") return "False";
    if (parameter.argument < 0) return "None";  // out
    const auto& value = signature.op->schema.arguments[static_cast<std::size_t>(parameter.argument)].default_value;
    if (!value || value->is_none()) return "None";
    return value->is_string() ? concat('"', value->to_string(), '"') : python_str(*value);
}

}  // namespace

std::string Signature::str() const {
    std::string out = "(";
    bool is_behind_star = false;
    for (const Parameter& parameter : parameters) {
        if (out.size() > 1) out += ", ";
        if (parameter.is_keyword_only && !is_behind_star) out += "*, ";
        is_behind_star = is_behind_star || parameter.is_keyword_only;
        out += concat(parameter_type_name(parameter), " ", parameter.name);
        if (parameter.has_default && !is_older_torch()) out += concat(" = ", shown_default(*this, parameter));
    }
    return out + ")";
}

const SignatureSet* find_signatures(std::string_view name, bool is_method) {
    static std::mutex mutex;
    static std::map<std::tuple<std::string, bool, TorchRelease>, std::unique_ptr<SignatureSet>> sets;
    const std::scoped_lock lock(mutex);
    auto& set = sets[{std::string(name), is_method, torch_release()}];
    if (!set) set = make_set(name, is_method);
    return set->signatures.empty() ? nullptr : set.get();
}

}  // namespace loupe::python
