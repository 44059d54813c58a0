// SPDX-License-Identifier: Apache-2.0
#include <loupe_torch/functions.h>

#include <utility>

#include "core/autograd/engine.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/dispatch/plugin_list.h"
#include "core/library/tensors.h"
#include "core/library/torch/call.h"
#include "core/tensor/device_interface.h"

using namespace loupe::torch_api;

namespace at {
namespace {

Tensor wrapped(void* data, IntArrayRef sizes, IntArrayRef strides, std::function<void()> release,
               const TensorOptions& options) {
    return translated([&] {
        if (!options.device().is_cpu())
            throw loupe::Error(loupe::ErrorKind::Unsupported, "from_blob takes memory of the CPU only");
        Tensor made(loupe::from_memory(data, loupe::Dims(sizes.begin(), sizes.end()),
                                       engine_dtype(options.dtype().toScalarType()), std::move(release),
                                       loupe::Dims(strides.begin(), strides.end())));
        return with_gradient(std::move(made), options);
    });
}

}  // namespace

Tensor from_blob(void* data, IntArrayRef sizes, const TensorOptions& options) {
    return wrapped(data, sizes, {}, nullptr, options);
}
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options) {
    return wrapped(data, sizes, strides, nullptr, options);
}
Tensor from_blob(void* data, IntArrayRef sizes, const std::function<void(void*)>& deleter,
                 const TensorOptions& options) {
    return wrapped(
        data, sizes, {}, [deleter, data] { deleter(data); }, options);
}
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, const std::function<void(void*)>& deleter,
                 const TensorOptions& options) {
    return wrapped(
        data, sizes, strides, [deleter, data] { deleter(data); }, options);
}

void set_num_threads(int count) { loupe::set_thread_count(count); }
int get_num_threads() { return loupe::thread_count(); }

}  // namespace at

namespace torch {

namespace detail {

TensorData::TensorData(std::initializer_list<TensorData> list) {
    if (list.size() == 0) {
        sizes_ = {0};
        return;
    }
    const TensorData& first = *list.begin();
    dtype_ = first.dtype_;
    for (const TensorData& each : list) {
        if (each.sizes_ != first.sizes_)
            throw c10::Error(
                loupe::concat("Expected all sub-lists to have sizes: ", loupe::shape_list_text(first.sizes_),
                              ", but got sub-list with sizes: ", loupe::shape_list_text(each.sizes_)));
        if (each.dtype_ != dtype_)
            throw c10::Error(loupe::concat(
                "Expected all elements of the tensor to have the same scalar type: ", c10::toString(dtype_),
                ", but got element of scalar type: ", c10::toString(each.dtype_)));
        numbers_.insert(numbers_.end(), each.numbers_.begin(), each.numbers_.end());
    }
    sizes_ = {static_cast<std::int64_t>(list.size())};
    sizes_.insert(sizes_.end(), first.sizes_.begin(), first.sizes_.end());
}

at::Tensor TensorData::make(const c10::TensorOptions& options) const {
    const bool is_bool = dtype_ == c10::kBool;
    const c10::ScalarType usual = c10::isIntegralType(dtype_)   ? c10::kLong
                                  : c10::isFloatingType(dtype_) ? c10::kFloat
                                                                : dtype_;
    const c10::ScalarType dtype = options.has_dtype() ? options.dtype().toScalarType() : is_bool ? c10::kBool : usual;
    at::Tensor made = translated([&] {
        const loupe::Tensor elements =
            loupe::empty(is_scalar_ ? loupe::IntSpan() : loupe::IntSpan(sizes_), engine_dtype(dtype));
        loupe::visit_any_dtype(elements.dtype(), [&]<typename T>(std::type_identity<T>) {
            T* to = elements.data<T>();
            for (const c10::Scalar& number : numbers_) *to++ = number.engine().to<T>();
        });
        return at::Tensor(elements);
    });
    if (options.has_device() && !options.device().is_cpu()) made = made.to(options.device(), dtype);
    return with_gradient(std::move(made), options);
}

}  // namespace detail

namespace autograd {
namespace {

loupe::TensorList engine_list(const variable_list& tensors) {
    loupe::TensorList list;
    for (const at::Tensor& each : tensors) list.push_back(each.engine());
    return list;
}

}  // namespace

variable_list grad(const variable_list& outputs, const variable_list& inputs, const variable_list& grad_outputs,
                   std::optional<bool> retain_graph, bool create_graph, bool allow_unused) {
    return translated([&] {
        variable_list found;
        for (loupe::Tensor& each : loupe::gradients_of(
                 engine_list(outputs), engine_list(inputs), engine_list(grad_outputs),
                 {.retain_graph = retain_graph.value_or(create_graph), .create_graph = create_graph}, true)) {
            TORCH_CHECK(allow_unused || each.defined(), "element ", found.size(),
                        "of the differentiated Tensors appears to not have been used in the graph. Set "
                        "allow_unused=True if this is the desired behavior.");
            found.emplace_back(std::move(each));
        }
        return found;
    });
}

void backward(const variable_list& tensors, const variable_list& grad_tensors, std::optional<bool> retain_graph,
              bool create_graph, const variable_list& inputs) {
    const loupe::BackwardOptions options{.retain_graph = retain_graph.value_or(create_graph),
                                         .create_graph = create_graph};
    translated([&] {
        if (inputs.empty()) return loupe::backward(engine_list(tensors), engine_list(grad_tensors), options);
        loupe::backward_into(engine_list(tensors), engine_list(inputs), engine_list(grad_tensors), options);
    });
}

}  // namespace autograd

namespace cuda {

std::size_t device_count() {
    loupe::plugins();
    const loupe::DeviceInterface* device = loupe::device_interface(loupe::DeviceType::Cuda);
    return device == nullptr ? 0 : static_cast<std::size_t>(device->count());
}

void synchronize(std::int64_t) {
    translated([] { loupe::synchronize_devices(); });
}

}  // namespace cuda

}  // namespace torch
