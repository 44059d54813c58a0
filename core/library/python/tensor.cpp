// SPDX-License-Identifier: Apache-2.0
// loupe.Tensor: its memory as DLPack and as a Python buffer, both ways.
#include <memory>
#include <string>

#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/library/dlpack.h"
#include "core/library/python/convert.h"
#include "core/library/python/engine_call.h"
#include "core/library/python/object.h"
#include "core/library/tensors.h"
#include "core/python/language/error.h"

namespace loupe::bindings {
namespace {

constexpr const char* kPlain = "dltensor";
constexpr const char* kVersioned = "dltensor_versioned";

// --- out ---

// What an array that was given away needs to live.
struct Given {
    Tensor tensor;  // a handle of its own: the memory stays whatever becomes of the program's tensor
    Dims shape;
    Dims strides;
    dlpack::Managed plain{};
    dlpack::ManagedVersioned versioned{};
};

// Throws BufferError for what has no elements that others could read.
void check_can_be_shared(const Tensor& tensor) {
    const auto refuse = [](const char* what) {
        PyErr_SetString(PyExc_BufferError, what);
        throw py::error_already_set();
    };
    if (tensor.is_sparse()) refuse("a sparse tensor has no memory of its own: to_dense()");
    if (requires_grad(tensor)) refuse("a tensor that requires gradient cannot be exported: use tensor.detach()");
    if (dlpack::field_of(tensor.dtype()).code == 255) refuse("DLPack has no name for this dtype");
}

std::unique_ptr<Given> give(const Tensor& tensor) {
    auto given = std::make_unique<Given>();
    given->tensor = tensor.shallow_copy();
    given->shape = to_dims(tensor.sizes());
    given->strides = to_dims(tensor.strides());
    const dlpack::Array array = {tensor.address(),
                                 dlpack::field_of(tensor.device()),
                                 static_cast<std::int32_t>(tensor.dim()),
                                 dlpack::field_of(tensor.dtype()),
                                 given->shape.data(),
                                 given->strides.data(),
                                 0};
    given->plain = {array, given.get(), [](dlpack::Managed* self) { delete static_cast<Given*>(self->context); }};
    given->versioned = {
        1, 0, given.get(), [](dlpack::ManagedVersioned* self) { delete static_cast<Given*>(self->context); }, 0, array};
    return given;
}

// A capsule that nobody has taken over lets its array go.
void let_go_unused(PyObject* capsule) {
    for (const char* name : {kPlain, kVersioned}) {
        if (PyCapsule_IsValid(capsule, name) == 0) continue;
        void* const held = PyCapsule_GetPointer(capsule, name);
        if (name == kPlain) {
            auto* managed = static_cast<dlpack::Managed*>(held);
            managed->deleter(managed);
        } else {
            auto* managed = static_cast<dlpack::ManagedVersioned*>(held);
            managed->deleter(managed);
        }
    }
}

py::object to_dlpack(const TensorObject& self, const py::object& /*stream*/, const py::object& max_version,
                     const py::object& dl_device, const py::object& copy) {
    Tensor tensor = self.tensor();
    check_can_be_shared(tensor);
    const dlpack::DeviceField device = dlpack::field_of(tensor.device());
    if (!dl_device.is_none() && dl_device.cast<std::pair<int, int>>() != std::pair<int, int>(device.type, device.id)) {
        PyErr_SetString(PyExc_BufferError, "the tensor is on another device: move it with to()");
        throw py::error_already_set();
    }
    if (!copy.is_none() && copy.cast<bool>()) tensor = in_engine([&] { return call("clone", {tensor}).to_tensor(); });
    const bool is_versioned = !max_version.is_none() && max_version.cast<std::pair<int, int>>().first >= 1;
    std::unique_ptr<Given> given = give(tensor);
    void* const managed = is_versioned ? static_cast<void*>(&given->versioned) : &given->plain;
    PyObject* const capsule = PyCapsule_New(managed, is_versioned ? kVersioned : kPlain, let_go_unused);
    if (capsule == nullptr) throw py::error_already_set();
    given.release();  // the capsule's from here on
    return py::reinterpret_steal<py::object>(capsule);
}

// As the struct module writes it; nullptr for what it has no letter for.
const char* format_of(ScalarType dtype) {
    switch (dtype) {
        case ScalarType::Bool:
            return "?";
        case ScalarType::UInt8:
            return "B";
        case ScalarType::Int8:
            return "b";
        case ScalarType::Int16:
            return "h";
        case ScalarType::Int32:
            return "i";
        case ScalarType::Int64:
            return "q";
        case ScalarType::UInt16:
            return "H";
        case ScalarType::UInt32:
            return "I";
        case ScalarType::UInt64:
            return "Q";
        case ScalarType::Float16:
            return "e";
        case ScalarType::Float32:
            return "f";
        case ScalarType::Float64:
            return "d";
        case ScalarType::Complex64:
            return "Zf";
        case ScalarType::Complex128:
            return "Zd";
        default:
            return nullptr;
    }
}

struct OpenBuffer {
    Tensor tensor;
    std::vector<Py_ssize_t> shape;
    std::vector<Py_ssize_t> strides;  // in bytes
};

int get_buffer(PyObject* object, Py_buffer* view, int flags) {
    try {
        const Tensor tensor = py::handle(object).cast<const TensorObject&>().tensor();
        check_can_be_shared(tensor);
        const char* const format = format_of(tensor.dtype());
        const auto refuse = [](const std::string& what) {
            PyErr_SetString(PyExc_BufferError, what.c_str());
            return -1;
        };
        if (format == nullptr) return refuse(concat("Python has no format for ", dtype_name(tensor.dtype())));
        if (!tensor.is_host_memory()) return refuse("the tensor is not in the host's memory: cpu()");
        if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && !tensor.is_contiguous())
            return refuse("the tensor is not contiguous");
        auto open = std::make_unique<OpenBuffer>();
        open->tensor = tensor.shallow_copy();
        for (std::int64_t d = 0; d < tensor.dim(); ++d) {
            open->shape.push_back(tensor.size(d));
            open->strides.push_back(tensor.stride(d) * tensor.element_size());
        }
        *view = {};
        view->buf = tensor.address();
        view->obj = py::reinterpret_borrow<py::object>(object).release().ptr();
        view->len = static_cast<Py_ssize_t>(tensor.bytes());
        view->itemsize = tensor.element_size();
        view->ndim = static_cast<int>(tensor.dim());
        if ((flags & PyBUF_FORMAT) != 0) view->format = const_cast<char*>(format);
        if ((flags & PyBUF_ND) != 0) view->shape = open->shape.data();
        if ((flags & PyBUF_STRIDES) == PyBUF_STRIDES) view->strides = open->strides.data();
        view->internal = open.release();
        return 0;
    } catch (py::error_already_set& raised) {
        raised.restore();
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_BufferError, error.what());
    }
    return -1;
}

