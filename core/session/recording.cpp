// SPDX-License-Identifier: Apache-2.0
#include "core/session/recording.h"

#include <array>
#include <deque>
#include <unordered_set>

#include "core/session/recording_writer.h"

namespace loupe::session {

// A deque's elements stay where they are while the set of views into them grows.
struct Recording::Strings {
    std::deque<std::string> texts;
    std::unordered_set<std::string_view> known;
};

Recording::Recording() : strings_(std::make_unique<Strings>()) {}
Recording::~Recording() = default;

EventId Recording::backward_peer(EventId forward) const {
    if (forward == 0 || forward > peers_.size()) return 0;
    return peers_[forward - 1].load(std::memory_order_acquire);
}

EventId Recording::frame_end(std::uint32_t frame) const {
    if (frame == 0 || frame > frame_ends_.size()) return 0;
    return frame_ends_[frame - 1].load(std::memory_order_acquire);
}

Allocation Recording::allocation(std::size_t index) const {
    Allocation copy = allocations_[index];
    copy.freed = fates_[index].freed.load(std::memory_order_acquire);
    copy.saved_by = fates_[index].saved_by.load(std::memory_order_acquire);
    if (copy.saved_by != 0 && copy.category == Category::Activation) copy.category = Category::SavedForBackward;
    return copy;
}

std::size_t Recording::saving_count() const {
    const std::lock_guard lock(late_mutex_);
    return savings_.size();
}

std::vector<Saving> Recording::savings(std::size_t from) const {
    const std::lock_guard lock(late_mutex_);
    return {savings_.begin() + static_cast<std::ptrdiff_t>(std::min(from, savings_.size())), savings_.end()};
}

std::shared_ptr<const OperatorTimes> Recording::warm_times() const {
    const std::lock_guard lock(late_mutex_);
    return warm_times_;
}

std::string_view phase_name(RunPhase phase) {
    constexpr std::array<std::string_view, 3> kNames{"forward", "backward", "optimizer"};
    return kNames[static_cast<std::size_t>(phase)];
}

std::string_view not_finite_name(NotFinite kind) {
    constexpr std::array<std::string_view, 5> kNames{"", "made here", "turned here", "passed on", "meant"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::string_view category_name(Category category) {
    constexpr std::array<std::string_view, kCategories> kNames{
        "parameter", "buffer", "activation", "saved for backward", "gradient", "workspace", "input", "other", "kernel cache"};
    return kNames[static_cast<std::size_t>(category)];
}

RecordingWriter::RecordingWriter() : recording_(std::make_shared<Recording>()) {}

std::string_view RecordingWriter::intern(std::string_view text) {
    auto& strings = *recording_->strings_;
    if (const auto found = strings.known.find(text); found != strings.known.end()) return *found;
    strings.texts.emplace_back(text);
    return *strings.known.insert(strings.texts.back()).first;
}

EventId RecordingWriter::add_event(Event event) {
    Event* place = recording_->events_.next();
    if (place == nullptr || recording_->peers_.next() == nullptr) return 0;
    recording_->peers_.publish();
    event.id = next_event();
    const EventId id = event.id;
    *place = std::move(event);
    recording_->events_.publish();
    return id;
}

ValueId RecordingWriter::add_value(Value value) {
    Value* place = recording_->values_.next();
    if (place == nullptr) return 0;
    value.id = static_cast<ValueId>(recording_->values_.size() + 1);
    const ValueId id = value.id;
    *place = std::move(value);
    recording_->values_.publish();
    return id;
}

std::uint32_t RecordingWriter::begin_frame(Frame frame) {
    Frame* place = recording_->frames_.next();
    if (place == nullptr || recording_->frame_ends_.next() == nullptr) return 0;
    recording_->frame_ends_.publish();
    frame.id = static_cast<std::uint32_t>(recording_->frames_.size() + 1);
    const std::uint32_t id = frame.id;
    *place = frame;
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
    recording_->fates_.publish();
    *place = std::move(allocation);
    const std::size_t index = recording_->allocations_.size();
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
    const_cast<Recording::Fate&>(recording_->fates_[saving.allocation]).saved_by.compare_exchange_strong(none, saving.by);
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
