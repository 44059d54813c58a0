// SPDX-License-Identifier: Apache-2.0
#pragma once
// What happened in a run: an append-only list of events. One thread writes, any number read without a lock: an event
// below size() never changes. The writer may hold events back until their numbers are there.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fields.h"
#include "core/base/setup_clock.h"
#include "core/data/load_log.h"
#include "core/model/model_info.h"
#include "core/record/collective.h"
#include "core/record/device_work.h"
#include "core/record/statistics.h"

namespace loupe {

auto fields(Like<SetupTimes> auto& it) { return std::tie(it.seconds); }

}  // namespace loupe

namespace loupe::session {

using EventId = std::uint32_t;  // 1, 2, ... in order; 0 means none
using ValueId = std::uint32_t;  // likewise; a tensor at one version: a write in place makes a new value

enum class RunPhase : std::uint8_t { Forward, Backward, Optimizer };
constexpr RunPhase last_of(RunPhase) { return RunPhase::Optimizer; }
std::string_view phase_name(RunPhase phase);

// Where the NaN and Inf in an event's outputs come from.
enum class NotFinite : std::uint8_t {
    None,      // every element is finite, as far as statistics say
    Made,      // of finite inputs: the logarithm of a negative number, an overflow
    Turned,    // an Inf came in and NaN came out: 0 * Inf, Inf - Inf
    PassedOn,  // it came in
    Meant,     // a constant of the program, such as the -Inf of a mask, and what carries it on
};
constexpr NotFinite last_of(NotFinite) { return NotFinite::Meant; }
// "made here", "turned here", "passed on", "meant"; empty for None.
std::string_view not_finite_name(NotFinite kind);
// An event of this kind begins a NaN or Inf that is no constant of the program.
inline bool is_origin(NotFinite kind) { return kind == NotFinite::Made || kind == NotFinite::Turned; }

// A tensor that an event read or made.
struct Value {
    ValueId id = 0;
    EventId producer = 0;  // 0: an input, parameter or buffer
    std::string name;      // "conv1.weight", "%x.3", "grad of conv1.weight"
    std::string_view dtype;
    Shape shape;
    Shape strides;            // in elements
    std::int64_t offset = 0;  // in elements
    std::int64_t bytes = 0;
    std::uint64_t storage_id = 0;
    bool requires_grad = false;
    // For a gradient: the value it is the gradient of, where that is known.
    ValueId gradient_of = 0;
    std::optional<Statistics> statistics;
    bool is_left_out = false;  // by RunOptions::left_out: it has neither statistics nor elements
};
auto fields(Like<Value> auto& it) {
    return std::tie(it.id, it.producer, it.name, it.dtype, it.shape, it.strides, it.offset, it.bytes, it.storage_id,
                    it.requires_grad, it.gradient_of, it.statistics, it.is_left_out);
}

// A piece of a parallel loop that another thread than the engine's did; libraries' own loops are not seen.
struct WorkerSpan {
    std::uint32_t thread = 0;  // 1, 2, ... of the team
    double start = 0;          // seconds since the run began
    double end = 0;
};
auto fields(Like<WorkerSpan> auto& it) { return std::tie(it.thread, it.start, it.end); }

struct Event {
    EventId id = 0;
    RunPhase phase = RunPhase::Forward;
    std::string_view op;        // "aten::conv2d"; in backward "ConvolutionBackward0"
    std::string_view overload;  // "Tensor" of aten::add.Tensor; empty in backward
    std::string_view scope;     // module path; backward events have their forward event's
    std::string_view source_file;
    int source_line = 0;
    int graph_node = -1;      // in GraphModel; backward: the forward event's
    int depth = 0;            // of the frames
    std::uint32_t frame = 0;  // number of the frame (module call) it ran in; see Frame
    EventId peer = 0;         // backward: the forward event; forward: the first backward event once it has run
    double start = 0;         // seconds since the run began, time parked left out
    double duration = 0;      // seconds, without the set-up of kernels
    SetupTimes setup;         // of kernels, inside the event and not in its duration: what only a first call takes
    bool is_cold = false;     // of a kernel that it called, the first call recorded in this process
    DeviceWork device;        // empty for what ran on the CPU
    std::vector<WorkerSpan> workers;  // by thread and time
    std::int64_t memory_before = 0;   // bytes alive by the program's own account
    std::int64_t memory_after = 0;
    std::int64_t memory_peak = 0;  // highest inside the event
    double flops = 0;
    double bytes_moved = 0;
    std::string_view backend;           // "onednn", "portable"
    std::vector<std::string> declined;  // "onednn declined: int64 input"
    std::vector<ValueId> inputs;
    std::vector<ValueId> outputs;
    std::vector<std::string> arguments;  // non-tensor ones: "stride=[2, 2]"
    bool has_nan = false;                // in an output
    bool has_inf = false;
    NotFinite not_finite = NotFinite::None;
    // Of a bad element that an element-wise operator made: the elements of its tensors that it was computed from, by
    // place, in backward of the forward operator's; NaN: not known. Empty: it is of another kind.
    std::vector<double> read_for_bad;
    bool failed = false;  // it threw; the message is in error
    std::string error;

