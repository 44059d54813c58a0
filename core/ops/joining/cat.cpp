// SPDX-License-Identifier: Apache-2.0
// cat: tensors one after another along a dimension.

#include <algorithm>
#include <cstring>

#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/base/typed_error.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/forward.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/kernels/elementwise.h"
#include "core/ops/joining/family.h"
#include "core/ops/samples.h"

namespace loupe::joining {
namespace {

// Tensors of shape [0] are left out whatever the others' shape, as PyTorch has always done.
bool is_left_out(IntSpan sizes) { return sizes.size() == 1 && sizes[0] == 0; }

void check_sizes(const Tensor& first, const Tensor& other, std::size_t dim, std::size_t position) {
    if (first.dim() != other.dim()) {
        throw Error(ErrorKind::Run,
                    concat("Tensors must have same number of dimensions: got ", first.dim(), " and ", other.dim()));
    }
    for (std::size_t d = 0; d < first.sizes().size(); ++d) {
        if (d == dim || first.sizes()[d] == other.sizes()[d]) continue;
        throw Error(ErrorKind::Run, concat("Sizes of tensors must match except in dimension ", dim, ". Expected size ",
                                           first.sizes()[d], " but got size ", other.sizes()[d], " for tensor number ",
                                           position, " in the list."));
    }
}

Dims channels_last_strides(IntSpan sizes) {
    Dims strides(sizes.size());
    std::int64_t stride = 1;
    strides[1] = stride;
    stride *= std::max<std::int64_t>(sizes[1], 1);
    for (std::size_t d = sizes.size() - 1; d >= 2; --d) {
        strides[d] = stride;
        stride *= std::max<std::int64_t>(sizes[d], 1);
    }
    strides[0] = stride;
    return strides;
}

TensorMeta cat_meta(const TensorList& tensors, std::int64_t dim) {
    if (tensors.empty())
        throw TypedError(is_older_torch() ? "RuntimeError" : "ValueError",
                         "torch.cat(): expected a non-empty list of Tensors");
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (tensors[i].dim() == 0) {
            throw Error(ErrorKind::Run, concat("zero-dimensional tensor (at position ", i, ") cannot be concatenated"));
        }
    }
    const auto found = std::ranges::find_if(tensors, [](const Tensor& t) { return !is_left_out(t.sizes()); });
    const Tensor& first = found == tensors.end() ? tensors.front() : *found;
    const auto along = static_cast<std::size_t>(wrap_dim(dim, first.dim()));
    TensorMeta meta{to_dims(first.sizes()), tensors.front().dtype(), first.device()};
    meta.sizes[along] = 0;
    bool channels_last = first.dim() == 4 || first.dim() == 5;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const Tensor& t = tensors[i];
        meta.dtype = promote_types(meta.dtype, t.dtype());
        if (is_left_out(t.sizes())) continue;
        check_sizes(first, t, along, i);
        meta.sizes[along] += t.sizes()[along];
        channels_last = channels_last && t.is_channels_last() && !t.is_contiguous();
    }
    if (channels_last) meta.strides = channels_last_strides(span_of(meta.sizes));
    return meta;
}

Tensor part_of(const Tensor& out, std::int64_t dim, std::int64_t start, std::int64_t length) {
    Dims sizes = to_dims(out.sizes());
    sizes[static_cast<std::size_t>(dim)] = length;
    return out.view_as_strided(span_of(sizes), out.strides(),
                               out.storage_offset() + start * out.strides()[static_cast<std::size_t>(dim)]);
}

// Short runs are copied here, which costs less than a call.
void copy_run(std::byte* to, const std::byte* from, std::size_t bytes) {
    constexpr std::size_t kPiece = 32;
    if (bytes > 8 * kPiece || bytes % kPiece != 0) {
        std::memcpy(to, from, bytes);
        return;
    }
    for (std::size_t at = 0; at < bytes; at += kPiece) std::memcpy(to + at, from + at, kPiece);
}

