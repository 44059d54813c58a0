// SPDX-License-Identifier: Apache-2.0
// Options over epochs of each scheduler against PyTorch's (make_schedulers.py), their state, and what they refuse.

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/torch_release.h"
#include "core/dispatch/functions.h"
#include "core/optim/scheduler.h"

using namespace loupe;
using namespace loupe::optim;

namespace {

Tensor leaf() { return make_parameter(fn::zeros_like(empty(span_of(Dims{1}), ScalarType::Float32))); }

// Two groups: the first has the rate 0.1, the second 0.3.
Ptr<Optimizer> two_groups(const std::string& kind) {
    const auto group = [](std::optional<double> rate) {
        auto dict = make_ptr<DictObject>(types::any(), types::any());
        dict->set("params", TensorList{leaf()});
        if (rate) dict->set("lr", *rate);
        return dict;
    };
    auto groups = make_ptr<ListObject>(types::any(), std::vector<IValue>{group({}), group(0.3)});
    std::vector<std::pair<std::string, IValue>> options{{"lr", 0.1}};
    if (kind == "SGD") options.emplace_back("momentum", 0.9);
    return make_optimizer(kind, {groups}, options);
}

IValue value_of(const QJsonValue& json) {
    if (json.isBool()) return json.toBool();
    if (json.isString()) return json.toString().toStdString();
    if (json.isArray()) {
        std::vector<IValue> elements;
        for (const QJsonValue& element : json.toArray()) elements.push_back(value_of(element));
        return make_ptr<ListObject>(types::any(), std::move(elements));
    }
    const double number = json.toDouble();
    const auto whole = static_cast<std::int64_t>(number);
    return static_cast<double>(whole) == number ? IValue(whole) : IValue(number);
}

Ptr<Scheduler> scheduler_of(const QJsonObject& item, const Ptr<Optimizer>& optimizer) {
    if (item["name"] == "chained" || item["name"] == "sequential") {
        const auto warm_up = make_scheduler("ConstantLR", optimizer, {0.1, 2});
        const auto decay = make_scheduler("ExponentialLR", optimizer, {0.9});
        const IValue both = make_ptr<ListObject>(types::any(), std::vector<IValue>{as_value(warm_up), as_value(decay)});
        if (item["name"] == "sequential") return make_scheduler("SequentialLR", optimizer, {both, Dims{5}});
        return make_scheduler(*find_scheduler("ChainedScheduler"), {{both}, {}});
    }
    std::vector<std::pair<std::string, IValue>> arguments;
    const QJsonObject given = item["arguments"].toObject();
    for (const QString& name : given.keys()) arguments.emplace_back(name.toStdString(), value_of(given[name]));
    return make_scheduler(item["name"].toString().toStdString(), optimizer, {}, arguments);
}

std::string refusal(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.message();
    }
    return "no error";
}

// Twice the epoch: what a program would write as a function.
class Twice final : public Callable {
  public:
    IValue call(CallArguments arguments) override { return arguments.positional.front().to_scalar().to_double() * 2; }
    std::string describe() const override { return "twice"; }
};

}  // namespace

class TestSchedulers : public QObject {
    Q_OBJECT

