// SPDX-License-Identifier: Apache-2.0
#pragma once
// What stands behind a Session: an engine in this process (LocalEngine), or one in a process of its own (RemoteEngine,
// see remote/messages.h). Orders are verbs, questions are queries, and what comes back are values; so that neither a
// session nor its listener knows which of the two it has.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/file_sandbox.h"
#include "core/model/input_spec.h"
#include "core/model/model_info.h"
#include "core/record/recording.h"
#include "core/record/run_options.h"
#include "core/session/breakpoint.h"
#include "core/session/engine_end.h"
#include "core/session/generation.h"
#include "core/session/query.h"
#include "core/session/run_control.h"
#include "core/session/session_listener.h"
#include "core/session/status.h"
#include "core/session/verbs.h"
#include "core/train/training.h"

namespace loupe::session {

// Any thread may call any of these; all but wait_idle() return at once.
class Backend {
  public:
    virtual ~Backend() = default;

    // done: called on the engine's thread; may be empty.
    virtual void perform(const VerbRecord& verb, std::shared_ptr<const void> value, VerbDone done) = 0;
    // See Session::ask.
    virtual void ask(const std::string& tag, const QueryRecord& record, std::shared_ptr<const void> query,
                     std::function<void(QueryValue)> reply, std::function<void(QueryValue)> progress) = 0;
    virtual void wait_idle() = 0;

    virtual Status status() const = 0;
    virtual std::shared_ptr<const ModelInfo> model() const = 0;
    virtual std::shared_ptr<const Recording> recording() const = 0;
    virtual std::shared_ptr<const TrainingLog> training() const = 0;
    virtual std::vector<std::shared_ptr<const TrainingLog>> trainings() const = 0;
    virtual std::shared_ptr<const Generation> generation() const = 0;
    virtual std::vector<InputSpec> inputs() const = 0;
    virtual RunOptions run_options() const = 0;
    virtual FilePermissions permissions_of(const std::filesystem::path& source) const = 0;
    // Gives breakpoints their ids, and checks their conditions.
    virtual RunControl& control() = 0;
    virtual std::map<std::string, std::vector<Breakpoint>> breakpoints_elsewhere() = 0;
    // Reports to the listener.
    virtual void log(SessionListener::LogEntry entry) = 0;

    // Of an engine in a process of its own; see Session.
    virtual bool has_process() const = 0;
    virtual EngineEnd engine_end() const = 0;
    virtual void kill_engine() = 0;
    virtual void restart_engine(bool goes_back) = 0;
};

}  // namespace loupe::session
