// SPDX-License-Identifier: Apache-2.0
// The functions of c_api.h, but for those of recordings: c_recording.cpp.
#include <cstring>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/build_facts.h"
#include "core/base/strings.h"
#include "core/library/c_handles.h"
#include "core/library/dlpack.h"
#include "core/library/tensors.h"
#include "core/model/inputs.h"
#include "core/ops/random/generator.h"
#include "core/tensor/copy_elements.h"

namespace loupe::c_api {
namespace {

Dims dims_of(const std::int64_t* values, std::int32_t count, const char* function, const char* name) {
    if (count < 0) throw Error(ErrorKind::Usage, concat(function, ": ndim is ", count));
    if (count > 0) require(values, function, name);
    return {values, values + count};
}

ScalarType dtype_of(tl_dtype number, const char* function) {
    const auto dtype = dtype_from_number(number);
    if (!dtype) throw Error(ErrorKind::Usage, concat(function, ": there is no dtype ", static_cast<int>(number)));
    return *dtype;
}

void give(Tensor tensor, tl_tensor** out) { *out = new tl_tensor{std::move(tensor)}; }

}  // namespace

}  // namespace loupe::c_api

using namespace loupe;
using namespace loupe::c_api;

extern "C" {

std::int32_t tl_api_version(void) { return TL_API_VERSION; }

const char* tl_version(void) {
    static const std::string text(version());
    return text.c_str();
}

const char* tl_last_error(void) { return last_error_text(); }

tl_status tl_seed(std::uint64_t seed) {
    return guarded([&] { seed_generators(seed); });
}

tl_status tl_model_open(const char* path, tl_model** model) {
    return guarded([&] {
        require(path, "tl_model_open", "path");
        require(model, "tl_model_open", "model");
        *model = std::make_unique<tl_model>(tl_model{Model::open(path)}).release();
    });
}

void tl_model_release(tl_model* model) { delete model; }

tl_status tl_model_set_training(tl_model* model, int training) {
    return guarded([&] {
        require(model, "tl_model_set_training", "model");
        model->model.train(training != 0);
    });
}

tl_status tl_model_to_device(tl_model* model, const char* device) {
    return guarded([&] {
        require(model, "tl_model_to_device", "model");
        require(device, "tl_model_to_device", "device");
        model->model.to(parse_device(device));
    });
}

tl_status tl_model_run(tl_model* model, const char* method, tl_tensor* const* inputs, std::size_t input_count,
                       tl_tensors** outputs) {
    return guarded([&] {
        require(model, "tl_model_run", "model");
        require(outputs, "tl_model_run", "outputs");
        auto arguments = arguments_of(inputs, input_count, "tl_model_run");
        const IValue result =
            method == nullptr ? model->model(std::move(arguments)) : model->model.run(method, std::move(arguments));
        *outputs = list_of(session::flatten_tensors(result)).release();
    });
}

tl_status tl_model_parameters(tl_model* model, tl_tensors** parameters) {
    return guarded([&] {
        require(model, "tl_model_parameters", "model");
        require(parameters, "tl_model_parameters", "parameters");
        *parameters = new tl_tensors{model->model.module().named_parameters()};
    });
}

tl_status tl_model_buffers(tl_model* model, tl_tensors** buffers) {
    return guarded([&] {
        require(model, "tl_model_buffers", "model");
        require(buffers, "tl_model_buffers", "buffers");
        *buffers = new tl_tensors{model->model.module().named_buffers()};
    });
}

std::size_t tl_tensors_count(const tl_tensors* tensors) { return tensors == nullptr ? 0 : tensors->tensors.size(); }

const char* tl_tensors_name(const tl_tensors* tensors, std::size_t index) {
    return index < tl_tensors_count(tensors) ? tensors->tensors[index].first.c_str() : nullptr;
}

tl_status tl_tensors_get(const tl_tensors* tensors, std::size_t index, tl_tensor** tensor) {
    return guarded([&] {
        require(tensors, "tl_tensors_get", "tensors");
        require(tensor, "tl_tensors_get", "tensor");
        if (index >= tensors->tensors.size())
            throw Error(ErrorKind::Usage,
                        concat("tl_tensors_get: index ", index, " of a list of ", tensors->tensors.size(), " tensors"));
        give(tensors->tensors[index].second, tensor);
    });
}

void tl_tensors_release(tl_tensors* tensors) { delete tensors; }

tl_status tl_tensor_copy(const void* data, const std::int64_t* shape, std::int32_t ndim, tl_dtype dtype,
                         tl_tensor** tensor) {
    return guarded([&] {
        require(tensor, "tl_tensor_copy", "tensor");
        const Dims sizes = dims_of(shape, ndim, "tl_tensor_copy", "shape");
        Tensor made = empty(span_of(sizes), dtype_of(dtype, "tl_tensor_copy"));
        if (made.numel() > 0) {
            require(data, "tl_tensor_copy", "data");
            std::memcpy(made.raw_data(), data, made.bytes());
        }
        give(std::move(made), tensor);
    });
}

tl_status tl_tensor_wrap(void* data, const std::int64_t* shape, const std::int64_t* strides, std::int32_t ndim,
                         tl_dtype dtype, void (*release)(void* context), void* context, tl_tensor** tensor) {
    return guarded([&] {
        require(tensor, "tl_tensor_wrap", "tensor");
        const Dims sizes = dims_of(shape, ndim, "tl_tensor_wrap", "shape");
        const Dims steps = strides == nullptr ? Dims() : dims_of(strides, ndim, "tl_tensor_wrap", "strides");
        std::function<void()> let_go;
        if (release != nullptr) let_go = [release, context] { release(context); };
        give(from_memory(data, sizes, dtype_of(dtype, "tl_tensor_wrap"), std::move(let_go), steps), tensor);
    });
}

tl_status tl_tensor_randn(const std::int64_t* shape, std::int32_t ndim, tl_tensor** tensor) {
    return guarded([&] {
        require(tensor, "tl_tensor_randn", "tensor");
        give(randn(dims_of(shape, ndim, "tl_tensor_randn", "shape")), tensor);
    });
}

void tl_tensor_release(tl_tensor* tensor) { delete tensor; }

tl_status tl_tensor_view(const tl_tensor* tensor, tl_view* view) {
    return guarded([&] {
        require(tensor, "tl_tensor_view", "tensor");
        require(view, "tl_tensor_view", "view");
        const Tensor& t = tensor->tensor;
        if (t.is_sparse()) throw Error(ErrorKind::Run, "tl_tensor_view: a sparse tensor has no elements of its own");
        *view = {};
        view->data = t.address();
        const dlpack::DeviceField device = dlpack::field_of(t.device());
        const dlpack::TypeField dtype = dlpack::field_of(t.dtype());
        view->device_type = device.type;
        view->device_id = device.id;
        view->ndim = static_cast<std::int32_t>(t.dim());
        view->dtype = static_cast<tl_dtype>(t.dtype());
        view->dtype_code = dtype.code;
        view->dtype_bits = dtype.bits;
        view->dtype_lanes = dtype.lanes;
        view->shape = t.sizes().data();
        view->strides = t.strides().data();
    });
}

tl_status tl_tensor_to_host(const tl_tensor* tensor, tl_tensor** host) {
    return guarded([&] {
        require(tensor, "tl_tensor_to_host", "tensor");
        require(host, "tl_tensor_to_host", "host");
        const Tensor& t = tensor->tensor;
        const bool is_there = !t.is_sparse() && t.is_host_memory() && t.is_contiguous();
        give(is_there ? t : copy_elements(t), host);
    });
}

tl_status tl_tensor_text(tl_tensor* tensor, const char** text) {
    return guarded([&] {
        require(tensor, "tl_tensor_text", "tensor");
        require(text, "tl_tensor_text", "text");
        tensor->text = str(tensor->tensor);
        *text = tensor->text.c_str();
    });
}

tl_status tl_tensor_set_requires_grad(tl_tensor* tensor, int wanted) {
    return guarded([&] {
        require(tensor, "tl_tensor_set_requires_grad", "tensor");
        set_requires_grad(tensor->tensor, wanted != 0);
    });
}

tl_status tl_tensor_backward(tl_tensor* tensor, const tl_tensor* gradient) {
    return guarded([&] {
        require(tensor, "tl_tensor_backward", "tensor");
        TensorList gradients;
        if (gradient != nullptr) gradients.push_back(gradient->tensor);
        backward({tensor->tensor}, gradients);
    });
}

tl_status tl_tensor_grad(const tl_tensor* tensor, tl_tensor** grad) {
    return guarded([&] {
        require(tensor, "tl_tensor_grad", "tensor");
        require(grad, "tl_tensor_grad", "grad");
        Tensor found = grad_of(tensor->tensor);
        if (!found.defined())
            *grad = nullptr;
        else
            give(std::move(found), grad);
    });
}

tl_status tl_model_zero_grad(tl_model* model) {
    return guarded([&] {
        require(model, "tl_model_zero_grad", "model");
        model->model.module().zero_grad();
    });
}

}  // extern "C"
