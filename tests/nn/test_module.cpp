// SPDX-License-Identifier: Apache-2.0
// torch.nn.Module's rules: names, order, hooks, state.

#include <QtTest>

#include "core/autograd/engine.h"
#include "core/base/error.h"
#include "core/dispatch/functions.h"
#include "core/nn/module.h"

using namespace loupe;
using nn::Module;
using nn::ModulePtr;

namespace {

Tensor vector_of(std::initializer_list<float> values) {
    return tensor_of<float>(values, {static_cast<std::int64_t>(values.size())});
}

// y = x * weight
ModulePtr scale(float by) {
    const auto module = make_ptr<Module>("Scale");
    const Tensor weight = vector_of({by});
    set_requires_grad(weight, true);
    module->register_parameter("weight", weight);
    module->set_forward([](Module& self, std::vector<IValue> inputs) -> IValue {
        return fn::mul(inputs[0].to_tensor(), self.get_parameter("weight"));
    });
    return module;
}

ModulePtr chain() {
    const auto module = make_ptr<Module>("Chain");
    module->register_module("first", scale(2));
    module->register_module("second", scale(3));
    module->register_buffer("count", vector_of({0}));
    module->register_buffer("cache", vector_of({0}), false);
    module->set_forward([](Module& self, std::vector<IValue> inputs) -> IValue {
        return self.get_submodule("second")->call({self.get_submodule("first")->call(std::move(inputs))});
    });
    return module;
}

template <typename T>
QStringList names(const nn::Named<T>& named) {
    QStringList out;
    for (const auto& entry : named) out.append(QString::fromStdString(entry.first));
    return out;
}

QString message_of(const std::function<void()>& run) {
    try {
        run();
    } catch (const Error& error) {
        return QString::fromStdString(error.message());
    }
    return "no error";
}

float first_element(const Tensor& t) { return *t.data<float>(); }

}  // namespace

class TestModule : public QObject {
    Q_OBJECT

