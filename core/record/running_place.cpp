// SPDX-License-Identifier: Apache-2.0
#include "core/record/running_place.h"

#include <algorithm>
#include <cstring>

namespace loupe::session {
namespace {

std::atomic<RunningPlace*> shared_place{nullptr};

void put_number(auto& to, auto value) { to.store(value, std::memory_order_release); }

}  // namespace

template <std::size_t Words>
void RunningPlace::put(std::array<std::atomic<std::uint64_t>, Words>& to, std::string_view text) {
    text = text.substr(0, Words * sizeof(std::uint64_t) - 1);
    for (std::size_t word = 0; word <= text.size() / sizeof(std::uint64_t); ++word) {
        const std::string_view part = text.substr(word * sizeof(std::uint64_t), sizeof(std::uint64_t));
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, part.data(), part.size());
        put_number(to[word], bytes);
    }
}

template <std::size_t Words>
std::string RunningPlace::get(const std::array<std::atomic<std::uint64_t>, Words>& from) {
    std::array<char, Words * sizeof(std::uint64_t)> text;
    for (std::size_t word = 0; word < Words; ++word) {
        const std::uint64_t bytes = from[word].load(std::memory_order_acquire);
        std::memcpy(text.data() + word * sizeof bytes, &bytes, sizeof bytes);
    }
    return {text.data(), ::strnlen(text.data(), text.size())};
}

void RunningPlace::begin(std::uint32_t event, std::string_view op, std::string_view scope, std::string_view file,
                         int line) {
    version_.fetch_add(1, std::memory_order_acq_rel);
    put_number(event_, event);
    put_number(is_under_way_, 1U);
    put_number(line_, line);
    put(op_, op);
    put(scope_, scope);
    // The end of a path says more.
    constexpr std::size_t room = sizeof file_ - 1;
    put(file_, file.size() <= room ? file : file.substr(file.size() - room));
    version_.fetch_add(1, std::memory_order_release);
}

void RunningPlace::end() {
    version_.fetch_add(1, std::memory_order_acq_rel);
    put_number(is_under_way_, 0U);
    version_.fetch_add(1, std::memory_order_release);
}

void RunningPlace::clear() {
    version_.fetch_add(1, std::memory_order_acq_rel);
    put_number(event_, 0U);
    put_number(is_under_way_, 0U);
    version_.fetch_add(1, std::memory_order_release);
}

std::optional<RunningPlace::Facts> RunningPlace::read() const {
    const std::uint32_t before = version_.load(std::memory_order_acquire);
    Facts facts{event_.load(std::memory_order_acquire),
                is_under_way_.load(std::memory_order_acquire) != 0,
                get(op_),
                get(scope_),
                get(file_),
                line_.load(std::memory_order_acquire),
                training_step_.load(std::memory_order_relaxed)};
    if (before % 2 != 0 || version_.load(std::memory_order_relaxed) != before) return std::nullopt;
    return facts;
}

RunningPlace* running_place() { return shared_place.load(std::memory_order_relaxed); }
void set_running_place(RunningPlace* place) { shared_place.store(place, std::memory_order_relaxed); }

}  // namespace loupe::session
