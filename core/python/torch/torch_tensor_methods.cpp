// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/torch_tensor_methods.h"
#include "core/autograd/program_tracer.h"

#include <algorithm>
#include <map>

#include "core/autograd/engine.h"
#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/dispatch/cpp_type_name.h"
#include "core/dispatch/functions.h"
#include "core/python/language/arguments.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator.h"
#include "core/python/torch/layout_objects.h"
#include "core/python/torch/nested_int.h"
#include "core/python/torch/require_device.h"
#include "core/python/torch/torch_autograd.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_data.h"
#include "core/python/torch/torch_functional.h"
#include "core/python/torch/torch_objects.h"
#include "core/tensor/compressed.h"
#include "core/tensor/device_interface.h"
#include "core/tensor/nested.h"
#include "core/tensor/pinned.h"
#include "core/tensor/quantizer.h"
#include "core/tensor/sharded.h"

namespace loupe::python {
namespace {

const OperatorHandle<> kToCopy("aten::to.dtype_layout");

IValue none_or(const Tensor& tensor) { return tensor.defined() ? IValue(tensor) : IValue(); }

IValue int_tuple(IntSpan values) {
    std::vector<IValue> elements;
    for (const std::int64_t value : values) elements.emplace_back(value);
    return make_tuple(std::move(elements));
}

// Methods that an operator without arguments computes and that Python reads as attributes.
constexpr std::pair<std::string_view, std::string_view> kOperatorProperties[] = {
    {"T", "numpy_T"}, {"mT", "mT"}, {"H", "matrix_H"}, {"mH", "mH"}, {"imag", "imag"}};

[[noreturn]] void refuse_part(std::string_view part) {
    throw_error("RuntimeError",
                concat("Internal error: NestedTensorImpl doesn't support ", part, ". Please file an issue."));
}

IValue shape_of(const Tensor& t) {
    std::vector<IValue> tied;
    for (std::int64_t i = 0; i < t.dim(); ++i) {
        const Tensor size = tied_size(t, i);
        if (!size.defined()) break;
        tied.emplace_back(size);
    }
    if (!tied.empty()) return make_size(std::move(tied));
    notify_python_use(PythonUse::Shape, t);
    if (is_strided_nested(t)) refuse_part("sizes");
    if (is_jagged(t)) {
        for (const std::int64_t each : t.sizes()) tied.push_back(size_object(each));
        return make_size(std::move(tied));
    }
    return make_size(t.sizes());
}

using Getter = IValue (*)(const Tensor& self);
const std::map<std::string_view, Getter>& getters() {
    static const std::map<std::string_view, Getter> table = {
        {"shape", shape_of},
        {"dtype",
         [](const Tensor& t) {
             return is_quantized(t) ? dtype_object_of(quantized_type_of(t).number) : dtype_object(t.dtype());
         }},
        {"device", [](const Tensor& t) { return IValue(t.device()); }},
        {"layout", layout_of_tensor},
        {"requires_grad", [](const Tensor& t) { return IValue(requires_grad(t)); }},
        {"grad", [](const Tensor& t) { return none_or(grad_of(t)); }},
        {"is_leaf", [](const Tensor& t) { return IValue(is_leaf(t)); }},
        {"grad_fn", [](const Tensor& t) { return node_object(grad_fn(t)); }},
        {"data", [](const Tensor& t) { return IValue(detach(t)); }},
        {"ndim", [](const Tensor& t) { return IValue(t.dim()); }},
        {"itemsize", [](const Tensor& t) { return IValue(t.element_size()); }},
        {"nbytes", [](const Tensor& t) { return IValue(static_cast<std::int64_t>(t.bytes())); }},
        {"is_xpu", [](const Tensor&) { return IValue(false); }},
        {"is_cuda", [](const Tensor& t) { return IValue(t.device().type == DeviceType::Cuda); }},
        {"is_cpu", [](const Tensor& t) { return IValue(t.device().type == DeviceType::Cpu); }},
        {"is_sparse", [](const Tensor& t) { return IValue(is_coordinate(t)); }},
        {"is_sparse_csr",
         [](const Tensor& t) {
             return IValue(is_compressed(t) && compressed_parts(t).layout == CompressedLayout::Csr);
         }},
        {"is_quantized", [](const Tensor& t) { return IValue(is_quantized(t)); }},
        {"is_mkldnn", [](const Tensor&) { return IValue(false); }},
        {"is_meta", [](const Tensor&) { return IValue(false); }},
        {"is_mps", [](const Tensor&) { return IValue(false); }},
        {"is_nested", [](const Tensor& t) { return IValue(is_nested(t)); }},
        {"_version", [](const Tensor& t) { return IValue(static_cast<std::int64_t>(t.version())); }},
        {"output_nr",
         [](const Tensor& t) {
             const auto* meta = autograd_meta(t);
             return IValue(static_cast<std::int64_t>(meta == nullptr ? 0 : meta->output));
         }},
        {"retains_grad",
         [](const Tensor& t) {
             const auto* meta = autograd_meta(t);
             return IValue(meta != nullptr && meta->retained != nullptr);
         }},
        {"_base",
         [](const Tensor& t) {
             const auto* meta = autograd_meta(t);
             return meta != nullptr && meta->view ? IValue(meta->view->base) : IValue();
         }},
    };
    return table;
}

Tensor tensor_of(const IValue& self) { return self.to_tensor(); }

IValue size(const IValue& self, CallArguments& arguments) {
    const bool by_position = !arguments.positional.empty();
    const BoundArguments given(arguments, "size", {"dim="});
    const Tensor t = tensor_of(self);
    if (!given.has(0) || given[0].is_none()) return shape_of(t);
    return with_python_errors([&] {
        if (given[0].is_string() || given[0].is_double()) {
            throw_type_error(concat("size(): argument 'dim'", by_position ? " (position 1)" : "", " must be int, not ",
                                    torch_type_name(given[0])));
        }
        const std::int64_t dimension = to_index(given[0]);
        if (const Tensor tied = tied_size(t, dimension); tied.defined()) return IValue(tied);
        notify_python_use(PythonUse::Shape, t);
        if (is_strided_nested(t)) return IValue(regular_size(t, dimension));
        return size_object(t.size(dimension));
    });
}
IValue stride(const IValue& self, CallArguments& arguments) {
    const BoundArguments given(arguments, "stride", {"dim="});
    const Tensor t = tensor_of(self);
    if (is_strided_nested(t)) refuse_part("strides");
    // Of a DTensor those of the whole.
    const Dims strides = is_sharded(t) ? contiguous_strides(t.sizes()) : to_dims(t.strides());
    if (!given.has(0) || given[0].is_none()) return int_tuple(span_of(strides));
    return with_python_errors(
        [&] { return IValue(strides[static_cast<std::size_t>(wrap_dim(to_index(given[0]), t.dim()))]); });
}
IValue dim(const IValue& self, CallArguments&) { return tensor_of(self).dim(); }
IValue numel(const IValue& self, CallArguments&) {
    if (const Tensor tied = tied_numel(tensor_of(self)); tied.defined()) return tied;
    notify_python_use(PythonUse::Shape, tensor_of(self));
    return tensor_of(self).numel();
}
IValue item_method(const IValue& self, CallArguments&) {
    const Tensor tensor = tensor_of(self);
    notify_python_use(PythonUse::Number, tensor);
    if (tensor.numel() != 1 && !is_older_torch())
        throw_error("RuntimeError",
                    concat("a Tensor with ", tensor.numel(), " elements cannot be converted to Scalar"));
    return item_of(tensor);
}
IValue tolist(const IValue& self, CallArguments&) {
    if (is_jagged(tensor_of(self)))
        throw_error("RuntimeError", ".tolist() is not supported for tensor subclasses, got NestedTensor");
    if (is_strided_nested(tensor_of(self))) refuse_part("strides");
    if (is_sharded(tensor_of(self)))
        throw_error("RuntimeError", ".tolist() is not supported for tensor subclasses, got DTensor");
    notify_python_use(PythonUse::List, tensor_of(self));
    return to_list(tensor_of(self));
}
IValue data_ptr(const IValue& self, CallArguments&) {
    return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(tensor_of(self).address()));
}
IValue get_device(const IValue& self, CallArguments&) {
    const Device device = tensor_of(self).device();
    return std::int64_t{device.type == DeviceType::Cpu ? -1 : device.index};
}
IValue itself(const IValue& self, CallArguments&) { return self; }
IValue never(const IValue&, CallArguments&) { return false; }

// Shares the tensor's memory.
IValue numpy(const IValue& self, CallArguments&) {
    if (requires_grad(tensor_of(self))) {
        throw_error("RuntimeError",
                    "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.");
    }
    if (is_sharded(tensor_of(self))) throw_error("RuntimeError", ".numpy() is not supported for tensor subclasses.");
    const IValue arrays = get_attribute(Evaluator::current()->import_module("numpy._array"), "ndarray");
    return call(get_attribute(arrays, "_of"), std::vector<IValue>{self});
}

IValue backward_method(const IValue& self, CallArguments& arguments) {
    const BoundArguments given(arguments, "backward", {"gradient=", "retain_graph=", "create_graph=", "inputs="});
    run_backward(self, given.value_or(0, {}), given.value_or(1, {}), given.truth_or(2, false), given.value_or(3, {}));
    return {};
}
IValue detach_method(const IValue& self, CallArguments&) {
    return with_python_errors([&] { return IValue(fn::detach(tensor_of(self))); });
}
IValue requires_grad_method(const IValue& self, CallArguments& arguments) {
    const BoundArguments given(arguments, "requires_grad_", {"requires_grad="});
    const bool value = given.truth_or(0, true);
    with_python_errors([&] { set_requires_grad(tensor_of(self), value); });
    return self;
}
IValue register_accumulated_method(const IValue& self, CallArguments& arguments) {
    const BoundArguments given(arguments, "register_post_accumulate_grad_hook", {"hook"});
    const auto hook = [function = given[0]](const Tensor& t) { call(function, std::vector<IValue>{t}); };
    return with_python_errors([&] { return handle_object(register_post_accumulate_grad_hook(tensor_of(self), hook)); });
}

IValue register_hook_method(const IValue& self, CallArguments& arguments) {
    const BoundArguments given(arguments, "register_hook", {"hook"});
    if (!requires_grad(tensor_of(self))) {
        throw_error("RuntimeError", "cannot register a hook on a tensor that doesn't require gradient");
    }
    return with_python_errors([&] { return handle_object(register_hook(tensor_of(self), tensor_hook(given[0]))); });
}
IValue retain_grad_method(const IValue& self, CallArguments&) {
    with_python_errors([&] { retain_grad(tensor_of(self)); });
    return {};
}

// What .to() was asked for.
struct Target {
    std::optional<ScalarType> dtype;
    std::optional<Device> device;
    bool non_blocking = false;
    bool copies = false;
    IValue memory_format;
};

void add_target(Target& target, const IValue& value) {
    if (const auto dtype = dtype_of(value)) {
        target.dtype = dtype;
    } else if (value.is_tensor()) {
        target.dtype = value.to_tensor().dtype();
        target.device = value.to_tensor().device();
    } else if (value.is_device() || value.is_string() || value.is_int()) {
        target.device = device_of(value);
    } else if (!value.is_none()) {
        throw_type_error(
            concat("to() received an invalid combination of arguments - got (", torch_type_name(value),
                   "), but expected one of:\n * (torch.device device, torch.dtype dtype, bool non_blocking, "
                   "bool copy, *, torch.memory_format memory_format)\n * (torch.dtype dtype, bool "
                   "non_blocking, bool copy, *, torch.memory_format memory_format)\n * (Tensor tensor, bool "
                   "non_blocking, bool copy, *, torch.memory_format memory_format)\n"));
    }
}

Target target_of(const CallArguments& arguments) {
    Target out;
    std::size_t flags = 0;
    for (const IValue& value : arguments.positional) {
        if (!value.is_bool())
            add_target(out, value);
        else
            (++flags == 1 ? out.non_blocking : out.copies) = value.to_bool();
    }
    for (const auto& [name, value] : arguments.keywords) {
        if (name == "copy")
            out.copies = truth(value);
        else if (name == "memory_format")
            out.memory_format = value;
        else if (name == "dtype" || name == "device" || name == "other" || name == "tensor")
            add_target(out, value);
        else if (name == "non_blocking")
            out.non_blocking = truth(value);
        else
            throw_type_error(concat("to() got an unexpected keyword argument '", name, "'"));
    }
    return out;
}

IValue to_target(const Tensor& self, const Target& target) {
    if (target.device) require_device(*target.device);
    return with_python_errors([&]() -> IValue {
        const IValue dtype = target.dtype ? IValue(static_cast<std::int64_t>(*target.dtype)) : IValue();
        const auto* format = object_as<ConstantObject>(target.memory_format);
        return kToCopy(self, dtype, IValue(), IValue(target.device), IValue(), target.non_blocking, target.copies,
                       format == nullptr ? IValue() : IValue(format->number));
    });
}

IValue to(const IValue& self, CallArguments& arguments) {
    const Target target = target_of(arguments);
    if (!target.dtype && !target.device && !target.copies && target.memory_format.is_none()) return self;
    return to_target(tensor_of(self), target);
}
IValue cpu(const IValue& self, CallArguments&) {
    Target target;
    target.device = Device{};
    return to_target(tensor_of(self), target);
}
IValue cuda(const IValue& self, CallArguments& arguments) {
    const BoundArguments given(arguments, "cuda", {"device=", "non_blocking=", "memory_format="});
    Target target;
    target.device = given.has(0) && !given[0].is_none() ? device_of(given[0]) : Device{DeviceType::Cuda, 0};
    target.non_blocking = given.truth_or(1, false);
    if (given.has(2)) target.memory_format = given[2];
    return to_target(tensor_of(self), target);
}

// --- memory that is pinned, and streams that use it

IValue device_argument(const CallArguments& arguments, const char* function) {
    const BoundArguments given(arguments, function, {"device="});
    return given.has(0) && !given[0].is_none() ? IValue(device_of(given[0])) : IValue();
}
IValue pin_memory(const IValue& self, CallArguments& arguments) {
    static const OperatorHandle<> pinned("aten::pin_memory");
    return with_python_errors(
        [&]() -> IValue { return pinned(tensor_of(self), device_argument(arguments, "pin_memory")); });
}
IValue has_pinned_memory(const IValue& self, CallArguments&) { return is_pinned(tensor_of(self)); }
IValue record_stream(const IValue& self, CallArguments& arguments) {
    const BoundArguments given(arguments, "record_stream", {"s"});
    const Tensor& t = tensor_of(self);
    if (!t.device().is_cpu() && t.storage() != nullptr)
        device_interface(t.device().type)
            ->note_use(t.storage()->address(), t.device(), to_index(get_attribute(given[0], "stream_id")));
    return {};
}
template <ScalarType Type>
IValue cast(const IValue& self, CallArguments&) {
    return to_dtype(tensor_of(self), Type);
}

IValue type_method(const IValue& self, CallArguments& arguments) {
    const BoundArguments given(arguments, "type", {"dtype=", "non_blocking="});
    if (!given.has(0) || given[0].is_none()) return tensor_type_text(tensor_of(self));
    std::optional<ScalarType> dtype = dtype_of(given[0]);
    if (!dtype && given[0].is_string()) dtype = dtype_of_tensor_type(given[0].to_string());
    if (const auto* cls = object_as<ClassObject>(given[0]); !dtype && cls != nullptr) {
        dtype = dtype_of_tensor_type("torch." + cls->name());
    }
    if (!dtype) throw_value_error(concat("invalid type: '", str(given[0]), "'"));
    return to_dtype(tensor_of(self), *dtype);
}
IValue type_as(const IValue& self, CallArguments& arguments) {
    const BoundArguments given(arguments, "type_as", {"other"});
    return to_dtype(tensor_of(self), given[0].to_tensor().dtype());
}

IValue new_tensor(const IValue& self, CallArguments& arguments) {
    const BoundArguments given(arguments, "new_tensor", {"data", "*", "dtype=", "device=", "requires_grad="});
    const auto dtype = given.has(1) ? dtype_of(given[1]) : std::nullopt;
    const Tensor out = tensor_from_data(given[0], dtype.value_or(tensor_of(self).dtype()));
    if (given.truth_or(3, false)) require_gradient(out);
    return out;
}

// In Python these are functions of torch/functional.py and torch/_tensor.py.
template <IValue (*Function)(CallArguments)>
IValue functional(const IValue& self, CallArguments& arguments) {
    arguments.positional.insert(arguments.positional.begin(), self);
    return Function(std::move(arguments));
}

void check_unflattened(std::int64_t size, std::int64_t dimension, const std::vector<IValue>& parts) {
    if (parts.empty()) throw_error("RuntimeError", "unflatten: sizes must be non-empty");
    Dims sizes;
    std::int64_t product = 1;
    bool is_open = false;
    for (const IValue& part : parts) {
        if (!part.is_int()) return;
        sizes.push_back(part.to_int());
        is_open = is_open || sizes.back() == -1;
        if (sizes.back() != -1 && __builtin_mul_overflow(product, sizes.back(), &product)) product = 0;
    }
    if (is_open ? product > 0 && size % product == 0 : product == size) return;
    throw_error("RuntimeError",
                concat("unflatten: Provided sizes ", shape_list_text(span_of(sizes)),
                       " don't multiply up to the size of dim ", dimension, " (", size, ") in the input tensor"));
}
IValue unflatten(const IValue& self, CallArguments& arguments) {
    const BoundArguments given(arguments, "unflatten", {"dim", "sizes"});
    const Tensor t = tensor_of(self);
    const std::int64_t dimension = wrap_dim(to_index(given[0]), t.dim());
    if (!is_older_torch()) check_unflattened(t.size(dimension), dimension, to_vector(given[1]));
    std::vector<IValue> sizes;
    for (std::int64_t d = 0; d < t.dim(); ++d) {
        if (d != dimension) {
            sizes.push_back(size_object(t.size(d)));
            continue;
        }
        for (const IValue& part : to_vector(given[1])) sizes.push_back(part);
    }
    return call_function("reshape", {self, make_tuple(std::move(sizes))});
}

// Of a nested tensor; of others an operator.
template <IValue (*Part)(const JaggedParts& parts)>
IValue nested_part(const IValue& self, CallArguments&) {
    if (!is_jagged(tensor_of(self))) throw_error("AttributeError", "'Tensor' object has no such attribute");
    return Part(jagged_parts(tensor_of(self)));
}
IValue offsets_of(const JaggedParts& parts) { return none_or(parts.offsets); }
IValue lengths_of(const JaggedParts& parts) { return none_or(parts.lengths); }
IValue is_contiguous_method(const IValue& self, CallArguments& arguments) {
    if (is_nested(tensor_of(self))) return tensor_of(self).is_contiguous();
    return call_signatures(*find_signatures("is_contiguous", true), &self, arguments);
}

IValue length_method(const IValue& self, CallArguments&) { return length(self); }
IValue get_item_method(const IValue& self, CallArguments& arguments) {
    check_positional(arguments, "__getitem__", 1, 1);
    return get_item(self, arguments.positional[0]);
}
IValue set_item_method(const IValue& self, CallArguments& arguments) {
    check_positional(arguments, "__setitem__", 2, 2);
    set_item(self, arguments.positional[0], arguments.positional[1]);
    return {};
}
template <OperatorKind Kind>
IValue operator_method(const IValue& self, CallArguments& arguments) {
    check_positional(arguments, "operator", 1, 1);
    return binary(Kind, self, arguments.positional[0]);
}
template <OperatorKind Kind>
IValue reflected_method(const IValue& self, CallArguments& arguments) {
    check_positional(arguments, "operator", 1, 1);
    return binary(Kind, arguments.positional[0], self);
}
IValue repr_method(const IValue& self, CallArguments&) { return repr(self); }
IValue format_method(const IValue& self, CallArguments& arguments) {
    check_positional(arguments, "__format__", 1, 1);
    return format(self, arguments.positional[0].to_string());
}
IValue bool_method(const IValue& self, CallArguments&) { return truth(self); }
IValue negate_method(const IValue& self, CallArguments&) { return unary(OperatorKind::Negate, self); }
IValue invert_method(const IValue& self, CallArguments&) { return unary(OperatorKind::Invert, self); }
IValue abs_method(const IValue& self, CallArguments&) { return call_function("abs", {self}); }
IValue int_method(const IValue& self, CallArguments&) {
    return static_cast<std::int64_t>(item_of(tensor_of(self)).to_scalar().to_int());
}
IValue float_method(const IValue& self, CallArguments&) { return item_of(tensor_of(self)).to_scalar().to_double(); }
IValue complex_method(const IValue& self, CallArguments&) { return item_of(tensor_of(self)).to_scalar().to_complex(); }
IValue index_method(const IValue& self, CallArguments&) { return to_index(self); }
IValue hash_method(const IValue& self, CallArguments&) { return static_cast<std::int64_t>(hash(self)); }

using MethodTable = std::map<std::string_view, TensorMethod>;

void add_operator_methods(MethodTable& table) {
    table["__add__"] = operator_method<OperatorKind::Add>;
    table["__radd__"] = reflected_method<OperatorKind::Add>;
    table["__sub__"] = operator_method<OperatorKind::Sub>;
    table["__rsub__"] = reflected_method<OperatorKind::Sub>;
    table["__mul__"] = operator_method<OperatorKind::Mul>;
    table["__rmul__"] = reflected_method<OperatorKind::Mul>;
    table["__truediv__"] = operator_method<OperatorKind::Div>;
    table["__rtruediv__"] = reflected_method<OperatorKind::Div>;
    table["__floordiv__"] = operator_method<OperatorKind::FloorDiv>;
    table["__mod__"] = operator_method<OperatorKind::Mod>;
    table["__pow__"] = operator_method<OperatorKind::Pow>;
    table["__rpow__"] = reflected_method<OperatorKind::Pow>;
    table["__matmul__"] = operator_method<OperatorKind::MatMul>;
    table["__eq__"] = operator_method<OperatorKind::Eq>;
    table["__ne__"] = operator_method<OperatorKind::Ne>;
    table["__lt__"] = operator_method<OperatorKind::Lt>;
    table["__le__"] = operator_method<OperatorKind::Le>;
    table["__gt__"] = operator_method<OperatorKind::Gt>;
    table["__ge__"] = operator_method<OperatorKind::Ge>;
    table["__neg__"] = negate_method;
    table["__invert__"] = invert_method;
    table["__abs__"] = abs_method;
    table["__len__"] = length_method;
    table["__getitem__"] = get_item_method;
    table["__setitem__"] = set_item_method;
    table["__repr__"] = repr_method;
    table["__format__"] = format_method;
    table["__bool__"] = bool_method;
    table["__int__"] = int_method;
    table["__float__"] = float_method;
    table["__complex__"] = complex_method;
    table["__index__"] = index_method;
    table["__hash__"] = hash_method;
}

void add_casts(MethodTable& table) {
    table["float"] = cast<ScalarType::Float32>;
    table["double"] = cast<ScalarType::Float64>;
    table["half"] = cast<ScalarType::Float16>;
    table["bfloat16"] = cast<ScalarType::BFloat16>;
    table["int"] = cast<ScalarType::Int32>;
    table["long"] = cast<ScalarType::Int64>;
    table["short"] = cast<ScalarType::Int16>;
    table["char"] = cast<ScalarType::Int8>;
    table["byte"] = cast<ScalarType::UInt8>;
    table["bool"] = cast<ScalarType::Bool>;
    table["cfloat"] = cast<ScalarType::Complex64>;
    table["cdouble"] = cast<ScalarType::Complex128>;
    table["to"] = to;
    table["cpu"] = cpu;
    table["cuda"] = cuda;
    table["type"] = type_method;
    table["type_as"] = type_as;
    table["new_tensor"] = new_tensor;
}

const MethodTable& methods() {
    static const MethodTable table = [] {
        MethodTable out = {
            {"size", size},
            {"stride", stride},
            {"dim", dim},
            {"ndimension", dim},
            {"numel", numel},
            {"nelement", numel},
            {"item", item_method},
            {"tolist", tolist},
            {"data_ptr", data_ptr},
            {"get_device", get_device},
            {"pin_memory", pin_memory},
            {"record_stream", record_stream},
            {"share_memory_", itself},
            {"is_shared", never},
            {"is_pinned", has_pinned_memory},
            {"numpy", numpy},
            {"__array__", numpy},
            {"backward", backward_method},
            {"detach", detach_method},
            {"requires_grad_", requires_grad_method},
            {"register_hook", register_hook_method},
            {"register_post_accumulate_grad_hook", register_accumulated_method},
            {"retain_grad", retain_grad_method},
            {"split", functional<functional_split>},
            {"norm", functional<functional_norm>},
            {"stft", functional<functional_stft>},
            {"unique", functional<functional_unique>},
            {"unique_consecutive", functional<functional_unique_consecutive>},
            {"nonzero", functional<functional_nonzero>},
            {"unflatten", unflatten},
            {"offsets", nested_part<offsets_of>},
            {"lengths", nested_part<lengths_of>},
            {"is_contiguous", is_contiguous_method},
        };
        add_casts(out);
        add_operator_methods(out);
        return out;
    }();
    return table;
}

}  // namespace

