// SPDX-License-Identifier: Apache-2.0
#include "core/script/schema_matching.h"

#include <algorithm>
#include <optional>

#include "core/base/strings.h"
#include "core/dispatch/registry.h"
#include "core/ir/missing_operator.h"
#include "core/ir/schema_match.h"
#include "core/script/builtin_functions.h"
#include "core/script/symbols.h"
#include "core/script/upgraders.h"

namespace loupe::script {
namespace {

// The values of one argument of a schema.
struct Piece {
    enum class Kind : std::uint8_t { Value, Default, Repeated, Rest };
    Kind kind = Kind::Value;
    const NamedValue* value = nullptr;  // of Rest: the first
    const IValue* default_value = nullptr;
    std::size_t count = 0;  // of Repeated and Rest
    TypePtr type;           // that it is converted to
};

struct Plan {
    std::vector<Piece> pieces;
    std::vector<ir::Value*> varargs;
    ir::TypeBindings bindings;
    int cost = 0;  // of types that are less specific than the values
};

bool has_variables(const Type& type) {
    if (type.kind() == TypeKind::Var) return true;
    return std::any_of(type.contained().begin(), type.contained().end(),
                       [](const TypePtr& part) { return has_variables(*part); });
}

bool is_empty_list_literal(const ir::Value* value) { return value->node()->kind() == symbols().empty_list; }

// The conversion of numbers and tensors to a simple type: the operator that does it, or null.
const char* scalar_conversion(const Type& type, const Type& value) {
    if (value.kind() == TypeKind::Tensor) {
        switch (type.kind()) {
            case TypeKind::Float:
                return "aten::FloatImplicit";
            case TypeKind::Complex:
                return "aten::ComplexImplicit";
            case TypeKind::Int:
                return "aten::IntImplicit";
            case TypeKind::Number:
                return "aten::ScalarImplicit";
            default:
                return nullptr;
        }
    }
    if (value.kind() == TypeKind::Number) {
        switch (type.kind()) {
            case TypeKind::Float:
                return "aten::Float";
            case TypeKind::Complex:
                return "aten::Complex";
            case TypeKind::Int:
                return "aten::Int";
            default:
                return nullptr;
        }
    }
    if (value.kind() == TypeKind::String && type.kind() == TypeKind::Device) return "aten::device";
    return nullptr;
}

bool is_none(const Type& type) { return type.kind() == TypeKind::None; }

// The result type of convert_to_type: keep both functions in step.
TypePtr converted_type(const TypePtr& type, TypePtr value, bool is_empty_literal, bool allow_conversions) {
    if (type->kind() == TypeKind::Optional && value->kind() != TypeKind::Optional && !is_none(*value)) {
        return converted_type(type->element(), value, is_empty_literal, allow_conversions);
    }
    if (is_empty_literal && type->kind() == TypeKind::List) return type;
    if (value->kind() == TypeKind::Tuple) {
        const TypePtr tuple = value;
        if (is_convertible_to_list(*value, *without_optional(type))) value = without_optional(type);
        if (type->kind() == TypeKind::Tuple && !tuple->is_subtype_of(*type) &&
            type->contained().size() == tuple->contained().size()) {
            std::vector<TypePtr> elements;
            for (std::size_t i = 0; i < type->contained().size(); ++i) {
                elements.push_back(
                    converted_type(type->contained()[i], tuple->contained()[i], false, allow_conversions));
            }
            value = types::tuple(std::move(elements));
        }
    }
    if (allow_conversions && scalar_conversion(*type, *value) != nullptr) return type;
    return value;
}

// Tries one schema. Fills the plan; on failure reports why, when requested.
class Matcher {
  public:
    Matcher(const FunctionSchema& schema, const CallArguments& call, bool allow_conversions, std::string* why)
        : schema_(schema),
          call_(call),
          allow_conversions_(allow_conversions),
          why_(why),
          used_keywords_(call.keywords.size(), false) {}

    std::optional<Plan> run() {
        // Ints are dtypes too: view.dtype would take x.view(1).
        if (schema_.name == "aten::view" && schema_.overload == "dtype") return std::nullopt;
        plan_.pieces.reserve(schema_.arguments.size());
        for (std::size_t i = 0; i < schema_.arguments.size(); ++i) {
            if (!match_argument(i)) return std::nullopt;
        }
        if (schema_.is_vararg) {
            for (; used_ < call_.positional.size(); ++used_) plan_.varargs.push_back(call_.positional[used_].value);
        }
        if (!all_are_used()) return std::nullopt;
        return std::move(plan_);
    }

