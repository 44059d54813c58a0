// SPDX-License-Identifier: Apache-2.0
// A device whose memory the host may not touch: every operator that has samples gives there what it gives on the CPU,
// results and gradients, and leaves them there.

#include <QtTest>
#include <set>

#include "core/autograd/observer.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/fallback_observer.h"
#include "core/dispatch/functions.h"
#include "core/ops/random/random.h"
#include "core/ops/samples.h"
#include "core/plugin/plugin_loader.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/device_interface.h"
#include "tests/ops/device_comparison.h"
#include "tests/ops/sweep.h"

using namespace loupe;
using namespace loupe::sweep;

namespace {

constexpr Device kTest{DeviceType::PrivateUse1, 0};
constexpr Device kOther{DeviceType::PrivateUse1, 1};

constexpr ScalarType kDtypes[] = {ScalarType::Float32, ScalarType::Float64, ScalarType::BFloat16, ScalarType::Int64,
                                  ScalarType::Complex64};

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

    void loopsOfItsOwnCopyNothing() {
        // What is not among them may run on the host; these must not.
        class Counter : public FallbackObserver {
          public:
            int count = 0;
            void on_fallback(const FallbackCost&) override { ++count; }
        } counter;
        const Tensor a = random_on(kOther, {4, 6}), b = random_on(kOther, {4, 6});
        const Tensor whole = fn::to_dtype(a, number_of(ScalarType::Int64));
        const Tensor natural = fn::to_dtype(whole, number_of(ScalarType::UInt64));
        set_fallback_observer(&counter);
        const TensorList results{fn::sub(a, b, Scalar(2)),
                                 fn::sigmoid(a),
                                 fn::tanh(fn::t(a)),
                                 fn::gelu(a, "none"),
                                 fn::mul(a, whole),
                                 fn::lt(a, b),
                                 fn::clone(fn::t(a)),
                                 fn::where(fn::lt(a, b), a, b),
                                 fn::sum(a),
                                 fn::amax(a, Dims{1}, false),
                                 fn::sum_dim(whole, Dims{0}, false)};
        const int copied = counter.count;
        fn::sqrt(natural);  // which it has not
        set_fallback_observer(nullptr);
        QCOMPARE(copied, 0);
        QCOMPARE(counter.count, 1);
        for (const Tensor& t : results) QVERIFY(t.device() == kOther);
    }

    void operators_data() { list_operators(); }
    // On test:0 through the fallback, on test:1 by loops of its own where it has them.
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
                const std::string found = difference_on(kTest, op, sample);
                QVERIFY2(found.empty(), concat(dtype_name(dtype), " ", sample.name, ": ", found).c_str());
                if (op.record->is_random) continue;  // test:1 has a generator of its own
                // What cancels to nothing (the gradient of a key's bias) is rounding alone, here as on the CPU.
                const std::string there = difference_on(kOther, op, sample, true);
                QVERIFY2(there.empty(), concat(dtype_name(dtype), " ", sample.name, " by loops: ", there).c_str());
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestTestDevice)
#include "test_test_device.moc"
