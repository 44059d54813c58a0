// SPDX-License-Identifier: Apache-2.0
// Each backend is the reference: every operator that has samples is called in every dtype and layout without plugins,
// then with oneDNN's kernels, and gives the same, by PyTorch's own tolerances.

#include <QtTest>
#include <map>
#include <set>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/ops/nn/common.h"
#include "core/ops/random/random.h"
#include "core/plugin/plugin_loader.h"
#include "tests/conformance/tolerance.h"
#include "tests/ops/sweep.h"

using namespace loupe;
using namespace loupe::sweep;

namespace {

constexpr ScalarType kDtypes[] = {ScalarType::Float32,  ScalarType::Float64, ScalarType::Float16,
                                  ScalarType::BFloat16, ScalarType::Int64,   ScalarType::Complex64};

// Taken only when there is much to do: their samples are called once more with the first dimension this many times as
// long.
struct Grown {
    std::string_view name;
    std::int64_t times;
};
constexpr Grown kGrown[] = {{"aten::sigmoid", 4000},
                            {"aten::tanh", 4000},
                            {"aten::gelu", 4000},
                            {"aten::gelu_backward", 4000},
                            {"aten::_softmax", 1000},
                            {"aten::_log_softmax", 1000},
                            {"aten::avg_pool2d", 600},
                            {"aten::avg_pool3d", 600},
                            {"aten::_adaptive_avg_pool2d", 600},
                            {"aten::_adaptive_avg_pool3d", 600},
                            {"aten::max_pool2d_with_indices", 600},
                            {"aten::max_pool3d_with_indices", 600},
                            {"aten::native_layer_norm", 3000}};
// Their elements would be memory that nobody wrote.
constexpr std::string_view kUnwritten[] = {"aten::as_strided", "aten::as_strided_"};

constexpr double kGradientsWider = 10;  // longer sums, as in the conformance cases

Tensor plain(const Tensor& t) { return fn::contiguous(fn::clone(t), 0); }

Tensor channels_last(const Tensor& t) {
    if (t.dim() != 4 && t.dim() != 5) return plain(t);
    const Tensor out = empty_strided(t.sizes(), span_of(nn_ops::channels_last_strides(t.sizes())), t.dtype());
    copy_strided(out, t);
    return out;
}

struct Layout {
    std::string_view name;
    Tensor (*of)(const Tensor&);
};
constexpr Layout kLayouts[] = {
    {"contiguous", plain}, {"strided", spaced_out}, {"transposed", turned}, {"channels last", channels_last}};

// Every tensor as long as the first argument is repeated along that dimension.
std::vector<IValue> grown(const std::vector<IValue>& arguments, std::int64_t times) {
    const Tensor first = arguments[0].to_tensor();
    return changed(arguments, [&](const Tensor& t) {
        if (first.dim() == 0 || t.dim() != first.dim() || t.sizes()[0] != first.sizes()[0]) return t;
        Dims repeats(static_cast<std::size_t>(t.dim()), 1);
        repeats[0] = times;
        return fn::repeat(t, repeats);
    });
}

// The results, and the gradients of the floating point arguments for cotangents that are the same for all backends:
// made of the results, a rounding of these would count.
struct Outcome {
    TensorList tensors;
    std::string refusal;
};
template <typename Make>
Outcome outcome_of(Make&& make) {
    try {
        return {make(), {}};
    } catch (const Error& error) {
        return {{}, error.message()};
    }
}
Outcome answer_of(const Operator& op, const std::vector<IValue>& arguments) {
    const GradModeScope no_grad(false);
    return outcome_of([&] { return tensors_in(call(op, arguments)); });
}
Outcome gradients_for(const Operator& op, const std::vector<IValue>& arguments) {
    return outcome_of([&]() -> TensorList {
        TensorList leaves, roots, cotangents;
        Random random;
        for (const Tensor& t : tensors_in(arguments)) {
            if (!t.defined() || !is_differentiable(t.dtype())) continue;
            leaves.push_back(t);
            set_requires_grad(t, true);
        }
        for (const Tensor& t : tensors_in(call(op, arguments))) {
            if (!t.defined() || !requires_grad(t)) continue;
            roots.push_back(t);
            cotangents.push_back(random_tensor(random, t.sizes(), t.dtype()));
        }
        return roots.empty() ? TensorList() : gradients_of(roots, leaves, cotangents, {}, true);
    });
}

// A call, by the sample and the layout that it is made from, and the answer without plugins.
struct ReferenceCall {
    std::string what;
    std::vector<IValue> sample;
    const Layout* layout = nullptr;
    Outcome answer;
    Outcome gradients;

    // Anew each time: some are written.
    std::vector<IValue> arguments() const { return changed(sample, layout->of); }
};

class Recorder {
  public:
    Recorder(const Operator& op, std::vector<ReferenceCall>& calls) : op_(op), calls_(calls) {}

    void add_samples(ScalarType dtype) {
        Random random;
        try {
            for (const Sample& sample : op_.record->samples(random, dtype)) add_sample(sample, dtype);
        } catch (const Error&) {
            return;  // no samples in this dtype
        }
    }

