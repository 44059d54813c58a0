// SPDX-License-Identifier: Apache-2.0
// as_strided: any sizes and strides over the same storage.

#include <array>

#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/ops/samples.h"
#include "core/ops/view/family.h"
#include "core/ops/view/slicing.h"
#include "core/tensor/device_copy.h"

namespace loupe::views {

ViewGeometry as_strided(const Tensor& self, const Dims& size, const Dims& stride, OptionalInt offset) {
    if (size.size() != stride.size()) throw Error(ErrorKind::Run, "mismatch in length of strides and shape");
    for (const std::int64_t s : stride) {
        if (s >= 0) continue;
        throw Error(ErrorKind::Run,
                    concat("as_strided: Negative strides are not supported at the moment, got strides: ",
                           shape_list_text(span_of(stride))));
    }
    return {size, stride, offset.value_or(self.storage_offset())};
}

namespace {

// One past the greatest offset of an element.
std::int64_t extent(IntSpan sizes, IntSpan strides, std::int64_t offset) {
    std::int64_t last = offset;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (sizes[d] == 0) return 0;
        last += (sizes[d] - 1) * strides[d];
    }
    return last + 1;
}

// The offsets of all elements, in row-major order.
Tensor element_offsets(IntSpan sizes, IntSpan strides, std::int64_t offset) {
    const Tensor out = empty(std::array{checked_numel(sizes)}, ScalarType::Int64);
    auto* values = out.data<std::int64_t>();
    Dims index(sizes.size(), 0);
    for (std::int64_t n = 0; n < out.numel(); ++n) {
        values[n] = offset;
        for (std::size_t d = 0; d < sizes.size(); ++d) values[n] += index[d] * strides[d];
        for (std::size_t d = sizes.size(); d-- > 0;) {
            if (++index[d] < sizes[d]) break;
            index[d] = 0;
        }
    }
    return out;
}

// Through the storage: the view's gradients are added where its elements lie, the input's read where its own do.
void as_strided_backward(GradientContext& context) {
    context.grad("self", [&] {
        const Tensor grad = context.grad_output();
        const Dims sizes = context.value("size").to_ints();
        const Dims strides = context.value("stride").to_ints();
        const std::int64_t offset = context.value("storage_offset").is_none()
                                        ? context.storage_offset("self")
                                        : context.value("storage_offset").to_int();
        const IntSpan input_sizes = context.sizes("self");
        const IntSpan input_strides = context.strides("self");
        const std::int64_t length = std::max(extent(span_of(sizes), span_of(strides), offset),
                                             extent(input_sizes, input_strides, context.storage_offset("self")));
        const Tensor base = fn::new_zeros(grad, Dims{length});
        const Tensor offsets = on_device(element_offsets(span_of(sizes), span_of(strides), offset), grad.device());
        const Tensor filled = fn::index_add(base, 0, offsets, fn::reshape(grad, Dims{-1}));
        const Tensor own =
            on_device(element_offsets(input_sizes, input_strides, context.storage_offset("self")), grad.device());
        return fn::reshape(fn::index_select(filled, 0, own), input_sizes);
    });
}

std::vector<Sample> as_strided_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 4}, dtype), Dims{2, 2}, Dims{4, 1}, 1}},
            {{random_tensor(random, {7}, dtype), Dims{3, 3}, Dims{2, 1}, IValue()}, "overlapping"}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema =
         "aten::as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)",
     .summary = "Those sizes and strides over the same storage.",
     .formula = "out[i, j] = storage[storage_offset + i stride_0 + j stride_1]",
     .infer = inferring_view<as_strided>,
     .kernel = viewing<as_strided>,
     .derivative = {as_strided_backward},
     .gradient = "self: grad, added where the elements came from",
     .samples = as_strided_samples},
    {.schema = "aten::as_strided_(Tensor(a!) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> "
               "Tensor(a!)",
     .summary = "Sets sizes and strides in place.",
     .formula = "out[i, j] = storage[storage_offset + i stride_0 + j stride_1]",
     .kernel = viewing_in_place<as_strided>,
     .derivative = {as_strided_backward, {}, "AsStridedBackward1"},
     .gradient = "self: grad, added where the elements came from",
     .samples = as_strided_samples,
     .dtypes = {kAnyDtype}},
};

}  // namespace

std::span<const OperatorRecord> strided_records() { return kRecords; }

}  // namespace loupe::views
