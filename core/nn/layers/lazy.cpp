// SPDX-License-Identifier: Apache-2.0
// Lazy layers: the size of the input is taken from the first one (or from a checkpoint); from then on they are the
// layer that they derive from. torch.nn.modules.lazy.
#include <array>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/nn/layers/families.h"
#include "core/nn/layers/support.h"
#include "core/ops/numbers/warnings.h"

namespace loupe::nn::layers {
namespace {

[[noreturn]] void run_error(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

// The lazy record that the module is of, and the layer that it becomes.
const LayerRecord& lazy_record(const Module& self) {
    const LayerRecord* at = self.layer();
    while (at != nullptr && !at->name.starts_with("Lazy")) at = find_layer(at->base);
    if (at == nullptr) run_error("the layer is not lazy");
    return *at;
}

void mark(Module& self, std::initializer_list<const char*> names) {
    warn(
        "Lazy modules are a new feature under heavy development so changes to the API or functionality can happen at "
        "any moment.");
    for (const char* name : names) {
        if (tensor(self, name).defined()) self.set_uninitialized(name);
    }
}

// The base's constructor, with nothing for the size of the input.
void init_with_zero(Module& self, Arguments arguments) {
    std::vector<IValue> given{0};
    given.insert(given.end(), arguments.begin(), arguments.end());
    init_layer(self, *find_layer(lazy_record(self).base), {std::move(given), {}});
}

void init_lazy_convolution(Module& self, Arguments arguments) {
    init_with_zero(self, arguments);
    mark(self, {"weight", "bias"});
}
void init_lazy_norm(Module& self, Arguments arguments) {
    std::vector<IValue> given{0};
    given.insert(given.end(), arguments.begin(), arguments.end() - 1);
    init_layer(self, *find_layer(lazy_record(self).base), {std::move(given), {{"bias", arguments.back()}}});
    mark(self, {"weight", "bias", "running_mean", "running_var"});
}
void init_lazy_linear(Module& self, std::int64_t out_features, bool bias, const IValue& device, const IValue& dtype) {
    init_layer(self, *find_layer("Linear"), {{0, 0, false, device, dtype}, {}});
    self.set_attribute("out_features", out_features);
    const Tensor weight = tensor(self, "weight");
    if (bias)
        self.register_parameter(
            "bias", make_parameter(loupe::empty(std::array<std::int64_t, 1>{0}, weight.dtype(), weight.device())));
    mark(self, {"weight", "bias"});
}

// Loaded ones have their shape already.
void give_shape(Module& self, const char* name, IntSpan sizes) {
    if (self.is_uninitialized(name)) self.materialize(name, sizes);
}

void infer_linear(Module& self, const Tensor& input) {
    const std::int64_t in = input.size(-1);
    const std::int64_t out = integer(self, "out_features");
    self.set_attribute("in_features", in);
    give_shape(self, "weight", std::array<std::int64_t, 2>{out, in});
    give_shape(self, "bias", std::array<std::int64_t, 1>{out});
}

void infer_convolution(Module& self, const Tensor& input) {
    const Dims kernel = self.attribute("kernel_size").to_ints();
    const auto dims = static_cast<std::int64_t>(kernel.size());
    if (input.dim() != dims + 1 && input.dim() != dims + 2) {
        run_error(concat("Expected ", dims + 1, "D (unbatched) or ", dims + 2, "D (batched) input to ",
                         self.class_name(), ", but got input of size: torch.Size(", shape_list_text(input.sizes()),
                         ")"));
    }
    const std::int64_t in = input.size(input.dim() == dims + 2 ? 1 : 0);
    const std::int64_t out = integer(self, "out_channels");
    const std::int64_t groups = integer(self, "groups");
    if (in % groups != 0) run_error("in_channels must be divisible by groups");
    self.set_attribute("in_channels", in);
    Dims sizes = flag(self, "transposed") ? Dims{in, out / groups} : Dims{out, in / groups};
    sizes.insert(sizes.end(), kernel.begin(), kernel.end());
    give_shape(self, "weight", span_of(sizes));
    give_shape(self, "bias", std::array<std::int64_t, 1>{out});
}

void infer_norm(Module& self, const Tensor& input) {
    const std::int64_t features = input.size(1);
    self.set_attribute("num_features", features);
    for (const char* name : {"weight", "bias", "running_mean", "running_var"}) {
        give_shape(self, name, std::array<std::int64_t, 1>{features});
    }
}

IValue run_lazy(Module& self, Arguments arguments) {
    const LayerRecord& becomes = *find_layer(lazy_record(self).base);
    const Tensor input = arguments[0].to_tensor();
    const bool is_loaded = !self.has_uninitialized();
    if (becomes.name == "Linear")
        infer_linear(self, input);
    else if (is_derived(becomes, "_ConvNd"))
        infer_convolution(self, input);
    else
        infer_norm(self, input);
    self.set_layer(becomes);
    if (!is_loaded) reset_parameters(self);
    return call_forward(self, becomes, {{arguments.begin(), arguments.end()}, {}});
}

constexpr std::string_view kNorm =
    "(Scalar eps=1e-05, Scalar? momentum=0.1, bool affine=True, bool track_running_stats=True, Device? device=None, "
    "ScalarType? dtype=None, *, bool bias=True)";

#define LOUPE_LAZY_CONV(N)                                                                                            \
    LayerRecord{.name = "LazyConv" N "d",                                                                             \
                .base = "Conv" N "d",                                                                                 \
                .module = "torch.nn.modules.conv",                                                                    \
                .summary = "Conv" N "d that takes its input channels from the first input.",                          \
                .constructor =                                                                                        \
                    "(int out_channels, int[" N "] kernel_size, int[" N "] stride=1, Any padding=0, int[" N           \
                    "] dilation=1, int groups=1, bool bias=True, str padding_mode=\"zeros\", Device? device=None, "   \
                    "ScalarType? dtype=None)",                                                                        \
                .init = init_lazy_convolution,                                                                        \
                .forward = run_lazy},                                                                                 \
        LayerRecord {                                                                                                 \
        .name = "LazyConvTranspose" N "d", .base = "ConvTranspose" N "d", .module = "torch.nn.modules.conv",          \
        .summary = "ConvTranspose" N "d that takes its input channels from the first input.",                         \
        .constructor = "(int out_channels, int[" N "] kernel_size, int[" N "] stride=1, int[" N "] padding=0, int[" N \
                       "] output_padding=0, int groups=1, bool bias=True, int[" N                                     \
                       "] dilation=1, str padding_mode=\"zeros\", Device? device=None, ScalarType? dtype=None)",      \
        .init = init_lazy_convolution, .forward = run_lazy                                                            \
    }
#define LOUPE_LAZY_NORM(NAME, PYTHON)                                                           \
    LayerRecord {                                                                               \
        .name = "Lazy" NAME, .base = NAME, .module = PYTHON,                                    \
        .summary = NAME " that takes its features from the first input.", .constructor = kNorm, \
        .init = init_lazy_norm, .forward = run_lazy, .version = 2                               \
    }

constexpr LayerRecord kRecords[] = {
    {.name = "LazyLinear",
     .base = "Linear",
     .module = "torch.nn.modules.linear",
     .summary = "Linear that takes its features from the first input.",
     .constructor = "(int out_features, bool bias=True, Device? device=None, ScalarType? dtype=None)",
     .init = builds<init_lazy_linear>,
     .forward = run_lazy},
    LOUPE_LAZY_CONV("1"),
    LOUPE_LAZY_CONV("2"),
    LOUPE_LAZY_CONV("3"),
    LOUPE_LAZY_NORM("BatchNorm1d", "torch.nn.modules.batchnorm"),
    LOUPE_LAZY_NORM("BatchNorm2d", "torch.nn.modules.batchnorm"),
    LOUPE_LAZY_NORM("BatchNorm3d", "torch.nn.modules.batchnorm"),
    LOUPE_LAZY_NORM("InstanceNorm1d", "torch.nn.modules.instancenorm"),
    LOUPE_LAZY_NORM("InstanceNorm2d", "torch.nn.modules.instancenorm"),
    LOUPE_LAZY_NORM("InstanceNorm3d", "torch.nn.modules.instancenorm"),
};
#undef LOUPE_LAZY_CONV
#undef LOUPE_LAZY_NORM

}  // namespace

LayerFamily lazy_layers() { return kRecords; }

}  // namespace loupe::nn::layers
