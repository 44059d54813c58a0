// SPDX-License-Identifier: Apache-2.0
#include "core/script/sugared_value.h"

#include <algorithm>
#include <array>

#include "core/base/strings.h"
#include "core/ir/missing_operator.h"
#include "core/script/schema_matching.h"

namespace loupe::script {
namespace {

struct CastMethod {
    std::string_view name;
    ScalarType dtype;
};
constexpr std::array kCastMethods = {
    CastMethod{"byte", ScalarType::UInt8},       CastMethod{"char", ScalarType::Int8},
    CastMethod{"double", ScalarType::Float64},   CastMethod{"float", ScalarType::Float32},
    CastMethod{"cfloat", ScalarType::Complex64}, CastMethod{"cdouble", ScalarType::Complex128},
    CastMethod{"int", ScalarType::Int32},        CastMethod{"long", ScalarType::Int64},
    CastMethod{"short", ScalarType::Int16},      CastMethod{"half", ScalarType::Float16},
};

constexpr std::array<std::string_view, 26> kTensorProperties = {
    "dtype",     "device", "grad",      "data",         "shape",  "is_cuda",   "is_cpu",        "is_xpu", "is_sparse",
    "is_mkldnn", "is_mps", "is_vulkan", "is_quantized", "is_ipu", "is_meta",   "requires_grad", "layout", "T",
    "H",         "mT",     "mH",        "ndim",         "name",   "is_nested", "is_sparse_csr", "is_ort"};

// Properties that are operators and may be called too.
constexpr std::array<std::string_view, 4> kAtenProperties = {"is_leaf", "real", "imag", "retains_grad"};

SugaredPtr module_children(Builder& builder, ir::Value* module) {
    std::vector<SugaredPtr> children;
    for (const auto& attribute : module->type()->as<ClassType>()->attributes()) {
        if (attribute.kind != AttributeKind::Module) continue;
        children.push_back(simple(builder.get_attribute(module, attribute.name, attribute.type)));
    }
    return make_ptr<SugaredTuple>(std::move(children));
}

// Does a value of the type hold an object of the class?
bool holds_class(const Type& type, const Type& wanted) {
    if (type.is_subtype_of(wanted)) return true;
    return std::any_of(type.contained().begin(), type.contained().end(),
                       [&](const TypePtr& part) { return holds_class(*part, wanted); });
}

}  // namespace

std::string getter_name(std::string_view property) { return concat("__", property, "_getter"); }
std::string setter_name(std::string_view property) { return concat("__", property, "_setter"); }

ir::Value* Sugared::as_value(Builder& builder, Range range) {
    builder.fail(describe() + " cannot be used as a value", range);
}
SugaredPtr Sugared::attribute(Builder& builder, std::string_view, Range range) {
    builder.fail("attribute lookup is not defined on " + describe(), range);
}
bool Sugared::has_attribute(Builder& builder, std::string_view, Range range) {
    builder.fail("attribute lookup is not defined on " + describe(), range);
}
void Sugared::set_attribute(Builder& builder, std::string_view, ir::Value*, Range range) {
    builder.fail("attribute assignment is not defined on " + describe(), range);
}
std::vector<SugaredPtr> Sugared::as_tuple(Builder& builder, Range range, std::optional<std::size_t>) {
    builder.fail(describe() + " cannot be used as a tuple", range);
}
SugaredPtr Sugared::call(Builder& builder, NamedValues, NamedValues, Range range) {
    builder.fail("cannot call a " + describe(), range);
}
SugaredPtr Sugared::iterate(Builder& builder, Range range) {
    builder.fail(describe() + " cannot be used as an iterable", range);
}
ir::Value* Sugared::length(Builder& builder, Range range) {
    builder.fail(concat("'", describe(), "' object is not iterable"), range);
}
SugaredPtr Sugared::item_of_type(Builder& builder, ir::Value* index, const TypePtr&, Range range) {
    return item(builder, index, range);
}

SugaredPtr Sugared::item(Builder& builder, ir::Value*, Range range) {
    builder.fail(concat("'", describe(), "' object is not subscriptable"), range);
}

ir::Value* simple_value(const SugaredPtr& sugared) {
    const auto* value = dynamic_cast<const SimpleValue*>(sugared.get());
    return value != nullptr ? value->value() : nullptr;
}

std::string SimpleValue::describe() const { return concat("value of type '", value_->type()->annotation_str(), "'"); }

SugaredPtr SimpleValue::attribute(Builder& builder, std::string_view name, Range range) {
    const TypeKind kind = value_->type()->kind();
    if (kind == TypeKind::Tensor || kind == TypeKind::Device) {
        if (SugaredPtr found = builtin_property(builder, name, range)) return found;
    } else if (SugaredPtr found = field(builder, name, range)) {
        return found;
    }
    const NamedValue self{range, "self", value_};
    const ir::Symbol symbol = ir::Symbol::intern(concat("aten::", name == "type" ? "to" : name));
    if (has_builtin_method(symbol, value_->type())) return make_ptr<BuiltinValue>(symbol, self);
    if (kind == TypeKind::Tensor && name == "tolist") return make_ptr<SpecialForm>(Form::ToList);
    const std::string type_text =
        value_->type() == inferred_tensor() ? "Tensor (inferred)" : value_->type()->annotation_str();
    builder.fail(concat("'", type_text, "' object has no attribute or method '", name, "'.",
                        kind == TypeKind::Class ? " Did you forget to initialize an attribute in __init__()?" : ""),
                 range);
}

// dtype, shape and other properties that are operators; casts such as float().
SugaredPtr SimpleValue::builtin_property(Builder& builder, std::string_view name, Range range) {
    if (value_->type()->kind() == TypeKind::Device) {
        if (name != "type" && name != "index") return nullptr;
        return simple(call_builtin(builder, concat("prim::", name), {value_}, {}));
    }
    for (const CastMethod& cast : kCastMethods) {
        if (cast.name == name) return make_ptr<TensorCast>(cast.dtype, NamedValue{range, "self", value_});
    }
    if (std::find(kAtenProperties.begin(), kAtenProperties.end(), name) != kAtenProperties.end()) {
        return simple(call_builtin(builder, concat("aten::", name), {value_}, range));
    }
    if (std::find(kTensorProperties.begin(), kTensorProperties.end(), name) == kTensorProperties.end()) return nullptr;
    ir::Value* value = call_builtin(builder, concat("prim::", name), {value_}, range);
    return simple(value);
}

SugaredPtr SimpleValue::field(Builder& builder, std::string_view name, Range range) {
    const Type& type = *value_->type();
    if (const auto* tuple = type.as<TupleType>()) {
        const auto& fields = tuple->fields();
        const auto found = std::find(fields.begin(), fields.end(), name);
        if (found == fields.end()) return nullptr;
        const auto index = found - fields.begin();
        ir::Value* position = builder.constant(IValue(static_cast<std::int64_t>(index)));
        return simple(builder.tuple_index(value_, position, type.contained()[static_cast<std::size_t>(index)]));
    }
    if (type.kind() == TypeKind::Class) return class_attribute(builder, name, range);
    if (const auto* interface_type = type.as<InterfaceType>()) {
        for (const auto& method : interface_type->methods) {
            if (method->name == name) return make_ptr<MethodValue>(value_, std::string(name));
        }
        return nullptr;
    }
    if (type.kind() == TypeKind::Enum && name == "name") {
        return simple(builder.insert(ir::prim::EnumName, {value_})->output()->set_type(types::string()));
    }
    if (type.kind() == TypeKind::Enum && name == "value") {
        return simple(builder.insert(ir::prim::EnumValue, {value_})->output()->set_type(type.element()));
    }
    return nullptr;
}

SugaredPtr SimpleValue::class_attribute(Builder& builder, std::string_view name, Range range) {
    const auto& type = *value_->type()->as<ClassType>();
    if (type.find_method(name) != nullptr) return make_ptr<MethodValue>(value_, std::string(name));
    if (const auto slot = type.find_attribute(name)) {
        return simple(builder.get_attribute(value_, std::string(name), type.attributes()[*slot].type));
    }
    if (type.find_method(getter_name(name)) == nullptr) return nullptr;
    return MethodValue(value_, getter_name(name)).call(builder, {}, {}, range);
}

bool SimpleValue::has_attribute(Builder& builder, std::string_view name, Range range) {
    const auto* type = value_->type()->as<ClassType>();
    if (type == nullptr) {
        builder.fail(
            concat("hasattr's first argument must be an object, got ", value_->type()->annotation_str(), " instead"),
            range);
    }
    return type->find_method(name) != nullptr || type->find_attribute(name).has_value();
}

void SimpleValue::set_attribute(Builder& builder, std::string_view name, ir::Value* value, Range range) {
    const auto* type = value_->type()->as<ClassType>();
    if (type == nullptr) {
        builder.fail(concat("Tried to set an attribute: ", name, " on a non-class: ", value_->type()->annotation_str()),
                     range);
    }
    const auto& inputs = builder.graph().inputs();
    const bool is_initialising =
        builder.function_name() == "__init__" && !inputs.empty() && inputs.front()->type()->equals(*type);
    if (!type->find_attribute(name)) {
        if (type->find_method(setter_name(name)) != nullptr) {
            const NamedValue argument{range, {}, value};
            MethodValue(value_, setter_name(name)).call(builder, {&argument, 1}, {}, range);
            return;
        }
        if (type->find_method(getter_name(name)) != nullptr) {
            builder.fail(concat("Tried to set read-only attribute: ", name), range);
        }
        if (!is_initialising) {
            builder.fail(concat("Tried to set nonexistent attribute: ", name,
                                ". Did you forget to initialize it in __init__()?"),
                         range);
        }
        if (holds_class(*value->type(), *type)) {
            builder.fail(concat("Assignment to attribute '", name, "' cannot be of a type that contains class '",
                                type->annotation_str(), "'.\nClasses that recursively contain instances of themselves",
                                " are not yet supported"),
                         range);
        }
        if (builder.graph().insert_point()->block() != builder.graph().block()) {
            builder.fail(
                "First assignment cannot be in a control-flow block. Initialize the field at the top level first",
                range);
        }
        // The class is still being defined: its __init__ defines its attributes.
        const_cast<ClassType*>(type)->add_attribute(std::string(name), value->type());
    }
    const TypePtr& expected = type->attributes()[*type->find_attribute(name)].type;
    value = convert_to_type(builder, expected, value, false, range);
    if (!value->type()->is_subtype_of(*expected)) {
        builder.fail(concat("Wrong type for attribute assignment. Expected ", expected->annotation_str(), " but got ",
                            value->type()->annotation_str()),
                     range);
    }
    builder.set_attribute(value_, std::string(name), value);
}

std::vector<SugaredPtr> SimpleValue::as_tuple(Builder& builder, Range range, std::optional<std::size_t> count) {
    // The number of results of a missing operator follows from its use only.
    if (count && is_tensor(value_->type()) && ir::is_missing_operator(*value_->node())) {
        value_->set_type(types::tuple(std::vector<TypePtr>(*count, types::tensor())));
    }
    const Type& type = *value_->type();
    std::vector<SugaredPtr> elements;
    if (type.kind() == TypeKind::Tuple) {
        for (ir::Value* element : builder.unpack_tuple(value_)) elements.push_back(simple(element));
        return elements;
    }
    if (type.kind() == TypeKind::List) {
        if (!count) builder.fail("cannot statically infer the expected size of a list in this context", range);
        ir::Node* unpack = builder.insert(ir::prim::ListUnpack, {value_}, *count);
        for (ir::Value* output : unpack->outputs()) elements.push_back(simple(output->set_type(type.element())));
        return elements;
    }
    if (type.kind() == TypeKind::AnyTuple) {
        builder.fail(
            "Provided tuple is not fully defined/refined including its element types, please provide a value "
            "of type like Tuple[int, int]",
            range);
    }
    builder.fail(type.annotation_str() + " cannot be used as a tuple", range);
}

SugaredPtr SimpleValue::call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range) {
    const auto* type = value_->type()->as<ClassType>();
    if (type == nullptr) return Sugared::call(builder, arguments, keywords, range);
    const bool is_forward = type->is_module() && type->find_method("__call__") == nullptr;
    return attribute(builder, is_forward ? "forward" : "__call__", range)->call(builder, arguments, keywords, range);
}

