// SPDX-License-Identifier: Apache-2.0
// In-place writes, views, versions, hooks and graphs that are kept: what PyTorch 1.13 does, in its words and numbers.

#include <QtTest>
#include <functional>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/dispatch/functions.h"

using namespace loupe;

namespace {

using Floats = std::vector<float>;

Tensor constant(std::initializer_list<float> values) {
    return tensor_of<float>(values, {static_cast<std::int64_t>(values.size())});
}
Tensor leaf(std::initializer_list<float> values) {
    const Tensor t = constant(values);
    set_requires_grad(t, true);
    return t;
}
// No leaf any more.
Tensor moved(std::initializer_list<float> values) { return fn::mul(leaf(values), constant({1})); }
Tensor first_of(const Tensor& t) { return fn::narrow(t, 0, 0, 1); }
Floats values(const Tensor& t) {
    const Tensor plain = fn::contiguous(detach(t), 0);
    return {plain.data<float>(), plain.data<float>() + plain.numel()};
}
void add_one(const Tensor& t) { fn::add_(t, constant({1})); }
TensorList halves(const Tensor& t) { return fn::split(t, 1, 0); }

std::string message_of(const std::function<void()>& run) {
    try {
        run();
    } catch (const Error& error) {
        return error.message();
    }
    return "no error";
}

constexpr const char* kManyViews =
    "is a view and is being modified inplace. This view is the output of a function that returns multiple views. Such "
    "functions do not allow "
    "the output views to be modified inplace. You should replace the inplace operation by an out-of-place one.";
constexpr const char* kChanged =
    "one of the variables needed for gradient computation has been modified by an inplace operation: "
    "[torch.FloatTensor [3]]";
constexpr const char* kHint =
    " is at version 1; expected version 0 instead. Hint: enable anomaly detection to find the operation that failed "
    "to compute its gradient, with torch.autograd.set_detect_anomaly(True).";

// Squares y, lets it be changed, and goes back.
void change_a_saved(const std::function<void(const Tensor& y)>& change) {
    const Tensor y = moved({1, 2, 3});
    const Tensor z = fn::mul(y, y);
    change(y);
    backward({fn::sum(z)});
}

struct Refusal {
    const char* name;
    std::function<void()> run;
    std::string message;
};
std::vector<Refusal> refusals() {
    return {
        {"a leaf",
         [] {
             add_one(leaf({1, 2}));
         },
         "a leaf Variable that requires grad is being used in an in-place operation."},
        {"a view of a leaf",
         [] {
             add_one(first_of(leaf({1, 2})));
         },
         "a view of a leaf Variable that requires grad is being used in an in-place operation."},
        {"one of unbind",
         [] {
             fn::mul_(fn::unbind(moved({1, 2}), 0)[0], tensor_of<float>({2}, {}));
         },
         concat("Output 0 of UnbindBackward0 ", kManyViews)},
        {"one of split",
         [] {
             add_one(halves(moved({1, 2}))[1]);
         },
         concat("Output 1 of SplitBackward0 ", kManyViews)},
        {"a saved result",
         [] {
             const Tensor y = fn::exp(leaf({1, 2, 3}));
             add_one(y);
             backward({fn::sum(y)});
         },
         concat(kChanged, ", which is output 0 of ExpBackward0,", kHint)},
        {"a saved argument", [] { change_a_saved(add_one); },
         concat(kChanged, ", which is output 0 of AddBackward0,", kHint)},
        {"a saved constant",
         [] {
             const Tensor w = constant({1, 1, 1});
             const Tensor z = fn::mul(leaf({1, 2, 3}), w);
             add_one(w);
             backward({fn::sum(z)});
         },
         concat(kChanged, kHint)},
        {"what shares a saved argument", [] { change_a_saved([](const Tensor& y) { add_one(detach(y)); }); },
         concat(kChanged, ", which is output 0 of MulBackward0,", kHint)},
        {"a view of a saved argument", [] { change_a_saved([](const Tensor& y) { fn::zero_(first_of(y)); }); },
         concat(kChanged, ", which is output 0 of CopySlices,", kHint)},
        {"a cotangent of another shape",
         [] {
             backward({fn::exp(leaf({1, 2, 3}))}, {constant({1, 1})});
         },
         "Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] has a shape of "
         "torch.Size([3])."},
        {"a cotangent of another rank",
         [] {
             backward({fn::sum(leaf({1, 2, 3}))}, {tensor_of<float>({1}, {1, 1})});
         },
         "Mismatch in shape: grad_output[0] has a shape of torch.Size([1, 1]) and output[0] has a shape of "
         "torch.Size([])."},
        {"a root without a graph", [] { backward({constant({1})}); },
         "element 0 of tensors does not require grad and does not have a grad_fn"},
        {"an input that is not used", [] { gradients_of({first_of(leaf({1}))}, {leaf({2})}); },
         "One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True if this "
         "is the desired behavior."},
        {"an input that requires no grad", [] { gradients_of({first_of(leaf({1}))}, {constant({2})}); },
         "One of the differentiated Tensors does not require grad"},
        {"requires_grad of a result", [] { set_requires_grad(moved({1}), false); },
         "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
         "subgraph that doesn't require "
         "differentiation use var_no_grad = var.detach()."},
        {"retain_grad without grad", [] { retain_grad(constant({1})); },
         "can't retain_grad on Tensor that has requires_grad=False"},
        {"a hook without grad", [] { register_hook(constant({1}), [](const Tensor& g) { return g; }); },
         "cannot register a hook on a tensor that doesn't require gradient"},
        {"an expanded tensor", [] { fn::add_(fn::expand(constant({0}), Dims{4}), constant({1})); },
         "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
         "Please clone() the tensor "
         "before performing the operation."},
    };
}

}  // namespace

