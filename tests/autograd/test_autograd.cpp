// SPDX-License-Identifier: Apache-2.0
// The rules of torch.autograd. Numbers are worked out by hand; messages are PyTorch's.

#include <QtTest>
#include <cmath>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/dispatch/functions.h"
#include "core/tensor/allocation_observers.h"

using namespace loupe;

namespace {

Tensor leaf(std::initializer_list<float> values) {
    const Tensor t = tensor_of<float>(values, {static_cast<std::int64_t>(values.size())});
    set_requires_grad(t, true);
    return t;
}

std::vector<float> values(const Tensor& t) {
    std::vector<float> out;
    for (std::int64_t i = 0; i < t.numel(); ++i) out.push_back(t.data<float>()[i * (t.dim() > 0 ? t.stride(0) : 0)]);
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

using Floats = std::vector<float>;

}  // namespace

class TestAutograd : public QObject {
    Q_OBJECT

  private slots:
    // A Linear's weight gets its gradient as a transposed view of what was computed: no copy is made of it, and what
    // others hold is not taken over.
    void takes_over_gradients_that_nobody_else_holds() {
        struct Large final : AllocationObserver {
            void on_allocation(const AllocationEvent& event) noexcept override {
                count += !event.is_free && event.bytes >= 40000 ? 1 : 0;
            }
            int count = 0;
        };
        const Tensor weight = make_parameter(fn::ones(Dims{100, 100}));
        const Tensor y = fn::sum(fn::linear(fn::ones(Dims{2, 100}), weight, IValue()));
        Large large;
        {
            const AllocationObserverScope observing(large);
            backward({y});
        }
        QCOMPARE(large.count, 1);
        QCOMPARE(grad_of(weight).data<float>()[9999], 2.0F);

        const Tensor x = make_parameter(fn::ones(Dims{2, 3}));
        const Tensor given = fn::ones(Dims{3, 2});
        backward({fn::t(x)}, {given});
        backward({fn::t(x)}, {given});
        QCOMPARE(given.data<float>()[0], 1.0F);
        QCOMPARE(grad_of(x).data<float>()[0], 2.0F);
    }
    void accumulates_into_leaves() {
        const Tensor x = leaf({1, 2, 3});
        const Tensor y = fn::sum(fn::mul(x, x));
        backward({y}, {}, {.retain_graph = true});
        QCOMPARE(values(grad_of(x)), (Floats{2, 4, 6}));
        backward({y});
        QCOMPARE(values(grad_of(x)), (Floats{4, 8, 12}));
    }
    void a_tensor_used_twice_gets_both() {
        const Tensor x = leaf({3});
        const Tensor y = fn::add(fn::mul(x, x), x);
        backward({fn::sum(y)});
        QCOMPARE(values(grad_of(x)), (Floats{7}));
    }
    void broadcast_gradients_are_summed() {
        const Tensor x = leaf({2});
        const Tensor y = tensor_of<float>({1, 2, 3}, {3});
        backward({fn::sum(fn::mul(x, y))});
        QCOMPARE(values(grad_of(x)), (Floats{6}));
    }
    void no_grad_records_nothing() {
        const Tensor x = leaf({1, 2});
        const GradModeScope no_grad(false);
        const Tensor y = fn::mul(x, x);
        QVERIFY(!requires_grad(y));
        QVERIFY(grad_fn(y) == nullptr);
    }
    void names_of_nodes() {
        const Tensor x = leaf({1, 2});
        QCOMPARE(grad_fn(fn::mul(x, x))->name(), std::string("MulBackward0"));
        QCOMPARE(grad_fn(fn::sum(x))->name(), std::string("SumBackward0"));
        QCOMPARE(grad_fn(fn::exp(x))->name(), std::string("ExpBackward0"));
    }
    void retain_grad_keeps_a_middle_one() {
        const Tensor x = leaf({2});
        const Tensor y = fn::mul(x, x);
        retain_grad(y);
        backward({fn::sum(fn::mul(y, y))});
        QCOMPARE(values(grad_of(y)), (Floats{8}));
        QCOMPARE(values(grad_of(x)), (Floats{32}));
    }
    void a_retained_gradient_keeps_nothing_alive() {
        const Tensor x = leaf({2});
        Tensor y = fn::mul(x, x);
        retain_grad(y);
        const Tensor z = fn::mul(y, tensor_of<float>({3}, {1}));
        y = {};
        backward({z});
        QCOMPARE(values(grad_of(x)), (Floats{12}));
    }
    void a_retained_gradient_is_no_circle() {
        const Tensor x = leaf({2});
        Tensor y = fn::mul(x, x);
        retain_grad(y);
        const Ptr<Node> node = grad_fn(y);
        y = {};
        QCOMPARE(node->use_count(), 1U);
    }
    // Expectations by PyTorch.
    void a_retained_gradient_follows_writes_in_place() {
        const Tensor x = leaf({2});
        const Tensor y = fn::mul(x, x);
        retain_grad(y);
        fn::mul_(y, tensor_of<float>({3}, {1}));
        backward({fn::sum(fn::mul(y, y))});
        QCOMPARE(values(grad_of(y)), (Floats{24}));
        const Tensor base = fn::mul(x, x);
        const Tensor view = fn::narrow(base, std::int64_t{0}, std::int64_t{0}, std::int64_t{1});
        retain_grad(view);
        fn::mul_(base, tensor_of<float>({3}, {1}));
        backward({fn::sum(fn::mul(view, view))});
        QCOMPARE(values(grad_of(view)), (Floats{24}));
    }
    void hooks_replace_gradients_and_come_off() {
        const Tensor x = leaf({1});
        const Tensor y = fn::mul(x, x);
        int calls = 0;
        RemovableHandle doubles = register_hook(y, [&](const Tensor& g) {
            ++calls;
            return fn::add(g, g);
        });
        RemovableHandle on_leaf = register_hook(x, [&](const Tensor&) {
            ++calls;
            return Tensor();
        });
        backward({fn::sum(y)}, {}, {.retain_graph = true});
        QCOMPARE(calls, 2);
        QCOMPARE(values(grad_of(x)), (Floats{4}));
        doubles.remove();
        on_leaf.remove();
        on_leaf.remove();
        backward({fn::sum(y)});
        QCOMPARE(calls, 2);
        QCOMPARE(values(grad_of(x)), (Floats{6}));
    }
    void node_hooks_see_both_sides() {
        const Tensor x = leaf({3});
        const Tensor y = fn::mul(x, x);
        Floats in;
        Floats out;
        grad_fn(y)->pre_hooks.add([&](TensorList& grads) { in = values(grads[0]); });
        grad_fn(y)->post_hooks.add([&](TensorList& grads, const TensorList&) { out = values(grads[0]); });
        backward({y}, {tensor_of<float>({5}, {1})});
        QCOMPARE(in, (Floats{5}));
        QCOMPARE(out, (Floats{15}));
    }
    void double_backward() {
        // d2/dx2 of x^3 is 6x.
        const Tensor x = leaf({2});
        const Tensor y = fn::mul(fn::mul(x, x), x);
        const TensorList first = gradients_of({y}, {x}, {tensor_of<float>({1}, {1})}, {.create_graph = true});
        QCOMPARE(values(first[0]), (Floats{12}));
        const TensorList second = gradients_of({first[0]}, {x}, {tensor_of<float>({1}, {1})});
        QCOMPARE(values(second[0]), (Floats{12}));
        QVERIFY(!grad_of(x).defined());
    }
    void gradients_of_stops_at_inputs_and_tells_unused_ones() {
        const Tensor x = leaf({2});
        const Tensor unused = leaf({1});
        const Tensor middle = fn::mul(x, x);
        const Tensor y = fn::sum(fn::mul(middle, middle));
        QCOMPARE(values(gradients_of({y}, {middle}, {}, {.retain_graph = true})[0]), (Floats{8}));
        QVERIFY(message_of([&] {
                    gradients_of({y}, {x, unused}, {}, {.retain_graph = true});
                }).contains("appears to not have been used in the graph"));
        QVERIFY(!gradients_of({y}, {x, unused}, {}, {}, true)[1].defined());
    }
    void a_second_backward_needs_retain_graph() {
        const Tensor x = leaf({2});
        const Tensor y = fn::sum(fn::mul(x, x));
        backward({y});
        QVERIFY(message_of([&] { backward({y}); }).startsWith("Trying to backward through the graph a second time"));
    }
    void only_scalars_need_no_gradient() {
        const Tensor x = leaf({2, 3});
        QCOMPARE(message_of([&] { backward({fn::mul(x, x)}); }),
                 QString("grad can be implicitly created only for scalar outputs"));
        QVERIFY(message_of([] { backward({tensor_of<float>({1}, {1})}); }).contains("does not require grad"));
    }
    void changed_saved_tensors_are_noticed() {
        const Tensor x = leaf({2});
        const Tensor y = fn::mul(x, x);
        const Tensor z = fn::mul(y, y);
        fn::add_(y, y);
        QVERIFY(message_of([&] { backward({fn::sum(z)}); }).contains("modified by an inplace operation"));
    }
    void leaves_are_not_written_in_place() {
        const Tensor x = leaf({2});
        QCOMPARE(message_of([&] { fn::add_(x, x); }),
                 QString("a leaf Variable that requires grad is being used in an in-place operation."));
        const GradModeScope no_grad(false);
        fn::add_(x, x);
        QCOMPARE(values(x), (Floats{4}));
    }
    void writes_in_place_carry_gradients() {
        const Tensor x = leaf({3});
        const Tensor y = fn::mul(x, x);
        fn::mul_(y, x);  // x^3
        backward({fn::sum(y)});
        QCOMPARE(values(grad_of(x)), (Floats{27}));
    }
    void writes_to_a_view_reach_the_base() {
        const Tensor x = leaf({1, 2, 3});
        const Tensor y = fn::mul(x, tensor_of<float>({1, 1, 1}, {3}));
        const Tensor first = fn::select(y, 0, 0);
        fn::mul_(first, tensor_of<float>({10}, {}));
        QCOMPARE(values(y), (Floats{10, 2, 3}));
        QCOMPARE(grad_fn(y)->name(), std::string("CopySlices"));
        backward({fn::sum(fn::mul(y, y))});
        QCOMPARE(values(grad_of(x)), (Floats{200, 4, 6}));
    }
    void integers_require_no_grad() {
        const Tensor x = tensor_of<std::int64_t>({1}, {1});
        QCOMPARE(message_of([&] { set_requires_grad(x, true); }),
                 QString("only Tensors of floating point dtype can require gradients"));
    }
    void anomaly_mode_names_the_node() {
        const Tensor x = leaf({0});
        const Tensor y = fn::mul(fn::sqrt(x), tensor_of<float>({0}, {1}));
        QVERIFY(message_of([&] {
                    backward({fn::sum(y)}, {}, {.detect_anomaly = true});
                }).startsWith("Function 'SqrtBackward0' returned nan values in its 0th output."));
    }
    void long_chains_need_no_stack() {
        const Tensor x = leaf({1});
        Tensor y = x;
        const Tensor one = tensor_of<float>({1}, {1});
        for (int i = 0; i < 200'000; ++i) y = fn::add(y, one);
        backward({y});
        QCOMPARE(values(grad_of(x)), (Floats{1}));
    }
    void order_is_the_same_every_time() {
        const auto order = [] {
            const Tensor x = leaf({1});
            const Tensor a = fn::exp(x);
            const Tensor b = fn::sin(x);
            const Tensor y = fn::add(fn::mul(a, b), b);
            std::vector<std::string> names;
            for (const Tensor& t : {a, b, y}) {
                const auto node = grad_fn(t);
                node->pre_hooks.add([&names, name = node->name()](TensorList&) { names.push_back(name); });
            }
            backward({y});
            return names;
        };
        QCOMPARE(order(), (std::vector<std::string>{"AddBackward0", "SinBackward0", "ExpBackward0"}));
        QCOMPARE(order(), order());
    }
};

QTEST_GUILESS_MAIN(TestAutograd)
#include "test_autograd.moc"
