// SPDX-License-Identifier: Apache-2.0
// Elements where a mask is true: masked_select, masked_scatter, nonzero, where(condition).

#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/dispatch/out_refusals.h"
#include "core/kernels/elementwise.h"
#include "core/ops/indexing/family.h"
#include "core/ops/indexing/indices.h"
#include "core/ops/samples.h"

namespace loupe::indexing {
namespace {

void check_mask(const Tensor& mask, const char* name) {
    if (mask.dtype() == ScalarType::Bool || mask.dtype() == ScalarType::UInt8) return;
    throw Error(ErrorKind::Run, concat(name, ": expected BoolTensor or ByteTensor for mask"));
}
Tensor broadcast(const Tensor& t, const Dims& shape, ScalarType dtype) {
    return dense(fn::expand(t, shape, false), dtype);
}

Tensor masked_select(const Tensor& self, const Tensor& mask) {
    check_mask(mask, "masked_select");
    const Dims shape = broadcast_shapes(mask.sizes(), self.sizes());
    const Tensor where = broadcast(mask, shape, ScalarType::Bool);
    const Tensor from = broadcast(self, shape, self.dtype());
    const bool* flags = where.data<bool>();
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < where.numel(); ++i) count += flags[i] ? 1 : 0;
    const Tensor out = empty(std::array{count}, self.dtype(), self.device());
    visit_element_size(self.dtype(), [&]<typename T>(std::type_identity<T>) {
        const T* source = from.data<T>();
        T* to = out.data<T>();
        for (std::int64_t i = 0; i < where.numel(); ++i) {
            if (flags[i]) *to++ = source[i];
        }
    });
    return out;
}
void masked_select_backward(GradientContext& context) {
    context.grad("self", [&] {
        const Tensor mask = context.argument("mask");
        const Dims shape = broadcast_shapes(context.sizes("self"), mask.sizes());
        return fn::masked_scatter(fn::new_zeros(context.grad_output(), shape), mask, context.grad_output());
    });
}
Tensor masked_select_backward_function(const Tensor& grad, const Tensor& input, const Tensor& mask) {
    const Dims shape = broadcast_shapes(input.sizes(), mask.sizes());
    return fn::masked_scatter(fn::new_zeros(grad, shape), mask, grad);
}

TensorMeta masked_scatter_meta(const Tensor& self, const Tensor& mask, const Tensor& source) {
    check_mask(mask, "masked_scatter");
    if (self.dtype() != source.dtype()) {
        throw Error(ErrorKind::Run, concat("masked_scatter: expected self and source to have same dtypes but got",
                                           dtype_graph_name(self.dtype()), " and ", dtype_graph_name(source.dtype())));
    }
    return {broadcast_shapes(self.sizes(), mask.sizes()), self.dtype(), self.device()};
}
void masked_scatter(const Tensor& out, const Tensor& self, const Tensor& mask, const Tensor& source) {
    const Tensor where = broadcast(mask, to_dims(out.sizes()), ScalarType::Bool);
    const Tensor values = dense(source);
    const bool* flags = where.data<bool>();
    if (!out.is_same(self)) copy_into(out, self);
    const Tensor work = dense(out);
    visit_element_size(self.dtype(), [&]<typename T>(std::type_identity<T>) {
        const T* from = values.data<T>();
        const T* end = from + values.numel();
        T* to = work.data<T>();
        for (std::int64_t i = 0; i < where.numel(); ++i) {
            if (!flags[i]) continue;
            if (from == end) {
                throw Error(ErrorKind::Run, "Number of elements of source < number of ones in mask");
            }
            to[i] = *from++;
        }
    });
    if (!work.is_same(out)) copy_into(out, work);
}
void masked_scatter_backward(GradientContext& context) {
    const Tensor& grad = context.grad_output();
    const Tensor mask = context.argument("mask");
    context.grad("self", [&] { return fn::masked_fill(grad, mask, Scalar(0)); });
    context.grad("source", [&] {
        const std::int64_t wanted = checked_numel(context.sizes("source"));
        const Tensor selected = fn::masked_select(grad, mask);
        return fn::reshape(fn::constant_pad_nd(selected, Dims{0, wanted - selected.numel()}, Scalar(0)),
                           context.sizes("source"));
    });
}

// The indices of the elements that are not zero, one per row.
Tensor nonzero(const Tensor& self) {
    const Tensor flags = dense(self, ScalarType::Bool);
    const bool* flag = flags.data<bool>();
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < flags.numel(); ++i) count += flag[i] ? 1 : 0;
    const std::int64_t ndim = self.dim();
    const Tensor out = empty(std::array{count, ndim}, ScalarType::Int64, self.device());
    auto* row = out.data<std::int64_t>();
    Dims index(self.sizes().size(), 0);
    for (std::int64_t i = 0; i < flags.numel(); ++i) {
        if (flag[i]) row = std::copy(index.begin(), index.end(), row);
        for (std::size_t d = index.size(); d-- > 0;) {
            if (++index[d] < self.sizes()[d]) break;
            index[d] = 0;
        }
    }
    return out;
}
TensorList nonzero_numpy(const Tensor& self) {
    return fn::unbind(fn::nonzero(self.dim() == 0 ? fn::unsqueeze(self, 0) : self), 1);
}

