// SPDX-License-Identifier: Apache-2.0
#include "core/library/torch/call.h"

#include "core/autograd/variable.h"
#include "core/dispatch/call.h"
#include "core/dispatch/plugin_list.h"

#include <loupe_torch/ivalue.h>

namespace loupe::torch_api {

IValue box(const at::Tensor& tensor) { return tensor.engine(); }
IValue box(at::TensorList tensors) {
    TensorList all;
    for (const at::Tensor& tensor : tensors) all.push_back(tensor.engine());
    return all;
}
IValue box(const c10::List<std::optional<at::Tensor>>& tensors) { return tensors.engine(); }
IValue box(std::int64_t value) { return value; }
IValue box(double value) { return value; }
IValue box(bool value) { return value; }
IValue box(const c10::Scalar& value) { return value.engine(); }
IValue box(std::string_view text) { return text; }
IValue box(c10::ScalarType dtype) { return static_cast<std::int64_t>(dtype); }
IValue box(c10::Layout layout) { return static_cast<std::int64_t>(layout); }
IValue box(c10::Device device) { return engine_device(device); }
IValue box(c10::MemoryFormat format) { return static_cast<std::int64_t>(format); }
IValue box(const at::Generator& generator) { return generator.engine(); }
IValue box(c10::IntArrayRef list) { return IntSpan(list.data(), list.size()); }
IValue box(c10::ArrayRef<double> list) { return std::span<const double>(list.data(), list.size()); }
IValue box(c10::ArrayRef<c10::Scalar> list) {
    auto out = make_ptr<ListObject>(types::number());
    for (const c10::Scalar& each : list) out->elements.emplace_back(each.engine());
    return out;
}
IValue box(c10::IntArrayRef list, std::int64_t length) {
    if (list.size() != 1) return box(list);
    return Dims(static_cast<std::size_t>(length), list[0]);
}
IValue box(c10::OptionalIntArrayRef list) { return list.has_value() ? box(*list) : IValue(); }
IValue box(c10::OptionalIntArrayRef list, std::int64_t length) {
    return list.has_value() ? box(*list, length) : IValue();
}

void rethrow(const loupe::Error& error) {
    const std::string& text = error.message();
    const auto begins = [&](std::string_view with) { return text.starts_with(with); };
    if (begins("index ") || begins("Dimension out of range") || begins("select(): index")) throw c10::IndexError(text);
    if (error.kind() == ErrorKind::Unsupported) throw c10::NotImplementedError(text);
    const bool is_of_file = error.kind() == ErrorKind::File || error.kind() == ErrorKind::Usage;
    throw c10::Error(is_of_file ? error.what() : text);
}

Operator::Operator(const char* full_name) : op_((plugins(), detail::operator_or_throw(full_name))) {}

void Operator::run(std::span<const IValue> arguments, IValue* results) const {
    translated([&] { call_operator(op_, arguments, results); });
}

at::Tensor with_gradient(at::Tensor made, const c10::TensorOptions& options) {
    if (options.requires_grad()) translated([&] { set_requires_grad(made.engine(), true); });
    return made;
}

}  // namespace loupe::torch_api
