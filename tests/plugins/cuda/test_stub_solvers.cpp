// SPDX-License-Identifier: Apache-2.0
// Linear algebra by cuSOLVER and cuBLAS on the simulated GPU, whose libraries are the host's LAPACK: numbers against
// the CPU's kernels or what factors must give again, batches, layouts, and what fails.

#include <cusolver_common.h>

#include <QtTest>
#include <limits>

#include "core/autograd/engine.h"
#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/plugin/plugin_loader.h"
#include "tests/ops/comparison.h"
#include "tests/plugins/cuda/library_support.h"
#include "tests/plugins/cuda/stub/stub_gpu.h"

using namespace loupe;
using namespace loupe::test;

namespace {

constexpr ScalarType kDtypes[] = {ScalarType::Float32, ScalarType::Float64, ScalarType::Complex64,
                                  ScalarType::Complex128};
const OperatorHandle<std::tuple<Tensor, Tensor, Tensor>> kSvd{"aten::_linalg_svd"};
const OperatorHandle<fn::TwoTensors> kQr{"aten::linalg_qr"};

Tensor adjoint(const Tensor& t) {
    const Tensor turned = fn::transpose(t, std::int64_t{-2}, std::int64_t{-1});
    return is_complex(t.dtype()) ? fn::conj_physical(turned) : turned;
}
double tolerance_of(ScalarType dtype) {
    return dtype == ScalarType::Float32 || dtype == ScalarType::Complex64 ? 5e-5 : 1e-11;
}
// Well away from singular.
Tensor steady(std::initializer_list<std::int64_t> sizes, ScalarType dtype) {
    const Tensor t = drawn(sizes, dtype);
    const Tensor diagonal = fn::diagonal(t, std::int64_t{0}, std::int64_t{-2}, std::int64_t{-1});
    fn::add_(diagonal, scalar_tensor(5, ScalarType::Float32), Scalar(1));
    return t;
}
Tensor positive(std::initializer_list<std::int64_t> sizes, ScalarType dtype) {
    const Tensor t = steady(sizes, dtype);
    return fn::matmul(t, adjoint(t));
}
struct Case {
    std::string name;
    const char* op;
    std::vector<IValue> arguments;
    const char* call;  // of the library
};

// Systems and reflectors have one answer.
std::vector<Case> cases(ScalarType dtype) {
    std::vector<Case> all;
    for (const bool upper : {true, false}) {
        for (const bool left : {true, false}) {
            all.push_back({concat("triangular, ", upper ? "upper" : "lower", left ? "" : ", right"),
                           "aten::linalg_solve_triangular",
                           {steady({2, 3, 3}, dtype), left ? drawn({3, 4}, dtype) : drawn({4, 3}, dtype), upper, left,
                            upper == left},
                           "trsmBatched"});
        }
        all.push_back({"one triangular",
                       "aten::linalg_solve_triangular",
                       {fn::transpose(steady({3, 3}, dtype), std::int64_t{0}, std::int64_t{1}), drawn({3, 2}, dtype),
                        upper, true, false},
                       "trsm"});
        all.push_back({"older triangular",
                       "aten::triangular_solve",
                       {drawn({2, 3, 2}, dtype), steady({3, 3}, dtype), upper, true, false},
                       "trsmBatched"});
        all.push_back({"cholesky", "aten::linalg_cholesky_ex", {positive({2, 4, 4}, dtype), upper, false}, "potrf"});
        all.push_back({"cholesky_solve",
                       "aten::cholesky_solve",
                       {drawn({3, 2}, dtype), steady({2, 3, 3}, dtype), upper},
                       "potrs"});
        all.push_back({"cholesky_inverse", "aten::cholesky_inverse", {steady({2, 3, 3}, dtype), upper}, "potri"});
        all.push_back({"eigenvalues",
                       "aten::_linalg_eigh",
                       {positive({2, 4, 4}, dtype), IValue(upper ? "U" : "L"), false},
                       "syevd"});
    }
    for (const bool left : {true, false}) {
        for (const bool adjoint : {true, false}) {
            all.push_back({concat("lu_solve", left ? "" : ", right", adjoint ? ", adjoint" : ""),
                           "aten::linalg_lu_solve",
                           {steady({3, 3}, dtype), tensor_of<std::int32_t>({2, 3, 3}, {3}), drawn({2, 3, 3}, dtype),
                            left, adjoint},
                           "getrs"});
            all.push_back({concat("ormqr", left ? "" : ", right", adjoint ? ", adjoint" : ""),
                           "aten::ormqr",
                           {drawn({2, 4, 3}, dtype), drawn({2, 3}, dtype),
                            left ? drawn({2, 4, 2}, dtype) : drawn({2, 2, 4}, dtype), left, adjoint},
                           "ormqr"});
        }
        all.push_back({concat("solve", left ? "" : ", right"),
                       "aten::_linalg_solve_ex",
                       {steady({2, 3, 3}, dtype), left ? drawn({3, 2}, dtype) : drawn({2, 2, 3}, dtype), left, false},
                       "getrf"});
    }
    all.push_back(
        {"a vector", "aten::_linalg_solve_ex", {steady({3, 3}, dtype), drawn({3}, dtype), true, false}, "getrf"});
    all.push_back({"lu", "aten::linalg_lu_factor_ex", {drawn({2, 4, 3}, dtype), true, false}, "getrf"});
    all.push_back({"inverse", "aten::linalg_inv_ex", {steady({2, 3, 3}, dtype), false}, "getrs"});
    all.push_back({"qr", "aten::linalg_qr", {drawn({2, 4, 3}, dtype), IValue("reduced")}, "geqrf"});
    all.push_back({"qr, complete", "aten::linalg_qr", {drawn({4, 2}, dtype), IValue("complete")}, "orgqr"});
    all.push_back({"geqrf", "aten::geqrf", {drawn({2, 2, 3}, dtype)}, "geqrf"});
    all.push_back(
        {"reflectors", "aten::linalg_householder_product", {drawn({2, 4, 3}, dtype), drawn({2, 2}, dtype)}, "orgqr"});
    const Tensor t = drawn({2, 4, 4}, dtype);
    all.push_back({"ldl",
                   "aten::linalg_ldl_factor_ex",
                   {fn::add(t, fn::transpose(t, std::int64_t{-2}, std::int64_t{-1}), Scalar(1)), false, false},
                   "sytrf"});
    all.push_back({"eigenvalues of any", "aten::linalg_eigvals", {t}, "geev"});
    const IValue gels("gels");
    all.push_back(
        {"closest", "aten::linalg_lstsq", {drawn({2, 5, 3}, dtype), drawn({2, 5, 2}, dtype), IValue(), gels}, "ormqr"});
    all.push_back(
        {"closest, wide", "aten::linalg_lstsq", {drawn({3, 5}, dtype), drawn({3, 2}, dtype), IValue(), gels}, "ormqr"});
    all.push_back({"closest to a vector",
                   "aten::linalg_lstsq",
                   {drawn({2, 4, 3}, dtype), drawn({2, 4}, dtype), IValue(), gels},
                   "ormqr"});
    return all;
}

}  // namespace

