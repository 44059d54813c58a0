// SPDX-License-Identifier: Apache-2.0
// A device whose memory the host may not touch: every operator that has samples gives there what it gives on the CPU,
// results and gradients, and leaves them there.

#include <QtTest>
#include <set>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/functions.h"
#include "core/ops/random/generator.h"
#include "core/ops/random/random.h"
#include "core/ops/samples.h"
#include "core/plugin/plugin_loader.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/device_interface.h"
#include "tests/ops/sweep.h"

using namespace loupe;
using namespace loupe::sweep;

namespace {

constexpr Device kTest{DeviceType::PrivateUse1, 0};
constexpr Device kOther{DeviceType::PrivateUse1, 1};

constexpr ScalarType kDtypes[] = {ScalarType::Float32, ScalarType::Float64, ScalarType::BFloat16, ScalarType::Int64,
                                  ScalarType::Complex64};

struct Outcome {
    TensorList tensors;
    TensorList gradients;
    std::string text;  // what is no tensor
    std::string refusal;
};

// The same arguments there, those that share memory apart: samples share none.
std::vector<IValue> on(Device device, const std::vector<IValue>& arguments) {
    std::vector<IValue> out = changed(arguments, [&](const Tensor& t) {
        const Tensor copy = on_device(fn::clone(t), device);
        return copy;
    });
    for (IValue& value : out) {
        if (value.is_device()) value = device;
    }
    return out;
}

Outcome run(const Operator& op, const std::vector<IValue>& arguments, bool with_gradients) {
    Outcome out;
    try {
        seed_generators(0);
        TensorList leaves;
        const GradModeScope grad(with_gradients);
        if (with_gradients) {
            for (const Tensor& t : tensors_in(arguments)) {
                if (!t.defined() || !is_differentiable(t.dtype())) continue;
                leaves.push_back(t);
                set_requires_grad(t, true);
            }
        }
        const std::vector<IValue> results = call(op, arguments);
        out.tensors = tensors_in(results);
        for (const IValue& value : results) {
            if (!value.is_tensor() && !value.is_list() && !value.is_device()) out.text += python_str(value) + " ";
        }
        if (!with_gradients) {
            // What was written.
            for (const Tensor& t : tensors_in(arguments)) out.tensors.push_back(t);
            return out;
        }
        TensorList roots, cotangents;
        for (const Tensor& t : out.tensors) {
            if (!t.defined() || !requires_grad(t)) continue;
            roots.push_back(t);
            cotangents.push_back(fn::add_scalar(detach(t), Scalar(0.5), Scalar(1)));
        }
        if (!roots.empty()) out.gradients = gradients_of(roots, leaves, cotangents, {}, true);
    } catch (const Error& error) {
        out.refusal = error.message();
    }
    return out;
}

std::string difference_of(const TensorList& actual, const TensorList& expected, Device device, const char* what) {
    if (actual.size() != expected.size()) return concat("another number of ", what, "s");
    for (std::size_t i = 0; i < actual.size(); ++i) {
        const Tensor& t = actual[i];
        if (t.defined() != expected[i].defined()) return concat(what, " ", i, ": one is undefined");
        if (!t.defined() || t.is_sparse()) continue;
        if (!(t.device() == device)) return concat(what, " ", i, " is on ", device_name(t.device()));
        if (!std::ranges::equal(t.strides(), expected[i].strides()) && t.numel() > 1)
            return concat(what, " ", i, " has strides ", shape_list_text(t.strides()), ", not ",
                          shape_list_text(expected[i].strides()));
        const std::string found =
            difference(on_host(detach(t)), detach(expected[i]), precision(expected[i].dtype()) * 4);
        if (!found.empty()) return concat(what, " ", i, ": ", found);
    }
    return {};
}

class KernelWatcher : public ExecutionObserver {
  public:
    std::set<std::string> fallbacks;
    std::set<std::string> own;

    void on_kernel(const KernelChoice& choice) override {
        if (choice.backend == "test") own.emplace(choice.op);
        if (choice.backend == "cpu fallback") fallbacks.emplace(choice.op);
    }
};

Tensor moved(const Tensor& t, Device device) {
    return fn::to_copy(t, IValue(), IValue(), device, IValue(), false, IValue());
}

Tensor random_on(Device device, std::initializer_list<std::int64_t> sizes) {
    Random random;
    return on_device(random_tensor(random, sizes, ScalarType::Float32), device);
}

}  // namespace

