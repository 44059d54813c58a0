// SPDX-License-Identifier: Apache-2.0
#include "core/study/bisect_passes.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/formats/numpy/npy.h"
#include "core/model/inputs.h"
#include "core/model/pipelines.h"
#include "core/ops/random/generator.h"
#include "core/runtime/interpreter/interpreter.h"
#include "core/study/compare.h"

namespace loupe::session {
namespace {

// What a run writes to the module is taken back: the next one begins where this one began.
class ModuleStateScope {
  public:
    explicit ModuleStateScope(const nn::ModulePtr& module) {
        if (!module) return;
        for (const auto& [name, buffer] : module->named_buffers())
            buffers_.emplace_back(buffer, fn::clone(detach(buffer)));
        for (const auto& [path, child] : module->named_modules()) {
            for (const auto& [name, value] : child->attributes()) {
                if (value.is_int() || value.is_double() || value.is_bool()) plain_.push_back({child, name, value});
            }
        }
    }
    ModuleStateScope(const ModuleStateScope&) = delete;
    ModuleStateScope& operator=(const ModuleStateScope&) = delete;
    ~ModuleStateScope() {
        for (const auto& [buffer, saved] : buffers_) gradient_arithmetic().copy(buffer, saved);
        for (const Plain& attribute : plain_) attribute.module->set_attribute(attribute.name, attribute.value);
    }

  private:
    struct Plain {
        nn::ModulePtr module;
        std::string name;
        IValue value;
    };
    std::vector<std::pair<Tensor, Tensor>> buffers_;
    std::vector<Plain> plain_;
};

class Runner {
  public:
    Runner(const PassBisectOptions& options, const ir::Graph& graph, nn::ModulePtr module,
           const std::function<std::vector<IValue>()>& arguments)
        : seed_(options.seed), inputs_(graph.inputs().size()), module_(std::move(module)), arguments_(arguments) {}

    // Outputs, and with gradients those of a weighted sum of them. A gradient that does not arrive is undefined.
    NamedTensors run(const ir::Graph& graph, bool gradients) const {
        const ModuleStateScope state(module_);
        const auto generator = random_state();
        seed_generators(seed_);
        const GradModeScope grad(gradients);
        std::vector<IValue> arguments = arguments_();
        NamedTensors leaves;
        if (gradients) leaves = make_leaves(arguments);
        if (module_ && graph.inputs().size() == inputs_ && arguments.size() < inputs_)
            arguments.insert(arguments.begin(), IValue(Ptr<Object>(module_)));
        const auto code = runtime::Code::make(graph.copy(), "bisect");
        TensorList outputs;
        for (const IValue& result : runtime::run_code(*code, std::move(arguments))) {
            for (const Tensor& t : flatten_tensors(result)) outputs.push_back(t);
        }
        NamedTensors all;
        for (std::size_t i = 0; i < outputs.size(); ++i) all.emplace_back(concat("out", i), detach(outputs[i]));
        if (gradients) add_gradients(outputs, leaves, all);
        set_random_state(generator);
        return all;
    }

  private:
    NamedTensors make_leaves(std::vector<IValue>& arguments) const {
        NamedTensors leaves;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            if (!arguments[i].is_tensor() || !arguments[i].to_tensor().defined()) continue;
            const Tensor leaf = fn::clone(detach(arguments[i].to_tensor()));
            arguments[i] = leaf;
            if (!is_differentiable(leaf.dtype())) continue;
            set_requires_grad(leaf, true);
            leaves.emplace_back(concat("grad.arg", i), leaf);
        }
        if (!module_) return leaves;
        for (const auto& [name, parameter] : module_->named_parameters()) {
            if (requires_grad(parameter)) leaves.emplace_back(concat("grad.param.", name), parameter);
        }
        return leaves;
    }

    // Weighted, so that errors that cancel out are seen: normalisation makes the plain sum a constant.
    static void add_gradients(const TensorList& outputs, const NamedTensors& leaves, NamedTensors& all) {
        TensorList roots;
        TensorList weights;
        for (const Tensor& output : outputs) {
            if (!requires_grad(output)) continue;
            roots.push_back(output);
            weights.push_back(fn::cos(detach(output)));
        }
        TensorList inputs;
        for (const auto& [name, leaf] : leaves) inputs.push_back(leaf);
        if (roots.empty() || inputs.empty()) return;
        const TensorList found = gradients_of(roots, inputs, weights, {}, true);
        for (std::size_t i = 0; i < found.size(); ++i) all.emplace_back(leaves[i].first, found[i]);
    }

