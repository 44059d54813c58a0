// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a process's engine computes right now, in memory that another process sees and that is still there when this one
// is gone.

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace loupe::session {

// Lies in shared memory: no pointers, all zero at the beginning. One thread writes, others read at any time: what they
// read is one event's, or nothing.
class RunningPlace {
  public:
    struct Facts {
        std::uint32_t event = 0;  // the one under way; else the last that ran; 0: none
        bool is_under_way = false;
        std::string op;
        std::string scope;
        std::string file;
        int line = 0;
        std::int64_t training_step = 0;  // from 1; 0: no training runs
    };

    void begin(std::uint32_t event, std::string_view op, std::string_view scope, std::string_view file, int line);
    void end();
    // No run is recorded any more.
    void clear();
    // Steps of a training are not all recorded: 0 behind the last.
    void note_training_step(std::int64_t step) { training_step_.store(step, std::memory_order_relaxed); }
    // nullopt: it is being written, by a process that runs or was ended in the middle of it. Texts may be cut off.
    std::optional<Facts> read() const;

  private:
    // Zero behind its end.
    template <std::size_t Size>
    using Text = std::array<std::atomic<std::uint64_t>, Size / sizeof(std::uint64_t)>;

    template <std::size_t Words>
    static void put(std::array<std::atomic<std::uint64_t>, Words>& to, std::string_view text);
    template <std::size_t Words>
    static std::string get(const std::array<std::atomic<std::uint64_t>, Words>& from);

    // Stored with release behind the odd version, loaded with acquire before the version is looked at again.
    std::atomic<std::uint32_t> version_;  // odd while it is written
    std::atomic<std::uint32_t> event_;
    std::atomic<std::uint32_t> is_under_way_;
    std::atomic<std::int32_t> line_;
    std::atomic<std::int64_t> training_step_;
    Text<96> op_;
    Text<192> scope_;
    Text<512> file_;
};

// Where recorders of this process note it; null, at the beginning: nowhere.
RunningPlace* running_place();
void set_running_place(RunningPlace* place);

}  // namespace loupe::session
