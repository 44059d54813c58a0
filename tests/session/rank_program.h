// SPDX-License-Identifier: Apache-2.0
#pragma once
// Engines of ranks that a launcher has started, with a session each, and steps of all: for tests.

#include <QFile>
#include <QStandardPaths>
#include <QtTest>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/session/rank_steps.h"
#include "core/session/remote/rank_process.h"
#include "core/session/session.h"

inline bool has_mpi() {
    return !QStandardPaths::findExecutable(QStringLiteral("mpirun")).isEmpty() &&
           QFile::exists(QStringLiteral(LOUPE_BINARY_DIR "/lib/plugins/loupe_mpi.so"));
}
#define NEEDS_MPI() \
    if (!has_mpi()) QSKIP("mpirun or the plugin mpi is not there")

class RankProgram {
  public:
    RankProgram(std::size_t ranks, const std::string& file)
        : process_(std::make_unique<loupe::session::RankProcess>(
              loupe::session::launch_command(loupe::session::kLaunchCommand, ranks,
                                             LOUPE_BINARY_DIR "/bin/tensorloupe-engine"),
              ranks)) {
        for (std::size_t i = 0; i < ranks; ++i) listeners_.push_back(std::make_unique<Listener>(*this, i));
        for (std::size_t i = 0; i < ranks; ++i)
            sessions_.push_back(std::make_unique<loupe::session::Session>(*process_, i, listeners_[i].get()));
        steps_ = std::make_unique<loupe::session::RankSteps>(
            ranks, loupe::session::RankSteps::Ranks{
                       .session = [this](std::size_t i) -> loupe::session::Session& { return *sessions_[i]; },
                       .name = [](std::size_t i) { return "rank " + std::to_string(i); },
                       .post = [this](std::function<void()> work) { post(std::move(work)); }});
        for (const auto& each : sessions_) each->open(file);
        for (const auto& each : sessions_) each->wait_idle();
        work();
    }
    ~RankProgram() {
        steps_.reset();
        sessions_.clear();
    }

    std::size_t size() const { return sessions_.size(); }
    loupe::session::Session& at(std::size_t rank) { return *sessions_[rank]; }
    loupe::session::RankSteps& steps() { return *steps_; }
    loupe::session::RankProcess& process() { return *process_; }
    loupe::session::Status status(std::size_t rank) { return sessions_[rank]->status(); }
    loupe::session::RankPlace place(std::size_t rank) {
        return steps_->place(rank).value_or(loupe::session::RankPlace());
    }

    // What the sessions said.
    void work() {
        std::deque<std::function<void()>> all;
        {
            const std::lock_guard lock(mutex_);
            all.swap(posted_);
        }
        for (const auto& each : all) each();
    }
    // Until that holds; false: it does not within the time.
    bool until(const std::function<bool()>& holds, int milliseconds = 30000) {
        for (int waited = 0; waited < milliseconds; waited += 10) {
            work();
            if (holds()) return true;
            QTest::qSleep(10);
        }
        return false;
    }
    bool settles() {
        return until([this] { return steps_->is_settled(); });
    }
    bool all_are(loupe::session::RunState state) {
        for (const auto& each : sessions_) {
            if (each->status().state != state) return false;
        }
        return true;
    }
    // All of them park before their first operator.
    bool begins(std::size_t leader = 0) {
        steps_->begin(leader, [this](std::size_t i) {
            loupe::session::RunOptions options;
            options.pause_at_start = true;
            sessions_[i]->run(options);
        });
        return settles() && all_are(loupe::session::RunState::Paused);
    }
    void go_on() {
        steps_->go_on([this](std::size_t i) { sessions_[i]->run({}); });
    }
    // "parked before ..." and so on, a line a rank, for messages of tests.
    std::string where() {
        std::string out;
        for (std::size_t i = 0; i < size(); ++i) {
            const auto now = status(i);
            const auto& known = steps_->place(i);
            out += "rank " + std::to_string(i) + ": state " + std::to_string(static_cast<int>(now.state)) + " " +
                   now.why + " " + now.progress + " " + now.error + " " + (known ? place_text(*known) : "") + " " +
                   steps_->standing_text(i) + "\n";
        }
        return out;
    }

  private:
    class Listener final : public loupe::session::SessionListener {
      public:
        Listener(RankProgram& program, std::size_t rank) : program_(program), rank_(rank) {}
        void on_status(const loupe::session::Status& status) override {
            program_.post([this, status] {
                if (program_.steps_) program_.steps_->take_status(rank_, status);
            });
        }

      private:
        RankProgram& program_;
        const std::size_t rank_;
    };

    void post(std::function<void()> work) {
        const std::lock_guard lock(mutex_);
        posted_.push_back(std::move(work));
    }

    std::mutex mutex_;
    std::deque<std::function<void()>> posted_;
    std::unique_ptr<loupe::session::RankProcess> process_;
    std::vector<std::unique_ptr<Listener>> listeners_;
    std::vector<std::unique_ptr<loupe::session::Session>> sessions_;
    std::unique_ptr<loupe::session::RankSteps> steps_;
};
