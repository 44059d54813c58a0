// SPDX-License-Identifier: Apache-2.0
// Exceptions of the engine in CPython, and the other way round.
#include <string>

#include "core/base/error.h"
#include "core/library/python/convert.h"
#include "core/python/language/error.h"

namespace loupe::bindings {
namespace {

// The exception of CPython that an exception of the engine came from.
constexpr const char* kOrigin = "__cpython_exception__";

// builtins.NAME if it is a class of exceptions.
py::object builtin_exception(const std::string& name) {
    const py::module_ builtins = py::module_::import("builtins");
    if (!py::hasattr(builtins, name.c_str())) return py::none();
    py::object found = builtins.attr(name.c_str());
    return PyExceptionClass_Check(found.ptr()) ? found : py::none();
}

// Of the class or of the first one that it derives from which CPython has too.
py::object exception_class_for(const python::ClassObject& cls) {
    for (const python::ClassObject* base : cls.mro()) {
        py::object found = builtin_exception(base->name());
        if (!found.is_none()) return found;
    }
    return py::reinterpret_borrow<py::object>(PyExc_RuntimeError);
}

void raise_in_cpython(const python::PythonError& error) {
    const Ptr<python::ExceptionObject>& exception = error.exception();
    if (const IValue* origin = exception->attributes.find(kOrigin)) {
        const py::object original = to_python(*origin);
        PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(original.ptr())), original.ptr());
        return;
    }
    const py::object cls = exception_class_for(*exception->cls());
    py::tuple arguments(exception->args.size());
    for (std::size_t i = 0; i < exception->args.size(); ++i) arguments[i] = to_python(exception->args[i]);
    const py::object made = cls(*arguments);
    PyErr_SetObject(cls.ptr(), made.ptr());
}

void raise_in_cpython(const Error& error, const py::object& error_class) {
    if (error.kind() == ErrorKind::Cancelled) return PyErr_SetNone(PyExc_KeyboardInterrupt);
    const py::object made = error_class(py::str(error.what()));
    made.attr("kind") = std::string(error_kind_name(error.kind()));
    PyErr_SetObject(error_class.ptr(), made.ptr());
}

}  // namespace

void register_errors(py::module_& module) {
    static PyObject* const error_class = PyErr_NewExceptionWithDoc(
        "loupe.Error", "A file or a request that the engine refuses; `kind` says which.", PyExc_RuntimeError, nullptr);
    module.attr("Error") = py::handle(error_class);
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            std::rethrow_exception(thrown);
        } catch (const python::PythonError& error) {
            raise_in_cpython(error);
        } catch (const Error& error) {
            raise_in_cpython(error, py::reinterpret_borrow<py::object>(error_class));
        }
    });
}

void throw_into_engine(py::error_already_set& raised) {
    const py::object value = raised.value();
    python::ClassPtr cls = python::exception_class("RuntimeError");
    // The nearest class that the engine's programs know, for what they catch.
    for (const py::handle base : py::type::of(value).attr("__mro__")) {
        if (python::ClassPtr known = python::exception_class(std::string(py::str(base.attr("__name__"))))) {
            cls = std::move(known);
            break;
        }
    }
    auto exception =
        make_ptr<python::ExceptionObject>(std::move(cls), std::vector<IValue>{IValue(std::string(py::str(value)))});
    exception->attributes.set(kOrigin, foreign_object(value));
    throw python::PythonError(std::move(exception));
}

}  // namespace loupe::bindings
