// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/convolution/convolution.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/registry.h"
#include "core/kernels/elementwise.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/convolution.h"
#include "plugins/cuda/cudnn/cudnn_library.h"
#include "plugins/cuda/device.h"
#include "plugins/cuda/graphs/captures.h"

namespace loupe::cuda {
namespace {

using nn_ops::ConvolutionParameters;

std::array<int, 3> spatial_of(const Dims& values, int filler) {
    std::array<int, 3> out{};
    std::size_t at = 0;
    if (values.size() == 1) out[at++] = filler;
    for (const std::int64_t value : values) out[at++] = static_cast<int>(value);
    return out;
}

class FilterDescriptor {
  public:
    FilterDescriptor(IntSpan sizes, cudnnDataType_t type, bool channels_last) {
        check_cudnn(cudnnCreateFilterDescriptor(&own_), "describing a weight");
        const CudnnSizes s = cudnn_sizes(sizes);
        check_cudnn(cudnnSetFilterNdDescriptor(own_, type, channels_last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW,
                                               s.count, s.values.data()),
                    "describing a weight");
    }
    FilterDescriptor(const FilterDescriptor&) = delete;
    FilterDescriptor& operator=(const FilterDescriptor&) = delete;
    ~FilterDescriptor() { cudnnDestroyFilterDescriptor(own_); }
    operator cudnnFilterDescriptor_t() const { return own_; }

  private:
    cudnnFilterDescriptor_t own_ = nullptr;
};

cudnnMathType_t math_of(ScalarType dtype) { return cudnn_math(dtype, math_settings().convolutions_in_tf32); }

class ConvolutionDescriptor {
  public:
    ConvolutionDescriptor(const ConvolutionParameters& p, ScalarType dtype) {
        check_cudnn(cudnnCreateConvolutionDescriptor(&own_), "describing a convolution");
        const auto padding = spatial_of(p.padding, 0), stride = spatial_of(p.stride, 1),
                   dilation = spatial_of(p.dilation, 1);
        const bool is_double = dtype == ScalarType::Float64;
        check_cudnn(cudnnSetConvolutionNdDescriptor(
                        own_, std::max<int>(2, static_cast<int>(p.stride.size())), padding.data(), stride.data(),
                        dilation.data(), CUDNN_CROSS_CORRELATION, is_double ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT),
                    "describing a convolution");
        check_cudnn(cudnnSetConvolutionGroupCount(own_, static_cast<int>(p.groups)), "describing a convolution");
        check_cudnn(cudnnSetConvolutionMathType(own_, math_of(dtype)), "describing a convolution");
    }
    ConvolutionDescriptor(const ConvolutionDescriptor&) = delete;
    ConvolutionDescriptor& operator=(const ConvolutionDescriptor&) = delete;
    ~ConvolutionDescriptor() { cudnnDestroyConvolutionDescriptor(own_); }
    operator cudnnConvolutionDescriptor_t() const { return own_; }

  private:
    cudnnConvolutionDescriptor_t own_ = nullptr;
};

class ReluDescriptor {
  public:
    ReluDescriptor() {
        check_cudnn(cudnnCreateActivationDescriptor(&own_), "describing an activation");
        check_cudnn(cudnnSetActivationDescriptor(own_, CUDNN_ACTIVATION_RELU, CUDNN_PROPAGATE_NAN, 0),
                    "describing an activation");
    }
    ReluDescriptor(const ReluDescriptor&) = delete;
    ReluDescriptor& operator=(const ReluDescriptor&) = delete;
    ~ReluDescriptor() { cudnnDestroyActivationDescriptor(own_); }
    operator cudnnActivationDescriptor_t() const { return own_; }

