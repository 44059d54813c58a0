// SPDX-License-Identifier: Apache-2.0
#include "core/study/measure_what_if.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/autograd/variable.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/autocast.h"
#include "core/dispatch/functions.h"
#include "core/model/inputs.h"
#include "core/nn/utils/checkpoint.h"
#include "core/ops/random/generator.h"
#include "core/record/operator_times.h"
#include "core/record/recorder.h"
#include "core/record/run_phases.h"
#include "core/runtime/interpreter/interpreter.h"
#include "core/study/kept_state.h"

namespace loupe::session {
namespace {

// While it lives the module's forward keeps nothing for backward.
class CheckpointedModule {
  public:
    CheckpointedModule(nn::ModulePtr module, bool is_script) : module_(std::move(module)), is_script_(is_script) {
        module_->set_method(nn::kAroundForward, around());
    }
    CheckpointedModule(const CheckpointedModule&) = delete;
    CheckpointedModule& operator=(const CheckpointedModule&) = delete;
    ~CheckpointedModule() { module_->set_method(nn::kAroundForward, nullptr); }

  private:
    // What is checkpointed is the module itself, with its hooks, this one left out.
    struct LeftOut {
        explicit LeftOut(nn::Module& left) : module(left), before(*left.method(nn::kAroundForward)) {
            module.set_method(nn::kAroundForward, nullptr);
        }
        LeftOut(const LeftOut&) = delete;
        LeftOut& operator=(const LeftOut&) = delete;
        ~LeftOut() { module.set_method(nn::kAroundForward, before); }
        nn::Module& module;
        nn::ForwardWithKeywords before;
    };

    nn::ForwardWithKeywords around() const {
        return [module = module_.get(), is_script = is_script_](nn::Module&, CallArguments given) {
            const auto run = [module, is_script](CallArguments arguments) {
                const std::optional<LeftOut> left_out = module->method(nn::kAroundForward) != nullptr
                                                            ? std::optional<LeftOut>(std::in_place, *module)
                                                            : std::nullopt;
                if (!is_script) return module->invoke(std::move(arguments));
                return runtime::run_method(Ptr<Object>(module), "forward", std::move(arguments.positional));
            };
            return nn::checkpoint(run, std::move(given));
        };
    }

    nn::ModulePtr module_;
    bool is_script_;
};

// The examples again and again, `factor` times as many, in every tensor that has as many rows as the first.
std::vector<IValue> with_batch(std::vector<IValue> arguments, double factor) {
    std::optional<std::int64_t> batch;
    for (IValue& value : arguments) {
        if (!value.is_tensor() || value.to_tensor().dim() == 0) continue;
        const Tensor t = value.to_tensor();
        if (!batch) batch = t.size(0);
        if (t.size(0) != *batch) continue;
        const double rows = static_cast<double>(*batch) * factor;
        if (!(rows >= 1) || rows != std::floor(rows) || rows > 1e9) {
            throw Error(ErrorKind::Usage, concat(*batch, " examples x", factor, " is no whole number of examples"));
        }
        const GradModeScope no_grad(false);
        std::vector<std::int64_t> order(static_cast<std::size_t>(rows));
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i) % *batch;
        const Tensor index = empty(std::array<std::int64_t, 1>{static_cast<std::int64_t>(rows)}, ScalarType::Int64);
        std::copy(order.begin(), order.end(), index.data<std::int64_t>());
        const Tensor repeated = fn::index_select(t, 0, index);
        if (requires_grad(t)) set_requires_grad(repeated, true);
        value = repeated;
    }
    if (!batch) throw Error(ErrorKind::Usage, "no argument has examples that could be repeated");
    return arguments;
}

class Measurer {
  public:
    Measurer(const std::shared_ptr<Program>& program, const MeasuredRun& run)
        : program_(program), run_(run), kept_(program->module()) {}