class TestTestDevice : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        const auto plugins = load_plugins_from(LOUPE_BINARY_DIR "/lib/test_plugins");
        QVERIFY(std::any_of(plugins.begin(), plugins.end(),
                            [](const PluginStatus& s) { return s.name == "test_device" && s.loaded; }));
    }

    void names() {
        QCOMPARE(device_name(kOther), std::string("test:1"));
        QVERIFY(parse_device("test") == kTest);
        QVERIFY(parse_device("test:1") == kOther);
        QVERIFY_THROWS_EXCEPTION(Error, parse_device("test:x"));
    }

    void theHostMayNotRead() {
        const Tensor t = zeros(std::array<std::int64_t, 1>{4}, ScalarType::Float32, kTest);
        QVERIFY(!t.is_host_memory());
        try {
            t.data<float>();
            QFAIL("the host read a device's memory");
        } catch (const Error& error) {
            QCOMPARE(error.message(),
                     std::string("the elements of a tensor on test:0 were read as if they were on the CPU"));
        }
        QCOMPARE(on_host(t).data<float>()[3], 0.0F);
    }

    void copies() {
        const Tensor here = random_on(Device{}, {4, 6});
        const Tensor there = moved(here, kTest);
        QVERIFY(there.device() == kTest);
        // Converted, turned and sliced on the way back.
        const Tensor turned = fn::transpose(there, 0, 1);
        QCOMPARE(difference(on_host(turned), fn::transpose(here, 0, 1), 0), std::string());
        const Tensor other = moved(turned, kOther);
        QVERIFY(other.device() == kOther);
        const Tensor target = zeros(std::array<std::int64_t, 2>{6, 9}, ScalarType::Float64, kTest);
        fn::copy_(fn::slice(target, 1, 0, 8, 2), other);
        QCOMPARE(difference(fn::slice(on_host(target), 1, 0, 8, 2),
                            fn::to_dtype(fn::transpose(here, 0, 1), number_of(ScalarType::Float64)), 0),
                 std::string());
        QCOMPARE(item(fn::sum(fn::slice(target, 1, 1, 9, 2))).to_double(), 0.0);
    }

    void tensorsOnTwoDevicesAreRefused() {
        const Tensor a = random_on(kTest, {2, 2});
        const auto refusal = [&](const Tensor& b) -> std::string {
            try {
                fn::add(a, b, Scalar(1));
            } catch (const Error& error) {
                return error.message();
            }
            return {};
        };
        QCOMPARE(refusal(random_on(Device{}, {2, 2})),
                 std::string("Expected all tensors to be on the same device, but found at least two devices, test:0 "
                             "and cpu!"));
        QCOMPARE(refusal(random_on(kOther, {2, 2})),
                 std::string("Expected all tensors to be on the same device, but found at least two devices, test:0 "
                             "and test:1!"));
        QCOMPARE(refusal(scalar_tensor(Scalar(2.0), ScalarType::Float32)), std::string());
    }

    void aViewSharesItsMemory() {
        const Tensor base = random_on(kTest, {3, 4});
        const Tensor row = fn::select(base, 0, 1);
        QVERIFY(row.storage() == base.storage());
        fn::zero_(row);
        QCOMPARE(item(fn::sum(fn::abs(row))).to_double(), 0.0);
        QVERIFY(item(fn::sum(fn::abs(base))).to_double() > 0);
        QCOMPARE(difference(on_host(fn::select(base, 0, 1)), on_host(row), 0), std::string());
    }

    void fallbacksAreSaid() {
        KernelWatcher watcher;
        const ObserverScope watched(&watcher);
        const Tensor a = random_on(kTest, {2, 2});
        fn::add(a, a, Scalar(1));
        fn::sum(a);
        QVERIFY(watcher.own.contains("aten::add.Tensor"));
        QVERIFY(watcher.fallbacks.contains("aten::sum"));
    }

    void operators_data() { list_operators(); }
    void operators() {
        QFETCH(QString, name);
        const Operator& op = *find_operator(name.toStdString());
        if (op.full_name.starts_with("aten::as_strided")) return;  // reads memory that nobody wrote
        for (const ScalarType dtype : kDtypes) {
            Random random;
            std::vector<Sample> samples;
            try {
                samples = op.record->samples(random, dtype);
            } catch (const Error&) {
                continue;  // no samples in this dtype
            }
            for (const Sample& sample : samples) {
                // Without tensors and without a device it makes them on the CPU.
                const std::vector<IValue> moved_arguments = on(kTest, sample.arguments);
                const bool is_given =
                    !tensors_in(sample.arguments).empty() || std::ranges::any_of(moved_arguments, &IValue::is_device);
                const Device device = is_given ? kTest : Device{};
                for (const bool with_gradients : {false, true}) {
                    const Outcome want = run(op, on(Device{}, sample.arguments), with_gradients);
                    const Outcome got = run(op, on(kTest, sample.arguments), with_gradients);
                    const std::string at = concat(dtype_name(dtype), " ", sample.name, ": ");
                    QVERIFY2(got.refusal == want.refusal, concat(at, got.refusal, " <> ", want.refusal).c_str());
                    QVERIFY2(got.text == want.text, concat(at, got.text, " <> ", want.text).c_str());
                    std::string found = difference_of(got.tensors, want.tensors, device, "result");
                    if (found.empty()) found = difference_of(got.gradients, want.gradients, device, "gradient");
                    QVERIFY2(found.empty(), (at + found).c_str());
                }
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestTestDevice)
#include "test_test_device.moc"