  private slots:
    void names_come_in_order() {
        const auto module = chain();
        QCOMPARE(names(module->named_parameters()), (QStringList{"first.weight", "second.weight"}));
        QCOMPARE(names(module->named_buffers()), (QStringList{"count", "cache"}));
        QCOMPARE(names(module->named_modules()), (QStringList{"", "first", "second"}));
        QCOMPARE(names(module->state_dict()), (QStringList{"count", "first.weight", "second.weight"}));
    }
    void shared_modules_count_once() {
        const auto module = chain();
        module->register_module("again", module->get_submodule("first"));
        QCOMPARE(names(module->named_parameters()), (QStringList{"first.weight", "second.weight"}));
        QCOMPARE(names(module->named_modules()), (QStringList{"", "first", "second"}));
        QVERIFY(names(module->state_dict()).contains("again.weight"));
    }
    void bad_names_are_refused() {
        const auto module = chain();
        QCOMPARE(message_of([&] { module->register_parameter("", vector_of({1})); }),
                 QString("parameter name can't be empty string \"\""));
        QCOMPARE(message_of([&] { module->register_buffer("a.b", vector_of({1})); }),
                 QString("buffer name can't contain \".\""));
        QCOMPARE(message_of([&] { module->register_parameter("first", vector_of({1})); }),
                 QString("attribute 'first' already exists"));
        const Tensor made = fn::mul(module->get_parameter("first.weight"), vector_of({1}));
        QVERIFY(message_of([&] {
                    module->register_parameter("made", made);
                }).startsWith("Cannot assign non-leaf Tensor to parameter 'made'"));
    }
    void forward_hooks_replace_and_come_off() {
        const auto module = scale(2);
        QStringList order;
        module->register_forward_pre_hook(
            [&](Module&, const std::vector<IValue>& inputs) -> std::optional<std::vector<IValue>> {
                order.append("pre");
                return std::vector<IValue>{fn::add(inputs[0].to_tensor(), vector_of({1}))};
            });
        RemovableHandle handle = module->register_forward_hook(
            [&](Module&, const std::vector<IValue>&, const IValue& output) -> std::optional<IValue> {
                order.append("post");
                return IValue(fn::neg(output.to_tensor()));
            });
        module->register_forward_hook(
            [&](Module&, const std::vector<IValue>&, const IValue&) -> std::optional<IValue> {
                order.append("first of all");
                return std::nullopt;
            },
            true);
        QCOMPARE(first_element(module->call({IValue(vector_of({4}))}).to_tensor()), -10.0f);
        QCOMPARE(order, (QStringList{"pre", "first of all", "post"}));
        handle.remove();
        QCOMPARE(first_element(module->call({IValue(vector_of({4}))}).to_tensor()), 10.0f);
    }
    void backward_hooks_see_inputs_and_outputs() {
        const auto module = chain();
        float grad_in = 0;
        float grad_out = 0;
        module->get_submodule("second")->register_full_backward_hook(
            [&](Module&, const TensorList& grad_inputs, const TensorList& grad_outputs) -> std::optional<TensorList> {
                grad_in = first_element(grad_inputs[0]);
                grad_out = first_element(grad_outputs[0]);
                return TensorList{fn::mul(grad_inputs[0], vector_of({10}))};
            });
        const Tensor x = vector_of({1});
        set_requires_grad(x, true);
        backward({fn::sum(module->call({IValue(x)}).to_tensor())});
        QCOMPARE(grad_out, 1.0f);
        QCOMPARE(grad_in, 3.0f);
        QCOMPARE(first_element(grad_of(x)), 60.0f);  // 3 * 10 * 2
        QCOMPARE(first_element(grad_of(module->get_parameter("second.weight"))), 2.0f);
    }
    void load_state_dict_reports_everything_at_once() {
        const auto module = chain();
        nn::Named<Tensor> state{
            {"first.weight", vector_of({7})}, {"second.weight", vector_of({1, 2})}, {"extra", vector_of({1})}};
        const QString message = message_of([&] { module->load_state_dict(state); });
        QVERIFY(message.contains("Error(s) in loading state_dict for Chain"));
        QVERIFY(message.contains("Unexpected key(s) in state_dict: \"extra\". "));
        QVERIFY(message.contains("Missing key(s) in state_dict: \"count\". "));
        QVERIFY(message.contains(
            "size mismatch for second.weight: copying a param with shape torch.Size([2]) from checkpoint, the shape in "
            "current model is torch.Size([1])."));
        QCOMPARE(first_element(module->get_parameter("first.weight")), 2.0f);  // nothing was copied
        // Sizes must fit even when names need not.
        QVERIFY(message_of([&] { module->load_state_dict(state, false); }).contains("size mismatch for second.weight"));
        state[1].second = vector_of({5});
        const nn::LoadReport report = module->load_state_dict(state, false);
        QCOMPARE(report.missing_keys, (std::vector<std::string>{"count"}));
        QCOMPARE(first_element(module->get_parameter("first.weight")), 7.0f);
    }
    void train_and_eval_reach_every_module() {
        const auto module = chain();
        module->eval();
        for (const auto& [name, child] : module->named_modules()) QVERIFY(!child->is_training());
        module->train();
        QVERIFY(module->get_submodule("second")->is_training());
    }
    void zero_grad_frees_or_clears() {
        const auto module = chain();
        backward({fn::sum(module->call({IValue(vector_of({1}))}).to_tensor())});
        const Tensor weight = module->get_parameter("first.weight");
        QCOMPARE(first_element(grad_of(weight)), 3.0f);
        module->zero_grad(false);
        QCOMPARE(first_element(grad_of(weight)), 0.0f);
        module->zero_grad();
        QVERIFY(!grad_of(weight).defined());
    }
    void prints_as_pytorch_does() {
        QCOMPARE(chain()->str(), std::string("Chain(\n  (first): Scale()\n  (second): Scale()\n)"));
    }
};

QTEST_GUILESS_MAIN(TestModule)
#include "test_module.moc"
