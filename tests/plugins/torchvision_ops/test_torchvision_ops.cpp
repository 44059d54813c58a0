// SPDX-License-Identifier: Apache-2.0
// torchvision's operators against torchvision (tests/ops/cases_torchvision.py), and against differences in float64.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/ops/random/random.h"
#include "core/ops/samples.h"
#include "core/plugin/plugin_loader.h"
#include "tests/ops/cases.h"

using namespace loupe;

namespace {

std::vector<IValue> call_with(const Operator& op, const std::vector<IValue>& arguments) {
    std::vector<IValue> results(op.result_count());
    call_operator(op, arguments, results.data());
    return results;
}

std::vector<double> numbers_of(const Tensor& t) {
    const GradModeScope no_grad(false);
    const Tensor wide = fn::contiguous(fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Float64)), 0);
    return {wide.data<double>(), wide.data<double>() + wide.numel()};
}

std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.message();
    }
    return "no error";
}

}  // namespace

class TestTorchvisionOps : public OperatorCases {
    Q_OBJECT

  public:
    TestTorchvisionOps() : OperatorCases("torchvision") {
        for (const PluginStatus& status : load_plugins_from(LOUPE_BINARY_DIR "/lib/plugins")) {
            if (status.name == "torchvision_ops") loaded_ = status.loaded;
        }
    }

  private slots:
    void initTestCase() { QVERIFY(loaded_); }

    void metadata_data() { list_operators(); }
    void metadata();
    void derivatives_data() { list_operators(); }
    void derivatives();
    void threadsAgree_data() { list_operators(); }
    void threadsAgree();
    void refusesDoubleBackward();
    void deformConvRefusesDoubleBackward();
    void survivesHugeRegions();

  private:
    bool loaded_ = false;

    // Those with samples.
    static void list_operators() {
        QTest::addColumn<QString>("name");
        for (const Operator* op : all_operators()) {
            if (op->family == "torchvision" && op->record->samples != nullptr)
                QTest::newRow(op->full_name.c_str()) << QString::fromStdString(op->full_name);
        }
    }
    template <typename Check>
    static void each_sample(ScalarType dtype, Check&& check) {
        QFETCH(QString, name);
        const Operator& op = *find_operator(name.toStdString());
        Random random;
        const auto samples = op.record->samples(random, dtype);
        QVERIFY(!samples.empty());
        for (const Sample& sample : samples) check(op, sample);
    }
};

void TestTorchvisionOps::metadata() {
    each_sample(ScalarType::Float32, [](const Operator& op, const Sample& sample) {
        const auto inferred = infer_outputs(op, sample.arguments);
        if (!inferred) return;  // nms: how many there are is known only then
        const auto results = call_with(op, sample.arguments);
        QCOMPARE(inferred->size(), results.size());
        for (std::size_t i = 0; i < results.size(); ++i) {
            QCOMPARE(describe(meta_tensor((*inferred)[i])), describe(results[i].to_tensor()));
        }
        QVERIFY(operator_cost(op, sample.arguments, results).bytes > 0);
    });
}

// The directional derivative of each floating argument but the regions.
void TestTorchvisionOps::derivatives() {
    each_sample(ScalarType::Float64, [](const Operator& op, const Sample& sample) {
        if (!op.record->derivative || op.schema.arguments[0].name == "grad") return;
        Random random(3);
        const std::vector<IValue> results = call_with(op, sample.arguments);
        const Tensor cotangent = random_tensor(random, results[0].to_tensor().sizes(), ScalarType::Float64);
        for (std::size_t i = 0; i < sample.arguments.size(); ++i) {
            if (!sample.arguments[i].is_tensor() || op.schema.arguments[i].name == "rois") continue;
            const Tensor at = sample.arguments[i].to_tensor();
            const Tensor along = random_tensor(random, at.sizes(), ScalarType::Float64);
            const auto value_at = [&](double step) {
                std::vector<IValue> arguments = sample.arguments;
                arguments[i] = fn::add(at, along, Scalar(step));
                const auto out = numbers_of(call_with(op, arguments)[0].to_tensor());
                const auto weights = numbers_of(cotangent);
                return std::inner_product(out.begin(), out.end(), weights.begin(), 0.0);
            };
            std::vector<IValue> arguments = sample.arguments;
            const Tensor leaf = fn::clone(at);
            set_requires_grad(leaf, true);
            arguments[i] = leaf;
            const auto gradient =
                numbers_of(gradients_of({call_with(op, arguments)[0].to_tensor()}, {leaf}, {cotangent})[0]);
            const auto direction = numbers_of(along);
            const double analytic = std::inner_product(gradient.begin(), gradient.end(), direction.begin(), 0.0);
            const double numeric = (value_at(1e-6) - value_at(-1e-6)) / 2e-6;
            // torchvision leaves the last row and column out of ps_roi_pool's forward pass alone.
            if (op.schema.name == "torchvision::ps_roi_pool") continue;
            QVERIFY2(std::abs(analytic - numeric) <= 1e-6 * (1 + std::abs(numeric)),
                     concat(op.schema.arguments[i].name, ": ", analytic, ", by differences ", numeric).c_str());
        }
    });
}

