// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a name of a model source can hold beside the values of TorchScript: functions, classes, instances, modules of
// Python, slices, iterators. All are IValues; these are the ones behind Tag::Other. Numbers, strings, None, tensors,
// lists (element type Any), tuples, dicts, devices and nn modules are the IValues that they are everywhere.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/python/language/namespace.h"
#include "core/value/callable.h"

namespace loupe::python {

class Iterator;

// Every function throws PythonError (core/python/language/error.h) where Python raises.
class PythonObject : public Callable {
  public:
    virtual std::string type_name() const = 0;                            // "function", "module", "slice"
    virtual std::optional<IValue> find_attribute(std::string_view name);  // nullopt: AttributeError
    virtual void set_attribute(std::string_view name, IValue value);
    virtual void delete_attribute(std::string_view name);
    virtual IValue get_item(const IValue& key);
    virtual void set_item(const IValue& key, IValue value);
    virtual Ptr<Iterator> iterate();
    virtual std::optional<std::int64_t> length();
    virtual bool truth() { return true; }
    virtual bool equals(const IValue& other) { return is_equal(other); }
    virtual std::string repr();
    IValue call(CallArguments arguments) override;  // TypeError: 'slice' object is not callable
    std::string describe() const override { return type_name(); }
};

class Iterator : public PythonObject {
  public:
    std::string type_name() const override { return "iterator"; }
    virtual std::optional<IValue> next() = 0;
    Ptr<Iterator> iterate() override { return Ptr<Iterator>(this); }
};

// A function written in C++.
class NativeCallable final : public PythonObject {
  public:
    using Body = std::function<IValue(CallArguments)>;
    NativeCallable(std::string name, Body body) : name_(std::move(name)), body_(std::move(body)) {}
    std::string type_name() const override { return "builtin_function_or_method"; }
    std::string describe() const override { return name_; }
    IValue call(CallArguments arguments) override { return body_(std::move(arguments)); }

  private:
    std::string name_;
    Body body_;
};

// What `import` binds: math, torch.nn. Names that are not in the table are asked of the fallback.
class PythonModule final : public PythonObject {
  public:
    using Fallback = std::function<std::optional<IValue>(std::string_view name)>;
    explicit PythonModule(std::string name, Fallback fallback = nullptr)
        : name_(std::move(name)), fallback_(std::move(fallback)) {}
    // Of a file: its names are the globals that its functions see.
    PythonModule(std::string name, NamespacePtr globals, Fallback fallback = nullptr);
    const std::string& name() const { return name_; }
    void define(std::string name, IValue value) { values_[std::move(name)] = std::move(value); }
    // What the module of that name defines, which is imported when the name is first asked for.
    void define_from(std::string name, std::string module) { lazy_[std::move(name)] = std::move(module); }
    template <typename Function>
    requires std::is_invocable_r_v<IValue, Function, CallArguments>
    void define(std::string name, Function body) {
        values_[name] = IValue::other(make_ptr<NativeCallable>(name, NativeCallable::Body(std::move(body))));
    }

    std::string type_name() const override { return "module"; }
    std::optional<IValue> find_attribute(std::string_view name) override;
    void set_attribute(std::string_view name, IValue value) override;
    void delete_attribute(std::string_view name) override;
    std::string repr() override;
    // Those that have been defined or asked for.
    std::vector<std::pair<std::string, IValue>> entries() const;
    void clear();

  private:
    std::string name_;
    std::map<std::string, IValue, std::less<>> values_;
    std::map<std::string, std::string, std::less<>> lazy_;  // name: module
    NamespacePtr globals_;                                  // null: values_ are all its names
    Fallback fallback_;
};

// A module that a source may import, one file each. Submodules have dotted names ("torch.nn").
struct ModuleRecord {
    std::string_view name;
    void (*fill)(PythonModule& module) = nullptr;  // of one written in C++: called once an evaluator
    std::string_view source = {};                  // of one written in Python: its text
    bool is_shown = false;                         // stepping goes there, and its text is a source of the model
};

// The modules that programs may import beside the files of their own folder.
class ModuleTable {
  public:
    virtual ~ModuleTable() = default;
    // Null for a name that is none.
    virtual const ModuleRecord* find(std::string_view name) const = 0;
    // What to say to `import numpy`: "use torch.tensor(...)". Empty when nothing is known.
    virtual std::string_view replacement_for(std::string_view root) const = 0;
};

}  // namespace loupe::python
