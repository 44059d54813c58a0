// SPDX-License-Identifier: Apache-2.0
// The measures of a difference between tensors, against numbers of numpy and PyTorch.

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>
#include <cmath>

#include "core/dispatch/functions.h"
#include "core/formats/numpy/npy.h"
#include "core/study/difference.h"

using namespace loupe;
using namespace loupe::session;

namespace {

const std::string kFixtures = LOUPE_SOURCE_DIR "/tests/fixtures/compare/";

double number_of(const QJsonValue& value) { return value.isString() ? INFINITY : value.toDouble(); }

bool is_near(double actual, double expected, double relative) {
    if (std::isinf(expected)) return actual == expected;
    return std::fabs(actual - expected) <= relative * std::max(1e-30, std::fabs(expected));
}

}  // namespace

class TestDifferences : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        for (const auto& [name, tensor] : read_npz(kFixtures + "pairs.npz")) arrays_[name] = tensor;
    }

    void measures_data() {
        QTest::addColumn<QJsonObject>("row");
        QFile file(QString::fromStdString(kFixtures + "pairs.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        for (const QJsonValue& row : QJsonDocument::fromJson(file.readAll()).array())
            QTest::newRow(qPrintable(row["name"].toString())) << row.toObject();
    }
    void measures() {
        QFETCH(QJsonObject, row);
        const std::string key = row["name"].toString().replace(' ', '_').toStdString();
        Tensor x = arrays_.at(key + ".x");
        Tensor y = arrays_.at(key + ".y");
        if (row["dtype"] == "bfloat16") {
            x = fn::to_dtype(x, static_cast<std::int64_t>(ScalarType::BFloat16), false, false, IValue());
            y = fn::to_dtype(y, static_cast<std::int64_t>(ScalarType::BFloat16), false, false, IValue());
        }
        const Difference found = measure_difference(x, y, {1e-3, 1e-4});
        QCOMPARE(found.count, x.numel());
        QCOMPARE(found.beyond, row["beyond"].toInteger());
        QCOMPARE(found.not_finite, row["not_finite"].toInteger());
        QCOMPARE(found.worst, row["worst"].toInteger());
        QVERIFY2(is_near(found.max_abs, number_of(row["max_abs"]), 1e-6), qPrintable(QString::number(found.max_abs)));
        QVERIFY2(is_near(found.max_rel, number_of(row["max_rel"]), 1e-6), qPrintable(QString::number(found.max_rel)));
        QVERIFY2(is_near(found.snr_db, number_of(row["snr_db"]), 1e-4), qPrintable(QString::number(found.snr_db)));
        if (!row["cosine"].isNull())
            QVERIFY2(std::fabs(found.cosine - row["cosine"].toDouble()) < 1e-6,
                     qPrintable(QString::number(found.cosine)));
        if (row["max_ulp"].isNull())
            QCOMPARE(found.max_ulp, -1.0);
        else
            QVERIFY2(is_near(found.max_ulp, row["max_ulp"].toDouble(), 1e-12),
                     qPrintable(QString::number(found.max_ulp)));
    }

    void anyStridesAreCompared() {
        const Tensor x = arrays_.at("float32.x").shallow_copy();
        const Tensor a = fn::transpose(fn::reshape(x, Dims{50, -1}), 0, 1);
        QVERIFY(measure_difference(a, fn::contiguous(a, 0), {0, 0}).is_same());
    }

    void dtypesMayDiffer() {
        const Tensor x = arrays_.at("float32.x");
        const Tensor half = fn::to_dtype(x, static_cast<std::int64_t>(ScalarType::BFloat16), false, false, IValue());
        const Difference found = measure_difference(half, x, tolerance_of(half.dtype(), x.dtype()));
        QVERIFY(!found.is_same());
        QVERIFY(found.is_close());
        QVERIFY(found.max_ulp <= 1);
    }

    // torch.testing.assert_close's.
    void tolerancesAreThoseOfAssertClose() {
        QCOMPARE(tolerance_of(ScalarType::Float32, ScalarType::Float32).rtol, 1.3e-6);
        QCOMPARE(tolerance_of(ScalarType::Float32, ScalarType::Float32).atol, 1e-5);
        QCOMPARE(tolerance_of(ScalarType::Float64, ScalarType::Float64).rtol, 1e-7);
        QCOMPARE(tolerance_of(ScalarType::BFloat16, ScalarType::Float32).rtol, 1.6e-2);
        QCOMPARE(tolerance_of(ScalarType::Float16, ScalarType::Float16).rtol, 1e-3);
        QCOMPARE(tolerance_of(ScalarType::Int64, ScalarType::Int64).atol, 0.0);
    }

    void emptyTensorsAreEqual() {
        const Tensor none = fn::narrow(arrays_.at("float32.x"), 0, 0, 0);
        QVERIFY(measure_difference(none, none, {0, 0}).is_close());
    }

  private:
    std::map<std::string, Tensor> arrays_;
};

QTEST_APPLESS_MAIN(TestDifferences)
#include "test_differences.moc"
