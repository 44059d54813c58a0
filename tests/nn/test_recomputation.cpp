// SPDX-License-Identifier: Apache-2.0
// Checkpointing: less memory by the allocator's account, the same gradients; and what goes wrong.

#include <QtTest>
#include <atomic>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/dispatch/functions.h"
#include "core/nn/layer.h"
#include "core/nn/utils/checkpoint.h"
#include "core/ops/random/generator.h"
#include "core/tensor/allocation_observers.h"

using namespace loupe;

namespace {

// What the allocator has given and not got back.
class Account final : public AllocationObserver {
  public:
    void on_allocation(const AllocationEvent& event) noexcept override {
        const auto bytes = static_cast<std::int64_t>(event.bytes);
        live += event.is_free ? -bytes : bytes;
        if (live > peak) peak = live.load();
    }
    std::atomic<std::int64_t> live = 0;
    std::atomic<std::int64_t> peak = 0;

  private:
    AllocationObserverScope observing_{*this};
};

constexpr std::int64_t kRows = 256, kWidth = 128, kBlocks = 12;
constexpr std::int64_t kActivation = kRows * kWidth * 4;

std::vector<nn::ModulePtr> blocks() {
    seed_generators(3);
    std::vector<nn::ModulePtr> out;
    for (int i = 0; i < kBlocks; ++i) {
        const nn::ModulePtr block = nn::make_layer(
            "Sequential", {Ptr<Object>(nn::make_layer("Linear", {kWidth, kWidth})),
                           Ptr<Object>(nn::make_layer("Dropout", {0.25})), Ptr<Object>(nn::make_layer("Tanh"))});
        out.push_back(block);
    }
    return out;
}
Tensor input() {
    const Tensor x = fn::rand_like(zeros(std::array{kRows, kWidth}));
    set_requires_grad(x, true);
    return x;
}

nn::CheckpointedFunction called(const nn::ModulePtr& module) {
    return [module](CallArguments arguments) { return module->invoke(std::move(arguments)); };
}
Tensor through(const std::vector<nn::ModulePtr>& all, const Tensor& x, bool checkpointed, bool reentrant = false) {
    IValue value = x;
    for (const nn::ModulePtr& block : all) {
        value = checkpointed ? nn::checkpoint(called(block), {{value}, {}}, {.use_reentrant = reentrant})
                             : block->call({value});
    }
    return value.to_tensor();
}

struct Outcome {
    std::int64_t kept, peak;
    TensorList gradients;
};
Outcome run(const std::function<Tensor(const std::vector<nn::ModulePtr>&, const Tensor&)>& forward) {
    const auto all = blocks();
    const Tensor x = input();
    seed_generators(11);
    Account account;
    Tensor y = fn::sum(forward(all, x), IValue());
    Outcome out{account.live, 0, {}};
    account.peak = account.live.load();
    backward({y});
    out.peak = account.peak;
    out.gradients.push_back(grad_of(x));
    for (const nn::ModulePtr& block : all) {
        for (const auto& [name, parameter] : block->named_parameters()) out.gradients.push_back(grad_of(parameter));
    }
    return out;
}

bool equal(const TensorList& a, const TensorList& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!fn::is_nonzero(fn::all(fn::eq(a[i], b[i])))) return false;
    }
    return true;
}

std::string refusal(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.message();
    }
    return "no error";
}

}  // namespace