class TestStubSolvers : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        const PluginStatus status = load_plugin(LOUPE_STUB_CUDA, true);
        QVERIFY2(status.loaded, status.reason.c_str());
    }
    void init() {
        stub_gpu::mend();
        stub_gpu::clear_counts();
    }

    void asOnTheCpu_data() {
        QTest::addColumn<int>("dtype");
        QTest::addColumn<int>("index");
        for (const ScalarType dtype : kDtypes) {
            int index = 0;
            for (const Case& c : cases(dtype)) {
                QTest::addRow("%s %d %s", c.name.c_str(), index, std::string(dtype_name(dtype)).c_str())
                    << static_cast<int>(dtype) << index;
                ++index;
            }
        }
    }
    void asOnTheCpu() {
        QFETCH(int, dtype);
        QFETCH(int, index);
        const auto type = static_cast<ScalarType>(dtype);
        const Case c = cases(type)[static_cast<std::size_t>(index)];
        const Operator& op = *find_operator(c.op);
        std::vector<IValue> arguments;
        for (const IValue& value : c.arguments)
            arguments.push_back(value.is_tensor() && value.to_tensor().defined() ? IValue(there(value.to_tensor()))
                                                                                 : value);
        const std::vector<IValue> wanted = sweep::call(op, c.arguments), found = sweep::call(op, arguments);
        QVERIFY2(!stub_gpu::library_calls(c.call).empty(), c.call);
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const Tensor a = found[i].to_tensor(), b = wanted[i].to_tensor();
            QVERIFY(a.device() == kGpu);
            if (op.record->kernel.fills) QVERIFY(std::ranges::equal(a.strides(), b.strides()));
            QVERIFY2(distance(a, b) <= tolerance_of(type), concat("result ", i, ": ", distance(a, b)).c_str());
        }
    }

    // Singular vectors have signs of their own: what they give again, and that they are orthonormal.
    void singularValues_data() {
        QTest::addColumn<int>("dtype");
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("columns");
        for (const ScalarType dtype : kDtypes) {
            for (const auto& [rows, columns] : {std::pair(5, 3), std::pair(3, 5), std::pair(4, 4), std::pair(1, 3)})
                QTest::addRow("%s %d %d", std::string(dtype_name(dtype)).c_str(), rows, columns)
                    << static_cast<int>(dtype) << rows << columns;
        }
    }
    void singularValues() {
        QFETCH(int, dtype);
        QFETCH(int, rows);
        QFETCH(int, columns);
        const auto type = static_cast<ScalarType>(dtype);
        const Tensor A = drawn({2, rows, columns}, type);
        const double tolerance = tolerance_of(type);
        for (const bool full : {false, true}) {
            const auto [U, S, Vh] = kSvd(there(A), full, true, IValue());
            const auto [U0, S0, Vh0] = kSvd(A, full, true, IValue());
            QVERIFY(distance(S, S0) <= tolerance);
            QVERIFY(std::ranges::equal(U.sizes(), U0.sizes()) && std::ranges::equal(Vh.sizes(), Vh0.sizes()));
            const Tensor u = on_host(U), vh = on_host(Vh), s = on_host(S);
            const std::int64_t k = std::min(rows, columns);
            const Tensor left = fn::narrow(u, std::int64_t{-1}, std::int64_t{0}, k),
                         right = fn::narrow(vh, std::int64_t{-2}, std::int64_t{0}, k);
            QVERIFY(distance(fn::matmul(fn::mul(left, fn::unsqueeze(s, std::int64_t{-2})), right), A) <= tolerance);
            for (const Tensor& product : {fn::matmul(adjoint(u), u), fn::matmul(vh, adjoint(vh))}) {
                const Tensor one = fn::zeros_like(product);
                fn::fill_(fn::diagonal(one, std::int64_t{0}, std::int64_t{-2}, std::int64_t{-1}), Scalar(1));
                QVERIFY(distance(product, one) <= tolerance);
            }
        }
        const auto [none, S, nothing] = kSvd(there(A), false, false, IValue());
        QVERIFY(distance(S, std::get<1>(kSvd(A, false, false, IValue()))) <= tolerance);
        QVERIFY(!stub_gpu::library_calls("gesvd").empty());
    }

    void eigenvectors() {
        for (const ScalarType dtype : kDtypes) {
            const Tensor A = positive({2, 4, 4}, dtype);
            const OperatorHandle<fn::TwoTensors> eigh{"aten::_linalg_eigh"};
            const auto [values, vectors] = eigh(there(A), "L", true);
            const Tensor l = on_host(values), v = on_host(vectors);
            const Tensor again = fn::matmul(fn::mul(v, fn::unsqueeze(l, std::int64_t{-2})), adjoint(v));
            QVERIFY(relative_distance(again, A) <= tolerance_of(dtype));
        }
    }

    // Vectors of a real matrix come in pairs: A V = V diag(L), each of length 1.
    void eigenvectorsOfAnyMatrix() {
        for (const ScalarType dtype : kDtypes) {
            const Tensor A = drawn({3, 5, 5}, dtype);
            const OperatorHandle<fn::TwoTensors> eig{"aten::linalg_eig"};
            const auto [values, vectors] = eig(there(A));
            QVERIFY(!stub_gpu::library_calls("geev").empty());
            const Tensor l = on_host(values), v = on_host(vectors);
            const Tensor wide = fn::to_dtype(A, static_cast<std::int64_t>(v.dtype()));
            QVERIFY(distance(fn::matmul(wide, v), fn::mul(v, fn::unsqueeze(l, std::int64_t{-2}))) <=
                    tolerance_of(dtype));
            QVERIFY(distance(l, std::get<0>(eig(A))) <= tolerance_of(dtype));
            const Tensor lengths = fn::sum_dim(fn::square(fn::abs(v)), Dims{-2}, false);
            QVERIFY(distance(lengths, fn::ones_like(lengths)) <= tolerance_of(dtype));
        }
    }

    // Gradients go through these operators again.
    void gradients() {
        const OperatorHandle<> solve{"aten::linalg_solve"}, triangular{"aten::linalg_solve_triangular"};
        const TensorList values{steady({3, 3}, ScalarType::Float64), drawn({3, 2}, ScalarType::Float64)};
        for (const bool is_triangular : {false, true}) {
            TensorList grads[2];
            for (const Device device : {Device{}, kGpu}) {
                TensorList leaves;
                for (const Tensor& value : values) {
                    leaves.push_back(on_device(fn::clone(value), device));
                    set_requires_grad(leaves.back(), true);
                }
                const Tensor x = is_triangular ? triangular(leaves[0], leaves[1], true, true, false)
                                               : solve(leaves[0], leaves[1], true);
                grads[device.is_cpu() ? 0 : 1] = gradients_of({fn::sum(fn::mul(x, x))}, leaves, {}, {}, true);
            }
            for (std::size_t i = 0; i < 2; ++i) QVERIFY(distance(grads[1][i], grads[0][i]) <= 1e-11);
        }
    }

    void theySayWhyNot() {
        const auto why = [](const char* op, std::vector<IValue> arguments) { return first_choice(op, arguments); };
        const Tensor A = there(steady({3, 3}, ScalarType::Float32)), B = there(drawn({3, 2}));
        QCOMPARE(why("aten::_linalg_svd", {A, false, true, IValue()}), std::string("cusolver: runs"));
        QCOMPARE(why("aten::_linalg_svd", {A, false, true, IValue("gesvdj")}),
                 std::string("cusolver: declined, a driver other than gesvd"));
        QCOMPARE(why("aten::_linalg_svd", {there(drawn({0, 3})), false, true, IValue()}),
                 std::string("cusolver: declined, no elements"));
        QCOMPARE(
            why("aten::linalg_solve_triangular", {there(drawn({3, 3}, ScalarType::Float16)), B, true, true, false}),
            std::string("cublas: declined, float16 input"));
        const Tensor C = there(steady({3, 3}, ScalarType::Complex64));
        QCOMPARE(why("aten::linalg_ldl_factor_ex", {C, true, false}),
                 std::string("cusolver: declined, Hermitian: cuSOLVER has symmetric factors alone"));
        QCOMPARE(why("aten::_linalg_solve_ex", {A, B, true, true}),
                 std::string("cusolver: declined, errors are to be named"));
    }

    void whatFailsIsSaid() {
        const Tensor A = there(steady({3, 3}, ScalarType::Float32));
        stub_gpu::fail_library("gesvd", CUSOLVER_STATUS_ALLOC_FAILED);
        QCOMPARE(failure_of([&] { kSvd(A, false, true, IValue()); }),
                 std::string("CUDA error: cuSOLVER found no memory (svd)"));
        stub_gpu::fail_library("geqrf", CUSOLVER_STATUS_INTERNAL_ERROR);
        QCOMPARE(failure_of([&] { kQr(A, "reduced"); }),
                 concat("CUDA error: cuSOLVER status ", static_cast<int>(CUSOLVER_STATUS_INTERNAL_ERROR), " (qr)"));
        // Not of full rank.
        const OperatorHandle<std::tuple<Tensor, Tensor, Tensor, Tensor>> lstsq{"aten::linalg_lstsq"};
        const Tensor flat = tensor_of<float>({1, 0, 2, 0, 3, 0}, {3, 2}), side = drawn({3, 1});
        const std::string refusal = failure_of([&] { lstsq(flat, side, IValue(), "gels"); });
        QVERIFY(refusal != "nothing failed");
        QCOMPARE(failure_of([&] { lstsq(there(flat), there(side), IValue(), "gels"); }), refusal);
        QVERIFY(distance(std::get<1>(kSvd(A, false, true, IValue())),
                         std::get<1>(kSvd(on_host(A), false, true, IValue()))) <= 5e-5);
        // A number that is none ends as on the CPU.
        const Tensor bad = drawn({2, 2});
        fn::fill_(fn::select(bad, std::int64_t{0}, std::int64_t{0}), Scalar(std::numeric_limits<double>::quiet_NaN()));
        const std::string wanted = failure_of([&] { kSvd(bad, false, true, IValue()); });
        QCOMPARE(failure_of([&] { kSvd(there(bad), false, true, IValue()); }), wanted);
    }
};

QTEST_GUILESS_MAIN(TestStubSolvers)
#include "test_stub_solvers.moc"