class TestRules : public QObject {
    Q_OBJECT

  private slots:
    void refuses_data() {
        QTest::addColumn<int>("index");
        int index = 0;
        for (const Refusal& refusal : refusals()) QTest::newRow(refusal.name) << index++;
    }
    void refuses() {
        QFETCH(int, index);
        const TorchReleaseScope release(TorchRelease::V1_13);  // whose texts these are
        const Refusal refusal = refusals()[static_cast<std::size_t>(index)];
        QCOMPARE(QString::fromStdString(message_of(refusal.run)), QString::fromStdString(refusal.message));
    }

    void hooks_run_in_order_and_each_sees_what_the_one_before_gave() {
        for (const bool is_leaf : {false, true}) {
            const Tensor x = leaf({2});
            const Tensor y = fn::mul(x, constant({2}));
            const Tensor& hooked = is_leaf ? x : y;
            Floats seen;
            register_hook(hooked, [&](const Tensor& g) {
                seen.push_back(values(g)[0]);
                return fn::mul(g, constant({10}));
            });
            // What is retained is what all hooks have left, those that come later too.
            if (!is_leaf) retain_grad(y);
            register_hook(hooked, [&](const Tensor& g) {
                seen.push_back(values(g)[0]);
                return fn::add(g, constant({1}));
            });
            backward({fn::sum(y)});
            QCOMPARE(seen, is_leaf ? (Floats{2, 20}) : (Floats{1, 10}));
            QCOMPARE(values(grad_of(x)), is_leaf ? (Floats{21}) : (Floats{22}));
            if (!is_leaf) QCOMPARE(values(grad_of(y)), (Floats{11}));
        }
    }
    void a_graph_without_saved_tensors_may_be_used_again() {
        const Tensor x = leaf({1});
        const Tensor y = fn::sum(fn::add(x, x));
        backward({y});
        backward({y});
        QCOMPARE(values(grad_of(x)), (Floats{4}));
    }
    void create_graph_makes_gradients_with_history() {
        const Tensor x = leaf({2});
        const Tensor y = fn::sum(fn::mul(fn::mul(x, x), x));
        backward({y}, {}, {.retain_graph = true, .create_graph = true});
        QVERIFY(requires_grad(grad_of(x)));
        QCOMPARE(values(gradients_of({fn::sum(grad_of(x))}, {x})[0]), (Floats{12}));
    }
    void unused_results_of_a_node_count_as_zeros() {
        const Tensor x = leaf({1, 2});
        backward({fn::unbind(x, 0)[0]});
        QCOMPARE(values(grad_of(x)), (Floats{1, 0}));
    }
    void views_follow_their_base_and_bases_their_views() {
        const Tensor x = leaf({2, 3});
        const Tensor y = fn::mul(x, constant({1}));
        const Tensor view = first_of(y);
        fn::mul_(view, constant({3}));
        QCOMPARE(grad_fn(y)->name(), std::string("CopySlices"));
        QCOMPARE(grad_fn(view)->name(), std::string("AsStridedBackward0"));
        QCOMPARE(values(gradients_of({fn::sum(y)}, {x})[0]), (Floats{3, 1}));

        const Tensor base = fn::mul(x, constant({1}));
        const Tensor part = first_of(base);
        fn::mul_(base, constant({3}));
        QCOMPARE(grad_fn(part)->name(), std::string("AsStridedBackward0"));
        QCOMPARE(values(gradients_of({fn::sum(part)}, {x})[0]), (Floats{3, 0}));
    }
    void a_base_without_history_gets_one_from_its_view() {
        const Tensor base = constant({0, 0, 0});
        const Tensor x = leaf({5});
        fn::copy_(first_of(base), x);
        QVERIFY(requires_grad(base));
        QCOMPARE(base.version(), 1U);
        QCOMPARE(values(gradients_of({fn::sum(base)}, {x})[0]), (Floats{1}));
    }
    void detached_tensors_and_writes_without_grad_leave_a_leaf_a_leaf() {
        const Tensor x = leaf({1, 2});
        add_one(detach(x));
        {
            const GradModeScope no_grad(false);
            add_one(x);
        }
        QCOMPARE(values(x), (Floats{3, 4}));
        QCOMPARE(x.version(), 2U);
        QVERIFY(is_leaf(x));
    }
    void overwriting_cuts_the_gradient_off() {
        const Tensor x = leaf({1, 2});
        const Tensor y = fn::mul(x, constant({2}));
        fn::zero_(y);
        backward({fn::sum(y)});
        QCOMPARE(values(grad_of(x)), (Floats{0, 0}));
    }

