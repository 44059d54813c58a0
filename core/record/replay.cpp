// SPDX-License-Identifier: Apache-2.0
#include "core/record/replay.h"

#include <unordered_map>
#include <unordered_set>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/base/deep_thread.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/model/script_output.h"
#include "core/record/module_slots.h"
#include "core/tensor/copy_elements.h"
#include "core/tensor/device_copy.h"
#include "core/value/map_tensors.h"

namespace loupe::session {

RunStart::RunStart(nn::Module& module, const std::vector<IValue>& arguments, FunctionSchema schema)
    : schema_(std::move(schema)), random_(random_state()) {
    const auto same = [](const Tensor& t) { return t; };
    for (const auto& [name, part] : module.named_modules()) {
        std::vector<IValue> slots;
        for (const IValue& slot : slots_of(*part)) slots.push_back(copy_with_tensors(slot, same));
        modules_.push_back({part, std::move(slots)});
    }
    for (const IValue& argument : arguments) arguments_.push_back(copy_with_tensors(argument, same));
}

void rewind_run(const RunStart& start, Recorder& recorded) {
    const ObserverScope unobserved(nullptr);
    const GradModeScope no_grad(false);
    recorded.protect_existing();
    std::unordered_set<const TensorImpl*> done;
    const auto put_back = [&](const Tensor& t) {
        if (!t.defined() || !done.insert(t.impl()).second) return t;
        const ValueId id = recorded.value_before_run(t);
        const Tensor kept = id == 0 ? Tensor() : recorded.values().find(id);
        if (!kept.defined() || kept.storage()->id() == t.storage()->id()) return t;
        recorded.values().protect(t.storage()->id());
        gradient_arithmetic().copy(t, on_device(kept, t.device()));
        return t;
    };
    for (const RunStart::ModuleState& state : start.modules_) {
        std::vector<IValue> slots;
        for (const IValue& slot : state.attributes) slots.push_back(copy_with_tensors(slot, put_back));
        put_slots(*state.module, slots);
    }
}

namespace {

// Another observer sees what a recorder of the same run saw: of composed operators the parts, then the whole.
class OpenedRun final : public ExecutionObserver, public OperatorOpener {
  public:
    explicit OpenedRun(ExecutionObserver& inner) : inner_(inner) {}

    void enter_frame(const FrameInfo& frame) override { inner_.enter_frame(frame); }
    void leave_frame() override { inner_.leave_frame(); }
    void before_operator(const OperatorCall& call) override { inner_.before_operator(call); }
    void after_operator(const OperatorCall& call) override { inner_.after_operator(call); }
    void on_kernel(const KernelChoice& choice) override { inner_.on_kernel(choice); }
    void on_exception(const Error& error) override { inner_.on_exception(error); }
    std::uint64_t current_event() const override { return inner_.current_event(); }
    void open_operator(const OperatorCall&) override {}
    void close_operator(const OperatorCall& call, bool has_run) override {
        if (!has_run) return;
        inner_.before_operator(call);
        inner_.after_operator(call);
    }

  private:
    ExecutionObserver& inner_;
};

}  // namespace

class Replay {
  public:
    Replay(const RunStart& start, const PreparedMethod& method, Recorder& recorded)
        : start_(start), method_(method), recorded_(recorded), random_(random_state()) {
        for (const RunStart::ModuleState& state : start.modules_) now_.push_back(slots_of(*state.module));
        const auto map = [this](const Tensor& t) { return at_start(t); };
        std::vector<std::vector<IValue>> then;
        for (const RunStart::ModuleState& state : start.modules_) {
            then.emplace_back();
            for (const IValue& slot : state.attributes) then.back().push_back(copy_with_tensors(slot, map));
        }
        for (const IValue& argument : start.arguments_) arguments_.push_back(copy_with_tensors(argument, map));
        for (std::size_t i = 0; i < then.size(); ++i) put_slots(*start.modules_[i].module, then[i]);
        set_random_state(start.random_);
    }
    Replay(const Replay&) = delete;
    Replay& operator=(const Replay&) = delete;
    ~Replay() {
        for (std::size_t i = 0; i < now_.size(); ++i) put_slots(*start_.modules_[i].module, now_[i]);
        set_random_state(random_);
    }

    void run(const RunBody& body, const std::set<ValueId>& wanted) {
        Recorder again({.statistics = false,
                        .values = true,
                        .opens_operators = recorded_.opens_operators(),
                        .changes = recorded_.changes(),
                        .only = &wanted},
                       method_.build_graph(), nullptr, nullptr);
        name_existing_tensors(again, *start_.modules_.front().module, arguments_, start_.schema_);
        try {
            run_recorded(again, body);
        } catch (const Error&) {
            again.finish();
            // It may have ended because everything wanted is there.
            if (is_cancelled() || again.recording()->value_count() < *wanted.rbegin()) throw;
        }
        again.finish();
        // Backwards, so that the first is the newest in the store.
        ValueId wrong = 0;
        for (auto id = wanted.rbegin(); id != wanted.rend(); ++id) {
            if (!take(again, *id)) wrong = *id;
        }
        if (wrong != 0) fail(wrong);
    }

