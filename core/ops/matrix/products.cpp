// SPDX-License-Identifier: Apache-2.0
// mm, addmm, bmm, baddbmm, addbmm: products of matrices and of batches of them.
#include "core/ops/matrix/products.h"
#include "core/base/parallel.h"
#include "core/base/torch_release.h"
#include "core/kernels/elementwise.h"

#include "core/dispatch/cpp_type_name.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/out_refusals.h"
#include "core/ops/matrix/family.h"
#include "core/ops/matrix/gemm.h"
#include "core/ops/matrix/half_gemm.h"
#include "core/ops/matrix/layout.h"
#include "core/ops/not_finite.h"
#include "core/ops/samples.h"
#include "core/ops/sparse/sparse.h"

namespace loupe {
namespace matrix {

void check_product_dtypes(const char* kernel_name, const Tensor& a, const Tensor& b) {
    require(a.dtype() == b.dtype(), "expected scalar type ", dtype_graph_name(a.dtype()), " but found ",
            dtype_graph_name(b.dtype()));
    require(a.dtype() != ScalarType::Bool && a.dtype() != ScalarType::Complex32, "\"", kernel_name,
            "\" not implemented for '", dtype_graph_name(a.dtype()), "'");
}

void check_matrix(const Tensor& t, const char* name) { require(t.dim() == 2, name, " must be a matrix"); }

Tensor times(const Tensor& t, const Scalar& alpha) { return alpha.equals(1) ? t : fn::mul_scalar(t, alpha); }

Tensor conjugate(const Tensor& t) { return is_complex(t.dtype()) ? fn::conj_physical(t) : t; }

Scalar conjugate(const Scalar& s) { return s.is_complex() ? Scalar(std::conj(s.to_complex())) : s; }

Tensor adjoint(const Tensor& t) { return conjugate(fn::transpose(t, -2, -1)); }

Cost product_cost(double inner, Arguments arguments, std::span<const IValue> results) {
    Cost cost;
    const auto count_bytes = [&cost](const IValue& value) {
        if (value.is_tensor()) cost.bytes += static_cast<double>(value.to_tensor().bytes());
    };
    for (const IValue& argument : arguments) count_bytes(argument);
    for (const IValue& result : results) count_bytes(result);
    const Tensor out = results[0].to_tensor();
    cost.flops = 2 * inner * static_cast<double>(out.numel()) * (is_complex(out.dtype()) ? 4 : 1);
    return cost;
}

}  // namespace matrix
namespace {

using namespace matrix;

constexpr const char* kKernelName = "addmm_impl_cpu_";

void check_mm(const Tensor& a, const Tensor& b, const char* function) {
    require(a.sizes()[1] == b.sizes()[0], is_older_torch() ? "" : function,
            "mat1 and mat2 shapes cannot be multiplied (", a.sizes()[0], "x", a.sizes()[1], " and ", b.sizes()[0], "x",
            b.sizes()[1], ")");
}

TensorMeta infer_mm(const Tensor& self, const Tensor& mat2) {
    if (is_older_torch()) {
        check_matrix(self, "self");
        check_matrix(mat2, "mat2");
    }
    require(self.dim() == 2, "mm: self must be a matrix, got ", self.dim(), "-D tensor");
    require(mat2.dim() == 2, "mm: mat2 must be a matrix, got ", mat2.dim(), "-D tensor");
    check_mm(self, mat2, "mm: ");
    require(is_older_torch() || self.dtype() == mat2.dtype(),
            "expected m1 and m2 to have the same dtype, but got: ", cpp_type_name(self.dtype()),
            " != ", cpp_type_name(mat2.dtype()));
    check_product_dtypes(kKernelName, self, mat2);
    return {{self.sizes()[0], mat2.sizes()[1]}, self.dtype(), self.device()};
}

template <typename F>
void visit_product_dtype(ScalarType dtype, F&& f) {
    visit_dtype(dtype, [&]<typename T>(std::type_identity<T> type) {
        if constexpr (!std::is_same_v<T, bool> && !std::is_same_v<T, ComplexHalf>) f(type);
    });
}

// out = beta out + alpha a b.
void run_mm(const Tensor& out, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha) {
    if (is_float8(out.dtype())) {
        const auto wide = [](const Tensor& t) {
            Tensor copy = empty(t.sizes(), ScalarType::Float32);
            copy_into(copy, t);
            return copy;
        };
        const Tensor sum = wide(out);
        run_mm(sum, wide(a), wide(b), beta, alpha);
        return copy_into(out, sum);
    }
    visit_product_dtype(out.dtype(), [&]<typename T>(std::type_identity<T>) {
        if constexpr (std::is_same_v<T, BFloat16> || std::is_same_v<T, Half>) {
            gemm_of_halves<T>(alpha.to<float>(), matrix_of<const T>(a), matrix_of<const T>(b), beta.to<float>(),
                              matrix_of<T>(out));
        } else {
            gemm<T>(alpha.to<T>(), matrix_of<const T>(a), matrix_of<const T>(b), beta.to<T>(), matrix_of<T>(out));
        }
    });
}

void mm(const Tensor& out, const Tensor& self, const Tensor& mat2) { run_mm(out, self, mat2, 0, 1); }

// The gradient has its argument's layout: that of a transposed view (a linear layer's weight) is made transposed, so
// that the view's gradient, and so the weight's, is contiguous.
Tensor grad_of_right(const GradientContext& context, std::size_t right, const Tensor& left, const Tensor& g) {
    const bool is_saved =
        context.needs(right - 1);  // without it, the first layer of a network, the layout is not known
    const bool transposed =
        !is_saved || (context.argument(right).strides()[0] == 1 && !context.argument(right).is_contiguous());
    if (transposed) return fn::transpose(fn::mm(fn::transpose(g, 0, 1), conjugate(left)), 0, 1);
    return fn::mm(adjoint(left), g);
}

void mm_backward(GradientContext& context) {
    const Tensor& g = context.grad_output();
    context.grad("self", [&] { return fn::mm(g, adjoint(context.argument("mat2"))); });
    context.grad("mat2", [&] { return grad_of_right(context, 1, context.argument("self"), g); });
}

Cost mm_cost(Arguments arguments, std::span<const IValue> results) {
    return product_cost(static_cast<double>(arguments[0].to_tensor().size(-1)), arguments, results);
}

std::vector<Sample> mm_samples(Random& random, ScalarType dtype) {
    const Tensor wide = random_tensor(random, {5, 3}, dtype);
    return {{{random_tensor(random, {2, 3}, dtype), random_tensor(random, {3, 4}, dtype)}},
            {{random_tensor(random, {7, 5}, dtype), wide}, "tall"},
            {{random_tensor(random, {2, 0}, dtype), random_tensor(random, {0, 4}, dtype)}, "nothing to sum"}};
}

// ---- addmm

TensorMeta infer_addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar&, const Scalar&) {
    const bool is_older = is_older_torch();
    const auto check_dtype = [&](const Tensor& t, const char* name) {
        if (t.dtype() == mat2.dtype()) return;
        require(!is_older, name, " and mat2 must have the same dtype");
        require(false, name, " and mat2 must have the same dtype, but got ", dtype_graph_name(t.dtype()), " and ",
                dtype_graph_name(mat2.dtype()));
    };
    if (!is_older) {
        check_dtype(self, "self");
        check_dtype(mat1, "mat1");
    }
    require(mat1.dim() == 2, is_older ? "mat1" : "addmm: self", " must be a matrix, got ", mat1.dim(), "-D tensor");
    require(mat2.dim() == 2, is_older ? "" : "addmm: ", "mat2 must be a matrix, got ", mat2.dim(), "-D tensor");
    check_mm(mat1, mat2, "addmm: ");
    check_dtype(mat1, "mat1");
    check_dtype(self, "self");
    check_product_dtypes(kKernelName, mat1, mat2);
    TensorMeta meta{{mat1.sizes()[0], mat2.sizes()[1]}, mat1.dtype(), mat1.device()};
    expanded(self, span_of(meta.sizes));
    return meta;
}

// out = self, spread over the rows.
void spread(const Tensor& out, const Tensor& self) {
    if (!self.is_same(out)) copy_strided(out, expanded(self, out.sizes()));
}

void addmm(const Tensor& out, const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
           const Scalar& alpha) {
    if (!beta.equals(0)) spread(out, self);
    run_mm(out, mat1, mat2, beta, alpha);
}

void addmm_backward(GradientContext& context) {
    const Tensor& g = context.grad_output();
    const Scalar alpha = conjugate(context.value("alpha").to_scalar());
    context.grad("self", [&] { return times(g, conjugate(context.value("beta").to_scalar())); });
    context.grad("mat1", [&] { return times(fn::mm(g, adjoint(context.argument("mat2"))), alpha); });
    context.grad("mat2", [&] { return times(grad_of_right(context, 2, context.argument("mat1"), g), alpha); });
}

Cost addmm_cost(Arguments arguments, std::span<const IValue> results) {
    return product_cost(static_cast<double>(arguments[1].to_tensor().size(-1)), arguments, results);
}

// A number that differs from its conjugate, for complex dtypes.
IValue turning(ScalarType dtype) { return is_complex(dtype) ? IValue(std::complex<double>(0.5, -2)) : IValue(2); }

std::vector<Sample> addmm_samples(Random& random, ScalarType dtype) {
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{t({4}), t({2, 3}), t({3, 4}), 1, 1}, "bias"},
            {{t({2, 4}), t({2, 3}), t({3, 4}), 2, 3}, "scaled"},
            {{t({2, 4}), t({2, 3}), t({3, 4}), turning(dtype), turning(dtype)}, "scaled by complex numbers"},
            {{t({2, 1}), t({2, 3}), t({3, 4}), 0, 1}, "self ignored"}};
}

