// SPDX-License-Identifier: Apache-2.0
// Ten steps of each optimiser against PyTorch's (make_optimizers.py), their dicts, and what they refuse.

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/torch_release.h"
#include "core/dispatch/functions.h"
#include "core/optim/optimizer.h"

using namespace loupe;
using optim::make_optimizer;

namespace {

QJsonArray read_cases(const char* name) {
    QFile file(QString(LOUPE_SOURCE_DIR "/tests/optim/") + name);
    if (!file.open(QIODevice::ReadOnly)) qFatal("no %s", name);
    return QJsonDocument::fromJson(file.readAll()).array();
}

Tensor tensor_of(const QJsonArray& values, const Dims& sizes, ScalarType dtype) {
    const Tensor t = empty(span_of(sizes), dtype);
    for (int i = 0; i < values.size(); ++i) {
        if (dtype == ScalarType::Float64)
            t.data<double>()[i] = values[i].toDouble();
        else
            t.data<float>()[i] = static_cast<float>(values[i].toDouble());
    }
    return t;
}
double element(const Tensor& t, std::int64_t i) {
    return t.dtype() == ScalarType::Float64 ? t.data<double>()[i] : static_cast<double>(t.data<float>()[i]);
}

IValue value_of(const QJsonValue& json) {
    if (json.isBool()) return json.toBool();
    if (json.isString()) return json.toString().toStdString();
    if (json.isArray()) {
        std::vector<IValue> elements;
        for (const QJsonValue& element : json.toArray()) elements.push_back(value_of(element));
        return make_ptr<TupleObject>(std::move(elements));
    }
    const double number = json.toDouble();
    const auto whole = static_cast<std::int64_t>(number);
    return static_cast<double>(whole) == number ? IValue(whole) : IValue(number);
}
std::vector<std::pair<std::string, IValue>> options_of(const QJsonObject& json) {
    std::vector<std::pair<std::string, IValue>> options;
    for (const QString& name : json.keys()) options.emplace_back(name.toStdString(), value_of(json[name]));
    return options;
}

QByteArray difference(const Tensor& t, const QJsonArray& expected) {
    if (t.numel() != expected.size()) return "another number of elements";
    for (int i = 0; i < expected.size(); ++i) {
        const double want = expected[i].toDouble(), got = element(t, i);
        const double tolerance = t.dtype() == ScalarType::Float64 ? 1e-12 : 1e-6;
        if (!(std::abs(got - want) <= tolerance * std::max(1.0, std::abs(want)))) {
            return QString("element %1: %2, PyTorch %3").arg(i).arg(got, 0, 'g', 12).arg(want, 0, 'g', 12).toUtf8();
        }
    }
    return {};
}

Tensor leaf(std::initializer_list<float> values) {
    const Tensor t = empty(span_of(Dims{static_cast<std::int64_t>(values.size())}), ScalarType::Float32);
    std::copy(values.begin(), values.end(), t.data<float>());
    return make_parameter(t);
}
std::string refusal(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.message();
    }
    return "no error";
}

Tensor rosenbrock(const Tensor& x) {
    const Tensor a = fn::narrow(x, 0, 0, x.numel() - 1), b = fn::narrow(x, 0, 1, x.numel() - 1);
    const Tensor valley = fn::square(fn::sub(b, fn::square(a), Scalar(1)));
    const Tensor slope = fn::square(fn::rsub_scalar(a, Scalar(1), Scalar(1)));
    return fn::sum(fn::add(fn::mul_scalar(valley, Scalar(100)), slope, Scalar(1)));
}

}  // namespace

class TestOptimizers : public QObject {
    Q_OBJECT

