// SPDX-License-Identifier: Apache-2.0
// torch.allclose(equal_nan=True) on what it is easily got wrong for.

#include <QtTest>
#include <cmath>
#include <limits>

#include "core/study/compare.h"

using namespace loupe;
using loupe::session::compare_tensors;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

}  // namespace

class TestCompare : public QObject {
    Q_OBJECT

  private slots:
    void judgesPairs_data() {
        QTest::addColumn<float>("actual");
        QTest::addColumn<float>("expected");
        QTest::addColumn<bool>("isEqual");
        QTest::newRow("within rtol") << 1.001F << 1.0F << true;
        QTest::newRow("past rtol") << 1.1F << 1.0F << false;
        QTest::newRow("within atol of zero") << 0.001F << 0.0F << true;
        QTest::newRow("NaN is NaN") << kNan << kNan << true;
        QTest::newRow("NaN is no number") << kNan << 1.0F << false;
        QTest::newRow("a number is no NaN") << 1.0F << kNan << false;
        QTest::newRow("infinity") << kInf << kInf << true;
        QTest::newRow("the other infinity") << -kInf << kInf << false;
        QTest::newRow("a number is no infinity") << 1.0F << kInf << false;
        QTest::newRow("infinity is no number") << kInf << 1.0F << false;
    }
    void judgesPairs() {
        QFETCH(float, actual);
        QFETCH(float, expected);
        const auto found = compare_tensors(tensor_of({actual}, {1}), tensor_of({expected}, {1}), 1e-2, 1e-2);
        QTEST(found.is_equal, "isEqual");
    }

    void namesBothShapes() {
        const auto found = compare_tensors(tensor_of({1.0F, 2.0F}, {2}), tensor_of({1.0F, 2.0F}, {1, 2}), 1, 1);
        QVERIFY(!found.is_equal);
        QCOMPARE(found.why, std::string("shape 2, expected 1x2"));
    }

    void measuresTheWorst() {
        const auto found = compare_tensors(tensor_of({1.0, 4.0}, {2}), tensor_of({2.0, 8.0}, {2}), 0, 0);
        QCOMPARE(found.max_abs, 4.0);
        QCOMPARE(found.max_rel, 0.5);
    }
};

QTEST_APPLESS_MAIN(TestCompare)
#include "test_compare.moc"
