// SPDX-License-Identifier: Apache-2.0
// Dimensions in another order, with ones put in or taken out.

#include <algorithm>

#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/ops/samples.h"
#include "core/ops/sparse/sparse.h"
#include "core/ops/view/family.h"
#include "core/ops/view/geometry.h"

namespace loupe::views {
namespace {

ViewGeometry squeeze_all(const Tensor& self) {
    ViewGeometry g{{}, {}, self.storage_offset()};
    for (std::size_t d = 0; d < self.sizes().size(); ++d) {
        if (self.sizes()[d] == 1) continue;
        g.sizes.push_back(self.sizes()[d]);
        g.strides.push_back(self.strides()[d]);
    }
    return g;
}
ViewGeometry squeeze(const Tensor& self, std::int64_t dim) {
    ViewGeometry g = geometry_of(self);
    const std::int64_t wrapped = wrap_dim(dim, self.dim());
    if (!g.sizes.empty() && g.sizes[static_cast<std::size_t>(wrapped)] == 1) {
        g.sizes.erase(g.sizes.begin() + wrapped);
        g.strides.erase(g.strides.begin() + wrapped);
    }
    return g;
}
ViewGeometry unsqueeze(const Tensor& self, std::int64_t dim) {
    ViewGeometry g = geometry_of(self);
    const std::int64_t wrapped = wrap_dim(dim, self.dim() + 1);
    const auto at = static_cast<std::size_t>(wrapped);
    const std::int64_t stride = at < g.sizes.size() ? g.sizes[at] * g.strides[at] : 1;
    g.sizes.insert(g.sizes.begin() + wrapped, 1);
    g.strides.insert(g.strides.begin() + wrapped, stride);
    return g;
}
void reshape_backward(GradientContext& context) {
    context.grad("self", [&] { return fn::reshape(context.grad_output(), context.sizes("self")); });
}
void unsqueeze_backward(GradientContext& context) {
    context.grad("self", [&] { return fn::squeeze(context.grad_output(), context.value("dim")); });
}

ViewGeometry transpose(const Tensor& self, std::int64_t dim0, std::int64_t dim1) {
    ViewGeometry g = geometry_of(self);
    const auto a = static_cast<std::size_t>(wrap_dim(dim0, self.dim()));
    const auto b = static_cast<std::size_t>(wrap_dim(dim1, self.dim()));
    if (a == b) return g;
    std::swap(g.sizes[a], g.sizes[b]);
    std::swap(g.strides[a], g.strides[b]);
    return g;
}
void transpose_backward(GradientContext& context) {
    context.grad("self", [&] { return fn::transpose(context.grad_output(), context.value(1), context.value(2)); });
}
ViewGeometry t(const Tensor& self) {
    if (self.dim() > 2) {
        throw Error(ErrorKind::Run, concat("t() expects a tensor with <= 2 dimensions, but self is ", self.dim(), "D"));
    }
    return transpose(self, 0, self.dim() < 2 ? 0 : 1);
}
void t_backward(GradientContext& context) {
    context.grad("self", [&] { return fn::t(context.grad_output()); });
}

Dims wrapped_permutation(const Dims& dims, std::int64_t ndim) {
    if (static_cast<std::int64_t>(dims.size()) != ndim) {
        throw Error(ErrorKind::Run,
                    concat("permute(sparse_coo): number of dimensions in the tensor input does not match the "
                           "length of the desired ordering of dimensions i.e. input.dim() = ",
                           ndim, " is not equal to len(dims) = ", dims.size()));
    }
    Dims wrapped;
    for (const std::int64_t d : dims) {
        const std::int64_t w = wrap_dim(d, ndim);
        if (std::ranges::find(wrapped, w) != wrapped.end()) {
            throw Error(ErrorKind::Run, "permute(): duplicate dims are not allowed.");
        }
        wrapped.push_back(w);
    }
    return wrapped;
}
ViewGeometry permute(const Tensor& self, const Dims& dims) {
    ViewGeometry g{{}, {}, self.storage_offset()};
    for (const std::int64_t d : wrapped_permutation(dims, self.dim())) {
        g.sizes.push_back(self.sizes()[static_cast<std::size_t>(d)]);
        g.strides.push_back(self.strides()[static_cast<std::size_t>(d)]);
    }
    return g;
}
void permute_backward(GradientContext& context) {
    context.grad("self", [&] {
        const Dims dims = wrapped_permutation(context.value("dims").to_ints(),
                                              static_cast<std::int64_t>(context.sizes("self").size()));
        Dims inverse(dims.size());
        for (std::size_t i = 0; i < dims.size(); ++i)
            inverse[static_cast<std::size_t>(dims[i])] = static_cast<std::int64_t>(i);
        return fn::permute(context.grad_output(), inverse);
    });
}

Tensor movedim(const Tensor& self, const Dims& source, const Dims& destination) {
    if (source.size() != destination.size()) {
        throw Error(ErrorKind::Run,
                    concat("movedim: Invalid source or destination dims: source (", shape_list_text(span_of(source)),
                           " dims) should contain the same number of dims as destination (",
                           shape_list_text(span_of(destination)), " dims)"));
    }
    const auto ndim = static_cast<std::size_t>(self.dim());
    const auto wrapped_unique = [&](const Dims& dims, const char* which) {
        Dims out;
        for (const std::int64_t d : dims) {
            const std::int64_t w = wrap_dim(d, self.dim());
            if (std::ranges::find(out, w) != out.end()) {
                throw Error(ErrorKind::Run,
                            concat("movedim: repeated dim in `", which, "` (", shape_list_text(span_of(dims)), ")"));
            }
            out.push_back(w);
        }
        return out;
    };
    const Dims from = wrapped_unique(source, "source");
    const Dims to = wrapped_unique(destination, "destination");
    if (ndim == 0) return fn::alias(self);
    Dims order(ndim, -1);
    for (std::size_t i = 0; i < from.size(); ++i) order[static_cast<std::size_t>(to[i])] = from[i];
    std::int64_t next = 0;
    for (std::int64_t& place : order) {
        if (place >= 0) continue;
        while (std::ranges::find(from, next) != from.end()) ++next;
        place = next++;
    }
    return fn::permute(self, order);
}
Tensor movedim_one(const Tensor& self, std::int64_t source, std::int64_t destination) {
    return movedim(self, {source}, {destination});
}
Tensor swap_dimensions(const Tensor& self, std::int64_t dim0, std::int64_t dim1) {
    return fn::transpose(self, dim0, dim1);
}

Tensor numpy_t(const Tensor& self) {
    Dims order;
    for (std::int64_t d = self.dim(); d-- > 0;) order.push_back(d);
    return fn::permute(self, order);
}
void check_matrices(const Tensor& self, const char* name) {
    if (self.dim() != 1) return;
    throw Error(ErrorKind::Run, concat("tensor.", name, " is only supported on matrices or batches of matrices. Got ",
                                       self.dim(), "-D tensor."));
}
Tensor matrix_t(const Tensor& self) {
    check_matrices(self, "mT");
    return self.dim() == 0 ? self : fn::transpose(self, -2, -1);
}
Tensor adjoint(const Tensor& self) {
    check_matrices(self, "adjoint()");
    const Tensor transposed = self.dim() == 0 ? self : fn::transpose(self, -2, -1);
    return is_complex(self.dtype()) ? fn::conj_physical(transposed) : transposed;
}
Tensor matrix_h(const Tensor& self) {
    if (self.dim() != 0 && self.dim() != 2) {
        throw Error(ErrorKind::Run, concat("tensor.H is only supported on matrices (2-D tensors). Got ", self.dim(),
                                           "-D tensor. For batches of matrices, consider using tensor.mH"));
    }
    return adjoint(self);
}

std::vector<Sample> squeeze_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 1, 3}, dtype), 1}},
            {{random_tensor(random, {2, 1, 3}, dtype), 0}, "nothing to do"}};
}
std::vector<Sample> squeeze_all_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 1, 3, 1}, dtype)}}};
}
std::vector<Sample> unsqueeze_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 3}, dtype), 1}}, {{random_tensor(random, {2, 3}, dtype), -1}, "at the end"}};
}
std::vector<Sample> transpose_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 3, 4}, dtype), 0, -1}}};
}
std::vector<Sample> t_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 3}, dtype)}}, {{random_tensor(random, {3}, dtype)}, "of a vector"}};
}
std::vector<Sample> permute_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 3, 4}, dtype), Dims{2, 0, -2}}}};
}
std::vector<Sample> movedim_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 3, 4}, dtype), 0, 2}}};
}

