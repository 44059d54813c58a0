// SPDX-License-Identifier: Apache-2.0
#include "core/study/what_if.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/autocast.h"
#include "core/record/not_finite.h"
#include "core/study/precision_times.h"

namespace loupe::session {
namespace {

constexpr std::size_t kNoAllocation = static_cast<std::size_t>(-1);  // of a block that the run did not have

// A block of memory as it is reckoned with: alive from behind `from` up to `to`.
struct Block {
    double bytes = 0;
    EventId from = 0;  // 0: before the run
    EventId to = 0;    // 0: to the end
    std::size_t allocation = 0;
    std::uint64_t storage = 0;
};

// Memory that an event needs besides the blocks, while it runs.
struct Burst {
    EventId at = 0;
    double bytes = 0;
};

// What the run did, in the order that forecasts ask for.
class Run {
  public:
    explicit Run(const Recording& recording) : recording_(recording) {
        std::unordered_set<std::uint64_t> of_model;
        for (std::size_t i = 0; i < recording.allocation_count(); ++i) {
            const Allocation a = recording.allocation(i);
            if (a.category == Category::Parameter || a.category == Category::Buffer) of_model.insert(a.storage_id);
        }
        for (ValueId id = 1; id <= recording.value_count(); ++id) {
            const Value& value = recording.value(id);
            first_value_.try_emplace(value.storage_id, id);
            if (value.gradient_of == 0 || !of_model.contains(recording.value(value.gradient_of).storage_id)) continue;
            gradients_of_model_.insert(value.storage_id);
        }
        for (EventId id = 1; id <= recording.event_count(); ++id) {
            const Event& event = recording.event(id);
            for (const ValueId value : event.inputs) {
                if (value == 0) continue;
                readers_[recording.value(value).storage_id].push_back(id);
            }
        }
        for (std::size_t i = 0; i < recording.allocation_count(); ++i) {
            const Allocation a = recording.allocation(i);
            if (a.category == Category::KernelCache) continue;
            blocks_.push_back({static_cast<double>(a.bytes), a.allocated, a.freed, i, a.storage_id});
        }
    }

    const Recording& recording() const { return recording_; }
    std::vector<Block> blocks() const { return blocks_; }
    bool has_backward() const {
        return recording_.event_count() > 0 &&
               recording_.event(static_cast<EventId>(recording_.event_count())).phase != RunPhase::Forward;
    }
    // The value that a storage was made as; null when the program never saw it.
    const Value* owner(std::uint64_t storage) const {
        const auto found = first_value_.find(storage);
        return found == first_value_.end() ? nullptr : &recording_.value(found->second);
    }
    // Does it hold the gradient of a parameter, or of a view of one?
    bool is_gradient_of_model(std::uint64_t storage) const { return gradients_of_model_.contains(storage); }
    // Events that read it, in order.
    const std::vector<EventId>& readers(std::uint64_t storage) const {
        static const std::vector<EventId> kNone;
        const auto found = readers_.find(storage);
        return found == readers_.end() ? kNone : found->second;
    }

  private:
    const Recording& recording_;
    std::vector<Block> blocks_;
    std::unordered_map<std::uint64_t, ValueId> first_value_;
    std::unordered_set<std::uint64_t> gradients_of_model_;
    std::unordered_map<std::uint64_t, std::vector<EventId>> readers_;
};

// The forward events from first to last, computed twice.
struct Span {
    EventId first = 0;
    EventId last = 0;
};

std::vector<Span> calls_of(const Recording& recording, const std::string& module) {
    std::vector<Span> spans;
    for (std::uint32_t id = 1; id <= recording.frame_count(); ++id) {
        const Frame& frame = recording.frame(id);
        if (frame.scope != module || recording.event_count() < frame.first_event) continue;
        EventId last = recording.frame_end(id);
        if (last == 0) last = static_cast<EventId>(recording.event_count());
        const bool is_inside = !spans.empty() && frame.first_event <= spans.back().last;
        if (last < frame.first_event || is_inside || recording.event(frame.first_event).phase != RunPhase::Forward)
            continue;
        spans.push_back({frame.first_event, last});
    }
    return spans;
}

class Forecast {
  public:
    explicit Forecast(const Run& run, const PrecisionTimes* precision = nullptr)
        : run_(run),
          recording_(run.recording()),
          precision_(precision),
          blocks_(run.blocks()),
          warm_(recording_.warm_times()) {
        seconds_.assign(recording_.event_count() + 1, 0);
        if (warm_ == nullptr)
            leave_out_time(
                concat("none of the ", recording_.event_count(), " operators was timed warm yet; Predict does that"));
        else if (warm_->unmatched > 0)
            leave_out_time(concat(
                operators_text([&](EventId id) { return warm_->of(id) == nullptr; }),
                " did not run in the same place in every repeat and have no warm time; Measure times whole runs"));
        for (EventId id = 1; is_timed_ && id <= recording_.event_count(); ++id) {
            if (const OperatorTime* time = warm_->of(id)) seconds_[id] = time->median;
        }
    }

