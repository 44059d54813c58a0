// SPDX-License-Identifier: Apache-2.0
// Tensors and devices as values of a model source: operators, indexing, attributes, text.

#include <algorithm>
#include <cmath>

#include "core/autograd/program_tracer.h"
#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/dispatch/functions.h"
#include "core/python/language/big_integer.h"
#include "core/python/language/error.h"
#include "core/python/language/foreign_type.h"
#include "core/python/torch/foreign_types.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_classes.h"
#include "core/python/torch/torch_data.h"
#include "core/python/torch/torch_dtensor.h"
#include "core/python/torch/torch_indexing.h"
#include "core/python/torch/torch_objects.h"
#include "core/python/torch/torch_print.h"
#include "core/python/torch/torch_tensor_methods.h"
#include "core/tensor/nested.h"
#include "core/tensor/sharded.h"

namespace loupe::python {
namespace {

// Nested tensors of the strided layout have no list of sizes, and so no length for Python.
void refuse_sizes(const Tensor& t) {
    if (is_strided_nested(t))
        throw_error("RuntimeError", "Internal error: NestedTensorImpl doesn't support sizes. Please file an issue.");
}

bool can_meet_tensor(const IValue& value) {
    return value.is_tensor() || plain(value).is_number() || is_big_integer(plain(value));
}

IValue method(const IValue& self, std::string_view name, const IValue& other) {
    CallArguments arguments{{plain(other)}, {}};
    return *call_tensor_method(self, name, arguments);
}

std::string_view operator_name(OperatorKind op) {
    switch (op) {
        case OperatorKind::Add:
            return "add";
        case OperatorKind::Sub:
            return "sub";
        case OperatorKind::Mul:
            return "mul";
        case OperatorKind::MatMul:
            return "matmul";
        case OperatorKind::Div:
            return "div";
        case OperatorKind::FloorDiv:
            return "floor_divide";
        case OperatorKind::Mod:
            return "remainder";
        case OperatorKind::Pow:
            return "pow";
        case OperatorKind::LeftShift:
            return "__lshift__";
        case OperatorKind::RightShift:
            return "__rshift__";
        case OperatorKind::BitAnd:
            return "__and__";
        case OperatorKind::BitOr:
            return "__or__";
        case OperatorKind::BitXor:
            return "__xor__";
        case OperatorKind::Lt:
            return "lt";
        case OperatorKind::Gt:
            return "gt";
        case OperatorKind::Le:
            return "le";
        case OperatorKind::Ge:
            return "ge";
        case OperatorKind::Eq:
            return "eq";
        case OperatorKind::Ne:
            return "ne";
        default:
            return {};
    }
}

std::string_view in_place_name(OperatorKind op) {
    switch (op) {
        case OperatorKind::Add:
            return "add_";
        case OperatorKind::Sub:
            return "sub_";
        case OperatorKind::Mul:
            return "mul_";
        case OperatorKind::Div:
            return "div_";
        case OperatorKind::FloorDiv:
            return "floor_divide_";
        case OperatorKind::Mod:
            return "remainder_";
        case OperatorKind::Pow:
            return "pow_";
        case OperatorKind::LeftShift:
            return "__ilshift__";
        case OperatorKind::RightShift:
            return "__irshift__";
        case OperatorKind::BitAnd:
            return "__iand__";
        case OperatorKind::BitOr:
            return "__ior__";
        case OperatorKind::BitXor:
            return "__ixor__";
        default:
            return {};
    }
}

// number op tensor, as torch/_tensor.py's reflected methods do it.
std::optional<IValue> reflected(OperatorKind op, const IValue& number, const IValue& self) {
    switch (op) {
        case OperatorKind::Add:
            return method(self, "add", number);
        case OperatorKind::Mul:
            return method(self, "mul", number);
        case OperatorKind::Sub:
            return call_function("rsub", {self, number});
        case OperatorKind::Div:
            return method(call_function("reciprocal", {self}), "mul", number);
        case OperatorKind::FloorDiv:
            return call_function("floor_divide", {number, self});
        case OperatorKind::Mod:
            return call_function("remainder", {number, self});
        case OperatorKind::Pow: {
            const IValue dtype = call_function("result_type", {number, self});
            return call_function("pow", {tensor_from_data(number, dtype_of(dtype)), self});
        }
        case OperatorKind::LeftShift:
            return call_function("bitwise_left_shift", {number, self});
        case OperatorKind::RightShift:
            return call_function("bitwise_right_shift", {number, self});
        case OperatorKind::BitAnd:
            return call_function("bitwise_and", {number, self});
        case OperatorKind::BitOr:
            return call_function("bitwise_or", {number, self});
        case OperatorKind::BitXor:
            return call_function("bitwise_xor", {number, self});
        case OperatorKind::Lt:
            return method(self, "gt", number);
        case OperatorKind::Gt:
            return method(self, "lt", number);
        case OperatorKind::Le:
            return method(self, "ge", number);
        case OperatorKind::Ge:
            return method(self, "le", number);
        case OperatorKind::Eq:
            return method(self, "eq", number);
        case OperatorKind::Ne:
            return method(self, "ne", number);
        default:
            return std::nullopt;
    }
}

class ElementIterator final : public Iterator {
  public:
    explicit ElementIterator(std::vector<IValue> elements) : elements_(std::move(elements)) {}
    std::optional<IValue> next() override {
        if (next_ == elements_.size()) return std::nullopt;
        return elements_[next_++];
    }