  private:
    const Operator& op_;
    std::vector<ReferenceCall>& calls_;

    void add_sample(const Sample& sample, ScalarType dtype) {
        const std::string what = concat(dtype_name(dtype), sample.name.empty() ? "" : " ", sample.name);
        for (const Layout& layout : kLayouts) add(concat(what, ", ", layout.name), sample.arguments, layout);
        for (const EmptyCall& empty_call : emptied(sample.arguments))
            add(concat(what, ", 0 for ", empty_call.size), empty_call.arguments, kLayouts[0]);
        if (dtype != ScalarType::Float32) return;
        for (const Grown& entry : kGrown) {
            if (entry.name != op_.full_name) continue;
            const std::vector<IValue> larger = grown(sample.arguments, entry.times);
            for (const Layout& layout : kLayouts) add(concat(what, ", grown, ", layout.name), larger, layout);
        }
    }
    void add(std::string what, const std::vector<IValue>& arguments, const Layout& layout) {
        ReferenceCall call{std::move(what), arguments, &layout, {}, {}};
        call.answer = answer_of(op_, call.arguments());
        call.gradients = gradients_for(op_, call.arguments());
        calls_.push_back(std::move(call));
    }
};

// wider: how many times PyTorch's tolerance.
std::string difference_of(const Outcome& actual, const Outcome& expected, double wider) {
    if (actual.refusal != expected.refusal) return concat(actual.refusal, " <> ", expected.refusal);
    if (actual.tensors.size() != expected.tensors.size()) return "another number of results";
    for (std::size_t i = 0; i < actual.tensors.size(); ++i) {
        const Tensor& want = expected.tensors[i];
        const conformance::Tolerance tolerance =
            want.defined() ? conformance::tolerance_of(want.dtype()) : conformance::Tolerance();
        const std::string found = difference(actual.tensors[i], want, tolerance.rtol * wider, tolerance.atol * wider);
        if (!found.empty()) return concat(i, ": ", found);
    }
    return {};
}

bool has_backend(const Operator& op) {
    const auto& candidates = op.kernels->candidates[static_cast<std::size_t>(DeviceType::Cpu)];
    return std::any_of(candidates.begin(), candidates.end(),
                       [](const KernelCandidate& c) { return c.backend == "onednn"; });
}

// Which operators oneDNN ran.
class KernelWatcher : public ExecutionObserver {
  public:
    std::set<std::string> taken;

    void on_kernel(const KernelChoice& choice) override {
        if (choice.backend == "onednn") taken.emplace(choice.op);
    }
};

}  // namespace

class TestBackends : public QObject {
    Q_OBJECT

  private slots:
    // The references, while there is no plugin.
    void initTestCase() {
        set_thread_count(1);  // what a backend accepts depends on it
        for (const Operator* op : all_operators()) {
            if (op->variant != OperatorVariant::Functional || op->record->samples == nullptr || op->record->is_random)
                continue;
            if (std::find(std::begin(kUnwritten), std::end(kUnwritten), op->full_name) != std::end(kUnwritten))
                continue;
            Recorder recorder(*op, calls_[op->full_name]);
            for (const ScalarType dtype : kDtypes) recorder.add_samples(dtype);
        }
        const auto plugins = load_plugins_from(LOUPE_BINARY_DIR "/lib/plugins");
        QVERIFY(std::any_of(plugins.begin(), plugins.end(),
                            [](const PluginStatus& s) { return s.name == "onednn" && s.loaded; }));
    }

    void equal_data() { list_operators(); }
    void equal() {
        QFETCH(QString, name);
        const Operator& op = *find_operator(name.toStdString());
        const ObserverScope watched(&kernels_);
        for (const ReferenceCall& one : calls_[op.full_name]) {
            const std::string found = difference_of(answer_of(op, one.arguments()), one.answer, 1);
            QVERIFY2(found.empty(), concat(one.what, ": result ", found).c_str());
            const std::string of_gradients =
                difference_of(gradients_for(op, one.arguments()), one.gradients, kGradientsWider);
            QVERIFY2(of_gradients.empty(), concat(one.what, ": gradient ", of_gradients).c_str());
        }
    }

    // Behind all: which kernels have run.
    void coverage() {
        std::vector<std::string> missing;
        for (const Operator* op : all_operators()) {
            if (op->variant == OperatorVariant::Functional && has_backend(*op) &&
                kernels_.taken.count(op->full_name) == 0)
                missing.push_back(op->full_name);
        }
        for (const std::string& name : missing) qWarning("no sample of %s is taken by oneDNN", name.c_str());
        // Sequences of equal length, and many: test_onednn has them.
        QCOMPARE(missing, std::vector<std::string>{"loupe::rnn_layer"});
    }

  private:
    std::map<std::string, std::vector<ReferenceCall>> calls_;
    KernelWatcher kernels_;
};

QTEST_GUILESS_MAIN(TestBackends)
#include "test_backends.moc"