    void apply(const WhatIf& change) {
        switch (change.kind) {
            case WhatIf::Kind::Checkpoint:
                return checkpoint(change.module);
            case WhatIf::Kind::Drop:
                return drop(change.event);
            case WhatIf::Kind::Batch:
                return scale_batch(change.factor);
            case WhatIf::Kind::MixedPrecision:
                return mix_precision();
        }
    }

    MemoryForecast result() const {
        MemoryForecast out;
        const auto [before, before_at] = peak_of(run_.blocks(), {}, {});
        const auto [peak, at] = peak_of(blocks_, bursts_, measured_bursts_);
        out.peak_before = static_cast<std::int64_t>(std::llround(before));
        out.peak_event_before = before_at;
        out.peak = static_cast<std::int64_t>(std::llround(peak));
        out.peak_event = at;
        out.is_rough = is_rough_;
        out.notes = notes_;
        out.no_time = no_time_;
        if (warm_ != nullptr && warm_->unmatched == 0) out.seconds_before = warm_->seconds;
        if (!is_timed_ || !out.seconds_before) return out;
        double changed = 0;
        for (EventId id = 1; id <= recording_.event_count(); ++id) changed += seconds_[id];
        for (const Span& span : repeated_) {
            for (EventId id = span.first; id <= span.last; ++id) changed += seconds_[id];
        }
        out.seconds = changed;
        return out;
    }

  private:
    // The first reason stands: what comes later is not met without it.
    void leave_out_time(std::string why) {
        if (is_timed_) no_time_ = std::move(why);
        is_timed_ = false;
    }

    // "nonzero in pick, unique in pick and 3 others", of the events that are meant.
    template <typename Predicate>
    std::string operators_text(Predicate&& is_meant) const {
        constexpr std::size_t kNamed = 3;
        std::vector<std::string> names;
        std::unordered_set<std::string> seen;
        for (EventId id = 1; id <= recording_.event_count(); ++id) {
            if (!is_meant(id)) continue;
            const Event& event = recording_.event(id);
            const std::string name =
                concat(short_operator_name(event.op), event.scope.empty() ? "" : concat(" in ", event.scope));
            if (seen.insert(name).second) names.push_back(name);
        }
        const std::size_t others = names.size() > kNamed ? names.size() - kNamed : 0;
        names.resize(names.size() - others);
        return concat(join(names, ", "),
                      others == 0 ? "" : concat(" and ", others, others == 1 ? " other" : " others"));
    }

    void checkpoint(const std::string& module) {
        need_backward();
        const std::vector<Span> spans = calls_of(recording_, module);
        if (spans.empty())
            throw Error(ErrorKind::Usage, concat("the run did not call '", module, "'"),
                        {.hint = "a module that is inlined has no call of its own"});
        bool does_something = false;
        for (const Span& span : spans) does_something = repeat(span, Repeated::Module) || does_something;
        if (!does_something) notes_.push_back(concat(module, " saves nothing that only its own backward needs"));
    }

    void drop(EventId event) {
        need_backward();
        if (event == 0 || event > recording_.event_count() || recording_.event(event).phase != RunPhase::Forward) {
            throw Error(ErrorKind::Usage, concat("#", event, " is no event of the forward"));
        }
        if (!repeat({event, event}, Repeated::Operator))
            notes_.push_back(concat("#", event, " ", recording_.event(event).op,
                                    " saves nothing of its own that only backward needs"));
    }

    void need_backward() const {
        if (!run_.has_backward())
            throw Error(ErrorKind::Usage, "the recording has no backward", {.hint = "run it with backward"});
    }

    // The first event of the backward of what the span computed; 0 when there is none.
    EventId backward_of(const Span& span) const {
        for (EventId id = span.last + 1; id <= recording_.event_count(); ++id) {
            const Event& event = recording_.event(id);
            if (event.phase == RunPhase::Backward && event.peer >= span.first && event.peer <= span.last) return id;
        }
        return 0;
    }