    // Seconds since the run began.
    double end() const { return start + setup.total() + duration; }
};
auto fields(Like<Event> auto& it) {
    return std::tie(it.id, it.phase, it.op, it.overload, it.scope, it.source_file, it.source_line, it.graph_node,
                    it.depth, it.frame, it.peer, it.start, it.duration, it.setup, it.is_cold, it.device, it.workers,
                    it.memory_before, it.memory_after, it.memory_peak, it.flops, it.bytes_moved, it.backend,
                    it.declined, it.inputs, it.outputs, it.arguments, it.has_nan, it.has_inf, it.not_finite,
                    it.read_for_bad, it.failed, it.error);
}

// A call of a method: events and frames inside it have numbers between first and last.
struct Frame {
    std::uint32_t id = 0;
    std::uint32_t parent = 0;
    std::string_view scope;
    std::string_view class_name;
    std::string_view function;
    EventId first_event = 0;
    EventId last_event = 0;  // 0 while it runs
};
auto fields(Like<Frame> auto& it) {
    return std::tie(it.id, it.parent, it.scope, it.class_name, it.function, it.first_event, it.last_event);
}

// A kernel cache (a packed weight) belongs to no run: it stays for the next one, and no sum counts it.
enum class Category : std::uint8_t {
    Parameter,
    Buffer,
    Activation,
    SavedForBackward,
    Gradient,
    Workspace,
    Input,
    Other,
    KernelCache
};
constexpr Category last_of(Category) { return Category::KernelCache; }
inline constexpr int kCategories = 9;
std::string_view category_name(Category category);

// A block of memory: from the event that asked for it to the one after which the program had let go of it.
struct Allocation {
    std::uint64_t storage_id = 0;
    std::uint64_t address = 0;
    std::int64_t bytes = 0;
    Category category = Category::Other;
    EventId allocated = 0;  // 0: before the run
    EventId freed = 0;      // 0: still alive
    EventId saved_by = 0;   // the first event whose node keeps it for backward; all: Recording::savings()
    std::string_view scope;
    std::string owner;             // name of the value
    std::string_view device = {};  // "cuda:0"; empty: the CPU
};
auto fields(Like<Allocation> auto& it) {
    return std::tie(it.storage_id, it.address, it.bytes, it.category, it.allocated, it.freed, it.saved_by, it.scope,
                    it.owner, it.device);
}

// An autograd node keeps a block for backward.
struct Saving {
    std::size_t allocation = 0;
    EventId by = 0;         // the event that made the node
    std::string_view node;  // "ConvolutionBackward0"
};
auto fields(Like<Saving> auto& it) { return std::tie(it.allocation, it.by, it.node); }

// How long an operator takes in warm runs; operator_times.h says how that is measured.
struct OperatorTime {
    double start = 0;   // seconds since a warm run began
    double median = 0;  // seconds; 0: not measured
    double low = 0;     // quartiles
    double high = 0;
};
auto fields(Like<OperatorTime> auto& it) { return std::tie(it.start, it.median, it.low, it.high); }
struct OperatorTimes {
    int warmup = 0;
    int repeats = 0;
    std::vector<OperatorTime> events;  // of event i + 1
    std::size_t unmatched = 0;         // events that the repeated runs did not have in their place
    double seconds = 0;                // of all operators: their medians added up