// All in one order of memory, so that the result is runs of each in turn. False when they are not, or the runs are few.
bool cat_in_runs(const Tensor& out, const TensorList& tensors, std::size_t along) {
    constexpr std::int64_t kFewest = 16;
    if (!out.device().is_cpu()) return false;
    const bool last = !out.is_contiguous() && out.is_channels_last();
    if (!last && !out.is_contiguous()) return false;
    std::int64_t count = 1;
    for (std::size_t d = 0; d < out.sizes().size(); ++d) {
        const bool is_outside = last ? along == 1 ? d != 1 : d != 1 && d < along : d < along;
        if (is_outside) count *= out.sizes()[d];
    }
    if (count < kFewest) return false;
    struct Part {
        const std::byte* from;
        std::size_t bytes;
    };
    std::vector<Part> parts;
    for (const Tensor& t : tensors) {
        if (t.numel() == 0) continue;
        if (t.dtype() != out.dtype() || t.dim() != out.dim() || !(last ? t.is_channels_last() : t.is_contiguous()))
            return false;
        parts.push_back({t.data<std::byte>(), static_cast<std::size_t>(t.numel() / count * t.element_size())});
    }
    const auto whole = static_cast<std::size_t>(out.numel() / count * out.element_size());
    parallel_for(0, count, std::max<std::int64_t>(1, 131072 / static_cast<std::int64_t>(whole)),
                 [&](std::int64_t begin, std::int64_t end) {
                     std::byte* to = out.data<std::byte>() + static_cast<std::size_t>(begin) * whole;
                     for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
                         for (const Part& part : parts) {
                             copy_run(to, part.from + i * part.bytes, part.bytes);
                             to += part.bytes;
                         }
                     }
                 });
    return true;
}

void cat(const Tensor& out, const TensorList& tensors, std::int64_t dim) {
    if (out.numel() == 0) return;
    const std::int64_t along = wrap_dim(dim, out.dim());
    if (cat_in_runs(out, tensors, static_cast<std::size_t>(along))) return;
    std::int64_t start = 0;
    for (const Tensor& t : tensors) {
        if (t.numel() == 0) continue;
        const std::int64_t length = t.sizes()[static_cast<std::size_t>(along)];
        copy_into(part_of(out, along, start, length), t);
        start += length;
    }
}

void cat_backward(GradientContext& context) {
    const Tensor& grad = context.grad_output();
    const std::int64_t dim = wrap_dim(context.value("dim").to_int(), grad.dim());
    std::int64_t start = 0;
    for (std::size_t i = 0; i < context.list_size("tensors"); ++i) {
        const IntSpan sizes = context.sizes("tensors", i);
        if (is_left_out(sizes)) {
            context.set_grad("tensors", i, fn::new_zeros(grad, sizes));
            continue;
        }
        const std::int64_t length = sizes[static_cast<std::size_t>(dim)];
        context.set_grad("tensors", i, fn::narrow(grad, dim, start, length));
        start += length;
    }
}

std::vector<Sample> cat_samples(Random& random, ScalarType dtype) {
    return {
        {{TensorList{random_tensor(random, {2, 3}, dtype), random_tensor(random, {2, 2}, dtype)}, 1}},
        {{TensorList{random_tensor(random, {2, 3}, dtype), random_tensor(random, {0}, dtype)}, -2}, "an empty one"}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::cat(Tensor[] tensors, int dim=0) -> Tensor",
     .summary = "The tensors one after another along dim.",
     .infer = inferring<cat_meta>,
     .kernel = filling<cat>,
     .derivative = {cat_backward},
     .gradient = "tensors: the piece of grad that came from it",
     .samples = cat_samples,
     .variants = kOut,
     .autocast = {.cpu = Autocast::Widest},
     .dtypes = {kAnyDtype}},
    {.schema = "aten::concat(Tensor[] tensors, int dim=0) -> Tensor",
     .summary = "The tensors one after another along dim.",
     .composite = forward<"aten::cat">,
     .variants = kOut},
    {.schema = "aten::concatenate(Tensor[] tensors, int dim=0) -> Tensor",
     .summary = "The tensors one after another along dim.",
     .composite = forward<"aten::cat">,
     .variants = kOut},
};

}  // namespace

std::span<const OperatorRecord> cat_records() { return kRecords; }

}  // namespace loupe::joining