    // What the span made is kept from the last one in it that reads it to its backward no longer, unless others in the
    // forward read it. False when there is nothing such.
    // Of an operator the result itself is dropped, once the last reader of the forward has seen it; a module's is its
    // own.
    enum class Repeated { Module, Operator };
    bool repeat(const Span& span, Repeated what) {
        const EventId backward = backward_of(span);
        if (backward == 0) return false;
        const bool is_operator = what == Repeated::Operator;
        std::vector<Block> again;
        for (Block& block : blocks_) {
            if (block.from < span.first || block.from > span.last) continue;
            const bool is_kept = block.to == 0 || block.to >= backward;
            if (!is_kept || block.to == 0) continue;
            EventId last_reader = block.from;
            bool is_output = false;
            for (const EventId reader : run_.readers(block.storage)) {
                if (recording_.event(reader).phase != RunPhase::Forward) break;
                last_reader = reader;
                is_output = is_output || reader > span.last;
            }
            if (is_output && !is_operator) continue;
            Block late = block;
            late.from = is_output ? first_backward_reader(block, backward) : backward;
            if (late.from > late.to) late.from = late.to;
            block.to = last_reader;
            again.push_back(late);
        }
        if (again.empty()) return false;
        for (Block& block : blocks_) {
            if (!is_operator && is_read_in(block, span)) block.to = std::max(block.to, backward);
        }
        bursts_.push_back({backward, burst_of(span, again)});
        blocks_.insert(blocks_.end(), again.begin(), again.end());
        repeated_.push_back(span);
        return true;
    }

    // What goes into the span is kept for the second time.
    bool is_read_in(const Block& block, const Span& span) const {
        if (block.to == 0 || block.from >= span.first || block.to < span.first) return false;
        const auto& readers = run_.readers(block.storage);
        return std::any_of(readers.begin(), readers.end(),
                           [&](EventId reader) { return reader >= span.first && reader <= span.last; });
    }

    EventId first_backward_reader(const Block& block, EventId otherwise) const {
        for (const EventId reader : run_.readers(block.storage)) {
            if (recording_.event(reader).phase == RunPhase::Backward) return reader;
        }
        if (block.allocation == kNoAllocation) return otherwise;
        const Allocation a = recording_.allocation(block.allocation);
        const EventId peer = a.saved_by == 0 ? 0 : recording_.backward_peer(a.saved_by);
        return peer != 0 ? peer : otherwise;
    }

    // What the span's forward had for itself for a while, beyond what it leaves.
    double burst_of(const Span& span, const std::vector<Block>& left) const {
        std::vector<std::pair<EventId, double>> changes;
        for (const Block& block : run_.blocks()) {
            const bool is_inside = block.from >= span.first && block.from <= span.last;
            if (!is_inside) continue;
            changes.emplace_back(block.from, block.bytes);
            if (block.to != 0 && block.to <= span.last) changes.emplace_back(block.to + 1, -block.bytes);
        }
        std::sort(changes.begin(), changes.end());
        double now = 0;
        double most = 0;
        for (const auto& [at, bytes] : changes) most = std::max(most, now += bytes);
        double stays = 0;
        for (const Block& block : left) stays += block.bytes;
        return std::max(0.0, most - stays);
    }

    // Memory of a parameter, a buffer, or a gradient of one: the same for any number of examples.
    bool is_of_model(const Block& block) const {
        if (block.allocation == kNoAllocation) return false;
        const Allocation a = recording_.allocation(block.allocation);
        if (a.category == Category::Parameter || a.category == Category::Buffer ||
            run_.is_gradient_of_model(block.storage))
            return true;
        // What accumulating a gradient makes has no value of its own: it is of what comes in.
        if (run_.owner(block.storage) != nullptr || a.allocated == 0) return false;
        for (const ValueId value : recording_.event(a.allocated).inputs) {
            if (value != 0 && recording_.event(a.allocated).op.ends_with("AccumulateGrad"))
                return run_.is_gradient_of_model(recording_.value(value).storage_id);
        }
        return false;
    }

    void scale_batch(double factor) {
        if (!(factor > 0) || !std::isfinite(factor))
            throw Error(ErrorKind::Usage, "the batch's factor must be a positive number");
        for (Block& block : blocks_) {
            if (is_of_model(block)) continue;
            block.bytes *= factor;
        }
        for (Burst& burst : bursts_) burst.bytes *= factor;
        batch_factor_ *= factor;
        // Timing the run as it is would not help: this reason goes before that.
        is_timed_ = true;
        leave_out_time(concat("no kernel was timed with ", batch_factor_, " times the examples; Measure does that"));
    }