    std::shared_ptr<const Recording> run_once(const std::vector<WhatIf>& changes) {
        check_cancelled();
        double factor = 1;
        bool is_mixed = false;
        std::vector<std::unique_ptr<CheckpointedModule>> checkpointed;
        for (const WhatIf& change : changes) {
            if (change.kind == WhatIf::Kind::Batch) factor *= change.factor;
            if (change.kind == WhatIf::Kind::MixedPrecision) is_mixed = true;
            if (change.kind == WhatIf::Kind::Checkpoint) {
                const bool is_script =
                    !program_->is_eager() && program_->module().type()->find_method("forward") != nullptr;
                checkpointed.push_back(
                    std::make_unique<CheckpointedModule>(program_->module().submodule(change.module), is_script));
            }
            if (change.kind == WhatIf::Kind::Drop)
                throw Error(ErrorKind::Usage, "what a single operator saves is only reckoned with",
                            {.hint = "measure a checkpoint of its module"});
        }
        kept_.forget_gradients();
        seed_generators(run_.seed);
        std::vector<IValue> arguments = run_.arguments();
        if (factor != 1) arguments = with_batch(std::move(arguments), factor);
        Recorder recorder({.statistics = false, .values = false}, run_.method->build_graph(), nullptr, {});
        name_existing_tensors(recorder, program_->module(), arguments, run_.schema);
        {
            const ObserverScope observed(&recorder);
            run_mixed_phases(std::move(arguments), is_mixed);
        }
        recorder.finish();
        kept_.forget_gradients();
        return recorder.recording();
    }

  private:
    // As run_phases, the forward and the loss under autocast.
    void run_mixed_phases(std::vector<IValue> arguments, bool is_mixed) const {
        const GradModeScope grad(true);
        BackwardRoots roots;
        {
            const MemoryCategoryScope category(MemoryCategory::Activation);
            const AutocastScope precision(DeviceType::Cpu, is_mixed, ScalarType::BFloat16);
            roots = run_.forward(std::move(arguments));
        }
        const MemoryCategoryScope category(MemoryCategory::Gradient);
        run_backward(roots);
    }

    std::shared_ptr<Program> program_;
    const MeasuredRun& run_;
    KeptState kept_;
};

}  // namespace

MeasuredRun run_to_measure(const std::shared_ptr<Program>& program, const RunOptions& options) {
    MeasuredRun run;
    run.method = std::make_shared<PreparedMethod>(program, options.method, "none");
    run.schema = run.method->schema();
    run.arguments = [program, options] {
        std::vector<IValue> arguments = program->make_arguments(options.inputs, options.method);
        require_input_gradients(arguments);
        return arguments;
    };
    const auto source = std::make_shared<BackwardSource>(options.backward_from, *run.method, options.seed);
    source->repeat_targets();
    run.forward = [method = run.method, source](std::vector<IValue> arguments) {
        return source->roots(*method, method->forward(std::move(arguments)));
    };
    run.seed = options.seed;
    return run;
}

WhatIfMeasurement measure_what_if(const std::shared_ptr<Program>& program, const MeasuredRun& run,
                                  const std::vector<WhatIf>& changes) {
    constexpr int kWarmup = 2;
    constexpr std::size_t kFewest = 3;
    constexpr std::size_t kMost = 15;
    constexpr double kLong = 10;  // seconds
    Measurer measurer(program, run);
    using Clock = std::chrono::steady_clock;
    const auto began = Clock::now();
    const auto taken = [&] { return std::chrono::duration<double>(Clock::now() - began).count(); };
    // Both are set up (kernels chosen, weights laid out, memory from the system) before either is measured.
    std::shared_ptr<const Recording> before, after;
    for (int i = 0; i < kWarmup && (i == 0 || taken() < kLong / 4); ++i) {
        before = measurer.run_once({});
        after = measurer.run_once(changes);
    }
    // They take turns, so that what else the machine does meanwhile meets both.
    OperatorSamples of_before(*before), of_after(*after);
    while (of_after.count() < kFewest || (of_after.count() < kMost && taken() < kLong)) {
        of_before.add(*measurer.run_once({}));
        of_after.add(*measurer.run_once(changes));
    }
    return {.error = {},
            .peak_before = before->peak_bytes(),
            .peak = after->peak_bytes(),
            .seconds_before = of_before.times().seconds,
            .seconds = of_after.times().seconds};
}

}  // namespace loupe::session