    std::uint64_t seed_;
    std::size_t inputs_;
    nn::ModulePtr module_;
    const std::function<std::vector<IValue>()>& arguments_;
};

double largest_of(const Tensor& t) {
    if (t.numel() == 0 || t.dtype() == ScalarType::Bool) return 1;
    const double largest =
        item(fn::amax(fn::abs(gradient_arithmetic().cast(detach(t), ScalarType::Float64)))).to_double();
    return std::isfinite(largest) ? largest : 0;
}

void note(PassBisectRun& run, const std::string& name, double max_abs, double max_rel) {
    if (!run.worst.empty() && !(max_abs > run.max_abs)) return;
    run.worst = name;
    run.max_abs = max_abs;
    run.max_rel = max_rel;
}

// One that differs beyond the tolerance goes before one that does not, an output before a gradient, however far apart.
void hold_against(const NamedTensors& actual, const NamedTensors& expected, const PassBisectOptions& options,
                  PassBisectRun& run) {
    if (actual.size() != expected.size()) {
        run.is_same = false;
        run.error = concat(actual.size(), " results and gradients, ", expected.size(), " before");
        return;
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto& [name, want] = expected[i];
        const Tensor& got = actual[i].second;
        if (!want.defined() && !got.defined()) continue;
        TensorDifference difference;
        if (want.defined() && got.defined())
            difference = compare_tensors(got, want, 0, 0);
        else
            difference = {false, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(),
                          got.defined() ? "arrives now" : "does not arrive any more"};
        if (!difference.why.empty()) run.error = concat(name, ": ", difference.why);
        const bool is_same =
            difference.why.empty() && difference.max_abs <= options.atol + options.rtol * largest_of(want);
        if (run.is_same && !is_same) run.worst.clear();
        if (!run.is_same && (is_same || (name.starts_with("grad.") && run.worst.starts_with("out")))) continue;
        run.is_same = is_same;
        if (difference.max_abs > 0) note(run, name, difference.max_abs, difference.max_rel);
    }
}

std::string in_numbers(const PassBisectRun& run) {
    char text[96];
    std::snprintf(text, sizeof text, "%s: max abs %.1e max rel %.1e", run.worst.c_str(), run.max_abs, run.max_rel);
    return text;
}

class Search {
  public:
    Search(const PassBisectOptions& options, const ir::Graph& graph, const nn::ModulePtr& module,
           const std::function<std::vector<IValue>()>& arguments,
           const std::function<void(PassBisectProgress)>& progress)
        : options_(options),
          graph_(graph),
          module_(module),
          runner_(options, graph, module, arguments),
          progress_(progress) {
        found_.pipeline = options.pipeline;
        const std::vector<IValue> example = arguments();
        run_passes(example);
    }

    PassBisect find() {
        if (!failure_.empty()) {
            name_pass(trace_.records.size() - 1);
            found_.verdict = failure_;
            return std::move(found_);
        }
        run_as_it_is();
        std::vector<std::size_t> changes;
        for (std::size_t i = 0; i < trace_.records.size(); ++i) {
            if (trace_.records[i].changed) changes.push_back(i);
        }
        low_ = changes.empty() ? 0 : changes.front();
        high_ = changes.empty() ? 0 : changes.back();
        runs_left_ = changes.empty() ? 0 : static_cast<std::size_t>(std::bit_width(changes.size() - 1));
        if (changes.empty() || is_same_after(changes.back())) {
            say_that_none_did(changes.size());
            return std::move(found_);
        }
        // The graph after changes[low - 1] gives the same, the one after changes[high] does not.
        std::size_t low = 0;
        std::size_t high = changes.size() - 1;
        PassBisectRun decisive = found_.runs.back();
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            low_ = changes[low];
            high_ = changes[high];
            runs_left_ = static_cast<std::size_t>(std::bit_width(high - low)) - 1;
            if (is_same_after(changes[middle])) {
                low = middle + 1;
            } else {
                high = middle;
                decisive = found_.runs.back();
            }
        }
        name_pass(changes[high]);
        found_.verdict =
            engine::said("%1 (%2, pass %3 of %4) changed the result: %5", found_.pass, found_.place, changes[high] + 1,
                         trace_.records.size(), decisive.error.empty() ? in_numbers(decisive) : decisive.error);
        return std::move(found_);
    }