    std::shared_ptr<const Recording> run_once(const RunBody& body) {
        Recorder again({.statistics = false,
                        .values = false,
                        .opens_operators = recorded_.opens_operators(),
                        .changes = recorded_.changes()},
                       method_.build_graph(), nullptr, nullptr);
        name_existing_tensors(again, *start_.modules_.front().module, arguments_, start_.schema_);
        run_recorded(again, body);
        again.finish();
        return again.recording();
    }

    void run_recorded(Recorder& again, const RunBody& body) {
        const OperatorOpenerScope opened(again.opener());
        const ObserverScope observed(&again);
        run_quietly(body);
    }

    void run_under(ExecutionObserver& observer, const RunBody& body) {
        OpenedRun opened(observer);
        const bool is_open = recorded_.opens_operators();
        const ObserverScope observed(is_open ? &opened : &observer);
        const OperatorOpenerScope opener(is_open ? &opened : nullptr);
        run_quietly(body);
    }

  private:
    void run_quietly(const RunBody& body) {
        const WarningScope no_warnings([](const ScriptWarning&) {});
        const runtime::PrintScope no_prints([](std::string_view) {});
        body(arguments_);
    }

    // The elements that the tensor had when the run began, and whether it required a gradient.
    Tensor at_start(const Tensor& now) {
        if (const auto found = tensors_.find(now.impl()); found != tensors_.end()) return found->second;
        const ValueId id = recorded_.value_before_run(now);
        const Tensor kept = id == 0 ? Tensor() : recorded_.values().find(id);
        // What the run has written stands in the recording as it was; the rest is shared.
        const bool is_written = kept.defined() && kept.storage()->id() != now.storage()->id();
        const Tensor then = is_written ? on_device(copy_elements(kept), now.device()) : now.shallow_copy();
        const bool needs_gradient = id == 0 ? requires_grad(now) : recorded_.recording()->value(id).requires_grad;
        if (needs_gradient) set_requires_grad(then, true);
        tensors_.emplace(now.impl(), then);
        return then;
    }

    bool take(const Recorder& again, ValueId id) {
        const Recording& first = *recorded_.recording();
        const Recording& second = *again.recording();
        const Tensor t = id <= second.value_count() ? again.values().find(id) : Tensor();
        return t.defined() && second.value(id).producer == first.value(id).producer &&
               recorded_.values().restore(id, t);
    }

    [[noreturn]] void fail(ValueId id) const {
        const Value& value = recorded_.recording()->value(id);
        throw Error(ErrorKind::Run,
                    concat("value ", id, value.name.empty() ? "" : concat(" (", value.name, ")"),
                           " was dropped and did not come out the same when the run was repeated"),
                    {.hint = "something that the run depends on has changed since: run it again"});
    }

    const RunStart& start_;
    const PreparedMethod& method_;
    Recorder& recorded_;
    RandomState random_;
    std::vector<std::vector<IValue>> now_;  // by module
    std::vector<IValue> arguments_;
    std::unordered_map<const TensorImpl*, Tensor> tensors_;
};

namespace {

// Deep, and on a thread that runs nothing else: the interpreter of a parked run is none of its business.
void on_thread_of_its_own(const CancelFlag& cancel, const std::function<void()>& work) {
    const int threads = thread_count();
    run_deep([&] {
        const CancelScope scope(&cancel);
        set_thread_count(threads);
        work();
    });
}

}  // namespace

void recompute_values(const RunStart& start, const PreparedMethod& method, const RunBody& run, Recorder& recorded,
                      const std::set<ValueId>& wanted, const CancelFlag& cancel) {
    if (wanted.empty()) return;
    on_thread_of_its_own(cancel, [&] { Replay(start, method, recorded).run(run, wanted); });
}

void repeat_run(const RunStart& start, const PreparedMethod& method, const RunBody& run, Recorder& recorded, int times,
                const std::function<void(const Recording&)>& each, const CancelFlag& cancel) {
    on_thread_of_its_own(cancel, [&] {
        for (int i = 0; i < times; ++i) each(*Replay(start, method, recorded).run_once(run));
    });
}

void observe_run(const RunStart& start, const PreparedMethod& method, const RunBody& run, Recorder& recorded,
                 ExecutionObserver& observer, const CancelFlag& cancel) {
    on_thread_of_its_own(cancel, [&] { Replay(start, method, recorded).run_under(observer, run); });
}

}  // namespace loupe::session
