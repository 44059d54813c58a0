// SPDX-License-Identifier: Apache-2.0
// The modules of torch.nn.utils.parametrize and parametrizations.
#include "core/autograd/grad_mode.h"
#include "core/base/strings.h"
#include "core/base/typed_error.h"
#include "core/dispatch/functions.h"
#include "core/nn/layers/families.h"
#include "core/nn/layers/support.h"
#include "core/nn/native_function.h"
#include "core/nn/utils/right_inverse.h"

namespace loupe::nn::layers {
namespace {

constexpr std::string_view kLists = "torch.nn.utils.parametrize";
constexpr std::string_view kPython = "torch.nn.utils.parametrizations";

const OperatorHandle<fn::TwoTensors> geqrf("aten::geqrf");
const OperatorHandle<> householder_product("aten::linalg_householder_product");
const OperatorHandle<> matrix_exp("aten::matrix_exp");
const OperatorHandle<> solve("aten::linalg_solve");
const OperatorHandle<> identity_like("aten::eye");
const OperatorHandle<> adjoint("aten::adjoint");
const OperatorHandle<> normal("aten::randn");
const OperatorHandle<> to_int("aten::to.dtype");
const OperatorHandle<> weight_norm("aten::_weight_norm");
const OperatorHandle<> norm_except_dim("aten::norm_except_dim");
const OperatorHandle<bool> allclose("aten::allclose");

IValue dtype_of(const Tensor& t) { return static_cast<std::int64_t>(t.dtype()); }
Tensor transposed(const Tensor& t) { return fn::transpose(t, -2, -1); }
Tensor diagonal_of(const Tensor& t) { return fn::diagonal(t, 0, -2, -1); }
Tensor identity(std::int64_t n, const Tensor& like) { return identity_like(n, dtype_of(like)); }

// ---- orthogonal

Tensor make_orthogonal(const Tensor& a) {
    const auto [x, tau] = geqrf(a);
    return fn::mul(householder_product(x, tau), fn::unsqueeze(fn::sgn(diagonal_of(x)), -2));
}

bool is_orthogonal(const Tensor& q) {
    const bool is_double = q.dtype() == ScalarType::Float64 || q.dtype() == ScalarType::Complex128;
    const double eps =
        10.0 * static_cast<double>(q.size(-2)) * (is_double ? 2.220446049250313e-16 : 1.1920928955078125e-07);
    return allclose(fn::matmul(adjoint(q), q), identity(q.size(-1), q), 1e-5, eps, false);
}

void init_orthogonal(Module& self, const Tensor& weight, std::string_view orthogonal_map, bool use_trivialization) {
    if (is_complex(weight.dtype()) && orthogonal_map == "householder") {
        fail_with_value("The householder parametrization does not support complex tensors.");
    }
    self.set_attribute("shape", torch_size(weight.sizes()));
    self.set_attribute("orthogonal_map", std::string(orthogonal_map));
    if (use_trivialization) self.register_buffer("base", Tensor());
}

Tensor skew_map(const Tensor& given, std::int64_t n, std::int64_t k, bool is_exponential) {
    Tensor x = fn::tril(given, 0);
    if (n != k) {
        Dims sizes = to_dims(x.sizes());
        sizes.back() = n - k;
        x = fn::cat(TensorList{x, fn::expand(fn::new_zeros(x, Dims{n, n - k}), sizes, false)}, -1);
    }
    const Tensor a = fn::sub(x, adjoint(x), Scalar(1));
    Tensor q;
    if (is_exponential) {
        q = matrix_exp(a);
    } else {
        const Tensor one = identity(n, a);
        q = solve(fn::add(one, a, Scalar(-0.5)), fn::add(one, a, Scalar(0.5)), true);
    }
    return n == k ? q : fn::narrow(q, -1, 0, k);
}

Tensor orthogonal_forward(Module& self, const Tensor& given) {
    const bool is_wide = given.size(-2) < given.size(-1);
    const Tensor x = is_wide ? transposed(given) : given;
    const std::int64_t n = x.size(-2), k = x.size(-1);
    const std::string& map = self.attribute("orthogonal_map").to_string();
    Tensor q;
    if (map == "householder") {
        const Tensor a = fn::tril(x, -1);
        const Tensor squares = fn::sum_dim(fn::mul(a, a), Dims{-2}, false);
        const Tensor tau = fn::mul_scalar(fn::reciprocal(fn::add_scalar(squares, Scalar(1.0), Scalar(1))), Scalar(2.0));
        q = householder_product(a, tau);
        q = fn::mul(q, fn::unsqueeze(to_int(diagonal_of(x), static_cast<std::int64_t>(ScalarType::Int32)), -2));
    } else {
        q = skew_map(x, n, k, map == "matrix_exp");
    }
    if (self.find_attribute("base") != nullptr) q = fn::matmul(tensor(self, "base"), q);
    return is_wide ? transposed(q) : q;
}

// Without a base only Householder's map can be inverted.
Tensor reflectors_of(const Module& self, const Tensor& q, bool is_wide) {
    if (self.attribute("orthogonal_map").to_string() != "householder") {
        throw TypedError("NotImplementedError",
                         "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                         "use_trivialization=False.");
    }
    const auto [a, tau] = geqrf(q);
    const Tensor signs = fn::sign(diagonal_of(a));
    fn::copy_(diagonal_of(a), fn::where(fn::eq_scalar(tau, Scalar(0.0)), fn::neg(signs), signs), false);
    return is_wide ? transposed(a) : a;
}

Tensor orthogonal_inverse(Module& self, const Tensor& given) {
    const GradModeScope no_grad(false);
    const IValue& shape = self.attribute("shape");
    const IValue wanted = torch_size(given.sizes());
    if (!values_equal(shape, wanted)) {
        fail_with_value(concat("Expected a matrix or batch of matrices of shape ", python_str(shape),
                               ". Got a tensor of shape ", python_str(wanted), "."));
    }
    const bool is_wide = given.size(-2) < given.size(-1);
    Tensor q = is_wide ? transposed(given) : given;
    const std::int64_t n = q.size(-2), k = q.size(-1);
    if (self.find_attribute("base") == nullptr) return reflectors_of(self, q, is_wide);
    if (n == k) {
        q = is_orthogonal(q) ? fn::clone(q, IValue()) : make_orthogonal(q);
    } else {
        Dims sizes = to_dims(q.sizes());
        sizes.back() = n - k;
        q = make_orthogonal(fn::cat(TensorList{q, normal(sizes, dtype_of(q))}, -1));
    }
    self.set_attribute("base", q);
    const Tensor minus_one = fn::zeros_like(given);
    fn::fill_(diagonal_of(minus_one), Scalar(-1.0));
    return minus_one;
}

// ---- spectral norm

Tensor normalized(const Tensor& t, double eps) {
    static const NativeFunction* const normalize = find_functional("normalize");
    return call_function(*normalize, {{t}, {{"dim", 0}, {"eps", eps}}}).to_tensor();
}

Tensor as_matrix(const Module& self, const Tensor& weight) {
    const std::int64_t dim = integer(self, "dim");
    Dims order{dim};
    for (std::int64_t d = 0; d < weight.dim(); ++d) {
        if (d != dim) order.push_back(d);
    }
    return fn::flatten(dim == 0 ? weight : fn::permute(weight, order), 1, -1);
}

void power_method(const Module& self, const Tensor& weight, std::int64_t iterations) {
    const GradModeScope no_grad(false);
    const double eps = number(self, "eps");
    const Tensor u = tensor(self, "_u"), v = tensor(self, "_v");
    for (std::int64_t i = 0; i < iterations; ++i) {
        fn::copy_(u, normalized(fn::mv(weight, v), eps), false);
        fn::copy_(v, normalized(fn::mv(fn::t(weight), u), eps), false);
    }
}

void init_spectral(Module& self, const Tensor& weight, std::int64_t iterations, std::int64_t dim, double eps) {
    const std::int64_t ndim = weight.dim();
    if (dim >= ndim || dim < -ndim) {
        throw TypedError("IndexError", concat("Dimension out of range (expected to be in range of [-", ndim, ", ",
                                              ndim - 1, "] but got ", dim, ")"));
    }
    if (iterations <= 0) {
        fail_with_value(concat("Expected n_power_iterations to be positive, but got n_power_iterations=", iterations));
    }
    self.set_attribute("dim", dim >= 0 ? dim : dim + ndim);
    self.set_attribute("eps", eps);
    if (ndim < 2) return;
    self.set_attribute("n_power_iterations", iterations);
    const GradModeScope no_grad(false);
    const Tensor matrix = as_matrix(self, weight);
    for (const auto& [name, size] : {std::pair("_u", matrix.size(0)), std::pair("_v", matrix.size(1))}) {
        const Dims sizes{size};
        self.register_buffer(name, fn::normal_(empty(span_of(sizes), weight.dtype(), weight.device()), 0.0, 1.0));
    }
    for (const char* name : {"_u", "_v"}) self.set_attribute(name, normalized(tensor(self, name), eps));
    power_method(self, matrix, 15);
}

Tensor spectral_forward(Module& self, const Tensor& weight) {
    if (weight.dim() == 1) return normalized(weight, number(self, "eps"));
    const Tensor matrix = as_matrix(self, weight);
    if (self.is_training()) power_method(self, matrix, integer(self, "n_power_iterations"));
    const Tensor u = fn::clone(tensor(self, "_u"), 0), v = fn::clone(tensor(self, "_v"), 0);
    return fn::div(weight, fn::dot(u, fn::mv(matrix, v)));
}

Tensor same_value(Module&, const Tensor& value) { return value; }

// ---- weight norm

void init_weight_norm(Module& self, std::optional<std::int64_t> dim) { self.set_attribute("dim", dim.value_or(-1)); }
Tensor weight_norm_forward(Module& self, const Tensor& g, const Tensor& v) {
    return weight_norm(v, g, integer(self, "dim"));
}
IValue weight_norm_inverse(Module& self, Arguments arguments) {
    const Tensor weight = arguments[0].to_tensor();
    return make_ptr<TupleObject>(std::vector<IValue>{norm_except_dim(weight, 2, integer(self, "dim")), weight});
}

// ---- the list

void init_list(Module& self, Arguments) {
    self.set_attribute("unsafe", false);
    self.set_attribute("is_tensor", true);
    self.set_attribute("ntensors", 1);
}
IValue list_forward(Module& self, Arguments) { return parametrized_value(self); }
IValue list_inverse(Module& self, Arguments arguments) {
    set_parametrized_value(self, arguments[0]);
    return {};
}

constexpr LayerMethod kListMethods[] = {{"right_inverse(Any value) -> Any", list_inverse}};
constexpr LayerMethod kOrthogonalMethods[] = {{"right_inverse(Tensor Q) -> Tensor", computes<orthogonal_inverse>}};
constexpr LayerMethod kSpectralMethods[] = {{"right_inverse(Tensor value) -> Tensor", computes<same_value>}};
constexpr LayerMethod kWeightNormMethods[] = {{"right_inverse(Tensor weight) -> Any", weight_norm_inverse}};

constexpr LayerRecord kRecords[] = {
    {.name = "ParametrizationList",
     .base = "ModuleList",
     .module = kLists,
     .summary = "The parametrizations of a tensor, applied one after another to the original.",
     .constructor = "()",
     .init = init_list,
     .forward_schema = "() -> Any",
     .forward = list_forward,
     .methods = kListMethods},
    {.name = "_Orthogonal",
     .base = "Module",
     .module = kPython,
     .summary = "A matrix with orthonormal rows or columns.",
     .constructor = "(Tensor weight, str orthogonal_map, *, bool use_trivialization=True)",
     .init = builds<init_orthogonal>,
     .forward_schema = "(Tensor X) -> Tensor",
     .forward = computes<orthogonal_forward>,
     .methods = kOrthogonalMethods},
    {.name = "_SpectralNorm",
     .base = "Module",
     .module = kPython,
     .summary = "A weight over its largest singular value.",
     .constructor = "(Tensor weight, int n_power_iterations=1, int dim=0, float eps=1e-12)",
     .init = builds<init_spectral>,
     .forward_schema = "(Tensor weight) -> Tensor",
     .forward = computes<spectral_forward>,
     .methods = kSpectralMethods},
    {.name = "_WeightNorm",
     .base = "Module",
     .module = kPython,
     .summary = "A weight by its direction and its length.",
     .constructor = "(int? dim=0)",
     .init = builds<init_weight_norm>,
     .forward_schema = "(Tensor weight_g, Tensor weight_v) -> Tensor",
     .forward = computes<weight_norm_forward>,
     .methods = kWeightNormMethods},
};

}  // namespace

LayerFamily parametrization_layers() { return kRecords; }

}  // namespace loupe::nn::layers
