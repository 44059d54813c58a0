// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a session shows of itself: status, model, recording and trainings, each a value, and its listener.
// Values are set and the listener is notified on the engine thread; values are read, and entries logged, on any thread.

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/base/said.h"
#include "core/session/session_listener.h"

namespace loupe::session {

class Publisher {
  public:
    using LogEntry = SessionListener::LogEntry;
    using Level = LogEntry::Level;

    // listener: may be null; it outlives the publisher. before_status hears of each status before the listener does.
    Publisher(SessionListener* listener, std::function<void(const Status&)> before_status)
        : listener_(listener), before_status_(std::move(before_status)) {}

    // --- any thread ---
    Status status() const;
    std::shared_ptr<const ModelInfo> model() const;
    std::shared_ptr<const Recording> recording() const;
    // Null: nothing was trained since the model was opened.
    std::shared_ptr<const TrainingLog> training() const;
    // Of the model file that was trained last, the first first.
    std::vector<std::shared_ptr<const TrainingLog>> trainings() const;
    // Null: no text was generated since the model was opened.
    std::shared_ptr<const Generation> generation() const;
    void log(LogEntry entry) const;
    void log(Level level, Said text, SourcePlace source = {}) const;

    // --- the engine thread ---
    // Changes the status and notifies the listener. change: called with the status, under the lock.
    template <typename Change>
    void change_status(Change&& change) {
        Status copy;
        {
            const std::lock_guard lock(mutex_);
            change(status_);
            copy = status_;
        }
        before_status_(copy);
        if (listener_ != nullptr) listener_->on_status(copy);
    }
    // Setting a value notifies no listener: notify_* does, once what belongs to the value is there.
    void set_model(std::shared_ptr<const ModelInfo> model);
    void set_recording(std::shared_ptr<const Recording> recording);
    // Notifies the listener too.
    void set_generation(std::shared_ptr<const Generation> generation);
    // The model is closed: it, its recording and its training are gone; trainings() stay.
    void clear();
    // One more training of the model in this file; gives its log a number. Those of another file are forgotten.
    void add_training(const std::shared_ptr<TrainingLog>& log, const std::string& model_file);

    bool has_listener() const { return listener_ != nullptr; }
    void notify_model() const;
    void notify_recording() const;
    void notify_events(std::size_t count) const;
    void notify_training(std::shared_ptr<const TrainingLog> log) const;
    void notify_compiled(const CompileReport& report) const;

  private:
    SessionListener* listener_;
    std::function<void(const Status&)> before_status_;

    mutable std::mutex mutex_;
    Status status_;
    std::shared_ptr<const ModelInfo> model_;
    std::shared_ptr<const Recording> recording_;
    std::shared_ptr<const TrainingLog> training_;
    std::vector<std::shared_ptr<const TrainingLog>> trainings_;
    std::shared_ptr<const Generation> generation_;
    std::string trainings_of_;  // the file of their model
};

// Nothing is parked any more: the status names no place.
void clear_next_place(Status& status);

}  // namespace loupe::session
