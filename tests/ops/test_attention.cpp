// SPDX-License-Identifier: Apache-2.0
// loupe::attention, forward and backward, against the operators that it stands for: masks that hide whole blocks of
// columns, rows that see nothing, numbers that are none.
#include <QtTest>

#include <cmath>
#include <limits>

#include "core/autograd/engine.h"
#include "core/autograd/variable.h"
#include "core/dispatch/functions.h"
#include "core/ops/random/random.h"
#include "core/ops/samples.h"

using namespace loupe;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Shape {
    std::int64_t batch, heads, rows, columns, width, out;
};

Tensor drawn(Random& random, const Dims& sizes, ScalarType dtype) {
    return random_tensor(random, span_of(sizes), dtype);
}

// Heads side by side in a row, as models have them.
Tensor heads(Random& random, std::int64_t batch, std::int64_t count, std::int64_t rows, std::int64_t width,
             ScalarType dtype) {
    return fn::transpose(drawn(random, {batch, rows, count, width}, dtype), 1, 2);
}

Tensor mask_of(const std::string& kind, const Shape& s) {
    const auto dtype = ScalarType::Float32;
    const Dims sizes = kind == "of each head" ? Dims{1, s.heads, s.rows, s.columns}
                       : kind == "of each"    ? Dims{s.batch, 1, s.rows, s.columns}
                                              : Dims{s.rows, s.columns};
    Random random(7);
    const Tensor picked = fn::gt_scalar(drawn(random, sizes, dtype), Scalar(0.0));
    if (kind == "none") return {};
    const Tensor later = fn::logical_not(
        fn::tril(fn::full(sizes, Scalar(true), static_cast<std::int64_t>(ScalarType::Bool)), s.columns - s.rows));
    if (kind == "later") return later;
    if (kind == "random") return picked;
    const Tensor both = fn::logical_or(later, picked);
    if (kind == "blind rows") return both;  // some see nothing
    return fn::logical_and(
        both, fn::logical_not(fn::tril(fn::full(sizes, Scalar(true), static_cast<std::int64_t>(ScalarType::Bool)), 0)));
}

struct Results {
    TensorList values;
};

Results results_of(bool fused, const TensorList& inputs, const Tensor& mask, double fill, const Tensor& weight) {
    TensorList leaves;
    for (const Tensor& input : inputs) {
        leaves.push_back(fn::clone(input));
        set_requires_grad(leaves.back(), true);
    }
    Tensor out, weights;
    if (fused) {
        const Operator& op = *find_operator("loupe::attention", "");
        std::vector<IValue> arguments{leaves[0], leaves[1], leaves[2], mask.defined() ? IValue(mask) : IValue(),
                                      0.5,       fill,      true};
        std::vector<IValue> results(2);
        call_operator(op, arguments, results.data());
        out = results[0].to_tensor();
        weights = results[1].to_tensor();
    } else {
        Tensor scores = fn::mul_scalar(fn::matmul(leaves[0], fn::transpose(leaves[1], -2, -1)), Scalar(0.5));
        if (mask.defined()) scores = fn::masked_fill(scores, mask, Scalar(fill));
        weights = fn::softmax(scores, -1, IValue());
        out = fn::matmul(weights, leaves[2]);
    }
    Results found{{out, weights}};
    for (const Tensor& grad : gradients_of({out}, leaves, {weight})) found.values.push_back(grad);
    return found;
}

void compare(const Tensor& got, const Tensor& expected, double tolerance, const char* what) {
    const auto doubles = [](const Tensor& t) {
        return fn::to_dtype(fn::contiguous(fn::detach(t), 0), static_cast<std::int64_t>(ScalarType::Float64));
    };
    const Tensor a = doubles(got), b = doubles(expected);
    QCOMPARE(a.numel(), b.numel());
    for (std::int64_t i = 0; i < a.numel(); ++i) {
        const double x = a.data<double>()[i], y = b.data<double>()[i];
        if (std::isnan(x) && std::isnan(y)) continue;
        if (x == y || std::abs(x - y) <= tolerance * (1 + std::abs(y))) continue;
        QFAIL(qPrintable(QString("%1: element %2 is %3, not %4").arg(what).arg(i).arg(x).arg(y)));
    }
}

}  // namespace

class TestAttention : public QObject {
    Q_OBJECT
  private slots:
    void isWhatItStandsFor_data() {
        QTest::addColumn<QString>("mask");
        QTest::addColumn<double>("fill");
        QTest::addColumn<QString>("spoilt");
        for (const char* mask : {"none", "later", "random", "blind rows", "of each head", "of each"}) {
            for (const double fill : {-kInfinity, -2.0}) QTest::addRow("%s, %g", mask, fill) << mask << fill << "";
        }
        for (const char* spoilt : {"query", "key", "value", "gradient", "all too large"}) {
            QTest::addRow("later, spoilt %s", spoilt) << "later" << -kInfinity << spoilt;
        }
    }
    void isWhatItStandsFor() {
        QFETCH(QString, mask);
        QFETCH(double, fill);
        QFETCH(QString, spoilt);
        for (const Shape& s : {Shape{2, 2, 40, 40, 16, 16}, Shape{1, 3, 33, 37, 5, 20}, Shape{2, 1, 7, 70, 32, 3},
                               Shape{1, 1, 1, 1, 1, 1}}) {
            for (const ScalarType dtype : {ScalarType::Float32, ScalarType::Float64}) {
                Random random(3);
                TensorList inputs{heads(random, s.batch, s.heads, s.rows, s.width, dtype),
                                  heads(random, s.batch, s.heads, s.columns, s.width, dtype),
                                  heads(random, s.batch, s.heads, s.columns, s.out, dtype)};
                Tensor weight = heads(random, s.batch, s.heads, s.rows, s.out, dtype);
                const auto spoil = [](const Tensor& t, double with, std::int64_t row) {
                    fn::fill_(fn::select(fn::select(fn::select(t, 0, 0), 0, 0), 0, row), Scalar(with));
                };
                if (spoilt == "query") spoil(inputs[0], std::nan(""), 0);
                if (spoilt == "key") spoil(inputs[1], kInfinity, -1);
                if (spoilt == "value") spoil(inputs[2], kInfinity, -1);
                if (spoilt == "gradient") spoil(weight, std::nan(""), 0);
                if (spoilt == "all too large") spoil(inputs[0], dtype == ScalarType::Float64 ? 1e300 : kInfinity, -1);
                const Tensor hidden = mask_of(mask.toStdString(), s);
                const Results got = results_of(true, inputs, hidden, fill, weight),
                              expected = results_of(false, inputs, hidden, fill, weight);
                const char* kNames[] = {"output", "weights", "gradient of query", "gradient of key",
                                        "gradient of value"};
                for (std::size_t i = 0; i < got.values.size(); ++i) {
                    compare(got.values[i], expected.values[i], dtype == ScalarType::Float64 ? 1e-12 : 2e-5, kNames[i]);
                    if (QTest::currentTestFailed()) return;
                }
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestAttention)
#include "test_attention.moc"
