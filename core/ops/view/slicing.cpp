// SPDX-License-Identifier: Apache-2.0
// Parts of a tensor along one dimension: select, slice, narrow, unfold, and their gradients.

#include "core/ops/view/slicing.h"
#include "core/kernels/integer_math.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/kernels/elementwise.h"
#include "core/ops/samples.h"
#include "core/ops/sparse/sparse.h"
#include "core/ops/view/family.h"

namespace loupe::views {

ViewGeometry select(const Tensor& self, std::int64_t dim, std::int64_t index) {
    if (self.dim() == 0) throw Error(ErrorKind::Run, "select() cannot be applied to a 0-dim tensor.");
    const std::int64_t wrapped = wrap_dim(dim, self.dim());
    ViewGeometry g = geometry_of(self);
    const std::int64_t size = g.sizes[static_cast<std::size_t>(wrapped)];
    if (index < -size || index >= size) {
        throw Error(ErrorKind::Run, concat("select(): index ", index, " out of range for tensor of size ",
                                           shape_list_text(self.sizes()), " at dimension ", wrapped));
    }
    g.offset += (index < 0 ? index + size : index) * g.strides[static_cast<std::size_t>(wrapped)];
    g.sizes.erase(g.sizes.begin() + wrapped);
    g.strides.erase(g.strides.begin() + wrapped);
    return g;
}

ViewGeometry slice(const Tensor& self, std::int64_t dim, OptionalInt start, OptionalInt end, std::int64_t step) {
    if (self.dim() == 0) throw Error(ErrorKind::Run, "slice() cannot be applied to a 0-dim tensor.");
    if (step <= 0) throw Error(ErrorKind::Run, "slice step must be positive");
    ViewGeometry g = geometry_of(self);
    const auto d = static_cast<std::size_t>(wrap_dim(dim, self.dim()));
    const std::int64_t size = g.sizes[d];
    const auto bound = [size](std::int64_t index) {
        return std::clamp<std::int64_t>(index < 0 ? index + size : index, 0, size);
    };
    const std::int64_t first = bound(start.value_or(0));
    const std::int64_t last = std::max(bound(end.value_or(size)), first);
    g.offset += first * g.strides[d];
    const std::int64_t length = last - first;
    g.sizes[d] = length == 0 ? 0 : (length - 1) / step + 1;
    std::int64_t stride = 0;
    if (!__builtin_mul_overflow(g.strides[d], step, &stride))
        g.strides[d] = stride;  // else there is one element at most
    return g;
}

ViewGeometry unfold(const Tensor& self, std::int64_t dim, std::int64_t size, std::int64_t step) {
    const auto d = static_cast<std::size_t>(wrap_dim(dim, self.dim()));
    const std::int64_t have = self.dim() == 0 ? 1 : self.sizes()[d];
    if (size > have) {
        throw Error(ErrorKind::Run,
                    concat("maximum size for tensor at dimension ", d, " is ", have, " but size is ", size));
    }
    if (size < 0) throw Error(ErrorKind::Run, concat("size is ", size, " but must be >= 0"));
    if (step <= 0) throw Error(ErrorKind::Run, concat("step is ", step, " but must be > 0"));
    ViewGeometry g = geometry_of(self);
    g.sizes.push_back(size);
    g.strides.push_back(self.dim() == 0 ? 1 : g.strides[d]);
    if (self.dim() != 0) {
        g.sizes[d] = (have - size) / step + 1;
        g.strides[d] = wrapping_product(g.strides[d], step);  // of no elements when that is too much
    }
    return g;
}

namespace {

void select_gradient(GradientContext& context) {
    context.grad("self", [&] {
        return fn::select_backward(context.grad_output(), context.sizes("self"), context.value("dim"),
                                   context.value("index"));
    });
}
void slice_gradient(GradientContext& context) {
    context.grad("self", [&] {
        const std::int64_t size = context.sizes("self")[static_cast<std::size_t>(
            wrap_dim(context.value("dim").to_int(), static_cast<std::int64_t>(context.sizes("self").size())))];
        const IValue start = context.value("start").is_none() ? IValue(0) : context.value("start");
        const IValue end = context.value("end").is_none() ? IValue(size) : context.value("end");
        return fn::slice_backward(context.grad_output(), context.sizes("self"), context.value("dim"), start, end,
                                  context.value("step"));
    });
}
void unfold_gradient(GradientContext& context) {
    context.grad("self", [&] {
        return fn::unfold_backward(context.grad_output(), context.sizes("self"), context.value("dimension"),
                                   context.value("size"), context.value("step"));
    });
}

Tensor narrow(const Tensor& self, std::int64_t dim, std::int64_t start, std::int64_t length) {
    if (self.dim() == 0) throw Error(ErrorKind::Run, "narrow() cannot be applied to a 0-dim tensor.");
    if (length < 0) throw Error(ErrorKind::Run, "narrow(): length must be non-negative.");
    const std::int64_t size = self.size(dim);
    if (start < -size || start > size) {
        throw Error(ErrorKind::Run, concat("Dimension out of range (expected to be in range of [", -size, ", ",
                                           size - 1, "], but got ", start, ")"));
    }
    if (start < 0) start += size;
    if (start > size - length) {
        throw Error(ErrorKind::Run,
                    concat("start (", start, ") + length (", length, ") exceeds dimension size (", size, ")."));
    }
    return fn::slice(self, dim, start, start + length, 1);
}
Tensor narrow_by_tensor(const Tensor& self, std::int64_t dim, const Tensor& start, std::int64_t length) {
    if (start.dim() != 0 || !is_integral(start.dtype())) {
        throw Error(ErrorKind::Run, "start must be an 0-dim integral Tensor.");
    }
    return narrow(self, dim, item(start).to_int(), length);
}

// Gradients: zeros in the shape of the whole, with the part filled in.
TensorMeta whole_meta(const Tensor& grad, const Dims& sizes) { return {sizes, grad.dtype(), grad.device()}; }
void require_fit(const Tensor& grad, const Tensor& part) {
    if (to_dims(part.sizes()) == to_dims(grad.sizes())) return;
    throw Error(ErrorKind::Run, concat("expected a gradient of size ", shape_list_text(part.sizes()), ", but got ",
                                       shape_list_text(grad.sizes())));
}
void place(const Tensor& out, const Tensor& grad, const ViewGeometry& part) {
    fill_with(out, 0);
    const Tensor to = detail::apply_geometry(out, part);
    require_fit(grad, to);
    copy_into(to, grad);
}

TensorMeta select_backward_meta(const Tensor& grad, const Dims& sizes, std::int64_t, std::int64_t) {
    return whole_meta(grad, sizes);
}
void select_backward(const Tensor& out, const Tensor& grad, const Dims&, std::int64_t dim, std::int64_t index) {
    place(out, grad, select(out, dim, index));
}
void select_backward_gradient(GradientContext& context) {
    context.grad("grad_output",
                 [&] { return fn::select(context.grad_output(), context.value("dim"), context.value("index")); });
}

TensorMeta slice_backward_meta(const Tensor& grad, const Dims& sizes, std::int64_t, std::int64_t, std::int64_t,
                               std::int64_t) {
    return whole_meta(grad, sizes);
}
void slice_backward(const Tensor& out, const Tensor& grad, const Dims&, std::int64_t dim, std::int64_t start,
                    std::int64_t end, std::int64_t step) {
    place(out, grad, slice(out, dim, start, end, step));
}
void slice_backward_gradient(GradientContext& context) {
    context.grad("grad_output", [&] {
        return fn::slice(context.grad_output(), context.value("dim"), context.value("start"), context.value("end"),
                         context.value("step"));
    });
}

// Windows overlap, so they are added one after another.
TensorMeta unfold_backward_meta(const Tensor& grad, const Dims& sizes, std::int64_t, std::int64_t, std::int64_t) {
    return whole_meta(grad, sizes);
}
Tensor view_of(const Tensor& t, const ViewGeometry& g) { return detail::apply_geometry(t, g); }
void unfold_backward(const Tensor& out, const Tensor& grad, const Dims&, std::int64_t dim, std::int64_t size,
                     std::int64_t step) {
    fill_with(out, 0);
    const Tensor windows = view_of(out, unfold(out, dim, size, step));
    require_fit(grad, windows);
    const bool overlap = step < size;
    if (!overlap) {
        copy_into(windows, grad);
        return;
    }
    // Each element takes its windows from the first to the last, as PyTorch rounds them.
    for (std::int64_t i = size - 1; i >= 0; --i) {
        const Tensor to = view_of(windows, select(windows, -1, i));
        const Tensor sum = fn::add(to, view_of(grad, select(grad, -1, i)));
        copy_into(to, sum);
    }
}
void unfold_backward_gradient(GradientContext& context) {
    context.grad("grad_in", [&] {
        return fn::unfold(context.grad_output(), context.value("dim"), context.value("size"), context.value("step"));
    });
}

std::vector<Sample> select_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 4}, dtype), 1, 2}},
            {{random_tensor(random, {3, 4}, dtype), -2, -1}, "negative"}};
}
std::vector<Sample> slice_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 7}, dtype), 1, 1, 6, 2}},
            {{random_tensor(random, {3, 7}, dtype), 0, IValue(), IValue(), 1}, "whole"},
            {{random_tensor(random, {3, 7}, dtype), 1, -3, 100, 1}, "past the end"}};
}
std::vector<Sample> unfold_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 7}, dtype), 1, 3, 2}},
            {{random_tensor(random, {7}, dtype), 0, 2, 3}, "with gaps"}};
}
std::vector<Sample> narrow_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 7}, dtype), 1, 2, 3}}};
}
std::vector<Sample> select_backward_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3}, dtype), Dims{3, 4}, 1, 2}}};
}
std::vector<Sample> slice_backward_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 3}, dtype), Dims{3, 7}, 1, 1, 6, 2}}};
}
std::vector<Sample> unfold_backward_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 3, 3}, dtype), Dims{3, 7}, 1, 3, 2}}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::select.int(Tensor(a) self, int dim, int index) -> Tensor(a)",
     .summary = "The part at index of dimension dim, which goes away.",
     .infer = inferring_view<select>,
     .kernel = viewing<select>,
     .derivative = {select_gradient},
     .gradient = "self: grad at the places chosen, else 0",
     .samples = select_samples,
     .sparse = {.run = on_sparse::rows}},
    {.schema = "aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> "
               "Tensor(a)",
     .summary = "self[start:end:step] in dimension dim.",
     .infer = inferring_view<slice>,
     .kernel = viewing<slice>,
     .derivative = {slice_gradient},
     .gradient = "self: grad at the places chosen, else 0",
     .samples = slice_samples,
     .sparse = {.run = on_sparse::rows}},
    {.schema = "aten::unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)",
     .summary = "Windows of that size along a dimension, one every step, in a new last dimension.",
     .formula = "out[.., p, .., k] = self[.., step p + k]",
     .infer = inferring_view<unfold>,
     .kernel = viewing<unfold>,
     .derivative = {unfold_gradient},
     .gradient = "self: grad, the windows added where they came from",
     .samples = unfold_samples},
    {.schema = "aten::narrow(Tensor(a) self, int dim, int start, int length) -> Tensor(a)",
     .summary = "length elements of dimension dim from start on.",
     .composite = boxed<narrow>,
     .samples = narrow_samples},
    {.schema = "aten::narrow.Tensor(Tensor(a) self, int dim, Tensor start, int length) -> Tensor(a)",
     .summary = "length elements of dimension dim from start on.",
     .composite = boxed<narrow_by_tensor>},
    {.schema = "aten::select_backward(Tensor grad_output, SymInt[] input_sizes, int dim, int index) -> Tensor",
     .summary = "The gradient of select: zeros but for the part.",
     .infer = inferring<select_backward_meta>,
     .kernel = filling<select_backward>,
     .derivative = {select_backward_gradient},
     .gradient = "grad_output: the part of grad",
     .samples = select_backward_samples,
     .variants = kOut,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::slice_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt start, SymInt end, "
               "SymInt step) -> Tensor",
     .summary = "The gradient of slice: zeros but for the part.",
     .infer = inferring<slice_backward_meta>,
     .kernel = filling<slice_backward>,
     .derivative = {slice_backward_gradient},
     .gradient = "grad_output: the part of grad",
     .samples = slice_backward_samples,
     .variants = kOut,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::unfold_backward(Tensor grad_in, int[] input_sizes, int dim, int size, int step) -> Tensor",
     .summary = "The gradient of unfold: the windows added where they came from.",
     .infer = inferring<unfold_backward_meta>,
     .kernel = filling<unfold_backward>,
     .derivative = {unfold_backward_gradient},
     .gradient = "grad_in: the windows of grad",
     .samples = unfold_backward_samples,
     .variants = kOut},
};

}  // namespace

std::span<const OperatorRecord> slice_records() { return kRecords; }

}  // namespace loupe::views
