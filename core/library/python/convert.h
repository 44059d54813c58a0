// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values and exceptions of the engine as objects of CPython, and back. Numbers, texts and tuples are copied; everything
// else is shared.

#include <pybind11/pybind11.h>

#include "core/value/callable.h"

namespace loupe::bindings {

namespace py = pybind11;

// The engine's value behind a Python object: a list, a module, a class, a function.
class Object {
  public:
    explicit Object(IValue value) : value_(std::move(value)) {}
    Object(const Object&) = delete;
    Object& operator=(const Object&) = delete;
    // In the engine: the last reference may let go much.
    ~Object();
    const IValue& value() const { return value_; }

  private:
    IValue value_;
};
// The same of a tensor, which CPython can look into.
class TensorObject final : public Object {
  public:
    using Object::Object;
    Tensor tensor() const { return value().to_tensor(); }
};

// Both with the interpreter's lock held.
py::object to_python(const IValue& value);
// Throws TypeError for an object that the engine has no use for.
IValue to_engine(py::handle object);
CallArguments to_arguments(const py::args& positional, const py::kwargs& keywords);

// Errors of the engine as Python's exceptions; loupe.Error for those that no Python program raises.
void register_errors(py::module_& module);
// For a function of CPython that the engine calls, in its catch of `raised`: the same exception for the engine. Where
// it leaves the engine again, the caller gets the very object.
[[noreturn]] void throw_into_engine(py::error_already_set& raised);

// An object of CPython that the engine only passes on.
IValue foreign_object(const py::object& object);

}  // namespace loupe::bindings
