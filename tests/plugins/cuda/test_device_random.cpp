// SPDX-License-Identifier: Apache-2.0
// Seeded numbers of devices are those that PyTorch draws on CUDA: random_numbers.json was written there. The device for
// tests runs the same kernels.

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>
#include <cmath>
#include <functional>
#include <map>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/ops/random/generator.h"
#include "core/plugin/plugin_loader.h"
#include "core/tensor/device_copy.h"

using namespace loupe;

namespace {

constexpr Device kOwn{DeviceType::PrivateUse1, 1};

using Draw = std::function<Tensor(const Tensor& room)>;

Tensor one_of(const Tensor& like, double value) { return fn::full_like(like, Scalar(value)); }

const std::map<QString, Draw>& draws() {
    static const std::map<QString, Draw> all{
        {"rand", [](const Tensor& t) { return fn::uniform_(t, 0.0, 1.0, IValue()); }},
        {"randn", [](const Tensor& t) { return fn::normal_(t, 0.0, 1.0, IValue()); }},
        {"bernoulli", [](const Tensor& t) { return fn::bernoulli_(t, 0.3, IValue()); }},
        {"dropout", [](const Tensor& t) { return fn::dropout(one_of(t, 1), 0.25, true); }},
        {"randint", [](const Tensor& t) { return fn::random_from_(t, -5, 100, IValue()); }},
        {"chances", [](const Tensor& t) { return fn::bernoulli_tensor_(fn::empty_like(t), one_of(t, 0.4), IValue()); }},
        {"uniform", [](const Tensor& t) { return fn::uniform_(t, -2.0, 3.0, IValue()); }},
        {"normal", [](const Tensor& t) { return fn::normal_(t, 1.0, 2.0, IValue()); }},
        {"exponential", [](const Tensor& t) { return fn::exponential_(t, 1.5, IValue()); }},
        {"cauchy", [](const Tensor& t) { return OperatorHandle<>("aten::cauchy_")(t, 0.5, 2.0, IValue()); }},
        {"log_normal", [](const Tensor& t) { return OperatorHandle<>("aten::log_normal_")(t, 0.5, 0.25, IValue()); }},
        {"geometric", [](const Tensor& t) { return OperatorHandle<>("aten::geometric_")(t, 0.2, IValue()); }},
        {"random", [](const Tensor& t) { return OperatorHandle<>("aten::random_")(t, IValue()); }},
        {"wide",
         [](const Tensor& t) {
             return fn::random_from_(t, -(std::int64_t{1} << 40), std::int64_t{1} << 41, IValue());
         }},
        {"middle", [](const Tensor& t) { return fn::random_from_(t, 0, std::int64_t{1} << 30, IValue()); }},
        {"normals",
         [](const Tensor& t) {
             return OperatorHandle<>("aten::normal.Tensor_Tensor")(one_of(t, -2), one_of(t, 3), IValue());
         }},
        {"complex",
         [](const Tensor& t) {
             const Tensor z = empty(std::array{t.numel() / 2}, ScalarType::Complex64, t.device());
             return fn::view_as_real(fn::normal_(z, 0.0, 1.0, IValue()));
         }},
        {"poisson", [](const Tensor& t) { return OperatorHandle<>("aten::poisson")(one_of(t, 12), IValue()); }},
        {"many", [](const Tensor& t) { return OperatorHandle<>("aten::poisson")(one_of(t, 9000), IValue()); }},
        {"binomial",
         [](const Tensor& t) { return OperatorHandle<>("aten::binomial")(one_of(t, 10), one_of(t, 0.3), IValue()); }},
        {"trials",
         [](const Tensor& t) { return OperatorHandle<>("aten::binomial")(one_of(t, 100), one_of(t, 0.7), IValue()); }},
        {"gamma", [](const Tensor& t) { return OperatorHandle<>("aten::_standard_gamma")(one_of(t, 0.7), IValue()); }},
        {"rrelu",
         [](const Tensor& t) {
             return OperatorHandle<>("aten::rrelu_with_noise")(one_of(t, -1), fn::empty_like(t), Scalar(0.1),
                                                               Scalar(0.3), true, IValue());
         }},
        {"randperm",
         [](const Tensor& t) {
             return OperatorHandle<>("aten::randperm")(t.numel(), IValue(), IValue(), IValue(t.device()), IValue());
         }},
    };
    return all;
}

ScalarType dtype_of(const QString& name) {
    for (const ScalarType dtype : {ScalarType::Float32, ScalarType::Float64, ScalarType::Float16, ScalarType::BFloat16,
                                   ScalarType::Int64, ScalarType::Int32, ScalarType::UInt8}) {
        if (name.toStdString() == dtype_name(dtype)) return dtype;
    }
    return ScalarType::Bool;
}

Tensor in_double(const Tensor& t) {
    return fn::contiguous(fn::to_dtype(on_host(t), static_cast<std::int64_t>(ScalarType::Float64)), 0);
}
Tensor all_of(double value, std::int64_t count, ScalarType dtype = ScalarType::Float32) {
    const Tensor t = empty(std::array{count}, dtype, kOwn);
    return fn::fill_(t, Scalar(value));
}

struct Moments {
    double mean = 0, variance = 0;
};
Moments moments_of(const Tensor& t) {
    const Tensor x = in_double(t);
    Moments m;
    const auto n = static_cast<double>(x.numel());
    for (std::int64_t i = 0; i < x.numel(); ++i) m.mean += x.data<double>()[i] / n;
    for (std::int64_t i = 0; i < x.numel(); ++i) m.variance += std::pow(x.data<double>()[i] - m.mean, 2) / n;
    return m;
}
// Five standard deviations of a mean of so many, and a tenth of the variance.
void expect(const Tensor& drawn, double mean, double variance) {
    const Moments m = moments_of(drawn);
    const auto n = static_cast<double>(drawn.numel());
    QVERIFY2(std::abs(m.mean - mean) < 5 * std::sqrt(variance / n), concat("mean ", m.mean, " of ", mean).c_str());
    QVERIFY2(std::abs(m.variance - variance) < 0.1 * variance,
             concat("variance ", m.variance, " of ", variance).c_str());
}

const OperatorHandle<> kPoisson{"aten::poisson"}, kBinomial{"aten::binomial"}, kGamma{"aten::_standard_gamma"},
    kDirichlet{"aten::_sample_dirichlet"}, kRrelu{"aten::rrelu_with_noise"};
constexpr std::int64_t kMany = 40000;

double value_of(const QJsonValue& value) { return value.isString() ? value.toString().toDouble() : value.toDouble(); }

}  // namespace

