// SPDX-License-Identifier: Apache-2.0
// Diagonals: taking them out and making matrices of them.

#include <algorithm>

#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/dispatch/out_refusals.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/integer_math.h"
#include "core/ops/samples.h"
#include "core/ops/view/family.h"
#include "core/ops/view/slicing.h"

namespace loupe::views {

ViewGeometry diagonal(const Tensor& self, std::int64_t offset, std::int64_t dim1, std::int64_t dim2) {
    const std::int64_t a = wrap_dim(dim1, self.dim());
    const std::int64_t b = wrap_dim(dim2, self.dim());
    if (a == b) {
        throw Error(ErrorKind::Run, concat("diagonal dimensions cannot be identical ", dim1, ", ", dim2));
    }
    const auto rows = static_cast<std::size_t>(a);
    const auto columns = static_cast<std::size_t>(b);
    ViewGeometry g = geometry_of(self);
    const std::int64_t length = offset >= 0 ? std::min(g.sizes[rows], g.sizes[columns] - offset)
                                            : std::min(g.sizes[rows] + offset, g.sizes[columns]);
    if (length > 0) {
        g.offset = wrapping_sum(
            g.offset,
            wrapping_product(offset, offset >= 0 ? g.strides[columns] : wrapping_product(g.strides[rows], -1)));
    }
    const std::int64_t stride = wrapping_sum(g.strides[rows], g.strides[columns]);
    for (const std::int64_t d : {std::max(a, b), std::min(a, b)}) {
        g.sizes.erase(g.sizes.begin() + d);
        g.strides.erase(g.strides.begin() + d);
    }
    g.sizes.push_back(std::max<std::int64_t>(length, 0));
    g.strides.push_back(stride);
    return g;
}

namespace {

void diagonal_gradient(GradientContext& context) {
    context.grad("self", [&] {
        return fn::diagonal_backward(context.grad_output(), context.sizes("self"), context.value("offset"),
                                     context.value("dim1"), context.value("dim2"));
    });
}
TensorMeta diagonal_backward_meta(const Tensor& grad, const Dims& sizes, std::int64_t, std::int64_t, std::int64_t) {
    return {sizes, grad.dtype(), grad.device()};
}
void diagonal_backward(const Tensor& out, const Tensor& grad, const Dims&, std::int64_t offset, std::int64_t dim1,
                       std::int64_t dim2) {
    fill_with(out, 0);
    const Tensor to = detail::apply_geometry(out, diagonal(out, offset, dim1, dim2));
    if (to_dims(to.sizes()) != to_dims(grad.sizes())) {
        throw Error(ErrorKind::Run, concat("expected a gradient of size ", shape_list_text(to.sizes()), ", but got ",
                                           shape_list_text(grad.sizes())));
    }
    copy_into(to, grad);
}
void diagonal_backward_gradient(GradientContext& context) {
    context.grad("grad_output", [&] {
        return fn::diagonal(context.grad_output(), context.value("offset"), context.value("dim1"),
                            context.value("dim2"));
    });
}

TensorMeta diag_embed_meta(const Tensor& self, std::int64_t offset, std::int64_t dim1, std::int64_t dim2) {
    const std::int64_t ndim = self.dim() + 1;
    const std::int64_t a = wrap_dim(dim1, ndim);
    const std::int64_t b = wrap_dim(dim2, ndim);
    if (a == b) {
        throw Error(ErrorKind::Run, concat("diagonal dimensions cannot be identical ", dim1, ", ", dim2));
    }
    const auto distance = static_cast<std::int64_t>(
        std::min<std::uint64_t>(wrapping_magnitude(offset), std::numeric_limits<std::int64_t>::max()));
    const std::int64_t length = checked_sum(self.size(-1), distance);
    Dims sizes = to_dims(self.sizes().first(self.sizes().size() - 1));
    sizes.insert(sizes.begin() + std::min(a, b), length);
    sizes.insert(sizes.begin() + std::max(a, b), length);
    return {std::move(sizes), self.dtype(), self.device()};
}
void diag_embed(const Tensor& out, const Tensor& self, std::int64_t offset, std::int64_t dim1, std::int64_t dim2) {
    fill_with(out, 0);
    copy_into(detail::apply_geometry(out, diagonal(out, offset, dim1, dim2)), self);
}
void diag_embed_gradient(GradientContext& context) {
    context.grad("self", [&] {
        return fn::diagonal(context.grad_output(), context.value("offset"), context.value("dim1"),
                            context.value("dim2"));
    });
}

Tensor diag(const Tensor& self, std::int64_t offset) {
    if (self.dim() == 1) return fn::diag_embed(self, offset, 0, 1);
    if (self.dim() == 2) return fn::clone(fn::diagonal(self, offset, 0, 1));
    throw Error(ErrorKind::Run, is_older_torch() ? "matrix or a vector expected"
                                                 : concat("diag(): Supports 1D or 2D tensors. Got ", self.dim(), "D"));
}
Tensor diagflat(const Tensor& self, std::int64_t offset) {
    return fn::diag_embed(fn::reshape(self, Dims{-1}), offset, 0, 1);
}
Tensor diag_backward(const Tensor& grad, const Dims& sizes, std::int64_t offset) {
    if (sizes.size() == 1) return fn::diagonal(grad, offset, 0, 1);
    return fn::diagonal_backward(grad, sizes, offset, 0, 1);
}
Tensor trace(const Tensor& self) {
    if (self.dim() != 2)
        throw Error(ErrorKind::Run, concat("trace: expected a matrix, but got tensor with dim ", self.dim()));
    if (self.dtype() == ScalarType::Bool) throw Error(ErrorKind::Run, "\"trace\" not implemented for 'Bool'");
    return fn::sum(fn::diagonal(self, 0, 0, 1));
}

std::vector<Sample> diagonal_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 4}, dtype), 0, 0, 1}},
            {{random_tensor(random, {2, 3, 4}, dtype), -1, 2, 0}, "of a batch"},
            {{random_tensor(random, {3, 4}, dtype), 7, 0, 1}, "outside"}};
}
std::vector<Sample> diagonal_backward_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3}, dtype), Dims{3, 4}, 1, 0, 1}}};
}
std::vector<Sample> diag_embed_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 3}, dtype), 1, -2, -1}},
            {{random_tensor(random, {2, 3}, dtype), -1, 0, 2}, "other places"}};
}
std::vector<Sample> diag_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3}, dtype), 1}, "of a vector"},
            {{random_tensor(random, {3, 4}, dtype), -1}, "of a matrix"}};
}
std::vector<Sample> trace_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 4}, dtype)}}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)",
     .summary = "The diagonal of two dimensions, as a new last one.",
     .formula = "out[i] = self[i, i + offset]",
     .infer = inferring_view<diagonal>,
     .kernel = viewing<diagonal>,
     .derivative = {diagonal_gradient},
     .gradient = "self: grad on the diagonal, else 0",
     .samples = diagonal_samples},
    {.schema =
         "aten::diagonal_backward(Tensor grad_output, SymInt[] input_sizes, int offset, int dim1, int dim2) -> Tensor",
     .summary = "The gradient of diagonal: zeros but for the diagonal.",
     .infer = inferring<diagonal_backward_meta>,
     .kernel = filling<diagonal_backward>,
     .derivative = {diagonal_backward_gradient},
     .gradient = "grad_output: the diagonal of grad",
     .samples = diagonal_backward_samples,
     .variants = kOut,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor",
     .summary = "Matrices with the last dimension as their diagonals.",
     .formula = "out[i, i + offset] = self[i]",
     .infer = inferring<diag_embed_meta>,
     .kernel = filling<diag_embed>,
     .derivative = {diag_embed_gradient},
     .gradient = "self: the diagonal of grad",
     .samples = diag_embed_samples,
     .variants = kOut,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::diag(Tensor self, int diagonal=0) -> Tensor",
     .summary = "The diagonal of a matrix, or a matrix with that diagonal.",
     .composite = boxed<diag>,
     .samples = diag_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kScalarType}},
    {.schema = "aten::diagflat(Tensor self, int offset=0) -> Tensor",
     .summary = "A matrix with all elements on its diagonal.",
     .composite = boxed<diagflat>},
    {.schema = "aten::diag_backward(Tensor grad, SymInt[] input_sizes, int diagonal) -> Tensor",
     .summary = "The gradient of diag.",
     .composite = boxed<diag_backward>},
    {.schema = "aten::trace(Tensor self) -> Tensor",
     .summary = "The sum of a matrix's diagonal.",
     .composite = boxed<trace>,
     .samples = trace_samples,
     .autocast = {.cpu = Autocast::Float32}},
};

}  // namespace

std::span<const OperatorRecord> diagonal_records() { return kRecords; }

}  // namespace loupe::views
