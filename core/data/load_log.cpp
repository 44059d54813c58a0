// SPDX-License-Identifier: Apache-2.0
#include "core/data/load_log.h"

#include <algorithm>

namespace loupe::data {

const std::shared_ptr<LoadLog>& LoadLog::of_thread() {
    static thread_local const std::shared_ptr<LoadLog> log = std::make_shared<LoadLog>();
    return log;
}

std::uint32_t LoadLog::begin_pass() {
    const std::lock_guard lock(mutex_);
    return ++passes_;
}

std::vector<LoadWork> LoadLog::finished(std::uint64_t& from) const {
    const std::lock_guard lock(mutex_);
    const std::uint64_t first = std::max(from, dropped_) - dropped_;
    from = dropped_ + finished_.size();
    if (first >= finished_.size()) return {};
    return {finished_.begin() + static_cast<std::ptrdiff_t>(first), finished_.end()};
}

std::vector<LoadWork> LoadLog::under_way() const {
    const std::lock_guard lock(mutex_);
    std::vector<LoadWork> all;
    for (const LoadWork* work : under_way_) {
        all.push_back(*work);
        all.back().end = LoadWork::Clock::now();
        all.back().is_over = false;
    }
    return all;
}

LoadScope::LoadScope(LoadLog& log, LoadKind kind, std::uint32_t pass, std::uint64_t batch, std::uint32_t worker)
    : log_(log) {
    work_ = {kind, pass, worker, batch, LoadWork::Clock::now(), {}, true};
    const std::lock_guard lock(log_.mutex_);
    log_.under_way_.push_back(&work_);
}

LoadScope::~LoadScope() {
    work_.end = LoadWork::Clock::now();
    const std::lock_guard lock(log_.mutex_);
    std::erase(log_.under_way_, &work_);
    if (is_cancelled_) return;
    if (log_.finished_.size() == LoadLog::kMost) {
        log_.finished_.pop_front();
        ++log_.dropped_;
    }
    log_.finished_.push_back(work_);
}

}  // namespace loupe::data
