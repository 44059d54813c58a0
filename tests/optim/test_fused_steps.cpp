// SPDX-License-Identifier: Apache-2.0
// Fused steps, operators on lists and GradScaler's, against PyTorch's numbers (make_fused.py), on the host and on the
// device for tests, where each is one kernel.

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>
#include <cmath>
#include <cstdlib>
#include <map>

#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/call.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/fallback_observer.h"
#include "core/dispatch/functions.h"
#include "core/kernels/lanes.h"
#include "core/kernels/list_runs.h"
#include "core/optim/grad_scaler.h"
#include "core/optim/list_updates.h"
#include "core/plugin/plugin_loader.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/device_interface.h"

using namespace loupe;

namespace {

constexpr Device kDevices[] = {Device{}, Device{DeviceType::PrivateUse1, 1}};

QJsonObject fixture() {
    QFile file(QString(LOUPE_SOURCE_DIR "/tests/optim/fused.json"));
    if (!file.open(QIODevice::ReadOnly)) qFatal("no fused.json");
    return QJsonDocument::fromJson(file.readAll()).object();
}

Tensor tensor_of(const std::vector<double>& values, const Dims& sizes, ScalarType dtype, Device device) {
    const Tensor t = empty(span_of(sizes), ScalarType::Float64);
    std::ranges::copy(values, t.data<double>());
    return on_device(fn::contiguous(fn::to_dtype(t, static_cast<std::int64_t>(dtype)), 0), device);
}
Tensor number_on(double value, Device device) { return tensor_of({value}, {}, ScalarType::Float32, device); }
std::vector<double> numbers_of(const Tensor& t) {
    const Tensor wide = fn::contiguous(fn::to_dtype(on_host(t), static_cast<std::int64_t>(ScalarType::Float64)), 0);
    return {wide.data<double>(), wide.data<double>() + wide.numel()};
}
std::vector<double> numbers_of(const QJsonValue& json) {
    std::vector<double> all;
    for (const QJsonValue& value : json.toArray()) all.push_back(value.toDouble());
    return all;
}

const Dims kSizes[] = {{5}, {2, 3}, {1}};
TensorList list_of(const QJsonValue& json, ScalarType dtype, Device device) {
    TensorList all;
    const QJsonArray lists = json.toArray();
    for (int i = 0; i < lists.size(); ++i) all.push_back(tensor_of(numbers_of(lists[i]), kSizes[i], dtype, device));
    return all;
}

class CopyCounter : public FallbackObserver {
  public:
    CopyCounter() { set_fallback_observer(this); }
    ~CopyCounter() override { set_fallback_observer(nullptr); }
    void on_fallback(const FallbackCost&) override { ++count; }
    int count = 0;
};

// Binds by name; what is not given is its default.
void call_by_name(const char* name, const std::map<std::string, IValue>& given) {
    const Operator& op = *find_operator(name);
    std::vector<IValue> arguments;
    for (const Argument& argument : op.schema.arguments) {
        const auto found = given.find(argument.name);
        arguments.push_back(found != given.end() ? found->second : *argument.default_value);
    }
    const GradModeScope no_grad(false);
    IValue result;
    call_operator(op, arguments, &result);
}

}  // namespace

