// SPDX-License-Identifier: Apache-2.0
#pragma once
// What tensors do in a model source. The evaluator asks these functions for every value with Tag::Tensor (and for
// operators with a tensor on either side); core/python/torch/torch_tensor.cpp fills them in.

#include <optional>
#include <string>
#include <string_view>

#include "core/python/language/operations.h"

namespace loupe::python {

class TensorBinding {
  public:
    virtual ~TensorBinding() = default;
    // torch.Tensor, or torch.nn.Parameter for a parameter: what type() gives and isinstance() compares.
    virtual ClassPtr class_of(const IValue& tensor) const = 0;
    // A method comes back bound (a NativeCallable that knows its tensor). nullopt: AttributeError.
    virtual std::optional<IValue> attribute(const IValue& tensor, std::string_view name) const = 0;
    virtual void set_attribute(const IValue& tensor, std::string_view name, IValue value) const = 0;
    // tensor.name(arguments), without the bound method. nullopt: no such method, then attribute() is asked.
    virtual std::optional<IValue> call_method(const IValue& tensor, std::string_view name,
                                              CallArguments& arguments) const = 0;
    // Arithmetic, comparisons (==, != too), not `in`, `is`. Either side may be the tensor. nullopt: NotImplemented, so
    // that the other side's class is asked and then TypeError follows.
    virtual std::optional<IValue> binary(OperatorKind op, const IValue& a, const IValue& b) const = 0;
    // a op= b; a is the tensor.
    virtual std::optional<IValue> in_place(OperatorKind op, const IValue& a, const IValue& b) const = 0;
    virtual IValue unary(OperatorKind op, const IValue& tensor) const = 0;  // Negate, Invert
    // key: int, SliceObject, None, Ellipsis, tensor, bool, list, or a tuple of these.
    virtual IValue get_item(const IValue& tensor, const IValue& key) const = 0;
    virtual void set_item(const IValue& tensor, const IValue& key, const IValue& value) const = 0;
    virtual std::int64_t length(const IValue& tensor) const = 0;
    virtual Ptr<Iterator> iterate(const IValue& tensor) const = 0;
    virtual bool contains(const IValue& tensor, const IValue& item) const = 0;
    virtual bool truth(const IValue& tensor) const = 0;
    virtual std::string repr(const IValue& tensor) const = 0;  // "tensor([1., 2.])", as PyTorch prints it
    virtual std::string format(const IValue& tensor, std::string_view spec) const = 0;
    // int(t), float(t), and what range(t) and list[t] ask for.
    virtual IValue to_int(const IValue& tensor) const = 0;
    virtual IValue to_float(const IValue& tensor) const = 0;
};

// The one that tensors have.
const TensorBinding& tensor_binding();

// Attributes that the program gave a tensor beside its own (p.tag = 1); they live as long as the program.
std::optional<IValue> given_attribute(const Tensor& tensor, std::string_view name);
void set_given_attribute(const Tensor& tensor, std::string_view name, IValue value);

// The same for values with Tag::Device and for Tag::Object values that are no source's (a TorchScript object, a
// generator): what `x.type` of a device is. nullopt: AttributeError.
std::optional<IValue> engine_object_attribute(const IValue& object, std::string_view name);
ClassPtr engine_object_class(const IValue& object);
// "cpu" (is_repr false), "device(type='cpu')" (true).
std::string engine_object_text(const IValue& object, bool is_repr);

// torch.nn.Module in the evaluator: core/python/torch/nn_module.cpp makes the class with __init__, attributes by Module's
// rules, calls with hooks and __repr__; this one, in core/python/torch/torch_module_methods.cpp, adds every other method
// (parameters, state_dict, train, to, register_forward_hook, ...) to it by ClassObject::define.
void define_module_methods(ClassObject& module_class);

}  // namespace loupe::python