constexpr std::string_view kReshaped = "self: grad in self's shape";
constexpr std::string_view kBack = "self: grad, back in the old order of dimensions";

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::squeeze(Tensor(a) self) -> Tensor(a)",
     .summary = "Without the dimensions of size one.",
     .infer = inferring_view<squeeze_all>,
     .kernel = viewing<squeeze_all>,
     .derivative = {reshape_backward},
     .gradient = kReshaped,
     .samples = squeeze_all_samples},
    {.schema = "aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)",
     .summary = "Without dimension dim, if its size is one.",
     .infer = inferring_view<squeeze>,
     .kernel = viewing<squeeze>,
     .derivative = {reshape_backward, {}, "SqueezeBackward1"},
     .samples = squeeze_samples},
    {.schema = "aten::squeeze_(Tensor(a!) self) -> Tensor(a!)",
     .summary = "Takes out the dimensions of size one, in place.",
     .kernel = viewing_in_place<squeeze_all>,
     .derivative = {reshape_backward, {}, "SqueezeBackward2"},
     .gradient = kReshaped,
     .samples = squeeze_all_samples,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::squeeze_.dim(Tensor(a!) self, int dim) -> Tensor(a!)",
     .summary = "Takes out dimension dim, if its size is one, in place.",
     .kernel = viewing_in_place<squeeze>,
     .derivative = {reshape_backward, {}, "SqueezeBackward3"},
     .samples = squeeze_samples,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)",
     .summary = "With a dimension of size one before dimension dim.",
     .infer = inferring_view<unsqueeze>,
     .kernel = viewing<unsqueeze>,
     .derivative = {unsqueeze_backward},
     .gradient = kReshaped,
     .samples = unsqueeze_samples},
    {.schema = "aten::unsqueeze_(Tensor(a!) self, int dim) -> Tensor(a!)",
     .summary = "Puts in a dimension of size one, in place.",
     .kernel = viewing_in_place<unsqueeze>,
     .derivative = {unsqueeze_backward, {}, "UnsqueezeBackward1"},
     .gradient = kReshaped,
     .samples = unsqueeze_samples,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)",
     .summary = "With two dimensions exchanged.",
     .formula = "out[.., i, .., j] = self[.., j, .., i]",
     .infer = inferring_view<transpose>,
     .kernel = viewing<transpose>,
     .derivative = {transpose_backward},
     .gradient = kBack,
     .samples = transpose_samples,
     .sparse = {.run = on_sparse::transpose}},
    {.schema = "aten::transpose_(Tensor(a!) self, int dim0, int dim1) -> Tensor(a!)",
     .summary = "Exchanges two dimensions, in place.",
     .kernel = viewing_in_place<transpose>,
     .derivative = {transpose_backward, {}, "TransposeBackward1"},
     .gradient = kBack,
     .samples = transpose_samples,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::t(Tensor(a) self) -> Tensor(a)",
     .summary = "The transposed matrix; vectors stay.",
     .formula = "out[i, j] = self[j, i]",
     .infer = inferring_view<t>,
     .kernel = viewing<t>,
     .derivative = {t_backward},
     .gradient = "self: grad^T",
     .samples = t_samples,
     .sparse = {.run = on_sparse::t}},
    {.schema = "aten::t_(Tensor(a!) self) -> Tensor(a!)",
     .summary = "Transposes a matrix in place.",
     .formula = "out[i, j] = self[j, i]",
     .kernel = viewing_in_place<t>,
     .derivative = {t_backward, {}, "TBackward1"},
     .gradient = "self: grad^T",
     .samples = t_samples,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)",
     .summary = "With the dimensions in the order dims.",
     .infer = inferring_view<permute>,
     .kernel = viewing<permute>,
     .derivative = {permute_backward},
     .gradient = kBack,
     .samples = permute_samples},
    {.schema = "aten::movedim.int(Tensor(a) self, int source, int destination) -> Tensor(a)",
     .summary = "With dimension source at place destination.",
     .composite = boxed<movedim_one>,
     .gradient = kBack,
     .samples = movedim_samples},
    {.schema = "aten::movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)",
     .summary = "With the dimensions source at the places destination.",
     .composite = boxed<movedim>},
    {.schema = "aten::moveaxis.int(Tensor(a) self, int source, int destination) -> Tensor(a)",
     .summary = "With dimension source at place destination.",
     .composite = boxed<movedim_one>},
    {.schema = "aten::moveaxis.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)",
     .summary = "With the dimensions source at the places destination.",
     .composite = boxed<movedim>},
    {.schema = "aten::swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)",
     .summary = "With two dimensions exchanged.",
     .composite = boxed<swap_dimensions>},
    {.schema = "aten::swapdims(Tensor(a) self, int dim0, int dim1) -> Tensor(a)",
     .summary = "With two dimensions exchanged.",
     .composite = boxed<swap_dimensions>},
    {.schema = "aten::swapaxes_(Tensor(a!) self, int axis0, int axis1) -> Tensor(a!)",
     .summary = "Exchanges two dimensions, in place.",
     .kernel = viewing_in_place<transpose>,
     .derivative = {transpose_backward, {}, "TransposeBackward1"},
     .gradient = kBack,
     .samples = transpose_samples,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::swapdims_(Tensor(a!) self, int dim0, int dim1) -> Tensor(a!)",
     .summary = "Exchanges two dimensions, in place.",
     .kernel = viewing_in_place<transpose>,
     .derivative = {transpose_backward, {}, "TransposeBackward1"},
     .gradient = kBack,
     .samples = transpose_samples,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::numpy_T(Tensor(a) self) -> Tensor(a)",
     .summary = "With the dimensions in reverse order.",
     .composite = boxed<numpy_t>},
    {.schema = "aten::numpy_T.a(Tensor(a) self) -> Tensor(a)",
     .summary = "With the dimensions in reverse order.",
     .composite = boxed<numpy_t>},
    {.schema = "aten::mT(Tensor(a) self) -> Tensor(a)",
     .summary = "Each matrix transposed.",
     .composite = boxed<matrix_t>},
    {.schema = "aten::mT.a(Tensor(a) self) -> Tensor(a)",
     .summary = "Each matrix transposed.",
     .composite = boxed<matrix_t>},
    {.schema = "aten::mH(Tensor(a) self) -> Tensor(a)",
     .summary = "Each matrix transposed and conjugated.",
     .composite = boxed<adjoint>},
    {.schema = "aten::mH.a(Tensor(a) self) -> Tensor(a)",
     .summary = "Each matrix transposed and conjugated.",
     .composite = boxed<adjoint>},
    {.schema = "aten::matrix_H(Tensor(a) self) -> Tensor(a)",
     .summary = "The matrix transposed and conjugated.",
     .composite = boxed<matrix_h>},
    {.schema = "aten::matrix_H.a(Tensor(a) self) -> Tensor(a)",
     .summary = "The matrix transposed and conjugated.",
     .composite = boxed<matrix_h>},
    {.schema = "aten::adjoint(Tensor(a) self) -> Tensor(a)",
     .summary = "Each matrix transposed and conjugated.",
     .composite = boxed<adjoint>},
};

}  // namespace

std::span<const OperatorRecord> dimension_records() { return kRecords; }

}  // namespace loupe::views