class TestDeviceRandom : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { load_plugins_from(LOUPE_BINARY_DIR "/lib/test_plugins"); }

    void numbers_data() {
        QTest::addColumn<QJsonObject>("call");
        QFile file(LOUPE_SOURCE_DIR "/tests/plugins/cuda/random_numbers.json");
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonArray calls = QJsonDocument::fromJson(file.readAll()).object()["calls"].toArray();
        QVERIFY(calls.size() > 100);
        for (const auto& value : calls) {
            const QJsonObject call = value.toObject();
            QTest::addRow("%s %s %d", qPrintable(call["name"].toString()), qPrintable(call["dtype"].toString()),
                          call["count"].toInt())
                << call;
        }
    }
    // With replacement: thread s of row r, of rows of blocks of 128, draws the number that uniform_ draws there, and
    // takes the category whose running sum first reaches it (PyTorch's MultinomialKernel.cu).
    void categories() {
        constexpr std::int64_t kRows = 3, kCategories = 40, kSamples = 200, kWidth = 256;
        std::vector<float> weights;
        for (std::int64_t i = 0; i < kRows * kCategories; ++i)
            weights.push_back(i % 7 == 0 ? 0.0F : static_cast<float>((i * 37) % 19 + 1));
        const Tensor given =
            on_device(tensor_of(std::span<const float>(weights), std::array{kRows, kCategories}), kOwn);
        seed_generators(99);
        const Tensor numbers =
            on_host(fn::uniform_(empty(std::array{kRows * kWidth}, ScalarType::Float32, kOwn), 0.0, 1.0, IValue()));
        seed_generators(99);
        static const OperatorHandle<> multinomial("aten::multinomial");
        const Tensor drawn = on_host(multinomial(given, kSamples, true, IValue()));
        for (std::int64_t r = 0; r < kRows; ++r) {
            double whole = 0;
            for (std::int64_t c = 0; c < kCategories; ++c)
                whole += weights[static_cast<std::size_t>(r * kCategories + c)];
            for (std::int64_t s = 0; s < kSamples; ++s) {
                const std::int64_t c = drawn.data<std::int64_t>()[r * kSamples + s];
                double below = 0;
                for (std::int64_t k = 0; k < c; ++k)
                    below += weights[static_cast<std::size_t>(r * kCategories + k)] / whole;
                const double own = weights[static_cast<std::size_t>(r * kCategories + c)] / whole;
                const double number = numbers.data<float>()[r * kWidth + s];
                QVERIFY2(own > 0 && number > below - 1e-6 && number <= below + own + 1e-6,
                         concat("sample ", s, " of row ", r, " is ", c, " at ", number).c_str());
            }
        }
    }

    void numbers() {
        QFETCH(QJsonObject, call);
        const QString name = call["name"].toString();
        seed_generators(1234);
        for (const auto& drawn : call["draws"].toArray()) {
            Tensor there;
            if (name == "transposed") {
                const Tensor room = empty(std::array<std::int64_t, 2>{64, 48}, ScalarType::Float32, kOwn);
                there = fn::contiguous(fn::uniform_(fn::t(room), 0.0, 1.0, IValue()), 0);
            } else {
                const Tensor room =
                    empty(std::array<std::int64_t, 1>{call["count"].toInt()}, dtype_of(call["dtype"].toString()), kOwn);
                there = draws().at(name)(room);
            }
            QCOMPARE(QString::fromStdString(std::string(dtype_name(there.dtype()))), call["dtype"].toString());
            QVERIFY(there.device() == kOwn);
            const Tensor here = fn::to_dtype(fn::flatten(on_host(there), std::int64_t{0}, std::int64_t{-1}),
                                             static_cast<std::int64_t>(ScalarType::Float64));
            // Sines and logarithms are rounded otherwise on the GPU, and narrow types round that again.
            const double tolerance = there.element_size() == 2 ? 1e-2 : there.element_size() == 4 ? 2e-5 : 1e-12;
            const QJsonArray places = drawn.toObject()["places"].toArray(),
                             values = drawn.toObject()["values"].toArray();
            for (qsizetype i = 0; i < places.size(); ++i) {
                const double found = here.data<double>()[places[i].toInt()], wanted = value_of(values[i]);
                QVERIFY2(std::abs(found - wanted) <= tolerance * std::max(1.0, std::abs(wanted)),
                         concat("element ", places[i].toInt(), " is ", found, ", not ", wanted).c_str());
            }
        }
    }

    void moments() {
        seed_generators(7);
        for (const ScalarType dtype : {ScalarType::Float32, ScalarType::Float64}) {
            for (const double rate : {0.5, 12.0, 63.0, 100.0, 3000.0, 9000.0})
                expect(kPoisson(all_of(rate, kMany, dtype), IValue()), rate, rate);
            for (const auto& [n, p] :
                 {std::pair{10.0, 0.3}, std::pair{100.0, 0.7}, std::pair{1000.0, 0.004}, std::pair{50.0, 0.5}})
                expect(kBinomial(all_of(n, kMany, dtype), all_of(p, kMany, dtype), IValue()), n * p, n * p * (1 - p));
            for (const double alpha : {0.3, 1.0, 7.5})
                expect(kGamma(all_of(alpha, kMany, dtype), IValue()), alpha, alpha);
        }
        const Tensor alpha = on_device(fn::expand(tensor_of<float>({1, 2, 5}, {3}), Dims{kMany, 3}, false), kOwn);
        const Tensor shares = kDirichlet(alpha, IValue());
        expect(fn::select(shares, 1, 1), 0.25, 0.25 * 0.75 / 9);
        const Moments whole = moments_of(fn::sum_dim(shares, Dims{1}, false, IValue()));
        QVERIFY(std::abs(whole.mean - 1) < 1e-6 && whole.variance < 1e-10);
        const Tensor z = fn::normal_(empty(std::array{kMany}, ScalarType::Complex64, kOwn), 0.0, 3.0, IValue());
        expect(fn::real(z), 0, 4.5);
        expect(fn::imag(z), 0, 4.5);
        const Tensor normal =
            OperatorHandle<>("aten::normal.Tensor_Tensor")(all_of(-2, kMany), all_of(3, kMany), IValue());
        expect(normal, -2, 9);
    }

    // Each element has a stream of its own, that of the thread which draws the same element of rand and randn: whose
    // numbers are held to PyTorch's above.
    void streams() {
        const auto again = [](const std::function<Tensor()>& draw) {
            seed_generators(99);
            return in_double(draw());
        };
        const Tensor u = again([] { return fn::uniform_(all_of(0, kMany), 0.0, 1.0, IValue()); }),
                     z = again([] { return fn::normal_(all_of(0, kMany), 0.0, 1.0, IValue()); });
        const Tensor counts = again([] { return kPoisson(all_of(0.75, kMany), IValue()); });
        const Tensor trials = again([] { return kBinomial(all_of(6, kMany), all_of(0.2, kMany), IValue()); });
        const Tensor gammas = again([] { return kGamma(all_of(4, kMany), IValue()); });
        const Tensor slopes = again([] {
            const Tensor noise = all_of(0, kMany);
            kRrelu(all_of(-1, kMany), noise, Scalar(0.1), Scalar(0.3), true, IValue());
            return noise;
        });
        std::int64_t taken = 0;
        for (std::int64_t i = 0; i < kMany; ++i) {
            const double first = u.data<double>()[i];
            // Knuth's product ends at once; the first gap is longer than the trials.
            QCOMPARE(counts.data<double>()[i] == 0, std::exp(0.75) * first <= 1);
            QVERIFY(std::abs(slopes.data<double>()[i] - (first * 0.2 + 0.1)) < 1e-6);
            const double d = 4 - 1.0 / 3, v = std::pow(1 + z.data<double>()[i] / std::sqrt(9 * d), 3);
            taken += std::abs(gammas.data<double>()[i] - d * v) < 1e-4 ? 1 : 0;
        }
        for (std::int64_t block = 0; block < kMany / 512; ++block) {
            for (std::int64_t i = 0; i < 128; ++i) {
                const double gap = std::ceil(std::log(u.data<double>()[block * 128 + i]) / std::log1p(-0.2));
                QCOMPARE(trials.data<double>()[block * 512 + i] == 0, gap > 6);
            }
        }
        // Marsaglia and Tsang's first proposal is nearly always taken.
        QVERIFY2(taken > kMany * 97 / 100, concat(taken, " of ", kMany).c_str());
    }

    void ratesBelowZero() {
        try {
            kPoisson(all_of(-1, 3), IValue());
            QFAIL("was drawn");
        } catch (const Error& error) {
            QCOMPARE(error.message(),
                     std::string("invalid Poisson rate, expected rate to be non-negative (in aten::poisson)"));
        }
    }
};

QTEST_GUILESS_MAIN(TestDeviceRandom)
#include "test_device_random.moc"
