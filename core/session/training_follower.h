// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shows a training that another program does (see watched_training.h): from a file, or as it happens, when the engine's
// thread follows it as it would its own. Pause parks the program behind its next step.

#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "core/session/line_stream.h"
#include "core/session/model_holder.h"
#include "core/session/program_order.h"
#include "core/session/publisher.h"
#include "core/session/run_control.h"
#include "core/session/work_queue.h"
#include "core/train/watched_training.h"

namespace loupe::session {

class TrainingFollower {
  public:
    TrainingFollower(Publisher& publisher, WorkQueue& queue, RunControl& control, ModelHolder& model)
        : publisher_(publisher), queue_(queue), control_(control), model_(model) {}

    // Is it a file of rows, or the socket of a program?
    static bool takes(const std::filesystem::path& path);

    // --- the engine thread ---
    // Takes the place of the model there is. given: of a socket, where another process has connected to it; else null.
    // True: it goes on, in follow(). Throws Error (File, Usage, Unsupported).
    bool open(const std::filesystem::path& path, FileHandle* given = nullptr);
    // The same from a program at the other ends of these.
    void open(FileHandle in, FileHandle out, const std::filesystem::path& name);
    // Until the program has ended, or the following is stopped: then the program goes on by itself.
    void follow();
    void forget();

    // --- any thread ---
    // Nothing where none is followed.
    void order(ProgramOrder order, std::int64_t value);

  private:
    void show(const std::filesystem::path& name);
    void take_in(const std::vector<std::string>& lines);
    void publish();
    void log_news();
    void park();
    void leave();
    void conclude(bool was_lost);
    bool send(const std::string& line);
    std::string who() const;

    Publisher& publisher_;
    WorkQueue& queue_;
    RunControl& control_;
    ModelHolder& model_;

    std::unique_ptr<WatchedTraining> training_;
    std::uint64_t shown_version_ = 0;
    bool is_pause_sent_ = false;
    std::mutex mutex_;  // of the stream's pointer
    std::shared_ptr<LineStream> stream_;
};

}  // namespace loupe::session
