// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/outbox.h"

#include <algorithm>
#include <utility>

namespace loupe::session {

// The caller locks.
void Outbox::add(Item item) {
    constexpr std::size_t kLookedAt = 8;
    if (!item.key.empty()) {
        for (std::size_t back = 1; back <= std::min(kLookedAt, items_.size()); ++back) {
            const auto before = items_.end() - static_cast<std::ptrdiff_t>(back);
            if (before->key.empty()) break;
            if (before->key != item.key) continue;
            items_.erase(before);
            break;
        }
    }
    items_.push_back(std::move(item));
    changed_.notify_one();
}

void Outbox::put(Item item) {
    const std::lock_guard lock(mutex_);
    add(std::move(item));
}

void Outbox::put_if_room(Item item) {
    const std::lock_guard lock(mutex_);
    if (optional_ >= kMostWaiting) {
        ++left_out_;
        return;
    }
    ++optional_;
    add(std::move(item));
}

void Outbox::wake() {
    const std::lock_guard lock(mutex_);
    is_awake_ = true;
    changed_.notify_one();
}

void Outbox::start_anew() {
    const std::lock_guard lock(mutex_);
    items_.clear();
    optional_ = 0;
    left_out_ = 0;
    is_awake_ = true;
    starts_anew_ = true;
    changed_.notify_one();
}

void Outbox::end() {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    changed_.notify_one();
}

Outbox::Batch Outbox::take(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, time, [this] { return !items_.empty() || is_awake_ || has_ended_; });
    is_awake_ = false;
    optional_ = 0;
    return {std::exchange(items_, {}), std::exchange(left_out_, 0), std::exchange(starts_anew_, false), has_ended_};
}

}  // namespace loupe::session
