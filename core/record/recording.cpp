// SPDX-License-Identifier: Apache-2.0
#include "core/record/recording.h"

#include <algorithm>
#include <array>
#include <deque>
#include <unordered_set>

namespace loupe::session {

// A deque's elements stay where they are while the set of views into them grows. The writer is one thread, but for the
// names of devices, which come with memory that any thread may free.
struct Recording::Strings {
    std::mutex mutex;
    std::deque<std::string> texts;
    std::unordered_set<std::string_view> known;
};

Recording::Recording() : strings_(std::make_unique<Strings>()) {}
Recording::~Recording() = default;

std::string_view Recording::intern(std::string_view text) {
    const std::lock_guard lock(strings_->mutex);
    if (const auto found = strings_->known.find(text); found != strings_->known.end()) return *found;
    strings_->texts.emplace_back(text);
    return *strings_->known.insert(strings_->texts.back()).first;
}

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

std::shared_ptr<const EditStart> Recording::edit() const {
    const std::lock_guard lock(late_mutex_);
    return edit_;
}

std::size_t Recording::load_count() const {
    const std::lock_guard lock(late_mutex_);
    return loads_.size();
}

std::vector<LoadSpan> Recording::loads(std::size_t from) const {
    const std::lock_guard lock(late_mutex_);
    return {loads_.begin() + static_cast<std::ptrdiff_t>(std::min(from, loads_.size())), loads_.end()};
}

std::shared_ptr<const RankFacts> Recording::rank() const {
    const std::lock_guard lock(late_mutex_);
    return rank_;
}

std::size_t Recording::collective_count() const {
    const std::lock_guard lock(late_mutex_);
    return collectives_.size();
}

std::vector<Collective> Recording::collectives(std::size_t from) const {
    const std::lock_guard lock(late_mutex_);
    std::vector<Collective> them;
    for (std::size_t i = from; i < collectives_.size(); ++i) them.push_back(collectives_[i].collective);
    return them;
}

std::uint64_t Recording::collective_changes() const {
    const std::lock_guard lock(late_mutex_);
    return collective_changes_;
}

std::vector<std::pair<std::size_t, Collective>> Recording::changed_collectives(std::uint64_t& since) const {
    const std::lock_guard lock(late_mutex_);
    std::vector<std::pair<std::size_t, Collective>> them;
    if (since == collective_changes_) return them;
    for (std::size_t i = 0; i < collectives_.size(); ++i) {
        if (collectives_[i].changed > since) them.emplace_back(i, collectives_[i].collective);
    }
    since = collective_changes_;
    return them;
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
        "parameter", "buffer", "activation", "saved for backward", "gradient",
        "workspace", "input",  "other",      "kernel cache"};
    return kNames[static_cast<std::size_t>(category)];
}

}  // namespace loupe::session
