// SPDX-License-Identifier: Apache-2.0
#pragma once
// The types of TorchScript, in schemas, graphs and archives.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/ref_counted.h"
#include "core/tensor/tensor.h"

namespace loupe {

enum class TypeKind : std::uint8_t {
    Any,
    Tensor,
    Int,
    Float,
    Complex,
    Bool,
    Number,  // Scalar: int, float or complex; bool is no subtype of it
    String,
    None,
    Device,
    Generator,
    Storage,
    Capsule,
    List,
    Dict,
    Tuple,
    Optional,
    Union,
    Future,
    Var,  // a type variable of a schema: t
    AnyList,
    AnyTuple,
    AnyClass,
    AnyEnum,
    Class,  // modules too
    Interface,
    Enum,
    Function,
};

class Type;
using TypePtr = Ptr<const Type>;
class ClassType;
struct FunctionSchema;
class Function;  // a callable with a schema; script functions and methods derive from it

class Type : public RefCounted {
  public:
    TypeKind kind() const { return kind_; }
    // As a graph prints it: "int[]", "Tensor?", "Dict(str, Tensor)", "__torch__.M", "Float(2, 3)".
    std::string str() const;
    // As a schema prints it: as str(), but tensors without shape facts, "Future(t)", named tuples by name.
    std::string schema_str() const;
    // As Python source writes it: "List[int]", "Optional[Tensor]", "__torch__.M".
    std::string annotation_str() const;
    // Structural for containers, by name for classes, exact for refined tensors.
    bool equals(const Type& other) const;
    // Python's and PyTorch's rule: int is no subtype of float; T is of Optional[T]; List is invariant but for AnyList;
    // a refined tensor is of Tensor.
    bool is_subtype_of(const Type& other) const;

    // Element of a List, Optional, Future; key and value of a Dict; elements of a Tuple or Union.
    const std::vector<TypePtr>& contained() const { return contained_; }
    const TypePtr& element() const { return contained_.front(); }
    // Name of a variable, class, interface, enum, or named tuple; of a Capsule that is one of PyTorch's opaque types
    // ("QScheme", "Stream"); empty otherwise.
    const std::string& name() const { return name_; }

    template <typename T>
    const T* as() const {
        return kind_ == T::kKind ? static_cast<const T*>(this) : nullptr;
    }

  protected:
    explicit Type(TypeKind kind, std::vector<TypePtr> contained = {}, std::string name = {})
        : kind_(kind), contained_(std::move(contained)), name_(std::move(name)) {}

    friend TypePtr make_type(TypeKind, std::vector<TypePtr>, std::string);

    TypeKind kind_;
    std::vector<TypePtr> contained_;
    std::string name_;
};

// Tensor, with its known shape facts.
class TensorType final : public Type {
  public:
    static constexpr TypeKind kKind = TypeKind::Tensor;
    TensorType() : Type(kKind) {}

    std::optional<ScalarType> dtype;
    std::optional<Device> device;
    // Known number of dimensions; an unknown size inside is nullopt ("*" in print).
    std::optional<std::vector<std::optional<std::int64_t>>> sizes;
    std::optional<std::vector<std::optional<std::int64_t>>> strides;
    std::optional<bool> requires_grad;
    bool undefined = false;  // printed "Tensor[Undefined]"
    bool is_refined() const { return dtype || device || sizes || strides || requires_grad || undefined; }
};

class TupleType final : public Type {
  public:
    static constexpr TypeKind kKind = TypeKind::Tuple;
    // A named tuple has a qualified name and one field name an element.
    explicit TupleType(std::vector<TypePtr> elements, std::string name = {}, std::vector<std::string> fields = {})
        : Type(kKind, std::move(elements), std::move(name)), fields_(std::move(fields)) {}

    const std::vector<std::string>& fields() const { return fields_; }

