// SPDX-License-Identifier: Apache-2.0
// Seeded numbers of devices are those that PyTorch draws on CUDA: random_numbers.json was written there. The device for
// tests runs the same kernels.

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>
#include <functional>
#include <map>

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
};

QTEST_GUILESS_MAIN(TestDeviceRandom)
#include "test_device_random.moc"