// ---- batches

TensorMeta infer_bmm_of(const Tensor& batch1, const Tensor& batch2) {
    require(batch1.dim() == 3, "batch1 must be a 3D tensor");
    require(batch2.dim() == 3, "batch2 must be a 3D tensor");
    require(batch1.sizes()[0] == batch2.sizes()[0] && batch1.sizes()[2] == batch2.sizes()[1],
            "Expected size for first two dimensions of batch2 tensor to be: [", batch1.sizes()[0], ", ",
            batch1.sizes()[2], "] but got: [", batch2.sizes()[0], ", ", batch2.sizes()[1], "].");
    check_product_dtypes("bmm", batch1, batch2);
    return {{batch1.sizes()[0], batch1.sizes()[1], batch2.sizes()[2]}, batch1.dtype(), batch1.device()};
}

template <typename T>
MatrixBatch<T> batch_of(const Tensor& t) {
    const auto sizes = t.sizes();
    const auto strides = t.strides();
    return {{t.data<T>(), sizes[1], sizes[2], strides[1], strides[2]}, strides[0]};
}

void run_bmm(const Tensor& out, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha) {
    visit_product_dtype(out.dtype(), [&]<typename T>(std::type_identity<T>) {
        if constexpr (std::is_same_v<T, BFloat16> || std::is_same_v<T, Half>) {
            const std::int64_t count = out.sizes()[0];
            auto run = [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t i = begin; i < end; ++i)
                    gemm_of_halves<T>(alpha.to<float>(), batch_of<const T>(a)[i], batch_of<const T>(b)[i],
                                      beta.to<float>(), batch_of<T>(out)[i]);
            };
            // Matrices side by side when there are enough; else the threads share each.
            if (count < thread_count()) return run(0, count);
            const std::int64_t work = std::max<std::int64_t>(1, out.size(1) * out.size(2) * a.size(2));
            return parallel_for(0, count, std::max<std::int64_t>(1, (1 << 15) / work), run);
        }
        batched_gemm<T>(out.sizes()[0], alpha.to<T>(), batch_of<const T>(a), batch_of<const T>(b), beta.to<T>(),
                        batch_of<T>(out));
    });
}

