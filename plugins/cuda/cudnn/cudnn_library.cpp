// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/cudnn/cudnn_library.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/kernels/device_loops.h"
#include "core/kernels/elementwise.h"
#include "core/tensor/device_copy.h"
#include "plugins/cuda/device.h"
#include "plugins/cuda/graphs/captures.h"

namespace loupe::cuda {

void check_cudnn(cudnnStatus_t status, const char* doing) {
    if (status / 1000 == CUDNN_STATUS_NOT_SUPPORTED / 1000) throw CudnnNotSupported();
    if (status != CUDNN_STATUS_SUCCESS)
        throw Error(ErrorKind::Run, concat("cuDNN error: ", cudnnGetErrorString(status), " (", doing, ")"));
}

cudnnHandle_t cudnn_handle(Device device) {
    static std::mutex mutex;
    static auto* const handles = new std::map<std::pair<int, StreamId>, cudnnHandle_t>;
    const std::lock_guard lock(mutex);
    use(device);
    cudnnHandle_t& handle = (*handles)[{device.index, current_stream(device)}];
    if (handle == nullptr) {
        const RelaxedCapture relaxed;
        check_cudnn(cudnnCreate(&handle), "starting cuDNN");
        check_cudnn(cudnnSetStream(handle, stream_of(device)), "starting cuDNN");
    }
    return handle;
}

std::optional<cudnnDataType_t> cudnn_type(ScalarType dtype) {
    switch (dtype) {
        case ScalarType::Float32:
            return CUDNN_DATA_FLOAT;
        case ScalarType::Float64:
            return CUDNN_DATA_DOUBLE;
        case ScalarType::Float16:
            return CUDNN_DATA_HALF;
        case ScalarType::BFloat16:
            return CUDNN_DATA_BFLOAT16;
        default:
            return std::nullopt;
    }
}

cudnnMathType_t cudnn_math(ScalarType dtype, bool rounds_float32) {
    if (dtype == ScalarType::Float16 || dtype == ScalarType::BFloat16) return CUDNN_TENSOR_OP_MATH;
    return dtype == ScalarType::Float32 && rounds_float32 ? CUDNN_DEFAULT_MATH : CUDNN_FMA_MATH;
}

CudnnSizes cudnn_sizes(IntSpan sizes) {
    CudnnSizes out;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (d == 2 && sizes.size() == 3) out.values[static_cast<std::size_t>(out.count++)] = 1;
        out.values[static_cast<std::size_t>(out.count++)] = static_cast<int>(sizes[d]);
    }
    while (out.count < 4) out.values[static_cast<std::size_t>(out.count++)] = 1;
    return out;
}

TensorDescriptor::TensorDescriptor(IntSpan sizes, cudnnDataType_t type, bool channels_last) {
    check_cudnn(cudnnCreateTensorDescriptor(&own_), "describing a tensor");
    const CudnnSizes s = cudnn_sizes(sizes);
    check_cudnn(cudnnSetTensorNdDescriptorEx(own_, channels_last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW, type, s.count,
                                             s.values.data()),
                "describing a tensor");
}
TensorDescriptor::TensorDescriptor(IntSpan sizes, cudnnDataType_t type) {
    check_cudnn(cudnnCreateTensorDescriptor(&own_), "describing a tensor");
    std::vector<int> dims(sizes.size()), strides(sizes.size());
    int stride = 1;
    for (std::size_t d = sizes.size(); d-- > 0;) {
        dims[d] = static_cast<int>(sizes[d]);
        strides[d] = stride;
        stride *= dims[d];
    }
    check_cudnn(cudnnSetTensorNdDescriptor(own_, type, static_cast<int>(dims.size()), dims.data(), strides.data()),
                "describing a tensor");
}

Tensor in_order(const Tensor& t, bool channels_last) {
    if (channels_last ? t.is_channels_last() : t.is_contiguous()) return t;
    Tensor copy = empty(t.sizes(), t.dtype(), t.device());
    if (channels_last) {
        Dims strides(t.sizes().size());
        std::int64_t stride = 1;
        const auto put = [&](std::size_t d) {
            strides[d] = stride;
            stride *= t.sizes()[d];
        };
        put(1);
        for (std::size_t d = t.sizes().size() - 1; d >= 2; --d) put(d);
        put(0);
        copy = empty_strided(t.sizes(), span_of(strides), t.dtype(), t.device());
    }
    copy_into(copy, t);
    return copy;
}
Tensor room_for(const Tensor& out, bool channels_last) {
    if (channels_last ? out.is_channels_last() : out.is_contiguous()) return out;
    return in_order(empty(out.sizes(), out.dtype(), out.device()), channels_last);
}

Tensor cudnn_workspace(std::size_t bytes, Device device) {
    const std::int64_t size = std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes));
    return empty(IntSpan(&size, 1), ScalarType::UInt8, device);
}

namespace {

// The call on copies on the host, told to who observes such calls. Results that are given are filled.
void run_on_host(const Operator& op, Arguments arguments, IValue* results) {
    const OperatorRecord& record = *op.record;
    const Device device = arguments[0].to_tensor().device();
    HostCopies copies;
    std::vector<IValue> there;
    for (const IValue& value : arguments)
        there.push_back(value.is_tensor() && value.to_tensor().defined() ? IValue(copies.of(value.to_tensor()))
                                                                         : value);
    std::vector<IValue> made(op.result_count());
    for (std::size_t i = 0; record.kernel.fills && i < made.size(); ++i) {
        const Tensor out = results[i].to_tensor();
        made[i] = empty_strided(out.sizes(), out.strides(), out.dtype(), Device{});
    }
    record.kernel.function(there, made.data());
    for (std::size_t i = 0; i < made.size(); ++i) {
        if (record.kernel.fills)
            copies.put_back(results[i].to_tensor(), made[i].to_tensor());
        else if (made[i].is_tensor() && made[i].to_tensor().defined())
            results[i] = on_device(made[i].to_tensor(), device);
    }
    copies.tell(device);
}

}  // namespace

void run_by_others(const Operator& op, Arguments arguments, IValue* results) {
    for (const KernelCandidate& candidate : op.kernels->candidates[static_cast<std::size_t>(DeviceType::Cuda)]) {
        if (candidate.backend == "cudnn") continue;
        if (candidate.accepts == nullptr || candidate.accepts(arguments, nullptr))
            return candidate.kernel(arguments, results);
    }
    run_on_host(op, arguments, results);
}

}  // namespace loupe::cuda