    // Results of operators by autocast's lists, gradients as what they are gradients of; weights and their gradients
    // stay. Kernels that are not written for it compute in float32. Casts are kept: of a weight until its last reader
    // in backward, of what comes in until the operator's own backward.
    void mix_precision() {
        for (EventId id = 1; id <= recording_.event_count(); ++id) {
            const Event& event = recording_.event(id);
            if (event.phase == RunPhase::Forward) mix_forward(event);
        }
        for (Block& block : blocks_) {
            if (block.from == 0 || block.allocation == kNoAllocation || is_of_model(block)) continue;
            const Event& event = recording_.event(block.from);
            const Value* value = run_.owner(block.storage);
            bool is_lower = false;
            if (value == nullptr)
                is_lower = lower_events_.contains(event.phase == RunPhase::Forward ? event.id : event.peer);
            else if (value->dtype != "float32")
                continue;
            else if (event.phase == RunPhase::Forward)
                is_lower = lower_.contains(block.storage);
            else
                is_lower = value->gradient_of != 0 ? lower_.contains(recording_.value(value->gradient_of).storage_id)
                                                   : lower_events_.contains(event.peer);
            if (is_lower) block.bytes /= 2;
        }
        for (EventId id = 1; id <= recording_.event_count(); ++id) {
            const Event& event = recording_.event(id);
            if (!lower_events_.contains(event.phase == RunPhase::Forward ? id : event.peer)) continue;
            const bool is_measured =
                precision_ != nullptr && id <= precision_->events.size() && precision_->events[id - 1].burst > 0;
            if (is_measured)
                measured_bursts_[id] = static_cast<double>(precision_->events[id - 1].burst) * batch_factor_;
            else if (const double copies = float_copies(event); copies > 0)
                bursts_.push_back({id, copies * batch_factor_});
        }
        is_rough_ = precision_ == nullptr;
        mix_times();
    }

    // In the run an operator takes longer than by itself (memory is not in the caches), in both precisions: what it
    // takes more or less is added. What could not be called alone may be a small part only.
    void mix_times() {
        if (!is_timed_) return;
        if (precision_ == nullptr)
            return leave_out_time("the operators were not timed in bfloat16 yet; Predict does that");
        constexpr double kMostUnknown = 0.05;
        double unknown = 0;
        double all = 0;
        for (EventId id = 1; id <= recording_.event_count(); ++id) {
            const PrecisionTimes::Pair pair =
                id <= precision_->events.size() ? precision_->events[id - 1] : PrecisionTimes::Pair();
            all += seconds_[id];
            if (!is_measured_alone(id))
                unknown += seconds_[id];
            else if (pair.plain > 0)
                seconds_[id] = std::max(seconds_[id] + pair.lower - pair.plain,
                                        seconds_[id] * std::min(1.0, pair.lower / pair.plain));
        }
        if (unknown > kMostUnknown * all)
            leave_out_time(
                concat(operators_text([&](EventId id) { return seconds_[id] > 0 && !is_measured_alone(id); }), ", ",
                       std::lround(100 * unknown / all),
                       " % of the time, could not be timed alone in bfloat16; Measure times whole runs"));
    }

    bool is_measured_alone(EventId id) const {
        return precision_ != nullptr && id <= precision_->events.size() && precision_->events[id - 1].is_measured;
    }

    // Kernels that compute in float32 whatever comes in hold copies of what they read and make while they run:
    // convolutions of all, normalisations, pooling, resizing and softmax of the image alone; backward also of what
    // forward read, where the derivative needs it.
    double float_copies(const Event& event) const {
        // Of a backward of several events the first computes; others reshape, cast, or add up a parameter's gradient.
        if (event.phase != RunPhase::Forward && recording_.backward_peer(event.peer) != event.id) return 0;
        const Event& forward = event.phase == RunPhase::Forward ? event : recording_.event(event.peer);
        const auto is_one_of = [&](std::initializer_list<std::string_view> words) {
            return std::any_of(words.begin(), words.end(),
                               [&](std::string_view word) { return forward.op.find(word) != std::string_view::npos; });
        };
        const bool is_convolution = is_one_of({"conv"});
        const bool needs_nothing_read = is_one_of({"pool", "interpolate", "upsample"});
        if (!is_convolution && !needs_nothing_read &&
            !is_one_of({"batch_norm", "instance_norm", "group_norm", "layer_norm", "softmax"}))
            return 0;
        double bytes = 0;
        const auto add = [&](std::span<const ValueId> values) {
            for (const ValueId id :
                 values.first(is_convolution ? values.size() : std::min<std::size_t>(values.size(), 1))) {
                if (id != 0 && recording_.value(id).dtype == "float32")
                    bytes += static_cast<double>(recording_.value(id).bytes);
            }
        };
        add(event.inputs);
        add(event.outputs);
        if (event.phase != RunPhase::Forward && !needs_nothing_read) add(forward.inputs);
        return bytes;
    }