void bmm(const Tensor& out, const Tensor& self, const Tensor& mat2) { run_bmm(out, self, mat2, 0, 1); }

void bmm_backward(GradientContext& context) {
    const Tensor& g = context.grad_output();
    context.grad("self", [&] { return fn::bmm(g, adjoint(context.argument("mat2"))); });
    context.grad("mat2", [&] { return fn::bmm(adjoint(context.argument("self")), g); });
}

std::vector<Sample> bmm_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 2, 4}, dtype), random_tensor(random, {3, 4, 5}, dtype)}},
            {{random_tensor(random, {1, 6, 2}, dtype), random_tensor(random, {1, 2, 3}, dtype)}, "one"}};
}

TensorMeta infer_baddbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar&, const Scalar&) {
    if (batch1.dim() == 3 && batch2.dim() == 3) {
        const Dims sizes{batch1.size(0), batch1.size(1), batch2.size(2)};
        expanded(self, span_of(sizes));
    }
    TensorMeta meta = infer_bmm_of(batch1, batch2);
    const auto named = [](const Tensor& t) {
        return is_older_torch() ? dtype_graph_name(t.dtype()) : cpp_type_name(t.dtype());
    };
    require(self.dtype() == batch1.dtype(), "Input dtypes must be the same, got: input ", named(self),
            ", batch1: ", named(batch1), ", batch2: ", named(batch2));
    return meta;
}

