// SPDX-License-Identifier: Apache-2.0
// constant_pad_nd: a border of one value; negative widths crop.

#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/integer_math.h"
#include "core/ops/joining/family.h"
#include "core/ops/samples.h"
#include "core/tensor/scalar_range.h"

namespace loupe::joining {
namespace {

// pad: left and right of the last dimension, of the one before it, and so on.
std::pair<std::int64_t, std::int64_t> widths(const Dims& pad, std::size_t ndim, std::size_t d) {
    const std::size_t pair = 2 * (ndim - 1 - d);
    if (pair + 1 >= pad.size()) return {0, 0};
    return {pad[pair], pad[pair + 1]};
}

Dims channels_last_strides(IntSpan sizes) {
    Dims strides(sizes.size(), 1);
    std::int64_t stride = std::max<std::int64_t>(sizes[1], 1);
    for (std::size_t d = sizes.size() - 1; d >= 2; --d) {
        strides[d] = stride;
        stride *= std::max<std::int64_t>(sizes[d], 1);
    }
    strides[0] = stride;
    return strides;
}

// Negative widths cut by two calls of narrow, whose messages these are.
void check_cut(std::int64_t size, std::int64_t left, std::int64_t right) {
    const std::int64_t cut = left < 0 ? checked_product(left, -1) : 0;
    if (cut > 0 && cut != size) wrap_dim(cut, size);
    size -= cut;
    const std::int64_t length = checked_sum(size, std::min<std::int64_t>(right, 0));
    if (length < 0) {
        throw Error(ErrorKind::Run, concat("start (0) + length (", length, ") exceeds dimension size (", size, ")."));
    }
}

TensorMeta constant_pad_meta(const Tensor& self, const Dims& pad, const Scalar&) {
    if (pad.size() % 2 != 0)
        throw Error(ErrorKind::Run, concat("Length of pad must be even but instead it equals ", pad.size()));
    if (static_cast<std::int64_t>(pad.size()) > 2 * self.dim()) {
        throw Error(ErrorKind::Run,
                    concat("Length of pad should be no more than twice the number of dimensions of the input. "
                           "Pad length is ",
                           pad.size(), "while the input has ", self.dim(), "dimensions."));
    }
    TensorMeta meta{to_dims(self.sizes()), self.dtype(), self.device()};
    for (std::size_t d = 0; d < meta.sizes.size(); ++d) {
        const auto [left, right] = widths(pad, meta.sizes.size(), d);
        check_cut(self.sizes()[d], left, right);
        meta.sizes[d] = checked_sum(meta.sizes[d], checked_sum(left, right));
    }
    if ((self.dim() == 4 || self.dim() == 5) && self.is_channels_last() && !self.is_contiguous()) {
        meta.strides = channels_last_strides(span_of(meta.sizes));
    }
    return meta;
}

void constant_pad(const Tensor& out, const Tensor& self, const Dims& pad, const Scalar& value) {
    require_fits(value, out.dtype(), out.numel() == 1);
    bool is_covered = true;
    Dims sizes;
    std::int64_t to_offset = out.storage_offset();
    std::int64_t from_offset = self.storage_offset();
    for (std::size_t d = 0; d < self.sizes().size(); ++d) {
        const auto [left, right] = widths(pad, self.sizes().size(), d);
        is_covered = is_covered && left <= 0 && right <= 0;
        sizes.push_back(self.sizes()[d] + std::min<std::int64_t>(left, 0) + std::min<std::int64_t>(right, 0));
        to_offset += std::max<std::int64_t>(left, 0) * out.strides()[d];
        from_offset += std::max<std::int64_t>(-left, 0) * self.strides()[d];
    }
    if (!is_covered) fill_with(out, value);
    for (const std::int64_t size : sizes) {
        if (size <= 0) return;
    }
    copy_into(out.view_as_strided(span_of(sizes), out.strides(), to_offset),
              self.view_as_strided(span_of(sizes), self.strides(), from_offset));
}
void constant_pad_backward(GradientContext& context) {
    context.grad("self", [&] {
        Dims back = context.value("pad").to_ints();
        for (std::int64_t& width : back) width = -width;
        return fn::constant_pad_nd(context.grad_output(), back, 0);
    });
}

std::vector<Sample> constant_pad_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 3, 4}, dtype), Dims{1, 2, 0, 1}, Scalar(1)}},
            {{random_tensor(random, {3, 4}, dtype), Dims{-1, 2}, Scalar(0)}, "cut at one side"}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor",
     .summary = "With a border of one value; negative widths cut.",
     .infer = inferring<constant_pad_meta>,
     .kernel = filling<constant_pad>,
     .derivative = {constant_pad_backward},
     .gradient = "self: grad without the border",
     .samples = constant_pad_samples,
     .variants = kOut,
     .dtypes = {kAnyDtype}},
};

}  // namespace

std::span<const OperatorRecord> constant_pad_records() { return kRecords; }

}  // namespace loupe::joining