    void mix_forward(const Event& event) {
        const Autocast policy = policy_of(event);
        bool any_lower = false, any_full = false;
        for (const ValueId id : event.inputs) {
            if (id == 0 || recording_.value(id).dtype != "float32") continue;
            (lower_.contains(recording_.value(id).storage_id) ? any_lower : any_full) = true;
        }
        // A norm gives what comes in, whatever its weights are.
        const bool follows_first =
            event.op.find("norm") != std::string_view::npos && !event.inputs.empty() && event.inputs.front() != 0;
        bool is_lower = any_lower && !any_full;
        if (policy == Autocast::Lower)
            is_lower = any_lower || any_full;
        else if (policy == Autocast::Float32)
            is_lower = false;
        else if (policy == Autocast::None && follows_first)
            is_lower = lower_.contains(recording_.value(event.inputs.front()).storage_id);
        const bool is_cast = policy == Autocast::Lower || policy == Autocast::Float32 || policy == Autocast::Widest;
        for (const ValueId id : event.inputs) {
            if (is_cast && id != 0 && recording_.value(id).dtype == "float32")
                add_cast(event, recording_.value(id), is_lower);
        }
        if (!is_lower) return;
        lower_events_.insert(event.id);
        for (const ValueId id : event.outputs) {
            if (id != 0 && recording_.value(id).dtype == "float32") lower_.insert(recording_.value(id).storage_id);
        }
    }

    // Each tensor is cast once: a weight's cast is kept, another's comes with its first reader.
    void add_cast(const Event& event, const Value& value, bool to_lower) {
        if (lower_.contains(value.storage_id) == to_lower || !cast_.insert(value.storage_id).second) return;
        EventId until = recording_.backward_peer(event.id);
        if (until == 0 && value.producer != 0) until = event.id;
        const double bytes = static_cast<double>(value.bytes) * (to_lower ? 0.5 : 1);
        blocks_.push_back({bytes, event.id, until, kNoAllocation, 0});
    }

    static Autocast policy_of(const Event& event) {
        const Operator* op = find_operator(event.op, event.overload);
        return op == nullptr ? Autocast::None : autocast_of(*op, DeviceType::Cpu);
    }

    // measured: all that an event asks for, by event, in place of its blocks.
    std::pair<double, EventId> peak_of(const std::vector<Block>& blocks, const std::vector<Burst>& bursts,
                                       const std::unordered_map<EventId, double>& measured) const {
        const std::size_t events = recording_.event_count();
        std::vector<double> change(events + 2, 0);
        std::vector<double> extra(events + 2, 0);
        for (const auto& [id, bytes] : measured) extra[id] = bytes;
        for (const Block& block : blocks) {
            if (measured.contains(block.from)) {
                if (block.to == block.from) continue;
                extra[block.from] =
                    std::max(0.0, extra[block.from] - block.bytes);  // it stays, and is counted as what there is
            }
            change[block.from] += block.bytes;
            if (block.to != 0 && block.to < events) change[block.to + 1] -= block.bytes;
        }
        for (const Burst& burst : bursts) extra[burst.at] = std::max(extra[burst.at], burst.bytes);
        double now = 0;
        double most = 0;
        EventId at = 0;
        for (std::size_t id = 0; id <= events; ++id) {
            now += change[id];
            if (now + extra[id] <= most) continue;
            most = now + extra[id];
            at = static_cast<EventId>(id);
        }
        return {most, at};
    }