  private:
    template <typename... Parts>
    bool refuse(const Parts&... parts) {
        if (why_ != nullptr) *why_ += concat("\n", schema_.str(), ":\n", parts..., "\n");
        return false;
    }

    bool match_argument(std::size_t index) {
        const Argument& formal = schema_.arguments[index];
        if (call_.self != nullptr && !self_is_used_ && formal.name == "self") {
            self_is_used_ = true;
            return add(formal, *call_.self);
        }
        if (!formal.kwarg_only && used_ < call_.positional.size()) {
            if (takes_rest(index)) return add_rest(formal);
            return add(formal, call_.positional[used_++]);
        }
        if (const auto keyword = find_keyword(formal.name)) {
            if (used_keywords_[*keyword]) return refuse("Argument ", formal.name, " specified twice.");
            used_keywords_[*keyword] = true;
            return add(formal, call_.keywords[*keyword]);
        }
        if (formal.default_value) {
            plan_.pieces.push_back({Piece::Kind::Default, nullptr, &*formal.default_value, 0, nullptr});
            return true;
        }
        return refuse("Argument ", formal.name, " not provided.");
    }

    // torch.zeros(1, 2): the last list may be given element by element.
    bool takes_rest(std::size_t index) const {
        const Argument& formal = schema_.arguments[index];
        const bool is_last = index + 1 == schema_.arguments.size() || schema_.arguments[index + 1].kwarg_only;
        if (!allow_conversions_ || !is_last || formal.type->kind() != TypeKind::List || formal.list_size ||
            formal.type->element()->kind() == TypeKind::Var) {
            return false;
        }
        const TypePtr& actual = call_.positional[used_].value->type();
        return actual->kind() != TypeKind::List && !is_convertible_to_list(*actual, *formal.type);
    }

    bool add_rest(const Argument& formal) {
        const TypePtr& element = formal.type->element();
        for (std::size_t i = used_; i < call_.positional.size(); ++i) {
            const ir::Value* value = call_.positional[i].value;
            const TypePtr converted = converted_type(element, value->type(), is_empty_list_literal(value), true);
            if (!converted->is_subtype_of(*element)) return mismatch(formal.name, element, value->type());
        }
        plan_.pieces.push_back(
            {Piece::Kind::Rest, &call_.positional[used_], nullptr, call_.positional.size() - used_, element});
        used_ = call_.positional.size();
        return true;
    }

    // int[2] and float[2] accept one number for all.
    static bool is_repeated(const Argument& formal, const Type& actual) {
        if (!formal.list_size || (actual.kind() != TypeKind::Int && actual.kind() != TypeKind::Float)) return false;
        const TypePtr& list = without_optional(formal.type);
        return list->kind() == TypeKind::List && list->element()->kind() == actual.kind();
    }

    // The part of the type with variables that does not fit, in PyTorch's format.
    std::string why_no_match(const Type& formal, const Type& actual) const {
        const std::string found = actual.annotation_str();
        switch (formal.kind()) {
            case TypeKind::Var: {
                const auto bound = plan_.bindings.find(formal.name());
                const std::string before =
                    bound == plan_.bindings.end() ? "another type" : concat("type ", bound->second->annotation_str());
                return concat("Type variable '", formal.name(), "' previously matched to ", before,
                              " is matched to type ", found, ".");
            }
            case TypeKind::Optional:
                return why_no_match(*formal.element(),
                                    actual.kind() == TypeKind::Optional ? *actual.element() : actual);
            case TypeKind::List:
                if (actual.kind() == TypeKind::List) return why_no_match(*formal.element(), *actual.element());
                return concat("Cannot match ", formal.annotation_str(), " to ", found, ".");
            case TypeKind::Dict: {
                if (actual.kind() != TypeKind::Dict) return concat("Cannot match a dict to ", found, ".");
                const std::size_t part = has_variables(*formal.contained()[0]) ? 0 : 1;
                return why_no_match(*formal.contained()[part], *actual.contained()[part]);
            }
            case TypeKind::Tuple:
                return concat("Cannot match a tuple to ", found, ".");
            case TypeKind::Future:
                return concat("Cannot match a future to ", found, ".");
            default:
                return concat("Cannot match ", formal.annotation_str(), " to ", found, ".");
        }
    }