    // Null when it was not measured.
    const OperatorTime* of(EventId id) const {
        return id != 0 && id <= events.size() && events[id - 1].median > 0 ? &events[id - 1] : nullptr;
    }
};
auto fields(Like<OperatorTimes> auto& it) {
    return std::tie(it.warmup, it.repeats, it.events, it.unmatched, it.seconds);
}

// Chunked storage that never moves an element.
template <typename T>
class AppendOnly {
  public:
    static constexpr std::size_t kChunk = 1024;
    static constexpr std::size_t kChunks = 1 << 16;

    AppendOnly() : chunks_(std::make_unique<std::atomic<T*>[]>(kChunks)) {}
    AppendOnly(const AppendOnly&) = delete;
    AppendOnly& operator=(const AppendOnly&) = delete;
    ~AppendOnly() {
        for (std::size_t i = 0; i * kChunk < capacity_; ++i) delete[] chunks_[i].load();
    }

    std::size_t size() const { return size_.load(std::memory_order_acquire); }
    // index < size()
    const T& operator[](std::size_t index) const {
        return chunks_[index / kChunk].load(std::memory_order_acquire)[index % kChunk];
    }

    // The writer's. Elements that were added are seen by readers when publish() is called. Null when it is full.
    T* next() {
        const std::size_t index = written_;
        if (index >= kChunk * kChunks) return nullptr;
        if (index >= capacity_) {
            chunks_[index / kChunk].store(new T[kChunk], std::memory_order_release);
            capacity_ += kChunk;
        }
        return &chunks_[index / kChunk].load(std::memory_order_relaxed)[index % kChunk];
    }
    void add() { ++written_; }
    void publish() { publish(written_); }
    void publish(std::size_t count) { size_.store(count, std::memory_order_release); }
    std::size_t written() const { return written_; }
    // One that readers do not see yet.
    T& unseen(std::size_t index) { return chunks_[index / kChunk].load(std::memory_order_relaxed)[index % kChunk]; }

  private:
    std::unique_ptr<std::atomic<T*>[]> chunks_;
    std::size_t capacity_ = 0;
    std::size_t written_ = 0;
    std::atomic<std::size_t> size_{0};
};

// What the backward phase of a run started from: its first event.
struct BackwardStart {
    EventId event = 0;
    std::string text;      // "sum of outputs", "CrossEntropyLoss(), target [3]"
    bool is_loss = false;  // a loss that was chosen, or the source's own: the scale of the gradients means something
};
auto fields(Like<BackwardStart> auto& it) { return std::tie(it.event, it.text, it.is_loss); }

// What a loader of data did while the run was under way; see data::LoadLog.
struct LoadSpan {
    data::LoadKind kind = data::LoadKind::Worker;
    std::uint32_t pass = 0;    // over the data
    std::uint32_t worker = 0;  // from 0; of Wait the one that makes the batch; of Loop none
    std::uint64_t batch = 0;   // of the pass, from 0
    double start = 0;          // seconds since the run began; negative: before it
    double end = 0;
    bool is_over = true;  // false: it was under way when the run ended
};
auto fields(Like<LoadSpan> auto& it) {
    return std::tie(it.kind, it.pass, it.worker, it.batch, it.start, it.end, it.is_over);
}

// Where a run went on with an edited source: events from there on are of the edited text, those before it of what the
// edit did not change.
struct EditStart {
    EventId event = 0;
    std::string function;              // whose frame began again: "Net.forward"; empty: none did
    std::vector<std::string> changed;  // "Net.forward": what is other or new
    SourcePlace place;                 // of that function, else of the first change, in the edited text
};
auto fields(Like<EditStart> auto& it) { return std::tie(it.event, it.function, it.changed, it.place); }

class RecordingWriter;

class Recording {
  public:
    Recording();
    ~Recording();