  private:
    cudnnActivationDescriptor_t own_ = nullptr;
};

// What the three computations share. A transposed convolution computes the data gradient of a plain one, from its
// input, `small`, to its output, `large`.
struct Problem {
    Problem(IntSpan large_sizes, IntSpan weight_sizes, IntSpan small_sizes, ScalarType dtype, Device place,
            const ConvolutionParameters& p, bool last)
        : device(place),
          channels_last(last),
          handle(cudnn_handle(place)),
          factors(dtype),
          large(large_sizes, *cudnn_type(dtype), last),
          weight(weight_sizes, *cudnn_type(dtype), last),
          small(small_sizes, *cudnn_type(dtype), last),
          convolution(p, dtype),
          is_half(dtype == ScalarType::Float16 || dtype == ScalarType::BFloat16),
          tries(math_settings().tries_algorithms && capture_of(place) == 0) {
        key = {place.index,    static_cast<std::int64_t>(dtype), last, p.groups,
               math_of(dtype), math_settings().tries_algorithms};
        for (const IntSpan part :
             {large_sizes, weight_sizes, small_sizes, span_of(p.stride), span_of(p.padding), span_of(p.dilation)}) {
            key.push_back(static_cast<std::int64_t>(part.size()));
            key.insert(key.end(), part.begin(), part.end());
        }
    }

    void forward(const Tensor& x, const Tensor& w, const Tensor& y) const {
        const Choice& best = choice<cudnnConvolutionFwdAlgoPerf_t>(0, [&](int count, int* found, auto* proposals) {
            return (tries ? cudnnFindConvolutionForwardAlgorithm : cudnnGetConvolutionForwardAlgorithm_v7)(
                handle, large, weight, convolution, small, count, found, proposals);
        });
        const Tensor work = workspace(best.memory);
        check_cudnn(cudnnConvolutionForward(handle, factors.one(), large, x.address(), weight, w.address(), convolution,
                                            static_cast<cudnnConvolutionFwdAlgo_t>(best.algorithm), work.address(),
                                            best.memory, factors.zero(), small, y.address()),
                    "a convolution");
    }
    // y = relu(x w + alpha z + bias), z of y's sizes or undefined.
    void forward_with_relu(const Tensor& x, const Tensor& w, const Tensor& z, double alpha, const Tensor& bias,
                           const Tensor& y) const {
        const Choice& best = choice<cudnnConvolutionFwdAlgoPerf_t>(0, [&](int count, int* found, auto* proposals) {
            return (tries ? cudnnFindConvolutionForwardAlgorithm : cudnnGetConvolutionForwardAlgorithm_v7)(
                handle, large, weight, convolution, small, count, found, proposals);
        });
        const Tensor work = workspace(best.memory);
        Dims sizes(y.sizes().size(), 1);
        sizes[1] = bias.numel();
        const TensorDescriptor b(span_of(sizes), *cudnn_type(bias.dtype()), channels_last);
        const ReluDescriptor relu;
        const float alpha32 = static_cast<float>(alpha);
        const void* const factor = factors.is_double ? static_cast<const void*>(&alpha) : &alpha32;
        check_cudnn(cudnnConvolutionBiasActivationForward(
                        handle, factors.one(), large, x.address(), weight, w.address(), convolution,
                        static_cast<cudnnConvolutionFwdAlgo_t>(best.algorithm), work.address(), best.memory,
                        z.defined() ? factor : factors.zero(), small, z.defined() ? z.address() : y.address(), b,
                        bias.address(), relu, small, y.address()),
                    "a convolution with relu");
    }
    void data_gradient(const Tensor& gy, const Tensor& w, const Tensor& gx) const {
        const Choice& best = choice<cudnnConvolutionBwdDataAlgoPerf_t>(1, [&](int count, int* found, auto* proposals) {
            return (tries ? cudnnFindConvolutionBackwardDataAlgorithm : cudnnGetConvolutionBackwardDataAlgorithm_v7)(
                handle, weight, small, convolution, large, count, found, proposals);
        });
        const Tensor work = workspace(best.memory);
        check_cudnn(
            cudnnConvolutionBackwardData(handle, factors.one(), weight, w.address(), small, gy.address(), convolution,
                                         static_cast<cudnnConvolutionBwdDataAlgo_t>(best.algorithm), work.address(),
                                         best.memory, factors.zero(), large, gx.address()),
            "a gradient of a convolution");
    }
    void weight_gradient(const Tensor& x, const Tensor& gy, const Tensor& gw) const {
        const Choice& best =
            choice<cudnnConvolutionBwdFilterAlgoPerf_t>(2, [&](int count, int* found, auto* proposals) {
                return (tries ? cudnnFindConvolutionBackwardFilterAlgorithm
                              : cudnnGetConvolutionBackwardFilterAlgorithm_v7)(handle, large, small, convolution,
                                                                               weight, count, found, proposals);
            });
        const Tensor work = workspace(best.memory);
        check_cudnn(
            cudnnConvolutionBackwardFilter(handle, factors.one(), large, x.address(), small, gy.address(), convolution,
                                           static_cast<cudnnConvolutionBwdFilterAlgo_t>(best.algorithm), work.address(),
                                           best.memory, factors.zero(), weight, gw.address()),
            "a gradient of a convolution");
    }

