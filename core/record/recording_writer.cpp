// SPDX-License-Identifier: Apache-2.0
#include "core/record/recording_writer.h"

#include <algorithm>

namespace loupe::session {

RecordingWriter::RecordingWriter() : recording_(std::make_shared<Recording>()) {}

std::string_view RecordingWriter::intern(std::string_view text) { return recording_->intern(text); }

EventId RecordingWriter::add_event(Event event) {
    Event* place = recording_->events_.next();
    if (place == nullptr || recording_->peers_.next() == nullptr) return 0;
    recording_->peers_.add();
    recording_->peers_.publish();
    event.id = next_event();
    const EventId id = event.id;
    *place = std::move(event);
    recording_->events_.add();
    if (!holds_) recording_->events_.publish();
    return id;
}

ValueId RecordingWriter::add_value(Value value) {
    Value* place = recording_->values_.next();
    if (place == nullptr) return 0;
    value.id = last_value() + 1;
    const ValueId id = value.id;
    *place = std::move(value);
    recording_->values_.add();
    if (!holds_) recording_->values_.publish();
    return id;
}

// Values first: who reads an event finds them.
void RecordingWriter::show(EventId last_event, ValueId last_value) {
    recording_->values_.publish(std::max<std::size_t>(last_value, recording_->values_.size()));
    recording_->events_.publish(std::max<std::size_t>(last_event, recording_->events_.size()));
}

void RecordingWriter::show_all() {
    holds_ = false;
    recording_->values_.publish();
    recording_->events_.publish();
}

std::uint32_t RecordingWriter::begin_frame(Frame frame) {
    Frame* place = recording_->frames_.next();
    if (place == nullptr || recording_->frame_ends_.next() == nullptr) return 0;
    recording_->frame_ends_.add();
    recording_->frame_ends_.publish();
    frame.id = static_cast<std::uint32_t>(recording_->frames_.size() + 1);
    const std::uint32_t id = frame.id;
    *place = frame;
    recording_->frames_.add();
    recording_->frames_.publish();
    return id;
}

void RecordingWriter::end_frame(std::uint32_t frame, EventId last) {
    if (frame == 0) return;
    const_cast<std::atomic<EventId>&>(recording_->frame_ends_[frame - 1]).store(last, std::memory_order_release);
}

void RecordingWriter::set_backward_peer(EventId forward, EventId backward) {
    if (forward == 0 || forward > recording_->peers_.size()) return;
    EventId none = 0;
    const_cast<std::atomic<EventId>&>(recording_->peers_[forward - 1]).compare_exchange_strong(none, backward);
}

std::size_t RecordingWriter::add_allocation(Allocation allocation) {
    Allocation* place = recording_->allocations_.next();
    Recording::Fate* fate = recording_->fates_.next();
    if (place == nullptr || fate == nullptr) return kNoAllocation;
    fate->freed.store(allocation.freed, std::memory_order_relaxed);
    fate->saved_by.store(allocation.saved_by, std::memory_order_relaxed);
    recording_->fates_.add();
    recording_->fates_.publish();
    *place = std::move(allocation);
    const std::size_t index = recording_->allocations_.size();
    recording_->allocations_.add();
    recording_->allocations_.publish();
    return index;
}

void RecordingWriter::end_allocation(std::size_t index, EventId freed) {
    if (index >= recording_->fates_.size()) return;
    const_cast<Recording::Fate&>(recording_->fates_[index]).freed.store(freed, std::memory_order_release);
}

void RecordingWriter::add_saving(const Saving& saving) {
    if (saving.allocation >= recording_->fates_.size()) return;
    {
        const std::lock_guard lock(recording_->late_mutex_);
        recording_->savings_.push_back(saving);
    }
    EventId none = 0;
    const_cast<Recording::Fate&>(recording_->fates_[saving.allocation])
        .saved_by.compare_exchange_strong(none, saving.by);
}

void RecordingWriter::add_load(const LoadSpan& load) {
    const std::lock_guard lock(recording_->late_mutex_);
    recording_->loads_.push_back(load);
}

void RecordingWriter::set_rank(RankFacts rank) {
    const std::lock_guard lock(recording_->late_mutex_);
    recording_->rank_ = std::make_shared<const RankFacts>(std::move(rank));
}

std::size_t RecordingWriter::add_collective(Collective collective) {
    const std::lock_guard lock(recording_->late_mutex_);
    recording_->collectives_.push_back({std::move(collective), ++recording_->collective_changes_});
    return recording_->collectives_.size() - 1;
}

void RecordingWriter::change_collective(std::size_t index, Collective collective) {
    const std::lock_guard lock(recording_->late_mutex_);
    if (index >= recording_->collectives_.size()) return;
    recording_->collectives_[index] = {std::move(collective), ++recording_->collective_changes_};
}

void RecordingWriter::set_edit(EditStart edit) {
    const std::lock_guard lock(recording_->late_mutex_);
    recording_->edit_ = std::make_shared<const EditStart>(std::move(edit));
}

void RecordingWriter::set_warm_times(std::shared_ptr<const OperatorTimes> times) {
    const std::lock_guard lock(recording_->late_mutex_);
    recording_->warm_times_ = std::move(times);
}

void RecordingWriter::note_peak(std::int64_t bytes, EventId event) {
    if (bytes <= recording_->peak_bytes_.load(std::memory_order_relaxed)) return;
    recording_->peak_event_.store(event, std::memory_order_release);
    recording_->peak_bytes_.store(bytes, std::memory_order_release);
}

void RecordingWriter::set_backward_start(BackwardStart start) {
    if (recording_->kept_backward_start_) return;
    recording_->kept_backward_start_ = std::make_unique<const BackwardStart>(std::move(start));
    recording_->backward_start_.store(recording_->kept_backward_start_.get(), std::memory_order_release);
}

void RecordingWriter::finish() { recording_->complete_.store(true, std::memory_order_release); }

}  // namespace loupe::session