// As torch says it, for who meets numpy first.
py::object to_numpy(const py::object& self) {
    const Tensor tensor = self.cast<const TensorObject&>().tensor();
    if (requires_grad(tensor))
        throw std::runtime_error(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.");
    if (format_of(tensor.dtype()) == nullptr)
        throw py::type_error(concat("Got unsupported ScalarType ", dtype_graph_name(tensor.dtype())));
    const py::object view = py::reinterpret_steal<py::object>(PyMemoryView_FromObject(self.ptr()));
    if (!view) throw py::error_already_set();
    return py::module_::import("numpy").attr("asarray")(view);
}

void release_buffer(PyObject*, Py_buffer* view) { delete static_cast<OpenBuffer*>(view->internal); }

// --- in ---

Tensor tensor_over(const dlpack::Array& array, std::function<void()> release) {
    if (array.device.type != 1)
        python::throw_error("BufferError", "only arrays in the host's memory can be taken over");
    const std::optional<ScalarType> dtype = dlpack::dtype_of(array.dtype);
    if (!dtype) {
        python::throw_error("BufferError", concat("no dtype of the engine is DLPack's ", int{array.dtype.code}, ", ",
                                                  int{array.dtype.bits}, " bits, ", array.dtype.lanes, " lanes"));
    }
    if (array.ndim < 0) python::throw_error("BufferError", "a negative number of dimensions");
    const auto count = static_cast<std::size_t>(array.ndim);
    const Dims shape(array.shape, array.shape + count);
    const Dims strides =
        array.strides == nullptr ? contiguous_strides(span_of(shape)) : Dims(array.strides, array.strides + count);
    return from_memory(static_cast<std::byte*>(array.data) + array.byte_offset, shape, *dtype, std::move(release),
                       strides);
}

template <typename Managed>
py::object take_capsule(PyObject* capsule, const char* name, const char* used) {
    auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
    if (managed == nullptr) throw py::error_already_set();
    const Tensor tensor = in_engine([&] {
        return tensor_over(managed->array, [managed] {
            if (managed->deleter == nullptr || Py_IsInitialized() == 0) return;
            const py::gil_scoped_acquire held;
            managed->deleter(managed);
        });
    });
    // From here on it is the tensor's to let go.
    PyCapsule_SetName(capsule, used);
    PyCapsule_SetDestructor(capsule, nullptr);
    return to_python(IValue(tensor));
}

py::object from_dlpack(const py::object& source) {
    py::object capsule = source;
    if (py::hasattr(source, "__dlpack__")) {
        try {
            capsule = source.attr("__dlpack__")(py::arg("max_version") = py::make_tuple(1, 0));
        } catch (py::error_already_set& raised) {
            // Older ones have no such argument.
            if (!raised.matches(PyExc_TypeError)) throw;
            capsule = source.attr("__dlpack__")();
        }
    }
    if (PyCapsule_IsValid(capsule.ptr(), kVersioned) != 0) {
        const auto* managed = static_cast<dlpack::ManagedVersioned*>(PyCapsule_GetPointer(capsule.ptr(), kVersioned));
        if (managed->major > 1) throw py::buffer_error(concat("DLPack ", managed->major, " is not known here"));
        if ((managed->flags & dlpack::kReadOnly) != 0)
            throw py::buffer_error("a read-only array cannot be taken over: copy it");
        return take_capsule<dlpack::ManagedVersioned>(capsule.ptr(), kVersioned, "used_dltensor_versioned");
    }
    if (PyCapsule_IsValid(capsule.ptr(), kPlain) == 0)
        throw py::type_error("from_dlpack takes an object with __dlpack__, or its capsule");
    return take_capsule<dlpack::Managed>(capsule.ptr(), kPlain, "used_dltensor");
}

std::optional<ScalarType> dtype_of_format(std::string_view format) {
    while (!format.empty() && std::string_view("@=<").find(format.front()) != std::string_view::npos)
        format.remove_prefix(1);
    // On 64 bits, C's long is as long as its long long.
    if (format == "l") format = "q";
    if (format == "L") format = "Q";
    for (int number = 0; number < detail::kDtypeNumbers; ++number) {
        const std::optional<ScalarType> dtype = dtype_from_number(number);
        if (!dtype) continue;
        const char* const known = format_of(*dtype);
        if (known != nullptr && format == known) return dtype;
    }
    return std::nullopt;
}

// Shares the memory of anything with a buffer: numpy's arrays, array.array, bytearray.
py::object from_buffer(const py::object& source) {
    auto view = std::make_shared<Py_buffer>();
    if (PyObject_GetBuffer(source.ptr(), view.get(), PyBUF_FULL_RO) != 0) throw py::error_already_set();
    const std::shared_ptr<void> held(view.get(), [view](void*) {
        if (Py_IsInitialized() == 0) return;
        const py::gil_scoped_acquire lock;
        PyBuffer_Release(view.get());
    });
    if (view->readonly != 0) throw py::buffer_error("the memory is read only: a tensor could write to it; copy it");
    const std::string format = view->format != nullptr ? view->format : "B";
    const std::optional<ScalarType> dtype = dtype_of_format(format);
    if (!dtype) throw py::type_error(concat("no dtype of the engine has elements of the format '", format, "'"));
    Dims shape;
    Dims strides;
    for (int d = 0; d < view->ndim; ++d) {
        shape.push_back(view->shape[d]);
        if (view->strides[d] < 0) throw py::value_error("tensors have no negative strides: copy the array");
        if (view->strides[d] % view->itemsize != 0) throw py::value_error("strides must be whole elements");
        strides.push_back(view->strides[d] / view->itemsize);
    }
    return to_python(IValue(in_engine([&] {
        return from_memory(
            view->buf, shape, *dtype, [held]() mutable {}, strides);
    })));
}

}  // namespace