  private slots:
    void epochs_data() {
        QTest::addColumn<QJsonObject>("item");
        QFile file(LOUPE_SOURCE_DIR "/tests/optim/schedules.json");
        QVERIFY(file.open(QIODevice::ReadOnly));
        for (const QJsonValue& item : QJsonDocument::fromJson(file.readAll()).array()) {
            const QString arguments = QJsonDocument(item["arguments"].toObject()).toJson(QJsonDocument::Compact);
            QTest::addRow("%s %s", qPrintable(item["name"].toString()), qPrintable(arguments)) << item.toObject();
        }
    }
    void epochs() {
        QFETCH(QJsonObject, item);
        const auto optimizer = two_groups(item["optimizer"].toString().toStdString());
        const auto scheduler = scheduler_of(item, optimizer);
        const QJsonArray expected = item["options"].toArray();
        for (int epoch = 0; epoch < expected.size(); ++epoch) {
            if (epoch > 0 && scheduler->takes_metric())
                scheduler->step_on(item["metrics"][epoch - 1].toDouble());
            else if (epoch > 0)
                scheduler->step();
            for (int i = 0; i < 2; ++i) {
                const Options group(optimizer->param_groups()->elements[static_cast<std::size_t>(i)].to_dict());
                const double rate = expected[epoch][i][0].toDouble(), momentum = expected[epoch][i][1].toDouble();
                const double own = item["optimizer"] == "SGD" ? group.number("momentum") : group.number("betas", 0);
                QVERIFY2(
                    std::abs(group.number("lr") - rate) <= 1e-12,
                    qPrintable(QString("epoch %1: rate %2, PyTorch %3").arg(epoch).arg(group.number("lr")).arg(rate)));
                QVERIFY2(std::abs(own - momentum) <= 1e-12,
                         qPrintable(QString("epoch %1: momentum %2, PyTorch %3").arg(epoch).arg(own).arg(momentum)));
                QCOMPARE(scheduler->last_rates()[static_cast<std::size_t>(i)], group.number("lr"));
            }
        }
    }
    void functions() {
        const auto optimizer = two_groups("SGD");
        const auto scheduler = make_scheduler("LambdaLR", optimizer, {IValue::other(make_ptr<Twice>())});
        QCOMPARE(scheduler->last_rates(), (std::vector<double>{0, 0}));
        scheduler->step();
        scheduler->step();
        QCOMPARE(scheduler->last_rates(), (std::vector<double>{0.1 * 4, 0.3 * 4}));
    }
    void state_goes_through_a_dict() {
        const auto one = two_groups("SGD"), other = two_groups("SGD");
        const auto kept = make_scheduler("CosineAnnealingWarmRestarts", one, {3, 2});
        const auto resumed = make_scheduler("CosineAnnealingWarmRestarts", other, {3, 2});
        for (int i = 0; i < 5; ++i) kept->step();
        other->load_state_dict(one->state_dict());
        resumed->load_state_dict(kept->state_dict());
        for (int i = 0; i < 5; ++i) {
            kept->step();
            resumed->step();
            QCOMPARE(resumed->last_rates(), kept->last_rates());
        }
        QCOMPARE(resumed->last_epoch(), 10);
    }
    void lengths_are_kept_as_they_were_given() {
        const auto scheduler = make_scheduler("StepLR", two_groups("SGD"), {2.0});
        const IValue state = scheduler->state_dict();
        QVERIFY(state.to_dict().find(IValue("step_size"))->is_double());
        const IValue whole = make_scheduler("StepLR", two_groups("SGD"), {2})->state_dict();
        QVERIFY(whole.to_dict().find(IValue("step_size"))->is_int());
    }
    void refuses_as_pytorch_does() {
        const auto optimizer = two_groups("Adam");
        const auto make = [&](const char* name, std::vector<std::pair<std::string, IValue>> arguments) {
            return refusal([&] { make_scheduler(name, optimizer, {}, arguments); });
        };
        const TorchReleaseScope release(TorchRelease::V1_13);  // whose texts these are
        QCOMPARE(refusal([] { make_scheduler(*find_scheduler("StepLR"), {{1, 2}, {}}); }), "int is not an Optimizer");
        QCOMPARE(make("ConstantLR", {{"factor", 2.0}}),
                 "Constant multiplicative factor expected to be between 0 and 1.");
        QCOMPARE(make("CyclicLR", {{"base_lr", 0.1}, {"max_lr", 0.2}}),
                 "optimizer must support momentum with `cycle_momentum` option enabled");
        QCOMPARE(make("CosineAnnealingWarmRestarts", {{"T_0", 0}}), "Expected positive integer T_0, but got 0");
        QCOMPARE(make("CosineAnnealingWarmRestarts", {{"T_0", 1.0}}), "Expected positive integer T_0, but got 1.0");
        QCOMPARE(make("CosineAnnealingWarmRestarts", {{"T_0", 1}, {"T_mult", 1.5}}),
                 "Expected integer T_mult >= 1, but got 1.5");
        QCOMPARE(make("OneCycleLR", {{"max_lr", 0.1}}),
                 "You must define either total_steps OR (epochs AND steps_per_epoch)");
        QCOMPARE(make("ReduceLROnPlateau", {{"mode", "mean"}}), "mode mean is unknown!");
        QCOMPARE(make("StepLR", {{"step_size", 1}, {"last_epoch", 3}}),
                 "param 'initial_lr' is not specified in param_groups[0] when resuming an optimizer");
    }
};

QTEST_GUILESS_MAIN(TestSchedulers)
#include "test_schedulers.moc"
