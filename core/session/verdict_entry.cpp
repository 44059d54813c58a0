// SPDX-License-Identifier: Apache-2.0
#include "core/session/verdict_entry.h"

namespace loupe::session {

SessionListener::LogEntry entry_of(const Verdict& verdict) {
    using Importance = SessionListener::LogEntry::Level;
    SessionListener::LogEntry entry;
    entry.level = verdict.severity == Verdict::Severity::Error     ? Importance::Error
                  : verdict.severity == Verdict::Severity::Warning ? Importance::Warning
                                                                   : Importance::Info;
    entry.text = verdict.line();
    entry.event = verdict.event;
    entry.graph_node = verdict.graph_node;
    entry.scope = verdict.module;
    entry.source = verdict.source;
    return entry;
}

}  // namespace loupe::session
