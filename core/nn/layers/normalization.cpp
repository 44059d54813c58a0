// SPDX-License-Identifier: Apache-2.0
// torch.nn.modules.batchnorm, instancenorm and normalization.
#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/base/typed_error.h"
#include "core/dispatch/functions.h"
#include "core/nn/init/init.h"
#include "core/nn/layers/families.h"
#include "core/nn/layers/support.h"
#include "core/nn/native_function.h"

namespace loupe::nn::layers {
namespace {

constexpr std::string_view kBatch = "torch.nn.modules.batchnorm";
constexpr std::string_view kInstance = "torch.nn.modules.instancenorm";
constexpr std::string_view kOther = "torch.nn.modules.normalization";

[[noreturn]] void run_error(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

void reset_weight(Module& self) {
    if (const Tensor weight = tensor(self, "weight"); weight.defined()) init::constant_(weight, Scalar(1.0));
}

void reset_affine(Module& self) {
    reset_weight(self);
    if (const Tensor bias = tensor(self, "bias"); bias.defined()) init::constant_(bias, Scalar(0.0));
}

void reset_running_stats(Module& self) {
    if (!flag(self, "track_running_stats")) return;
    init::constant_(tensor(self, "running_mean"), Scalar(0.0));
    init::constant_(tensor(self, "running_var"), Scalar(1.0));
    init::constant_(tensor(self, "num_batches_tracked"), Scalar(std::int64_t{0}));
}

void reset_norm(Module& self) {
    reset_running_stats(self);
    if (flag(self, "affine")) reset_affine(self);
}

void init_norm(Module& self, const IValue& num_features, const IValue& eps, const IValue& momentum, bool affine,
               bool track_running_stats, std::optional<Device> device, std::optional<ScalarType> dtype, bool bias) {
    const Factory factory(device, dtype);
    const std::int64_t features = num_features.to_int();
    self.set_attribute("num_features", features);
    self.set_attribute("eps", eps);
    self.set_attribute("momentum", momentum);
    self.set_attribute("affine", affine);
    self.set_attribute("track_running_stats", track_running_stats);
    affine ? factory.parameter(self, "weight", {features}) : no_parameter(self, "weight");
    (affine && bias) ? factory.parameter(self, "bias", {features}) : no_parameter(self, "bias");
    self.register_buffer("running_mean", track_running_stats ? factory.empty({features}) : Tensor());
    self.register_buffer("running_var", track_running_stats ? factory.empty({features}) : Tensor());
    self.register_buffer("num_batches_tracked",
                         track_running_stats ? loupe::empty(IntSpan(), ScalarType::Int64, factory.device) : Tensor());
    reset_norm(self);
}
void init_sync(Module& self, const IValue& num_features, const IValue& eps, const IValue& momentum, bool affine,
               bool track_running_stats, const IValue& process_group, std::optional<Device> device,
               std::optional<ScalarType> dtype, bool bias) {
    init_norm(self, num_features, eps, momentum, affine, track_running_stats, device, dtype, bias);
    self.set_attribute("process_group", process_group);
}

IValue normalized(Module& self, const char* function, const Tensor& input, bool use_running, bool use_batch,
                  double momentum) {
    const IValue none;
    return call_function(*find_functional(function),
                         {{input, use_running ? self.attribute("running_mean") : none,
                           use_running ? self.attribute("running_var") : none, self.attribute("weight"),
                           self.attribute("bias"), use_batch, momentum, self.attribute("eps")},
                          {}});
}

// The batch's statistics while training or when none are kept; otherwise the running ones.
IValue batch_norm(Module& self, const Tensor& input) {
    const bool is_training = self.is_training();
    const bool tracks = flag(self, "track_running_stats");
    const bool has_momentum = !self.attribute("momentum").is_none();
    double momentum = has_momentum ? number(self, "momentum") : 0;
    if (const Tensor count = tensor(self, "num_batches_tracked"); is_training && tracks && count.defined()) {
        const GradModeScope no_grad(false);
        static const OperatorHandle<> op_add_("aten::add_.Scalar");
        op_add_(count, Scalar(std::int64_t{1}), Scalar(std::int64_t{1}));
        // A cumulative average when there is no momentum.
        if (!has_momentum) momentum = 1 / item(count).to_double();
    }
    const bool has_statistics = tensor(self, "running_mean").defined() || tensor(self, "running_var").defined();
    return normalized(self, "batch_norm", input, !is_training || tracks, is_training || !has_statistics, momentum);
}

void check_dims(const Tensor& input, std::int64_t first, std::int64_t second) {
    if (input.dim() == first || input.dim() == second) return;
    const std::string either = first == second ? concat(first, "D") : concat(first, "D or ", second, "D");
    run_error(concat("expected ", either, " input (got ", input.dim(), "D input)"));
}

template <int kFirst, int kSecond>
IValue forward_batch(Module& self, Arguments arguments) {
    check_dims(arguments[0].to_tensor(), kFirst, kSecond);
    return batch_norm(self, arguments[0].to_tensor());
}
IValue forward_sync(Module& self, Arguments arguments) {
    const Tensor input = arguments[0].to_tensor();
    if (input.dim() < 2) run_error(concat("expected at least 2D input (got ", input.dim(), "D input)"));
    return batch_norm(self, input);
}

// Dimensions with a batch; without one it is given one.
template <int kDims>
IValue forward_instance(Module& self, Arguments arguments) {
    const Tensor input = arguments[0].to_tensor();
    check_dims(input, kDims - 1, kDims);
    const bool has_batch = input.dim() == kDims;
    const bool tracks = flag(self, "track_running_stats");
    const double momentum = self.attribute("momentum").is_none() ? 0 : number(self, "momentum");
    const IValue out = normalized(self, "instance_norm", has_batch ? input : fn::unsqueeze(input, 0), true,
                                  self.is_training() || !tracks, momentum);
    return has_batch ? out : IValue(fn::squeeze(out.to_tensor(), 0));
}

void init_layer_norm(Module& self, const IValue& normalized_shape, const IValue& eps, bool elementwise_affine,
                     bool bias, std::optional<Device> device, std::optional<ScalarType> dtype) {
    const Factory factory(device, dtype);
    const Dims shape = normalized_shape.to_ints();
    self.set_attribute("normalized_shape", tuple(span_of(shape)));
    self.set_attribute("eps", eps);
    self.set_attribute("elementwise_affine", elementwise_affine);
    elementwise_affine ? factory.parameter(self, "weight", span_of(shape)) : no_parameter(self, "weight");
    elementwise_affine&& bias ? factory.parameter(self, "bias", span_of(shape)) : no_parameter(self, "bias");
    reset_affine(self);
}

void init_rms_norm(Module& self, const IValue& normalized_shape, const IValue& eps, bool elementwise_affine,
                   std::optional<Device> device, std::optional<ScalarType> dtype) {
    const Factory factory(device, dtype);
    const Dims shape = normalized_shape.to_ints();
    self.set_attribute("normalized_shape", tuple(span_of(shape)));
    self.set_attribute("eps", eps);
    self.set_attribute("elementwise_affine", elementwise_affine);
    elementwise_affine ? factory.parameter(self, "weight", span_of(shape)) : no_parameter(self, "weight");
    reset_weight(self);
}

void init_group_norm(Module& self, std::int64_t num_groups, std::int64_t num_channels, const IValue& eps, bool affine,
                     std::optional<Device> device, std::optional<ScalarType> dtype, bool bias) {
    if (num_groups == 0 || num_channels % num_groups != 0)
        fail_with_value(is_older_torch() ? "num_channels must be divisible by num_groups"
                                         : concat("num_channels (", num_channels, ") must be divisible by num_groups (",
                                                  num_groups, ")"));
    const Factory factory(device, dtype);
    self.set_attribute("num_groups", num_groups);
    self.set_attribute("num_channels", num_channels);
    self.set_attribute("eps", eps);
    self.set_attribute("affine", affine);
    affine ? factory.parameter(self, "weight", {num_channels}) : no_parameter(self, "weight");
    (affine && bias) ? factory.parameter(self, "bias", {num_channels}) : no_parameter(self, "bias");
    reset_affine(self);
}

// "a=1, b=2" of attributes; the first ones that are given as " name" stand without their name.
std::string attributes_text(const Module& self, std::initializer_list<std::string_view> names) {
    std::vector<std::string> out;
    for (const std::string_view name : names) {
        const bool is_bare = name.starts_with(' ');
        const std::string value = python_str(self.attribute(is_bare ? name.substr(1) : name));
        out.push_back(is_bare ? value : concat(name, "=", value));
    }
    return join(out, ", ");
}
// 1.13 has no layers without a bias, and does not say so.
std::string bias_text(const Module& self) {
    if (is_older_torch()) return {};
    return concat(", bias=", tensor(self, "bias").defined() ? "True" : "False");
}
std::string norm_repr(const Module& self) {
    return concat(attributes_text(self, {" num_features", "eps", "momentum", "affine"}), bias_text(self), ", ",
                  attributes_text(self, {"track_running_stats"}));
}
std::string layer_norm_repr(const Module& self) {
    return attributes_text(self, {" normalized_shape", "eps", "elementwise_affine"}) + bias_text(self);
}
std::string group_norm_repr(const Module& self) {
    return attributes_text(self, {" num_groups", " num_channels", "eps", "affine"}) + bias_text(self);
}

// The window is symmetric, so that for an even size it has one channel less; the mean is still over `size`.
IValue cross_map(Module& self, Arguments arguments) {
    const Tensor input = arguments[0].to_tensor();
    if (input.dim() != 4) run_error(concat("CrossMapLRN2d: Expected input to be 4D, got ", input.dim(), "D instead."));
    const std::int64_t size = integer(self, "size");
    const std::int64_t window = 2 * ((size + 1) / 2) - 1;
    const double alpha = number(self, "alpha") * static_cast<double>(window) / static_cast<double>(size);
    return call_function(*find_functional("local_response_norm"),
                         {{input, window, alpha, self.attribute("beta"), self.attribute("k")}, {}});
}

constexpr std::string_view kNormArguments =
    "(int num_features, Scalar eps=1e-05, Scalar? momentum=0.1, bool affine=True, bool track_running_stats=True, "
    "Device? device=None, ScalarType? dtype=None, *, bool bias=True)";
constexpr std::string_view kInstanceArguments =
    "(int num_features, Scalar eps=1e-05, Scalar? momentum=0.1, bool affine=False, bool track_running_stats=False, "
    "Device? device=None, ScalarType? dtype=None, *, bool bias=True)";
constexpr std::string_view kLrnRepr = "{size}, alpha={alpha}, beta={beta}, k={k}";

constexpr LayerMethod kNormMethods[] = {{"reset_running_stats() -> Any", [](Module& self, Arguments) {
                                             reset_running_stats(self);
                                             return IValue();
                                         }}};

constexpr LayerRecord kRecords[] = {
    {.name = "_NormBase",
     .base = "Module",
     .module = kBatch,
     .summary = "The base of batch and instance normalisation.",
     .constructor = kNormArguments,
     .init = builds<init_norm>,
     .constants = "track_running_stats momentum eps num_features affine",
     .extra_repr = norm_repr,
     .reset_parameters = reset_norm,
     .methods = kNormMethods,
     .version = 2},
    {.name = "_BatchNorm",
     .base = "_NormBase",
     .module = kBatch,
     .summary = "The base of batch normalisation.",
     .version = 2},
    {.name = "BatchNorm1d",
     .base = "_BatchNorm",
     .module = kBatch,
     .summary = "Scales each feature over the batch.",
     .forward = forward_batch<2, 3>,
     .version = 2},
    {.name = "BatchNorm2d",
     .base = "_BatchNorm",
     .module = kBatch,
     .summary = "Scales each channel of planes over the batch.",
     .forward = forward_batch<4, 4>,
     .version = 2},
    {.name = "BatchNorm3d",
     .base = "_BatchNorm",
     .module = kBatch,
     .summary = "Scales each channel of volumes over the batch.",
     .forward = forward_batch<5, 5>,
     .version = 2},
    {.name = "SyncBatchNorm",
     .base = "_BatchNorm",
     .module = kBatch,
     .summary = "Batch normalisation over all processes; with one process the same as BatchNorm.",
     .constructor = "(int num_features, Scalar eps=1e-05, Scalar? momentum=0.1, bool affine=True, bool "
                    "track_running_stats=True, Any "
                    "process_group=None, Device? device=None, ScalarType? dtype=None, *, bool bias=True)",
     .init = builds<init_sync>,
     .forward = forward_sync,
     .version = 2},
    {.name = "_InstanceNorm",
     .base = "_NormBase",
     .module = kInstance,
     .summary = "The base of instance normalisation.",
     .constructor = kInstanceArguments,
     .init = builds<init_norm>,
     .version = 2},
    {.name = "InstanceNorm1d",
     .base = "_InstanceNorm",
     .module = kInstance,
     .summary = "Scales each channel of each sequence.",
     .forward = forward_instance<3>,
     .version = 2},
    {.name = "InstanceNorm2d",
     .base = "_InstanceNorm",
     .module = kInstance,
     .summary = "Scales each channel of each plane.",
     .forward = forward_instance<4>,
     .version = 2},
    {.name = "InstanceNorm3d",
     .base = "_InstanceNorm",
     .module = kInstance,
     .summary = "Scales each channel of each volume.",
     .forward = forward_instance<5>,
     .version = 2},
    {.name = "LayerNorm",
     .base = "Module",
     .module = kOther,
     .summary = "Scales the last dimensions.",
     .constructor =
         "(Any normalized_shape, Scalar eps=1e-05, bool elementwise_affine=True, bool bias=True, Device? device=None, "
         "ScalarType? dtype=None)",
     .init = builds<init_layer_norm>,
     .calls = "layer_norm(input, normalized_shape, weight, bias, eps)",
     .constants = "normalized_shape eps elementwise_affine",
     .extra_repr = layer_norm_repr,
     .reset_parameters = reset_affine},
    {.name = "RMSNorm",
     .base = "Module",
     .module = kOther,
     .summary = "Scales the last dimensions to a root mean square of one.",
     .constructor = "(Any normalized_shape, float? eps=None, bool elementwise_affine=True, Device? device=None, "
                    "ScalarType? dtype=None)",
     .init = builds<init_rms_norm>,
     .calls = "rms_norm(input, normalized_shape, weight, eps)",
     .constants = "normalized_shape eps elementwise_affine",
     .repr = "{normalized_shape}, eps={eps}, elementwise_affine={elementwise_affine}",
     .reset_parameters = reset_weight},
    {.name = "GroupNorm",
     .base = "Module",
     .module = kOther,
     .summary = "Scales each group of channels.",
     .constructor = "(int num_groups, int num_channels, Scalar eps=1e-05, bool affine=True, Device? device=None, "
                    "ScalarType? dtype=None, *, bool bias=True)",
     .init = builds<init_group_norm>,
     .calls = "group_norm(input, num_groups, weight, bias, eps)",
     .constants = "num_groups num_channels eps affine",
     .extra_repr = group_norm_repr,
     .reset_parameters = reset_affine},
    {.name = "LocalResponseNorm",
     .base = "Module",
     .module = kOther,
     .summary = "Divides by a power of the mean square of neighbouring channels.",
     .constructor = "(int size, Scalar alpha=0.0001, Scalar beta=0.75, Scalar k=1.0)",
     .calls = "local_response_norm(input, size, alpha, beta, k)",
     .constants = "size alpha beta k",
     .repr = kLrnRepr},
    {.name = "CrossMapLRN2d",
     .base = "Module",
     .module = kOther,
     .summary = "LocalResponseNorm with a symmetric window.",
     .constructor = "(int size, Scalar alpha=0.0001, Scalar beta=0.75, Scalar k=1)",
     .forward = cross_map,
     .repr = kLrnRepr},
};

}  // namespace

LayerFamily normalization_layers() { return kRecords; }

}  // namespace loupe::nn::layers
