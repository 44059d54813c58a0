// SPDX-License-Identifier: Apache-2.0
#pragma once
// Set-up time of kernels (making primitives, packing weights, compiling, starting threads, the first touch of fresh
// memory), measured apart from computing. Set-up code runs in a SetupScope; a timer of operators holds a SetupWatch.
// Without a watch a scope costs one branch and reads no clock.

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace loupe {

enum class Setup : std::uint8_t { Primitive, Packing, Compilation, Threads, Memory };
inline constexpr int kSetups = 5;
std::string_view setup_name(Setup kind);  // "primitives", "packing", "compilation", "threads", "fresh memory"

// Seconds by kind.
struct SetupTimes {
    std::array<float, kSetups> seconds{};

    double total() const;
    // The longest first: "primitives 26 ms, packing 310 us"; empty without any.
    std::string text() const;
    bool operator==(const SetupTimes&) const = default;
};

namespace detail {
struct SetupState {
    SetupTimes* times = nullptr;  // null: not watched
    bool is_in_scope = false;
};
extern constinit thread_local SetupState thread_setup;
}  // namespace detail

inline bool setup_is_watched() { return detail::thread_setup.times != nullptr; }

// The thread's work in this scope is set-up. A nested scope counts as the outer one's.
class SetupScope {
  public:
    explicit SetupScope(Setup kind)
        : kind_(kind), is_counted_(setup_is_watched() && !detail::thread_setup.is_in_scope) {
        if (is_counted_) [[unlikely]]
            begin();
    }
    SetupScope(const SetupScope&) = delete;
    SetupScope& operator=(const SetupScope&) = delete;
    ~SetupScope() {
        if (is_counted_) [[unlikely]]
            end();
    }

  private:
    void begin();
    void end();

    Setup kind_;
    bool is_counted_;
    std::chrono::steady_clock::time_point began_;
};

// Counts the calling thread's set-up from start() to stop(), both called on one thread. A nested watch replaces the
// outer.
class SetupWatch {
  public:
    SetupWatch() = default;
    SetupWatch(const SetupWatch&) = delete;
    SetupWatch& operator=(const SetupWatch&) = delete;
    ~SetupWatch() { stop(); }

    void start();
    const SetupTimes& stop();

  private:
    SetupTimes times_;
    SetupTimes* before_ = nullptr;
    bool is_running_ = false;
};

}  // namespace loupe