    const Run& run_;
    const Recording& recording_;
    const PrecisionTimes* precision_;
    std::vector<Block> blocks_;
    std::vector<Burst> bursts_;
    std::unordered_map<EventId, double> measured_bursts_;  // bytes that an event asks for while it runs
    std::shared_ptr<const OperatorTimes> warm_;
    std::vector<double> seconds_;  // by event
    bool is_timed_ = true;
    bool is_rough_ = false;
    std::vector<Span> repeated_;
    double batch_factor_ = 1;
    std::unordered_set<std::uint64_t> lower_;  // storages that hold bfloat16
    std::unordered_set<std::uint64_t> cast_;   // storages that have been cast
    std::unordered_set<EventId> lower_events_;
    std::vector<std::string> notes_;
    std::string no_time_;
};

// The examples of the first tensor argument, by which a batch is made; 0: there is none.
std::int64_t example_count(const Recording& recording) {
    std::unordered_set<std::uint64_t> inputs;
    for (std::size_t i = 0; i < recording.allocation_count(); ++i) {
        const Allocation a = recording.allocation(i);
        if (a.category == Category::Input && a.allocated == 0) inputs.insert(a.storage_id);
    }
    for (ValueId id = 1; id <= recording.value_count(); ++id) {
        const Value& value = recording.value(id);
        // A tensor in a list or a dict ("x[0]") is not taken apart.
        const bool is_argument = value.producer == 0 && !value.name.empty() && !value.name.ends_with(']') &&
                                 inputs.contains(value.storage_id);
        if (is_argument && !value.shape.empty()) return value.shape.front();
    }
    return 0;
}

// Would autocast turn some float32 into bfloat16?
bool has_lower_precision(const Recording& recording) {
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        const Event& event = recording.event(id);
        const Operator* op = event.phase == RunPhase::Forward ? find_operator(event.op, event.overload) : nullptr;
        if (op == nullptr || autocast_of(*op, DeviceType::Cpu) != Autocast::Lower) continue;
        const auto is_float = [&](ValueId value) { return value != 0 && recording.value(value).dtype == "float32"; };
        if (std::any_of(event.inputs.begin(), event.inputs.end(), is_float)) return true;
    }
    return false;
}

}  // namespace

std::string what_if_text(const WhatIf& change) {
    switch (change.kind) {
        case WhatIf::Kind::Checkpoint:
            return concat("checkpoint ", change.module.empty() ? "the model" : change.module);
        case WhatIf::Kind::Drop:
            return concat("drop what #", change.event, " saved");
        case WhatIf::Kind::Batch:
            return concat("batch x", change.factor);
        case WhatIf::Kind::MixedPrecision:
            return "mixed precision (bfloat16)";
    }
    return {};
}

std::vector<WhatIf> possible_changes(const Recording& recording, std::size_t most_checkpoints) {
    std::vector<WhatIf> all;
    if (has_lower_precision(recording)) all.push_back({.kind = WhatIf::Kind::MixedPrecision, .module = {}});
    if (const std::int64_t examples = example_count(recording); examples > 0) {
        for (const double factor : {2.0, 4.0})
            all.push_back({.kind = WhatIf::Kind::Batch, .module = {}, .factor = factor});
        if (examples % 2 == 0) all.push_back({.kind = WhatIf::Kind::Batch, .module = {}, .factor = 0.5});
    }
    for (CheckpointAdvice& advice : advise_checkpoints(recording, most_checkpoints))
        all.push_back({.kind = WhatIf::Kind::Checkpoint, .module = std::move(advice.module)});
    return all;
}

MemoryForecast forecast_memory(const Recording& recording, const std::vector<WhatIf>& changes,
                               const PrecisionTimes* precision) {
    const Run run(recording);
    Forecast forecast(run, precision);
    for (const WhatIf& change : changes) forecast.apply(change);
    return forecast.result();
}

std::vector<CheckpointAdvice> advise_checkpoints(const Recording& recording, std::size_t most) {
    const Run run(recording);
    std::vector<CheckpointAdvice> all;
    std::unordered_set<std::string_view> seen;
    if (!run.has_backward()) return all;
    for (std::uint32_t id = 1; id <= recording.frame_count(); ++id) {
        const std::string_view scope = recording.frame(id).scope;
        if (scope.empty() || !seen.insert(scope).second) continue;
        Forecast forecast(run);
        forecast.apply({.kind = WhatIf::Kind::Checkpoint, .module = std::string(scope)});
        const MemoryForecast found = forecast.result();
        if (found.peak >= found.peak_before) continue;
        all.push_back({std::string(scope), found.peak_before - found.peak,
                       found.seconds ? std::optional(*found.seconds - *found.seconds_before) : std::nullopt});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const CheckpointAdvice& a, const CheckpointAdvice& b) { return a.bytes_less > b.bytes_less; });
    if (all.size() > most) all.resize(most);
    return all;
}

}  // namespace loupe::session
