// SPDX-License-Identifier: Apache-2.0
// Padding, resampling and rearranging of images.
#include <algorithm>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/nn/functional/families.h"
#include "core/nn/functional/operator_call.h"
#include "core/ops/numbers/warnings.h"

namespace loupe::nn::functional {
namespace {

const OperatorHandle<> op_interpolate("aten::__interpolate.size_list_scale_list");
const OperatorHandle<> op_grid_sampler("aten::grid_sampler");
const OperatorHandle<> op_affine_grid("aten::affine_grid_generator");

[[noreturn]] void run_error(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

// Numbers for each spatial dimension become lists.
IValue sizes_of(const Tensor& input, const IValue& value) {
    if (!value.is_number()) return value.is_none() ? value : IValue(value.to_ints());
    return Dims(static_cast<std::size_t>(std::max<std::int64_t>(input.dim() - 2, 0)), value.to_int());
}
IValue factors_of(const Tensor& input, const IValue& value) {
    if (value.is_none()) return value;
    const auto list = make_ptr<ListObject>(types::floating());
    if (value.is_number()) {
        list->elements.assign(static_cast<std::size_t>(std::max<std::int64_t>(input.dim() - 2, 0)),
                              IValue(value.to_double()));
    } else {
        for (const double factor : value.to_doubles()) list->elements.emplace_back(factor);
    }
    return list;
}

Tensor interpolate(const Tensor& input, const IValue& size, const IValue& scale_factor, std::string_view mode,
                   const IValue& align_corners, const IValue& recompute_scale_factor, bool antialias) {
    return op_interpolate(input, sizes_of(input, size), factors_of(input, scale_factor), std::string(mode),
                          align_corners, recompute_scale_factor, antialias);
}
Tensor upsample(const Tensor& input, const IValue& size, const IValue& scale_factor, std::string_view mode,
                const IValue& align_corners) {
    warn("nn.functional.upsample is deprecated. Use nn.functional.interpolate instead.");
    return interpolate(input, size, scale_factor, mode, align_corners, IValue(), false);
}
Tensor upsample_nearest(const Tensor& input, const IValue& size, const IValue& scale_factor) {
    warn("nn.functional.upsample_nearest is deprecated. Use nn.functional.interpolate instead.");
    return interpolate(input, size, scale_factor, "nearest", IValue(), IValue(), false);
}
Tensor upsample_bilinear(const Tensor& input, const IValue& size, const IValue& scale_factor) {
    warn("nn.functional.upsample_bilinear is deprecated. Use nn.functional.interpolate instead.");
    return interpolate(input, size, scale_factor, "bilinear", true, IValue(), false);
}

void warn_of_corners(std::optional<bool> align_corners) {
    if (align_corners) return;
    warn(
        "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
        "align_corners=True if "
        "the old behavior is desired. See the documentation of grid_sample for details.");
}

Tensor grid_sample(const Tensor& input, const Tensor& grid, std::string_view mode, std::string_view padding_mode,
                   std::optional<bool> align_corners) {
    const int mode_number = mode == "bilinear" ? 0 : mode == "nearest" ? 1 : mode == "bicubic" ? 2 : -1;
    if (mode_number < 0) {
        run_error(
            concat("nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '",
                   mode, "'"));
    }
    const int border = padding_mode == "zeros"        ? 0
                       : padding_mode == "border"     ? 1
                       : padding_mode == "reflection" ? 2
                                                      : -1;
    if (border < 0) {
        run_error(concat(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: '",
            padding_mode, "'"));
    }
    warn_of_corners(align_corners);
    return op_grid_sampler(input, grid, mode_number, border, align_corners.value_or(false));
}

IValue tuple_of(const Dims& values) { return make_ptr<TupleObject>(std::vector<IValue>(values.begin(), values.end())); }

Tensor affine_grid(const Tensor& theta, const Dims& size, std::optional<bool> align_corners) {
    if (!is_floating(theta.dtype()))
        run_error(concat("Expected theta to have floating point type, but got torch.", dtype_name(theta.dtype())));
    const bool is_2d = size.size() == 4;
    if (!is_2d && size.size() != 5) {
        run_error(concat(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size ",
            python_repr(tuple_of(size)), "."));
    }
    const std::int64_t rows = is_2d ? 2 : 3;
    if (theta.dim() != 3 || theta.size(1) != rows || theta.size(2) != rows + 1) {
        run_error(concat("Expected a batch of ", rows, "D affine matrices of shape Nx", rows, "x", rows + 1,
                         " for size ", python_repr(tuple_of(size)), ". Got torch.Size(", shape_list_text(theta.sizes()),
                         ")."));
    }
    for (const std::int64_t extent : size) {
        if (extent <= 0)
            run_error(concat("Expected non-zero, positive output size. Got ", python_repr(tuple_of(size))));
    }
    warn_of_corners(align_corners);
    return op_affine_grid(theta, size, align_corners.value_or(false));
}

constexpr NativeFunction kRecords[] = {
    {"pad(Tensor input, int[] pad, str mode=\"constant\", float? value=None) -> Tensor", "The input with a border.",
     calls<"aten::pad">},
    {"pixel_shuffle(Tensor input, int upscale_factor) -> Tensor", "Channels become pixels of a larger plane.",
     calls<"aten::pixel_shuffle">},
    {"pixel_unshuffle(Tensor input, int downscale_factor) -> Tensor", "Pixels become channels of a smaller plane.",
     calls<"aten::pixel_unshuffle">},
    {"channel_shuffle(Tensor input, int groups) -> Tensor", "Interleaves the channels of the groups.",
     calls<"aten::channel_shuffle">},
    {"native_channel_shuffle(Tensor input, int groups) -> Tensor", "channel_shuffle on the CPU.",
     calls<"aten::native_channel_shuffle">},
    {"interpolate(Tensor input, Any size=None, Any scale_factor=None, str mode=\"nearest\", bool? align_corners=None, "
     "bool? "
     "recompute_scale_factor=None, bool antialias=False) -> Tensor",
     "Resamples to a size or by a factor.", boxed<interpolate>},
    {"upsample(Tensor input, Any size=None, Any scale_factor=None, str mode=\"nearest\", bool? align_corners=None) -> "
     "Tensor",
     "interpolate under its older name.", boxed<upsample>},
    {"upsample_nearest(Tensor input, Any size=None, Any scale_factor=None) -> Tensor",
     "interpolate with the nearest element.", boxed<upsample_nearest>},
    {"upsample_bilinear(Tensor input, Any size=None, Any scale_factor=None) -> Tensor",
     "interpolate bilinearly with aligned corners.", boxed<upsample_bilinear>},
    {"grid_sample(Tensor input, Tensor grid, str mode=\"bilinear\", str padding_mode=\"zeros\", bool? "
     "align_corners=None) -> Tensor",
     "Samples the input at the places of a grid.", boxed<grid_sample>},
    {"affine_grid(Tensor theta, int[] size, bool? align_corners=None) -> Tensor", "The grid of an affine map.",
     boxed<affine_grid>},
};

}  // namespace

FunctionFamily vision_records() { return kRecords; }

}  // namespace loupe::nn::functional