    bool add(const Argument& formal, const NamedValue& given) {
        const bool repeated = is_repeated(formal, *given.value->type());
        const TypePtr actual = repeated ? types::list(given.value->type()) : given.value->type();
        TypePtr concrete = formal.type;
        if (has_variables(*formal.type)) {
            const bool is_none_for_optional = is_none(*actual) && formal.type->kind() == TypeKind::Optional;
            if (!is_none_for_optional && !ir::match_type(formal.type, actual, plan_.bindings)) {
                if (why_ == nullptr) return false;
                const bool are_dicts = formal.type->kind() == TypeKind::Dict && actual->kind() == TypeKind::Dict;
                if (are_dicts && !has_variables(*formal.type->contained()[0]))
                    return mismatch(formal.name, formal.type, actual);
                return refuse("Could not match type ", actual->annotation_str(), " to ", formal.type->annotation_str(),
                              " in argument '", formal.name, "': ", why_no_match(*formal.type, *actual));
            }
            concrete = ir::substitute(formal.type, plan_.bindings);
            if (has_variables(*concrete) && !is_none_for_optional) {
                return refuse("Type variables in type ", formal.type->annotation_str(),
                              " could not be inferred from actual type ", actual->annotation_str());
            }
        }
        const TypePtr converted =
            converted_type(concrete, actual, is_empty_list_literal(given.value), allow_conversions_);
        if (!converted->is_subtype_of(*concrete)) return mismatch(formal.name, concrete, given.value->type());
        plan_.cost += ir::match_cost(*formal.type, *actual);
        const std::size_t count = repeated ? static_cast<std::size_t>(*formal.list_size) : 0;
        plan_.pieces.push_back(
            {repeated ? Piece::Kind::Repeated : Piece::Kind::Value, &given, nullptr, count, concrete});
        return true;
    }

    bool mismatch(const std::string& name, const TypePtr& expected, const TypePtr& actual) {
        if (why_ == nullptr) return false;
        std::string hint;
        if (actual->kind() == TypeKind::List && is_tensor(actual->element())) {
            hint =
                "\nEmpty lists default to List[Tensor]. Add a variable annotation to the assignment to create an "
                "empty list of another type (torch.jit.annotate(List[T, []]) where T is the type of elements in "
                "the list for Python 2)";
        }
        return refuse("Expected a value of type '", expected->annotation_str(), "' for argument '", name,
                      "' but instead found type '", actual->annotation_str(), "'.", hint);
    }

    // PyTorch's functions call self "input".
    std::optional<std::size_t> find_keyword(std::string_view name) const {
        const bool is_self = name == "self" && schema_.name.starts_with("aten::");
        for (std::size_t i = 0; i < call_.keywords.size(); ++i) {
            if (call_.keywords[i].name == name || (is_self && call_.keywords[i].name == "input")) return i;
        }
        return std::nullopt;
    }

    bool all_are_used() {
        if (call_.self != nullptr && !self_is_used_) return refuse("Provided self argument not used in schema.");
        if (used_ < call_.positional.size()) {
            return refuse("Expected at most ", used_, " arguments but found ", call_.positional.size(),
                          " positional arguments.");
        }
        for (std::size_t i = 0; i < used_keywords_.size(); ++i) {
            if (used_keywords_[i]) continue;
            const auto& name = call_.keywords[i].name;
            const bool is_known = schema_.find_argument(name).has_value();
            return refuse("Keyword argument ", name, is_known ? " specified twice." : " unknown.");
        }
        return true;
    }