    // What cuDNN proposes takes milliseconds to ask: asked once for each problem.
    struct Choice {
        int algorithm = 0;
        std::size_t memory = 0;
        cudnnMathType_t math = CUDNN_FMA_MATH;
    };
    static bool loses_bits(const cudnnConvolutionFwdAlgoPerf_t& proposal) {
        return proposal.algo == CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD ||
               proposal.algo == CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED ||
               proposal.algo == CUDNN_CONVOLUTION_FWD_ALGO_FFT ||
               proposal.algo == CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING;
    }
    static bool loses_bits(const cudnnConvolutionBwdDataAlgoPerf_t& proposal) {
        return proposal.algo == CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD ||
               proposal.algo == CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED ||
               proposal.algo == CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT ||
               proposal.algo == CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING;
    }
    static bool loses_bits(const cudnnConvolutionBwdFilterAlgoPerf_t& proposal) {
        return proposal.algo == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED ||
               proposal.algo == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT ||
               proposal.algo == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING;
    }
    // The first proposal that can run, and gives the same each time: what is replayed must be what was seen. The
    // transforms of Winograd and Fourier round half types between them.
    template <typename Performance, typename Ask>
    const Choice& choice(std::int64_t which, Ask&& ask) const {
        static std::mutex mutex;
        static auto* const known = new std::map<std::vector<std::int64_t>, Choice>;
        std::vector<std::int64_t> at = key;
        at.push_back(which);
        const std::lock_guard lock(mutex);
        if (const auto found = known->find(at); found != known->end()) {
            check_cudnn(cudnnSetConvolutionMathType(convolution, found->second.math), "choosing a convolution");
            return found->second;
        }
        std::array<Performance, 8> proposals{};
        int count = 0;
        check_cudnn(ask(static_cast<int>(proposals.size()), &count, proposals.data()), "choosing a convolution");
        for (const bool must_repeat : {true, false}) {
            for (int i = 0; i < count; ++i) {
                const Performance& each = proposals[static_cast<std::size_t>(i)];
                const bool repeats = each.determinism == CUDNN_DETERMINISTIC;
                if (each.status != CUDNN_STATUS_SUCCESS || (must_repeat && !repeats) || (is_half && loses_bits(each)))
                    continue;
                check_cudnn(cudnnSetConvolutionMathType(convolution, each.mathType), "choosing a convolution");
                return (*known)[at] = {static_cast<int>(each.algo), each.memory, each.mathType};
            }
        }
        throw CudnnNotSupported();
    }
    Tensor workspace(std::size_t bytes) const { return cudnn_workspace(bytes, device); }

