// SPDX-License-Identifier: Apache-2.0
// pixel_shuffle, pixel_unshuffle, channel_shuffle: channels traded for space or for each other.

#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/integer_math.h"
#include "core/ops/joining/family.h"
#include "core/ops/samples.h"

namespace loupe::joining {
namespace {

const OperatorHandle<> kPixelShuffle{"aten::pixel_shuffle"};
const OperatorHandle<> kPixelUnshuffle{"aten::pixel_unshuffle"};

// The sizes before the last three, then those given.
Dims with_tail(const Tensor& t, std::initializer_list<std::int64_t> tail) {
    Dims sizes = to_dims(t.sizes().first(t.sizes().size() - 3));
    sizes.insert(sizes.end(), tail.begin(), tail.end());
    return sizes;
}
// Dimensions of the batch as they are, the rest in the given order.
Dims with_order(const Tensor& t, std::initializer_list<std::int64_t> order) {
    Dims dims;
    const std::int64_t batch = t.dim() - 3;
    for (std::int64_t d = 0; d < batch; ++d) dims.push_back(d);
    for (const std::int64_t d : order) dims.push_back(batch + d);
    return dims;
}
void copy_permuted(const Tensor& out, const Tensor& self, const Dims& split, const Dims& order) {
    const Tensor moved = fn::permute(fn::reshape(self, split), order);
    const Dims strides = contiguous_strides(moved.sizes());
    copy_into(out.view_as_strided(moved.sizes(), span_of(strides), out.storage_offset()), moved);
}

TensorMeta pixel_shuffle_meta(const Tensor& self, std::int64_t factor) {
    if (self.dim() < 3) {
        throw Error(ErrorKind::Run,
                    concat("pixel_shuffle expects input to have at least 3 dimensions, but got input with ", self.dim(),
                           " dimension(s)"));
    }
    if (factor <= 0)
        throw Error(ErrorKind::Run, concat("pixel_shuffle expects a positive upscale_factor, but got ", factor));
    const std::int64_t square = checked_product(factor, factor);
    const std::int64_t channels = self.size(-3);
    if (channels % (square) != 0) {
        throw Error(ErrorKind::Run,
                    concat("pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
                           "upscale_factor, but input.size(-3)=",
                           channels, " is not divisible by ", square));
    }
    return {with_tail(self, {channels / (square), checked_product(self.size(-2), factor),
                             checked_product(self.size(-1), factor)}),
            self.dtype(), self.device()};
}
void pixel_shuffle(const Tensor& out, const Tensor& self, std::int64_t r) {
    copy_permuted(out, self, with_tail(self, {self.size(-3) / (r * r), r, r, self.size(-2), self.size(-1)}),
                  with_order(self, {0, 3, 1, 4, 2}));
}
void pixel_shuffle_backward(GradientContext& context) {
    context.grad("self", [&] { return kPixelUnshuffle(context.grad_output(), context.value("upscale_factor")); });
}

TensorMeta pixel_unshuffle_meta(const Tensor& self, std::int64_t factor) {
    if (self.dim() < 3) {
        throw Error(ErrorKind::Run,
                    concat("pixel_unshuffle expects input to have at least 3 dimensions, but got input with ",
                           self.dim(), " dimension(s)"));
    }
    if (factor <= 0)
        throw Error(ErrorKind::Run, concat("pixel_unshuffle expects a positive downscale_factor, but got ", factor));
    if (self.numel() == 0) return {to_dims(self.sizes()), self.dtype(), self.device()};  // as PyTorch gives it back
    for (const auto& [d, name] : {std::pair{-2, "height"}, std::pair{-1, "width"}}) {
        if (self.size(d) % factor == 0) continue;
        throw Error(ErrorKind::Run,
                    concat("pixel_unshuffle expects ", name, " to be divisible by downscale_factor, but input.size(", d,
                           ")=", self.size(d), " is not divisible by ", factor));
    }
    return {with_tail(self, {checked_product(checked_product(self.size(-3), factor), factor), self.size(-2) / factor,
                             self.size(-1) / factor}),
            self.dtype(), self.device()};
}
void pixel_unshuffle(const Tensor& out, const Tensor& self, std::int64_t r) {
    if (self.numel() == 0) return;
    copy_permuted(out, self, with_tail(self, {self.size(-3), self.size(-2) / r, r, self.size(-1) / r, r}),
                  with_order(self, {0, 2, 4, 1, 3}));
}
void pixel_unshuffle_backward(GradientContext& context) {
    context.grad("self", [&] { return kPixelShuffle(context.grad_output(), context.value("downscale_factor")); });
}

Tensor channel_shuffle(const Tensor& self, std::int64_t groups) {
    if (self.dim() <= 2) {
        throw Error(ErrorKind::Run, concat("channel_shuffle expects input with > 2 dims, but got input with sizes ",
                                           shape_list_text(self.sizes())));
    }
    if (groups <= 0)
        throw Error(ErrorKind::Run,
                    concat("Number of groups to divide channels in must be positive. Value of groups:", groups));
    const std::int64_t channels = self.size(1);
    if (channels % groups != 0) {
        throw Error(ErrorKind::Run, concat("Number of channels must be divisible by groups. Got ", channels,
                                           " channels and ", groups, " groups."));
    }
    Dims split = to_dims(self.sizes());
    split[1] = groups;
    split.insert(split.begin() + 2, channels / groups);
    return fn::reshape(fn::contiguous(fn::transpose(fn::reshape(self, split), 1, 2)), self.sizes());
}

std::vector<Sample> pixel_shuffle_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 8, 2, 3}, dtype), 2}}};
}
std::vector<Sample> pixel_unshuffle_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 4, 6}, dtype), 2}}};
}
std::vector<Sample> channel_shuffle_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {1, 4, 2, 2}, dtype), 2}}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::pixel_shuffle(Tensor self, int upscale_factor) -> Tensor",
     .summary = "Groups of r * r channels as r times finer pixels.",
     .formula = "out[c, r h + i, r w + j] = self[c r^2 + i r + j, h, w]",
     .infer = inferring<pixel_shuffle_meta>,
     .kernel = filling<pixel_shuffle>,
     .derivative = {pixel_shuffle_backward},
     .gradient = "self: grad, moved back",
     .samples = pixel_shuffle_samples,
     .variants = kOut,
     .dtypes = {.kernel = "pixel_shuffle"}},
    {.schema = "aten::pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor",
     .summary = "Squares of r * r pixels as channels.",
     .formula = "out[c r^2 + i r + j, h, w] = self[c, r h + i, r w + j]",
     .infer = inferring<pixel_unshuffle_meta>,
     .kernel = filling<pixel_unshuffle>,
     .derivative = {pixel_unshuffle_backward},
     .gradient = "self: grad, moved back",
     .samples = pixel_unshuffle_samples,
     .variants = kOut,
     .dtypes = {.kernel = "pixel_unshuffle"}},
    {.schema = "aten::channel_shuffle(Tensor self, int groups) -> Tensor",
     .summary = "Channels of all groups in turn.",
     .composite = boxed<channel_shuffle>,
     .samples = channel_shuffle_samples,
     .variants = kOut},
    {.schema = "aten::native_channel_shuffle(Tensor self, int groups) -> Tensor",
     .summary = "Channels of all groups in turn.",
     .composite = boxed<channel_shuffle>},
};

}  // namespace

std::span<const OperatorRecord> shuffle_records() { return kRecords; }

}  // namespace loupe::joining
