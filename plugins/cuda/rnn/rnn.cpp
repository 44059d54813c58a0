// SPDX-License-Identifier: Apache-2.0
// cuDNN has the gates in PyTorch's order: of an LSTM input, forget, cell, output; of a GRU reset, update, new. Its
// weights lie in one memory, where it says.
#include "plugins/cuda/rnn/rnn.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/kernels/elementwise.h"
#include "core/ops/rnn/layer.h"
#include "plugins/cuda/cudnn/cudnn_library.h"
#include "plugins/cuda/device.h"
#include "plugins/cuda/operators/dense.h"

namespace loupe::cuda {
namespace {

using rnn::Mode;

constexpr char kForward[] = "loupe::rnn_network";
constexpr char kBackward[] = "loupe::rnn_network_backward";

cudnnRNNMode_t mode_of(Mode mode) {
    switch (mode) {
        case Mode::Lstm:
            return CUDNN_LSTM;
        case Mode::Gru:
            return CUDNN_GRU;
        case Mode::Tanh:
            return CUDNN_RNN_TANH;
        case Mode::Relu:
            break;
    }
    return CUDNN_RNN_RELU;
}

// From `first` on the arguments: input, hx, cx, params, batch_sizes, mode, layers, has_biases, bidirectional.
struct Call {
    Tensor input, hx, cx;
    TensorList params;
    Dims batch_sizes;
    Mode mode;
    std::int64_t layers;
    bool has_biases, bidirectional;

    Call(Arguments a, std::size_t first)
        : input(a[first].to_tensor()),
          hx(a[first + 1].to_tensor()),
          cx(a[first + 2].to_tensor()),
          params(a[first + 3].to_tensors()),
          batch_sizes(a[first + 4].to_ints()),
          mode(rnn::parse_mode(a[first + 5].to_string())),
          layers(a[first + 6].to_int()),
          has_biases(a[first + 7].to_bool()),
          bidirectional(a[first + 8].to_bool()) {}
    std::int64_t directions() const { return bidirectional ? 2 : 1; }
    std::int64_t hidden() const { return hx.size(2); }
    std::size_t each() const { return has_biases ? 4 : 2; }  // parameters of a layer's direction
};

cudnnMathType_t math_of(ScalarType dtype) {
    return dtype == ScalarType::Float64 ? CUDNN_DEFAULT_MATH : cudnn_math(dtype, math_settings().convolutions_in_tf32);
}

class NoDropout {
  public:
    explicit NoDropout(cudnnHandle_t handle) {
        check_cudnn(cudnnCreateDropoutDescriptor(&own_), "describing a recurrent network");
        check_cudnn(cudnnSetDropoutDescriptor(own_, handle, 0, nullptr, 0, 0), "describing a recurrent network");
    }
    NoDropout(const NoDropout&) = delete;
    NoDropout& operator=(const NoDropout&) = delete;
    ~NoDropout() { cudnnDestroyDropoutDescriptor(own_); }
    operator cudnnDropoutDescriptor_t() const { return own_; }

  private:
    cudnnDropoutDescriptor_t own_ = nullptr;
};

class RnnDescriptor {
  public:
    RnnDescriptor(const Call& call, const NoDropout& dropout) {
        check_cudnn(cudnnCreateRNNDescriptor(&own_), "describing a recurrent network");
        const ScalarType dtype = call.input.dtype();
        check_cudnn(cudnnSetRNNDescriptor_v8(
                        own_, CUDNN_RNN_ALGO_STANDARD, mode_of(call.mode),
                        call.has_biases ? CUDNN_RNN_DOUBLE_BIAS : CUDNN_RNN_NO_BIAS,
                        call.bidirectional ? CUDNN_BIDIRECTIONAL : CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT,
                        *cudnn_type(dtype), dtype == ScalarType::Float64 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT,
                        math_of(dtype), static_cast<std::int32_t>(call.input.size(1)),
                        static_cast<std::int32_t>(call.hidden()), static_cast<std::int32_t>(call.hidden()),
                        static_cast<std::int32_t>(call.layers), dropout, CUDNN_RNN_PADDED_IO_DISABLED),
                    "describing a recurrent network");
    }
    RnnDescriptor(const RnnDescriptor&) = delete;
    RnnDescriptor& operator=(const RnnDescriptor&) = delete;
    ~RnnDescriptor() { cudnnDestroyRNNDescriptor(own_); }
    operator cudnnRNNDescriptor_t() const { return own_; }

