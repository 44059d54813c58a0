// SPDX-License-Identifier: Apache-2.0
// Norms of matrices, and functions that choose between matrix and vector norms.

#include <cmath>

#include "core/kernels/arithmetic.h"
#include "core/ops/linalg/batch.h"
#include "core/ops/linalg/calls.h"
#include "core/ops/linalg/family.h"
#include "core/ops/samples.h"

namespace loupe::linalg {
namespace {

using namespace arithmetic;

// "0 1 2", as here PyTorch writes a list.
std::string plain_text(const Dims& dims) {
    std::string text;
    for (const std::int64_t d : dims) text += (text.empty() ? "" : " ") + std::to_string(d);
    return text;
}

void check_norm_dtype(const IValue& dtype, const Tensor& A, std::string_view function) {
    if (dtype.is_none()) return;
    const auto known = dtype_from_number(dtype.to_int());
    if (!known) detail::bad_dtype_number(dtype.to_int());
    require(is_differentiable(*known), function, ": dtype should be floating point or complex, but got ",
            dtype_graph_name(*known));
    const std::string_view kind = is_complex(A.dtype()) ? "complex" : "real";
    require(is_complex(A.dtype()) == is_complex(*known), function, ": dtype should be ", kind, " for ", kind,
            " inputs, but got ", dtype_graph_name(*known));
    require(promote_types(A.dtype(), *known) == *known, function, ": the dtype of the input (",
            dtype_graph_name(A.dtype()), ") should be convertible without narrowing to the specified dtype (",
            dtype_graph_name(*known), ")");
}

// The two dimensions, wrapped.
Dims check_matrix_norm(const Tensor& A, Dims dims, const IValue& dtype, bool low_precision) {
    constexpr std::string_view kName = "linalg.matrix_norm";
    check_matrix(A, kName);
    check_floating(A, kName, low_precision);
    require(dims.size() == 2, kName, ": dim must be a 2-tuple. Got ", plain_text(dims));
    for (std::int64_t& d : dims) d = wrap_dim(d, A.dim());
    require(dims[0] != dims[1], kName, ": dims must be different. Got (", dims[0], ", ", dims[1], ")");
    check_norm_dtype(dtype, A, kName);
    return dims;
}

// A with the two dimensions last.
Tensor matrices_last(const Tensor& A, const Dims& dims) {
    Dims order;
    for (std::int64_t d = 0; d < A.dim(); ++d) {
        if (d != dims[0] && d != dims[1]) order.push_back(d);
    }
    order.push_back(dims[0]);
    order.push_back(dims[1]);
    return fn::permute(A, order);
}
// [.., 1] with the second of the two dimensions put in, both where they were; or without them.
Tensor with_kept(const Tensor& result, const Dims& dims, bool keepdim) {
    if (!keepdim) return result;
    const Tensor last = fn::unsqueeze(result, -1);
    Dims order;
    std::int64_t next = 0;
    for (std::int64_t d = 0; d < last.dim(); ++d) {
        if (d == dims[0])
            order.push_back(last.dim() - 2);
        else if (d == dims[1])
            order.push_back(last.dim() - 1);
        else
            order.push_back(next++);
    }
    return fn::permute(last, order);
}
Tensor singular_values(const Tensor& A, const Dims& dims, const IValue& dtype) {
    const Tensor as = dtype.is_none() ? A : fn::to_dtype(A, dtype);
    return call::svdvals(matrices_last(as, dims), IValue());
}

Tensor matrix_norm(const Tensor& A, const Scalar& order, const Dims& dim, bool keepdim, const IValue& dtype) {
    const double p = order.to_double();
    const double magnitude = std::abs(p);
    require(magnitude == 2 || magnitude == 1 || std::isinf(p), "linalg.matrix_norm: Order ", p, " not supported.");
    Dims dims = check_matrix_norm(A, dim, dtype, magnitude != 2);
    const auto extreme = [p](const Tensor& t, std::int64_t d, bool keep) {
        return p > 0 ? fn::amax(t, Dims{d}, keep) : fn::amin(t, Dims{d}, keep);
    };
    if (magnitude == 2) return with_kept(extreme(singular_values(A, dims, dtype), -1, keepdim), dims, keepdim);
    if (std::isinf(p)) std::swap(dims[0], dims[1]);
    if (!keepdim && dims[0] < dims[1]) --dims[1];
    return extreme(fn::vector_norm(A, Scalar(1.0), Dims{dims[0]}, keepdim, dtype), dims[1], keepdim);
}
Tensor matrix_norm_named(const Tensor& A, std::string_view order, const Dims& dim, bool keepdim, const IValue& dtype) {
    require(order == "fro" || order == "nuc", "linalg.matrix_norm: Order ", order, " not supported.");
    const Dims dims = check_matrix_norm(A, dim, dtype, order != "nuc");
    if (order == "fro") return fn::vector_norm(A, Scalar(2), dims, keepdim, dtype);
    return with_kept(fn::sum_dim(singular_values(A, dims, dtype), Dims{-1}, keepdim, IValue()), dims, keepdim);
}

void check_norm_dims(const Tensor& X, const std::optional<Dims>& dim, bool has_order) {
    if (dim) {
        require(dim->size() == 1 || dim->size() == 2,
                "linalg.norm: If dim is specified, it must be of length 1 or 2. Got ", shape_list_text(span_of(*dim)));
    } else if (has_order) {
        require(X.dim() == 1 || X.dim() == 2,
                "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got ", X.dim(), "D.");
    }
}
Tensor norm(const Tensor& X, const std::optional<Scalar>& order, const std::optional<Dims>& dim, bool keepdim,
            const IValue& dtype) {
    check_norm_dims(X, dim, order.has_value());
    const bool is_matrix = order && (dim ? dim->size() == 2 : X.dim() == 2);
    if (is_matrix) return call::matrix_norm(X, *order, dim.value_or(Dims{0, 1}), keepdim, dtype);
    return fn::vector_norm(X, order.value_or(Scalar(2.0)), dim ? IValue(*dim) : IValue(), keepdim, dtype);
}
Tensor norm_named(const Tensor& X, std::string_view order, const std::optional<Dims>& dim, bool keepdim,
                  const IValue& dtype) {
    check_norm_dims(X, dim, true);
    return call::matrix_norm_str(X, order, dim.value_or(Dims{0, 1}), keepdim, dtype);
}

Tensor nuclear_norm_dim(const Tensor& self, const Dims& dim, bool keepdim) {
    require(dim.size() == 2, "nuclear norm requires a 'dim' argument of size 2");
    const Dims dims = check_matrix_norm(self, dim, IValue(), false);
    return with_kept(fn::sum_dim(singular_values(self, dims, IValue()), Dims{-1}, keepdim, IValue()), dims, keepdim);
}
Tensor nuclear_norm(const Tensor& self, bool keepdim) {
    require(self.dim() == 2, "Expected a tensor with 2 dimensions, but got a tensor with ", self.dim(),
            self.dim() == 1 ? " dimension" : " dimensions", " instead.");
    return nuclear_norm_dim(self, Dims{0, 1}, keepdim);
}

std::vector<Sample> norm_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples;
    if (!is_lapack_dtype(dtype)) return samples;
    for (const double order : {1.0, -1.0, 2.0, -2.0, HUGE_VAL, -HUGE_VAL}) {
        samples.push_back({{random_tensor(random, {2, 3, 4}, dtype), order, Dims{-1, 0}, true, IValue()}});
        samples.push_back({{random_tensor(random, {2, 3, 4}, dtype), order, Dims{0, 1}, false, IValue()}});
    }
    return samples;
}
std::vector<Sample> nuclear_samples(Random& random, ScalarType dtype) {
    if (!is_lapack_dtype(dtype)) return {};
    return {{{random_tensor(random, {3, 4}, dtype), false}}};
}

constexpr std::string_view kMatrixNorm =
    "Norm of matrices: the greatest or least column sum (1), row sum (inf) or singular value (2).";
constexpr std::string_view kNamedNorm = "Norm of matrices: Frobenius or nuclear.";

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::linalg_matrix_norm(Tensor self, Scalar ord, int[] dim=[-2, -1], bool keepdim=False, *, "
               "ScalarType? dtype=None) -> Tensor",
     .summary = kMatrixNorm,
     .formula = "sqrt(sum(|x|^2)) for 'fro', sum_i S_i for 'nuc', max_i S_i for 2, min_i S_i for -2; max_j sum_i "
                "|x[i, j]| for 1, max_i sum_j |x[i, j]| for inf",
     .composite = boxed<matrix_norm>,
     .samples = norm_samples,
     .out = {.refusal = {"linalg.matrix_norm expected out tensor dtype {T} but got: {O}"}},
     .autocast = {.cuda = Autocast::Float32Result}},
    {.schema = "aten::linalg_matrix_norm.str_ord(Tensor self, str ord='fro', int[] dim=[-2, -1], bool keepdim=False, "
               "*, ScalarType? dtype=None) -> Tensor",
     .summary = kNamedNorm,
     .composite = boxed<matrix_norm_named>,
     .autocast = {.cuda = Autocast::Float32Result}},
    {.schema = "aten::linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, ScalarType? "
               "dtype=None) -> Tensor",
     .summary = "Norm of vectors or, given an order and two dimensions, of matrices.",
     .formula = "sum(|x|^ord)^(1 / ord)",
     .composite = boxed<norm>},
    {.schema = "aten::linalg_norm.ord_str(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, ScalarType? "
               "dtype=None) -> Tensor",
     .summary = kNamedNorm,
     .composite = boxed<norm_named>},
    {.schema = "aten::nuclear_norm(Tensor self, bool keepdim=False) -> Tensor",
     .summary = "The sum of the singular values.",
     .formula = "sum_i S_i of A = U diag(S) Vh",
     .composite = boxed<nuclear_norm>,
     .gradient = "self: grad U Vh",
     .samples = nuclear_samples,
     .autocast = {.cuda = Autocast::Float32}},
    {.schema = "aten::nuclear_norm.dim(Tensor self, int[2] dim, bool keepdim=False) -> Tensor",
     .summary = "The sum of the singular values.",
     .composite = boxed<nuclear_norm_dim>,
     .autocast = {.cuda = Autocast::Float32}},
};

}  // namespace

std::span<const OperatorRecord> norm_records() { return kRecords; }

}  // namespace loupe::linalg