  private:
    void run_passes(const std::vector<IValue>& example) {
        const passes::Pipeline pipeline = passes::pipeline_of(options_.pipeline);
        check_can_freeze(pipeline, module_);
        with_gradients_ = options_.gradients && !freezes(pipeline);
        const Ptr<ir::Graph> copy = graph_.copy();
        passes::PassManager manager;
        try {
            trace_ = manager.run(*copy, pipeline, pass_context(graph_, module_, example));
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled || manager.failed_trace().records.empty()) throw;
            trace_ = manager.failed_trace();
            failure_ = error.what();
        }
    }

    void tell(std::size_t passes, std::string pass) const {
        if (progress_) progress_({passes, std::move(pass), runs_left_, low_, high_, found_.runs});
    }

    // Twice: what differs by itself cannot be blamed on a pass.
    void run_as_it_is() {
        high_ = trace_.records.empty() ? 0 : trace_.records.size() - 1;
        tell(0, {});
        try {
            expected_ = runner_.run(graph_, with_gradients_);
        } catch (const Error& error) {
            if (!with_gradients_ || error.kind() == ErrorKind::Cancelled) throw;
            with_gradients_ = false;  // it has none
            expected_ = runner_.run(graph_, false);
        }
        PassBisectRun again;
        hold_against(runner_.run(graph_, with_gradients_), expected_, options_, again);
        if (!again.is_same) {
            throw Error(ErrorKind::Usage, concat("two runs of the graph as it is differ by themselves, ",
                                                 again.error.empty() ? in_numbers(again) : again.error));
        }
        found_.has_gradients = std::any_of(expected_.begin(), expected_.end(),
                                           [](const auto& entry) { return entry.first.starts_with("grad."); });
    }

    bool is_same_after(std::size_t record) {
        PassBisectRun run;
        run.passes = record + 1;
        tell(run.passes, std::string(trace_.records[record].pass->name));
        const auto start = std::chrono::steady_clock::now();
        try {
            hold_against(runner_.run(*trace_.records[record].after->graph, with_gradients_), expected_, options_, run);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            run.is_same = false;
            run.error = error.what();
        }
        run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        found_.runs.push_back(run);
        return run.is_same;
    }

    void say_that_none_did(std::size_t changes) {
        const bool is_exact = found_.runs.empty() || found_.runs.back().worst.empty();
        const Said passes = engine::said("no pass changed the result: %1 passes, %2 of them changed the graph",
                                         "no pass changed the result: %1 pass, %2 of them changed the graph",
                                         trace_.records.size(), changes);
        const Said compared = found_.has_gradients ? engine::said("%1 outputs and gradients", expected_.size())
                                                   : engine::said("%1 outputs", expected_.size());
        found_.verdict = is_exact ? engine::said("%1, %2 are the same to the bit", passes, compared)
                                  : engine::said("%1, %2 are the same within the tolerance, worst %3", passes, compared,
                                                 in_numbers(found_.runs.back()));
    }

    void name_pass(std::size_t index) {
        const passes::PassRecord& record = trace_.records[index];
        const auto& before = index == 0 ? trace_.before : trace_.records[index - 1].after;
        found_.step = static_cast<int>(index);
        found_.pass = std::string(record.pass->name);
        found_.place = record.place;
        found_.before = snapshot_model(before, graph_, module_, options_.method);
        found_.after = snapshot_model(record.after, graph_, module_, options_.method);
        if (before->graph && record.after->graph) found_.came_from = line_origins(*before->graph, *record.after->graph);
    }

    const PassBisectOptions& options_;
    const ir::Graph& graph_;
    nn::ModulePtr module_;
    Runner runner_;
    const std::function<void(PassBisectProgress)>& progress_;
    std::size_t low_ = 0;
    std::size_t high_ = 0;
    std::size_t runs_left_ = 0;
    bool with_gradients_ = false;
    passes::PassTrace trace_;
    std::string failure_;
    NamedTensors expected_;
    PassBisect found_;
};

}  // namespace

PassBisect bisect_passes(const PassBisectOptions& options, const ir::Graph& graph, const nn::ModulePtr& module,
                         const std::function<std::vector<IValue>()>& arguments,
                         const std::function<void(PassBisectProgress)>& progress) {
    return Search(options, graph, module, arguments, progress).find();
}

}  // namespace loupe::session
