// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fills a recording. One thread writes; what it has added readers may see at once.

#include "core/record/recording.h"

namespace loupe::session {

class RecordingWriter {
  public:
    RecordingWriter();

    std::shared_ptr<const Recording> recording() const { return recording_; }
    // The id that the next event will have.
    EventId next_event() const { return static_cast<EventId>(recording_->events_.written() + 1); }
    ValueId last_value() const { return static_cast<ValueId>(recording_->values_.written()); }
    // Text that lives as long as the recording; equal texts are one.
    std::string_view intern(std::string_view text);

    // Each returns the new id (counted from 1); the id field of what is given is set here. 0 when the recording is full
    // (about 67 million of each).
    EventId add_event(Event event);
    ValueId add_value(Value value);
    // While it holds, readers do not see what is added, until show() names it as the last: so long it may be changed.
    void hold() { holds_ = true; }
    Event& held_event(EventId id) { return recording_->events_.unseen(id - 1); }
    Value& held_value(ValueId id) { return recording_->values_.unseen(id - 1); }
    void show(EventId last_event, ValueId last_value);
    // All that was added, and what will be.
    void show_all();
    std::uint32_t begin_frame(Frame frame);
    void end_frame(std::uint32_t frame, EventId last);
    // A forward event's first backward event; later ones do not replace it.
    void set_backward_peer(EventId forward, EventId backward);
    static constexpr std::size_t kNoAllocation = static_cast<std::size_t>(-1);
    // Returns the index of the allocation; kNoAllocation when the recording is full.
    std::size_t add_allocation(Allocation allocation);
    void end_allocation(std::size_t index, EventId freed);
    void add_saving(const Saving& saving);
    void add_load(const LoadSpan& load);
    void set_rank(RankFacts rank);
    // Returns its index.
    std::size_t add_collective(Collective collective);
    void change_collective(std::size_t index, Collective collective);
    void set_edit(EditStart edit);
    // Those of before are replaced.
    void set_warm_times(std::shared_ptr<const OperatorTimes> times);
    void note_peak(std::int64_t bytes, EventId event);
    // The first that is given stays.
    void set_backward_start(BackwardStart start);
    void finish();

  private:
    std::shared_ptr<Recording> recording_;
    bool holds_ = false;
};

}  // namespace loupe::session