std::optional<IValue> find_tensor_property(const IValue& self, std::string_view name) {
    const auto getter = getters().find(name);
    if (getter != getters().end()) return getter->second(tensor_of(self));
    for (const auto& [property, op] : kOperatorProperties) {
        if (property == name) return call_function(op, {self});
    }
    if (name == "real") {
        return is_complex(tensor_of(self).dtype()) ? call_function("real", {self}) : self;
    }
    if (name == "names") {
        return make_tuple(std::vector<IValue>(static_cast<std::size_t>(tensor_of(self).dim())));
    }
    return std::nullopt;
}

namespace {

[[noreturn]] void refuse_gradient_dtype(ScalarType given, ScalarType wanted) {
    throw_error("RuntimeError",
                concat("attempting to assign a gradient with dtype '", cpp_type_name(given),
                       "' to a tensor with grad_dtype '", dtype_graph_name(wanted),
                       "'. The gradient must match the tensor's grad_dtype (defaults to the tensor's dtype). You can "
                       "set the tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. Set "
                       "grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break "
                       "downstream systems that assume they match."));
}

}  // namespace

bool set_tensor_property(const IValue& self, std::string_view name, const IValue& value) {
    const Tensor tensor = tensor_of(self);
    return with_python_errors([&] {
        if (name == "grad") {
            if (!value.is_none() && !value.is_tensor()) {
                throw_type_error(concat("assigned grad expected to be a Tensor or None but got grad of type",
                                        is_older_torch() ? "" : " ", type_name(value)));
            }
            const auto fits = [&](const Tensor& grad) {
                const auto a = grad.sizes();
                return std::equal(a.begin(), a.end(), tensor.sizes().begin(), tensor.sizes().end());
            };
            if (value.is_tensor() && !fits(value.to_tensor())) {
                throw_error("RuntimeError",
                            is_older_torch()
                                ? "assigned grad has data of a different size"
                                : concat("attempting to assign a gradient of size '",
                                         shape_list_text(value.to_tensor().sizes()), "' to a tensor of size '",
                                         shape_list_text(tensor.sizes()),
                                         "'. Please ensure that the gradient and the tensor are the same size"));
            }
            if (value.is_tensor() && value.to_tensor().dtype() != tensor.dtype() && !is_older_torch())
                refuse_gradient_dtype(value.to_tensor().dtype(), tensor.dtype());
            set_grad(tensor, value.to_tensor());
        } else if (name == "requires_grad") {
            set_requires_grad(tensor, truth(value));
        } else if (name == "data") {
            if (!value.is_tensor())
                throw_type_error(concat("Variable data has to be a tensor, but got ", type_name(value)));
            tensor.set_metadata_from(value.to_tensor());
        } else if (name == "real" || name == "imag") {
            fn::copy_(find_tensor_property(self, name)->to_tensor(), value.to_tensor());
        } else {
            return false;
        }
        return true;
    });
}