  private:
    std::vector<IValue> elements_;
    std::size_t next_ = 0;
};

class TensorType final : public ForeignType {
  public:
    ClassPtr class_of(const IValue& tensor) const override {
        const Tensor t = tensor.to_tensor();
        if (t.defined() && is_sharded(t)) [[unlikely]]
            return is_parameter(t) ? dtensor_parameter_class() : dtensor_class();
        return is_parameter(t) ? parameter_class() : tensor_class();
    }

    std::optional<IValue> attribute(const IValue& tensor, std::string_view name) const override {
        if (auto property = find_tensor_property(tensor, name)) return property;
        if (!has_tensor_method(name)) {
            auto given = given_attribute(tensor, name);
            return given ? given : find_class_attribute(tensor, name);
        }
        const std::string method_name(name);
        return IValue::other(make_ptr<NativeCallable>(method_name, [tensor, method_name](CallArguments arguments) {
            return *call_tensor_method(tensor, method_name, arguments);
        }));
    }

    bool set_attribute(const IValue& tensor, std::string_view name, IValue value) const override {
        if (set_tensor_property(tensor, name, value)) return true;
        if (find_tensor_property(tensor, name)) {
            throw_error("AttributeError", concat("attribute '", name, "' of 'torch._C.", is_older_torch() ? "_" : "",
                                                 "TensorBase' objects is not writable"));
        }
        set_given_attribute(tensor, name, std::move(value));
        return true;
    }

    std::optional<IValue> call_method(const IValue& tensor, std::string_view name,
                                      CallArguments& arguments) const override {
        return call_tensor_method(tensor, name, arguments);
    }

    std::optional<IValue> binary(OperatorKind op, const IValue& a, const IValue& b) const override {
        if (!can_meet_tensor(a) || !can_meet_tensor(b)) return std::nullopt;
        if (!a.is_tensor()) return op == OperatorKind::MatMul ? std::nullopt : reflected(op, plain(a), b);
        if (op == OperatorKind::MatMul && !b.is_tensor()) return std::nullopt;
        const std::string_view name = operator_name(op);
        if (name.empty()) return std::nullopt;
        if (op == OperatorKind::FloorDiv) return call_function(name, {a, plain(b)});
        return method(a, name, b);
    }

    std::optional<IValue> in_place(OperatorKind op, const IValue& a, const IValue& b) const override {
        const std::string_view name = in_place_name(op);
        if (name.empty() || !can_meet_tensor(b)) return std::nullopt;
        return method(a, name, b);
    }

    std::optional<IValue> unary(OperatorKind op, const IValue& tensor) const override {
        const ScalarType dtype = tensor.to_tensor().dtype();
        if (op != OperatorKind::Negate && !is_integral(dtype) && dtype != ScalarType::Bool)
            throw_type_error("~ (operator.invert) is only implemented on integer and Boolean-type tensors");
        return call_function(op == OperatorKind::Negate ? "neg" : "bitwise_not", {tensor});
    }

