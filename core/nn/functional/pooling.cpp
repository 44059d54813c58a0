// SPDX-License-Identifier: Apache-2.0
// Pooling and its inverse.
#include <cmath>

#include "core/autograd/program_tracer.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/kernels/arithmetic.h"
#include "core/nn/functional/families.h"
#include "core/nn/functional/functional.h"
#include "core/nn/functional/operator_call.h"

namespace loupe::nn::functional {
namespace {

using namespace arithmetic;

const OperatorHandle<> op_avg_pool1d("aten::avg_pool1d");
const OperatorHandle<> op_max_unpool2d("aten::max_unpool2d");
const OperatorHandle<> op_max_unpool3d("aten::max_unpool3d");
const OperatorHandle<> op_rand("aten::rand");

[[noreturn]] void run_error(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

// The last argument, return_indices, decides which operator runs; it is none of theirs.
template <OperatorName kName, OperatorName kWithIndices>
void max_pool(Arguments arguments, IValue* result) {
    const bool with_indices = arguments.back().to_bool();
    arguments = arguments.first(arguments.size() - 1);
    std::vector<IValue> given(arguments.begin(), arguments.end());
    if (given[2].is_none()) given[2] = make_ptr<ListObject>(types::integer());
    with_indices ? calls<kWithIndices>(given, result) : calls<kName>(given, result);
}
template <OperatorName kName>
void max_pool_with_indices(Arguments arguments, IValue* result) {
    std::vector<IValue> given(arguments.begin(), arguments.end() - 1);
    if (given[2].is_none()) given[2] = make_ptr<ListObject>(types::integer());
    calls<kName>(given, result);
}

template <OperatorName kName>
void average_pool(Arguments arguments, IValue* result) {
    std::vector<IValue> given(arguments.begin(), arguments.end());
    if (given[2].is_none()) given[2] = make_ptr<ListObject>(types::integer());
    calls<kName>(given, result);
}

// Output sizes with None for a size of the input.
Dims output_sizes(const Tensor& input, const IValue& wanted, std::size_t dims) {
    std::vector<IValue> parts(dims, wanted);
    if (wanted.is_list()) parts = wanted.to_list().elements;
    if (wanted.is_tuple()) parts = wanted.to_tuple().elements;
    Dims out;
    if (static_cast<std::size_t>(input.dim()) < parts.size())
        run_error("Input dimension should be at least 1 more than the output size");
    const auto first = input.dim() - static_cast<std::int64_t>(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        out.push_back(parts[i].is_none() ? input.size(first + static_cast<std::int64_t>(i)) : parts[i].to_int());
    }
    if (out.size() == 1) out.assign(dims, out[0]);
    return out;
}

template <OperatorName kName, int kDims>
void adaptive(Arguments arguments, IValue* result) {
    const Tensor input = arguments[0].to_tensor();
    const Dims sizes = output_sizes(input, arguments[1], kDims);
    const std::vector<IValue> given{arguments[0], IValue(sizes)};
    // A size that stays what the input's is, where the run is recorded.
    static const OperatorHandle<> op{kName.text};
    const std::vector<IValue> parts = arguments[1].is_tuple()  ? arguments[1].to_tuple().elements
                                      : arguments[1].is_list() ? arguments[1].to_list().elements
                                                               : std::vector<IValue>{};
    for (std::size_t i = 0; i < parts.size() && parts.size() == sizes.size(); ++i) {
        if (!parts[i].is_none()) continue;
        const Tensor size = tied_size(input, input.dim() - static_cast<std::int64_t>(sizes.size() - i));
        if (size.defined()) tie_number({&op.get(), 1, static_cast<int>(i), NumberTie::As::Int, size});
    }
    calls<kName>(given, result);
}
// return_indices comes last.
template <OperatorName kName, int kDims>
void adaptive_max(Arguments arguments, IValue* result) {
    adaptive<kName, kDims>(arguments, result);
    if (!arguments[2].to_bool()) *result = IValue(result->to_tuple().elements[0]);
}

Tensor power_average(const Tensor& pooled, double norm_type, std::int64_t count) {
    const Tensor sign = fn::sign(pooled);
    const Tensor positive = fn::mul(sign, fn::relu(fn::abs(pooled)));
    return fn::pow_scalar(positive * Scalar(count), Scalar(1.0 / norm_type));
}

Dims stride_or(const IValue& stride, const Dims& kernel) {
    return stride.is_none() ? kernel : expanded(stride, kernel.size());
}

Tensor lp_pool1d(const Tensor& input, const Scalar& norm_type, const IValue& kernel_size, const IValue& stride,
                 bool ceil_mode) {
    const Dims kernel = expanded(kernel_size, 1);
    const Tensor pooled = op_avg_pool1d(fn::pow_scalar(input, Scalar(norm_type.to_double())), kernel,
                                        stride_or(stride, kernel), Dims{0}, ceil_mode, true);
    return power_average(pooled, norm_type.to_double(), kernel[0]);
}
Tensor lp_pool2d(const Tensor& input, const Scalar& norm_type, const IValue& kernel_size, const IValue& stride,
                 bool ceil_mode) {
    const Dims kernel = expanded(kernel_size, 2);
    const Tensor pooled =
        fn::avg_pool2d(fn::pow_scalar(input, Scalar(norm_type.to_double())), kernel,
                       stride.is_none() ? Dims{} : stride_or(stride, kernel), Dims{0, 0}, ceil_mode, true, IValue());
    return power_average(pooled, norm_type.to_double(), kernel[0] * kernel[1]);
}

Tensor lp_pool3d(const Tensor& input, const Scalar& norm_type, const IValue& kernel_size, const IValue& stride,
                 bool ceil_mode) {
    const Dims kernel = expanded(kernel_size, 3);
    const Tensor pooled =
        fn::avg_pool3d(fn::pow_scalar(input, Scalar(norm_type.to_double())), kernel,
                       stride.is_none() ? Dims{} : stride_or(stride, kernel), Dims{0, 0, 0}, ceil_mode, true, IValue());
    return power_average(pooled, norm_type.to_double(), kernel[0] * kernel[1] * kernel[2]);
}

// Graham 2014. The window positions are random numbers, one per dimension, channel and image.
template <OperatorName kName, int kDims>
void fractional(Arguments arguments, IValue* result) {
    const Tensor input = arguments[0].to_tensor();
    const std::string name = concat("fractional_max_pool", kDims, "d");
    if (arguments[2].is_none() && arguments[3].is_none()) {
        run_error(concat(name, " requires specifying either an output_size or an output_ratio"));
    }
    Dims size;
    if (!arguments[2].is_none()) {
        size = expanded(arguments[2], kDims);
    } else {
        std::vector<double> ratios =
            arguments[3].is_number() ? std::vector<double>(kDims, arguments[3].to_double()) : arguments[3].to_doubles();
        for (int d = 0; d < kDims; ++d) {
            const auto extent = static_cast<double>(input.size(d - kDims));
            size.push_back(static_cast<std::int64_t>(extent * ratios[static_cast<std::size_t>(d)]));
        }
    }
    Tensor samples = arguments[5].to_tensor();
    if (!samples.defined()) {
        const std::int64_t batch = input.dim() == kDims + 1 ? 1 : input.size(0);
        samples = op_rand(Dims{batch, input.size(-kDims - 1), kDims}, static_cast<std::int64_t>(input.dtype()),
                          IValue(), input.device(), IValue());
    }
    const std::vector<IValue> given{input, IValue(expanded(arguments[1], kDims)), IValue(size), samples};
    calls<kName>(given, result);
    if (!arguments[4].to_bool()) *result = IValue(result->to_tuple().elements[0]);
}

Dims unpooled_size(const Tensor& input, const Dims& kernel, const Dims& stride, const Dims& padding,
                   const IValue& wanted) {
    const std::size_t dims = kernel.size();
    Dims natural;
    for (std::size_t d = 0; d < dims; ++d) {
        const auto extent = input.size(static_cast<std::int64_t>(d) - static_cast<std::int64_t>(dims));
        natural.push_back((extent - 1) * stride[d] + kernel[d] - 2 * padding[d]);
    }
    if (wanted.is_none()) return natural;
    Dims size = wanted.to_ints();
    if (size.size() == dims + 2) size.erase(size.begin(), size.begin() + 2);
    if (size.size() != dims) {
        run_error(concat("output_size should be a sequence containing ", dims, " or ", dims + 2,
                         " elements, but it has a length of '", size.size(), "'"));
    }
    for (std::size_t d = 0; d < dims; ++d) {
        if (size[d] <= natural[d] - stride[d] || size[d] >= natural[d] + stride[d]) {
            run_error(concat("invalid output_size \"", shape_list_text(span_of(size)), "\" (dim ", d,
                             " must be between ", natural[d] - stride[d], " and ", natural[d] + stride[d], ")"));
        }
    }
    return size;
}

template <int kDims>
Tensor max_unpool(const Tensor& input, const Tensor& indices, const IValue& kernel_size, const IValue& stride,
                  const IValue& padding, const IValue& output_size) {
    const Dims kernel = expanded(kernel_size, kDims);
    const Dims steps = stride_or(stride, kernel);
    const Dims border = expanded(padding, kDims);
    Dims size = unpooled_size(input, kernel, steps, border, output_size);
    if constexpr (kDims == 1) {
        size.push_back(1);
        return fn::squeeze(op_max_unpool2d(fn::unsqueeze(input, -1), fn::unsqueeze(indices, -1), size), -1);
    } else if constexpr (kDims == 2) {
        return op_max_unpool2d(input, indices, size);
    } else {
        return op_max_unpool3d(input, indices, size, steps, border);
    }
}

constexpr NativeFunction kRecords[] = {
    {"max_pool1d(Tensor input, int[1] kernel_size, int[1]? stride=None, int[1] padding=0, int[1] dilation=1, bool "
     "ceil_mode=False, "
     "bool return_indices=False) -> Any",
     "The largest element of each window.", max_pool<"aten::max_pool1d", "aten::max_pool1d_with_indices">},
    {"max_pool2d(Tensor input, int[2] kernel_size, int[2]? stride=None, int[2] padding=0, int[2] dilation=1, bool "
     "ceil_mode=False, "
     "bool return_indices=False) -> Any",
     "The largest element of each window.", max_pool<"aten::max_pool2d", "aten::max_pool2d_with_indices">},
    {"max_pool3d(Tensor input, int[3] kernel_size, int[3]? stride=None, int[3] padding=0, int[3] dilation=1, bool "
     "ceil_mode=False, "
     "bool return_indices=False) -> Any",
     "The largest element of each window.", max_pool<"aten::max_pool3d", "aten::max_pool3d_with_indices">},
    {"max_pool1d_with_indices(Tensor input, int[1] kernel_size, int[1]? stride=None, int[1] padding=0, int[1] "
     "dilation=1, bool "
     "ceil_mode=False, bool return_indices=False) -> Any",
     "max_pool1d, and where the elements were.", max_pool_with_indices<"aten::max_pool1d_with_indices">},
    {"max_pool2d_with_indices(Tensor input, int[2] kernel_size, int[2]? stride=None, int[2] padding=0, int[2] "
     "dilation=1, bool "
     "ceil_mode=False, bool return_indices=False) -> Any",
     "max_pool2d, and where the elements were.", max_pool_with_indices<"aten::max_pool2d_with_indices">},
    {"max_pool3d_with_indices(Tensor input, int[3] kernel_size, int[3]? stride=None, int[3] padding=0, int[3] "
     "dilation=1, bool "
     "ceil_mode=False, bool return_indices=False) -> Any",
     "max_pool3d, and where the elements were.", max_pool_with_indices<"aten::max_pool3d_with_indices">},
    {"avg_pool1d(Tensor input, int[1] kernel_size, int[1]? stride=None, int[1] padding=0, bool ceil_mode=False, bool "
     "count_include_pad=True) -> Tensor",
     "The mean of each window.", average_pool<"aten::avg_pool1d">},
    {"avg_pool2d(Tensor input, int[2] kernel_size, int[2]? stride=None, int[2] padding=0, bool ceil_mode=False, bool "
     "count_include_pad=True, int? divisor_override=None) -> Tensor",
     "The mean of each window.", average_pool<"aten::avg_pool2d">},
    {"avg_pool3d(Tensor input, int[3] kernel_size, int[3]? stride=None, int[3] padding=0, bool ceil_mode=False, bool "
     "count_include_pad=True, int? divisor_override=None) -> Tensor",
     "The mean of each window.", average_pool<"aten::avg_pool3d">},
    {"adaptive_avg_pool1d(Tensor input, Any output_size) -> Tensor", "Means to a given size.",
     adaptive<"aten::adaptive_avg_pool1d", 1>},
    {"adaptive_avg_pool2d(Tensor input, Any output_size) -> Tensor", "Means to a given size.",
     adaptive<"aten::adaptive_avg_pool2d", 2>},
    {"adaptive_avg_pool3d(Tensor input, Any output_size) -> Tensor", "Means to a given size.",
     adaptive<"aten::adaptive_avg_pool3d", 3>},
    {"adaptive_max_pool1d(Tensor input, Any output_size, bool return_indices=False) -> Any", "Maxima to a given size.",
     adaptive_max<"aten::adaptive_max_pool1d", 1>},
    {"adaptive_max_pool2d(Tensor input, Any output_size, bool return_indices=False) -> Any", "Maxima to a given size.",
     adaptive_max<"aten::adaptive_max_pool2d", 2>},
    {"adaptive_max_pool3d(Tensor input, Any output_size, bool return_indices=False) -> Any", "Maxima to a given size.",
     adaptive_max<"aten::adaptive_max_pool3d", 3>},
    {"adaptive_max_pool1d_with_indices(Tensor input, Any output_size, bool return_indices=False) -> Any",
     "adaptive_max_pool1d, and where the elements were.", adaptive<"aten::adaptive_max_pool1d", 1>},
    {"adaptive_max_pool2d_with_indices(Tensor input, Any output_size, bool return_indices=False) -> Any",
     "adaptive_max_pool2d, and where the elements were.", adaptive<"aten::adaptive_max_pool2d", 2>},
    {"adaptive_max_pool3d_with_indices(Tensor input, Any output_size, bool return_indices=False) -> Any",
     "adaptive_max_pool3d, and where the elements were.", adaptive<"aten::adaptive_max_pool3d", 3>},
    {"lp_pool1d(Tensor input, Scalar norm_type, Any kernel_size, Any stride=None, bool ceil_mode=False) -> Tensor",
     "The power average of each window.", boxed<lp_pool1d>},
    {"lp_pool2d(Tensor input, Scalar norm_type, Any kernel_size, Any stride=None, bool ceil_mode=False) -> Tensor",
     "The power average of each window.", boxed<lp_pool2d>},
    {"lp_pool3d(Tensor input, Scalar norm_type, Any kernel_size, Any stride=None, bool ceil_mode=False) -> Tensor",
     "The power average of each window.", boxed<lp_pool3d>},
    {"fractional_max_pool2d(Tensor input, Any kernel_size, Any output_size=None, Any output_ratio=None, bool "
     "return_indices=False, "
     "Tensor? _random_samples=None) -> Any",
     "Maxima of windows at random places.", fractional<"aten::fractional_max_pool2d", 2>},
    {"fractional_max_pool3d(Tensor input, Any kernel_size, Any output_size=None, Any output_ratio=None, bool "
     "return_indices=False, "
     "Tensor? _random_samples=None) -> Any",
     "Maxima of windows at random places.", fractional<"aten::fractional_max_pool3d", 3>},
    {"fractional_max_pool2d_with_indices(Tensor input, Any kernel_size, Any output_size=None, Any output_ratio=None, "
     "bool "
     "return_indices=True, Tensor? _random_samples=None) -> Any",
     "fractional_max_pool2d, and where the elements were.", fractional<"aten::fractional_max_pool2d", 2>},
    {"fractional_max_pool3d_with_indices(Tensor input, Any kernel_size, Any output_size=None, Any output_ratio=None, "
     "bool "
     "return_indices=True, Tensor? _random_samples=None) -> Any",
     "fractional_max_pool3d, and where the elements were.", fractional<"aten::fractional_max_pool3d", 3>},
    {"max_unpool1d(Tensor input, Tensor indices, Any kernel_size, Any stride=None, Any padding=0, Any "
     "output_size=None) -> Tensor",
     "Puts maxima back where they were.", boxed<max_unpool<1>>},
    {"max_unpool2d(Tensor input, Tensor indices, Any kernel_size, Any stride=None, Any padding=0, Any "
     "output_size=None) -> Tensor",
     "Puts maxima back where they were.", boxed<max_unpool<2>>},
    {"max_unpool3d(Tensor input, Tensor indices, Any kernel_size, Any stride=None, Any padding=0, Any "
     "output_size=None) -> Tensor",
     "Puts maxima back where they were.", boxed<max_unpool<3>>},
};

}  // namespace

Dims expanded(const IValue& value, std::size_t count) {
    Dims out = value.to_ints();
    if (out.size() == 1) out.assign(count, out[0]);
    return out;
}

FunctionFamily pooling_records() { return kRecords; }

}  // namespace loupe::nn::functional
