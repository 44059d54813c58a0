// SPDX-License-Identifier: Apache-2.0
// What stands in for torch until it is there.
#include "core/python/builtin_objects.h"
#include "core/python/nn_module.h"
#include "core/python/tensor_binding.h"
#include "core/python/torch_module.h"

namespace loupe::python {
namespace {
[[noreturn]] void missing() { throw_error("NotImplementedError", "tensors are not there"); }
class NoTensors final : public TensorBinding {
    ClassPtr class_of(const IValue&) const override { missing(); }
    std::optional<IValue> attribute(const IValue&, std::string_view) const override { missing(); }
    void set_attribute(const IValue&, std::string_view, IValue) const override { missing(); }
    std::optional<IValue> call_method(const IValue&, std::string_view, CallArguments&) const override { missing(); }
    std::optional<IValue> binary(OperatorKind, const IValue&, const IValue&) const override { missing(); }
    std::optional<IValue> in_place(OperatorKind, const IValue&, const IValue&) const override { missing(); }
    IValue unary(OperatorKind, const IValue&) const override { missing(); }
    IValue get_item(const IValue&, const IValue&) const override { missing(); }
    void set_item(const IValue&, const IValue&, const IValue&) const override { missing(); }
    std::int64_t length(const IValue&) const override { missing(); }
    Ptr<Iterator> iterate(const IValue&) const override { missing(); }
    bool contains(const IValue&, const IValue&) const override { missing(); }
    bool truth(const IValue&) const override { missing(); }
    std::string repr(const IValue&) const override { missing(); }
    std::string format(const IValue&, std::string_view) const override { missing(); }
    IValue to_int(const IValue&) const override { missing(); }
    IValue to_float(const IValue&) const override { missing(); }
};
}  // namespace
const TensorBinding& tensor_binding() { static const NoTensors none; return none; }
std::optional<IValue> engine_object_attribute(const IValue&, std::string_view) { return std::nullopt; }
ClassPtr engine_object_class(const IValue&) { return builtin_classes().object; }
std::string engine_object_text(const IValue& object, bool) { return python_repr(object); }
ClassPtr module_class_of(const IValue&) { return nullptr; }
std::optional<IValue> find_module_attribute(const IValue&, ClassObject&, std::string_view) { missing(); }
void set_module_attribute(const IValue&, ClassObject&, std::string_view, IValue) { missing(); }
void delete_module_attribute(const IValue&, ClassObject&, std::string_view) { missing(); }
IValue call_module(const IValue&, ClassObject&, CallArguments) { missing(); }
IValue copy_module(const IValue&) { missing(); }
std::span<const ModuleRecord> torch_module_records() { return {}; }
}  // namespace loupe::python