    std::optional<IValue> get_item(const IValue& tensor, const IValue& key) const override {
        return tensor_item(tensor.to_tensor(), key);
    }
    bool set_item(const IValue& tensor, const IValue& key, const IValue& value) const override {
        set_tensor_item(tensor.to_tensor(), key, value);
        return true;
    }

    std::optional<std::int64_t> length(const IValue& tensor) const override {
        const Tensor t = tensor.to_tensor();
        if (t.dim() == 0) throw_type_error("len() of a 0-d tensor");
        refuse_sizes(t);
        notify_python_use(PythonUse::Length, t);
        return t.size(0);
    }

    bool is_iterable(const IValue&) const override { return true; }
    Ptr<Iterator> iterate(const IValue& tensor) const override {
        if (tensor.to_tensor().dim() == 0) throw_type_error("iteration over a 0-d tensor");
        refuse_sizes(tensor.to_tensor());
        notify_python_use(PythonUse::Iteration, tensor.to_tensor());
        return make_ptr<ElementIterator>(call_function("unbind", {tensor, std::int64_t{0}}).to_tuple().elements);
    }

    std::optional<bool> contains(const IValue& tensor, const IValue& item) const override {
        if (!can_meet_tensor(item)) {
            throw_error("RuntimeError",
                        concat("Tensor.__contains__ only supports Tensor or scalar, but you passed in a ",
                               repr_of_class(item), "."));
        }
        const IValue equal = method(tensor, "eq", item);
        return python::truth(call_function("any", {equal}));
    }

    std::optional<bool> truth(const IValue& tensor) const override {
        const Tensor t = tensor.to_tensor();
        if (t.numel() == 0) throw_error("RuntimeError", "Boolean value of Tensor with no values is ambiguous");
        if (t.numel() > 1) {
            throw_error("RuntimeError", "Boolean value of Tensor with more than one value is ambiguous");
        }
        notify_python_use(PythonUse::Boolean, t);
        return item(t).to_bool();
    }

    std::string repr(const IValue& tensor) const override { return tensor_repr(tensor.to_tensor()); }

    std::optional<std::string> format(const IValue& tensor, std::string_view spec) const override {
        const Tensor t = tensor.to_tensor();
        if (t.dim() == 0 && !is_parameter(t)) return python::format(item_of(t), spec);
        if (spec.empty()) return tensor_repr(t);
        throw_type_error(
            concat("unsupported format string passed to ", is_parameter(t) ? "Parameter" : "Tensor", ".__format__"));
    }

    bool is_number(const IValue&) const override { return true; }
    std::optional<IValue> to_int(const IValue& tensor) const override {
        const Scalar value = item_of(tensor.to_tensor()).to_scalar();
        notify_python_use(PythonUse::Integer, tensor.to_tensor());
        if (!value.is_integral()) {
            const double number = value.to_double();
            if (std::isnan(number)) throw_value_error("cannot convert float NaN to integer");
            if (std::isinf(number)) throw_error("OverflowError", "cannot convert float infinity to integer");
            return integer_of(std::trunc(number));
        }
        return value.to_int();
    }
    std::optional<IValue> to_float(const IValue& tensor) const override {
        const double value = item_of(tensor.to_tensor()).to_scalar().to_double();
        notify_python_use(PythonUse::Float, tensor.to_tensor());
        return value;
    }

  private:
    static std::string repr_of_class(const IValue& value) { return python::class_of(value)->repr(); }
};

// torch.device.
class TorchDeviceType final : public ForeignType {
  public:
    ClassPtr class_of(const IValue&) const override { return device_class(); }
    std::optional<IValue> attribute(const IValue& object, std::string_view name) const override {
        const Device device = object.to_device();
        const bool is_cpu = device.type == DeviceType::Cpu;
        if (name == "type") return IValue(device_type_name(device.type));
        if (name == "index") return is_cpu ? IValue() : IValue(static_cast<std::int64_t>(device.index));
        return find_class_attribute(object, name);
    }
    std::string repr(const IValue& object) const override {
        const Device device = object.to_device();
        return python_repr(IValue(device));
    }
    std::string str(const IValue& object) const override { return device_name(object.to_device()); }
};

}  // namespace

const ForeignType& tensor_type() {
    static const TensorType type;
    return type;
}

const ForeignType& device_type() {
    static const TorchDeviceType type;
    return type;
}

}  // namespace loupe::python
