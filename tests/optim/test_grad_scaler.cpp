// SPDX-License-Identifier: Apache-2.0
// The algorithm of torch.cuda.amp.GradScaler, on the CPU, where PyTorch's own is switched off: what its documentation
// and its source say, step by step.

#include <QtTest>
#include <cmath>
#include <limits>

#include "core/autograd/engine.h"
#include "core/autograd/variable.h"
#include "core/base/typed_error.h"
#include "core/dispatch/functions.h"
#include "core/optim/grad_scaler.h"

using namespace loupe;
using optim::GradScaler;

namespace {

Tensor leaf(float value) {
    const Tensor t = empty(std::array<std::int64_t, 1>{1}, ScalarType::Float32);
    *t.data<float>() = value;
    return make_parameter(t);
}
Ptr<optim::Optimizer> sgd(const Tensor& w) { return optim::make_optimizer("SGD", {TensorList{w}}, {{"lr", 1.0}}); }
float value(const Tensor& t) { return *t.data<float>(); }

// One iteration on the loss w * slope.
void iterate(GradScaler& scaler, optim::Optimizer& optimizer, const Tensor& w, double slope) {
    optimizer.zero_grad(true);
    backward({scaler.scale(fn::mul_scalar(w, Scalar(slope))).to_tensor()});
    scaler.step(optimizer);
    scaler.update();
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

class TestGradScaler : public QObject {
    Q_OBJECT
  private slots:
    void steps_by_unscaled_gradients() {
        const Tensor w = leaf(5);
        const auto optimizer = sgd(w);
        GradScaler scaler({.init_scale = 1024});
        iterate(scaler, *optimizer, w, 0.5);
        QCOMPARE(value(w), 4.5F);
        QCOMPARE(scaler.current_scale(), 1024.0);
        QCOMPARE(scaler.growth_tracker(), std::int64_t{1});
    }
    void grows_after_the_interval_and_falls_at_infinities() {
        const Tensor w = leaf(1);
        const auto optimizer = sgd(w);
        GradScaler scaler({.init_scale = 8, .growth_factor = 4, .backoff_factor = 0.25, .growth_interval = 2});
        iterate(scaler, *optimizer, w, 0.125);
        QCOMPARE(scaler.current_scale(), 8.0);
        iterate(scaler, *optimizer, w, 0.125);
        QCOMPARE(scaler.current_scale(), 32.0);
        QCOMPARE(scaler.growth_tracker(), std::int64_t{0});
        iterate(scaler, *optimizer, w, 0.125);
        const float before = value(w);
        for (const double bad : {std::numeric_limits<double>::infinity(), std::nan("")})
            iterate(scaler, *optimizer, w, bad);
        QCOMPARE(value(w), before);
        QCOMPARE(scaler.current_scale(), 2.0);
        QCOMPARE(scaler.growth_tracker(), std::int64_t{0});
    }
    void a_scale_that_would_overflow_stays() {
        const Tensor w = leaf(0);
        const auto optimizer = sgd(w);
        GradScaler scaler({.init_scale = 3e38, .growth_interval = 1});
        iterate(scaler, *optimizer, w, 1e-38);
        QCOMPARE(scaler.current_scale(), 3e38);
    }
    void gradients_can_be_unscaled_before() {
        const Tensor w = leaf(1);
        const auto optimizer = sgd(w);
        GradScaler scaler({.init_scale = 16});
        backward({scaler.scale(fn::mul_scalar(w, Scalar(0.5))).to_tensor()});
        QCOMPARE(value(grad_of(w)), 8.0F);
        scaler.unscale_(*optimizer);
        QCOMPARE(value(grad_of(w)), 0.5F);
        QCOMPARE(refusal([&] { scaler.unscale_(*optimizer); }),
                 std::string("unscale_() has already been called on this optimizer since the last update()."));
        scaler.step(*optimizer);
        QCOMPARE(value(w), 0.5F);
        QCOMPARE(refusal([&] { scaler.step(*optimizer); }),
                 std::string("step() has already been called since the last update()."));
        QCOMPARE(refusal([&] { scaler.unscale_(*optimizer); }),
                 std::string("unscale_() is being called after step()."));
        scaler.update(4.0);
        QCOMPARE(scaler.current_scale(), 4.0);
    }
    void each_optimiser_for_itself() {
        const Tensor a = leaf(1), b = leaf(1);
        const auto first = sgd(a), second = sgd(b);
        GradScaler scaler({.init_scale = 2});
        const Tensor loss = fn::add(fn::mul_scalar(a, Scalar(0.5)),
                                    fn::mul_scalar(b, Scalar(std::numeric_limits<double>::infinity())), Scalar(1));
        backward({scaler.scale(loss).to_tensor()});
        scaler.step(*first);
        scaler.step(*second);
        scaler.update();
        QCOMPARE(value(a), 0.5F);
        QCOMPARE(value(b), 1.0F);
        QCOMPARE(scaler.current_scale(), 1.0);
    }
    void refuses() {
        QCOMPARE(refusal([] { GradScaler({.growth_factor = 1}); }), std::string("The growth factor must be > 1.0."));
        QCOMPARE(refusal([] { GradScaler({.backoff_factor = 1}); }), std::string("The backoff factor must be < 1.0."));
        const Tensor w = leaf(1);
        const auto optimizer = sgd(w);
        GradScaler scaler;
        QVERIFY(
            refusal([&] { scaler.update(); }).starts_with("Attempted update but _scale is None.  This may indicate"));
        scaler.scale(w);
        QCOMPARE(refusal([&] { scaler.step(*optimizer); }),
                 std::string("No inf checks were recorded for this optimizer."));
        QCOMPARE(refusal([&] { GradScaler().scale(IValue(1.0)); }),
                 std::string("outputs must be a Tensor or an iterable of Tensors"));
    }
    void switched_off_it_hands_on() {
        const Tensor w = leaf(1);
        const auto optimizer = sgd(w);
        GradScaler scaler({.enabled = false});
        QVERIFY(scaler.scale(w).to_tensor().is_same(w));
        set_grad(w, fn::ones_like(detach(w)));
        scaler.step(*optimizer);
        scaler.update();
        QCOMPARE(value(w), 0.0F);
        QCOMPARE(scaler.current_scale(), 1.0);
        QCOMPARE(scaler.state_dict().to_dict().size(), std::size_t{0});
    }
    void state() {
        GradScaler scaler({.init_scale = 32, .growth_interval = 7}), other;
        const Tensor w = leaf(1);
        const auto optimizer = sgd(w);
        iterate(scaler, *optimizer, w, 0.5);
        other.load_state_dict(scaler.state_dict());
        QCOMPARE(other.current_scale(), 32.0);
        QCOMPARE(other.growth_tracker(), std::int64_t{1});
        QCOMPARE(other.options().growth_interval, std::int64_t{7});
        const IValue empty_state = GradScaler({.enabled = false}).state_dict();
        QVERIFY(refusal([&] { other.load_state_dict(empty_state); }).starts_with("The source state dict is empty"));
    }
};

QTEST_APPLESS_MAIN(TestGradScaler)
#include "test_grad_scaler.moc"
