// SPDX-License-Identifier: Apache-2.0
#pragma once
// Streams of a device that is simulated on the host. Work runs as late as it may: when somebody waits for it. What
// forgot to wait reads memory that is not written yet, each time it is run.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace loupe::test_device {

class LateWork {
  public:
    using Work = std::function<void()>;
    // A place in a stream.
    class Mark {
      public:
        bool is_set() const { return state_ != nullptr; }
        bool is_reached() const { return state_ != nullptr && state_->is_reached; }
        // Seconds by the device's clock; it has been reached.
        double time() const { return state_->time; }

      private:
        friend class LateWork;
        struct State {
            std::size_t stream = 0;
            bool is_reached = false;
            double time = 0;
        };
        std::shared_ptr<State> state_;
    };

    // A new stream; the first is 0.
    std::size_t make_stream();
    void give(std::size_t stream, Work work);
    Mark mark(std::size_t stream);
    // What is given to the stream from now on runs behind the mark.
    void hold(std::size_t stream, const Mark& mark);

    // The host waits.
    void run_to(const Mark& mark);
    void run(std::size_t stream);
    void run_all();
    // One piece of work goes on, as if time passed.
    void run_some(std::size_t stream);
    bool is_idle(std::size_t stream) const;
    std::size_t pending() const;

  private:
    struct Item {
        Work work;  // none: a mark, or a wait for one
        std::shared_ptr<Mark::State> mark, needs;
        double given = 0;
    };
    struct Stream {
        std::deque<Item> items;
        double clock = 0;
    };

    void run_first(Stream& stream);
    void run_until_reached(const std::shared_ptr<Mark::State>& state);

    mutable std::recursive_mutex mutex_;
    std::deque<Stream> streams_;  // stay where they are
};

}  // namespace loupe::test_device
