// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/convolution/convolution.h"

#include <cudnn.h>

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
#include "core/kernels/device_loops.h"
#include "core/kernels/elementwise.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/convolution.h"
#include "core/tensor/device_copy.h"
#include "plugins/cuda/device.h"
#include "plugins/cuda/graphs/captures.h"

namespace loupe::cuda {
namespace {

using nn_ops::ConvolutionParameters;

// What cuDNN has no algorithm for; another kernel must do it.
struct NotSupported {};

void check(cudnnStatus_t status, const char* doing) {
    if (status / 1000 == CUDNN_STATUS_NOT_SUPPORTED / 1000) throw NotSupported();
    if (status != CUDNN_STATUS_SUCCESS)
        throw Error(ErrorKind::Run, concat("cuDNN error: ", cudnnGetErrorString(status), " (", doing, ")"));
}

cudnnHandle_t handle_for(Device device) {
    static std::mutex mutex;
    static auto* const handles = new std::map<std::pair<int, StreamId>, cudnnHandle_t>;
    const std::lock_guard lock(mutex);
    use(device);
    cudnnHandle_t& handle = (*handles)[{device.index, current_stream(device)}];
    if (handle == nullptr) {
        const RelaxedCapture relaxed;
        check(cudnnCreate(&handle), "starting cuDNN");
        check(cudnnSetStream(handle, stream_of(device)), "starting cuDNN");
    }
    return handle;
}

std::optional<cudnnDataType_t> type_of(ScalarType dtype) {
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

// One spatial dimension counts as two, of which the first is 1.
constexpr int kMostDims = 5;
struct Sizes {
    int count = 0;
    std::array<int, kMostDims> values{};
};
Sizes sizes_of(IntSpan sizes) {
    Sizes out;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (d == 2 && sizes.size() == 3) out.values[static_cast<std::size_t>(out.count++)] = 1;
        out.values[static_cast<std::size_t>(out.count++)] = static_cast<int>(sizes[d]);
    }
    return out;
}
std::array<int, 3> spatial_of(const Dims& values, int filler) {
    std::array<int, 3> out{};
    std::size_t at = 0;
    if (values.size() == 1) out[at++] = filler;
    for (const std::int64_t value : values) out[at++] = static_cast<int>(value);
    return out;
}

class TensorDescriptor {
  public:
    // Dense, the channels last or not.
    TensorDescriptor(IntSpan sizes, cudnnDataType_t type, bool channels_last) {
        check(cudnnCreateTensorDescriptor(&own_), "describing a tensor");
        const Sizes s = sizes_of(sizes);
        check(cudnnSetTensorNdDescriptorEx(own_, channels_last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW, type, s.count,
                                           s.values.data()),
              "describing a tensor");
    }
    TensorDescriptor(const TensorDescriptor&) = delete;
    TensorDescriptor& operator=(const TensorDescriptor&) = delete;
    ~TensorDescriptor() { cudnnDestroyTensorDescriptor(own_); }
    operator cudnnTensorDescriptor_t() const { return own_; }

  private:
    cudnnTensorDescriptor_t own_ = nullptr;
};

class FilterDescriptor {
  public:
    FilterDescriptor(IntSpan sizes, cudnnDataType_t type, bool channels_last) {
        check(cudnnCreateFilterDescriptor(&own_), "describing a weight");
        const Sizes s = sizes_of(sizes);
        check(cudnnSetFilterNdDescriptor(own_, type, channels_last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW, s.count,
                                         s.values.data()),
              "describing a weight");
    }
    FilterDescriptor(const FilterDescriptor&) = delete;
    FilterDescriptor& operator=(const FilterDescriptor&) = delete;
    ~FilterDescriptor() { cudnnDestroyFilterDescriptor(own_); }
    operator cudnnFilterDescriptor_t() const { return own_; }

