// SPDX-License-Identifier: Apache-2.0
#include "core/study/precision_times.h"

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/node.h"
#include "core/autograd/variable.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/autocast.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/functions.h"
#include "core/ops/random/generator.h"
#include "core/record/recorder.h"

namespace loupe::session {
namespace {

constexpr ScalarType kLower = ScalarType::BFloat16;

// Calls in it are observed though the call under way is.
class DirectCallScope {
  public:
    DirectCallScope() : before_(detail::thread_is_nested_call) { detail::thread_is_nested_call = false; }
    DirectCallScope(const DirectCallScope&) = delete;
    DirectCallScope& operator=(const DirectCallScope&) = delete;
    ~DirectCallScope() { detail::thread_is_nested_call = before_; }

  private:
    bool before_;
};

struct KeptRandom {
    RandomState state = random_state();
    ~KeptRandom() { set_random_state(state); }
};

struct Taken {
    double forward = std::numeric_limits<double>::infinity();
    double backward = std::numeric_limits<double>::infinity();  // of all its events
    std::int64_t forward_burst = 0;
    std::int64_t backward_burst = 0;  // of the first of them
    std::vector<ScalarType> results;  // of all tensors that it gave
};

// The same value with other tensors.
IValue with_tensors(const IValue& value, const std::function<Tensor(const Tensor&)>& map) {
    if (value.is_tensor()) return value.to_tensor().defined() ? IValue(map(value.to_tensor())) : value;
    if (!value.is_list()) return value;
    const auto list = make_ptr<ListObject>(value.to_list().element_type, std::vector<IValue>());
    for (const IValue& element : value.to_list().elements) list->elements.push_back(with_tensors(element, map));
    return list;
}

class Probe final : public ExecutionObserver {
  public:
    explicit Probe(const Recording& recording) : recording_(recording) {
        times_.events.resize(recording.event_count());
    }

    PrecisionTimes take() {
        for (EventId id = 1; id <= recording_.event_count(); ++id) {
            const Event& event = recording_.event(id);
            if (event.phase == RunPhase::Forward) continue;
            PrecisionTimes::Pair& pair = times_.events[id - 1];
            // Weights stay as they are, and so does what adds up their gradients.
            if (event.phase == RunPhase::Optimizer || event.peer == 0)
                pair.is_measured = true;
            else if (const auto found = backward_.find(event.peer); found != backward_.end())
                pair = std::exchange(found->second, {0, 0, 0, true});
        }
        return std::move(times_);
    }

    void before_operator(const OperatorCall& call) override {
        if (call.phase != Phase::Forward) throw Error(ErrorKind::Cancelled, "measured as far as wanted");
        ++event_;
        const bool is_known = event_ <= recording_.event_count() && recording_.event(event_).op == call.name;
        results_ = nullptr;
        if (!is_known || call.op == nullptr) return;
        check_cancelled();
        const Pairs& found = pairs_of(call);
        times_.events[event_ - 1] = found.forward;
        if (found.backward.is_measured) backward_[event_] = found.backward;
        results_ = &found.results;
    }

    // What would be in the lower precision goes on so.
    void after_operator(const OperatorCall& call) override {
        if (results_ == nullptr) return;
        std::size_t index = 0;
        for (const IValue& result : call.outputs) {
            visit_tensors(result, [&](const Tensor& t) {
                if (!t.defined()) return;
                if (index < results_->size() && (*results_)[index] == kLower && t.dtype() == ScalarType::Float32)
                    lower_.insert(t.storage()->id());
                ++index;
            });
        }
    }

  private:
    struct Pairs {
        PrecisionTimes::Pair forward;
        PrecisionTimes::Pair backward;
        std::vector<ScalarType> results;
    };

    std::string key_of(const OperatorCall& call) const {
        std::string key = concat(call.op->full_name, GradMode::is_enabled() ? " grad" : " plain");
        for (const IValue& value : call.inputs) {
            bool has_tensor = false;
            visit_tensors(value, [&](const Tensor& t) {
                has_tensor = true;
                if (!t.defined())
                    key += " none";
                else
                    key +=
                        concat(" ", lower_.contains(t.storage()->id()) ? "lower " : "", dtype_name(t.dtype()),
                               shape_list_text(t.sizes()), shape_list_text(t.strides()), requires_grad(t) ? "r" : "");
            });
            if (!has_tensor) key += concat(" ", python_repr(value));
        }
        return key;
    }

    const Pairs& pairs_of(const OperatorCall& call) {
        const std::string key = key_of(call);
        if (const auto known = known_.find(key); known != known_.end()) return known->second;
        Pairs& pairs = known_[key];
        try {
            const Taken plain = measure(call, false);
            const Taken mixed = measure(call, true);
            pairs.results = mixed.results;
            pairs.forward = {plain.forward, mixed.forward, mixed.forward_burst, true};
            pairs.backward = {plain.backward, mixed.backward, mixed.backward_burst,
                              plain.backward > 0 && mixed.backward > 0};
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
        }
        return pairs;
    }

