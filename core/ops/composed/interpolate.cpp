// SPDX-License-Identifier: Apache-2.0
// interpolate and upsample as compiled code calls them: by mode, with a size or a factor.

#include <cmath>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/base/truncated.h"
#include "core/base/typed_error.h"
#include "core/dispatch/call.h"
#include "core/ops/composed/family.h"

namespace loupe::composed {
namespace {

struct Request {
    Tensor input;
    IValue size, factor;  // a number or a list; None
    std::string mode = "nearest";
    IValue align_corners;
    std::optional<bool> recompute;
    bool antialias = false;
};

template <typename... Parts>
[[noreturn]] void fail(const Parts&... parts) {
    throw Error(ErrorKind::Run, concat(parts...));
}

[[noreturn]] void refuse_dimensions(const Request& r, const IValue& given, std::string_view name) {
    std::vector<std::string> numbers;
    for (const IValue& v : given.to_list().elements) numbers.push_back(python_repr(v));
    const bool is_size = name == "size";
    fail_with_value(concat(
        "Input and ", is_size ? "output" : "scale_factor",
        " must have the same number of spatial dimensions, but got input with spatial dimensions of ",
        shape_list_text(r.input.sizes().subspan(2)), " and ", is_size ? "output size of (" : "scale_factor of shape (",
        join(numbers, ", "), "). Please provide input tensor in (N, C, d1, d2, ...,dK) format and ",
        is_size ? "output size in (o1, o2, ...,oK) format." : "scale_factor in (s1, s2, ...,sK) format."));
}

// One for each of the spatial dimensions.
std::vector<double> for_each_dim(const Request& r, const IValue& given, std::size_t dims, const char* name) {
    if (!given.is_list()) return std::vector<double>(dims, given.to_double());
    std::vector<double> values;
    for (const IValue& v : given.to_list().elements) values.push_back(v.to_double());
    if (values.size() != dims) {
        if (is_older_torch())
            fail_with_value(concat(name, " shape must match input shape. Input is ", dims, "D, ", name, " size is ",
                                   values.size()));
        refuse_dimensions(r, given, name);
    }
    return values;
}

Dims output_size(const Request& r, std::size_t dims) {
    if (r.size.is_none() && r.factor.is_none()) fail_with_value("either size or scale_factor should be defined");
    if (!r.size.is_none() && !r.factor.is_none()) fail_with_value("only one of size or scale_factor should be defined");
    Dims sizes;
    if (!r.size.is_none()) {
        for (const double v : for_each_dim(r, r.size, dims, "size")) sizes.push_back(truncated(v));
        return sizes;
    }
    const std::vector<double> factors = for_each_dim(r, r.factor, dims, "scale_factor");
    for (std::size_t d = 0; d < dims; ++d) {
        sizes.push_back(
            truncated(std::floor(static_cast<double>(r.input.size(static_cast<std::int64_t>(d) + 2)) * factors[d])));
    }
    return sizes;
}

Tensor call_named(const std::string& name, std::vector<IValue> arguments) {
    IValue result;
    call_operator(detail::operator_or_throw(name.c_str()), arguments, &result);
    return result.to_tensor();
}

[[noreturn]] void refuse_rank(std::int64_t rank, std::string_view mode) {
    throw TypedError(
        "NotImplementedError",
        concat("Input Error: Only 3D, 4D and 5D input Tensors supported (got ", rank, "D) for the modes: ",
               is_older_torch()
                   ? "nearest | linear | bilinear | trilinear (got "
                   : "nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got ",
               mode, ")", is_older_torch() ? " " : ""));
}

Tensor interpolate(const Request& r) {
    const bool is_copying = r.mode == "nearest" || r.mode == "nearest-exact" || r.mode == "area";
    if (is_copying && !r.align_corners.is_none()) {
        fail_with_value(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | "
            "trilinear");
    }
    const std::int64_t rank = r.input.dim();
    if (rank < 3 || rank > 5) {
        refuse_rank(rank, r.mode);
    }
    const auto dims = static_cast<std::size_t>(rank - 2);
    const std::string suffix = concat(dims, "d");
    const Dims sizes = output_size(r, dims);
    if (r.mode == "area") return call_named(concat("aten::adaptive_avg_pool", suffix), {r.input, sizes});
    // Unless recompute_scale_factor is false, the factor is recomputed from the sizes.
    const bool keeps_factor = !r.factor.is_none() && r.recompute == false;
    const IValue by_size = keeps_factor ? IValue() : IValue(sizes);
    const IValue by_factor = keeps_factor ? IValue(for_each_dim(r, r.factor, dims, "scale_factor")) : IValue();
    if (r.mode == "nearest")
        return call_named(concat("aten::upsample_nearest", suffix, ".vec"), {r.input, by_size, by_factor});
    if (r.mode == "nearest-exact")
        return call_named(concat("aten::_upsample_nearest_exact", suffix, ".vec"), {r.input, by_size, by_factor});
    const std::size_t needed = r.mode == "linear"                            ? 1
                               : r.mode == "bilinear" || r.mode == "bicubic" ? 2
                               : r.mode == "trilinear"                       ? 3
                                                                             : 0;
    if (needed == 0) fail("Input Error: unknown interpolation mode ", r.mode);
    if (needed != dims && r.mode == "bicubic" && !is_older_torch()) refuse_rank(rank, r.mode);
    if (needed != dims)
        throw TypedError("NotImplementedError",
                         concat("Got ", rank, "D input, but ", r.mode, " mode needs ", needed + 2, "D input"));
    const std::string name =
        concat(r.antialias ? "aten::_upsample_" : "aten::upsample_", r.mode, suffix, r.antialias ? "_aa.vec" : ".vec");
    return call_named(name, {r.input, by_size, !r.align_corners.is_none() && r.align_corners.to_bool(), by_factor});
}

// (input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias)
void call_interpolate(Arguments a, IValue* results) {
    Request r{a[0].to_tensor(), a[1], a[2], a[3].to_string(), a[4], {}, a[6].to_bool()};
    if (!a[5].is_none()) r.recompute = a[5].to_bool();
    results[0] = interpolate(r);
}
// (input, size, scale_factor, mode, align_corners)
void call_upsample(Arguments a, IValue* results) {
    results[0] = interpolate({a[0].to_tensor(), a[1], a[2], a[3].to_string(), a[4], {}, false});
}
void call_nearest(Arguments a, IValue* results) {
    results[0] = interpolate({a[0].to_tensor(), a[1], a[2], "nearest", IValue(), {}, false});
}
void call_bilinear(Arguments a, IValue* results) {
    results[0] = interpolate({a[0].to_tensor(), a[1], a[2], "bilinear", IValue(true), {}, false});
}

constexpr OperatorRecord composite(std::string_view schema, KernelFunction function) {
    return {.schema = schema, .summary = "Resizes images, by mode.", .composite = function};
}

#define LOUPE_MODE "str mode=\"nearest\", bool? align_corners=None"
#define LOUPE_MORE LOUPE_MODE ", bool? recompute_scale_factor=None, bool antialias=False) -> Tensor"

constexpr OperatorRecord kRecords[] = {
    composite("aten::__interpolate(Tensor input, int? size=None, float? scale_factor=None, " LOUPE_MORE,
              call_interpolate),
    composite("aten::__interpolate.scale_list(Tensor input, int? size=None, float[]? scale_factor=None, " LOUPE_MORE,
              call_interpolate),
    composite("aten::__interpolate.size_list(Tensor input, int[]? size=None, float? scale_factor=None, " LOUPE_MORE,
              call_interpolate),
    composite("aten::__interpolate.size_list_scale_list(Tensor input, int[]? size=None, float[]? "
              "scale_factor=None, " LOUPE_MORE,
              call_interpolate),
    composite("aten::__upsample(Tensor input, int? size=None, int? scale_factor=None, " LOUPE_MODE ") -> Tensor",
              call_upsample),
    composite("aten::__upsample.size_list(Tensor input, int[]? size=None, int? scale_factor=None, " LOUPE_MODE
              ") -> Tensor",
              call_upsample),
    composite("aten::__upsample_nearest(Tensor input, int? size=None, int? scale_factor=None) -> Tensor", call_nearest),
    composite("aten::__upsample_nearest.size_list(Tensor input, int[]? size=None, int? scale_factor=None) -> Tensor",
              call_nearest),
    composite("aten::__upsample_bilinear(Tensor input, int? size=None, int? scale_factor=None) -> Tensor",
              call_bilinear),
    composite("aten::__upsample_bilinear.scale_list(Tensor input, int? size=None, int[]? scale_factor=None) -> Tensor",
              call_bilinear),
    composite("aten::__upsample_bilinear.size_list(Tensor input, int[]? size=None, int? scale_factor=None) -> Tensor",
              call_bilinear),
    composite("aten::__upsample_bilinear.size_list_scale_list(Tensor input, int[]? size=None, int[]? "
              "scale_factor=None) -> Tensor",
              call_bilinear),
};

#undef LOUPE_MODE
#undef LOUPE_MORE

}  // namespace

std::span<const OperatorRecord> interpolate_records() { return kRecords; }

}  // namespace loupe::composed