SugaredPtr SimpleValue::iterate(Builder& builder, Range range) {
    const Type& type = *value_->type();
    switch (type.kind()) {
        case TypeKind::List:
        case TypeKind::String:
        case TypeKind::Tensor:
            return SugaredPtr(this);
        case TypeKind::Dict:
            return simple(call_builtin(builder, "aten::keys", {value_}, range));
        case TypeKind::Tuple:
            return make_ptr<SugaredTuple>(as_tuple(builder, range, std::nullopt));
        case TypeKind::Class:
            if (type.as<ClassType>()->is_module()) return module_children(builder, value_);
            break;
        default:
            break;
    }
    builder.fail(concat("'", type.annotation_str(), "' object is not iterable"), range);
}

ir::Value* SimpleValue::length(Builder& builder, Range range) {
    const TypeKind kind = value_->type()->kind();
    if (kind == TypeKind::List || kind == TypeKind::String || kind == TypeKind::Tensor) {
        return call_builtin(builder, "aten::len", {value_}, range);
    }
    builder.fail(concat("'", value_->type()->annotation_str(), "' object is not iterable"), range);
}

SugaredPtr SimpleValue::item_of_type(Builder& builder, ir::Value* index, const TypePtr& type, Range range) {
    if (SugaredPtr found = module_of_interface(builder, value_, index, type, range)) return found;
    return item(builder, index, range);
}