// Bit for bit the same, however many threads share the work.
void TestTorchvisionOps::threadsAgree() {
    each_sample(ScalarType::Float32, [](const Operator& op, const Sample& sample) {
        std::vector<std::vector<double>> seen;
        for (const int threads : {1, 2, 5}) {
            set_thread_count(threads);
            const auto results = call_with(op, sample.arguments);
            set_thread_count(0);
            seen.emplace_back();
            for (const IValue& result : results) {
                const auto numbers = numbers_of(result.to_tensor());
                seen.back().insert(seen.back().end(), numbers.begin(), numbers.end());
            }
        }
        QVERIFY(seen[0] == seen[1] && seen[0] == seen[2]);
    });
}

void TestTorchvisionOps::refusesDoubleBackward() {
    const Operator& op = *find_operator("torchvision::roi_align");
    const Tensor x = random_tensor(*std::make_unique<Random>(), {1, 1, 4, 4}, ScalarType::Float32);
    set_requires_grad(x, true);
    const Tensor rois = tensor_of<float>({0, 0, 0, 3, 3}, {1, 5});
    const Tensor y = call_with(op, {x, rois, 1.0, 2, 2, 2, true})[0].to_tensor();
    BackwardOptions options;
    options.create_graph = options.retain_graph = true;
    const TensorList first = gradients_of({fn::mul(y, y)}, {x}, {fn::ones_like(y)}, options);
    const std::string message = message_of([&] { gradients_of({first[0]}, {x}, {fn::ones_like(x)}); });
    QCOMPARE(message, std::string("double backwards on roi_align not supported"));
}

void TestTorchvisionOps::deformConvRefusesDoubleBackward() {
    Random random;
    const Operator& op = *find_operator("torchvision::deform_conv2d");
    Sample sample = op.record->samples(random, ScalarType::Float32).back();
    const Tensor x = sample.arguments[0].to_tensor();
    set_requires_grad(x, true);
    const Tensor y = call_with(op, sample.arguments)[0].to_tensor();
    BackwardOptions options;
    options.create_graph = options.retain_graph = true;
    const TensorList first = gradients_of({fn::mul(y, y)}, {x}, {fn::ones_like(y)}, options);
    const std::string message = message_of([&] { gradients_of({first[0]}, {x}, {fn::ones_like(x)}); });
    QCOMPARE(message, std::string("double backwards on deform_conv2d not supported"));
}

// Regions far larger than the image take no longer than the image is large, and no memory for their samples.
void TestTorchvisionOps::survivesHugeRegions() {
    const Tensor x = fn::ones_like(tensor_of<float>({1, 2, 3, 4}, {1, 1, 2, 2}));
    for (const float edge :
         {1e6F, 1e9F, 1e20F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
        const Tensor rois = tensor_of<float>({0, -edge, -edge, edge, edge}, {1, 5});
        for (const char* name : {"torchvision::roi_align", "torchvision::roi_pool"}) {
            std::vector<IValue> arguments{x, rois, 1.0, 2, 2};
            if (find_operator(name)->argument_count() == 7)
                arguments.insert(arguments.end(), {IValue(-1), IValue(true)});
            const auto results = call_with(*find_operator(name), arguments);
            QCOMPARE(results[0].to_tensor().numel(), 4);
        }
    }
}

QTEST_APPLESS_MAIN(TestTorchvisionOps)
#include "test_torchvision_ops.moc"
