// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a decorator written in C++ makes of a function: called in its place, with its names, bound as a method is.

#include "core/python/language/object.h"

namespace loupe::python {

class DecoratedFunction final : public PythonObject {
  public:
    DecoratedFunction(IValue wrapped_function, NativeCallable::Body body)
        : wrapped(std::move(wrapped_function)), body_(std::move(body)) {}
    const IValue wrapped;
    std::string type_name() const override { return "function"; }
    std::string describe() const override;
    // __wrapped__, and what the function has.
    std::optional<IValue> find_attribute(std::string_view name) override;
    IValue call(CallArguments arguments) override { return body_(std::move(arguments)); }

  private:
    NativeCallable::Body body_;
};

}  // namespace loupe::python