    // The shortest of several, behind one that warms up; the recorder that watches it is as in a run.
    Taken measure(const OperatorCall& call, bool is_mixed) const {
        constexpr EventId kRuns = 5;
        BuiltGraph no_graph;
        no_graph.model = std::make_shared<const GraphModel>();
        Recorder recorder({.statistics = false, .values = false}, std::move(no_graph), nullptr, nullptr);
        Taken taken;
        std::vector<EventId> calls;
        for (EventId run = 0; run < kRuns; ++run) {
            check_cancelled();
            const auto before = static_cast<EventId>(recorder.recording()->event_count());
            taken.results = call_once(call, is_mixed, recorder);
            calls.push_back(before + 1);
        }
        recorder.finish();
        const Recording& recording = *recorder.recording();
        for (std::size_t run = 1; run < calls.size(); ++run) {
            const EventId end =
                run + 1 < calls.size() ? calls[run + 1] : static_cast<EventId>(recording.event_count()) + 1;
            if (calls[run] >= end) throw Error(ErrorKind::Internal, "a call that is not observed");
            const Event& forward = recording.event(calls[run]);
            double backward = 0;
            for (EventId id = end - 1; id > calls[run]; --id) {
                const Event& event = recording.event(id);
                if (event.peer != calls[run]) continue;
                backward += event.duration;
                taken.backward_burst = event.memory_peak - event.memory_before;
            }
            taken.forward_burst = forward.memory_peak - forward.memory_before;
            taken.forward = std::min(taken.forward, forward.duration);
            taken.backward = std::min(taken.backward, backward);
        }
        return taken;
    }

    // The dtypes of all tensors that it gives.
    std::vector<ScalarType> call_once(const OperatorCall& call, bool is_mixed, Recorder& recorder) const {
        const KeptRandom random;
        const DirectCallScope direct;
        TensorList leaves;
        std::vector<IValue> inputs;
        {
            const ObserverScope unobserved(nullptr);
            for (std::size_t i = 0; i < call.inputs.size(); ++i) {
                const bool written = ((call.op->written_arguments | call.op->unmarked_writes) >> i & 1) != 0;
                inputs.push_back(with_tensors(call.inputs[i],
                                              [&](const Tensor& t) { return input_of(t, is_mixed, written, leaves); }));
            }
        }
        std::vector<IValue> results(call.op->result_count());
        const ObserverScope observed(&recorder);
        {
            const MemoryCategoryScope category(MemoryCategory::Activation);
            const AutocastScope precision =
                is_mixed ? AutocastScope(DeviceType::Cpu, true, kLower) : AutocastScope(autocast_settings());
            call_operator(*call.op, inputs, results.data());
        }
        std::vector<ScalarType> given;
        TensorList roots;
        for (const IValue& result : results) {
            visit_tensors(result, [&](const Tensor& t) {
                if (!t.defined()) return;
                given.push_back(t.dtype());
                if (requires_grad(t)) roots.push_back(t);
            });
        }
        const MemoryCategoryScope category(MemoryCategory::Gradient);
        if (GradMode::is_enabled() && !roots.empty() && !leaves.empty()) run_backward_of(roots, leaves);
        return given;
    }

    static void run_backward_of(const TensorList& roots, const TensorList& leaves) {
        TensorList gradients;
        {
            const ObserverScope unobserved(nullptr);
            for (const Tensor& root : roots) gradients.push_back(gradient_arithmetic().ones_like(detach(root)));
        }
        gradients_of(roots, leaves, gradients, {}, true);
    }

    // Elements of its own where the call writes them, and a leaf where a gradient is wanted.
    Tensor input_of(const Tensor& t, bool is_mixed, bool is_written, TensorList& leaves) const {
        const bool wants_gradient = GradMode::is_enabled() && requires_grad(t);
        const GradModeScope no_grad(false);
        Tensor own = detach(t);
        if (is_mixed && t.dtype() == ScalarType::Float32 && lower_.contains(t.storage()->id()))
            own = fn::to_dtype(own, static_cast<std::int64_t>(kLower));
        else if (is_written)
            own = fn::clone(own);
        if (!wants_gradient) return own;
        set_requires_grad(own, true);
        leaves.push_back(own);
        if (!is_written) return own;
        const GradModeScope grad(true);
        return fn::clone(own);
    }

    const Recording& recording_;
    PrecisionTimes times_;
    EventId event_ = 0;
    std::unordered_map<std::string, Pairs> known_;
    std::unordered_map<EventId, PrecisionTimes::Pair> backward_;  // by forward event
    std::unordered_set<std::uint64_t> lower_;                     // storages that would hold the lower precision
    const std::vector<ScalarType>* results_ = nullptr;
};

}  // namespace

PrecisionTimes measure_precision(const Recording& recording, const std::function<void(ExecutionObserver&)>& run) {
    Probe probe(recording);
    try {
        run(probe);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Cancelled || is_cancelled()) throw;
    }
    return probe.take();
}

}  // namespace loupe::session
