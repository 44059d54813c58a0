// SPDX-License-Identifier: Apache-2.0
// Least squares by four LAPACK drivers.

#include <array>
#include <optional>

#include "core/dispatch/gradient_context.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/linalg/batch.h"
#include "core/ops/linalg/calls.h"
#include "core/ops/linalg/family.h"
#include "core/ops/linalg/lapack.h"
#include "core/ops/linalg/pinv_gradient.h"
#include "core/ops/samples.h"

namespace loupe::linalg {
namespace {

using namespace arithmetic;

enum class Driver { Gels, Gelsy, Gelsd, Gelss };
Driver parse_driver(const std::optional<std::string_view>& name) {
    if (!name || *name == "gelsy") return Driver::Gelsy;
    if (*name == "gels") return Driver::Gels;
    if (*name == "gelsd") return Driver::Gelsd;
    if (*name == "gelss") return Driver::Gelss;
    fail_run("torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)");
}

void check_inputs(const Tensor& A, const Tensor& B) {
    constexpr std::string_view kName = "torch.linalg.lstsq";
    require(A.dim() >= 2, kName, ": input must have at least 2 dimensions.");
    require(B.dim() >= 1, kName, ": other must have at least 1 dimension.");
    require(A.dtype() == B.dtype(), kName, ": Expected input and other to have the same dtype, but got input's dtype ",
            dtype_graph_name(A.dtype()), " and other's dtype ", dtype_graph_name(B.dtype()));
    const std::int64_t fewer = A.dim() - B.dim();
    require(fewer >= 0 && fewer <= 1, kName,
            ": input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1");
    if (is_vector_batch(A, B)) {
        require(A.size(-2) == B.size(-1), kName, ": input.size(-2) should match other.size(-1)");
    } else {
        require(A.size(-2) == B.size(-2), kName, ": input.size(-2) should match other.size(-2)");
    }
    require(is_lapack_dtype(A.dtype()), "This function doesn't handle types other than float and double");
}

struct Batch {
    Tensor A;       // in columns, overwritten
    Tensor B;       // in columns, max(m, n) rows; the solution after
    Tensor rank;    // int64
    Tensor values;  // singular values, for the drivers that find them
    Tensor info;
};

template <typename T>
void solve_one(const Batch& batch, std::int64_t i, Driver driver, double rcond, std::int64_t m) {
    const std::int64_t n = batch.A.size(-1);
    T* a = matrix_at<T>(batch.A, i);
    T* b = matrix_at<T>(batch.B, i);
    const auto rows = narrow(m);
    const auto columns = narrow(n);
    const auto sides = narrow(batch.B.size(-1));
    const auto cut = static_cast<RealOf<T>>(rcond);
    lapack_int rank = 0;
    lapack_int info = 0;
    std::vector<RealOf<T>> scratch(static_cast<std::size_t>(std::max<std::int64_t>(1, std::min(m, n))));
    RealOf<T>* s = batch.values.numel() > 0 ? vector_at<RealOf<T>>(batch.values, i) : scratch.data();
    switch (driver) {
        case Driver::Gels:
            info = Lapack<T>::gels(LAPACK_COL_MAJOR, 'N', rows, columns, sides, a, leading(m), b,
                                   leading(batch.B.size(-2)));
            break;
        case Driver::Gelsy: {
            std::vector<lapack_int> exchanges(static_cast<std::size_t>(n), 0);
            info = Lapack<T>::gelsy(LAPACK_COL_MAJOR, rows, columns, sides, a, leading(m), b, leading(batch.B.size(-2)),
                                    exchanges.data(), cut, &rank);
            break;
        }
        case Driver::Gelsd:
            info = Lapack<T>::gelsd(LAPACK_COL_MAJOR, rows, columns, sides, a, leading(m), b, leading(batch.B.size(-2)),
                                    s, cut, &rank);
            break;
        case Driver::Gelss:
            info = Lapack<T>::gelss(LAPACK_COL_MAJOR, rows, columns, sides, a, leading(m), b, leading(batch.B.size(-2)),
                                    s, cut, &rank);
            break;
    }
    batch.info.data<std::int32_t>()[i] = info;
    if (driver != Driver::Gels) batch.rank.data<std::int64_t>()[i] = rank;
}

Batch prepare(const Tensor& A, const Tensor& B, Driver driver) {
    const std::int64_t m = A.size(-2);
    const std::int64_t n = A.size(-1);
    const Dims batch = broadcast_batches(A, B);
    const bool has_values = driver == Driver::Gelsd || driver == Driver::Gelss;
    const Dims rows = with_batch(span_of(batch), {std::max(m, n), B.size(-1)});
    const Dims values = has_values ? with_batch(span_of(batch), {std::min(m, n)}) : Dims{0};
    const Dims ranks = driver == Driver::Gels ? Dims{0} : batch;
    Batch out{column_copy(in_batch(A, span_of(batch))), empty_columns(span_of(rows), B.dtype()),
              zeros(span_of(ranks), ScalarType::Int64), zeros(span_of(values), to_real_type(A.dtype())),
              zeros(span_of(batch), ScalarType::Int32)};
    if (out.B.numel() > 0) {
        fn::zero_(out.B);
        if (m > 0) copy_strided(fn::narrow(out.B, -2, 0, m), in_batch(B, span_of(batch)));
    }
    return out;
}

// The sums of squares below the solution, where LAPACK leaves them: for matrices of full rank only.
Tensor residuals_of(const Batch& batch, Driver driver, std::int64_t m) {
    const std::int64_t n = batch.A.size(-1);
    bool known = driver != Driver::Gelsy && m > n;
    if (known && driver != Driver::Gels) known = fn::is_nonzero(fn::all(fn::eq_scalar(batch.rank, Scalar(n))));
    if (!known) return empty(std::array{std::int64_t{0}}, to_real_type(batch.A.dtype()));
    const Tensor magnitude = fn::abs(fn::narrow(batch.B, -2, n, m - n));
    return fn::sum_dim(magnitude * magnitude, Dims{-2}, false, IValue());
}

std::tuple<Tensor, Tensor, Tensor, Tensor> lstsq(const Tensor& A, const Tensor& B, std::optional<double> rcond,
                                                 std::optional<std::string_view> driver_name) {
    check_inputs(A, B);
    const Driver driver = parse_driver(driver_name);
    const bool is_vector = is_vector_batch(A, B);
    const std::int64_t m = A.size(-2);
    const std::int64_t n = A.size(-1);
    const Batch batch = prepare(A, is_vector ? fn::unsqueeze(B, -1) : B, driver);
    const double cut = rcond.value_or(epsilon_of(A.dtype()) * static_cast<double>(std::max(m, n)));
    const LapackScope lapack;
    if (batch.A.numel() > 0 && batch.B.numel() > 0) {
        visit_lapack(A.dtype(), [&]<typename T>(std::type_identity<T>) {
            for (std::int64_t i = 0; i < batch_count(batch.A); ++i) solve_one<T>(batch, i, driver, cut, m);
        });
    }
    check_errors(batch.info, "torch.linalg.lstsq", A.dim() == 2);
    Tensor solution = fn::narrow(batch.B, -2, 0, n);
    if (is_vector) solution = fn::squeeze(solution, -1);
    return {solution, residuals_of(batch, driver, m), batch.rank, batch.values};
}
void lstsq_backward(GradientContext& context) {
    if (!context.grad_output(0).defined()) return;
    const Tensor A = context.argument("self");
    const Tensor B = context.argument("b");
    const bool is_vector = is_vector_batch(A, B);
    const auto as_matrix = [is_vector](const Tensor& t) { return is_vector ? fn::unsqueeze(t, -1) : t; };
    const Tensor inverse = call::pinv(A, IValue(), IValue(), false);
    const Tensor g = as_matrix(context.grad_output(0));
    context.grad("self", [&] { return pinv_gradient(fn::matmul(g, mH(as_matrix(B))), inverse, A); });
    context.grad("b", [&] {
        const Tensor gB = fn::matmul(mH(inverse), g);
        return is_vector ? fn::squeeze(gB, -1) : gB;
    });
}

std::vector<Sample> lstsq_samples(Random& random, ScalarType dtype) {
    if (!is_lapack_dtype(dtype)) return {};
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{t({4, 3}), t({4, 2}), IValue(), IValue()}},
            {{t({2, 2, 3}), t({2, 2, 2}), IValue(), IValue()}, "wide, batch"}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::linalg_lstsq(Tensor self, Tensor b, float? rcond=None, *, str? driver=None) -> (Tensor solution, "
               "Tensor residuals, Tensor rank, "
               "Tensor singular_values)",
     .summary = "The X that is closest: by QR (gels), QR with exchanges (gelsy) or SVD (gelsd, gelss).",
     .formula = "min_X |self X - b|",
     .kernel = boxed<lstsq>,
     .derivative = {lstsq_backward, {save_argument("self"), save_argument("b")}},
     .gradient = "self: as linalg_pinv, for grad b^H\nb: (A^+)^H grad, A^+ the pseudo-inverse",
     .samples = lstsq_samples,
     .constant_results = 0b1110,
     .autocast = {.cpu = Autocast::Float32}},
};

}  // namespace

Tensor pinv_gradient(const Tensor& grad, const Tensor& inverse, const Tensor& A) {
    const Tensor adjoint = mH(inverse);
    const Tensor g = mH(grad);
    if (A.size(-2) <= A.size(-1)) {
        const Tensor K = fn::matmul(g, inverse);
        const Tensor KP = fn::matmul(K, adjoint);
        return -mH(fn::matmul(inverse, K)) + KP - fn::matmul(fn::matmul(A, inverse), KP) +
               fn::matmul(fn::matmul(adjoint, inverse), g - fn::matmul(K, A));
    }
    const Tensor K = fn::matmul(inverse, g);
    const Tensor PK = fn::matmul(adjoint, K);
    return -mH(fn::matmul(K, inverse)) + fn::matmul(fn::matmul(g - fn::matmul(A, K), inverse), adjoint) + PK -
           fn::matmul(fn::matmul(PK, inverse), A);
}

std::span<const OperatorRecord> least_squares_records() { return kRecords; }

}  // namespace loupe::linalg