    const FunctionSchema& schema_;
    const CallArguments& call_;
    bool allow_conversions_;
    std::string* why_;
    std::vector<bool> used_keywords_;
    std::size_t used_ = 0;
    bool self_is_used_ = false;
    Plan plan_;
};

ir::Value* realize(Builder& builder, const Piece& piece, bool allow_conversions, Range range) {
    switch (piece.kind) {
        case Piece::Kind::Default:
            return builder.constant(*piece.default_value);
        case Piece::Kind::Repeated: {
            const std::vector<ir::Value*> values(piece.count, piece.value->value);
            return builder.list(piece.value->value->type(), values);
        }
        case Piece::Kind::Rest: {
            std::vector<ir::Value*> values;
            for (std::size_t i = 0; i < piece.count; ++i) {
                values.push_back(convert_to_type(builder, piece.type, piece.value[i].value, true, range));
            }
            return builder.list(piece.type, values);
        }
        case Piece::Kind::Value:
            break;
    }
    return convert_to_type(builder, piece.type, piece.value->value, allow_conversions, range);
}

MatchedCall realize(Builder& builder, const FunctionSchema& schema, const Plan& plan, bool allow_conversions,
                    Range range) {
    MatchedCall matched;
    matched.inputs.reserve(plan.pieces.size() + plan.varargs.size());
    for (const Piece& piece : plan.pieces) matched.inputs.push_back(realize(builder, piece, allow_conversions, range));
    matched.inputs.insert(matched.inputs.end(), plan.varargs.begin(), plan.varargs.end());
    for (const Argument& result : schema.returns) {
        matched.results.push_back(ir::substitute(result.type, plan.bindings));
    }
    return matched;
}

std::string indented(const std::string& text) {
    std::string out;
    for (const std::string_view line : split(text, '\n')) out += concat(out.empty() ? "" : "\n", "  ", line);
    return out;
}

// "aten::foo(Tensor, int, alpha: int)".
// A missing operator fails at run time, if reached: its result is assumed to be a tensor.
ir::Value* insert_missing(Builder& builder, ir::Symbol name, const CallArguments& call, Range range) {
    std::vector<ir::Value*> inputs;
    if (call.self != nullptr) inputs.push_back(call.self->value);
    for (const NamedValue& value : call.positional) inputs.push_back(value.value);
    for (const NamedValue& value : call.keywords) inputs.push_back(value.value);
    ir::Node* node = builder.insert(name, inputs);
    node->set_range(builder.place(range));
    return node->output()->set_type(types::tensor());
}

// Several results become a tuple, with names when all have one.
ir::Value* pack_results(Builder& builder, const ir::Node& node, const FunctionSchema& schema) {
    const auto& outputs = node.outputs();
    if (outputs.size() == 1) return outputs.front();
    std::vector<std::string> fields;
    std::vector<TypePtr> elements;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        elements.push_back(outputs[i]->type());
        if (!schema.returns[i].name.empty()) fields.push_back(schema.returns[i].name);
    }
    const bool is_named = !outputs.empty() && fields.size() == outputs.size();
    return builder.tuple(outputs, is_named ? types::named_tuple("", fields, elements) : types::tuple(elements));
}

ir::Value* insert_operator(Builder& builder, ir::Symbol name, const FunctionSchema& schema, const Operator* op,
                           const MatchedCall& matched, Range range) {
    ir::Node* node = builder.insert(name, matched.inputs, matched.results.size());
    node->set_range(builder.place(range));
    for (std::size_t i = 0; i < matched.results.size(); ++i) node->output(i)->set_type(matched.results[i]);
    node->set_op(op);
    return pack_results(builder, *node, schema);
}

}  // namespace

ir::Value* convert_to_type(Builder& builder, const TypePtr& type, ir::Value* value, bool allow_conversions,
                           Range range) {
    const bool is_unknown = ir::is_missing_operator(*value->node()) && !value->has_uses() && !has_variables(*type);
    if (is_unknown && !value->type()->is_subtype_of(*type)) return value->set_type(type);
    if (type->kind() == TypeKind::Optional && value->type()->kind() != TypeKind::Optional && !is_none(*value->type())) {
        return convert_to_type(builder, type->element(), value, allow_conversions, range);
    }
    if (is_empty_list_literal(value) && type->kind() == TypeKind::List) return builder.list(type->element(), {});
    if (value->type()->kind() == TypeKind::Tuple) {
        const TypePtr tuple = value->type();
        if (is_convertible_to_list(*tuple, *without_optional(type))) {
            value = builder.list(without_optional(type)->element(), builder.unpack_tuple(value));
        }
        if (type->kind() == TypeKind::Tuple && !tuple->is_subtype_of(*type) &&
            type->contained().size() == tuple->contained().size()) {
            std::vector<ir::Value*> elements = builder.unpack_tuple(value);
            for (std::size_t i = 0; i < elements.size(); ++i) {
                elements[i] = convert_to_type(builder, type->contained()[i], elements[i], allow_conversions, range);
            }
            value = builder.tuple(elements);
        }
    }
    if (!allow_conversions) return value;
    const char* conversion = scalar_conversion(*type, *value->type());
    return conversion != nullptr ? call_builtin(builder, conversion, {value}, range) : value;
}

