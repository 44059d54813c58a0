// SPDX-License-Identifier: Apache-2.0
#pragma once
// An expression before it is a value of the graph: a module, a method, a namespace, a range. Each kind defines
// attribute access, calls, iteration and so on.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/compilation_unit.h"
#include "core/script/builder.h"

namespace loupe::script {

class Sugared;
using SugaredPtr = Ptr<Sugared>;

class Sugared : public RefCounted {
  public:
    // Its name in messages: "module", "value of type 'int'".
    virtual std::string describe() const = 0;

    // The value in the graph, created if necessary. This and the others throw CompileError where the kind does not
    // support it.
    virtual ir::Value* as_value(Builder& builder, Range range);
    virtual SugaredPtr attribute(Builder& builder, std::string_view name, Range range);
    virtual bool has_attribute(Builder& builder, std::string_view name, Range range);
    virtual void set_attribute(Builder& builder, std::string_view name, ir::Value* value, Range range);
    // Its elements; a list needs the expected count.
    virtual std::vector<SugaredPtr> as_tuple(Builder& builder, Range range, std::optional<std::size_t> count = {});
    virtual SugaredPtr call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range);

    // For loops: the iterable; its length and i-th element.
    virtual SugaredPtr iterate(Builder& builder, Range range);
    virtual ir::Value* length(Builder& builder, Range range);
    virtual SugaredPtr item(Builder& builder, ir::Value* index, Range range);
    // The same with an annotated type, which may be null: then the index into a container of modules may be dynamic.
    virtual SugaredPtr item_of_type(Builder& builder, ir::Value* index, const TypePtr& type, Range range);
    // Set when loops over it are unrolled, so that elements may differ in type.
    virtual std::optional<std::int64_t> static_length() const { return std::nullopt; }
};

// A value of the graph.
class SimpleValue final : public Sugared {
  public:
    explicit SimpleValue(ir::Value* value) : value_(value) {}
    ir::Value* value() const { return value_; }

    std::string describe() const override;
    ir::Value* as_value(Builder&, Range) override { return value_; }
    SugaredPtr attribute(Builder& builder, std::string_view name, Range range) override;
    bool has_attribute(Builder& builder, std::string_view name, Range range) override;
    void set_attribute(Builder& builder, std::string_view name, ir::Value* value, Range range) override;
    std::vector<SugaredPtr> as_tuple(Builder& builder, Range range, std::optional<std::size_t> count) override;
    SugaredPtr call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range) override;
    SugaredPtr iterate(Builder& builder, Range range) override;
    ir::Value* length(Builder& builder, Range range) override;
    SugaredPtr item(Builder& builder, ir::Value* index, Range range) override;
    SugaredPtr item_of_type(Builder& builder, ir::Value* index, const TypePtr& type, Range range) override;

  private:
    SugaredPtr builtin_property(Builder& builder, std::string_view name, Range range);
    SugaredPtr field(Builder& builder, std::string_view name, Range range);
    SugaredPtr class_attribute(Builder& builder, std::string_view name, Range range);

    ir::Value* value_;
};

// PyTorch's names of the methods of a property.
std::string getter_name(std::string_view property);
std::string setter_name(std::string_view property);

// One of the modules in a container, which all have the interface; null when the type is none or the index is known.
SugaredPtr module_of_interface(Builder& builder, ir::Value* container, ir::Value* index, const TypePtr& type,
                               Range range);

inline SugaredPtr simple(ir::Value* value) { return make_ptr<SimpleValue>(value); }
// The value of a SimpleValue; null for other kinds.
ir::Value* simple_value(const SugaredPtr& sugared);

// An operator by name, perhaps with the object whose method it is.
class BuiltinValue final : public Sugared {
  public:
    explicit BuiltinValue(ir::Symbol name) : name_(name) {}
    BuiltinValue(ir::Symbol name, NamedValue self) : name_(name), self_(self) {}
    std::string describe() const override { return "builtin"; }
    SugaredPtr call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range) override;

  private:
    ir::Symbol name_;
    std::optional<NamedValue> self_;
};

