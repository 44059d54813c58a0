// SPDX-License-Identifier: Apache-2.0
#pragma once
// An engine in this process, as a session's.

#include "core/session/backend.h"
#include "core/session/engine.h"

namespace loupe::session {

class LocalEngine final : public Backend {
  public:
    explicit LocalEngine(SessionListener* listener) : engine_(listener) {}

    void perform(const VerbRecord& verb, std::shared_ptr<const void> value, VerbDone done) override;
    void ask(const std::string& tag, const QueryRecord& record, std::shared_ptr<const void> query,
             std::function<void(QueryValue)> reply, std::function<void(QueryValue)> progress) override;
    void wait_idle() override { engine_.wait_idle(); }

    Status status() const override { return engine_.status(); }
    std::shared_ptr<const ModelInfo> model() const override { return engine_.model(); }
    std::shared_ptr<const Recording> recording() const override { return engine_.recording(); }
    std::shared_ptr<const TrainingLog> training() const override { return engine_.training(); }
    std::vector<std::shared_ptr<const TrainingLog>> trainings() const override { return engine_.trainings(); }
    std::shared_ptr<const Generation> generation() const override { return engine_.generation(); }
    std::vector<InputSpec> inputs() const override { return engine_.inputs(); }
    RunOptions run_options() const override { return engine_.last_options(); }
    FilePermissions permissions_of(const std::filesystem::path& source) const override {
        return engine_.permissions_of(source);
    }
    RunControl& control() override { return engine_.control(); }
    std::map<std::string, std::vector<Breakpoint>> breakpoints_elsewhere() override { return engine_.moves().away(); }
    void log(SessionListener::LogEntry entry) override { engine_.log(std::move(entry)); }

    bool has_process() const override { return false; }
    EngineEnd engine_end() const override { return {}; }
    void kill_engine() override {}
    void restart_engine(bool) override {}

    Engine& engine() { return engine_; }

  private:
    Engine engine_;
};

}  // namespace loupe::session