SugaredPtr module_of_interface(Builder& builder, ir::Value* container, ir::Value* index, const TypePtr& type,
                               Range range) {
    const auto* cls = container->type()->as<ClassType>();
    const bool fits = cls != nullptr && cls->is_module() && cls->find_method("__getitem__") == nullptr;
    if (!fits || !type || type->kind() != TypeKind::Interface || ir::constant_of(index)) return nullptr;
    for (const ClassType::Attribute& attribute : cls->attributes()) {
        if (attribute.kind != AttributeKind::Module || attribute.type->is_subtype_of(*type)) continue;
        builder.fail(concat("Attribute ", attribute.name, " is not of annotated type ", type->annotation_str()), range);
    }
    ir::Node* node = builder.insert(ir::prim::ModuleContainerIndex, {container, index});
    node->output()->set_type(type);
    return simple(node->output());
}

SugaredPtr SimpleValue::item(Builder& builder, ir::Value* index, Range range) {
    const Type& type = *value_->type();
    switch (type.kind()) {
        case TypeKind::List:
        case TypeKind::String:
        case TypeKind::Dict:
            return simple(call_builtin(builder, "aten::__getitem__", {value_, index}, range));
        case TypeKind::Tensor: {
            ir::Value* dimension = builder.constant(IValue(std::int64_t{0}));
            return simple(call_builtin(builder, "aten::select", {value_, dimension, index}, range));
        }
        case TypeKind::Class: {
            if (type.as<ClassType>()->is_module() && type.as<ClassType>()->find_method("__getitem__") == nullptr) {
                return module_children(builder, value_)->item(builder, index, range);
            }
            const NamedValue argument{range, {}, index};
            return attribute(builder, "__getitem__", range)->call(builder, {&argument, 1}, {}, range);
        }
        default:
            break;
    }
    builder.fail(concat("'", type.annotation_str(), "' object is not subscriptable"), range);
}

}  // namespace loupe::script
