// SPDX-License-Identifier: Apache-2.0
// loupe.Object: what Python's syntax does to a value of the engine.
#include "core/library/python/object.h"

#include "core/library/python/convert.h"
#include "core/library/python/engine_call.h"
#include "core/python/language/class.h"
#include "core/python/language/error.h"
#include "core/python/language/operations.h"

namespace loupe::bindings {
namespace {

using python::OperatorKind;

// Calls work(values...) in the engine and brings the result back.
template <typename Work, typename... Objects>
py::object through(Work&& work, const Objects&... objects) {
    return to_python(in_engine([&, ... values = to_engine(objects)] { return work(values...); }));
}

py::object call_builtin(const char* name, py::handle self) {
    return through([&](const IValue& value) { return python::call(find_builtin(name).value(), {value}); }, self);
}

// An operator with an object that the engine does not take is left to that object.
template <typename Work>
py::object operator_with(py::handle self, py::handle other, Work&& work) {
    IValue b;
    try {
        b = to_engine(other);
    } catch (const py::type_error&) {
        return py::reinterpret_borrow<py::object>(Py_NotImplemented);
    }
    const IValue a = to_engine(self);
    return to_python(in_engine([&] { return work(a, b); }));
}

struct BinaryOperator {
    const char* name;
    const char* reflected;
    const char* in_place;
    OperatorKind kind;
};
constexpr BinaryOperator kBinary[] = {
    {"__add__", "__radd__", "__iadd__", OperatorKind::Add},
    {"__sub__", "__rsub__", "__isub__", OperatorKind::Sub},
    {"__mul__", "__rmul__", "__imul__", OperatorKind::Mul},
    {"__matmul__", "__rmatmul__", "__imatmul__", OperatorKind::MatMul},
    {"__truediv__", "__rtruediv__", "__itruediv__", OperatorKind::Div},
    {"__floordiv__", "__rfloordiv__", "__ifloordiv__", OperatorKind::FloorDiv},
    {"__mod__", "__rmod__", "__imod__", OperatorKind::Mod},
    {"__pow__", "__rpow__", "__ipow__", OperatorKind::Pow},
    {"__lshift__", "__rlshift__", "__ilshift__", OperatorKind::LeftShift},
    {"__rshift__", "__rrshift__", "__irshift__", OperatorKind::RightShift},
    {"__and__", "__rand__", "__iand__", OperatorKind::BitAnd},
    {"__or__", "__ror__", "__ior__", OperatorKind::BitOr},
    {"__xor__", "__rxor__", "__ixor__", OperatorKind::BitXor},
};
struct Comparison {
    const char* name;
    OperatorKind kind;
};
constexpr Comparison kComparisons[] = {
    {"__lt__", OperatorKind::Lt}, {"__le__", OperatorKind::Le}, {"__gt__", OperatorKind::Gt},
    {"__ge__", OperatorKind::Ge}, {"__eq__", OperatorKind::Eq}, {"__ne__", OperatorKind::Ne},
};

void define_operators(py::class_<Object>& cls) {
    for (const BinaryOperator& op : kBinary) {
        const OperatorKind kind = op.kind;
        cls.def(op.name, [kind](py::object self, py::object other) {
            return operator_with(self, other,
                                 [&](const IValue& a, const IValue& b) { return python::binary(kind, a, b); });
        });
        cls.def(op.reflected, [kind](py::object self, py::object other) {
            return operator_with(self, other,
                                 [&](const IValue& a, const IValue& b) { return python::binary(kind, b, a); });
        });
        cls.def(op.in_place, [kind](py::object self, py::object other) {
            return operator_with(self, other,
                                 [&](const IValue& a, const IValue& b) { return python::in_place(kind, a, b); });
        });
    }
    for (const Comparison& op : kComparisons) {
        cls.def(op.name, [kind = op.kind](py::object self, py::object other) {
            return operator_with(self, other,
                                 [&](const IValue& a, const IValue& b) { return python::binary(kind, a, b); });
        });
    }
    for (const auto& [name, kind] :
         {std::pair{"__neg__", OperatorKind::Negate}, {"__invert__", OperatorKind::Invert}}) {
        cls.def(name, [kind = kind](py::object self) {
            return through([&](const IValue& value) { return python::unary(kind, value); }, self);
        });
    }
    cls.def("__pos__", [](py::object self) { return self; });
    cls.def("__abs__", [](py::object self) { return call_builtin("abs", self); });
    cls.def("__int__", [](py::object self) { return call_builtin("int", self); });
    cls.def("__float__", [](py::object self) { return call_builtin("float", self); });
    cls.def("__complex__", [](py::object self) { return call_builtin("complex", self); });
    cls.def("__bool__", [](const Object& self) { return in_engine([&] { return python::truth(self.value()); }); });
    cls.def("__index__", [](const Object& self) { return in_engine([&] { return python::to_index(self.value()); }); });
    cls.def("__hash__", [](const Object& self) {
        const std::size_t hash = in_engine([&] { return python::hash(self.value()); });
        return static_cast<py::ssize_t>(hash >> 1U);
    });
}

void define_attributes(py::class_<Object>& cls) {
    // Asked after the class's own names.
    cls.def("__getattr__", [](py::object self, const std::string& name) {
        return through([&](const IValue& value) { return python::get_attribute(value, name); }, self);
    });
    cls.def("__setattr__", [](const Object& self, const std::string& name, py::object value) {
        IValue given = to_engine(value);
        in_engine([&] { python::set_attribute(self.value(), name, std::move(given)); });
    });
    cls.def("__delattr__", [](const Object& self, const std::string& name) {
        in_engine([&] { python::delete_attribute(self.value(), name); });
    });
    cls.def("__dir__", [](py::object self) { return py::list(call_builtin("dir", self)); });
    cls.def("__call__", [](const Object& self, const py::args& positional, const py::kwargs& keywords) {
        CallArguments arguments = to_arguments(positional, keywords);
        return to_python(in_engine([&] { return python::call(self.value(), std::move(arguments)); }));
    });
    cls.def("__enter__", [](py::object self) {
        return through([](const IValue& value) { return python::call_method(value, "__enter__", {}); }, self);
    });
    // The exception goes on whatever the manager says: the engine does not know it.
    cls.def("__exit__", [](py::object self, const py::args&) {
        through(
            [](const IValue& value) {
                return python::call_method(value, "__exit__", {{IValue(), IValue(), IValue()}, {}});
            },
            self);
        return false;
    });
    cls.def("__instancecheck__", [](const Object& self, py::object instance) {
        if (!py::isinstance<Object>(instance)) return false;
        const IValue value = to_engine(instance);
        return in_engine([&] { return python::is_instance(value, self.value()); });
    });
}

void define_items(py::class_<Object>& cls) {
    cls.def("__getitem__", [](py::object self, py::object key) {
        return through([](const IValue& value, const IValue& index) { return python::get_item(value, index); }, self,
                       key);
    });
    cls.def("__setitem__", [](const Object& self, py::object key, py::object value) {
        const IValue index = to_engine(key);
        IValue given = to_engine(value);
        in_engine([&] { python::set_item(self.value(), index, std::move(given)); });
    });
    cls.def("__delitem__", [](const Object& self, py::object key) {
        const IValue index = to_engine(key);
        in_engine([&] { python::delete_item(self.value(), index); });
    });
    cls.def("__len__", [](const Object& self) { return in_engine([&] { return python::length(self.value()); }); });
    cls.def("__contains__", [](const Object& self, py::object item) {
        const IValue wanted = to_engine(item);
        return in_engine([&] { return python::contains(self.value(), wanted); });
    });
    cls.def("__iter__", [](py::object self) {
        return through([](const IValue& value) { return IValue::other(python::iterate(value)); }, self);
    });
    cls.def("__next__", [](const Object& self) {
        const std::optional<IValue> next = in_engine([&]() -> std::optional<IValue> {
            auto* iterator = python::object_as<python::Iterator>(self.value());
            if (iterator == nullptr)
                python::throw_type_error("'" + python::type_name(self.value()) + "' object is not an iterator");
            return iterator->next();
        });
        if (!next) throw py::stop_iteration();
        return to_python(*next);
    });
}

}  // namespace

void define_object(py::module_& module) {
    py::class_<Object> cls(module, "Object",
                           "A value of the engine: a tensor, a module, a list, a class. It behaves as torch's would.");
    define_operators(cls);
    define_attributes(cls);
    define_items(cls);
    cls.def("__repr__", [](const Object& self) { return in_engine([&] { return python::repr(self.value()); }); });
    cls.def("__str__", [](const Object& self) { return in_engine([&] { return python::str(self.value()); }); });
    cls.def("__format__", [](const Object& self, const std::string& spec) {
        return in_engine([&] { return python::format(self.value(), spec); });
    });
    module.def(
        "import_module",
        [](const std::string& name) { return to_python(in_engine([&] { return evaluator().import_module(name); })); },
        "A module of the engine's own Python: import_module('torch.nn').");
}

}  // namespace loupe::bindings
