// SPDX-License-Identifier: Apache-2.0
// The runner itself: a case that kills its process costs that case alone, and excuses need reasons.

#include <signal.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <complex>
#include <map>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/dispatch/functions.h"
#include "core/ops/random/random.h"
#include "core/ops/samples.h"
#include "core/study/compare.h"
#include "tests/conformance/free_factors.h"
#include "tests/conformance/known_exceptions.h"
#include "tests/conformance/worker_pool.h"

using namespace loupe;
using namespace loupe::conformance;

namespace {

using Complex = std::complex<double>;

TensorList call_by_name(const std::string& name, const std::vector<IValue>& given) {
    const Operator& op = detail::operator_or_throw(name.c_str());
    std::vector<IValue> arguments = given;
    detail::fill_default_arguments(op, arguments);
    std::array<IValue, 8> results;
    call_operator(op, arguments, results.data());
    TensorList out;
    for (const IValue& result : results) {
        if (result.is_tensor()) out.push_back(result.to_tensor());
    }
    return out;
}

Tensor scaled(const Tensor& t, const Tensor& phases, bool of_rows) {
    return fn::mul(t, fn::unsqueeze(phases, of_rows ? -1 : 0));
}

bool are_near(const Tensor& a, const Tensor& b) { return session::compare_tensors(a, b, 1e-9, 1e-9).is_equal; }

Complex inner(const Tensor& a, const Tensor& b) {
    Complex sum = 0;
    const auto wide = [](const Tensor& t) {
        return fn::contiguous(fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Complex128)), 0);
    };
    const Tensor x = wide(a), y = wide(b);
    for (std::int64_t i = 0; i < x.numel(); ++i) sum += std::conj(x.data<Complex>()[i]) * y.data<Complex>()[i];
    return sum;
}

// Signs, or phases for complex numbers.
Tensor some_phases(ScalarType dtype) {
    const Tensor out = empty(span_of(Dims{4}), dtype);
    for (int i = 0; i < 4; ++i) {
        if (is_complex(dtype))
            out.data<Complex>()[i] = std::polar(1.0, 0.7 * i + 0.3);
        else
            out.data<double>()[i] = i % 2 == 0 ? -1 : 1;
    }
    return out;
}

}  // namespace

class TestConformance : public QObject {
    Q_OBJECT

