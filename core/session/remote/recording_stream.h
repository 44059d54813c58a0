// SPDX-License-Identifier: Apache-2.0
#pragma once
// A recording that grows in one process and is seen in another: what is new of it, again and again, as a value, and the
// copy that is made of that.

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/fields.h"
#include "core/record/recording.h"
#include "core/record/recording_writer.h"

namespace loupe::session {

// What a recording got since the last one.
struct RecordingGrowth {
    std::uint64_t number = 0;  // of the recording
    std::vector<Value> values;
    std::vector<Frame> frames;
    std::vector<Allocation> allocations;
    std::vector<Saving> savings;
    std::vector<Event> events;
    std::vector<LoadSpan> loads;
    std::vector<std::pair<std::uint64_t, Collective>> collectives;  // new or changed, by index
    std::shared_ptr<const RankFacts> rank;                          // null: as before
    // What is known only later of those that were sent: pairs of its id (its index) and the event.
    std::vector<std::pair<EventId, EventId>> peers;
    std::vector<std::pair<std::uint32_t, EventId>> frame_ends;
    std::vector<std::pair<std::uint64_t, EventId>> freed;
    std::shared_ptr<const OperatorTimes> warm_times;  // null: as before
    std::optional<BackwardStart> backward_start;      // likewise
    std::shared_ptr<const EditStart> edit;            // likewise
    std::int64_t peak_bytes = 0;
    EventId peak_event = 0;
    bool is_complete = false;
};
auto fields(Like<RecordingGrowth> auto& it) {
    return std::tie(it.number, it.values, it.frames, it.allocations, it.savings, it.events, it.loads, it.collectives,
                    it.rank, it.peers, it.frame_ends, it.freed, it.warm_times, it.backward_start, it.edit,
                    it.peak_bytes, it.peak_event, it.is_complete);
}

// Follows a recording, on any one thread.
class RecordingSource {
  public:
    static constexpr std::size_t kMost = 2000;

    RecordingSource(const std::shared_ptr<const Recording>& recording, std::uint64_t number)
        : recording_(recording), number_(number) {}

    std::uint64_t number() const { return number_; }
    bool is(const Recording* recording) const { return recording_.lock().get() == recording; }
    bool is_gone() const { return recording_.expired(); }
    // What is new, about kMost of each at a time; nullopt: nothing is. An empty recording is sent once.
    std::optional<RecordingGrowth> take();

  private:
    void take_late(const Recording& recording, RecordingGrowth& growth);
    bool takes_peers(const Recording& recording, RecordingGrowth& growth);

    std::weak_ptr<const Recording> recording_;
    std::uint64_t number_;
    bool began_ = false;
    std::size_t values_ = 0;
    std::size_t frames_ = 0;
    std::size_t allocations_ = 0;
    std::size_t savings_ = 0;
    std::size_t events_ = 0;
    std::size_t loads_ = 0;
    std::uint64_t collectives_ = 0;
    std::shared_ptr<const RankFacts> rank_;
    std::vector<EventId> peers_;  // as sent, by forward event
    std::vector<std::uint32_t> open_frames_;
    std::vector<std::size_t> alive_;  // allocations
    std::shared_ptr<const OperatorTimes> warm_times_;
    std::shared_ptr<const EditStart> edit_;
    bool has_backward_start_ = false;
    std::int64_t peak_bytes_ = 0;
    bool is_complete_ = false;
};

// The copy. Nothing that it is given is trusted.
class RecordingCopy {
  public:
    std::shared_ptr<const Recording> recording() const { return writer_.recording(); }
    // Texts of values that are read live as long as the copy.
    std::string_view keep(std::string_view text) { return writer_.intern(text); }
    // Throws Error (File) for what no recording has.
    void grow(RecordingGrowth growth);

  private:
    void check(const Value& value) const;
    void check(const Event& event, std::size_t values) const;

    RecordingWriter writer_;
};

}  // namespace loupe::session
