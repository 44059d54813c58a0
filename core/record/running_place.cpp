// SPDX-License-Identifier: Apache-2.0
#include "core/record/running_place.h"

#include <algorithm>
#include <cstring>

namespace loupe::session {
namespace {

std::atomic<RunningPlace*> shared_place{nullptr};

template <std::size_t N>
void put(std::array<char, N>& to, std::string_view text) {
    const std::size_t size = std::min(text.size(), N - 1);
    std::memcpy(to.data(), text.data(), size);
    to[size] = '\0';
}

template <std::size_t N>
std::string get(const std::array<char, N>& from) {
    return {from.data(), ::strnlen(from.data(), N)};
}

}  // namespace

void RunningPlace::begin(std::uint32_t event, std::string_view op, std::string_view scope, std::string_view file,
                         int line) {
    version_.fetch_add(1, std::memory_order_acq_rel);
    event_ = event;
    is_under_way_ = 1;
    line_ = line;
    put(op_, op);
    put(scope_, scope);
    // The end of a path says more.
    put(file_, file.size() < file_.size() ? file : file.substr(file.size() - file_.size() + 1));
    version_.fetch_add(1, std::memory_order_release);
}

void RunningPlace::end() {
    version_.fetch_add(1, std::memory_order_acq_rel);
    is_under_way_ = 0;
    version_.fetch_add(1, std::memory_order_release);
}

void RunningPlace::clear() {
    version_.fetch_add(1, std::memory_order_acq_rel);
    event_ = 0;
    is_under_way_ = 0;
    version_.fetch_add(1, std::memory_order_release);
}

std::optional<RunningPlace::Facts> RunningPlace::read() const {
    const std::uint32_t before = version_.load(std::memory_order_acquire);
    Facts facts{event_,
                is_under_way_ != 0,
                get(op_),
                get(scope_),
                get(file_),
                line_,
                training_step_.load(std::memory_order_relaxed)};
    std::atomic_thread_fence(std::memory_order_acquire);
    if (before % 2 != 0 || version_.load(std::memory_order_relaxed) != before) return std::nullopt;
    return facts;
}

RunningPlace* running_place() { return shared_place.load(std::memory_order_relaxed); }
void set_running_place(RunningPlace* place) { shared_place.store(place, std::memory_order_relaxed); }

}  // namespace loupe::session