void baddbmm(const Tensor& out, const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
             const Scalar& alpha) {
    if (!beta.equals(0)) spread(out, self);
    run_bmm(out, batch1, batch2, beta, alpha);
}

void baddbmm_backward(GradientContext& context) {
    const Tensor& g = context.grad_output();
    const Scalar alpha = conjugate(context.value("alpha").to_scalar());
    context.grad("self", [&] { return times(g, conjugate(context.value("beta").to_scalar())); });
    context.grad("batch1", [&] { return times(fn::bmm(g, adjoint(context.argument("batch2"))), alpha); });
    context.grad("batch2", [&] { return times(fn::bmm(adjoint(context.argument("batch1")), g), alpha); });
}

std::vector<Sample> baddbmm_samples(Random& random, ScalarType dtype) {
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{t({3, 2, 5}), t({3, 2, 4}), t({3, 4, 5}), 1, 1}},
            {{t({1, 5}), t({3, 2, 4}), t({3, 4, 5}), 2, -1}, "scaled"},
            {{t({1, 5}), t({3, 2, 4}), t({3, 4, 5}), turning(dtype), turning(dtype)}, "scaled by complex numbers"}};
}

TensorMeta infer_addbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar&, const Scalar&) {
    TensorMeta meta = infer_bmm_of(batch1, batch2);
    meta.sizes.erase(meta.sizes.begin());
    require(self.dtype() == batch1.dtype(), "self and mat2 must have the same dtype");
    expanded(self, span_of(meta.sizes));
    return meta;
}

Tensor in_float32(const Tensor& t) {
    const Tensor wide = empty(t.sizes(), ScalarType::Float32, t.device());
    copy_into(wide, t);
    return wide;
}