TensorMethod find_tensor_method(std::string_view name) {
    const auto found = methods().find(name);
    return found == methods().end() ? nullptr : found->second;
}

bool has_tensor_method(std::string_view name) {
    return find_tensor_method(name) != nullptr || find_signatures(name, true) != nullptr;
}

std::optional<IValue> call_tensor_method(const IValue& self, std::string_view name, CallArguments& arguments) {
    if (const TensorMethod method = find_tensor_method(name)) return method(self, arguments);
    if (const SignatureSet* set = find_signatures(name, true)) return call_signatures(*set, &self, arguments);
    return std::nullopt;
}

Tensor to_dtype(const Tensor& tensor, ScalarType dtype) {
    if (tensor.dtype() == dtype) return tensor;
    return with_python_errors([&] { return fn::to_dtype(tensor, static_cast<std::int64_t>(dtype)); });
}

std::string tensor_type_text(const Tensor& tensor) {
    const char* prefix = tensor.device().type == DeviceType::Cuda ? "torch.cuda." : "torch.";
    return concat(prefix, dtype_graph_name(tensor.dtype()), "Tensor");
}

std::optional<ScalarType> dtype_of_tensor_type(std::string_view name) {
    if (name.starts_with("torch.cuda.")) name.remove_prefix(11);
    if (name.starts_with("torch.")) name.remove_prefix(6);
    if (name == "Tensor") return default_dtype();
    constexpr std::string_view kSuffix = "Tensor";
    if (!name.ends_with(kSuffix)) return std::nullopt;
    return dtype_from_graph_name(name.substr(0, name.size() - kSuffix.size()));
}

}  // namespace loupe::python