  private:
    cudnnRNNDescriptor_t own_ = nullptr;
};

// Of a packed sequence: [rows, width], sequences by falling length.
class SequenceDescriptor {
  public:
    SequenceDescriptor(const Call& call, std::int64_t width) {
        check_cudnn(cudnnCreateRNNDataDescriptor(&own_), "describing a sequence");
        std::vector<int> lengths(static_cast<std::size_t>(call.batch_sizes.front()), 0);
        for (const std::int64_t size : call.batch_sizes) {
            for (std::int64_t i = 0; i < size; ++i) ++lengths[static_cast<std::size_t>(i)];
        }
        check_cudnn(
            cudnnSetRNNDataDescriptor(own_, *cudnn_type(call.input.dtype()), CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED,
                                      static_cast<int>(call.batch_sizes.size()), static_cast<int>(lengths.size()),
                                      static_cast<int>(width), lengths.data(), nullptr),
            "describing a sequence");
    }
    SequenceDescriptor(const SequenceDescriptor&) = delete;
    SequenceDescriptor& operator=(const SequenceDescriptor&) = delete;
    ~SequenceDescriptor() { cudnnDestroyRNNDataDescriptor(own_); }
    operator cudnnRNNDataDescriptor_t() const { return own_; }

  private:
    cudnnRNNDataDescriptor_t own_ = nullptr;
};

// What both directions of the computation share.
struct Network {
    Network(const Call& given, cudnnForwardMode_t direction)
        : call(given),
          handle(cudnn_handle(given.input.device())),
          dropout(handle),
          descriptor(given, dropout),
          x(given, given.input.size(1)),
          y(given, given.hidden() * given.directions()),
          state(given.hx.sizes(), *cudnn_type(given.input.dtype())) {
        check_cudnn(cudnnGetRNNWeightSpaceSize(handle, descriptor, &weight_bytes), "a recurrent network");
        check_cudnn(cudnnGetRNNTempSpaceSizes(handle, descriptor, direction, x, &work_bytes, &reserve_bytes),
                    "a recurrent network");
    }

    Tensor weight_room() const {
        const auto element = static_cast<std::int64_t>(call.input.element_size());
        const Tensor room = empty(std::array{(static_cast<std::int64_t>(weight_bytes) + element - 1) / element},
                                  call.input.dtype(), call.input.device());
        fill_with(room, 0);
        return room;
    }

    // visit(parameter's gate in PyTorch's parameter, the same in the library's memory)
    template <typename Visit>
    void each_gate(const Tensor& room, const TensorList& params, const Visit& visit) const {
        const std::int64_t gates = rnn::gate_count(call.mode), hidden = call.hidden();
        for (std::int64_t layer = 0; layer < call.layers * call.directions(); ++layer) {
            const Tensor* const p = &params[static_cast<std::size_t>(layer) * call.each()];
            for (std::int64_t line = 0; line < 2 * gates; ++line) {
                const std::int64_t recurrent = line / gates, gate = line % gates;
                const auto [matrix, bias] = places_of(layer, line, room);
                const auto part = [&](const Tensor& t) {
                    return fn::narrow(t, std::int64_t{0}, gate * hidden, hidden);
                };
                const Tensor& weight = p[recurrent];
                visit(part(weight), room.view_as_strided(std::array{hidden, weight.size(1)},
                                                         std::array{weight.size(1), std::int64_t{1}}, matrix));
                if (call.has_biases)
                    visit(part(p[2 + recurrent]),
                          room.view_as_strided(std::array{hidden}, std::array{std::int64_t{1}}, bias));
            }
        }
    }
    Tensor packed_weights() const {
        const Tensor room = weight_room();
        each_gate(room, call.params, [](const Tensor& part, const Tensor& place) { copy_into(place, part); });
        return room;
    }

    // Where a gate's matrix and bias lie, in elements from the start.
    std::pair<std::int64_t, std::int64_t> places_of(std::int64_t layer, std::int64_t line, const Tensor& room) const {
        const TensorDescriptor matrix(std::array{std::int64_t{1}, std::int64_t{1}, std::int64_t{1}},
                                      *cudnn_type(room.dtype()));
        const TensorDescriptor bias(std::array{std::int64_t{1}, std::int64_t{1}, std::int64_t{1}},
                                    *cudnn_type(room.dtype()));
        void *at = nullptr, *bias_at = nullptr;
        check_cudnn(
            cudnnGetRNNWeightParams(handle, descriptor, static_cast<std::int32_t>(layer), weight_bytes, room.address(),
                                    static_cast<std::int32_t>(line), matrix, &at, bias, &bias_at),
            "packing the weights of a recurrent network");
        const auto elements = [&](const void* place) {
            if (place == nullptr) return std::int64_t{0};
            return (static_cast<const char*>(place) - static_cast<const char*>(room.address())) /
                   static_cast<std::int64_t>(room.element_size());
        };
        return {elements(at), elements(bias_at)};
    }

