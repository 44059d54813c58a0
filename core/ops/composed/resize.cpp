// SPDX-License-Identifier: Apache-2.0
// Tensors given other storage or sizes in place: resize_, set_, fill_diagonal_.

#include <algorithm>

#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/kernels/elementwise.h"
#include "core/ops/composed/family.h"
#include "core/ops/samples.h"
#include "core/tensor/device_copy.h"

namespace loupe::composed {
namespace {

// Keeps the storage's elements; added ones are not initialised.
Tensor resize(const Tensor& self, const Dims& size, const IValue&) {
    const std::int64_t numel = checked_numel(span_of(size));
    const std::size_t needed = static_cast<std::size_t>((self.storage_offset() + numel) * self.element_size());
    const Dims strides = contiguous_strides(span_of(size));
    if (needed <= self.storage()->bytes()) {
        self.set_metadata_from(self.view_as_strided(span_of(size), span_of(strides), self.storage_offset()));
        return self;
    }
    const Tensor grown = empty(std::array{self.storage_offset() + numel}, self.dtype(), self.device());
    copy_bytes(*grown.storage(), 0, *self.storage(), 0, std::min(self.storage()->bytes(), grown.bytes()));
    self.set_metadata_from(grown.view_as_strided(span_of(size), span_of(strides), self.storage_offset()));
    return self;
}
Tensor resize_as(const Tensor& self, const Tensor& other, const IValue& format) {
    return resize(self, to_dims(other.sizes()), format);
}
Tensor set_to(const Tensor& self, const Tensor& source) {
    if (self.dtype() != source.dtype()) throw Error(ErrorKind::Run, "set_: the tensors must have the same dtype");
    self.set_metadata_from(source);
    return self;
}
Tensor set_to_part(const Tensor& self, const Tensor& source, std::int64_t offset, const Dims& size,
                   const Dims& stride) {
    const Dims strides = stride.empty() && !size.empty() ? contiguous_strides(span_of(size)) : stride;
    self.set_metadata_from(source.view_as_strided(span_of(size), span_of(strides), offset));
    return self;
}
Tensor set_empty(const Tensor& self) {
    self.set_metadata_from(empty(std::array<std::int64_t, 1>{0}, self.dtype(), self.device()));
    return self;
}

Tensor fill_diagonal(const Tensor& self, const Scalar& value, bool wrap) {
    if (self.dim() < 2) throw Error(ErrorKind::Run, "dimensions must larger than 1");
    const IntSpan sizes = self.sizes();
    if (self.dim() > 2 && std::ranges::any_of(sizes, [&](std::int64_t s) { return s != sizes[0]; })) {
        throw Error(ErrorKind::Run, "all dimensions of input must be of equal length");
    }
    std::int64_t step = 0;
    for (const std::int64_t stride : self.strides()) step += stride;
    const std::int64_t length = *std::ranges::min_element(sizes);
    const std::array count{length};
    const std::array strides{step};
    fill_with(self.view_as_strided(count, strides, self.storage_offset()), value);
    // In a tall matrix the diagonal continues after skipping one row.
    if (wrap && self.dim() == 2 && sizes[0] > sizes[1] + 1) {
        for (std::int64_t row = sizes[1] + 1; row < sizes[0]; row += sizes[1] + 1) {
            const std::array rest{std::min(sizes[1], sizes[0] - row)};
            fill_with(self.view_as_strided(rest, strides, self.storage_offset() + row * self.strides()[0]), value);
        }
    }
    return self;
}

// The diagonal no longer depends on its old elements.
void fill_diagonal_backward(GradientContext& c) {
    const Tensor grad = c.grad_output();
    const Tensor kept = empty(grad.sizes(), grad.dtype(), grad.device());
    fill_with(kept, 1);
    fill_diagonal(kept, 0, c.value("wrap").to_bool());
    c.set_grad("self", fn::mul(grad, kept));
}

std::vector<Sample> fill_diagonal_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 4}, dtype), 2, false}, {}},
            {{random_tensor(random, {5, 2}, dtype), 0, true}, "wrapped"}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::resize_(Tensor(a!) self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor(a!)",
     .summary = "Gives the tensor other sizes; what is added is not initialised.",
     .kernel = boxed<resize>,
     .is_gradient_stop = true,
     .placement = Placement::Anywhere,
     .dtypes = {kAnyDtype}},
    {.schema =
         "aten::resize_as_(Tensor(a!) self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor(a!)",
     .summary = "Gives the tensor the sizes of another.",
     .kernel = boxed<resize_as>,
     .is_gradient_stop = true,
     .placement = Placement::Anywhere,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::set_(Tensor(a!) self) -> Tensor(a!)",
     .summary = "Makes the tensor an empty one.",
     .kernel = boxed<set_empty>,
     .is_gradient_stop = true,
     .placement = Placement::Anywhere,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::set_.source_Tensor(Tensor(a!) self, Tensor source) -> Tensor(a!)",
     .summary = "Makes the tensor see the elements of another.",
     .kernel = boxed<set_to>,
     .is_gradient_stop = true,
     .placement = Placement::Anywhere,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::set_.source_Tensor_storage_offset(Tensor(a!) self, Tensor source, SymInt storage_offset, "
               "SymInt[] size, "
               "SymInt[] stride=[]) -> Tensor(a!)",
     .summary = "Makes the tensor see a part of another's storage.",
     .kernel = boxed<set_to_part>,
     .is_gradient_stop = true,
     .placement = Placement::Anywhere,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::fill_diagonal_(Tensor(a!) self, Scalar fill_value, bool wrap=False) -> Tensor(a!)",
     .summary = "Writes the value to the diagonal.",
     .formula = "self[i, i] = fill_value",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<fill_diagonal>,
     .derivative = {fill_diagonal_backward},
     .gradient = "self: grad off the diagonal, 0 on it",
     .samples = fill_diagonal_samples,
     .dtypes = {kAnyDtype}},
};

}  // namespace

std::span<const OperatorRecord> resize_records() { return kRecords; }

}  // namespace loupe::composed
