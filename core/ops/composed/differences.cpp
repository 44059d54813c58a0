// SPDX-License-Identifier: Apache-2.0
// Differences and sums along a dimension: diff, trapezoid, gradient.

#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/composed/family.h"
#include "core/ops/samples.h"

namespace loupe::composed {
namespace {

using namespace arithmetic;

Tensor part(const Tensor& t, std::int64_t dim, std::int64_t start, std::optional<std::int64_t> end) {
    return fn::slice(t, dim, start, end, std::int64_t{1});
}
// t[1:] - t[:-1] along dim.
Tensor steps(const Tensor& t, std::int64_t dim) { return part(t, dim, 1, std::nullopt) - part(t, dim, 0, -1); }

Tensor diff(const Tensor& self, std::int64_t n, std::int64_t dim, const Tensor& prepend, const Tensor& append) {
    if (self.dim() == 0) throw Error(ErrorKind::Run, "diff expects input to be at least one-dimensional");
    if (n < 0) throw Error(ErrorKind::Run, concat("order must be non-negative but got ", n));
    const std::int64_t along = wrap_dim(dim, self.dim());
    if (n == 0) return fn::clone(self, IValue());  // prepend and append do not count then
    TensorList parts;
    if (prepend.defined()) parts.push_back(prepend);
    parts.push_back(self);
    if (append.defined()) parts.push_back(append);
    Tensor out = parts.size() == 1 ? self : fn::cat(parts, along);
    if (n > out.size(along)) n = out.size(along);
    for (std::int64_t i = 0; i < n; ++i) {
        if (out.dtype() == ScalarType::Bool)
            out = fn::logical_xor(part(out, along, 1, std::nullopt), part(out, along, 0, -1));
        else
            out = steps(out, along);
    }
    return out;
}

// x as it broadcasts along dim beside y.
Tensor along_y(const Tensor& y, const Tensor& x, std::int64_t dim) {
    if (x.dim() != 1) {
        if (x.dim() >= y.dim()) return x;
        Dims sizes(static_cast<std::size_t>(y.dim() - x.dim()), 1);
        sizes.insert(sizes.end(), x.sizes().begin(), x.sizes().end());
        return fn::reshape(x, sizes);
    }
    if (x.size(0) != y.size(dim)) {
        throw Error(ErrorKind::Run, concat("trapezoid: There must be one `x` value for each sample point, got ",
                                           x.size(0), " for ", y.size(dim)));
    }
    Dims sizes(static_cast<std::size_t>(y.dim()), 1);
    sizes[static_cast<std::size_t>(dim)] = x.size(0);
    return fn::reshape(x, sizes);
}
Tensor neighbours(const Tensor& y, std::int64_t dim) { return part(y, dim, 1, std::nullopt) + part(y, dim, 0, -1); }
Tensor without(const Tensor& y, std::int64_t dim) {
    Dims sizes = to_dims(y.sizes());
    sizes.erase(sizes.begin() + dim);
    return fn::new_zeros(y, sizes);
}
void require_dimension(const Tensor& y) {
    if (y.dim() == 0) throw Error(ErrorKind::Run, "trapezoid: y must have at least one dimension");
}
Tensor trapezoid(const Tensor& y, const Tensor& x, std::int64_t dim) {
    require_dimension(y);
    const std::int64_t along = wrap_dim(dim, y.dim());
    if (y.size(along) == 0) return without(y, along);
    return fn::sum_dim(neighbours(y, along) * steps(along_y(y, x, along), along), Dims{along}, false) / Scalar(2.0);
}
Tensor trapezoid_even(const Tensor& y, const Scalar& dx, std::int64_t dim) {
    require_dimension(y);
    const std::int64_t along = wrap_dim(dim, y.dim());
    if (y.size(along) == 0) return without(y, along);
    const Tensor ends = (fn::select(y, along, std::int64_t{0}) + fn::select(y, along, std::int64_t{-1})) * Scalar(0.5);
    return (fn::sum_dim(y, Dims{along}, false) - ends) * dx;
}
Tensor cumulative_trapezoid(const Tensor& y, const Tensor& x, std::int64_t dim) {
    require_dimension(y);
    const std::int64_t along = wrap_dim(dim, y.dim());
    return fn::cumsum(neighbours(y, along) * steps(along_y(y, x, along), along), along) / Scalar(2.0);
}
Tensor cumulative_trapezoid_even(const Tensor& y, const Scalar& dx, std::int64_t dim) {
    require_dimension(y);
    const std::int64_t along = wrap_dim(dim, y.dim());
    return fn::cumsum(neighbours(y, along), along) * Scalar(dx.to_double() / 2);
}

void check_gradient(const Tensor& self, std::int64_t dim, std::int64_t edge_order) {
    if (edge_order != 1 && edge_order != 2) {
        throw Error(ErrorKind::Run, "torch.gradient only supports edge_order=1 and edge_order=2.");
    }
    if (self.size(dim) < edge_order + 1) {
        throw Error(ErrorKind::Run, "torch.gradient expected each dimension size to be at least edge_order+1");
    }
}
// Second-order central differences, one-sided at the ends, for evenly spaced points.
Tensor even_gradient(const Tensor& self, const Scalar& spacing, std::int64_t dim, std::int64_t edge_order) {
    check_gradient(self, dim, edge_order);
    const std::int64_t n = self.size(dim);
    const auto at = [&](std::int64_t i) { return fn::narrow(self, dim, i, std::int64_t{1}); };
    TensorList parts;
    parts.push_back(edge_order == 1 ? (at(1) - at(0)) / spacing
                                    : (at(0) * Scalar(-1.5) + at(1) * Scalar(2.0) - at(2) * Scalar(0.5)) / spacing);
    parts.push_back((part(self, dim, 2, std::nullopt) - part(self, dim, 0, n - 2)) / spacing / Scalar(2.0));
    parts.push_back(edge_order == 1
                        ? (at(n - 1) - at(n - 2)) / spacing
                        : (at(n - 3) * Scalar(0.5) - at(n - 2) * Scalar(2.0) + at(n - 1) * Scalar(1.5)) / spacing);
    return fn::cat(parts, dim);
}
// The same for points at the given coordinates.
Tensor uneven_gradient(const Tensor& self, const Tensor& coordinates, std::int64_t dim, std::int64_t edge_order) {
    check_gradient(self, dim, edge_order);
    const std::int64_t n = self.size(dim);
    Dims shape(static_cast<std::size_t>(self.dim()), 1);
    shape[static_cast<std::size_t>(dim)] = n;
    const Tensor gaps = steps(fn::reshape(coordinates, shape), dim);
    const auto at = [&](std::int64_t i) { return fn::narrow(self, dim, i, std::int64_t{1}); };
    const auto gap = [&](std::int64_t i) { return fn::narrow(gaps, dim, i, std::int64_t{1}); };
    const Tensor h1 = part(gaps, dim, 0, -1);
    const Tensor h2 = part(gaps, dim, 1, std::nullopt);
    const Tensor center = part(self, dim, 0, n - 2) * (-h2 / (h1 * (h1 + h2))) +
                          part(self, dim, 1, n - 1) * ((h2 - h1) / (h1 * h2)) +
                          part(self, dim, 2, std::nullopt) * (h1 / (h2 * (h1 + h2)));
    if (edge_order == 1) {
        return fn::cat(TensorList{(at(1) - at(0)) / gap(0), center, (at(n - 1) - at(n - 2)) / gap(n - 2)}, dim);
    }
    const Tensor a = gap(0);
    const Tensor b = gap(1);
    const Tensor first =
        at(0) * (-(a * Scalar(2.0) + b) / (a * (a + b))) + at(1) * ((a + b) / (a * b)) + at(2) * (-a / (b * (a + b)));
    const Tensor c = gap(n - 3);
    const Tensor d = gap(n - 2);
    const Tensor last = at(n - 3) * (d / (c * (c + d))) + at(n - 2) * (-(c + d) / (c * d)) +
                        at(n - 1) * ((d * Scalar(2.0) + c) / (d * (c + d)));
    return fn::cat(TensorList{first, center, last}, dim);
}

Dims wrapped_dims(const Tensor& self, const std::optional<Dims>& dims) {
    Dims out;
    if (!dims) {
        for (std::int64_t d = 0; d < self.dim(); ++d) out.push_back(d);
        return out;
    }
    for (const std::int64_t d : *dims) out.push_back(wrap_dim(d, self.dim()));
    return out;
}
std::optional<Dims> one_dim(std::optional<std::int64_t> dim) {
    if (!dim) return std::nullopt;
    return Dims{*dim};
}
TensorList gradients(const Tensor& self, const std::vector<Scalar>& spacing, const std::optional<Dims>& dims,
                     std::int64_t edge_order) {
    const Dims along = wrapped_dims(self, dims);
    for (std::size_t i = 0; i < along.size(); ++i) {
        if (std::find(along.begin(), along.begin() + static_cast<std::ptrdiff_t>(i), along[i]) ==
            along.begin() + static_cast<std::ptrdiff_t>(i))
            continue;
        throw Error(ErrorKind::Run, concat("dim ", along[i], " appears multiple times in the list of dims"));
    }
    if (dims && spacing.size() != along.size()) {
        throw Error(
            ErrorKind::Run,
            concat(
                "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have "
                "the same length, but got a spacing argument of length ",
                spacing.size(), " and a dim argument of length ", along.size(), "."));
    }
    if (spacing.size() != 1 && spacing.size() != along.size()) {
        throw Error(ErrorKind::Run, concat("torch.gradient expected spacing to be unspecified, a scalar, or a list of "
                                           "length equal to 'self.dim() = ",
                                           self.dim(), "', since dim argument was not given, but got a list of length ",
                                           spacing.size()));
    }
    TensorList out;
    for (std::size_t i = 0; i < along.size(); ++i) {
        out.push_back(even_gradient(self, spacing[spacing.size() == 1 ? 0 : i], along[i], edge_order));
    }
    return out;
}
TensorList gradients_of_step(const Tensor& self, const Scalar& step, const std::optional<Dims>& dims,
                             std::int64_t edge_order) {
    return gradients(self, std::vector<Scalar>(wrapped_dims(self, dims).size(), step), dims, edge_order);
}
std::vector<Scalar> scalars(const IValue& list) {
    std::vector<Scalar> out;
    for (const IValue& v : list.to_list().elements) out.push_back(v.to_scalar());
    return out;
}
TensorList gradient_scalarint(const Tensor& self, std::optional<Scalar> spacing, std::optional<std::int64_t> dim,
                              std::int64_t edge_order) {
    return gradients_of_step(self, spacing.value_or(Scalar(1.0)), one_dim(dim), edge_order);
}
TensorList gradient_scalararray(const Tensor& self, const Scalar& spacing, const Dims& dim, std::int64_t edge_order) {
    return gradients_of_step(self, spacing, dim, edge_order);
}
TensorList gradient_array(const Tensor& self, const Dims& dim, std::int64_t edge_order) {
    return gradients_of_step(self, Scalar(1.0), dim, edge_order);
}
TensorList gradient_scalarrayint(const Tensor& self, const IValue& spacing, std::optional<std::int64_t> dim,
                                 std::int64_t edge_order) {
    return gradients(self, scalars(spacing), one_dim(dim), edge_order);
}
TensorList gradient_scalarrayarray(const Tensor& self, const IValue& spacing, const Dims& dim,
                                   std::int64_t edge_order) {
    return gradients(self, scalars(spacing), dim, edge_order);
}
TensorList coordinate_gradients(const Tensor& self, const TensorList& spacing, const std::optional<Dims>& dims,
                                std::int64_t edge_order) {
    const Dims along = wrapped_dims(self, dims);
    for (std::size_t i = 0; i < along.size(); ++i) {
        if (std::find(along.begin(), along.begin() + static_cast<std::ptrdiff_t>(i), along[i]) ==
            along.begin() + static_cast<std::ptrdiff_t>(i))
            continue;
        throw Error(ErrorKind::Run, concat("dim ", along[i], " appears multiple times in the list of dims"));
    }
    if (dims && spacing.size() != along.size()) {
        throw Error(
            ErrorKind::Run,
            concat(
                "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have "
                "the same length, but got a spacing argument of length ",
                spacing.size(), " and a dim argument of length ", along.size(), "."));
    }
    if (spacing.size() != 1 && spacing.size() != along.size()) {
        throw Error(ErrorKind::Run, "torch.gradient expected one tensor of coordinates a dimension");
    }
    TensorList out;
    for (std::size_t i = 0; i < along.size(); ++i) {
        out.push_back(uneven_gradient(self, spacing[spacing.size() == 1 ? 0 : i], along[i], edge_order));
    }
    return out;
}
TensorList gradient_tensorarrayint(const Tensor& self, const TensorList& spacing, std::optional<std::int64_t> dim,
                                   std::int64_t edge_order) {
    return coordinate_gradients(self, spacing, one_dim(dim), edge_order);
}
TensorList gradient_tensorarray(const Tensor& self, const TensorList& spacing, const Dims& dim,
                                std::int64_t edge_order) {
    return coordinate_gradients(self, spacing, dim, edge_order);
}

// Every element of self times the whole of other, in its place.
Tensor kron(const Tensor& self, const Tensor& other) {
    const auto ndim = static_cast<std::size_t>(std::max(self.dim(), other.dim()));
    Dims a_sizes(2 * ndim, 1), b_sizes(2 * ndim, 1), sizes(ndim, 1);
    for (std::size_t d = 0; d < ndim; ++d) {
        const std::size_t from_last = ndim - 1 - d;
        if (from_last < self.sizes().size()) a_sizes[2 * d] = self.sizes()[self.sizes().size() - 1 - from_last];
        if (from_last < other.sizes().size()) b_sizes[2 * d + 1] = other.sizes()[other.sizes().size() - 1 - from_last];
        sizes[d] = a_sizes[2 * d] * b_sizes[2 * d + 1];
    }
    return fn::reshape(fn::reshape(self, a_sizes) * fn::reshape(other, b_sizes), sizes);
}

std::vector<Sample> diff_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 5}, dtype), 2, -1, IValue(), IValue()}}};
}
std::vector<Sample> pair_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 3}, dtype), random_tensor(random, {2, 2}, dtype)}}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor",
     .summary = "The n-th differences of neighbours along dim.",
     .composite = boxed<diff>,
     .samples = diff_samples,
     .variants = kOut},
    {.schema = "aten::trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor",
     .summary = "The integral along dim by the trapezoidal rule.",
     .composite = boxed<trapezoid>},
    {.schema = "aten::trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor",
     .summary = "The integral along dim by the trapezoidal rule, for points dx apart.",
     .composite = boxed<trapezoid_even>},
    {.schema = "aten::trapz.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor",
     .summary = "The integral along dim by the trapezoidal rule.",
     .composite = boxed<trapezoid>},
    {.schema = "aten::trapz.dx(Tensor y, *, float dx=1., int dim=-1) -> Tensor",
     .summary = "The integral along dim by the trapezoidal rule, for points dx apart.",
     .composite = boxed<trapezoid_even>},
    {.schema = "aten::cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor",
     .summary = "The integrals up to each point by the trapezoidal rule.",
     .composite = boxed<cumulative_trapezoid>},
    {.schema = "aten::cumulative_trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor",
     .summary = "The integrals up to each point by the trapezoidal rule, for points dx apart.",
     .composite = boxed<cumulative_trapezoid_even>},
    {.schema =
         "aten::gradient.scalarint(Tensor self, *, Scalar? spacing=None, int? dim=None, int edge_order=1) -> Tensor[]",
     .summary = "Numerical derivatives along the dimensions.",
     .composite = boxed<gradient_scalarint>},
    {.schema = "aten::gradient.scalararray(Tensor self, *, Scalar spacing, int[] dim, int edge_order=1) -> Tensor[]",
     .summary = "Numerical derivatives along the dimensions.",
     .composite = boxed<gradient_scalararray>},
    {.schema = "aten::gradient.array(Tensor self, *, int[] dim, int edge_order=1) -> Tensor[]",
     .summary = "Numerical derivatives along the dimensions.",
     .composite = boxed<gradient_array>},
    {.schema =
         "aten::gradient.scalarrayint(Tensor self, *, Scalar[] spacing, int? dim=None, int edge_order=1) -> Tensor[]",
     .summary = "Numerical derivatives along the dimensions.",
     .composite = boxed<gradient_scalarrayint>},
    {.schema =
         "aten::gradient.scalarrayarray(Tensor self, *, Scalar[] spacing, int[] dim, int edge_order=1) -> Tensor[]",
     .summary = "Numerical derivatives along the dimensions.",
     .composite = boxed<gradient_scalarrayarray>},
    {.schema =
         "aten::gradient.tensorarrayint(Tensor self, *, Tensor[] spacing, int? dim=None, int edge_order=1) -> Tensor[]",
     .summary = "Numerical derivatives along the dimensions, at points of those coordinates.",
     .composite = boxed<gradient_tensorarrayint>},
    {.schema = "aten::gradient.tensorarray(Tensor self, *, Tensor[] spacing, int[] dim, int edge_order=1) -> Tensor[]",
     .summary = "Numerical derivatives along the dimensions, at points of those coordinates.",
     .composite = boxed<gradient_tensorarray>},
    {.schema = "aten::kron(Tensor self, Tensor other) -> Tensor",
     .summary = "The Kronecker product.",
     .composite = boxed<kron>,
     .samples = pair_samples},
};

}  // namespace

std::span<const OperatorRecord> difference_records() { return kRecords; }

}  // namespace loupe::composed