  private:
    cudnnFilterDescriptor_t own_ = nullptr;
};

// Of float32 TF32 only where it was asked for.
cudnnMathType_t math_of(ScalarType dtype) {
    if (dtype == ScalarType::Float16 || dtype == ScalarType::BFloat16) return CUDNN_TENSOR_OP_MATH;
    const bool is_rounded = dtype == ScalarType::Float32 && math_settings().convolutions_in_tf32;
    return is_rounded ? CUDNN_DEFAULT_MATH : CUDNN_FMA_MATH;
}

class ConvolutionDescriptor {
  public:
    ConvolutionDescriptor(const ConvolutionParameters& p, ScalarType dtype) {
        check(cudnnCreateConvolutionDescriptor(&own_), "describing a convolution");
        const auto padding = spatial_of(p.padding, 0), stride = spatial_of(p.stride, 1),
                   dilation = spatial_of(p.dilation, 1);
        const bool is_double = dtype == ScalarType::Float64;
        check(cudnnSetConvolutionNdDescriptor(own_, std::max<int>(2, static_cast<int>(p.stride.size())), padding.data(),
                                              stride.data(), dilation.data(), CUDNN_CROSS_CORRELATION,
                                              is_double ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT),
              "describing a convolution");
        check(cudnnSetConvolutionGroupCount(own_, static_cast<int>(p.groups)), "describing a convolution");
        check(cudnnSetConvolutionMathType(own_, math_of(dtype)), "describing a convolution");
    }
    ConvolutionDescriptor(const ConvolutionDescriptor&) = delete;
    ConvolutionDescriptor& operator=(const ConvolutionDescriptor&) = delete;
    ~ConvolutionDescriptor() { cudnnDestroyConvolutionDescriptor(own_); }
    operator cudnnConvolutionDescriptor_t() const { return own_; }

