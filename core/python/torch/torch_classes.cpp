// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/torch_classes.h"

#include <map>
#include <mutex>

#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/python/language/arguments.h"
#include "core/python/language/error.h"
#include "core/python/language/operations.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_data.h"
#include "core/python/torch/torch_objects.h"
#include "core/python/torch/torch_signatures.h"
#include "core/python/torch/torch_tensor_methods.h"

namespace loupe::python {
namespace {

// torch.Tensor(2, 3), torch.Tensor([1, 2]), torch.Tensor().
Tensor tensor_from_arguments(const CallArguments& arguments, ScalarType dtype) {
    const auto& given = arguments.positional;
    const Dims none{0};
    if (given.empty()) return empty(span_of(none), dtype);
    if (given.size() == 1 && given[0].is_tensor()) return to_dtype(given[0].to_tensor(), dtype);
    if (given.size() == 1 && !given[0].is_int() && !is_size(given[0])) return tensor_from_data(given[0], dtype);
    Dims sizes;
    const std::vector<IValue> parts = given.size() == 1 && is_size(given[0]) ? given[0].to_tuple().elements : given;
    for (const IValue& size : parts) sizes.push_back(to_index(size));
    return with_python_errors([&] { return empty(span_of(sizes), dtype); });
}

ClassPtr make_tensor_type(const std::string& name, ScalarType dtype) {
    auto out = make_ptr<ClassObject>(name, "torch", std::vector<ClassPtr>{});
    out->set_builtin([dtype](ClassObject&, CallArguments& arguments) -> ClassObject::Made {
        return {tensor_from_arguments(arguments, dtype), true};
    });
    return out;
}

// torch.Tensor.relu: the method with the tensor as its first argument.
void define_methods(ClassObject& cls) {
    for (const Operator* op : all_operators()) {
        const std::string_view name = std::string_view(op->schema.name);
        if (!name.starts_with("aten::") || cls.attributes().find(name.substr(6)) != nullptr) continue;
        const std::string method(name.substr(6));
        if (!op->schema.find_argument("self") || op->family == "numbers") continue;
        cls.define(method, [method](CallArguments arguments) {
            if (arguments.positional.empty() || !arguments.positional[0].is_tensor()) {
                throw_type_error(concat("descriptor '", method, "' for 'torch._C._TensorBase' objects doesn't apply"));
            }
            const IValue self = arguments.positional[0];
            arguments.positional.erase(arguments.positional.begin());
            auto result = call_tensor_method(self, method, arguments);
            if (!result) throw_error("AttributeError", concat("type object 'Tensor' has no attribute '", method, "'"));
            return *result;
        });
    }
}

ClassObject::Made new_parameter(ClassObject&, CallArguments& arguments) {
    const BoundArguments given(arguments, "__new__", {"data=", "requires_grad="});
    const bool wants_grad = given.truth_or(1, true);
    Tensor data;
    if (given.has(0) && !given[0].is_none()) {
        if (!given[0].is_tensor()) {
            throw_error("AttributeError", concat("'", type_name(given[0]), "' object has no attribute 'detach'"));
        }
        data = given[0].to_tensor();
    } else {
        const Dims none{0};
        data = empty(span_of(none), default_dtype());
    }
    if (wants_grad && !is_differentiable(data.dtype())) {
        throw_error("RuntimeError", "Only Tensors of floating point and complex dtype can require gradients");
    }
    return {with_python_errors([&] { return IValue(make_parameter(data, wants_grad)); }), true};
}

}  // namespace

ClassPtr tensor_class() {
    static const ClassPtr cls = [] {
        auto out = make_ptr<ClassObject>("Tensor", "torch", std::vector<ClassPtr>{});
        out->set_builtin([](ClassObject&, CallArguments& arguments) -> ClassObject::Made {
            return {tensor_from_arguments(arguments, default_dtype()), true};
        });
        define_methods(*out);
        return ClassPtr(out);
    }();
    return cls;
}

ClassPtr parameter_class() {
    static const ClassPtr cls = [] {
        auto out = make_ptr<ClassObject>("Parameter", "torch.nn.parameter", std::vector<ClassPtr>{tensor_class()});
        out->set_builtin(new_parameter);
        return ClassPtr(out);
    }();
    return cls;
}

std::optional<IValue> find_tensor_type(std::string_view name) {
    if (!name.ends_with("Tensor") || name == "Tensor") return std::nullopt;
    const auto dtype = dtype_of_tensor_type(name);
    if (!dtype) return std::nullopt;
    static std::mutex mutex;
    static std::map<std::string, ClassPtr> types;
    const std::scoped_lock lock(mutex);
    ClassPtr& cls = types[std::string(name)];
    if (!cls) cls = make_tensor_type(std::string(name), *dtype);
    return IValue::other(cls);
}

}  // namespace loupe::python
