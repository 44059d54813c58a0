// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch_scope.h"

#include <map>
#include <mutex>

#include "core/python/error.h"
#include "core/python/operations.h"

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

// A function that runs inside of the scope; a method, so that it is bound when it decorates one.
IValue decorated(CallArguments arguments) {
    scope_self(arguments);
    if (arguments.positional.size() != 2) throw_type_error("a decorator takes a function");
    const IValue scope = arguments.positional[0], function = arguments.positional[1];
    return IValue::other(make_ptr<NativeMethod>("decorated", [scope, function](CallArguments given) {
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
    cls->define("__enter__", [](CallArguments arguments) {
        ScopeObject& self = scope_self(arguments);
        self.opened.push_back(self.open());
        return self.entered ? self.entered() : arguments.positional[0];
    });
    cls->define("__exit__", [](CallArguments arguments) {
        ScopeObject& self = scope_self(arguments);
        if (!self.opened.empty()) self.opened.pop_back();
        return IValue(false);
    });
    cls->define("__call__", decorated);
    return cls;
}

}  // namespace

IValue make_scope(const std::string& class_name, const std::string& module, std::function<std::shared_ptr<void>()> open,
                  std::function<IValue()> entered) {
    return IValue::other(make_ptr<ScopeObject>(scope_class(class_name, module), std::move(open), std::move(entered)));
}

}  // namespace loupe::python
