// SPDX-License-Identifier: Apache-2.0
// torch.nn.modules.pixelshuffle, upsampling, channelshuffle, fold and flatten.
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/nn/layers/families.h"
#include "core/nn/layers/support.h"
#include "core/value/bind_arguments.h"

namespace loupe::nn::layers {
namespace {

constexpr std::string_view kUpsampling = "torch.nn.modules.upsampling";
constexpr std::string_view kFlatten = "torch.nn.modules.flatten";

// Factors are floats; None and zero mean no factor.
IValue factors(const IValue& scale_factor) {
    if (scale_factor.is_none()) return scale_factor;
    if (scale_factor.is_number()) return scale_factor.to_double() == 0 ? IValue() : IValue(scale_factor.to_double());
    std::vector<IValue> each;
    for (const double factor : scale_factor.to_doubles()) each.emplace_back(factor);
    return tuple(std::move(each));
}

void init_upsample(Module& self, const IValue& size, const IValue& scale_factor, std::string_view mode,
                   const IValue& align_corners, const IValue& recompute_scale_factor) {
    self.set_attribute("name", self.class_name());
    self.set_attribute("size", size);
    self.set_attribute("scale_factor", factors(scale_factor));
    self.set_attribute("mode", std::string(mode));
    self.set_attribute("align_corners", align_corners);
    self.set_attribute("recompute_scale_factor", recompute_scale_factor);
}
void init_nearest(Module& self, const IValue& size, const IValue& scale_factor) {
    init_upsample(self, size, scale_factor, "nearest", IValue(), IValue());
}
void init_bilinear(Module& self, const IValue& size, const IValue& scale_factor) {
    init_upsample(self, size, scale_factor, "bilinear", true, IValue());
}

std::string upsample_repr(const Module& self) {
    const bool by_factor = !self.attribute("scale_factor").is_none();
    return concat(
        by_factor ? "scale_factor=" : "size=", python_str(self.attribute(by_factor ? "scale_factor" : "size")),
        ", mode=", self.attribute("mode").to_string());
}

Tensor flatten(Module& self, const Tensor& input) {
    return fn::flatten(input, integer(self, "start_dim"), integer(self, "end_dim"));
}

void init_unflatten(Module& self, const IValue& dim, const IValue& unflattened_size) {
    if (!unflattened_size.is_tuple() && !unflattened_size.is_list()) {
        throw Error(ErrorKind::Run, concat("unflattened_size must be a tuple of ints, but found type ",
                                           python_type_name(unflattened_size)));
    }
    self.set_attribute("dim", dim);
    self.set_attribute("unflattened_size", unflattened_size);
}
Tensor unflatten(Module& self, const Tensor& input) {
    static const OperatorHandle<> op_unflatten("aten::unflatten.int");
    return op_unflatten(input, integer(self, "dim"), self.attribute("unflattened_size").to_ints());
}

constexpr LayerRecord kRecords[] = {
    {.name = "PixelShuffle",
     .base = "Module",
     .module = "torch.nn.modules.pixelshuffle",
     .summary = "Channels become pixels of a larger plane.",
     .constructor = "(int upscale_factor)",
     .calls = "pixel_shuffle(input, upscale_factor)",
     .constants = "upscale_factor",
     .repr = "upscale_factor={upscale_factor}"},
    {.name = "PixelUnshuffle",
     .base = "Module",
     .module = "torch.nn.modules.pixelshuffle",
     .summary = "Pixels become channels of a smaller plane.",
     .constructor = "(int downscale_factor)",
     .calls = "pixel_unshuffle(input, downscale_factor)",
     .constants = "downscale_factor",
     .repr = "downscale_factor={downscale_factor}"},
    {.name = "ChannelShuffle",
     .base = "Module",
     .module = "torch.nn.modules.channelshuffle",
     .summary = "Interleaves the channels of the groups.",
     .constructor = "(int groups)",
     .calls = "channel_shuffle(input, groups)",
     .constants = "groups",
     .repr = "groups={groups}"},
    {.name = "Upsample",
     .base = "Module",
     .module = kUpsampling,
     .summary = "Resamples to a size or by a factor.",
     .constructor = "(Any size=None, Any scale_factor=None, str mode=\"nearest\", bool? align_corners=None, bool? "
                    "recompute_scale_factor=None)",
     .init = builds<init_upsample>,
     .calls =
         "interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor=recompute_scale_factor)",
     .constants = "size scale_factor mode align_corners name recompute_scale_factor",
     .extra_repr = upsample_repr},
    {.name = "UpsamplingNearest2d",
     .base = "Upsample",
     .module = kUpsampling,
     .summary = "Resamples with the nearest pixel.",
     .constructor = "(Any size=None, Any scale_factor=None)",
     .init = builds<init_nearest>},
    {.name = "UpsamplingBilinear2d",
     .base = "Upsample",
     .module = kUpsampling,
     .summary = "Resamples bilinearly with aligned corners.",
     .constructor = "(Any size=None, Any scale_factor=None)",
     .init = builds<init_bilinear>},
    {.name = "Fold",
     .base = "Module",
     .module = "torch.nn.modules.fold",
     .summary = "Sums columns back into a plane.",
     .constructor = "(Any output_size, Any kernel_size, Any dilation=1, Any padding=0, Any stride=1)",
     .calls = "fold(input, output_size, kernel_size, dilation, padding, stride)",
     .constants = "output_size kernel_size dilation padding stride",
     .repr = "output_size={output_size}, kernel_size={kernel_size}, dilation={dilation}, padding={padding}, "
             "stride={stride}"},
    {.name = "Unfold",
     .base = "Module",
     .module = "torch.nn.modules.fold",
     .summary = "The windows of a plane as columns.",
     .constructor = "(Any kernel_size, Any dilation=1, Any padding=0, Any stride=1)",
     .calls = "unfold(input, kernel_size, dilation, padding, stride)",
     .constants = "kernel_size dilation padding stride",
     .repr = "kernel_size={kernel_size}, dilation={dilation}, padding={padding}, stride={stride}"},
    {.name = "Flatten",
     .base = "Module",
     .module = kFlatten,
     .summary = "Several dimensions become one.",
     .constructor = "(int start_dim=1, int end_dim=-1)",
     .forward = computes<flatten>,
     .constants = "start_dim end_dim",
     .repr = "start_dim={start_dim}, end_dim={end_dim}"},
    {.name = "Unflatten",
     .base = "Module",
     .module = kFlatten,
     .summary = "One dimension becomes several.",
     .constructor = "(Any dim, Any unflattened_size)",
     .init = builds<init_unflatten>,
     .forward = computes<unflatten>,
     .constants = "dim unflattened_size",
     .repr = "dim={dim}, unflattened_size={unflattened_size}"},
};

}  // namespace

LayerFamily vision_layers() { return kRecords; }

}  // namespace loupe::nn::layers