    // Ids count from 1: event(1) ... event(event_count()).
    std::size_t event_count() const { return events_.size(); }
    const Event& event(EventId id) const { return events_[id - 1]; }
    std::size_t value_count() const { return values_.size(); }
    const Value& value(ValueId id) const { return values_[id - 1]; }
    std::size_t frame_count() const { return frames_.size(); }
    const Frame& frame(std::uint32_t id) const { return frames_[id - 1]; }
    std::size_t allocation_count() const { return allocations_.size(); }

    // Fields that are known only later, so that Event and Allocation themselves never change after they are published.
    EventId backward_peer(EventId forward) const;  // first backward event of a forward one; 0 none yet
    EventId frame_end(std::uint32_t frame) const;  // 0 while it runs
    // A copy with `freed` and `saved_by` as they are now; an activation that some node kept is SavedForBackward.
    Allocation allocation(std::size_t index) const;
    std::size_t saving_count() const;
    // In the order of events, those from the index on.
    std::vector<Saving> savings(std::size_t from = 0) const;
    // Null: no warm runs were timed. They come later, and may come again.
    std::shared_ptr<const OperatorTimes> warm_times() const;
    // The greatest memory of the run so far, and where it was.
    std::int64_t peak_bytes() const { return peak_bytes_.load(std::memory_order_acquire); }
    EventId peak_event() const { return peak_event_.load(std::memory_order_acquire); }
    // Null: no backward has begun, or an older program wrote it.
    const BackwardStart* backward_start() const { return backward_start_.load(std::memory_order_acquire); }
    // Null: no edit.
    std::shared_ptr<const EditStart> edit() const;
    std::size_t load_count() const;
    // What loaders did, in the order in which it ended, from the index on. It is known where the run parks and ends.
    std::vector<LoadSpan> loads(std::size_t from = 0) const;
    // Null: the program has one process.
    std::shared_ptr<const RankFacts> rank() const;
    std::size_t collective_count() const;
    // In the order of their launches, from the index on; those under way may get their other times later.
    std::vector<Collective> collectives(std::size_t from = 0) const;
    std::uint64_t collective_changes() const;
    // Those that are new or changed, with their index; since: 0 at first, then as it was left.
    std::vector<std::pair<std::size_t, Collective>> changed_collectives(std::uint64_t& since) const;
    bool is_complete() const { return complete_.load(std::memory_order_acquire); }

  private:
    friend class RecordingWriter;

    // Text that lives as long as the recording; equal texts are one.
    std::string_view intern(std::string_view text);

    AppendOnly<Event> events_;
    AppendOnly<Value> values_;
    AppendOnly<Frame> frames_;
    AppendOnly<Allocation> allocations_;
    AppendOnly<std::atomic<EventId>> peers_;  // by forward event
    AppendOnly<std::atomic<EventId>> frame_ends_;
    struct Fate {
        std::atomic<EventId> freed{0};
        std::atomic<EventId> saved_by{0};
    };
    AppendOnly<Fate> fates_;         // by allocation
    mutable std::mutex late_mutex_;  // of what follows
    std::vector<Saving> savings_;
    std::vector<LoadSpan> loads_;
    struct KeptCollective {
        Collective collective;
        std::uint64_t changed = 0;  // at this change of the recording's
    };
    std::vector<KeptCollective> collectives_;
    std::uint64_t collective_changes_ = 0;
    std::shared_ptr<const RankFacts> rank_;
    std::shared_ptr<const EditStart> edit_;
    std::shared_ptr<const OperatorTimes> warm_times_;
    std::atomic<std::int64_t> peak_bytes_{0};
    std::atomic<EventId> peak_event_{0};
    std::atomic<bool> complete_{false};
    std::unique_ptr<const BackwardStart> kept_backward_start_;
    std::atomic<const BackwardStart*> backward_start_{nullptr};
    struct Strings;
    std::unique_ptr<Strings> strings_;  // what the string_views point into
};

}  // namespace loupe::session