class TestFusedSteps : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { load_plugins_from(LOUPE_BINARY_DIR "/lib/test_plugins"); }

    void steps_data() {
        QTest::addColumn<int>("index");
        const QJsonArray rows = fixture()["steps"].toArray();
        for (int i = 0; i < rows.size(); ++i) {
            const QJsonObject row = rows[i].toObject();
            QTest::addRow("%s %s %d", qPrintable(row["op"].toString()), qPrintable(row["dtype"].toString()), i) << i;
        }
    }
    void steps() {
        QFETCH(int, index);
        const QJsonObject row = fixture()["steps"].toArray()[index].toObject();
        const bool is_double = row["dtype"].toString() == "float64";
        const ScalarType dtype = is_double ? ScalarType::Float64 : ScalarType::Float32;
        // A few roundings of numbers of size 1.
        const double tolerance = is_double ? 2e-15 : 4e-7;
        for (const Device device : kDevices) {
            std::map<std::string, IValue> given;
            std::map<QString, TensorList> lists;
            for (const char* list : {"exp_avgs", "exp_avg_sqs", "max_exp_avg_sqs", "momentum_buffer_list"})
                given[list] = IValue(TensorList());
            for (const QString& list : row["given"].toObject().keys()) {
                lists[list] = list_of(row["given"].toObject()[list], dtype, device);
                given[list.toStdString()] = IValue(lists[list]);
            }
            const QJsonObject keywords = row["keywords"].toObject();
            for (const QString& name : keywords.keys())
                given[name.toStdString()] =
                    keywords[name].isBool() ? IValue(keywords[name].toBool()) : IValue(keywords[name].toDouble());
            if (!row["step"].isNull()) {
                const Tensor step = number_on(row["step"].toDouble(), device);
                given["state_steps"] = IValue(TensorList{step, step, step});
            }
            if (!row["scale"].isNull()) given["grad_scale"] = number_on(row["scale"].toDouble(), device);
            if (!row["found"].isNull()) given["found_inf"] = number_on(row["found"].toDouble(), device);
            const CopyCounter copies;
            call_by_name(qPrintable("aten::" + row["op"].toString()), given);
            QCOMPARE(copies.count, 0);
            const QJsonObject wanted = row["wanted"].toObject();
            for (const auto& [list, tensors] : lists) {
                for (std::size_t i = 0; i < tensors.size(); ++i) {
                    const std::vector<double> want = numbers_of(wanted[list].toArray()[static_cast<int>(i)]),
                                              got = numbers_of(tensors[i]);
                    for (std::size_t k = 0; k < want.size(); ++k)
                        QVERIFY2(std::abs(got[k] - want[k]) <= tolerance * std::max(1.0, std::abs(want[k])),
                                 concat(device_name(device), " ", list.toStdString(), " ", i, ": ", got[k], ", not ",
                                        want[k])
                                     .c_str());
                }
            }
        }
    }

    // A rate that is a tensor on the device is the number.
    void rateIsATensor() {
        for (const Device device : kDevices) {
            TensorList results[2];
            for (const bool is_tensor : {false, true}) {
                const auto list = [&](double value) {
                    return TensorList{tensor_of({value, 2 * value}, {2}, ScalarType::Float32, device)};
                };
                TensorList& self = results[is_tensor ? 1 : 0] = list(1);
                std::map<std::string, IValue> given{{"self", IValue(self)},
                                                    {"grads", IValue(list(0.5))},
                                                    {"exp_avgs", IValue(list(0))},
                                                    {"exp_avg_sqs", IValue(list(0))},
                                                    {"max_exp_avg_sqs", TensorList()},
                                                    {"state_steps", TensorList{number_on(1, device)}},
                                                    {"lr", 0.25},
                                                    {"beta1", 0.9},
                                                    {"beta2", 0.99},
                                                    {"weight_decay", 0.1},
                                                    {"eps", 1e-8},
                                                    {"amsgrad", false},
                                                    {"maximize", false}};
                if (is_tensor) given["lr"] = number_on(0.25, device);
                call_by_name(is_tensor ? "aten::_fused_adamw_.tensor_lr" : "aten::_fused_adamw_", given);
            }
            QCOMPARE(numbers_of(results[1][0]), numbers_of(results[0][0]));
        }
    }

    void unscale() {
        for (const QJsonValue& value : fixture()["unscale"].toArray()) {
            const QJsonObject row = value.toObject();
            const auto parsed = [&](const char* name) {
                std::vector<double> all;
                for (const QJsonValue& text : row[name].toArray())
                    all.push_back(std::strtod(qPrintable(text.toString()), nullptr));
                return all;
            };
            for (const Device device : kDevices) {
                const Tensor found = number_on(0, device);
                const TensorList grads{tensor_of(parsed("values"), {2}, ScalarType::Float32, device),
                                       tensor_of({0.5}, {1}, ScalarType::Float64, device)};
                call_by_name("aten::_amp_foreach_non_finite_check_and_unscale_",
                             {{"self", IValue(grads)}, {"found_inf", found}, {"inv_scale", number_on(0.25, device)}});
                QCOMPARE(item(found).to_double(), row["found"].toDouble());
                const std::vector<double> got = numbers_of(grads[0]), want = parsed("wanted");
                for (std::size_t i = 0; i < want.size(); ++i)
                    QVERIFY(got[i] == want[i] || (std::isnan(got[i]) && std::isnan(want[i])));
                QCOMPARE(numbers_of(grads[1])[0], 0.125);
            }
        }
    }

    void scales() {
        for (const QJsonValue& value : fixture()["scales"].toArray()) {
            const QJsonObject row = value.toObject();
            const std::vector<double> values = numbers_of(row["values"]);
            for (const Device device : kDevices) {
                const Tensor scale = tensor_of({values[0]}, {1}, ScalarType::Float32, device);
                const Tensor tracker = tensor_of({row["tracker"].toDouble()}, {1}, ScalarType::Int32, device);
                call_by_name("aten::_amp_update_scale_", {{"self", scale},
                                                          {"growth_tracker", tracker},
                                                          {"found_inf", number_on(row["found"].toDouble(), device)},
                                                          {"scale_growth_factor", values[1]},
                                                          {"scale_backoff_factor", values[2]},
                                                          {"growth_interval", static_cast<std::int64_t>(values[3])}});
                QCOMPARE(numbers_of(scale)[0], row["scale"].toDouble());
                QCOMPARE(numbers_of(tracker)[0], row["next"].toDouble());
            }
        }
    }

    // Many tensors, of several chunks and layouts, with a number each: as one by one.
    void lists() {
        const GradModeScope no_grad(false);
        const Device device = kDevices[1];
        TensorList here, others, there, there_too;
        std::vector<IValue> numbers;
        for (int i = 0; i < 300; ++i) {
            const std::int64_t rows = i % 7 + 1, columns = i == 5 ? 20000 : i % 11 + 1;
            const Tensor line =
                fn::arange(Scalar(rows * columns), static_cast<std::int64_t>(ScalarType::Float32), IValue(), Device{});
            const Tensor a = fn::view(fn::add_scalar(fn::mul_scalar(line, Scalar(0.01)), Scalar(i + 1), Scalar(1)),
                                      Dims{rows, columns});
            here.push_back(i % 3 == 0 ? fn::t(a) : a);
            others.push_back(i % 5 == 0 ? fn::contiguous(fn::t(fn::contiguous(fn::t(here.back()), 0)), 0)
                                        : fn::sqrt(here.back()));
            there.push_back(on_device(here.back(), device));
            there_too.push_back(on_device(others.back(), device));
            numbers.emplace_back(0.5 + i);
        }
        const auto same = [&](const char* name, std::vector<IValue> on_here, std::vector<IValue> on_there) {
            IValue want, got;
            const Operator& op = *find_operator(name);
            detail::fill_default_arguments(op, on_here);
            detail::fill_default_arguments(op, on_there);
            call_operator(op, on_here, &want);
            const CopyCounter copies;
            call_operator(op, on_there, &got);
            QCOMPARE(copies.count, 0);
            const TensorList expected = op.is_pure() ? want.to_tensors() : on_here[0].to_tensors(),
                             found = op.is_pure() ? got.to_tensors() : on_there[0].to_tensors();
            QCOMPARE(found.size(), expected.size());
            for (std::size_t i = 0; i < found.size(); ++i) {
                QVERIFY(found[i].device() == device);
                const std::vector<double> a = numbers_of(found[i]), b = numbers_of(expected[i]);
                QCOMPARE(a.size(), b.size());
                for (std::size_t k = 0; k < a.size(); ++k)
                    QVERIFY2(std::abs(a[k] - b[k]) <= 1e-6 * std::max(1.0, std::abs(b[k])), name);
            }
        };
        auto list = make_ptr<ListObject>(types::number());
        list->elements = numbers;
        same("aten::_foreach_mul.ScalarList", {IValue(here), IValue(list)}, {IValue(there), IValue(list)});
        same("aten::_foreach_add.List", {IValue(here), IValue(others), 0.25}, {IValue(there), IValue(there_too), 0.25});
        same("aten::_foreach_div.List", {IValue(here), IValue(others)}, {IValue(there), IValue(there_too)});
        same("aten::_foreach_sqrt", {IValue(here)}, {IValue(there)});
        same("aten::_foreach_maximum.List", {IValue(here), IValue(others)}, {IValue(there), IValue(there_too)});
        same("aten::_foreach_addcdiv_.Scalar", {IValue(here), IValue(others), IValue(here), 0.5},
             {IValue(there), IValue(there_too), IValue(there), 0.5});
        same("aten::_foreach_sub_.Scalar", {IValue(here), 3}, {IValue(there), 3});
    }
};

QTEST_GUILESS_MAIN(TestFusedSteps)
#include "test_fused_steps.moc"
