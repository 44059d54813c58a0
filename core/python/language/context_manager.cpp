// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/context_manager.h"

#include <map>
#include <mutex>

#include "core/base/strings.h"
#include "core/python/language/decorated_function.h"
#include "core/python/language/error.h"
#include "core/python/language/operations.h"

namespace loupe::python {
namespace {

class ScopeObject final : public Instance {
  public:
    ScopeObject(ClassPtr cls, std::function<std::shared_ptr<void>()> opener, std::function<IValue()> gives)
        : Instance(std::move(cls)), open(std::move(opener)), entered(std::move(gives)) {}
    std::function<std::shared_ptr<void>()> open;
    std::function<IValue()> entered;
    std::vector<std::shared_ptr<void>> opened;
    void clear_references() override {
        Instance::clear_references();
        opened.clear();
        open = nullptr;
        entered = nullptr;
    }
};

ScopeObject& scope_self(const CallArguments& arguments) {
    if (!arguments.positional.empty()) {
        if (auto* self = object_as<ScopeObject>(arguments.positional[0])) return *self;
    }
    throw_type_error("expected a context manager of torch");
}

void define_methods(ClassObject& cls);

// A function that runs inside of the scope.
IValue decorated(CallArguments arguments) {
    scope_self(arguments);
    if (arguments.positional.size() != 2) throw_type_error("a decorator takes a function");
    const IValue scope = arguments.positional[0], function = arguments.positional[1];
    return IValue::other(make_ptr<DecoratedFunction>(function, [scope, function](CallArguments given) {
        const std::shared_ptr<void> inside = object_as<ScopeObject>(scope)->open();
        return call(function, std::move(given));
    }));
}

ClassPtr scope_class(const std::string& name, const std::string& module) {
    static std::mutex mutex;
    static std::map<std::string, ClassPtr> classes;
    const std::scoped_lock lock(mutex);
    ClassPtr& cls = classes[module + "." + name];
    if (cls) return cls;
    cls = make_ptr<ClassObject>(name, module, std::vector<ClassPtr>{});
    cls->set_builtin(nullptr);
    define_methods(*cls);
    return cls;
}

void define_methods(ClassObject& cls) {
    cls.define("__enter__", [](CallArguments arguments) {
        ScopeObject& self = scope_self(arguments);
        if (!self.open) throw_type_error(concat("'", self.type_name(), "' object has not been initialised"));
        self.opened.push_back(self.open());
        return self.entered ? self.entered() : arguments.positional[0];
    });
    cls.define("__exit__", [](CallArguments arguments) {
        ScopeObject& self = scope_self(arguments);
        if (!self.opened.empty()) self.opened.pop_back();
        return IValue(false);
    });
    cls.define("__call__", decorated);
}

}  // namespace

ClassPtr make_scope_class(const std::string& class_name, const std::string& module, std::vector<ClassPtr> bases,
                          std::function<ScopeParts(CallArguments arguments)> init) {
    auto cls = make_ptr<ClassObject>(class_name, module, std::move(bases));
    cls->set_builtin([](ClassObject& of, CallArguments&) -> ClassObject::Made {
        return {IValue::other(make_ptr<ScopeObject>(ClassPtr(&of), nullptr, nullptr)), false};
    });
    cls->define("__init__", [init = std::move(init)](CallArguments arguments) {
        ScopeObject& self = scope_self(arguments);
        arguments.positional.erase(arguments.positional.begin());
        ScopeParts parts = init(std::move(arguments));
        self.open = std::move(parts.open);
        self.entered = std::move(parts.entered);
        return IValue();
    });
    define_methods(*cls);
    return cls;
}

IValue make_scope(const std::string& class_name, const std::string& module, std::function<std::shared_ptr<void>()> open,
                  std::function<IValue()> entered) {
    return IValue::other(make_ptr<ScopeObject>(scope_class(class_name, module), std::move(open), std::move(entered)));
}

}  // namespace loupe::python