    Device device;
    bool channels_last;
    cudnnHandle_t handle;
    Factors factors;
    TensorDescriptor large;
    FilterDescriptor weight;
    TensorDescriptor small;
    ConvolutionDescriptor convolution;
    bool is_half;
    bool tries;  // times what cuDNN has, rather than ask it; not while a stream captures, since that waits
    std::vector<std::int64_t> key;
};

bool is_last(const Tensor& input, const Tensor& weight) {
    return input.dim() == 4 && input.dtype() != ScalarType::Float64 &&
           (nn_ops::prefers_channels_last(input) || nn_ops::prefers_channels_last(weight));
}

void add_bias(const Problem& p, const Tensor& bias, const Tensor& out) {
    Dims sizes(out.sizes().size(), 1);
    sizes[1] = bias.numel();
    const TensorDescriptor b(span_of(sizes), *cudnn_type(bias.dtype()), p.channels_last);
    const TensorDescriptor o(out.sizes(), *cudnn_type(out.dtype()), p.channels_last);
    check_cudnn(cudnnAddTensor(p.handle, p.factors.one(), b, bias.address(), p.factors.one(), o, out.address()),
                "adding a bias");
}

void run_convolution(Arguments arguments, IValue* results) {
    const Tensor given = arguments[0].to_tensor(), given_weight = arguments[1].to_tensor();
    const Tensor bias = arguments[2].to_tensor(), out = results[0].to_tensor();
    const auto p = nn_ops::convolution_parameters(arguments, 3, static_cast<std::size_t>(given_weight.dim()) - 2);
    const bool last = is_last(given, given_weight);
    const Tensor input = in_order(given, last), weight = in_order(given_weight, last), target = room_for(out, last);
    const Problem problem(p.transposed ? out.sizes() : input.sizes(), weight.sizes(),
                          p.transposed ? input.sizes() : out.sizes(), out.dtype(), out.device(), p, last);
    if (p.transposed)
        problem.data_gradient(input, weight, target);
    else
        problem.forward(input, weight, target);
    if (bias.defined()) add_bias(problem, in_order(bias, false), target);
    if (!target.is_same(out)) copy_into(out, target);
}

void run_convolution_backward(Arguments arguments, IValue* results) {
    const Tensor given_grad = arguments[0].to_tensor(), given = arguments[1].to_tensor(),
                 given_weight = arguments[2].to_tensor();
    const std::vector<bool> mask = arguments[10].to_bools();
    const auto p = nn_ops::convolution_parameters(arguments, 4, static_cast<std::size_t>(given_weight.dim()) - 2);
    const bool last = is_last(given, given_weight);
    const Tensor grad = in_order(given_grad, last), input = in_order(given, last),
                 weight = in_order(given_weight, last);
    const Problem problem(p.transposed ? grad.sizes() : input.sizes(), weight.sizes(),
                          p.transposed ? input.sizes() : grad.sizes(), grad.dtype(), grad.device(), p, last);
    // In the order of what it is the gradient of.
    const auto room = [&](const Tensor& like) {
        const TensorMeta meta = nn_ops::follow_layout(to_dims(like.sizes()), like);
        return meta.strides.empty() ? empty(like.sizes(), like.dtype(), like.device())
                                    : empty_strided(like.sizes(), span_of(meta.strides), like.dtype(), like.device());
    };
    const auto into = [&](const Tensor& out, auto&& compute) {
        const Tensor target = room_for(out, last);
        compute(target);
        if (!target.is_same(out)) copy_into(out, target);
        return IValue(out);
    };
    if (mask[0]) {
        results[0] = into(room(given), [&](const Tensor& target) {
            if (p.transposed)
                problem.forward(grad, weight, target);
            else
                problem.data_gradient(grad, weight, target);
        });
    }
    if (mask[1]) {
        results[1] = into(room(given_weight), [&](const Tensor& target) {
            problem.weight_gradient(p.transposed ? grad : input, p.transposed ? input : grad, target);
        });
    }
    if (mask[2]) {
        // cuDNN has it for some dtypes only.
        Dims others{0};
        for (std::int64_t d = 2; d < grad.dim(); ++d) others.push_back(d);
        results[2] = fn::sum_dim(grad, others, false);
    }
}

// The arguments of aten::convolution in those of a fused one; `first` is the place of the bias.
std::vector<IValue> plain_arguments(Arguments a, std::size_t first) {
    const std::int64_t spatial = a[1].to_tensor().dim() - 2;
    return {a[0],         a[1],         a[first],      a[first + 1],
            a[first + 2], a[first + 3], IValue(false), IValue(Dims(static_cast<std::size_t>(spatial), 0)),
            a[first + 4]};
}
TensorMeta plain_result(const std::vector<IValue>& plain) {
    static const Operator& convolution = *find_operator("aten::convolution");
    return infer_outputs(convolution, plain)->front();
}

void run_with_relu(Arguments arguments, IValue* results, std::size_t first, const Tensor& added, double alpha) {
    const std::vector<IValue> plain = plain_arguments(arguments, first);
    const TensorMeta meta = plain_result(plain);
    const Tensor given = plain[0].to_tensor(), given_weight = plain[1].to_tensor();
    const Tensor out = meta.strides.empty()
                           ? empty(span_of(meta.sizes), meta.dtype, meta.device)
                           : empty_strided(span_of(meta.sizes), span_of(meta.strides), meta.dtype, meta.device);
    const auto p = nn_ops::convolution_parameters(plain, 3, static_cast<std::size_t>(given_weight.dim()) - 2);
    const bool last = is_last(given, given_weight);
    const Tensor input = in_order(given, last), weight = in_order(given_weight, last), target = room_for(out, last);
    Tensor bias = plain[2].to_tensor();
    if (bias.defined())
        bias = in_order(bias, false);
    else
        fill_with(bias = empty(std::array{weight.size(0)}, out.dtype(), out.device()), 0);
    const Problem problem(input.sizes(), weight.sizes(), out.sizes(), out.dtype(), out.device(), p, last);
    problem.forward_with_relu(input, weight, added.defined() ? in_order(added, last) : added, alpha, bias, target);
    if (!target.is_same(out)) copy_into(out, target);
    results[0] = out;
}
void run_convolution_relu(Arguments arguments, IValue* results) { run_with_relu(arguments, results, 2, Tensor(), 0); }
void run_convolution_add_relu(Arguments arguments, IValue* results) {
    const double alpha = arguments[3].is_none() ? 1 : arguments[3].to_scalar().to<double>();
    run_with_relu(arguments, results, 4, arguments[2].to_tensor(), alpha);
}

constexpr char kConvolution[] = "aten::convolution";
constexpr char kConvolutionBackward[] = "aten::convolution_backward";
constexpr char kConvolutionRelu[] = "aten::cudnn_convolution_relu";
constexpr char kConvolutionAddRelu[] = "aten::cudnn_convolution_add_relu";

bool accepts_tensors(std::initializer_list<IValue> tensors, std::int64_t dims, std::string* why) {
    const auto decline = [&](const std::string& reason) {
        if (why != nullptr) *why = reason;
        return false;
    };
    const ScalarType dtype = tensors.begin()->tensor_impl()->dtype;
    if (!cudnn_type(dtype)) return decline(std::string(dtype_name(dtype)) + " input");
    for (const IValue& value : tensors) {
        if (!value.is_tensor() || !value.to_tensor().defined()) continue;
        const Tensor t = value.to_tensor();
        if (t.dtype() != dtype) return decline("mixed dtypes");
        if (t.numel() == 0) return decline("no elements");
        if (std::ranges::any_of(t.sizes(), [](std::int64_t size) { return size > 0x7FFFFFFF; }))
            return decline("a dimension beyond 2^31");
    }
    if (dims < 3 || dims > kMostCudnnDims) return decline("spatial dimensions other than one to three");
    return true;
}
bool accepts(Arguments a, std::string* why) { return accepts_tensors({a[0], a[1], a[2]}, a[1].to_tensor().dim(), why); }

template <std::size_t kBias>
bool accepts_relu(Arguments a, std::string* why) {
    const Tensor input = a[0].to_tensor(), weight = a[1].to_tensor();
    if (!accepts_tensors({a[0], a[1], a[kBias]}, weight.dim(), why)) return false;
    const bool is_batched = input.dim() == weight.dim();
    if (!is_batched && why != nullptr) *why = "an image without a batch";
    return is_batched;
}
bool accepts_add_relu(Arguments a, std::string* why) {
    if (!accepts_relu<4>(a, why)) return false;
    const Tensor added = a[2].to_tensor();
    const TensorMeta meta = plain_result(plain_arguments(a, 4));
    const bool fits = std::ranges::equal(added.sizes(), meta.sizes) && added.dtype() == meta.dtype;
    if (!fits && why != nullptr) *why = "what is added has other sizes or another dtype";
    const bool is_real = a[3].is_none() || !a[3].to_scalar().is_complex();
    if (!is_real && why != nullptr) *why = "a complex factor";
    return fits && is_real;
}

}  // namespace

void register_convolution(const PluginRegistries& registries) {
    add_preparation([](Device device) { cudnn_handle(device); });
    const auto add = [&](std::string_view name, KernelFunction kernel, AcceptFunction accept) {
        registries.add_kernel(name, DeviceType::Cuda, {"cudnn", kernel, accept});
    };
    add(kConvolution, cudnn_kernel<run_convolution, kConvolution>, accepts);
    add(kConvolutionBackward, cudnn_kernel<run_convolution_backward, kConvolutionBackward>, accepts);
    add(kConvolutionRelu, cudnn_kernel<run_convolution_relu, kConvolutionRelu>, accepts_relu<2>);
    add(kConvolutionAddRelu, cudnn_kernel<run_convolution_add_relu, kConvolutionAddRelu>, accepts_add_relu);
}

}  // namespace loupe::cuda