  private:
    std::vector<std::string> fields_;
};

enum class AttributeKind : std::uint8_t { Attribute, Parameter, Buffer, Module };

// A user class or a module class: attributes by slot, methods by name. Filled while it is compiled, then constant.
class ClassType final : public Type {
  public:
    static constexpr TypeKind kKind = TypeKind::Class;

    struct Attribute {
        std::string name;
        TypePtr type;
        AttributeKind kind = AttributeKind::Attribute;
    };

    ClassType(std::string qualified_name, bool is_module)
        : Type(kKind, {}, std::move(qualified_name)), is_module_(is_module) {}

    bool is_module() const { return is_module_; }
    const std::vector<Attribute>& attributes() const { return attributes_; }
    std::optional<std::size_t> find_attribute(std::string_view name) const;
    // Returns its slot. Throws Error (Compile) when the name is taken.
    std::size_t add_attribute(std::string name, TypePtr type, AttributeKind kind = AttributeKind::Attribute);
    // For classes of one object only (modules built in C++): removes an attribute, later slots move down.
    void remove_attribute(std::size_t slot);
    void set_attribute_type(std::size_t slot, TypePtr type, AttributeKind kind);

    // Methods are owned by their compilation unit, which outlives its types.
    Function* find_method(std::string_view name) const;
    void add_method(std::string name, Function* method);
    const std::vector<std::pair<std::string, Function*>>& methods() const { return methods_; }
    // Scripted hooks around forward, in the order in which they run when the module is called.
    const std::vector<Function*>& forward_pre_hooks() const { return forward_pre_hooks_; }
    const std::vector<Function*>& forward_hooks() const { return forward_hooks_; }
    void add_forward_pre_hook(Function* hook) { forward_pre_hooks_.push_back(hook); }
    void add_forward_hook(Function* hook) { forward_hooks_.push_back(hook); }
    // The compilation unit that owns the methods.
    void set_owner(Ptr<RefCounted> owner) { owner_ = std::move(owner); }

  private:
    bool is_module_;
    std::vector<Attribute> attributes_;
    std::unordered_map<std::string, std::size_t> slots_;
    std::vector<std::pair<std::string, Function*>> methods_;
    std::vector<Function*> forward_pre_hooks_;
    std::vector<Function*> forward_hooks_;
    Ptr<RefCounted> owner_;
};

// An interface: method names only matter for calls, which are resolved on the object at run time.
class InterfaceType final : public Type {
  public:
    static constexpr TypeKind kKind = TypeKind::Interface;
    InterfaceType(std::string qualified_name, bool is_module)
        : Type(kKind, {}, std::move(qualified_name)), is_module_(is_module) {}
    bool is_module() const { return is_module_; }

    std::vector<std::shared_ptr<const FunctionSchema>> methods;

  private:
    bool is_module_;
};

// Any type without parameters, or with contained types only.
TypePtr make_type(TypeKind kind, std::vector<TypePtr> contained = {}, std::string name = {});

namespace types {
// Shared instances; shared() of any kind without contained types or name.
const TypePtr& shared(TypeKind kind);
const TypePtr& any();
const TypePtr& tensor();
const TypePtr& integer();
const TypePtr& floating();
const TypePtr& complex();
const TypePtr& boolean();
const TypePtr& number();
const TypePtr& string();
const TypePtr& none();
const TypePtr& device();
const TypePtr& generator();
TypePtr list(TypePtr element);
TypePtr dict(TypePtr key, TypePtr value);
TypePtr tuple(std::vector<TypePtr> elements);
TypePtr named_tuple(std::string qualified_name, std::vector<std::string> fields, std::vector<TypePtr> elements);
TypePtr optional(TypePtr element);                    // of an Optional or None: itself
TypePtr union_of(std::vector<TypePtr> alternatives);  // flattened and sorted; Union[T, None] is Optional[T]
TypePtr future(TypePtr element);
}  // namespace types

// The most specific common supertype, if there is one; torch's unifyTypes.
std::optional<TypePtr> unify_types(const TypePtr& a, const TypePtr& b);

}  // namespace loupe