  private:
    cudnnConvolutionDescriptor_t own_ = nullptr;
};

// Dense in one of the two orders; a copy where it is neither.
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

// The factors of a result: 1 and 0 in the type that it is computed in.
struct Factors {
    explicit Factors(ScalarType dtype) : is_double(dtype == ScalarType::Float64) {}
    const void* one() const { return is_double ? static_cast<const void*>(&one64) : &one32; }
    const void* zero() const { return is_double ? static_cast<const void*>(&zero64) : &zero32; }
    bool is_double;
    double one64 = 1, zero64 = 0;
    float one32 = 1, zero32 = 0;
};

// What the three computations share. A transposed convolution computes the data gradient of a plain one, from its
// input, `small`, to its output, `large`.
struct Problem {
    Problem(IntSpan large_sizes, IntSpan weight_sizes, IntSpan small_sizes, ScalarType dtype, Device place,
            const ConvolutionParameters& p, bool last)
        : device(place),
          channels_last(last),
          handle(handle_for(place)),
          factors(dtype),
          large(large_sizes, *type_of(dtype), last),
          weight(weight_sizes, *type_of(dtype), last),
          small(small_sizes, *type_of(dtype), last),
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
        check(cudnnConvolutionForward(handle, factors.one(), large, x.address(), weight, w.address(), convolution,
                                      static_cast<cudnnConvolutionFwdAlgo_t>(best.algorithm), work.address(),
                                      best.memory, factors.zero(), small, y.address()),
              "a convolution");
    }
    void data_gradient(const Tensor& gy, const Tensor& w, const Tensor& gx) const {
        const Choice& best = choice<cudnnConvolutionBwdDataAlgoPerf_t>(1, [&](int count, int* found, auto* proposals) {
            return (tries ? cudnnFindConvolutionBackwardDataAlgorithm : cudnnGetConvolutionBackwardDataAlgorithm_v7)(
                handle, weight, small, convolution, large, count, found, proposals);
        });
        const Tensor work = workspace(best.memory);
        check(cudnnConvolutionBackwardData(handle, factors.one(), weight, w.address(), small, gy.address(), convolution,
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
        check(cudnnConvolutionBackwardFilter(handle, factors.one(), large, x.address(), small, gy.address(),
                                             convolution, static_cast<cudnnConvolutionBwdFilterAlgo_t>(best.algorithm),
                                             work.address(), best.memory, factors.zero(), weight, gw.address()),
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
            check(cudnnSetConvolutionMathType(convolution, found->second.math), "choosing a convolution");
            return found->second;
        }
        std::array<Performance, 8> proposals{};
        int count = 0;
        check(ask(static_cast<int>(proposals.size()), &count, proposals.data()), "choosing a convolution");
        for (const bool must_repeat : {true, false}) {
            for (int i = 0; i < count; ++i) {
                const Performance& each = proposals[static_cast<std::size_t>(i)];
                const bool repeats = each.determinism == CUDNN_DETERMINISTIC;
                if (each.status != CUDNN_STATUS_SUCCESS || (must_repeat && !repeats) || (is_half && loses_bits(each)))
                    continue;
                check(cudnnSetConvolutionMathType(convolution, each.mathType), "choosing a convolution");
                return (*known)[at] = {static_cast<int>(each.algo), each.memory, each.mathType};
            }
        }
        throw NotSupported();
    }
    Tensor workspace(std::size_t bytes) const {
        const std::int64_t size = std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes));
        return empty(IntSpan(&size, 1), ScalarType::UInt8, device);
    }

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
    const TensorDescriptor b(span_of(sizes), *type_of(bias.dtype()), p.channels_last);
    const TensorDescriptor o(out.sizes(), *type_of(out.dtype()), p.channels_last);
    check(cudnnAddTensor(p.handle, p.factors.one(), b, bias.address(), p.factors.one(), o, out.address()),
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

// The call on copies on the host, told to who observes such calls. Results that are given are filled.
template <std::size_t kResults>
void on_cpu(const OperatorRecord& record, Arguments arguments, IValue* results) {
    const Device device = arguments[0].to_tensor().device();
    HostCopies copies;
    std::vector<IValue> there;
    for (const IValue& value : arguments)
        there.push_back(value.is_tensor() && value.to_tensor().defined() ? IValue(copies.of(value.to_tensor()))
                                                                         : value);
    std::array<IValue, kResults> made;
    if (record.kernel.fills) {
        const Tensor out = results[0].to_tensor();
        made[0] = empty_strided(out.sizes(), out.strides(), out.dtype(), Device{});
        record.kernel.function(there, made.data());
        copies.put_back(out, made[0].to_tensor());
    } else {
        record.kernel.function(there, made.data());
        for (std::size_t i = 0; i < kResults; ++i) {
            if (made[i].is_tensor() && made[i].to_tensor().defined())
                results[i] = on_device(made[i].to_tensor(), device);
        }
    }
    copies.tell(device);
}
void convolution(Arguments arguments, IValue* results) {
    static const OperatorRecord& own = *find_operator("aten::convolution")->record;
    try {
        run_convolution(arguments, results);
    } catch (const NotSupported&) {
        on_cpu<1>(own, arguments, results);
    }
}
void convolution_backward(Arguments arguments, IValue* results) {
    static const OperatorRecord& own = *find_operator("aten::convolution_backward")->record;
    try {
        run_convolution_backward(arguments, results);
    } catch (const NotSupported&) {
        on_cpu<3>(own, arguments, results);
    }
}

bool accepts(Arguments arguments, std::string* why) {
    const auto decline = [&](const std::string& reason) {
        if (why != nullptr) *why = reason;
        return false;
    };
    const ScalarType dtype = arguments[0].tensor_impl()->dtype;
    if (!type_of(dtype)) return decline(std::string(dtype_name(dtype)) + " input");
    for (std::size_t i = 0; i < 3; ++i) {
        if (!arguments[i].is_tensor() || !arguments[i].to_tensor().defined()) continue;
        const Tensor t = arguments[i].to_tensor();
        if (t.dtype() != dtype) return decline("mixed dtypes");
        if (t.numel() == 0) return decline("no elements");
        if (std::ranges::any_of(t.sizes(), [](std::int64_t size) { return size > 0x7FFFFFFF; }))
            return decline("a dimension beyond 2^31");
    }
    const std::int64_t dims = arguments[1].to_tensor().dim();
    if (dims < 3 || dims > kMostDims) return decline("spatial dimensions other than one to three");
    return true;
}

}  // namespace

void register_convolution(const PluginRegistries& registries) {
    add_preparation([](Device device) { handle_for(device); });
    const auto add = [&](std::string_view name, KernelFunction kernel) {
        registries.add_kernel(name, DeviceType::Cuda, {"cudnn", kernel, accepts});
    };
    add("aten::convolution", convolution);
    add("aten::convolution_backward", convolution_backward);
}

}  // namespace loupe::cuda
