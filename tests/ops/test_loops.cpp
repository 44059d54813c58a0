// SPDX-License-Identifier: Apache-2.0
// The loops that elementwise operators and reductions share, on shapes large and odd enough for every path: pieces,
// buffers, tiles, threads. Each is compared with a plain loop over indices.

#include <QtTest>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>

#include "core/base/error.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/registry.h"
#include "core/kernels/convert.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/loop_recorder.h"
#include "core/kernels/row_loop.h"
#include "core/ops/random/random.h"
#include "core/ops/samples.h"

using namespace loupe;

namespace {

// The element at a row-major index, by strides.
template <typename T>
T element(const Tensor& t, std::int64_t index) {
    std::int64_t offset = 0;
    for (std::size_t d = t.sizes().size(); d-- > 0;) {
        offset += index % t.sizes()[d] * t.strides()[d];
        index /= t.sizes()[d];
    }
    return t.data<T>()[offset];
}

Tensor permuted(Random& random, std::initializer_list<std::int64_t> sizes, std::initializer_list<std::int64_t> order,
                ScalarType dtype) {
    return fn::permute(random_tensor(random, sizes, dtype), Dims(order));
}

// What a fused group is told of rows: how many numbers the loop's kernel is given.
class RowNumbers final : public LoopRecorder {
  public:
    void on_loop(ElementwiseKernel, const void*, std::span<const LoopOperand>, std::size_t) override {}
    void on_rows(const RowLoop& loop, std::span<const LoopOperand>, std::size_t) override {
        counts.push_back(loop.numbers.size());
    }
    void on_copy(const Tensor&, const Tensor&) override {}

    std::vector<std::size_t> counts;
};

std::vector<Tensor> odd_layouts(Random& random, ScalarType dtype) {
    return {permuted(random, {70, 45}, {1, 0}, dtype),
            permuted(random, {9, 33, 40}, {2, 0, 1}, dtype),
            permuted(random, {3, 17, 33, 20}, {0, 3, 1, 2}, dtype),
            fn::expand(random_tensor(random, {31, 1, 29}, dtype), Dims{31, 40, 29}),
            fn::slice(random_tensor(random, {40, 700}, dtype), 1, 3, 600, 2),
            fn::select(random_tensor(random, {50, 60, 2}, dtype), 2, 1),
            random_tensor(random, {300, 400}, dtype)};
}

float python_remainder(float a, float b) {
    const float rest = std::fmod(a, b);
    return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
}
float python_quotient(float a, float b) {
    if (b == 0) return a / b;
    const float rest = std::fmod(a, b);
    float quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
    if (quotient == 0) return std::copysign(0.0F, a / b);
    const float floor = std::floor(quotient);
    return quotient - floor > 0.5F ? floor + 1 : floor;
}

}  // namespace

class TestLoops : public QObject {
    Q_OBJECT

  private slots:
    void copies() {
        Random random;
        for (const ScalarType dtype : {ScalarType::Float32, ScalarType::Float64, ScalarType::BFloat16,
                                       ScalarType::UInt8, ScalarType::Complex128}) {
            for (const Tensor& from : odd_layouts(random, dtype)) {
                const Tensor to = empty(from.sizes(), dtype);
                copy_into(to, from);
                const Tensor back = empty(from.sizes(), dtype);
                copy_into(back, to);
                visit_dtype(dtype, [&]<typename T>(std::type_identity<T>) {
                    for (std::int64_t i = 0; i < from.numel(); ++i) {
                        if (element<T>(from, i) != to.data<T>()[i] || to.data<T>()[i] != back.data<T>()[i])
                            QFAIL(describe(from).c_str());
                    }
                });
            }
        }
    }

    void copies_into_other_orders() {
        Random random;
        const Tensor from = random_tensor(random, {3, 20, 17, 33}, ScalarType::Float32);
        const Tensor to = fn::permute(empty(span_of(Dims{3, 17, 33, 20}), ScalarType::Float32), Dims{0, 3, 1, 2});
        copy_into(to, from);
        for (std::int64_t i = 0; i < from.numel(); ++i) QCOMPARE(element<float>(to, i), from.data<float>()[i]);
    }

