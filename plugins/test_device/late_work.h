// SPDX-License-Identifier: Apache-2.0
#pragma once
// Streams of a device that is simulated on the host. Work runs as late as it may: when somebody waits for it. What
// forgot to wait reads memory that is not written yet, each time it is run.

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "plugins/test_device/late_graph.h"

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
        // Of work that was captured: it is never reached.
        bool is_captured() const { return state_ != nullptr && state_->capture != nullptr; }

      private:
        friend class LateWork;
        struct State {
            std::size_t stream = 0;
            double time = 0;  // before is_reached
            // Of the thread that runs the stream's work; any may ask.
            std::atomic<bool> is_reached{false};
            std::shared_ptr<LateCapture> capture;
            std::vector<std::size_t> behind;  // nodes of it
        };
        std::shared_ptr<State> state_;
    };

    // A new stream; the first is 0.
    std::size_t make_stream();
    void give(std::size_t stream, Work work);
    Mark mark(std::size_t stream);
    // What is given to the stream from now on runs behind the mark.
    // An error where that would tie captured work to other work.
    CaptureFault hold(std::size_t stream, const Mark& mark);

    // The host waits.
    void run_to(const Mark& mark);
    void run(std::size_t stream);
    void run_all();
    // One piece of work goes on, as if time passed.
    void run_some(std::size_t stream);
    bool is_idle(std::size_t stream) const;
    std::size_t pending() const;

    // --- capture: what a stream is given is kept (late_graph.h)

    CaptureFault begin_capture(std::size_t stream);
    // Null with an error, and the capture is over; but for a stream on which it did not begin.
    std::shared_ptr<const LateGraph> end_capture(std::size_t stream, CaptureFault& fault);
    // Null: the stream does not capture.
    std::shared_ptr<const LateCapture> capture_of(std::size_t stream) const;
    bool captures_any() const;
    // What a capture forbids was done: it fails. Of one stream, or of all.
    void spoil_capture(std::size_t stream);
    void spoil_captures();
    void give_graph(std::size_t stream, std::shared_ptr<const LateGraph> graph);

  private:
    struct Item {
        Work work;  // none: a mark, or a wait for one
        std::shared_ptr<Mark::State> mark, needs;
        double given = 0;
    };
    struct Stream {
        std::deque<Item> items;
        double clock = 0;
        std::shared_ptr<LateCapture> capture;
        std::vector<std::size_t> behind;  // nodes of the capture that come before what is given next
    };

    void run_first(Stream& stream);
    void run_until_reached(const std::shared_ptr<Mark::State>& state);

    mutable std::recursive_mutex mutex_;
    std::deque<Stream> streams_;  // stay where they are
    std::uint64_t captures_begun_ = 0;
};

}  // namespace loupe::test_device
