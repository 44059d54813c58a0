// SPDX-License-Identifier: Apache-2.0
#pragma once
// Watches a run and writes it down: events, values with statistics, frames, memory. Asks at each stop point whether to
// park.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/autograd/node.h"
#include "core/autograd/observer.h"
#include "core/autograd/saving_observer.h"
#include "core/base/setup_clock.h"
#include "core/dispatch/fallback_observer.h"
#include "core/formats/eager_model.h"
#include "core/ir/source.h"
#include "core/model/graph_builder.h"
#include "core/nn/module.h"
#include "core/record/device_clock.h"
#include "core/record/direct_sites.h"
#include "core/record/line_values.h"
#include "core/record/memory_account.h"
#include "core/record/not_finite.h"
#include "core/record/recording_writer.h"
#include "core/record/stop_point.h"
#include "core/record/value_store.h"

namespace loupe::session {

struct RecorderOptions {
    bool statistics = true;
    bool values = true;
    ValueBudget budget = {};
    std::set<std::string, std::less<>> left_out = {};  // see RunOptions
    // Of a run that is repeated: only these values are kept, and the run ends (Cancelled) when the last was noted.
    const std::set<ValueId>* only = nullptr;
};

class Recorder final : public ExecutionObserver,
                       private Surroundings,
                       private SavingObserver,
                       private FallbackObserver {
  public:
    // control may be null (nothing parks). park blocks until the run may go on; it throws Error (Cancelled) to end it.
    using Park = std::function<void(const StopPoint& next, const StopReason& why)>;
    Recorder(RecorderOptions options, BuiltGraph graph, StopControl* control, Park park);

    // Modules that are called without a graph know their place in the tree by this.
    void name_modules(nn::Module& root, const std::string& path = {});
    // A statement of a model source is about to run: a place to stop at.
    void before_statement(EagerModel::Statement statement);
    // What statements gave names in the functions under way, the innermost first.
    std::vector<FrameValues> line_values() const { return line_values_.frames(*recording()); }
    // Names of tensors that exist before the run.
    void name_value(const Tensor& t, const std::string& name, Category category);
    // Called now and then with the number of events, for whoever shows them.
    void set_progress(std::function<void(std::size_t)> progress) { progress_ = std::move(progress); }
    // The phase of backward begins with an event of its own: what it starts from. Between the two the first gradients
    // are made. start.event is set here.
    void begin_backward(const TensorList& roots, BackwardStart start);
    void end_backward_start(const TensorList& roots, const TensorList& gradients);
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
    ValueId value_before_run(const Tensor& t) const;
    MemoryAccount& memory() { return memory_; }
    // Before parameters and buffers are written where nobody watches: their values get elements of their own.
    void protect_existing();
    // The value that a tensor is now; 0 when it was never seen.
    ValueId find_value(const Tensor& t) const;
    // The event that gave this parameter or input its gradient; 0 when none did.
    EventId accumulated_at(const Tensor& leaf) const;
    // Seconds spent parked so far.
    double parked_seconds() const { return parked_; }

    void enter_frame(const FrameInfo& frame) override;
    void leave_frame() override;
    void before_operator(const OperatorCall& call) override;
    void after_operator(const OperatorCall& call) override;
    void on_kernel(const KernelChoice& choice) override;
    void on_exception(const Error& error) override;
    std::uint64_t current_event() const override { return writer_.next_event(); }

  private:
    using Clock = std::chrono::steady_clock;
    struct ActiveFrame {
        std::uint32_t id = 0;
        int group = SiteMap::kTop;
        std::string_view scope;
        bool is_part = false;  // of record_function: no call, only a name for what runs in it
    };
    // Where a frame was called from.
    struct Caller {
        std::uint32_t frame = 0;
        std::string_view file;
        int line = 0;
    };
    // What a tensor object was when it was last seen.
    struct Known {
        ValueId value = 0;
        std::uint64_t storage = 0;
        std::uint32_t version = 0;
    };

    bool is_under_line(std::string_view file, int line) const override;
    bool is_under_node(int graph_node) const override;
    bool holds_at_line(std::string_view file, int line, const std::string& expression) const override;

    int depth() const;
    int direct_depth() const;
    void place_direct(StopPoint& point, const ir::SourceRange& range);
    void place_made(StopPoint& point, const ir::Node& node);
    std::string_view scope_of(const FrameInfo& info) const;
    void begin_part(const OperatorCall& call);
    void end_part();
    void note_caller(std::uint32_t frame, const Caller& caller);
    void pop_frame(EventId last);
    StopPoint point_of(const OperatorCall& call);
    void park_if_asked(const StopPoint& point);
    void park(const StopPoint& point, const StopReason& why);
    double now() const;

    ValueId value_of_input(const Tensor& t);
    bool is_left_out(std::string_view value) const;
    ValueId new_value(const Tensor& t, EventId producer, std::string name, bool with_statistics,
                      ValueId gradient_of = 0);
    void protect_written(const OperatorCall& call);
    void note_given(ValueId id, const Tensor& t, Category category);
    void note_written(const std::vector<ValueId>& outputs, NotFinite kind, EventId by);
    void find_saved(const OperatorCall& call);
    Holding holding_of(ValueId id) const;
    NotFinite kind_of(const OperatorCall& call, const Event& event) const;
    std::vector<double> read_for_bad(const OperatorCall& call, const Event& event) const;
    void end_when_repeated() const;
    void fill_arguments(const OperatorCall& call, Event& event) const;
    void fill_place(const OperatorCall& call, Event& event) const;
    void remember_edge(const Tensor& t, ValueId value);
    ValueId value_of_edge(const Edge& edge) const;
    std::string gradient_name(ValueId of) const;
    void collect_outputs(const OperatorCall& call, Event& event);
    void on_saved(const Tensor& t) override;
    void on_fallback(const FallbackCost& cost) override;
    void note_saved(const OperatorCall& call, EventId event);
    void stop_watching();
    void start_device_clock(const OperatorCall& call);
    void stop_clock();
    EventId publish(Event event);

    RecorderOptions options_;
    std::shared_ptr<const GraphModel> graph_;
    SiteMap sites_;
    DirectSites direct_sites_;
    StopControl* control_;
    Park park_;
    std::function<void(std::size_t)> progress_;
    RecordingWriter writer_;
    ValueStore store_;
    MemoryAccount memory_;
    std::unordered_map<const TensorImpl*, Known> known_;
    std::unordered_map<const TensorImpl*, ValueId> before_run_;
    std::unordered_map<const void*, std::string> module_paths_;
    LineValues line_values_;
    std::unordered_map<std::uint64_t, EventId> last_writer_;                      // by storage
    std::map<std::pair<std::uint64_t, std::uint32_t>, ValueId> values_of_edges_;  // by a node's sequence and input
    std::unordered_map<const TensorImpl*, EventId> accumulated_;
    std::vector<ActiveFrame> frames_;
    std::vector<Caller> callers_{1};  // by the frame's number
    Clock::time_point began_ = Clock::now();
    Clock::time_point last_progress_ = began_;
    double parked_ = 0;

    std::unordered_set<ValueId> meant_;  // values whose Inf are constants of the program
    // What has written NaN and Inf into a storage: what is read of it later, whole or through another view, holds them.
    struct Written {
        EventId by = 0;  // the last to do so
        bool has_constant = false;
        bool has_other = false;
    };
    std::unordered_map<std::uint64_t, Written> written_bad_;  // by storage

    // The operator under way.
    bool is_pending_ = false;
    std::vector<ValueId> pending_saved_;  // in backward: what its node kept from forward
    bool is_scope_left_out_ = false;      // where it runs
    Event pending_;
    BackwardStart pending_start_;
    StopPoint pending_point_;
    Clock::time_point pending_began_;
    SetupWatch setup_;
    DeviceClock device_clock_;
    std::vector<std::uint64_t> saved_;  // storages that its nodes keep for backward
};

// Names parameters, buffers and the tensors of the arguments after what they are; schema: of the method, with self.
void name_existing_tensors(Recorder& recorder, nn::Module& module, const std::vector<IValue>& arguments,
                           const FunctionSchema& schema);

}  // namespace loupe::session