void addbmm(const Tensor& out, const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
            const Scalar& alpha) {
    if (out.dtype() == ScalarType::BFloat16) {  // the sum of all products, rounded once
        const Tensor wide = empty(out.sizes(), ScalarType::Float32, out.device());
        addbmm(wide, in_float32(self), in_float32(batch1), in_float32(batch2), beta, alpha);
        return copy_into(out, wide);
    }
    const std::int64_t count = batch1.sizes()[0];
    if (is_floating(out.dtype()) && element_size(out.dtype()) == 1) {  // each sum is rounded
        static const OperatorHandle<> add_product("aten::addmm");
        Tensor sum = count == 0 ? fn::mul_scalar(self, beta) : self;
        for (std::int64_t i = 0; i < count; ++i)
            sum =
                add_product(sum, fn::select(batch1, 0, i), fn::select(batch2, 0, i), i == 0 ? beta : Scalar(1), alpha);
        return copy_into(out, sum);
    }
    if (!beta.equals(0)) spread(out, self);
    visit_product_dtype(out.dtype(), [&]<typename T>(std::type_identity<T>) {
        const auto a = batch_of<const T>(batch1);
        const auto b = batch_of<const T>(batch2);
        MatrixRef<const T> nothing = a.first;
        nothing.columns = 0;
        if (count == 0) gemm<T>(T(0), nothing, b.first, beta.to<T>(), matrix_of<T>(out));
        for (std::int64_t i = 0; i < count; ++i) {
            gemm<T>(alpha.to<T>(), a[i], b[i], i == 0 ? beta.to<T>() : T(1), matrix_of<T>(out));
        }
    });
}

void addbmm_backward(GradientContext& context) {
    const Scalar alpha = conjugate(context.value("alpha").to_scalar());
    context.grad("self", [&] { return times(context.grad_output(), conjugate(context.value("beta").to_scalar())); });
    if (!context.needs("batch1") && !context.needs("batch2")) return;
    const IntSpan left = context.sizes("batch1");
    const Tensor g =
        fn::expand(fn::unsqueeze(context.grad_output(), 0), Dims{left[0], left[1], context.sizes("batch2")[2]});
    context.grad("batch1", [&] { return times(fn::bmm(g, adjoint(context.argument("batch2"))), alpha); });
    context.grad("batch2", [&] { return times(fn::bmm(adjoint(context.argument("batch1")), g), alpha); });
}

Cost addbmm_cost(Arguments arguments, std::span<const IValue> results) {
    const Tensor batch1 = arguments[1].to_tensor();
    return product_cost(static_cast<double>(batch1.size(0) * batch1.size(-1)), arguments, results);
}

