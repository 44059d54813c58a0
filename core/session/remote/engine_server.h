// SPDX-License-Identifier: Apache-2.0
#pragma once
// The side of the engine: performs what comes through a channel and sends what there is to say. See messages.h.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
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
#include "core/session/verbs.h"

namespace loupe::session {

class EngineServer final : private SessionListener {
  public:
    // Of an engine that may have several sessions, one after another.
    struct Stay {
        std::filesystem::path kept = {};                   // see JoinedMessage
        std::vector<std::filesystem::path> writable = {};  // the folders that its process may write; empty: all
        std::string died = {};                             // likewise
        std::string place = {};
    };
    explicit EngineServer(MessagePort& port) : EngineServer(port, Stay()) {}
    EngineServer(MessagePort& port, Stay stay);
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
    void open(const OrderMessage& order, const VerbRecord& verb, const OpenVerb& value, VerbDone done);
    void warn_of_permission(const PermitSourceVerb& permit);
    void answer_apart(const AskMessage& asked, const QueryRecord& record, const QueryValue& query,
                      std::function<void(std::string)> reply);

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
    const Stay stay_;
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
    JoinedMessage joined_;  // to the next session

    // Of wait_idle(): asked and answered last.
    std::mutex idle_mutex_;
    std::condition_variable idle_changed_;
    std::uint64_t idle_asked_ = 0;
    std::uint64_t idle_answered_ = 0;
    bool quits_ = false;

    Engine engine_;  // ends before what it reports to
    std::thread sender_;
    std::thread idle_waiter_;
    std::vector<std::future<void>> apart_;  // answers that need no engine; the reading thread's own
};

}  // namespace loupe::session
