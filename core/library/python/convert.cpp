// SPDX-License-Identifier: Apache-2.0
#include "core/library/python/convert.h"

#include <complex>
#include <string>
#include <unordered_map>

#include <pybind11/complex.h>

#include "core/base/strings.h"
#include "core/library/python/engine_call.h"
#include "core/python/language/big_integer.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/error.h"
#include "core/python/language/operations.h"

namespace loupe::bindings {
namespace {

// A reference to an object of CPython that may be let go on any thread.
class HeldReference {
  public:
    explicit HeldReference(py::object object) : object_(std::move(object)) {}
    HeldReference(const HeldReference&) = delete;
    HeldReference& operator=(const HeldReference&) = delete;
    ~HeldReference() {
        // When the interpreter has gone its objects have gone with it.
        if (Py_IsInitialized() == 0) {
            object_.release();
            return;
        }
        const py::gil_scoped_acquire held;
        object_ = py::object();
    }
    const py::object& get() const { return object_; }

  private:
    py::object object_;
};

class ForeignObject final : public python::PythonObject {
  public:
    explicit ForeignObject(py::object object) : reference(std::move(object)) {
        type_ = py::str(py::type::of(reference.get()).attr("__name__"));
    }
    const HeldReference reference;
    std::string type_name() const override { return type_; }
    std::string repr() override {
        const py::gil_scoped_acquire held;
        return py::repr(reference.get());
    }
    // Closures of optimisers, hooks, key functions.
    IValue call(CallArguments arguments) override {
        const py::gil_scoped_acquire held;
        try {
            py::tuple positional(arguments.positional.size());
            for (std::size_t i = 0; i < arguments.positional.size(); ++i)
                positional[i] = to_python(arguments.positional[i]);
            py::dict keywords;
            for (const auto& [name, value] : arguments.keywords) keywords[py::str(name)] = to_python(value);
            return to_engine(reference.get()(*positional, **keywords));
        } catch (py::error_already_set& raised) {
            throw_into_engine(raised);
        }
    }
    bool is_equal(const IValue& other) const override {
        const auto* foreign = python::object_as<ForeignObject>(other);
        return foreign != nullptr && foreign->reference.get().is(reference.get());
    }
    std::size_t hash() const override { return std::hash<const void*>{}(reference.get().ptr()); }

  private:
    std::string type_;
};

std::vector<IValue> elements_of(py::handle iterable) {
    std::vector<IValue> out;
    for (const py::handle element : iterable) out.push_back(to_engine(element));
    return out;
}

IValue to_engine_integer(py::handle object) {
    const py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()));
    if (!index) throw py::error_already_set();
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
    if (overflow == 0) return IValue(static_cast<std::int64_t>(number));
    const std::string digits = py::str(index);
    return in_engine([&] { return python::call(IValue::other(python::builtin_classes().integer), {IValue(digits)}); });
}

// float, int and bool name dtypes; object and others classes.
std::optional<IValue> to_engine_class(py::handle object) {
    if (!PyType_Check(object.ptr()) || std::string(py::str(object.attr("__module__"))) != "builtins")
        return std::nullopt;
    const std::string name = py::str(object.attr("__name__"));
    return in_engine([&] { return find_builtin(name); });
}

// numpy's numbers among them.
std::optional<IValue> to_engine_number(py::handle object) {
    PyObject* const raw = object.ptr();
    if (PyBool_Check(raw)) return IValue(raw == Py_True);
    if (PyFloat_Check(raw)) return IValue(PyFloat_AS_DOUBLE(raw));
    if (PyLong_Check(raw)) return to_engine_integer(object);
    if (PyComplex_Check(raw)) return IValue(object.cast<std::complex<double>>());
    const PyNumberMethods* const numbers = Py_TYPE(raw)->tp_as_number;
    if (numbers == nullptr || PySequence_Check(raw) != 0) return std::nullopt;
    const std::string_view type = Py_TYPE(raw)->tp_name;
    if (type == "numpy.bool_" || type == "numpy.bool") return IValue(PyObject_IsTrue(raw) == 1);
    if (numbers->nb_index != nullptr) return to_engine_integer(object);
    if (numbers->nb_float == nullptr) return std::nullopt;
    const double number = PyFloat_AsDouble(raw);
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    return IValue(number);
}

std::optional<IValue> to_engine_container(py::handle object) {
    PyObject* const raw = object.ptr();
    if (PyTuple_Check(raw)) return python::make_tuple(elements_of(object));
    if (PyList_Check(raw) || PyRange_Check(raw) || PyGen_Check(raw)) return python::make_list(elements_of(object));
    if (PyDict_Check(raw)) {
        const Ptr<DictObject> dict = python::make_dict();
        for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(object))
            dict->set(to_engine(key), to_engine(value));
        return IValue(dict);
    }
    const python::BuiltinClasses& classes = python::builtin_classes();
    const bool is_bytes = PyBytes_Check(raw) || PyByteArray_Check(raw);
    if (!is_bytes && !PyAnySet_Check(raw)) return std::nullopt;
    const IValue elements = python::make_list(elements_of(object));
    const python::ClassPtr& cls = PyBytes_Check(raw)       ? classes.bytes
                                  : PyByteArray_Check(raw) ? classes.byte_array
                                  : PyFrozenSet_Check(raw) ? classes.frozenset
                                                           : classes.set;
    return in_engine([&] { return python::call(IValue::other(cls), {elements}); });
}

