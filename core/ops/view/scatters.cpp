// SPDX-License-Identifier: Apache-2.0
// A copy of a tensor with a part replaced: out-of-place writes to a view.

#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/kernels/elementwise.h"
#include "core/ops/samples.h"
#include "core/ops/view/family.h"
#include "core/ops/view/slicing.h"

namespace loupe::views {
namespace {

TensorMeta like(const Tensor& self) { return {to_dims(self.sizes()), self.dtype(), self.device()}; }
void replace(const Tensor& out, const Tensor& self, const Tensor& src, const ViewGeometry& part) {
    const Tensor target = detail::apply_geometry(out, part);
    if (!std::ranges::equal(target.sizes(), src.sizes())) {
        throw Error(ErrorKind::Run,
                    concat("expected src to have a size equal to the slice of self. src size = ",
                           shape_list_text(src.sizes()), ", slice size = ", shape_list_text(target.sizes())));
    }
    copy_into(out, self);
    copy_into(target, src);
}

TensorMeta select_scatter_meta(const Tensor& self, const Tensor&, std::int64_t, std::int64_t) { return like(self); }
void select_scatter(const Tensor& out, const Tensor& self, const Tensor& src, std::int64_t dim, std::int64_t index) {
    replace(out, self, src, select(out, dim, index));
}
void select_scatter_backward(GradientContext& context) {
    const Tensor& grad = context.grad_output();
    context.grad("self", [&] {
        return fn::select_scatter(grad, fn::new_zeros(grad, context.sizes("src")), context.value("dim"),
                                  context.value("index"));
    });
    context.grad("src", [&] { return fn::select(grad, context.value("dim"), context.value("index")); });
}

TensorMeta slice_scatter_meta(const Tensor& self, const Tensor&, std::int64_t, OptionalInt, OptionalInt, std::int64_t) {
    return like(self);
}
void slice_scatter(const Tensor& out, const Tensor& self, const Tensor& src, std::int64_t dim, OptionalInt start,
                   OptionalInt end, std::int64_t step) {
    replace(out, self, src, slice(out, dim, start, end, step));
}
void slice_scatter_backward(GradientContext& context) {
    const Tensor& grad = context.grad_output();
    context.grad("self", [&] {
        return fn::slice_scatter(grad, fn::new_zeros(grad, context.sizes("src")), context.value("dim"),
                                 context.value("start"), context.value("end"), context.value("step"));
    });
    context.grad("src", [&] {
        return fn::slice(grad, context.value("dim"), context.value("start"), context.value("end"),
                         context.value("step"));
    });
}

TensorMeta diagonal_scatter_meta(const Tensor& self, const Tensor&, std::int64_t, std::int64_t, std::int64_t) {
    return like(self);
}
void diagonal_scatter(const Tensor& out, const Tensor& self, const Tensor& src, std::int64_t offset, std::int64_t dim1,
                      std::int64_t dim2) {
    replace(out, self, src, diagonal(out, offset, dim1, dim2));
}
void diagonal_scatter_backward(GradientContext& context) {
    const Tensor& grad = context.grad_output();
    context.grad("self", [&] {
        return fn::diagonal_scatter(grad, fn::new_zeros(grad, context.sizes("src")), context.value("offset"),
                                    context.value("dim1"), context.value("dim2"));
    });
    context.grad("src", [&] {
        return fn::diagonal(grad, context.value("offset"), context.value("dim1"), context.value("dim2"));
    });
}

TensorMeta as_strided_scatter_meta(const Tensor& self, const Tensor&, const Dims&, const Dims&, OptionalInt) {
    return {to_dims(self.sizes()), self.dtype(), self.device(), to_dims(self.strides())};
}
void as_strided_scatter(const Tensor& out, const Tensor& self, const Tensor& src, const Dims& size, const Dims& stride,
                        OptionalInt offset) {
    replace(out, self, src, as_strided(out, size, stride, offset));
}
void as_strided_scatter_backward(GradientContext& context) {
    const Tensor& grad = context.grad_output();
    context.grad("self", [&] {
        return fn::as_strided_scatter(fn::contiguous(grad), fn::new_zeros(grad, context.sizes("src")),
                                      context.value("size"), context.value("stride"), context.value("storage_offset"));
    });
    context.grad("src", [&] {
        return fn::as_strided(fn::contiguous(grad), context.value("size"), context.value("stride"),
                              context.value("storage_offset"));
    });
}

std::vector<Sample> select_scatter_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 4}, dtype), random_tensor(random, {3}, dtype), 1, 2}}};
}
std::vector<Sample> slice_scatter_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 7}, dtype), random_tensor(random, {3, 3}, dtype), 1, 1, 6, 2}}};
}
std::vector<Sample> diagonal_scatter_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 4}, dtype), random_tensor(random, {3}, dtype), 1, 0, 1}}};
}
std::vector<Sample> as_strided_scatter_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 4}, dtype), random_tensor(random, {2, 2}, dtype), Dims{2, 2}, Dims{4, 1}, 1}}};
}

constexpr std::string_view kRestOfSelf = "self: grad, 0 at the places written\nsrc: grad at the places written";

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::select_scatter(Tensor self, Tensor src, int dim, int index) -> Tensor",
     .summary = "A copy with src at index of dimension dim.",
     .infer = inferring<select_scatter_meta>,
     .kernel = filling<select_scatter>,
     .derivative = {select_scatter_backward},
     .gradient = kRestOfSelf,
     .samples = select_scatter_samples,
     .variants = kOut,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, "
               "SymInt step=1) -> Tensor",
     .summary = "A copy with src at start:end:step of dimension dim.",
     .infer = inferring<slice_scatter_meta>,
     .kernel = filling<slice_scatter>,
     .derivative = {slice_scatter_backward},
     .gradient = kRestOfSelf,
     .samples = slice_scatter_samples,
     .variants = kOut,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor",
     .summary = "A copy with src on the diagonal.",
     .infer = inferring<diagonal_scatter_meta>,
     .kernel = filling<diagonal_scatter>,
     .derivative = {diagonal_scatter_backward},
     .gradient = kRestOfSelf,
     .samples = diagonal_scatter_samples,
     .variants = kOut,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, "
               "SymInt? storage_offset=None) -> Tensor",
     .summary = "A copy with src in the elements of the strided view.",
     .infer = inferring<as_strided_scatter_meta>,
     .kernel = filling<as_strided_scatter>,
     .derivative = {as_strided_scatter_backward},
     .gradient = kRestOfSelf,
     .samples = as_strided_scatter_samples,
     .variants = kOut,
     .dtypes = {kAnyDtype}},
};

}  // namespace

std::span<const OperatorRecord> scatter_view_records() { return kRecords; }

}  // namespace loupe::views
