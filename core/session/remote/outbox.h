// SPDX-License-Identifier: Apache-2.0
#pragma once
// What an engine has to say and its session has not been sent yet. The engine's thread puts it in and never waits.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/session/remote/message_port.h"

namespace loupe::session {

class Outbox {
  public:
    // Lines of the log, and steps of progress, that wait at most. Those beyond are only counted.
    static constexpr std::size_t kMostWaiting = 20'000;

    struct Item {
        MessageKind kind{};
        // Not empty: an item with the same key that waits among the last ones with keys is superseded.
        std::string key = {};
        std::function<std::string()> bytes = {};  // made on the sending thread
        // Not empty: see MessagePort::write_last().
        std::string last_of = {};
        Message instead = {};
        // What it names: they are sent first.
        std::shared_ptr<const Recording> recording = {};
        std::shared_ptr<const TrainingLog> training = {};
    };

    void put(Item item);
    // Likewise: left out, and counted, when too many wait.
    void put_if_room(Item item);
    // There is news that is followed, not put.
    void wake();
    void end();
    // What waits is of a session that has gone: it is forgotten, and the next batch says so.
    void start_anew();

    struct Batch {
        std::vector<Item> items;
        std::uint64_t left_out = 0;
        bool starts_anew = false;
        bool has_ended = false;  // nothing comes behind it
    };
    // What waits; returns with nothing after the time.
    Batch take(std::chrono::milliseconds time);

  private:
    void add(Item item);

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Item> items_;
    std::size_t optional_ = 0;
    std::uint64_t left_out_ = 0;
    bool is_awake_ = false;
    bool starts_anew_ = false;
    bool has_ended_ = false;
};

}  // namespace loupe::session