    // A view made under no_grad requires grad as its base does, is no way for gradients, and is not written under grad.
    void views_made_without_grad_require_it_as_their_base_does() {
        const auto view_without_grad = [](const Tensor& t) {
            const GradModeScope no_grad(false);
            return first_of(t);
        };
        const QString refused =
            "A view was created in no_grad mode and is being modified inplace with grad mode enabled.";
        for (const Tensor& base : {leaf({1, 2, 3}), moved({1, 2, 3})}) {
            const Tensor view = view_without_grad(base);
            QVERIFY(requires_grad(view) && is_leaf(view));
            QVERIFY(QString::fromStdString(message_of([&] { add_one(view); })).startsWith(refused));
            QVERIFY(requires_grad(fn::mul(view, view)));
        }
        const Tensor plain = constant({1, 2, 3});
        const Tensor view = view_without_grad(plain);
        QVERIFY(!requires_grad(view));
        add_one(view);
        QVERIFY(QString::fromStdString(message_of([&] { fn::mul_(view, leaf({2})); })).startsWith(refused));
        fn::mul_(plain, leaf({2}));
        QVERIFY(requires_grad(view));
        QVERIFY(QString::fromStdString(message_of([&] { fn::mul(view, view); }))
                    .startsWith("A view was created in no_grad mode and its base or another view of its base has been "
                                "modified inplace with grad mode enabled."));
        const Tensor written = leaf({1, 2, 3});
        const GradModeScope no_grad(false);
        add_one(first_of(written));
        QCOMPARE(values(written), (Floats{2, 2, 3}));
    }
};

QTEST_GUILESS_MAIN(TestRules)
#include "test_rules.moc"