std::vector<Sample> masked_select_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 4}, dtype), random_tensor(random, {3, 4}, ScalarType::Bool)}},
            {{random_tensor(random, {3, 4}, dtype), random_tensor(random, {4}, ScalarType::Bool)}, "broadcast"}};
}
std::vector<Sample> masked_scatter_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 4}, dtype), random_tensor(random, {3, 4}, ScalarType::Bool),
              random_tensor(random, {3, 4}, dtype)}}};
}
std::vector<Sample> nonzero_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 4}, dtype)}}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::masked_select(Tensor self, Tensor mask) -> Tensor",
     .summary = "The elements where the mask is true, in one dimension.",
     .results_from = ResultsFrom::Elements,
     .kernel = boxed<masked_select>,
     .derivative = {masked_select_backward, {save_argument("mask")}},
     .gradient = "self: grad where the mask holds, else 0",
     .samples = masked_select_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kSameScalarType},
     .dtypes = {kCommonDtypes | kFloat8Dtypes, "masked_select"}},
    {.schema = "aten::masked_select_backward(Tensor grad, Tensor input, Tensor mask) -> Tensor",
     .summary = "The gradient of masked_select.",
     .composite = boxed<masked_select_backward_function>},
    {.schema = "aten::masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor",
     .summary = "A copy with the source's elements, one after another, where the mask is true.",
     .infer = inferring<masked_scatter_meta>,
     .kernel = filling<masked_scatter>,
     .derivative = {masked_scatter_backward, {save_argument("mask")}},
     .gradient = "self: grad where the mask does not hold, else 0\n"
                 "source: grad where the mask holds, one after another",
     .samples = masked_scatter_samples,
     .variants = kInPlace | kOut,
     .dtypes = {.kernel = "masked_scatter"}},
    {.schema = "aten::nonzero(Tensor self) -> Tensor",
     .summary = "The indices of the elements that are not zero, one a row.",
     .results_from = ResultsFrom::Elements,
     .kernel = boxed<nonzero>,
     .samples = nonzero_samples,
     .variants = kOut,
     .out = {.refusal = {"nonzero: Expected out tensor to have scalar type {T} but got scalar type{O}"}},
     .is_gradient_stop = true,
     .dtypes = {.kernel = "nonzero_count_cpu"}},
    {.schema = "aten::argwhere(Tensor self) -> Tensor",
     .summary = "The indices of the elements that are not zero, one a row.",
     .results_from = ResultsFrom::Elements,
     .kernel = boxed<nonzero>,
     .is_gradient_stop = true},
    {.schema = "aten::nonzero_numpy(Tensor self) -> Tensor[]",
     .summary = "The indices of the elements that are not zero, one tensor a dimension.",
     .results_from = ResultsFrom::Elements,
     .composite = boxed<nonzero_numpy>},
    {.schema = "aten::where(Tensor condition) -> Tensor[]",
     .summary = "The indices where the condition is true, one tensor a dimension.",
     .composite = boxed<nonzero_numpy>},
};

}  // namespace

std::span<const OperatorRecord> masked_records() { return kRecords; }

}  // namespace loupe::indexing
