// SPDX-License-Identifier: Apache-2.0
#pragma once
// For tests of an engine in a process of its own.

#include <QtTest>

#include <filesystem>
#include <fstream>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/session/session.h"

// Sessions that are made while it lives have their engine in such a process.
class RemoteSessions {
  public:
    explicit RemoteSessions(const std::filesystem::path& program = LOUPE_BINARY_DIR "/bin/tensorloupe-engine") {
        loupe::session::Session::set_engine_program(program);
    }
    RemoteSessions(const RemoteSessions&) = delete;
    RemoteSessions& operator=(const RemoteSessions&) = delete;
    ~RemoteSessions() { loupe::session::Session::set_engine_program({}); }
};

// Processes that threads of this one have started and that still run.
inline std::vector<pid_t> engine_processes() {
    std::vector<pid_t> found;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream list(task.path() / "children");
        for (pid_t pid = 0; list >> pid;) found.push_back(pid);
    }
    return found;
}

// What a session says, in its order.
class Heard final : public loupe::session::SessionListener {
  public:
    void on_status(const loupe::session::Status& status) override {
        const std::lock_guard lock(mutex_);
        states_.push_back(status.state);
    }
    void on_events(std::size_t count) override {
        const std::lock_guard lock(mutex_);
        events_ = count;
    }
    void on_log(const LogEntry& entry) override {
        const std::lock_guard lock(mutex_);
        lines_.push_back(entry);
    }
    void on_engine_end(const loupe::session::EngineEnd& end) override {
        const std::lock_guard lock(mutex_);
        ends_.push_back(end);
    }
    std::vector<loupe::session::RunState> states() {
        const std::lock_guard lock(mutex_);
        return states_;
    }
    std::size_t events() {
        const std::lock_guard lock(mutex_);
        return events_;
    }
    std::vector<LogEntry> lines() {
        const std::lock_guard lock(mutex_);
        return lines_;
    }
    std::vector<loupe::session::EngineEnd> ends() {
        const std::lock_guard lock(mutex_);
        return ends_;
    }

  private:
    std::mutex mutex_;
    std::vector<loupe::session::RunState> states_;
    std::size_t events_ = 0;
    std::vector<LogEntry> lines_;
    std::vector<loupe::session::EngineEnd> ends_;
};

template <typename Query>
typename Query::Answer answer_of(loupe::session::Session& session, Query query) {
    auto answer = std::make_shared<std::promise<typename Query::Answer>>();
    auto future = answer->get_future();
    session.ask("test", std::move(query),
                [answer](typename Query::Answer given) { answer->set_value(std::move(given)); });
    if (future.wait_for(std::chrono::seconds(120)) != std::future_status::ready) qFatal("no answer");
    return future.get();
}