  private slots:
    void workersReturnResultsInOrder() {
        const auto results = run_in_workers(
            7, 3, 10, [](std::size_t i) { return std::string(i * 100'000, static_cast<char>('a' + i)); },
            [](std::size_t, const std::string& reason) { return reason; });
        for (std::size_t i = 0; i < results.size(); ++i)
            QCOMPARE(results[i], std::string(i * 100'000, static_cast<char>('a' + i)));
    }

    void aLostWorkerCostsOneJob() {
        const auto job = [](std::size_t i) -> std::string {
            if (i == 1) ::raise(SIGKILL);
            if (i == 2) ::pause();
            if (i == 3) ::_exit(7);
            return "done";
        };
        const auto results = run_in_workers(
            6, 2, 1, job, [](std::size_t i, const std::string& reason) { return std::to_string(i) + " " + reason; });
        const std::vector<std::string> expected{
            "done", "1 crashed: Killed", "2 took over 1 s", "3 ended with status 7", "done", "done"};
        QCOMPARE(results, expected);
    }

    // Results as another processor's kernels give them: other signs or phases.
    void freeFactorsAreTurned_data() {
        QTest::addColumn<QString>("op");
        QTest::addColumn<QString>("schema");
        QTest::addColumn<QList<int>>("columns");  // results whose columns, and whose rows, are free
        QTest::addColumn<QList<int>>("rows");
        QTest::newRow("eigh") << "linalg.eigh"
                              << "aten::linalg_eigh" << QList<int>{1} << QList<int>{};
        QTest::newRow("eig") << "linalg.eig"
                             << "aten::linalg_eig" << QList<int>{1} << QList<int>{};
        QTest::newRow("svd") << "linalg.svd"
                             << "aten::linalg_svd" << QList<int>{0} << QList<int>{2};
        QTest::newRow("old svd") << "svd"
                                 << "aten::svd" << QList<int>{0, 2} << QList<int>{};
        QTest::newRow("qr") << "linalg.qr"
                            << "aten::linalg_qr" << QList<int>{0} << QList<int>{1};
    }

    void freeFactorsAreTurned() {
        QFETCH(QString, op);
        QFETCH(QString, schema);
        QFETCH(QList<int>, columns);
        QFETCH(QList<int>, rows);
        for (const ScalarType dtype : {ScalarType::Float64, ScalarType::Complex128}) {
            Random random;
            Tensor a = random_tensor(random, {4, 4}, dtype);
            if (op == "linalg.eigh") a = fn::add(a, fn::conj_physical(fn::transpose(a, 0, 1)), Scalar(1));
            const TensorList ours = call_by_name(schema.toStdString(), {a});
            const ScalarType of_vectors = ours[static_cast<std::size_t>(columns[0])].dtype();
            const Tensor phases = some_phases(of_vectors);
            TensorList expected = ours;
            for (const int i : columns)
                expected[static_cast<std::size_t>(i)] = scaled(ours[static_cast<std::size_t>(i)], phases, false);
            for (const int i : rows)
                expected[static_cast<std::size_t>(i)] =
                    scaled(ours[static_cast<std::size_t>(i)], fn::conj_physical(phases), true);
            const FreeFactors free(op.toStdString(), ours, expected);
            for (std::size_t i = 0; i < ours.size(); ++i) {
                QVERIFY2(are_near(free.turned(i, ours[i]), expected[i]), qPrintable(QString::number(i)));
                // <c, turned(x)> = <turned_cotangent(c), x>
                const Tensor c = random_tensor(random, ours[i].sizes(), ours[i].dtype()),
                             x = random_tensor(random, ours[i].sizes(), ours[i].dtype());
                QVERIFY(std::abs(inner(c, free.turned(i, x)) - inner(free.turned_cotangent(i, c), x)) < 1e-9);
            }
            // A vector that is wrong stays wrong, and so does one side turned without the other.
            for (const int at : columns) {
                const auto i = static_cast<std::size_t>(at);
                TensorList wrong = ours;
                wrong[i] = fn::mul_scalar(ours[i], Scalar(1.01));
                QVERIFY(!are_near(FreeFactors(op.toStdString(), ours, wrong).turned(i, ours[i]), wrong[i]));
            }
            if (columns.size() + rows.size() == 2) {
                const auto i = static_cast<std::size_t>(columns[0]);
                const auto other = static_cast<std::size_t>(rows.empty() ? columns[1] : rows[0]);
                TensorList half = ours;
                half[i] = expected[i];
                const FreeFactors not_free(op.toStdString(), ours, half);
                QVERIFY(!are_near(not_free.turned(i, ours[i]), half[i]) ||
                        !are_near(not_free.turned(other, ours[other]), half[other]));
            }
        }
    }

    void eigenvaluesComeInAnyOrder() {
        Random random;
        const Tensor a = random_tensor(random, {2, 4, 4}, ScalarType::Float64);
        const TensorList ours = call_by_name("aten::linalg_eig", {a});
        const TensorList expected{fn::flip(ours[0], std::vector<std::int64_t>{-1}),
                                  fn::flip(ours[1], std::vector<std::int64_t>{-1})};
        const FreeFactors free("linalg.eig", ours, expected);
        for (std::size_t i = 0; i < 2; ++i) QVERIFY(are_near(free.turned(i, ours[i]), expected[i]));
        const FreeFactors values_alone("linalg.eigvals", {ours[0]}, {expected[0]});
        QVERIFY(are_near(values_alone.turned(0, ours[0]), expected[0]));
    }

    // Two equal eigenvalues: any basis of the plane is right, a vector outside it is not.
    void aRepeatedValueHasAnyBasis() {
        const auto matrix = [](std::initializer_list<double> numbers) {
            const Tensor out = empty(span_of(Dims{3, 3}), ScalarType::Float64);
            std::copy(numbers.begin(), numbers.end(), out.data<double>());
            return out;
        };
        const Tensor values = empty(span_of(Dims{3}), ScalarType::Float64);
        for (int i = 0; i < 3; ++i) values.data<double>()[i] = i == 2 ? 5 : 2;
        const Tensor straight = matrix({1, 0, 0, 0, 1, 0, 0, 0, 1}),
                     turned = matrix({0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, -1});
        const Tensor wrong = matrix({1, 0, 0, 0, 0, 1, 0, 1, 0});
        const FreeFactors free("linalg.eigh", {values, straight}, {values, turned});
        QVERIFY(are_near(free.turned(1, straight), turned));
        QVERIFY(!are_near(FreeFactors("linalg.eigh", {values, straight}, {values, wrong}).turned(1, straight), wrong));
    }

    void whatIsDeterminedIsLeftAlone() {
        Random random;
        const Tensor a = random_tensor(random, {3, 3}, ScalarType::Float64);
        const FreeFactors free("matmul", {a}, {fn::neg(a)});
        QVERIFY(are_near(free.turned(0, a), a));
        QVERIFY(are_near(free.turned_cotangent(0, a), a));
    }

    void excusesNameCaseOrDtype() {
        const QTemporaryDir folder;
        const std::string file = folder.filePath("known.txt").toStdString();
        write_file_atomically(file, "# comment\nsvd 4 the sign is free\nchalf * no such dtype\ndot int64 some words\n");
        auto table = read_known_exceptions(file);
        QCOMPARE(table.size(), std::size_t(3));
        QCOMPARE(find_exception(table, "svd", 4, "float32")->reason, std::string("the sign is free"));
        QVERIFY(find_exception(table, "svd", 5, "float32") == nullptr);
        QVERIFY(find_exception(table, "chalf", 5, "float32") != nullptr);
        QVERIFY(find_exception(table, "dot", 1, "int64") != nullptr);
        QVERIFY(find_exception(table, "dot", 1, "float32") == nullptr);
        write_file_atomically(file, "svd 4\n");
        QVERIFY_THROWS_EXCEPTION(Error, read_known_exceptions(file));
    }
};

QTEST_APPLESS_MAIN(TestConformance)
#include "test_conformance.moc"
