// SPDX-License-Identifier: Apache-2.0
#include "core/session/run_verdict.h"

#include <utility>

namespace loupe::session {

std::shared_ptr<const Verdict> verdict_of(const Recording& recording, const RunOptions& options, RunFacts facts) {
    facts.has_statistics = options.statistics;
    facts.has_backward = options.backward;
    for (const std::string& name : options.left_out) facts.left_out.push_back(name.empty() ? "the model itself" : name);
    return std::make_shared<Verdict>(conclude(recording, facts));
}

SessionListener::LogEntry entry_of(const Verdict& verdict) {
    using Level = SessionListener::LogEntry::Level;
    SessionListener::LogEntry entry;
    entry.level = verdict.severity == Verdict::Severity::Error     ? Level::Error
                  : verdict.severity == Verdict::Severity::Warning ? Level::Warning
                                                                   : Level::Info;
    entry.text = verdict.line();
    entry.event = verdict.event;
    entry.graph_node = verdict.graph_node;
    entry.scope = verdict.module;
    entry.source = verdict.source;
    return entry;
}

}  // namespace loupe::session