IValue to_engine_slice(py::handle object) {
    return IValue::other(make_ptr<python::SliceObject>(to_engine(object.attr("start")), to_engine(object.attr("stop")),
                                                       to_engine(object.attr("step"))));
}

// The Python objects that there are of counted values of the engine: one each, so that `is` means what it says. With
// the interpreter's lock.
using Faces = std::unordered_map<const RefCounted*, PyObject*>;
Faces& faces() {
    static auto* const all = new Faces;
    return *all;
}

template <typename Face>
py::object face_of(const IValue& value) {
    const auto found = faces().find(value.object_pointer());
    if (found != faces().end() && Py_REFCNT(found->second) > 0)
        return py::reinterpret_borrow<py::object>(found->second);
    py::object made = py::cast(std::make_unique<Face>(value));
    faces()[value.object_pointer()] = made.ptr();
    return made;
}

py::object to_python_tuple(const TupleObject& tuple) {
    py::tuple out(tuple.elements.size());
    for (std::size_t i = 0; i < tuple.elements.size(); ++i) out[i] = to_python(tuple.elements[i]);
    return out;
}

py::object to_python_other(const IValue& value) {
    if (const auto* foreign = python::object_as<ForeignObject>(value)) return foreign->reference.get();
    if (python::is_same_object(value, python::ellipsis())) return py::ellipsis();
    if (python::is_same_object(value, python::not_implemented()))
        return py::reinterpret_borrow<py::object>(Py_NotImplemented);
    if (python::is_big_integer(value)) {
        const std::string digits = in_engine([&] { return python::str(value); });
        return py::module_::import("builtins").attr("int")(digits);
    }
    return face_of<Object>(value);
}

}  // namespace

Object::~Object() {
    if (value_.tag() > IValue::Tag::Device) faces().erase(value_.object_pointer());
    if (value_.is_tensor() || Py_IsInitialized() == 0) return;
    const py::gil_scoped_release released;
    const std::lock_guard lock(engine_mutex());
    value_ = IValue();
}

IValue foreign_object(const py::object& object) { return IValue::other(make_ptr<ForeignObject>(object)); }

py::object to_python(const IValue& value) {
    switch (value.tag()) {
        case IValue::Tag::None:
            return py::none();
        case IValue::Tag::Bool:
            return py::bool_(value.to_bool());
        case IValue::Tag::Int:
            return py::int_(value.to_int());
        case IValue::Tag::Double:
            return py::float_(value.to_double());
        case IValue::Tag::Complex:
            return py::cast(value.to_complex());
        case IValue::Tag::String: {
            const std::string& text = value.to_string();
            return py::reinterpret_steal<py::object>(
                PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
        }
        case IValue::Tag::Tensor:
            return face_of<TensorObject>(value);
        case IValue::Tag::Tuple:
            // Named ones have more than their elements.
            if (value.to_tuple().type == nullptr) return to_python_tuple(value.to_tuple());
            break;
        case IValue::Tag::Other:
            return to_python_other(value);
        default:
            break;
    }
    // Devices are no counted values.
    return value.tag() > IValue::Tag::Device ? face_of<Object>(value) : py::cast(std::make_unique<Object>(value));
}

IValue to_engine(py::handle object) {
    if (object.is_none()) return IValue();
    if (py::isinstance<Object>(object)) return object.cast<const Object&>().value();
    if (PyUnicode_Check(object.ptr())) return IValue(object.cast<std::string>());
    if (std::optional<IValue> number = to_engine_number(object)) return *number;
    if (std::optional<IValue> container = to_engine_container(object)) return *container;
    if (PySlice_Check(object.ptr())) return to_engine_slice(object);
    if (object.ptr() == Py_Ellipsis) return python::ellipsis();
    if (std::optional<IValue> cls = to_engine_class(object)) return *cls;
    // Paths.
    if (py::hasattr(object, "__fspath__")) return to_engine(object.attr("__fspath__")());
    if (PyCallable_Check(object.ptr())) return foreign_object(py::reinterpret_borrow<py::object>(object));
    throw py::type_error(concat("the engine takes no '", Py_TYPE(object.ptr())->tp_name,
                                "': tensor() and from_dlpack() make tensors of arrays"));
}

CallArguments to_arguments(const py::args& positional, const py::kwargs& keywords) {
    CallArguments out{elements_of(positional), {}};
    for (const auto& [name, value] : keywords) out.keywords.emplace_back(name.cast<std::string>(), to_engine(value));
    return out;
}

}  // namespace loupe::bindings
