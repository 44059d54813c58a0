// SPDX-License-Identifier: Apache-2.0
// pad: torch.nn.functional.pad, which chooses among the kinds of border.

#include <array>

#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/base/typed_error.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/kernels/integer_math.h"
#include "core/ops/joining/family.h"
#include "core/ops/samples.h"

namespace loupe::joining {
namespace {

const std::array<OperatorHandle<>, 3> kReflection{OperatorHandle<>("aten::reflection_pad1d"),
                                                  OperatorHandle<>("aten::reflection_pad2d"),
                                                  OperatorHandle<>("aten::reflection_pad3d")};
const std::array<OperatorHandle<>, 3> kReplication{OperatorHandle<>("aten::replication_pad1d"),
                                                   OperatorHandle<>("aten::replication_pad2d"),
                                                   OperatorHandle<>("aten::replication_pad3d")};

// Circular: the padding of one end comes from the other.
Tensor pad_circular(const Tensor& self, const Dims& padding) {
    const auto spatial = static_cast<std::int64_t>(padding.size()) / 2;
    if (self.dim() < spatial + 1) {
        throw Error(ErrorKind::Run,
                    concat("Invalid padding size, expected 3 dims for padding of length ", padding.size()));
    }
    Tensor out = self;
    for (std::int64_t k = 0; k < spatial; ++k) {
        const std::int64_t d = self.dim() - 1 - k;
        const std::int64_t size = self.size(d);
        const std::int64_t left = padding[static_cast<std::size_t>(2 * k)];
        const std::int64_t right = padding[static_cast<std::size_t>(2 * k + 1)];
        if (left > size || right > size)
            throw Error(ErrorKind::Run, "Padding value causes wrapping around more than once.");
        if (checked_sum(checked_sum(left, right), size) < 0)
            throw Error(ErrorKind::Run, "Negative padding value is resulting in an empty dimension");
        const Tensor body =
            fn::slice(out, d, std::max<std::int64_t>(-left, 0), size + std::min<std::int64_t>(right, 0), 1);
        const std::int64_t kept = body.size(d);
        TensorList parts;
        if (left > 0) parts.push_back(fn::slice(body, d, kept - left, kept, 1));
        parts.push_back(body);
        if (right > 0) parts.push_back(fn::slice(body, d, 0, right, 1));
        out = fn::cat(parts, d);
    }
    return out;
}

[[noreturn]] void refuse_borders(const Dims& padding, std::int64_t dim) {
    throw TypedError("NotImplementedError",
                     is_older_torch() ? "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now"
                                      : concat("Padding size ", padding.size(), " is not supported for ", dim,
                                               "D input tensor.\n"
                                               "Supported combinations for non-constant padding:\n"
                                               "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
                                               "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
                                               "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"));
}

Tensor pad_with_borders(const std::array<OperatorHandle<>, 3>& handles, const Tensor& self, const Dims& padding) {
    const auto n = padding.size() / 2;
    const auto ndim = static_cast<std::size_t>(self.dim());
    if (n >= 1 && n <= 3 && (ndim == n + 1 || ndim == n + 2)) return handles[n - 1](self, padding);
    refuse_borders(padding, self.dim());
}

Tensor pad(const Tensor& self, const Dims& padding, std::string_view mode, std::optional<double> value) {
    if (padding.size() % 2 != 0) throw Error(ErrorKind::Run, "Padding length must be divisible by 2");
    if (static_cast<std::int64_t>(padding.size()) > 2 * self.dim())
        throw Error(ErrorKind::Run,
                    is_older_torch()
                        ? "Padding length too large"
                        : concat("Padding length should be less than or equal to two times the input dimension but got "
                                 "padding length ",
                                 padding.size(), " and input of dimension ", self.dim()));
    if (mode == "constant") return fn::constant_pad_nd(self, padding, Scalar(value.value_or(0.0)));
    if (value && *value != 0)
        throw Error(ErrorKind::Run, concat("Padding mode \"", mode, "\" doesn't take in value argument"));
    if (mode == "circular" && !is_older_torch()) {
        const auto pairs = static_cast<std::int64_t>(padding.size() / 2);
        if (pairs > 3 || (self.dim() != pairs + 1 && self.dim() != pairs + 2)) refuse_borders(padding, self.dim());
    }
    if (mode == "circular") return pad_circular(self, padding);
    if (mode == "reflect") return pad_with_borders(kReflection, self, padding);
    if (mode == "replicate") return pad_with_borders(kReplication, self, padding);
    throw TypedError("NotImplementedError", concat("Unrecognised padding mode ", mode));
}
Tensor pad_by_number(const Tensor& self, const Dims& padding, std::int64_t mode, std::optional<double> value) {
    constexpr std::array<std::string_view, 4> kModes{"reflect", "replicate", "circular", "constant"};
    if (mode < 0 || mode >= 4) throw Error(ErrorKind::Run, concat("Unrecognised padding mode ", mode));
    return pad(self, padding, kModes[static_cast<std::size_t>(mode)], value);
}

std::vector<Sample> pad_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 3, 4}, dtype), Dims{1, 2}, "circular", IValue()}, "circular"},
            {{random_tensor(random, {2, 3, 4}, dtype), Dims{1, 2}, "constant", 1.5}, "constant"},
            {{random_tensor(random, {2, 3, 4}, dtype), Dims{1, 2}, "reflect", IValue()}, "reflect"}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::pad(Tensor self, int[] pad, str mode=\"constant\", float? value=None) -> Tensor",
     .summary = "With a border: constant, reflect, replicate or circular.",
     .composite = boxed<pad>,
     .gradient = "self: grad without the border; where the border repeats elements, its grad added to theirs",
     .samples = pad_samples},
    {.schema = "aten::_pad_enum(Tensor self, int[] pad, int mode, float? value=None) -> Tensor",
     .summary = "With a border of the kind of that number.",
     .composite = boxed<pad_by_number>},
    {.schema = "aten::_pad_circular(Tensor self, int[] pad) -> Tensor",
     .summary = "With a border from the opposite side.",
     .composite = boxed<pad_circular>},
};

}  // namespace

std::span<const OperatorRecord> pad_records() { return kRecords; }

}  // namespace loupe::joining
