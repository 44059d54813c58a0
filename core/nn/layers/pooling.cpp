// SPDX-License-Identifier: Apache-2.0
// torch.nn.modules.pooling.
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/nn/functional/functional.h"
#include "core/nn/layers/families.h"
#include "core/nn/layers/support.h"

namespace loupe::nn::layers {
namespace {

constexpr std::string_view kPython = "torch.nn.modules.pooling";

// Windows do not overlap by default.
void set_windows(Module& self, const IValue& kernel_size, const IValue& stride, const IValue& padding) {
    self.set_attribute("kernel_size", kernel_size);
    self.set_attribute("stride", stride.is_none() ? kernel_size : stride);
    self.set_attribute("padding", padding);
}

void init_max(Module& self, const IValue& kernel_size, const IValue& stride, const IValue& padding,
              const IValue& dilation, bool return_indices, bool ceil_mode) {
    set_windows(self, kernel_size, stride, padding);
    self.set_attribute("dilation", dilation);
    self.set_attribute("return_indices", return_indices);
    self.set_attribute("ceil_mode", ceil_mode);
}

template <int kDims>
IValue repeated(const IValue& value) {
    const Dims all = functional::expanded(value, kDims);
    return tuple(span_of(all));
}

template <int kDims>
void init_unpool(Module& self, const IValue& kernel_size, const IValue& stride, const IValue& padding) {
    set_windows(self, repeated<kDims>(kernel_size), repeated<kDims>(stride.is_none() ? kernel_size : stride),
                repeated<kDims>(padding));
}

void init_average1(Module& self, const IValue& kernel_size, const IValue& stride, const IValue& padding, bool ceil_mode,
                   bool count_include_pad) {
    set_windows(self, repeated<1>(kernel_size), repeated<1>(stride.is_none() ? kernel_size : stride),
                repeated<1>(padding));
    self.set_attribute("ceil_mode", ceil_mode);
    self.set_attribute("count_include_pad", count_include_pad);
}

void init_average(Module& self, const IValue& kernel_size, const IValue& stride, const IValue& padding, bool ceil_mode,
                  bool count_include_pad, const IValue& divisor_override) {
    set_windows(self, kernel_size, stride, padding);
    self.set_attribute("ceil_mode", ceil_mode);
    self.set_attribute("count_include_pad", count_include_pad);
    self.set_attribute("divisor_override", divisor_override);
}

template <int kDims>
void init_fractional(Module& self, const IValue& kernel_size, const IValue& output_size, const IValue& output_ratio,
                     bool return_indices, const Tensor& random_samples) {
    self.set_attribute("kernel_size", repeated<kDims>(kernel_size));
    self.set_attribute("return_indices", return_indices);
    self.register_buffer("_random_samples", random_samples);
    self.set_attribute("output_size", output_size.is_none() ? output_size : repeated<kDims>(output_size));
    const bool one_ratio = output_ratio.is_number();
    self.set_attribute("output_ratio", one_ratio ? tuple(std::vector<IValue>(kDims, output_ratio)) : output_ratio);
    const std::string name = self.class_name();
    if (output_size.is_none() && output_ratio.is_none()) {
        throw Error(ErrorKind::Run, concat(name, " requires specifying either an output size, or a pooling ratio"));
    }
    if (!output_size.is_none() && !output_ratio.is_none())
        throw Error(ErrorKind::Run, "only one of output_size and output_ratio may be specified");
    if (output_ratio.is_none()) return;
    for (const IValue& ratio : self.attribute("output_ratio").to_tuple().elements) {
        if (ratio.to_double() <= 0 || ratio.to_double() >= 1) {
            throw Error(ErrorKind::Run,
                        concat("output_ratio must be between 0 and 1 (got ", python_str(output_ratio), ")"));
        }
    }
}

constexpr std::string_view kWindow = "kernel_size={kernel_size}, stride={stride}, padding={padding}";
constexpr std::string_view kUnpoolForward = "(Tensor input, Tensor indices, int[]? output_size=None) -> Tensor";
constexpr std::string_view kUnpool = "(Any kernel_size, Any stride=None, Any padding=0)";
constexpr std::string_view kAverage =
    "(Any kernel_size, Any stride=None, Any padding=0, bool ceil_mode=False, bool count_include_pad=True, int? "
    "divisor_override=None)";
constexpr std::string_view kFractional =
    "(Any kernel_size, Any output_size=None, Any output_ratio=None, bool return_indices=False, Tensor? "
    "_random_samples=None)";

#define LOUPE_MAX(N)                                                                                               \
    LayerRecord {                                                                                                  \
        .name = "MaxPool" N "d", .base = "_MaxPoolNd", .module = kPython,                                          \
        .summary = "The largest element of each window.", .forward_schema = "(Tensor input) -> Any",               \
        .calls =                                                                                                   \
            "max_pool" N                                                                                           \
            "d(input, kernel_size, stride, padding, dilation, ceil_mode=ceil_mode, return_indices=return_indices)" \
    }
#define LOUPE_UNPOOL(N, DIMS)                                                                                      \
    LayerRecord {                                                                                                  \
        .name = "MaxUnpool" N "d", .base = "_MaxUnpoolNd", .module = kPython,                                      \
        .summary = "Puts maxima back where they were.", .constructor = kUnpool, .init = builds<init_unpool<DIMS>>, \
        .forward_schema = kUnpoolForward,                                                                          \
        .calls = "max_unpool" N "d(input, indices, kernel_size, stride, padding, output_size)"                     \
    }
#define LOUPE_AVERAGE(N)                                                                                           \
    LayerRecord {                                                                                                  \
        .name = "AvgPool" N "d", .base = "_AvgPoolNd", .module = kPython, .summary = "The mean of each window.",   \
        .constructor = kAverage, .init = builds<init_average>,                                                     \
        .calls =                                                                                                   \
            "avg_pool" N "d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)", \
        .constants = "kernel_size stride padding ceil_mode count_include_pad divisor_override"                     \
    }
#define LOUPE_FRACTIONAL(N, DIMS)                                                                                     \
    LayerRecord {                                                                                                     \
        .name = "FractionalMaxPool" N "d", .base = "Module", .module = kPython,                                       \
        .summary = "Maxima of windows at random places.", .constructor = kFractional,                                 \
        .init = builds<init_fractional<DIMS>>, .forward_schema = "(Tensor input) -> Any",                             \
        .calls = "fractional_max_pool" N                                                                              \
                 "d(input, kernel_size, output_size, output_ratio, return_indices, _random_samples=_random_samples)", \
        .constants = "kernel_size return_indices output_size output_ratio"                                            \
    }
#define LOUPE_ADAPTIVE(N)                                                                           \
    LayerRecord{.name = "AdaptiveMaxPool" N "d",                                                    \
                .base = "_AdaptiveMaxPoolNd",                                                       \
                .module = kPython,                                                                  \
                .summary = "Maxima to a given size.",                                               \
                .forward_schema = "(Tensor input) -> Any",                                          \
                .calls = "adaptive_max_pool" N "d(input, output_size, return_indices)"},            \
        LayerRecord {                                                                               \
        .name = "AdaptiveAvgPool" N "d", .base = "_AdaptiveAvgPoolNd", .module = kPython,           \
        .summary = "Means to a given size.", .calls = "adaptive_avg_pool" N "d(input, output_size)" \
    }

constexpr LayerRecord kRecords[] = {
    {.name = "_MaxPoolNd",
     .base = "Module",
     .module = kPython,
     .summary = "The base of maximum pooling.",
     .constructor = "(Any kernel_size, Any stride=None, Any padding=0, Any dilation=1, bool return_indices=False, bool "
                    "ceil_mode=False)",
     .init = builds<init_max>,
     .constants = "kernel_size stride padding dilation return_indices ceil_mode",
     .repr =
         "kernel_size={kernel_size}, stride={stride}, padding={padding}, dilation={dilation}, ceil_mode={ceil_mode}"},
    LOUPE_MAX("1"),
    LOUPE_MAX("2"),
    LOUPE_MAX("3"),
    {.name = "_MaxUnpoolNd",
     .base = "Module",
     .module = kPython,
     .summary = "The base of unpooling.",
     .constants = "kernel_size stride padding",
     .repr = kWindow},
    LOUPE_UNPOOL("1", 1),
    LOUPE_UNPOOL("2", 2),
    LOUPE_UNPOOL("3", 3),
    {.name = "_AvgPoolNd",
     .base = "Module",
     .module = kPython,
     .summary = "The base of average pooling.",
     .repr = kWindow},
    {.name = "AvgPool1d",
     .base = "_AvgPoolNd",
     .module = kPython,
     .summary = "The mean of each window.",
     .constructor =
         "(Any kernel_size, Any stride=None, Any padding=0, bool ceil_mode=False, bool count_include_pad=True)",
     .init = builds<init_average1>,
     .calls = "avg_pool1d(input, kernel_size, stride, padding, ceil_mode, count_include_pad)",
     .constants = "kernel_size stride padding ceil_mode count_include_pad"},
    LOUPE_AVERAGE("2"),
    LOUPE_AVERAGE("3"),
    LOUPE_FRACTIONAL("2", 2),
    LOUPE_FRACTIONAL("3", 3),
    {.name = "_LPPoolNd",
     .base = "Module",
     .module = kPython,
     .summary = "The base of power averages.",
     .constructor = "(Scalar norm_type, Any kernel_size, Any stride=None, bool ceil_mode=False)",
     .constants = "norm_type kernel_size stride ceil_mode",
     .repr = "norm_type={norm_type}, kernel_size={kernel_size}, stride={stride}, ceil_mode={ceil_mode}"},
    {.name = "LPPool1d",
     .base = "_LPPoolNd",
     .module = kPython,
     .summary = "The power average of each window.",
     .calls = "lp_pool1d(input, float(norm_type), kernel_size, stride, ceil_mode)"},
    {.name = "LPPool2d",
     .base = "_LPPoolNd",
     .module = kPython,
     .summary = "The power average of each window.",
     .calls = "lp_pool2d(input, float(norm_type), kernel_size, stride, ceil_mode)"},
    {.name = "LPPool3d",
     .base = "_LPPoolNd",
     .module = kPython,
     .summary = "The power average of each window.",
     .calls = "lp_pool3d(input, float(norm_type), kernel_size, stride, ceil_mode)"},
    {.name = "_AdaptiveMaxPoolNd",
     .base = "Module",
     .module = kPython,
     .summary = "The base of adaptive maximum pooling.",
     .constructor = "(Any output_size, bool return_indices=False)",
     .constants = "output_size return_indices",
     .repr = "output_size={output_size}"},
    {.name = "_AdaptiveAvgPoolNd",
     .base = "Module",
     .module = kPython,
     .summary = "The base of adaptive average pooling.",
     .constructor = "(Any output_size)",
     .constants = "output_size",
     .repr = "output_size={output_size}"},
    LOUPE_ADAPTIVE("1"),
    LOUPE_ADAPTIVE("2"),
    LOUPE_ADAPTIVE("3"),
};
#undef LOUPE_MAX
#undef LOUPE_UNPOOL
#undef LOUPE_AVERAGE
#undef LOUPE_FRACTIONAL
#undef LOUPE_ADAPTIVE

}  // namespace

LayerFamily pooling_layers() { return kRecords; }

}  // namespace loupe::nn::layers
