// SPDX-License-Identifier: Apache-2.0
#pragma once
// Watches a run and writes it down: events, values with statistics, frames, memory. Asks at each stop point whether to
// park.

#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/autograd/observer.h"
#include "core/autograd/saving_observer.h"
#include "core/base/setup_clock.h"
#include "core/data/load_log.h"
#include "core/dispatch/fallback_observer.h"
#include "core/dispatch/operator_opener.h"
#include "core/formats/eager_model.h"
#include "core/model/graph_builder.h"
#include "core/nn/module.h"
#include "core/record/bad_numbers.h"
#include "core/record/call_frames.h"
#include "core/record/device_clock.h"
#include "core/record/line_values.h"
#include "core/record/memory_account.h"
#include "core/record/recorder_options.h"
#include "core/record/recording_writer.h"
#include "core/record/run_clock.h"
#include "core/record/stop_point.h"
#include "core/record/tensor_values.h"
#include "core/record/value_store.h"
#include "core/record/worker_watch.h"

namespace loupe::session {

class Recorder final : public ExecutionObserver,
                       private Surroundings,
                       private SavingObserver,
                       private FallbackObserver,
                       private OperatorOpener {
  public:
    // control may be null (nothing parks). park blocks until the run may go on; it throws Error (Cancelled) to end it.
    using Park = std::function<void(const StopPoint& next, const StopReason& why)>;
    Recorder(RecorderOptions options, BuiltGraph graph, StopControl* control, Park park);

    // Modules that are called without a graph know their place in the tree by this.
    void name_modules(nn::Module& root, const std::string& path = {}) { frames_.name_modules(root, path); }
    // Statements matter to it: it may park at one.
    bool parks() const { return control_ != nullptr; }
    // A statement of a model source is about to run: a place to stop at.
    void before_statement(EagerModel::Statement statement);
    // What statements gave names in the functions under way, the innermost first.
    std::vector<FrameValues> line_values() const { return line_values_.frames(*recording()); }
    // Names of tensors that exist before the run.
    void name_value(const Tensor& t, const std::string& name, Category category);
    // The run began when its data were asked for: waiting for them is part of it, what was done since they came is not.
    // Before its first event.
    void begin_at(RunClock::Time asked, RunClock::Time given);
    // It goes on with an edited source, from an event on that has not come yet.
    void note_edit(EditStart edit) { writer_.set_edit(std::move(edit)); }
    // Called now and then with the number of events, for display.
    void set_progress(std::function<void(std::size_t)> progress) { progress_ = std::move(progress); }
    // The phase of backward begins with an event of its own: what it starts from. Between the two the first gradients
    // are made. start.event is set here.
    void begin_backward(const TensorList& roots, BackwardStart start);
    void end_backward_start(const TensorList& roots, const TensorList& gradients);
    // Waits for the numbers that devices still have, and shows all events; throws Error for what they found wrong.
    void catch_up();
    // Throws nothing.
    void finish();

    ~Recorder() override;

    std::shared_ptr<const Recording> recording() const { return writer_.recording(); }
    // How long its operators take when they are warm.
    void set_warm_times(std::shared_ptr<const OperatorTimes> times) { writer_.set_warm_times(std::move(times)); }
    const GraphModel& graph() const { return *graph_; }
    const std::shared_ptr<const GraphModel>& shared_graph() const { return graph_; }
    const ValueStore& values() const { return store_; }
    ValueStore& values() { return store_; }
    // Of a tensor that was there before the run; 0 for others.
    ValueId value_before_run(const Tensor& t) const { return tensors_.before_run(t); }
    MemoryAccount& memory() { return memory_; }
    // Before parameters and buffers are written unobserved: their values get elements of their own.
    void protect_existing() { tensors_.protect_existing(); }
    // The value that a tensor is now; 0 when it was never seen.
    ValueId find_value(const Tensor& t) const { return tensors_.find(t); }
    // Puts something else where a value is, behind the last event: an event of its own. Of a run that is parked, and
    // remembered for when it is repeated. Returns the event. Throws Error (Usage) with the reason in one line.
    EventId change(ValueChange change);
    const std::vector<ValueChange>& changes() const { return options_.changes; }
    // The event that gave this parameter or input its gradient; 0 when none did.
    EventId accumulated_at(const Tensor& leaf) const;
    // Of a program whose models are not known before it runs: a module that is called outside of any other gets its
    // name, and its parameters theirs, when it is called first: the first is the root of all names, others stand below
    // it under their class's name.
    void name_roots_as_called() { names_roots_ = true; }
    // Those that were called, by name, in order; as they are now.
    const nn::Named<nn::ModulePtr>& called_roots() const { return called_roots_; }

    // What this process has to do with others; see collective_notes.h.
    struct Place {
        EventId event = 0;  // under way, or the next
        std::string scope;
        std::string file;
        int line = 0;
    };
    Place place_now() const;
    double seconds_at(RunClock::Time time) const { return clock_.at(time); }
    void set_rank(RankFacts rank) { writer_.set_rank(std::move(rank)); }
    std::size_t add_collective(Collective collective) { return writer_.add_collective(std::move(collective)); }
    void change_collective(std::size_t index, Collective collective) {
        writer_.change_collective(index, std::move(collective));
    }

    // Seconds spent parked so far.
    double parked_seconds() const { return clock_.paused(); }

    // Null: composed operators are events like others.
    OperatorOpener* opener() { return options_.opens_operators ? this : nullptr; }
    bool opens_operators() const { return options_.opens_operators; }

    void enter_frame(const FrameInfo& frame) override;
    void leave_frame() override;
    void before_operator(const OperatorCall& call) override;
    void after_operator(const OperatorCall& call) override;
    void on_kernel(const KernelChoice& choice) override;
    void on_exception(const Error& error) override;
    std::uint64_t current_event() const override { return writer_.next_event(); }

  private:
    using Clock = RunClock::Clock;

    bool is_under_line(std::string_view file, int line) const override;
    bool is_under_node(int graph_node) const override;
    bool holds_at_line(std::string_view file, int line, const std::string& expression) const override;

    void park_if_asked(const StopPoint& point);
    void park(const StopPoint& point, const StopReason& why);

    void end_when_repeated() const;
    void fill_arguments(const OperatorCall& call, Event& event) const;
    void fill_place(const OperatorCall& call, Event& event) const;
    void add_inputs(std::span<const Tensor> tensors);
    void collect_outputs(const OperatorCall& call, Event& event);
    void note_statistics(Event& event) const;
    void on_saved(const Tensor& t) override;
    void on_fallback(const FallbackCost& cost) override;
    void note_saved(const OperatorCall& call, EventId event);
    void open_operator(const OperatorCall& call) override;
    void close_operator(const OperatorCall& call, bool has_run) override;
    void begin_event(const OperatorCall& call, const StopPoint& point);
    void publish_whole(const OperatorCall& call, const StopPoint& point);
    void describe(const OperatorCall& call);
    void stop_watching();
    void take_loads();
    void add_load(const data::LoadWork& work);
    void start_device_clock(const OperatorCall& call);
    // An event whose numbers or times its device still has.
    struct Held {
        EventId id = 0;
        const Operator* op = nullptr;
        std::vector<ValueId> saved;
        std::optional<DeviceClock::Span> span;
        ValueId last_value = 0;
        bool is_whole = false;  // a composed operator, behind its parts
    };
    bool is_late() const { return !held_.empty() || pending_span_ || tensors_.has_late(); }
    // Held events are shown in their order: those whose numbers are there, and the older half when they are many.
    void show_some();
    void show_first();
    void hold(const Operator* op);
    void judge(Event& event, const std::function<BadNumbers::Call()>& call, const std::vector<ValueId>& saved,
               EventId id);
    void note_whole(Event& event) const;
    void stop_clock();
    EventId publish(Event event);
    void park_behind(const Event& event);
    void make_changes(EventId behind);
    EventId make_change(const ValueChange& change, const Tensor& t);
    std::string why_not_changed(const ValueChange& change) const;

    RecorderOptions options_;
    std::shared_ptr<const GraphModel> graph_;
    StopControl* control_;
    Park park_;
    std::function<void(std::size_t)> progress_;
    RecordingWriter writer_;
    ValueStore store_;
    MemoryAccount memory_;
    BadNumbers bad_;
    TensorValues tensors_;
    CallFrames frames_;
    LineValues line_values_;
    std::unordered_map<const TensorImpl*, EventId> accumulated_;
    RunClock clock_;
    Clock::time_point last_progress_ = clock_.began();
    const std::shared_ptr<data::LoadLog> load_log_ = data::LoadLog::of_thread();
    std::uint64_t loads_seen_ = 0;

    void name_root(const nn::ModulePtr& root);

    bool names_roots_ = false;
    nn::Named<nn::ModulePtr> called_roots_;
    std::unordered_set<std::string> root_names_;

    // The operator under way.
    bool is_pending_ = false;
    std::string_view pending_operator_;   // its full name; empty where there is none
    bool pending_has_kernel_ = false;     // a kernel of its own was chosen: those that it calls are not its backend
    std::vector<ValueId> pending_saved_;  // in backward: what its node kept from forward
    Event pending_;
    BackwardStart pending_start_;
    StopPoint pending_point_;
    Clock::time_point pending_began_;
    SetupWatch setup_;
    WorkerWatch workers_;
    DeviceClock device_clock_;
    std::optional<DeviceClock::Span> pending_span_;
    std::deque<Held> held_;
    double device_time_ = 0;  // when the last event shown began
    struct Opened {
        EventId first = 0;  // in it
        StopPoint point;
    };
    std::vector<Opened> opened_;                         // composed operators under way
    std::unordered_map<EventId, Tensor> before_change_;  // of changes: what was there
    std::vector<std::uint64_t> saved_;                   // storages that its nodes keep for backward
};

// Names its modules, parameters and buffers; below: what stands before their names.
void name_module_tensors(Recorder& recorder, nn::Module& module, const std::string& below);
// Names parameters, buffers and the tensors of the arguments after what they are; schema: of the method, with self.
void name_existing_tensors(Recorder& recorder, nn::Module& module, const std::vector<IValue>& arguments,
                           const FunctionSchema& schema);

}  // namespace loupe::session