// torch, ops.torchvision: attributes are operators of the namespace.
class BuiltinNamespace final : public Sugared {
  public:
    explicit BuiltinNamespace(std::string space) : space_(std::move(space)) {}
    std::string describe() const override { return "builtin module"; }
    SugaredPtr attribute(Builder& builder, std::string_view name, Range range) override;

  private:
    std::string space_;
};

// ops: attributes are namespaces.
class OpsNamespace final : public Sugared {
  public:
    std::string describe() const override { return "ops"; }
    SugaredPtr attribute(Builder& builder, std::string_view name, Range range) override;
};

// Calls whose arguments are not simply evaluated; the emitter knows the forms.
enum class Form : std::uint8_t {
    Fork,
    Annotate,
    UncheckedCast,
    GetAttr,
    HasAttr,
    Uninitialized,
    TupleConstruct,
    IsInstance,
    ToList,
    CreateObject,
    Range,
    Enumerate,
    Zip,
    List,
    Dict,
};

class SpecialForm final : public Sugared {
  public:
    explicit SpecialForm(Form form) : form_(form) {}
    Form form() const { return form_; }
    std::string describe() const override { return "special form"; }

  private:
    Form form_;
};

// int(x): the operator, unless x is of the type already.
class CastValue final : public Sugared {
  public:
    CastValue(TypePtr type, ir::Symbol name) : type_(std::move(type)), name_(name) {}
    std::string describe() const override { return "cast"; }
    SugaredPtr call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range) override;

  private:
    TypePtr type_;
    ir::Symbol name_;
};

// x.float()
class TensorCast final : public Sugared {
  public:
    TensorCast(ScalarType dtype, NamedValue self) : dtype_(dtype), self_(self) {}
    std::string describe() const override { return "cast"; }
    SugaredPtr call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range) override;

  private:
    ScalarType dtype_;
    NamedValue self_;
};

// A function that user classes overload: len(x) is x.__len__() for them.
class MagicMethod final : public Sugared {
  public:
    MagicMethod(std::string method, SugaredPtr otherwise)
        : method_(std::move(method)), otherwise_(std::move(otherwise)) {}
    const std::string& method() const { return method_; }
    std::string describe() const override { return otherwise_->describe(); }
    SugaredPtr call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range) override;

  private:
    std::string method_;
    SugaredPtr otherwise_;
};
// Calls the operator, or the method when the first argument is an object of a user class.
ir::Value* call_magic(Builder& builder, std::string_view method, ir::Symbol name, NamedValues arguments, Range range);

class PrintValue final : public Sugared {
  public:
    std::string describe() const override { return "print"; }
    SugaredPtr call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range) override;
};

class NoValue final : public Sugared {
  public:
    std::string describe() const override { return "None"; }
};

// A class: calling it makes an object.
class ClassValue final : public Sugared {
  public:
    // unit: where its hooks are found; null when it has none.
    ClassValue(Ptr<const ClassType> type, const ir::CompilationUnit* unit) : type_(std::move(type)), unit_(unit) {}
    const Ptr<const ClassType>& type() const { return type_; }
    std::string describe() const override { return type_->annotation_str(); }
    SugaredPtr attribute(Builder& builder, std::string_view name, Range range) override;
    SugaredPtr call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range) override;

  private:
    Ptr<const ClassType> type_;
    const ir::CompilationUnit* unit_;
};

class NamedTupleClass final : public Sugared {
  public:
    explicit NamedTupleClass(TypePtr type, std::map<std::string, IValue> defaults = {})
        : type_(std::move(type)), defaults_(std::move(defaults)) {}
    std::string describe() const override { return type_->annotation_str(); }
    SugaredPtr call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range) override;

  private:
    TypePtr type_;
    std::map<std::string, IValue> defaults_;  // of fields that have one
};

class EnumClass final : public Sugared {
  public:
    explicit EnumClass(Ptr<const EnumType> type) : type_(std::move(type)) {}
    std::string describe() const override { return "EnumClass"; }
    SugaredPtr attribute(Builder& builder, std::string_view name, Range range) override;
    SugaredPtr iterate(Builder& builder, Range range) override;