    void additions() {
        Random random;
        const std::vector<Tensor> layouts = odd_layouts(random, ScalarType::Float32);
        for (const Tensor& a : layouts) {
            const Tensor b = random_tensor(random, {a.sizes().back()}, ScalarType::Float64);
            const Tensor sum = fn::add(a, b, Scalar(1));
            QVERIFY(sum.dtype() == ScalarType::Float64);
            for (std::int64_t i = 0; i < a.numel(); ++i) {
                const double expected = static_cast<double>(element<float>(a, i)) + b.data<double>()[i % b.numel()];
                QCOMPARE(element<double>(sum, i), expected);
            }
        }
    }

    void functions_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"exp", "log", "tanh", "sigmoid", "erf", "sin", "cos", "expm1", "log1p", "exp2", "log2",
                                 "log10", "tan", "asin", "acos", "atan", "sinh", "cosh", "gelu"})
            QTest::newRow(name) << QString(name);
    }
    // Within a few units in the last place of the mathematical value, over the range where results are neither 0 nor
    // infinite.
    void functions() {
        QFETCH(QString, name);
        const std::map<QString, std::function<double(double)>> exact{
            {"exp", [](double x) { return std::exp(x); }},
            {"log", [](double x) { return std::log(x); }},
            {"tanh", [](double x) { return std::tanh(x); }},
            {"sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
            {"erf", [](double x) { return std::erf(x); }},
            {"sin", [](double x) { return std::sin(x); }},
            {"cos", [](double x) { return std::cos(x); }},
            {"expm1", [](double x) { return std::expm1(x); }},
            {"log1p", [](double x) { return std::log1p(x); }},
            {"exp2", [](double x) { return std::exp2(x); }},
            {"log2", [](double x) { return std::log2(x); }},
            {"log10", [](double x) { return std::log10(x); }},
            {"tan", [](double x) { return std::tan(x); }},
            {"asin", [](double x) { return std::asin(x); }},
            {"acos", [](double x) { return std::acos(x); }},
            {"atan", [](double x) { return std::atan(x); }},
            {"sinh", [](double x) { return std::sinh(x); }},
            {"cosh", [](double x) { return std::cosh(x); }},
            {"gelu", [](double x) { return x * std::erfc(-x / std::numbers::sqrt2) / 2; }},
        };
        const bool positive = name.startsWith("log");
        const double range = name == "asin" || name == "acos" ? 2 : name == "gelu" ? 24 : 160;
        const double slack = name == "gelu" ? 6e-7 : 1e-7;  // 1 + erf(x) cancels, as in PyTorch
        constexpr std::int64_t kCount = 20011;
        const Tensor x = empty(span_of(Dims{kCount}), ScalarType::Float32);
        for (std::int64_t i = 0; i < kCount; ++i) {
            const double unit = static_cast<double>(i) / kCount;
            x.data<float>()[i] = static_cast<float>(positive ? std::pow(10, unit * 70 - 35) : (unit - 0.5) * range);
        }
        const Operator* op = find_operator("aten::" + name.toStdString());
        IValue result;
        std::vector<IValue> arguments{x};
        if (name == "gelu") arguments.emplace_back("none");
        call_operator(*op, arguments, &result);
        const Tensor y = result.to_tensor();
        for (std::int64_t i = 0; i < kCount; ++i) {
            const double expected = exact.at(name)(static_cast<double>(x.data<float>()[i]));
            const double error = std::abs(static_cast<double>(y.data<float>()[i]) - expected);
            if (error > 1.3e-6 * std::abs(expected) + slack)
                QFAIL(qPrintable(QString("at %1: off by %2").arg(x.data<float>()[i]).arg(error)));
        }
    }

    void sigmoid_of_extremes() {
        const std::vector<float> numbers{INFINITY, -INFINITY, NAN, 3e38F, -3e38F, 100, -100, 89, -89,
                                         -88.5F,   -87,       0,   -0.0F, 1e-40F, 1,   -1,   2};
        const Tensor x = empty(std::array{static_cast<std::int64_t>(numbers.size())}, ScalarType::Float32);
        std::copy(numbers.begin(), numbers.end(), x.data<float>());
        for (const ScalarType dtype : {ScalarType::Float32, ScalarType::Float64}) {
            const Tensor y = fn::to_dtype(fn::sigmoid(fn::to_dtype(x, static_cast<std::int64_t>(dtype))),
                                          static_cast<std::int64_t>(ScalarType::Float64));
            for (std::size_t i = 0; i < numbers.size(); ++i) {
                const double expected = 1 / (1 + std::exp(-static_cast<double>(numbers[i]))),
                             actual = y.data<double>()[i];
                const double slack = dtype == ScalarType::Float32 ? 4e-7 * expected + 1e-38 : 1e-14 * expected;
                QVERIFY(std::isnan(expected) ? std::isnan(actual) : std::abs(actual - expected) <= slack);
            }
        }
    }

    void halves() {
        std::vector<Half> all(65536);
        for (std::size_t i = 0; i < all.size(); ++i) all[i].bits = static_cast<std::uint16_t>(i);
        std::vector<float> wide(all.size());
        std::vector<Half> back(all.size());
        convert_half(all.data(), wide.data(), 65536);
        convert_half(wide.data(), back.data(), 65536);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const float expected = all[i];
            if (std::isnan(expected)) {
                QVERIFY(std::isnan(wide[i]) && std::isnan(static_cast<float>(back[i])));
            } else {
                QCOMPARE(wide[i], expected);
                QCOMPARE(back[i].bits, all[i].bits);
            }
        }
    }

    void sums() {
        Random random;
        std::vector<Tensor> layouts = odd_layouts(random, ScalarType::Float32);
        layouts.push_back(random_tensor(random, {100003}, ScalarType::Float32));
        layouts.push_back(random_tensor(random, {5000, 37}, ScalarType::Float32));
        for (const Tensor& t : layouts) {
            for (std::int64_t dim = -1; dim < t.dim(); ++dim) {
                const IValue dims = dim < 0 ? IValue() : IValue(Dims{dim});
                const Tensor sum = fn::sum_dim(t, dims, true, IValue());
                std::vector<double> expected(static_cast<std::size_t>(sum.numel()));
                for (std::int64_t i = 0; i < t.numel(); ++i)
                    expected[place_of(t, i, dim)] += static_cast<double>(element<float>(t, i));
                for (std::int64_t i = 0; i < sum.numel(); ++i) {
                    QVERIFY(
                        std::abs(static_cast<double>(sum.data<float>()[i]) - expected[static_cast<std::size_t>(i)]) <=
                        1e-5 * (1 + std::abs(expected[static_cast<std::size_t>(i)])));
                }
            }
        }
    }

    void greatest() {
        Random random;
        for (const Tensor& t : odd_layouts(random, ScalarType::Float32)) {
            for (std::int64_t dim = 0; dim < t.dim(); ++dim) {
                const auto [values, indices] = fn::max_dim(t, dim, true);
                std::vector<float> best(static_cast<std::size_t>(values.numel()), -INFINITY);
                for (std::int64_t i = 0; i < t.numel(); ++i)
                    best[place_of(t, i, dim)] = std::max(best[place_of(t, i, dim)], element<float>(t, i));
                const Tensor chosen = fn::gather(t, dim, indices);
                for (std::int64_t i = 0; i < values.numel(); ++i) {
                    QCOMPARE(values.data<float>()[i], best[static_cast<std::size_t>(i)]);
                    QCOMPARE(element<float>(chosen, i), best[static_cast<std::size_t>(i)]);
                }
            }
        }
    }

    // Of rows and of columns, NaN anywhere makes its own result NaN and no other.
    void greatestWithNan() {
        Random random;
        for (const auto& [rows, columns] : {std::pair{19, 37}, {8, 16}, {16, 1}, {3, 70}, {600, 33}}) {
            for (const int at : {0, 1, columns - 1, columns, rows * columns / 2, rows * columns - 1}) {
                const Tensor x = random_tensor(random, {rows, columns}, ScalarType::Float32);
                x.data<float>()[at] = NAN;
                for (const std::int64_t dim : {0, 1}) {
                    for (const bool turned : {false, true}) {
                        const Tensor given = turned ? fn::transpose(x, 0, 1) : x;
                        const std::int64_t over = turned ? 1 - dim : dim;
                        const Tensor most = fn::amax(given, Dims{over}, false),
                                     least = fn::amin(given, Dims{over}, false);
                        for (std::int64_t i = 0; i < most.numel(); ++i) {
                            float high = -INFINITY, low = INFINITY;
                            bool nan = false;
                            for (std::int64_t k = 0; k < (dim == 0 ? rows : columns); ++k) {
                                const float v = x.data<float>()[dim == 0 ? k * columns + i : i * columns + k];
                                high = std::max(high, v);
                                low = std::min(low, v);
                                nan = nan || std::isnan(v);
                            }
                            QCOMPARE(std::isnan(most.data<float>()[i]), nan);
                            QCOMPARE(std::isnan(least.data<float>()[i]), nan);
                            if (nan) continue;
                            QCOMPARE(most.data<float>()[i], high);
                            QCOMPARE(least.data<float>()[i], low);
                        }
                    }
                }
            }
        }
    }

    // In float64 by the definition; what is -inf is 0, and NaN or inf takes its whole row and no other.
    void softmaxes() {
        Random random;
        for (const std::int64_t n : {1, 2, 15, 16, 33, 130, 512, 600}) {
            const Tensor x = fn::mul_scalar(random_tensor(random, {13, n}, ScalarType::Float32), Scalar(30));
            float* const data = x.data<float>();
            std::fill_n(data + n, (n + 1) / 2, -INFINITY);
            std::fill_n(data + 2 * n, n, -INFINITY);
            data[5 * n + n / 2] = NAN;
            data[6 * n + n - 1] = INFINITY;
            std::fill_n(data + 7 * n, n, -3e38F);
            data[8 * n] = 3e38F;
            for (const bool over_columns : {false, true}) {
                const Tensor given = over_columns ? fn::contiguous(fn::transpose(x, 0, 1)) : x;
                const std::int64_t dim = over_columns ? 0 : 1;
                const Tensor y = fn::contiguous(fn::transpose(fn::softmax(given, dim), 0, dim == 0 ? 1 : 0));
                const Tensor log = fn::contiguous(fn::transpose(fn::log_softmax(given, dim), 0, dim == 0 ? 1 : 0));
                for (std::int64_t r = 0; r < 13; ++r) {
                    const float* row = data + r * n;
                    double most = -INFINITY, sum = 0;
                    for (std::int64_t i = 0; i < n; ++i) most = std::max(most, double(row[i]));
                    for (std::int64_t i = 0; i < n; ++i) sum += std::exp(row[i] - most);
                    for (std::int64_t i = 0; i < n; ++i) {
                        const double p = std::exp(row[i] - most) / sum, l = row[i] - most - std::log(sum);
                        const float got = y.data<float>()[r * n + i], got_log = log.data<float>()[r * n + i];
                        QCOMPARE(std::isnan(got), std::isnan(p));
                        QCOMPARE(std::isnan(got_log), std::isnan(l));
                        if (std::isnan(p)) continue;
                        // the difference to the largest is rounded to float32
                        const double tolerance = (3e-7 + 6e-8 * std::min(std::abs(row[i] - most), 200.0)) * p +
                                                 1.2e-38;  // the smallest normal number
                        QVERIFY2(std::abs(got - p) <= tolerance, qPrintable(QString("%1 %2").arg(got).arg(p)));
                        QVERIFY(l == got_log || std::abs(got_log - l) <= 3e-6 + 1e-6 * std::abs(l));
                    }
                }
            }
        }
    }

    // By the definition in float64; the first number of a column far off the others must not cost precision.
    void variances() {
        Random random;
        const OperatorHandle<> var("aten::var.correction");
        std::vector<Tensor> layouts = odd_layouts(random, ScalarType::Float32);
        layouts.push_back(random_tensor(random, {100003}, ScalarType::Float32));
        layouts.push_back(random_tensor(random, {501, 37}, ScalarType::Float32));
        layouts.back().data<float>()[5] = 1e5F;
        for (const Tensor& t : layouts) {
            for (std::int64_t dim = -1; dim < t.dim(); ++dim) {
                const Tensor result = var(t, dim < 0 ? IValue() : IValue(Dims{dim}), 0, true);
                const auto count = static_cast<std::size_t>(result.numel());
                const double n = static_cast<double>(t.numel()) / static_cast<double>(count);
                std::vector<double> mean(count), expected(count);
                for (std::int64_t i = 0; i < t.numel(); ++i)
                    mean[place_of(t, i, dim)] += static_cast<double>(element<float>(t, i)) / n;
                for (std::int64_t i = 0; i < t.numel(); ++i) {
                    const double deviation = static_cast<double>(element<float>(t, i)) - mean[place_of(t, i, dim)];
                    expected[place_of(t, i, dim)] += deviation * deviation / n;
                }
                for (std::size_t i = 0; i < count; ++i) {
                    QVERIFY(std::abs(static_cast<double>(result.data<float>()[i]) - expected[i]) <=
                            1e-6 * expected[i] + 1e-12);
                }
            }
        }
    }

    // The first of equals, and NaN before all, wherever in a vector, a row or a piece they lie.
    void first_of_equals() {
        for (const bool turned : {false, true}) {
            for (const std::int64_t at : {0, 5, 700, 4096, 40000, 89999}) {
                const Tensor flat = fn::zeros(Dims{90000});
                const Tensor matrix = turned ? fn::t(fn::view(flat, Dims{300, 300})) : fn::view(flat, Dims{300, 300});
                const auto put = [&](std::int64_t place, float value) {
                    flat.data<float>()[turned ? place % 300 * 300 + place / 300 : place] = value;
                };
                QCOMPARE(item(fn::argmax(matrix, IValue(), false)).to_int(), 0);
                put(at, 2);
                put(89999, 2);
                QCOMPARE(item(fn::argmax(matrix, IValue(), false)).to_int(), at);
                QCOMPARE(item(fn::select(std::get<1>(fn::max_dim(matrix, 1, false)), 0, at / 300)).to_int(), at % 300);
                QCOMPARE(item(fn::select(std::get<1>(fn::max_dim(matrix, 0, false)), 0, at % 300)).to_int(), at / 300);
                put(at, NAN);
                put(89999, NAN);
                QCOMPARE(item(fn::argmax(matrix, IValue(), false)).to_int(), at);
                QVERIFY(std::isnan(item(fn::select(fn::amax(matrix, Dims{1}, false), 0, at / 300)).to_double()));
                QVERIFY(std::isnan(item(fn::select(fn::amax(matrix, Dims{0}, false), 0, at % 300)).to_double()));
                QCOMPARE(item(fn::select(std::get<1>(fn::max_dim(matrix, 0, false)), 0, at % 300)).to_int(), at / 300);
            }
        }
    }

    // A bool's byte may be neither 0 nor 1.
    void truths() {
        for (const ScalarType dtype : {ScalarType::Bool, ScalarType::UInt8, ScalarType::Float32, ScalarType::Int64}) {
            for (const std::int64_t at : {0, 17, 1500, 4998}) {
                const Tensor x = fn::to_dtype(fn::zeros(Dims{4999}), static_cast<std::int64_t>(dtype));
                QVERIFY(!item(fn::any(x)).to_bool());
                x.data<std::uint8_t>()[at * x.element_size() + x.element_size() - 1] = 64;
                QVERIFY(item(fn::any(x)).to_bool());
                const Tensor y = fn::to_dtype(fn::ones(Dims{4999}), static_cast<std::int64_t>(dtype));
                QVERIFY(item(fn::all(y)).to_bool());
                std::fill_n(y.data<std::uint8_t>() + at * y.element_size(), y.element_size(), std::uint8_t{0});
                QVERIFY(!item(fn::all(y)).to_bool());
            }
        }
    }

    void quotients_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"fmod.Tensor", "remainder.Tensor", "floor_divide", "atan2"})
            QTest::newRow(name) << QString(name);
    }
    // As in float64, with C's signs, zeros, infinities and NaN.
    void quotients() {
        QFETCH(QString, name);
        const std::map<QString, std::function<float(float, float)>> exact{
            {"fmod.Tensor", [](float a, float b) { return std::fmod(a, b); }},
            {"remainder.Tensor", &python_remainder},
            {"floor_divide", &python_quotient},
            {"atan2",
             [](float a, float b) {
                 return static_cast<float>(std::atan2(static_cast<double>(a), static_cast<double>(b)));
             }},
        };
        std::vector<float> numbers{0,      -0.0F,  1,     -1,     3,     -3,       7,         0.1F, -0.1F,
                                   1e-40F, 1e-38F, 1e30F, -1e30F, 3e38F, INFINITY, -INFINITY, NAN};
        Random random;
        for (int i = 0; i < 400; ++i) {
            const double size = std::exp(std::uniform_real_distribution(-15.0, 15.0)(random.engine()));
            numbers.push_back(static_cast<float>(i % 3 == 0 ? std::round(size) : size) * (i % 2 == 0 ? 1.0F : -1.0F));
        }
        const Tensor all = empty(std::array{static_cast<std::int64_t>(numbers.size())}, ScalarType::Float32);
        std::copy(numbers.begin(), numbers.end(), all.data<float>());
        const Tensor result = OperatorHandle<>(("aten::" + name.toStdString()).c_str())(fn::unsqueeze(all, 1), all);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            for (std::size_t k = 0; k < numbers.size(); ++k) {
                const float expected = exact.at(name)(numbers[i], numbers[k]);
                const float actual = result.data<float>()[i * numbers.size() + k];
                const bool close = name == "atan2" && std::abs(actual - expected) <= 4e-7F * std::abs(expected);
                const bool same = std::isnan(expected)
                                      ? std::isnan(actual)
                                      : std::signbit(expected) == std::signbit(actual) && (close || actual == expected);
                if (!same)
                    QFAIL(qPrintable(
                        QString("%1, %2: %3, not %4").arg(numbers[i]).arg(numbers[k]).arg(actual).arg(expected)));
            }
        }
    }

    // Powers of float32 round the power of float64; signs, zeros, infinities and NaN are C's.
    void powers() {
        const float infinite = INFINITY;
        std::vector<float> bases{0,     -0.0F,  1,       -1,    2,      -2,       3,         -3, 0.5F,
                                 -0.5F, 1e-40F, -1e-40F, 1e30F, -1e30F, infinite, -infinite, NAN};
        std::vector<float> exponents{0,    -0.0F, 1,  -1,  2,        3,     -3,       5,         0.5F, -0.5F,
                                     1.7F, 1e-7F, 30, -30, 16777216, 1e20F, infinite, -infinite, NAN};
        Random random;
        const auto between = [&](double low, double high) {
            return std::uniform_real_distribution(low, high)(random.engine());
        };
        for (int i = 0; i < 300; ++i) {
            bases.push_back(static_cast<float>(std::exp(between(-20, 20))) * (i % 4 == 0 ? -1.0F : 1.0F));
            exponents.push_back(static_cast<float>(i % 3 == 0 ? std::round(between(-9, 9)) : between(-5, 5)));
        }
        const auto as_tensor = [](const std::vector<float>& values) {
            const Tensor t = empty(std::array{static_cast<std::int64_t>(values.size())}, ScalarType::Float32);
            std::copy(values.begin(), values.end(), t.data<float>());
            return t;
        };
        const Tensor power = fn::pow(fn::unsqueeze(as_tensor(bases), 1), as_tensor(exponents));
        for (std::size_t i = 0; i < bases.size(); ++i) {
            for (std::size_t k = 0; k < exponents.size(); ++k) {
                const auto expected =
                    static_cast<float>(std::pow(static_cast<double>(bases[i]), static_cast<double>(exponents[k])));
                const float actual = power.data<float>()[i * exponents.size() + k];
                const bool same = std::isnan(expected)
                                      ? std::isnan(actual)
                                      : std::signbit(expected) == std::signbit(actual) &&
                                            (actual == expected || std::nextafter(actual, expected) == expected);
                if (!same)
                    QFAIL(qPrintable(
                        QString("%1 ^ %2: %3, not %4").arg(bases[i]).arg(exponents[k]).arg(actual).arg(expected)));
            }
        }
    }

    // A sum of many small numbers keeps its precision.
    void long_sums() {
        const Tensor t = fn::full(Dims{3000, 1000}, Scalar(0.1));
        QVERIFY(std::abs(item(fn::sum(t)).to_double() - 300000.0044703484) < 0.05);
        QVERIFY(std::abs(item(fn::select(fn::sum_dim(t, Dims{0}), 0, 5)).to_double() - 300.0000044703484) < 5e-5);
        QVERIFY(std::abs(item(fn::mean(fn::to_dtype(t, 5))).to_double() - 0.0999755859375) < 1e-6);
    }

    void overlap_is_refused() {
        const Tensor t = fn::arange(Scalar(10));
        const Tensor head = fn::narrow(t, 0, 0, 9);
        const Tensor tail = fn::narrow(t, 0, 1, 9);
        QVERIFY_THROWS_EXCEPTION(Error, fn::add_(tail, head, Scalar(1)));
        QVERIFY_THROWS_EXCEPTION(Error,
                                 fn::add_(fn::expand(fn::zeros(Dims{1}), Dims{4}), fn::ones(Dims{4}), Scalar(1)));
        fn::add_(head, head, Scalar(1));
        QCOMPARE(item(fn::select(t, 0, 8)).to_int(), 16);
    }

    // The block and the operator's own number, which every reduction reads: also those that have none.
    void aRecordedReductionHasAllNumbersOfItsKernel() {
        Random random(1);
        const Tensor t = random_tensor(random, {4, 6}, ScalarType::Float32);
        RowNumbers seen;
        {
            const LoopRecorderScope scope(&seen);
            fn::sum_dim(t, Dims{-1}, false, IValue());
            fn::amax(t, Dims{-1}, false);
            fn::vector_norm(t, Scalar(3.0), Dims{-1}, false, IValue());
        }
        QCOMPARE(seen.counts.size(), std::size_t{3});
        for (const std::size_t count : seen.counts) QCOMPARE(count, std::size_t{2});
    }

  private:
    // Where element i goes when dimension dim (-1: all) is reduced to one.
    static std::size_t place_of(const Tensor& t, std::int64_t index, std::int64_t dim) {
        if (dim < 0) return 0;
        std::int64_t inner = 1;
        for (std::int64_t d = dim + 1; d < t.dim(); ++d) inner *= t.size(d);
        return static_cast<std::size_t>(index / (inner * t.size(dim)) * inner + index % inner);
    }
};

QTEST_APPLESS_MAIN(TestLoops)
#include "test_loops.moc"