MatchedCall match_call(Builder& builder, const FunctionSchema& schema, const CallArguments& call, Range range) {
    if (const auto plan = Matcher(schema, call, true, nullptr).run()) {
        return realize(builder, schema, *plan, true, range);
    }
    std::string why;
    Matcher(schema, call, true, &why).run();
    builder.fail(why, range);
}

MatchedCall match_calls(Builder& builder, std::span<const FunctionSchema* const> schemas, const CallArguments& call,
                        Range range) {
    if (schemas.size() == 1) return match_call(builder, *schemas.front(), call, range);
    for (const bool allow_conversions : {false, true}) {
        std::optional<Plan> best;
        std::size_t chosen = 0;
        for (std::size_t i = 0; i < schemas.size(); ++i) {
            auto plan = Matcher(*schemas[i], call, allow_conversions, nullptr).run();
            if (!plan || (best && plan->cost >= best->cost)) continue;
            best = std::move(plan);
            chosen = i;
            if (best->cost == 0 || allow_conversions) break;
        }
        if (!best) continue;
        MatchedCall matched = realize(builder, *schemas[chosen], *best, allow_conversions, range);
        matched.schema = chosen;
        return matched;
    }
    std::string why;
    for (const FunctionSchema* schema : schemas) Matcher(*schema, call, true, &why).run();
    builder.fail(concat("Arguments for call are not valid.\nThe following variants are available:\n", indented(why),
                        "\nThe original call is"),
                 range);
}

ir::Value* call_builtin(Builder& builder, ir::Symbol name, const CallArguments& call, Range range) {
    const auto operators = operators_named(name.str());
    const auto functions = builtin_functions_named(name);
    std::vector<const FunctionSchema*> schemas;
    schemas.reserve(operators.size() + functions.size());
    const auto upgraders = upgraders_for(name.str(), builder.operator_version());
    for (const Operator* op : operators) {
        if (!is_replaced(upgraders, op->full_name)) schemas.push_back(&op->schema);
    }
    const std::size_t current = schemas.size();
    for (const Upgrader* upgrader : upgraders) schemas.push_back(&upgrader->old_schema());
    for (const BuiltinFunction* function : functions) schemas.push_back(&function->schema());
    if (schemas.empty()) return insert_missing(builder, name, call, range);
    const MatchedCall matched = match_calls(builder, schemas, call, range);
    const FunctionSchema& schema = *schemas[matched.schema];
    if (matched.schema < current) {
        const auto op = std::find_if(operators.begin(), operators.end(),
                                     [&](const Operator* each) { return &each->schema == &schema; });
        return insert_operator(builder, name, schema, *op, matched, range);
    }
    if (matched.schema < current + upgraders.size()) {
        return upgraders[matched.schema - current]->insert(builder, matched.inputs, range);
    }
    return functions[matched.schema - current - upgraders.size()]->insert(builder, matched.inputs, range);
}

ir::Value* call_builtin(Builder& builder, ir::Symbol name, std::initializer_list<ir::Value*> arguments, Range range) {
    std::vector<NamedValue> values;
    values.reserve(arguments.size());
    for (ir::Value* argument : arguments) values.push_back({range, {}, argument});
    return call_builtin(builder, name, CallArguments{values}, range);
}

ir::Value* call_builtin(Builder& builder, std::string_view name, std::initializer_list<ir::Value*> arguments,
                        Range range) {
    return call_builtin(builder, ir::Symbol::intern(name), arguments, range);
}

bool has_builtin_method(ir::Symbol name, const TypePtr& self) {
    for (const Operator* op : operators_named(name.str())) {
        const auto index = op->schema.find_argument("self");
        if (!index) continue;
        ir::TypeBindings bindings;
        if (ir::match_type(op->schema.arguments[*index].type, self, bindings)) return true;
    }
    return false;
}

}  // namespace loupe::script