  private:
    Ptr<const EnumType> type_;
};

class FunctionValue final : public Sugared {
  public:
    explicit FunctionValue(Function& function) : function_(function) {}
    std::string describe() const override { return "function"; }
    SugaredPtr call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range) override;

  private:
    Function& function_;
};

// Of an object of a class or an interface.
class MethodValue final : public Sugared {
  public:
    MethodValue(ir::Value* self, std::string name) : self_(self), name_(std::move(name)) {}
    std::string describe() const override { return "method"; }
    SugaredPtr call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range) override;

  private:
    ir::Value* self_;
    std::string name_;
};

// A nested def; only fork takes it.
class ClosureValue final : public Sugared {
  public:
    explicit ClosureValue(ir::Value* value) : value_(value) {}
    std::string describe() const override { return "closure"; }
    ir::Value* as_value(Builder&, Range) override { return value_; }

  private:
    ir::Value* value_;
};

// ValueError, and the result of calling it.
class ExceptionClass final : public Sugared {
  public:
    explicit ExceptionClass(std::string name) : name_(std::move(name)) {}
    // "builtins.ValueError"; empty for AssertionError, which PyTorch names in the message.
    const std::string& name() const { return name_; }
    std::string describe() const override { return "exception"; }
    SugaredPtr call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range) override;

  private:
    std::string name_;
};

class ExceptionMessage final : public Sugared {
  public:
    ExceptionMessage(ir::Value* message, ir::Value* class_name) : message_(message), class_name_(class_name) {}
    ir::Value* message() const { return message_; }
    ir::Value* class_name() const { return class_name_; }  // null when it has none
    std::string describe() const override { return "exception message"; }

  private:
    ir::Value* message_;
    ir::Value* class_name_;
};

// range(...)
class RangeValue final : public Sugared {
  public:
    RangeValue(Builder& builder, std::span<ir::Value* const> inputs, Range range,
               std::optional<std::int64_t> static_length = {});
    std::string describe() const override { return "range"; }
    SugaredPtr iterate(Builder&, Range) override { return SugaredPtr(this); }
    ir::Value* length(Builder& builder, Range range) override;
    SugaredPtr item(Builder& builder, ir::Value* index, Range range) override;
    std::optional<std::int64_t> static_length() const override { return static_length_; }

  private:
    ir::Value* start_ = nullptr;  // null when only the end is given
    ir::Value* end_ = nullptr;
    ir::Value* step_ = nullptr;
    std::optional<std::int64_t> static_length_;
};

// zip(...) and enumerate(...)
class IterableTree final : public Sugared {
  public:
    std::string describe() const override { return "iterabletree"; }
    void add(Builder& builder, SugaredPtr child, Range range);
    SugaredPtr iterate(Builder&, Range) override { return SugaredPtr(this); }
    ir::Value* length(Builder& builder, Range range) override;
    SugaredPtr item(Builder& builder, ir::Value* index, Range range) override;
    std::optional<std::int64_t> static_length() const override { return static_length_; }

  private:
    void collect_leaves(std::vector<SugaredPtr>& leaves) const;

    std::vector<SugaredPtr> children_;
    std::optional<std::int64_t> static_length_;
};

// A tuple of sugared values.
class SugaredTuple final : public Sugared {
  public:
    explicit SugaredTuple(std::vector<SugaredPtr> elements) : elements_(std::move(elements)) {}
    std::string describe() const override { return "Tuple"; }
    ir::Value* as_value(Builder& builder, Range range) override;
    std::vector<SugaredPtr> as_tuple(Builder&, Range, std::optional<std::size_t>) override { return elements_; }
    SugaredPtr iterate(Builder&, Range) override { return SugaredPtr(this); }
    SugaredPtr item(Builder& builder, ir::Value* index, Range range) override;
    std::optional<std::int64_t> static_length() const override { return static_cast<std::int64_t>(elements_.size()); }

  private:
    std::vector<SugaredPtr> elements_;
};

// Python's builtins (print, len, range, ValueError, ...); null for other names.
SugaredPtr python_builtin(std::string_view name);

}  // namespace loupe::script
