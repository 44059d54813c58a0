// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/recording_stream.h"

#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/tensor/quantizer.h"
#include "core/tensor/ragged_size.h"

namespace loupe::session {
namespace {

[[noreturn]] void bad_recording(std::string message) {
    throw Error(ErrorKind::File, "a recording that " + std::move(message));
}

void check_id(std::uint64_t id, std::size_t count, const char* what) {
    if (id > count) bad_recording(concat("refers to ", what, " ", id, " of ", count));
}

}  // namespace

// --- the original ---

// Events are counted first and complete is read before that: what they refer to is there when it is read after them.
std::optional<RecordingGrowth> RecordingSource::take() {
    const std::shared_ptr<const Recording> recording = recording_.lock();
    if (recording == nullptr) return std::nullopt;
    const Recording& r = *recording;
    RecordingGrowth growth;
    growth.number = number_;
    const bool is_complete = r.is_complete();
    const std::size_t all_events = r.event_count();
    const std::size_t events = std::min(all_events, events_ + kMost);
    // A whole recording comes in pieces, each with all values that its events name, which may come before their event.
    ValueId last_value = static_cast<ValueId>(events == all_events ? r.value_count() : values_);
    growth.events.reserve(events - events_);
    for (std::size_t i = events_; i < events; ++i) {
        const Event& event = growth.events.emplace_back(r.event(static_cast<EventId>(i + 1)));
        for (const ValueId id : event.inputs) last_value = std::max(last_value, id);
        for (const ValueId id : event.outputs) last_value = std::max(last_value, id);
    }
    for (; values_ < last_value; ++values_) growth.values.push_back(r.value(static_cast<ValueId>(values_ + 1)));
    const std::size_t first_frame = frames_;
    for (const std::size_t count = r.frame_count(); frames_ < count; ++frames_)
        growth.frames.push_back(r.frame(static_cast<std::uint32_t>(frames_ + 1)));
    const std::size_t first_allocation = allocations_;
    for (const std::size_t count = r.allocation_count(); allocations_ < count; ++allocations_)
        growth.allocations.push_back(r.allocation(allocations_));
    // Behind the allocations: each saving is of one that is there. Those that came meanwhile wait.
    for (Saving& saving : r.savings(savings_)) {
        if (saving.allocation >= allocations_) break;
        growth.savings.push_back(saving);
    }
    savings_ += growth.savings.size();
    for (std::size_t i = first_frame; i < frames_; ++i) open_frames_.push_back(static_cast<std::uint32_t>(i + 1));
    for (std::size_t i = first_allocation; i < allocations_; ++i) {
        if (growth.allocations[i - first_allocation].freed == 0) alive_.push_back(i);
    }
    events_ = events;
    take_late(r, growth);
    const bool has_peers = takes_peers(r, growth);
    growth.is_complete = is_complete && events == all_events;
    const bool is_news = !began_ || !growth.events.empty() || !growth.values.empty() || !growth.frames.empty() ||
                         !growth.allocations.empty() || !growth.savings.empty() || has_peers ||
                         !growth.frame_ends.empty() || !growth.freed.empty() || !growth.loads.empty() ||
                         !growth.collectives.empty() || growth.rank != nullptr || growth.warm_times != nullptr ||
                         growth.backward_start || growth.edit != nullptr || growth.peak_bytes != peak_bytes_ ||
                         growth.is_complete != is_complete_;
    began_ = true;
    peak_bytes_ = growth.peak_bytes;
    is_complete_ = growth.is_complete;
    if (!is_news) return std::nullopt;
    return growth;
}

void RecordingSource::take_late(const Recording& r, RecordingGrowth& growth) {
    std::erase_if(open_frames_, [&](std::uint32_t frame) {
        const EventId end = r.frame_end(frame);
        if (end != 0) growth.frame_ends.emplace_back(frame, end);
        return end != 0;
    });
    std::erase_if(alive_, [&](std::size_t index) {
        const EventId freed = r.allocation(index).freed;
        if (freed != 0) growth.freed.emplace_back(index, freed);
        return freed != 0;
    });
    if (auto times = r.warm_times(); times != warm_times_) growth.warm_times = warm_times_ = std::move(times);
    if (const BackwardStart* start = r.backward_start(); start != nullptr && !has_backward_start_) {
        growth.backward_start = *start;
        has_backward_start_ = true;
    }
    growth.loads = r.loads(loads_);
    loads_ += growth.loads.size();
    for (auto& [index, collective] : r.changed_collectives(collectives_))
        growth.collectives.emplace_back(index, std::move(collective));
    if (auto rank = r.rank(); rank != rank_) growth.rank = rank_ = std::move(rank);
    if (auto edit = r.edit(); edit != edit_) growth.edit = edit_ = std::move(edit);
    growth.peak_event = r.peak_event();
    growth.peak_bytes = r.peak_bytes();
}

// While it grows those of forward events whose backward ones are sent; all of them once it is complete.
bool RecordingSource::takes_peers(const Recording& r, RecordingGrowth& growth) {
    peers_.resize(events_);
    const auto take = [&](EventId forward) {
        if (forward == 0 || forward > events_) return;
        const EventId backward = r.backward_peer(forward);
        if (backward == 0 || backward > events_ || peers_[forward - 1] != 0) return;
        peers_[forward - 1] = backward;
        growth.peers.emplace_back(forward, backward);
    };
    for (const Event& event : growth.events) take(event.peer);
    if (r.is_complete() && !is_complete_) {
        for (std::size_t i = 0; i < events_; ++i) take(static_cast<EventId>(i + 1));
    }
    return !growth.peers.empty();
}

// --- the copy ---

void RecordingCopy::check(const Value& value) const {
    if (!elements_dtype(value.dtype)) bad_recording(concat("has a value of an unknown dtype '", value.dtype, "'"));
    const bool is_sane =
        value.shape.size() == value.strides.size() && value.shape.size() <= 64 && value.bytes >= 0 &&
        std::ranges::none_of(value.shape, [](std::int64_t size) { return size < 0 && !is_ragged_size(size); });
    if (!is_sane) bad_recording("has a value of an impossible shape");
}

void RecordingCopy::check(const Event& event, std::size_t values) const {
    for (const auto* ids : {&event.inputs, &event.outputs}) {
        for (const ValueId id : *ids) {
            if (id == 0) bad_recording("has an event of no value");
            check_id(id, values, "value");
        }
    }
    check_id(event.frame, recording()->frame_count(), "frame");
    check_id(event.peer, writer_.next_event(), "event");
    if (event.graph_node < -1 || event.depth < 0) bad_recording("has an event at no place");
}

void RecordingCopy::grow(RecordingGrowth growth) {
    for (Value& value : growth.values) {
        check(value);
        check_id(value.gradient_of, writer_.last_value() + growth.values.size(), "value");
        // An event may be seen a moment later than what it made.
        check_id(value.producer, recording()->event_count() + growth.events.size() + 1, "event");
        writer_.add_value(std::move(value));
    }
    for (Frame& frame : growth.frames) {
        check_id(frame.parent, recording()->frame_count(), "frame");
        writer_.begin_frame(frame);
    }
    for (Allocation& allocation : growth.allocations) writer_.add_allocation(std::move(allocation));
    const std::size_t allocations = recording()->allocation_count();
    for (const Saving& saving : growth.savings) {
        if (saving.allocation >= allocations) bad_recording("keeps memory that it lacks");
        writer_.add_saving(saving);
    }
    for (const LoadSpan& load : growth.loads) {
        if (!(load.end >= load.start)) bad_recording("has a batch that is there before it is begun");
        writer_.add_load(load);
    }
    if (growth.rank != nullptr) {
        loupe::session::check(*growth.rank);
        writer_.set_rank(*growth.rank);
    }
    for (auto& [index, collective] : growth.collectives) {
        loupe::session::check(collective, std::numeric_limits<EventId>::max());
        const std::size_t count = recording()->collective_count();
        if (index > count) bad_recording("has messages that it lacks");
        if (index == count)
            writer_.add_collective(std::move(collective));
        else
            writer_.change_collective(index, std::move(collective));
    }
    if (growth.edit != nullptr) {
        if (growth.edit->event == 0) bad_recording("has an edit from no event on");
        writer_.set_edit(*growth.edit);
    }
    if (growth.backward_start) writer_.set_backward_start(std::move(*growth.backward_start));
    // An event is seen once all of it is there.
    for (Event& event : growth.events) {
        check(event, writer_.last_value());
        writer_.add_event(std::move(event));
    }
    const std::size_t events = recording()->event_count();
    for (const auto& [forward, backward] : growth.peers) {
        check_id(forward, events, "event");
        check_id(backward, events, "event");
        writer_.set_backward_peer(forward, backward);
    }
    for (const auto& [frame, last] : growth.frame_ends) {
        if (frame == 0) bad_recording("ends no frame");
        check_id(frame, recording()->frame_count(), "frame");
        writer_.end_frame(frame, last);
    }
    for (const auto& [index, freed] : growth.freed) {
        if (index >= allocations) bad_recording("frees memory that it lacks");
        writer_.end_allocation(index, freed);
    }
    if (growth.warm_times != nullptr) writer_.set_warm_times(growth.warm_times);
    writer_.note_peak(growth.peak_bytes, growth.peak_event);
    if (growth.is_complete) writer_.finish();
}

}  // namespace loupe::session