std::vector<Sample> addbmm_samples(Random& random, ScalarType dtype) {
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{t({2, 5}), t({3, 2, 4}), t({3, 4, 5}), 1, 1}},
            {{t({5}), t({3, 2, 4}), t({3, 4, 5}), 2, -1}, "scaled"},
            {{t({5}), t({3, 2, 4}), t({3, 4, 5}), turning(dtype), turning(dtype)}, "scaled by complex numbers"}};
}

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
constexpr NotFiniteNote kMmNotFinite[] = {
    {In::Either, When::Infinite, 0, "0 \u00b7 Inf or Inf \u2212 Inf in a matrix product", advice::kProduct},
    {In::Either, When::Always, 0, "a matrix product that leaves the range of its dtype", advice::kShrink},
};
constexpr NotFiniteNote kAddmmNotFinite[] = {
    {In::Either, When::Always, 0, "a matrix product that leaves the range of its dtype", advice::kShrink},
};

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::mm(Tensor self, Tensor mat2) -> Tensor",
     .summary = "The product of two matrices.",
     .formula = "out[i, j] = sum_k self[i, k] mat2[k, j]",
     .infer = inferring<infer_mm>,
     .kernel = filling<mm>,
     .derivative = {mm_backward, {save_argument("self", "mat2"), save_argument("mat2", "self")}},
     .gradient = "self: grad mat2^T\nmat2: self^T grad",
     .cost = mm_cost,
     .samples = mm_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kStructured},
     .sparse = {.run = on_sparse::mm},
     .autocast = {.cpu = Autocast::Lower, .cuda = Autocast::Lower},
     .not_finite = kMmNotFinite,
     .dtypes = {kWithFloat8, "addmm_impl_cpu_"}},
    {.schema = "aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
     .summary = "The product of two matrices, scaled, added to a third, scaled.",
     .formula = "out = beta self + alpha mat1 mat2",
     .infer = inferring<infer_addmm>,
     .kernel = filling<addmm>,
     .derivative = {addmm_backward, {save_argument("mat1", "mat2"), save_argument("mat2", "mat1")}},
     .gradient = "self: beta grad\nmat1: alpha grad mat2^T\nmat2: alpha mat1^T grad",
     .cost = addmm_cost,
     .samples = addmm_samples,
     .variants = kInPlace | kOut,
     .out = {.refusal = out_refusal::kStructured},
     .sparse = {.run = on_sparse::addmm},
     .autocast = {.cpu = Autocast::Lower, .cuda = Autocast::Lower},
     .python = {.has_older_form = true},
     .not_finite = kAddmmNotFinite,
     .dtypes = {kWithFloat8, "addmm_impl_cpu_"}},
    {.schema = "aten::bmm(Tensor self, Tensor mat2) -> Tensor",
     .summary = "The products of the matrices of two batches, one by one.",
     .formula = "out[b] = self[b] mat2[b]",
     .infer = inferring<infer_bmm_of>,
     .kernel = filling<bmm>,
     .derivative = {bmm_backward, {save_argument("self", "mat2"), save_argument("mat2", "self")}},
     .gradient = "self: grad[b] mat2[b]^T\nmat2: self[b]^T grad[b]",
     .cost = mm_cost,
     .samples = bmm_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kStructured},
     .autocast = {.cpu = Autocast::Lower, .cuda = Autocast::Lower},
     .not_finite = kMmNotFinite,
     .dtypes = {.kernel = "bmm"}},
    {.schema = "aten::baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
     .summary = "The products of the matrices of two batches, scaled, added to a third batch, scaled.",
     .formula = "out[b] = beta self[b] + alpha batch1[b] batch2[b]",
     .infer = inferring<infer_baddbmm>,
     .kernel = filling<baddbmm>,
     .derivative = {baddbmm_backward, {save_argument("batch1", "batch2"), save_argument("batch2", "batch1")}},
     .gradient = "self: beta grad\nbatch1: alpha grad[b] batch2[b]^T\nbatch2: alpha batch1[b]^T grad[b]",
     .cost = addmm_cost,
     .samples = baddbmm_samples,
     .variants = kInPlace | kOut,
     .out = {.refusal = out_refusal::kStructured},
     .autocast = {.cpu = Autocast::Lower, .cuda = Autocast::Lower},
     .python = {.has_older_form = true},
     .dtypes = {.kernel = "baddbmm"}},
    {.schema = "aten::addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
     .summary = "The sum of the products of the matrices of two batches, scaled, added to a matrix, scaled.",
     .formula = "out = beta self + alpha sum_b batch1[b] batch2[b]",
     .infer = inferring<infer_addbmm>,
     .kernel = filling<addbmm>,
     .derivative = {addbmm_backward, {save_argument("batch1", "batch2"), save_argument("batch2", "batch1")}},
     .gradient = "self: beta grad\nbatch1: alpha grad batch2[b]^T\nbatch2: alpha batch1[b]^T grad",
     .cost = addbmm_cost,
     .samples = addbmm_samples,
     .variants = kInPlace | kOut,
     .autocast = {.cpu = Autocast::Lower, .cuda = Autocast::Lower},
     .python = {.has_older_form = true},
     .dtypes = {kWithFloat8, "addmm_impl_cpu_"}},
};

}  // namespace

std::span<const OperatorRecord> matrix::product_records() { return kRecords; }

}  // namespace loupe
