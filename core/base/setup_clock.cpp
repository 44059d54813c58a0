// SPDX-License-Identifier: Apache-2.0
#include "core/base/setup_clock.h"

#include <algorithm>
#include <numeric>

#include "core/base/strings.h"

namespace loupe {

constinit thread_local detail::SetupState detail::thread_setup;

std::string_view setup_name(Setup kind) {
    constexpr std::array<std::string_view, kSetups> kNames{"primitives", "packing", "compilation", "threads",
                                                           "fresh memory"};
    return kNames[static_cast<std::size_t>(kind)];
}

double SetupTimes::total() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

std::string SetupTimes::text() const {
    std::array<std::size_t, kSetups> order{};
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [this](std::size_t a, std::size_t b) { return seconds[a] > seconds[b]; });
    std::string text;
    for (const std::size_t kind : order) {
        if (seconds[kind] <= 0) continue;
        text += concat(text.empty() ? "" : ", ", setup_name(static_cast<Setup>(kind)), " ",
                       format_seconds(static_cast<double>(seconds[kind])));
    }
    return text;
}

void SetupScope::begin() {
    detail::thread_setup.is_in_scope = true;
    began_ = std::chrono::steady_clock::now();
}

void SetupScope::end() {
    detail::thread_setup.is_in_scope = false;
    if (detail::thread_setup.times == nullptr) return;  // the watch was stopped meanwhile
    const std::chrono::duration<float> taken = std::chrono::steady_clock::now() - began_;
    detail::thread_setup.times->seconds[static_cast<std::size_t>(kind_)] += taken.count();
}

void SetupWatch::start() {
    times_ = {};
    if (!is_running_) before_ = detail::thread_setup.times;
    is_running_ = true;
    detail::thread_setup.times = &times_;
}

const SetupTimes& SetupWatch::stop() {
    if (is_running_ && detail::thread_setup.times == &times_) detail::thread_setup.times = before_;
    is_running_ = false;
    return times_;
}

}  // namespace loupe