void define_tensor(py::module_& module) {
    py::class_<TensorObject, Object> cls(module, "Tensor",
                                         "A tensor of the engine, with torch's attributes and methods.");
    using namespace pybind11::literals;
    cls.def("__dlpack__", &to_dlpack, py::kw_only(), "stream"_a = py::none(), "max_version"_a = py::none(),
            "dl_device"_a = py::none(), "copy"_a = py::none());
    cls.def("__dlpack_device__", [](const TensorObject& self) {
        const dlpack::DeviceField device = dlpack::field_of(self.tensor().device());
        return py::make_tuple(device.type, device.id);
    });
    cls.def("numpy", &to_numpy, "A numpy array over the same memory.");
    cls.def(
        "__array__",
        [](const py::object& self, const py::object& dtype, const py::object& copy) {
            const py::object array = to_numpy(self);
            if (!dtype.is_none()) return array.attr("astype")(dtype);
            return !copy.is_none() && copy.cast<bool>() ? array.attr("copy")() : array;
        },
        "dtype"_a = py::none(), "copy"_a = py::none());
    // pybind11's own would let the memory go with the tensor's storage.
    auto* const type = reinterpret_cast<PyHeapTypeObject*>(cls.ptr());
    type->as_buffer = {get_buffer, release_buffer};
    type->ht_type.tp_as_buffer = &type->as_buffer;
    module.def("from_dlpack", &from_dlpack, "array"_a,
               "A tensor over the memory of an array of another framework, nothing copied.");
    module.def("from_buffer", &from_buffer, "array"_a, "A tensor over the memory of anything with Python's buffer.");
}

}  // namespace loupe::bindings