  private slots:
    void ten_steps_data() {
        QTest::addColumn<QJsonObject>("item");
        for (const QJsonValue& item : read_cases("optimizers.json")) {
            const QJsonObject object = item.toObject();
            const QString options = QJsonDocument(object["options"].toObject()).toJson(QJsonDocument::Compact);
            QTest::addRow("%s %s %s", qPrintable(object["name"].toString()), qPrintable(options),
                          qPrintable(object["dtype"].toString()))
                << object;
        }
    }
    void ten_steps() {
        QFETCH(QJsonObject, item);
        const ScalarType dtype = item["dtype"] == "float64" ? ScalarType::Float64 : ScalarType::Float32;
        const Dims shapes[] = {{5}, {2, 3}};
        TensorList parameters;
        for (int i = 0; i < 2; ++i)
            parameters.push_back(make_parameter(tensor_of(item["start"][i].toArray(), shapes[i], dtype)));
        const auto optimizer =
            make_optimizer(item["name"].toString().toStdString(), {parameters}, options_of(item["options"].toObject()));
        QCOMPARE(QString::fromStdString(optimizer->str()), item["text"].toString());
        for (const QJsonValue& step : item["steps"].toArray()) {
            for (int i = 0; i < 2; ++i)
                set_grad(parameters[static_cast<std::size_t>(i)],
                         tensor_of(step["grads"][i].toArray(), shapes[i], dtype));
            optimizer->step();
            for (int i = 0; i < 2; ++i) {
                const QByteArray wrong =
                    difference(parameters[static_cast<std::size_t>(i)], step["params"][i].toArray());
                QVERIFY2(wrong.isEmpty(), wrong);
            }
        }
        const Ptr<DictObject> state = optimizer->state_of(parameters[1]);
        const QJsonObject expected = item["state"].toObject();
        QCOMPARE(static_cast<int>(state->size()), static_cast<int>(expected.size()));
        for (const QString& name : expected.keys()) {
            const IValue* own = state->find(name.toStdString());
            QVERIFY2(own != nullptr, qPrintable(name));
            if (expected[name].isNull())
                QVERIFY(own->is_none());
            else if (expected[name].isDouble())  // newer releases count steps in a tensor
                QCOMPARE(own->is_tensor() ? loupe::item(own->to_tensor()).to<double>() : own->to_scalar().to_double(),
                         expected[name].toDouble());
            else
                QVERIFY2(difference(own->to_tensor(), expected[name].toArray()).isEmpty(), qPrintable(name));
        }
    }
    void lbfgs_data() {
        QTest::addColumn<QJsonObject>("item");
        for (const QJsonValue& item : read_cases("lbfgs.json")) {
            QTest::addRow("%s", QJsonDocument(item["options"].toObject()).toJson(QJsonDocument::Compact).constData())
                << item.toObject();
        }
    }
    void lbfgs() {
        QFETCH(QJsonObject, item);
        const Tensor x = make_parameter(tensor_of(QJsonArray{-1.2, 1.0, 0.5, -0.3}, {4}, ScalarType::Float64));
        const auto optimizer = make_optimizer("LBFGS", {TensorList{x}}, options_of(item["options"].toObject()));
        for (const QJsonValue& step : item["steps"].toArray()) {
            const IValue loss = optimizer->step([&]() -> IValue {
                optimizer->zero_grad();
                const Tensor value = rosenbrock(x);
                backward({value});
                return value;
            });
            QVERIFY(std::abs(item_of(loss) - step["loss"].toDouble()) <= 1e-6 * std::max(1.0, step["loss"].toDouble()));
            for (int i = 0; i < 4; ++i) {
                const double want = step["params"][i].toDouble(), got = x.data<double>()[i];
                QVERIFY2(std::abs(got - want) < 1e-6,
                         qPrintable(QString("%1, PyTorch %2").arg(got, 0, 'g', 12).arg(want, 0, 'g', 12)));
            }
        }
    }
    // As if it had never stopped: state and options go through a dict.
    void state_goes_through_a_dict() {
        const auto gradient = [](int step) {
            return tensor_of({0.5 - step, 0.25 * step, 1.0}, {3}, ScalarType::Float32);
        };
        const Tensor kept = leaf({1, 2, 3});
        const auto one = make_optimizer("Adam", {TensorList{kept}}, {{"lr", 0.1}});
        for (int i = 0; i < 3; ++i) set_grad(kept, gradient(i)), one->step();
        const Tensor resumed = make_parameter(fn::clone(detach(kept)));
        const auto other = make_optimizer("Adam", {TensorList{resumed}});
        other->load_state_dict(one->state_dict());
        for (int i = 3; i < 6; ++i) {
            set_grad(kept, gradient(i)), one->step();
            set_grad(resumed, gradient(i)), other->step();
        }
        for (int i = 0; i < 3; ++i) QCOMPARE(resumed.data<float>()[i], kept.data<float>()[i]);
        QCOMPARE(QString::fromStdString(other->str()), QString::fromStdString(one->str()));
    }
    void groups_have_options_of_their_own() {
        const Tensor slow = leaf({1}), fast = leaf({1});
        auto group = make_ptr<DictObject>(types::any(), types::any());
        group->set("params", TensorList{fast});
        group->set("lr", 0.5);
        const auto sgd = make_optimizer("SGD", {TensorList{slow}}, {{"lr", 0.25}});
        sgd->add_param_group(group);
        for (const Tensor& t : {slow, fast}) set_grad(t, leaf({1}));
        sgd->step();
        QCOMPARE(slow.data<float>()[0], 0.75F);
        QCOMPARE(fast.data<float>()[0], 0.5F);
        sgd->param_groups()->elements[1].to_dict().set("lr", 0.0);  // as a scheduler or a program does
        sgd->step();
        QCOMPARE(fast.data<float>()[0], 0.5F);
        sgd->zero_grad();
        QCOMPARE(grad_of(fast).data<float>()[0], 0.0F);
        sgd->zero_grad(true);
        QVERIFY(!grad_of(fast).defined());
    }
    void layouts_and_small_dtypes() {
        const Tensor wide = leaf({1, 2, 3, 4, 5, 6});
        const Tensor turned = make_parameter(fn::transpose(fn::reshape(detach(wide), Dims{2, 3}), 0, 1));
        set_grad(turned, fn::ones_like(detach(turned)));
        make_optimizer("SGD", {TensorList{turned}}, {{"lr", 1.0}})->step();
        for (int i = 0; i < 6; ++i)
            QCOMPARE(wide.data<float>()[i], static_cast<float>(i));  // the view's memory is wide's
        const Tensor half =
            make_parameter(fn::to_dtype(detach(leaf({1, 2})), static_cast<std::int64_t>(ScalarType::BFloat16)));
        set_grad(half, fn::ones_like(detach(half)));
        make_optimizer("Adam", {TensorList{half}}, {{"lr", 0.5}})->step();
        const Tensor now = fn::to_dtype(detach(half), static_cast<std::int64_t>(ScalarType::Float32));
        QCOMPARE(now.data<float>()[0], 0.5F);
        QCOMPARE(now.data<float>()[1], 1.5F);
    }
    void refuses_as_pytorch_does() {
        const TorchReleaseScope release(TorchRelease::V1_13);  // whose texts these are
        const Tensor x = leaf({1});
        const auto make = [&](const char* name, std::vector<std::pair<std::string, IValue>> options) {
            return refusal([&] { make_optimizer(name, {TensorList{x}}, options); });
        };
        QCOMPARE(make("SGD", {}), "parameter group didn't specify a value of required optimization parameter lr");
        QCOMPARE(make("SGD", {{"lr", -1.0}}), "Invalid learning rate: -1.0");
        QCOMPARE(make("Adam", {{"lr", std::nan("")}}), "Invalid learning rate: nan");
        QCOMPARE(make("SGD", {{"lr", 0.1}, {"nesterov", true}}),
                 "Nesterov momentum requires a momentum and zero dampening");
        QCOMPARE(make("Adam", {{"betas", make_ptr<TupleObject>(std::vector<IValue>{1.0, 0.9})}}),
                 "Invalid beta parameter at index 0: 1.0");
        QCOMPARE(refusal([&] {
                     make_optimizer("SGD", {TensorList{}}, {{"lr", 0.1}});
                 }),
                 "optimizer got an empty parameter list");
        const Tensor inner = fn::mul_scalar(x, Scalar(2));
        QCOMPARE(refusal([&] {
                     make_optimizer("SGD", {TensorList{inner}}, {{"lr", 0.1}});
                 }),
                 "can't optimize a non-leaf Tensor");
        const auto sgd = make_optimizer("SGD", {TensorList{x}}, {{"lr", 0.1}});
        auto group = make_ptr<DictObject>(types::any(), types::any());
        group->set("params", TensorList{x});
        QCOMPARE(refusal([&] { sgd->add_param_group(group); }),
                 "some parameters appear in more than one parameter group");
    }

  private:
    static double item_of(const IValue& loss) { return loupe::item(detach(loss.to_tensor())).to_double(); }
};

QTEST_GUILESS_MAIN(TestOptimizers)
#include "test_optimizers.moc"
