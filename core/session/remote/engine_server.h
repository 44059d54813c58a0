// SPDX-License-Identifier: Apache-2.0
#pragma once
// The side of the engine: performs what comes through a channel and sends what there is to say. See messages.h.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/session/engine.h"
#include "core/session/remote/message_port.h"
#include "core/session/remote/outbox.h"
#include "core/session/remote/recording_stream.h"
#include "core/session/session_listener.h"

namespace loupe::session {

class EngineServer final : private SessionListener {
  public:
    explicit EngineServer(MessagePort& port);
    EngineServer(const EngineServer&) = delete;
    EngineServer& operator=(const EngineServer&) = delete;
    ~EngineServer() override;

    // Until the session ends its side, then until the engine has ended. Throws Error (File) for what is no message.
    void serve();
    // Another session comes: what the one before ordered and asked is its own no more, and this one is sent all there
    // is. stop_writes: what is written to the port from then on is thrown away; begin: the port has forgotten what was,
    // and takes what is written. Any thread but those of the server; blocks until that is done.
    void start_anew(const std::function<void()>& stop_writes, std::function<void()> begin);

    const Engine& engine() const { return engine_; }

  private:
    // SessionListener: on the engine's thread.
    void on_status(const Status& status) override;
    void on_model(std::shared_ptr<const ModelInfo> model) override;
    void on_recording(std::shared_ptr<const Recording> recording) override;
    void on_events(std::size_t event_count) override;
    void on_training(std::shared_ptr<const TrainingLog> log) override;
    void on_generation(std::shared_ptr<const Generation> generation) override;
    void on_compiled(std::shared_ptr<const CompileReport> report) override;
    void on_log(const LogEntry& entry) override;

    // The reading thread.
    void perform(const std::string& bytes);
    void ask(const std::string& bytes);
    void ask_idle(const std::string& bytes);

    void wait_for_idle();

    // The sending thread.
    void send_all();
    bool begin_anew(Outbox::Batch& batch);
    bool send_settings();
    bool send_shown();
    bool send_recordings(const std::vector<Outbox::Item>& items);
    bool send_trainings(const std::vector<Outbox::Item>& items);
    bool send_left_out(std::uint64_t count);
    std::uint64_t number_of(const std::shared_ptr<const Recording>& recording);
    std::uint64_t number_of(const std::shared_ptr<const TrainingLog>& log);
    template <typename T>
    bool send(MessageKind kind, const T& message);

    MessagePort& port_;
    Outbox outbox_;
    std::atomic<std::uint64_t> orders_{0};    // performed
    std::atomic<std::uint64_t> sessions_{0};  // that came

    std::mutex anew_mutex_;
    std::condition_variable anew_changed_;
    std::function<void()> begin_;  // of a session that comes; empty: it is there

    // The sending thread's own.
    std::uint64_t last_number_ = 0;
    std::vector<RecordingSource> recordings_;
    struct FollowedTraining {
        std::weak_ptr<const TrainingLog> log;
        std::uint64_t number = 0;
        std::uint64_t version = 0;
        bool began = false;
    };
    std::vector<FollowedTraining> trainings_;
    std::string settings_sent_;
    std::string shown_sent_;

    // Of wait_idle(): asked and answered last.
    std::mutex idle_mutex_;
    std::condition_variable idle_changed_;
    std::uint64_t idle_asked_ = 0;
    std::uint64_t idle_answered_ = 0;
    bool quits_ = false;

    Engine engine_;  // ends before what it reports to
    std::thread sender_;
    std::thread idle_waiter_;
};

}  // namespace loupe::session