    const Call& call;
    cudnnHandle_t handle;
    NoDropout dropout;
    RnnDescriptor descriptor;
    SequenceDescriptor x, y;
    TensorDescriptor state;
    std::size_t weight_bytes = 0, work_bytes = 0, reserve_bytes = 0;
};

void* address_or_null(const Tensor& t) { return t.defined() ? t.address() : nullptr; }

// (output, hy, cy, reserve) = (input, hx, cx, params, batch_sizes, mode, layers, has_biases, bidirectional, keeps)
void run_forward(Arguments a, IValue* results) {
    const Call call(a, 0);
    const bool keeps = a[9].to_bool(), is_lstm = call.mode == Mode::Lstm;
    const Network network(call, keeps ? CUDNN_FWD_MODE_TRAINING : CUDNN_FWD_MODE_INFERENCE);
    const Device device = call.input.device();
    const ScalarType dtype = call.input.dtype();
    const Tensor x = dense(call.input), hx = dense(call.hx), cx = dense(call.cx), weights = network.packed_weights();
    const Tensor y = empty(std::array{x.size(0), call.hidden() * call.directions()}, dtype, device),
                 hy = empty(hx.sizes(), dtype, device),
                 cy = is_lstm ? empty(hx.sizes(), dtype, device) : empty(std::array<std::int64_t, 1>{0}, dtype, device);
    const Tensor reserve = keeps ? cudnn_workspace(network.reserve_bytes, device)
                                 : empty(std::array<std::int64_t, 1>{0}, ScalarType::UInt8, device);
    const Tensor work = cudnn_workspace(network.work_bytes, device);
    check_cudnn(
        cudnnRNNForward(network.handle, network.descriptor, keeps ? CUDNN_FWD_MODE_TRAINING : CUDNN_FWD_MODE_INFERENCE,
                        nullptr, network.x, x.address(), network.y, y.address(), network.state, hx.address(),
                        hy.address(), network.state, is_lstm ? cx.address() : nullptr, is_lstm ? cy.address() : nullptr,
                        network.weight_bytes, weights.address(), network.work_bytes, work.address(),
                        keeps ? network.reserve_bytes : 0, keeps ? reserve.address() : nullptr),
        "a recurrent network");
    results[0] = y;
    results[1] = hy;
    results[2] = cy;
    results[3] = reserve;
}

// (grad_output, grad_hy, grad_cy, input, hx, cx, params, batch_sizes, mode, layers, has_biases, bidirectional, output,
// reserve)
void run_backward(Arguments a, IValue* results) {
    const Call call(a, 3);
    const bool is_lstm = call.mode == Mode::Lstm;
    const Network network(call, CUDNN_FWD_MODE_TRAINING);
    const Device device = call.input.device();
    const Tensor x = dense(call.input), hx = dense(call.hx), cx = dense(call.cx), y = dense(a[12].to_tensor()),
                 weights = network.packed_weights();
    Tensor dy = dense(a[0].to_tensor());
    if (!dy.defined()) fill_with(dy = empty(y.sizes(), y.dtype(), device), 0);
    const Tensor dhy = dense(a[1].to_tensor()), dcy = is_lstm ? dense(a[2].to_tensor()) : Tensor();
    const Tensor dx = empty(x.sizes(), x.dtype(), device), dhx = empty(hx.sizes(), hx.dtype(), device);
    const Tensor dcx = is_lstm ? empty(hx.sizes(), hx.dtype(), device) : Tensor();
    // The library writes to what it kept: a second backward pass reads it as it was.
    const Tensor reserve = empty(a[13].to_tensor().sizes(), ScalarType::UInt8, device);
    copy_into(reserve, a[13].to_tensor());
    const Tensor work = cudnn_workspace(network.work_bytes, device);
    check_cudnn(cudnnRNNBackwardData_v8(
                    network.handle, network.descriptor, nullptr, network.y, y.address(), dy.address(), network.x,
                    dx.address(), network.state, hx.address(), address_or_null(dhy), dhx.address(), network.state,
                    address_or_null(cx), address_or_null(dcy), address_or_null(dcx), network.weight_bytes,
                    weights.address(), network.work_bytes, work.address(), network.reserve_bytes, reserve.address()),
                "a gradient of a recurrent network");
    const Tensor of_weights = network.weight_room();
    check_cudnn(cudnnRNNBackwardWeights_v8(network.handle, network.descriptor, CUDNN_WGRAD_MODE_ADD, nullptr, network.x,
                                           x.address(), network.state, hx.address(), network.y, y.address(),
                                           network.weight_bytes, of_weights.address(), network.work_bytes,
                                           work.address(), network.reserve_bytes, reserve.address()),
                "a gradient of a recurrent network");
    TensorList of_params;
    for (const Tensor& p : call.params) of_params.push_back(empty(p.sizes(), p.dtype(), device));
    network.each_gate(of_weights, of_params, [](const Tensor& part, const Tensor& place) { copy_into(part, place); });
    results[0] = dx;
    results[1] = dhx;
    if (is_lstm) results[2] = dcx;
    results[3] = IValue(of_params);
}

// Where the library has no way, the layers one after the other, on the device: the operator's definition.
template <auto kRun, const char* kName>
void network_kernel(Arguments arguments, IValue* results) {
    static const Operator& own = *find_operator(kName);
    try {
        kRun(arguments, results);
    } catch (const CudnnNotSupported&) {
        own.record->kernel.function(arguments, results);
    }
}

bool declines(std::string* why, const std::string& reason) {
    if (why != nullptr) *why = reason;
    return false;
}

bool takes_call(const Call& call, std::string* why) {
    const ScalarType dtype = call.input.dtype();
    if (!cudnn_type(dtype) || dtype == ScalarType::BFloat16)
        return declines(why, std::string(dtype_name(dtype)) + " input");
    TensorList all{call.input, call.hx, call.cx};
    all.insert(all.end(), call.params.begin(), call.params.end());
    for (const Tensor& t : all) {
        if (!t.defined()) continue;
        if (t.dtype() != dtype) return declines(why, "mixed dtypes");
        if (t.numel() == 0) return declines(why, "no elements");
        if (!(t.device() == call.input.device())) return declines(why, "weights on another device");
    }
    if (call.input.dim() != 2 || call.hx.dim() != 3) return declines(why, "sizes that do not fit");
    const std::int64_t gates = rnn::gate_count(call.mode) * call.hidden();
    const auto count = static_cast<std::size_t>(call.layers * call.directions()) * call.each();
    if (call.params.size() != count || call.hx.size(0) != call.layers * call.directions())
        return declines(why, "sizes that do not fit");
    if ((call.mode == Mode::Lstm) != call.cx.defined()) return declines(why, "sizes that do not fit");
    if (call.cx.defined() && !std::ranges::equal(call.cx.sizes(), call.hx.sizes())) return declines(why, "projections");
    for (std::size_t i = 0; i < count; ++i) {
        const Tensor& p = call.params[i];
        const auto layer = static_cast<std::int64_t>(i / call.each()) / call.directions();
        const std::int64_t width = layer == 0 ? call.input.size(1) : call.hidden() * call.directions();
        const std::size_t part = i % call.each();
        const bool fits = part >= 2
                              ? p.dim() == 1 && p.size(0) == gates
                              : p.dim() == 2 && p.size(0) == gates && p.size(1) == (part == 0 ? width : call.hidden());
        if (!fits) return declines(why, "sizes that do not fit");
    }
    std::int64_t rows = 0, before = call.hx.size(1);
    if (call.batch_sizes.empty() || call.batch_sizes.front() != before)
        return declines(why, "sequences without a step");
    for (const std::int64_t size : call.batch_sizes) {
        if (size > before || size < 1) return declines(why, "sequences that are not by falling length");
        rows += before = size;
    }
    return rows == call.input.size(0) || declines(why, "sizes that do not fit");
}

bool accepts_forward(Arguments a, std::string* why) { return takes_call(Call(a, 0), why); }
bool accepts_backward(Arguments a, std::string* why) {
    if (!a[13].is_tensor() || a[13].to_tensor().numel() == 0) return declines(why, "nothing was kept by the library");
    const ScalarType dtype = a[3].to_tensor().dtype();
    for (std::size_t i = 0; i < 3; ++i) {
        if (a[i].is_tensor() && a[i].to_tensor().defined() && a[i].to_tensor().dtype() != dtype)
            return declines(why, "mixed dtypes");
    }
    return takes_call(Call(a, 3), why);
}

}  // namespace

void register_rnn(const PluginRegistries& registries) {
    registries.add_kernel(kForward, DeviceType::Cuda,
                          {"cudnn", network_kernel<run_forward, kForward>, accepts_forward});
    registries.add_kernel(kBackward, DeviceType::Cuda,
                          {"cudnn", network_kernel<run_backward, kBackward>, accepts_backward});
}

}  // namespace loupe::cuda
