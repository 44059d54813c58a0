// SPDX-License-Identifier: Apache-2.0
#pragma once
// How an engine ended that ran in a process of its own: values only.

#include <string>

#include "core/base/fields.h"
#include "core/base/said.h"
#include "core/model/model_info.h"
#include "core/record/recording.h"

namespace loupe::session {

struct EngineEnd {
    enum class Kind {
        None,     // it runs, or is in this process; text: of the one before it, which this session never had
        Crashed,  // by a signal: SIGSEGV in a kernel or a plugin
        Killed,   // SIGKILL that was not ours: by a person, or by the system that ran out of memory
        Stopped,  // by kill_engine()
        Exited,   // by itself, or it closed its side
        Refused,  // at the start: it is no engine, or of another version
        Damaged,  // what it sent was no message
    };
    Kind kind = Kind::None;
    Said text = {};  // one line: "the engine died: SIGSEGV in aten::conv2d at event 17 (model.py:12)"
    int signal = 0;
    int exit_status = 0;
    // What ran when it ended, as far as it is known: event 0 is none. op empty: behind the event, or nothing did.
    EventId event = 0;
    std::string op = {};
    std::string scope = {};
    SourcePlace source = {};
    // The run can be begun again as far as the event: the model and the options are there.
    bool can_go_back = false;
};
constexpr EngineEnd::Kind last_of(EngineEnd::Kind) { return EngineEnd::Kind::Damaged; }
auto fields(Like<EngineEnd> auto& it) {
    return std::tie(it.kind, it.text, it.signal, it.exit_status, it.event, it.op, it.scope, it.source, it.can_go_back);
}

}  // namespace loupe::session
