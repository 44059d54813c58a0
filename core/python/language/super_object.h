// SPDX-License-Identifier: Apache-2.0
#pragma once
// super(): attributes of the classes behind one in the mro of an object's class.

#include "core/python/language/class.h"

namespace loupe::python {

class SuperObject final : public PythonObject {
  public:
    SuperObject(ClassPtr after_class, IValue of, ClassPtr of_class)
        : after(std::move(after_class)), self(std::move(of)), cls(std::move(of_class)) {}
    const ClassPtr after;
    const IValue self;   // an instance, or a class in class methods
    const ClassPtr cls;  // whose mro is looked through
    std::string type_name() const override { return "super"; }
    std::optional<IValue> find_attribute(std::string_view name) override;
    void set_attribute(std::string_view name, IValue value) override;
    IValue get_item(const IValue& key) override;
    std::string repr() override;
};

// super() and super(Class, self).
IValue make_super(CallArguments arguments);

}  // namespace loupe::python
