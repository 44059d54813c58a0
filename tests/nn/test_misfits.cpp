// SPDX-License-Identifier: Apache-2.0
// Errors of layers: the layer's path, what it expects and what it got beside PyTorch's text; and that nothing stays
// behind.

#include <QtTest>
#include <map>

#include "core/autograd/engine.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/dispatch/autocast.h"
#include "core/dispatch/functions.h"
#include "core/nn/layer.h"
#include "core/nn/utils/parametrize.h"
#include "core/nn/utils/prune.h"

using namespace loupe;
using nn::make_layer;
using nn::ModulePtr;

namespace {

IValue value(const ModulePtr& module) { return Ptr<Object>(module); }
Tensor floats(std::initializer_list<std::int64_t> sizes) { return zeros(IntSpan(sizes.begin(), sizes.size())); }

// The error that a call gives.
ErrorContext context_of(const std::function<void()>& call, std::string* message = nullptr) {
    try {
        call();
    } catch (const Error& error) {
        if (message != nullptr) *message = error.message();
        return error.context();
    }
    return {};
}

}  // namespace

class TestMisfits : public QObject {
    Q_OBJECT
  private slots:
    void layers_say_what_they_expect_data() {
        QTest::addColumn<QString>("layer");
        QTest::addColumn<QString>("hint");
        QTest::newRow("linear")
            << "linear"
            << "Linear(in_features=3, out_features=2, bias=True) expects input [*, 3], got torch.float32 [4, 5]";
        QTest::newRow("conv2d") << "conv2d"
                                << "Conv2d(3, 8, kernel_size=(3, 3), stride=(1, 1)) expects input [N, 3, H, W] or [3, "
                                   "H, W], got torch.float32 [1, 4, 9, 9]";
        QTest::newRow("batch_norm") << "batch_norm"
                                    << "BatchNorm2d(4, eps=1e-05, momentum=0.1, affine=True, bias=True, "
                                       "track_running_stats=True) expects input [N, 4, H, W], "
                                       "got torch.float32 [2, 3, 5, 5]";
        QTest::newRow("layer_norm")
            << "layer_norm"
            << "LayerNorm((6,), eps=1e-05, elementwise_affine=True, bias=True) expects input [*, 6], got torch.float32 "
               "[2, 5]";
        QTest::newRow("lstm") << "lstm"
                              << "LSTM(3, 4) expects input [L, N, 3] or [L, 3], got torch.float32 [5, 2, 7]";
        QTest::newRow("embedding") << "embedding"
                                   << "Embedding(5, 2) expects input indices of int64 or int32, got torch.float32 [3]";
        QTest::newRow("cross_entropy")
            << "cross_entropy"
            << "CrossEntropyLoss() expects target class indices of int64, got torch.float32 [2]";
        QTest::newRow("bce") << "bce"
                             << "BCELoss() expects target torch.float32 [2, 3], got torch.float32 [3]";
    }
    void layers_say_what_they_expect() {
        QFETCH(QString, layer);
        QFETCH(QString, hint);
        const std::map<QString, std::function<void()>> calls = {
            {"linear",
             [] {
                 make_layer("Linear", {3, 2})->call({floats({4, 5})});
             }},
            {"conv2d",
             [] {
                 make_layer("Conv2d", {3, 8, 3})->call({floats({1, 4, 9, 9})});
             }},
            {"batch_norm",
             [] {
                 make_layer("BatchNorm2d", {4})->call({floats({2, 3, 5, 5})});
             }},
            {"layer_norm",
             [] {
                 make_layer("LayerNorm", {6})->call({floats({2, 5})});
             }},
            {"lstm",
             [] {
                 make_layer("LSTM", {3, 4})->call({floats({5, 2, 7})});
             }},
            {"embedding",
             [] {
                 make_layer("Embedding", {5, 2})->call({floats({3})});
             }},
            {"cross_entropy",
             [] {
                 make_layer("CrossEntropyLoss")->call({floats({2, 3}), floats({2})});
             }},
            {"bce",
             [] {
                 make_layer("BCELoss")->call({floats({2, 3}), floats({3})});
             }},
        };
        const ErrorContext context = context_of(calls.at(layer));
        QCOMPARE(QString::fromStdString(context.hint), hint);
        QVERIFY(!context.scope.empty());
    }
    void the_path_leads_to_the_layer() {
        const ModulePtr inner = make_layer(
            "Sequential",
            {value(make_layer("Linear", {4, 4})), value(make_layer("ReLU")), value(make_layer("Linear", {3, 2}))});
        const ModulePtr model = make_layer("Sequential", {value(make_layer("Linear", {4, 4})), value(inner)});
        std::string message;
        const ErrorContext context = context_of([&] { model->call({floats({5, 4})}); }, &message);
        QCOMPARE(QString::fromStdString(context.scope), "1.2");
        QCOMPARE(QString::fromStdString(message), "addmm: mat1 and mat2 shapes cannot be multiplied (5x4 and 3x2)");
        QVERIFY(context.hint.starts_with("Linear(in_features=3"));
        // A call that fits afterwards has no trace of it.
        QCOMPARE(model->get_submodule("1.0")->call({floats({1, 4})}).to_tensor().size(1), std::int64_t{4});
        QCOMPARE(QString::fromStdString(context_of([] {
                                            make_layer("Linear", {3, 2})->call({floats({1})});
                                        }).scope),
                 "Linear");
    }
    void a_hook_that_throws_leaves_all_as_it_was() {
        const ModulePtr layer = make_layer("Linear", {2, 2});
        const Tensor x = make_parameter(floats({1, 2}));
        int always = 0, after = 0;
        auto first = layer->register_forward_hook(
            nn::ForwardHook([](nn::Module&, const std::vector<IValue>&, const IValue&) -> std::optional<IValue> {
                throw Error(ErrorKind::Run, "hook");
            }));
        layer->register_forward_hook(
            nn::ForwardHook([&](nn::Module&, const std::vector<IValue>&, const IValue&) -> std::optional<IValue> {
                ++after;
                return std::nullopt;
            }));
        layer->register_always_called_forward_hook(
            [&](nn::Module&, const CallArguments&, const IValue&) -> std::optional<IValue> {
                ++always;
                return std::nullopt;
            });
        std::string message;
        context_of([&] { layer->call({x}); }, &message);
        QCOMPARE(QString::fromStdString(message), "hook");
        QCOMPARE(always, 1);
        QCOMPARE(after, 0);
        first.remove();
        const Tensor y = layer->call({x}).to_tensor();
        QCOMPARE(after, 1);
        // One whose backward fails leaves the gradients alone, and the next pass runs.
        auto failing = layer->register_full_backward_hook(
            [](nn::Module&, const TensorList&, const TensorList&) -> std::optional<TensorList> {
                throw Error(ErrorKind::Run, "backward hook");
            });
        context_of([&] { backward({fn::sum(layer->call({x}), IValue())}); }, &message);
        QCOMPARE(QString::fromStdString(message), "backward hook");
        QVERIFY(!grad_of(x).defined());
        failing.remove();
        backward({fn::sum(y, IValue())});
        QVERIFY(grad_of(x).defined());
    }
    void leaves_tell_when_their_gradient_is_there() {
        const Tensor w = make_parameter(floats({2}));
        std::vector<double> seen;
        auto handle = register_post_accumulate_grad_hook(
            w, [&](const Tensor& t) { seen.push_back(item(fn::sum(grad_of(t), IValue())).to_double()); });
        for (int i = 0; i < 2; ++i) backward({fn::sum(w, IValue())});
        QCOMPARE(seen, (std::vector<double>{2, 4}));
        handle.remove();
        backward({fn::sum(w, IValue())});
        QCOMPARE(seen.size(), std::size_t{2});
        std::string message;
        context_of([&] { register_post_accumulate_grad_hook(fn::exp(w), [](const Tensor&) {}); }, &message);
        QCOMPARE(QString::fromStdString(message),
                 "post accumulate grad hooks cannot be registered on non-leaf tensors");
    }
    void the_panel_can_list_parametrizations_and_prunings() {
        const ModulePtr layer = make_layer("Linear", {3, 2});
        nn::weight_norm_parametrization(*layer);
        const auto found = nn::parametrizations_of(*layer);
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(QString::fromStdString(found[0].tensor_name), "weight");
        QCOMPARE(found[0].originals,
                 (std::vector<std::string>{"parametrizations.weight.original0", "parametrizations.weight.original1"}));
        QCOMPARE(found[0].parametrizations, std::vector<std::string>{"_WeightNorm()"});
        QVERIFY(found[0].is_unsafe);
        // A copy is parametrized by itself. (One that is pruned has a tensor that is no leaf and is not copied, as in
        // PyTorch.)
        const ModulePtr copy = layer->deep_copy();
        nn::apply_pruning(*layer, "bias", nn::l1_unstructured(Scalar(std::int64_t{1})));
        QCOMPARE(nn::prunings_of(*layer),
                 (std::vector<std::pair<std::string, std::string>>{{"bias", "L1Unstructured"}}));
        nn::remove_parametrizations(*layer, "weight");
        nn::remove_pruning(*layer, "bias");
        QVERIFY(nn::is_parametrized(*copy, "weight") && !nn::is_pruned(*copy));
        QVERIFY(!nn::is_parametrized(*layer) && !nn::is_pruned(*layer));
        QCOMPARE(QString::fromStdString(layer->str()), "Linear(in_features=3, out_features=2, bias=True)");
    }
    void older_states_of_weight_norm_fit() {
        const ModulePtr layer = make_layer("Linear", {3, 2});
        nn::weight_norm_parametrization(*layer);
        auto state = layer->state_dict();
        for (auto& [name, tensor] : state) {
            if (name == "parametrizations.weight.original0") name = "weight_g";
            if (name == "parametrizations.weight.original1") name = "weight_v";
        }
        QVERIFY(layer->load_state_dict(state).is_clean());
    }
    void autocast_nests_and_ends() {
        const Tensor a = floats({2, 2});
        {
            const AutocastScope on(DeviceType::Cpu);
            QCOMPARE(fn::mm(a, a).dtype(), ScalarType::BFloat16);
            {
                const AutocastScope off(DeviceType::Cpu, false);
                QCOMPARE(fn::mm(a, a).dtype(), ScalarType::Float32);
            }
            QCOMPARE(fn::mm(a, a).dtype(), ScalarType::BFloat16);
            QCOMPARE(fn::add(a, a, Scalar(1)).dtype(), ScalarType::Float32);
        }
        QCOMPARE(fn::mm(a, a).dtype(), ScalarType::Float32);
        QVERIFY(!autocast_settings().devices[0].enabled);
    }
    void autocast_converts_a_weight_once() {
        const Tensor w = make_parameter(floats({2, 2})), x = floats({1, 2});
        const auto casts = [&] {
            // The casts of one weight are one node when they are kept.
            const Tensor one = fn::mm(x, w), two = fn::mm(x, w);
            return grad_fn(one)->next_edges()[1].node == grad_fn(two)->next_edges()[1].node;
        };
        {
            const AutocastScope on(DeviceType::Cpu);
            QVERIFY(casts());
        }
        const AutocastScope on(DeviceType::Cpu, true, {}, false);
        QVERIFY(!casts());
    }
};

QTEST_APPLESS_MAIN(TestMisfits)
#include "test_misfits.moc"