class TestRecomputation : public QObject {
    Q_OBJECT
  private slots:
    void keeps_less() {
        const Outcome plain = run([](const auto& all, const Tensor& x) { return through(all, x, false); });
        QVERIFY(plain.kept >= 2 * kBlocks * kActivation);
        for (const bool reentrant : {false, true}) {
            const Outcome each =
                run([=](const auto& all, const Tensor& x) { return through(all, x, true, reentrant); });
            // The input of each block and no more; nodes and small change besides.
            QVERIFY2(each.kept <= (kBlocks + 1) * kActivation, QByteArray::number(qlonglong(each.kept / kActivation)));
            QVERIFY(each.peak < plain.peak);
            QVERIFY(equal(each.gradients, plain.gradients));
        }
        const Outcome nested = run([](const auto& all, const Tensor& x) {
            const auto half = [&](std::size_t first) {
                const std::vector<nn::ModulePtr> part(all.begin() + static_cast<std::ptrdiff_t>(first),
                                                      all.begin() + static_cast<std::ptrdiff_t>(first + kBlocks / 2));
                return [part](CallArguments in) { return IValue(through(part, in.positional[0].to_tensor(), true)); };
            };
            const IValue middle = nn::checkpoint(half(0), {{x}, {}});
            return nn::checkpoint(half(kBlocks / 2), {{middle}, {}}).to_tensor();
        });
        // The forward of the outer ones keeps nothing of the inner ones' inputs.
        QVERIFY2(nested.kept <= 3 * kActivation, QByteArray::number(qlonglong(nested.kept / kActivation)));
        QVERIFY(equal(nested.gradients, plain.gradients));
        const Outcome sequential = run([](const auto& all, const Tensor& x) {
            std::vector<nn::CheckpointedFunction> functions;
            for (const nn::ModulePtr& block : all) functions.push_back(called(block));
            return nn::checkpoint_sequential(functions, 4, x).to_tensor();
        });
        QVERIFY(sequential.kept < plain.kept / 2);
        QVERIFY(equal(sequential.gradients, plain.gradients));
    }
    void memory_comes_back() {
        const Tensor x = input();
        const auto all = blocks();
        Account account;
        {
            Tensor y = fn::sum(through(all, x, true), IValue());
            backward({y});
            set_grad(x, Tensor());
            for (const nn::ModulePtr& block : all) block->zero_grad();
        }
        QCOMPARE(account.live.load(), std::int64_t{0});
    }
    void saved_tensors_go_through_the_newest_hook() {
        const Tensor x = input();
        int outer = 0, inner = 0;
        const auto counting = [](int& count) {
            return [&count](const Tensor& t) -> Ptr<PackedTensor> {
                ++count;
                return nn::save_on_cpu()(t);
            };
        };
        Tensor y;
        {
            const SavedTensorHooks first(counting(outer));
            y = fn::exp(x);
            const SavedTensorHooks second(counting(inner));
            y = fn::sum(fn::mul(y, y), IValue());
        }
        const Tensor z = fn::sum(fn::exp(x), IValue());
        QCOMPARE(outer, 1);
        QCOMPARE(inner, 2);
        backward({y});
        const Tensor expected = fn::mul_scalar(fn::exp(fn::mul_scalar(detach(x), Scalar(2))), Scalar(2));
        QVERIFY(
            fn::is_nonzero(fn::all(fn::lt_scalar(fn::abs(fn::sub(grad_of(x), expected, Scalar(1))), Scalar(1e-4)))));
    }
    void second_runs_that_differ_are_refused() {
        const Tensor x = input();
        int runs = 0;
        const Tensor y = nn::checkpoint(
                             [&](CallArguments in) {
                                 const Tensor once = fn::exp(in.positional[0].to_tensor());
                                 return IValue(++runs == 1 ? once : fn::exp(once));
                             },
                             {{x}, {}})
                             .to_tensor();
        const std::string message = refusal([&] { backward({fn::sum(y, IValue())}); });
        QVERIFY2(message.starts_with("torch.utils.checkpoint: A different number of tensors was saved"),
                 message.c_str());
    }
    void an_error_in_the_second_run_leaves_the_surroundings() {
        const Tensor x = input();
        int runs = 0;
        const Tensor y = nn::checkpoint(
                             [&](CallArguments in) -> IValue {
                                 if (++runs == 2) throw Error(ErrorKind::Run, "second");
                                 return fn::exp(in.positional[0].to_tensor());
                             },
                             {{x}, {}})
                             .to_tensor();
        const auto state = random_state();
        QCOMPARE(refusal([&] { backward({fn::sum(y, IValue())}); }), std::string("second"));
        QVERIFY(random_state().cpu.words == state.cpu.words);
        QVERIFY(GradMode::is_enabled());
        // No hook stays behind.
        Account account;
        const Tensor kept = fn::exp(x);
        QVERIFY(account.live >= kActivation);
    }
};

QTEST_APPLESS_MAIN(TestRecomputation)
#include "test_recomputation.moc"
