// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/engine_end_text.h"

#include <csignal>
#include <cstring>
#include <filesystem>

#include "core/base/strings.h"

namespace loupe::session {
namespace {

std::string signal_text(int signal) {
    const char* name = ::sigabbrev_np(signal);
    return name == nullptr ? concat("signal ", signal) : concat("SIG", name);
}

// " in aten::conv2d at event 17 (model.py:12)"; empty: nothing ran.
std::string where_text(const EngineEnd& end, const Status& now, std::int64_t training_step) {
    std::string where;
    if (!end.op.empty())
        where = concat(" in ", end.op, " at event ", end.event);
    else if (end.event != 0)
        where = concat(" behind event ", end.event);
    else if (now.state == RunState::Opening)
        where = " while a file was opened";
    if (training_step != 0) where += concat(", in step ", training_step, " of the training");
    if (!end.source.file.empty())
        where += concat(" (", std::filesystem::path(end.source.file).filename().string(), ":", end.source.line, ")");
    return where;
}

}  // namespace

std::int64_t training_step_of(const EngineLife::End& life, const Status& now) {
    if (!now.is_training || now.training_end != 0) return 0;
    if (life.place.training_step != 0) return life.place.training_step;
    return now.state == RunState::Paused ? now.training_step : now.training_step + 1;
}

EngineEnd describe_end(const EngineLife::End& life, const Status& now, const Recording* recording) {
    EngineEnd end;
    end.kind = life.kind;
    end.signal = life.signal;
    end.exit_status = life.exit_status;
    const bool is_under_way = now.state == RunState::Running || now.state == RunState::Paused;
    // Few steps of a training are recorded: the events that are there are of another one.
    const bool is_unseen = now.is_training && now.state == RunState::Running && !life.place.is_under_way;
    if (is_unseen) {
        end.event = 0;
    } else if (life.place.event != 0 && is_under_way) {
        end.event = life.place.event;
        if (life.place.is_under_way) {
            end.op = life.place.op;
            end.scope = life.place.scope;
            if (!life.place.file.empty()) end.source = {life.place.file, life.place.line, 0};
        }
    } else if (is_under_way && recording != nullptr) {
        end.event = static_cast<EventId>(recording->event_count());
    }
    const std::string where = where_text(end, now, training_step_of(life, now));
    switch (life.kind) {
        case EngineEnd::Kind::None:
            break;
        case EngineEnd::Kind::Crashed:
            end.text = concat("the engine died: ", signal_text(life.signal), where);
            break;
        case EngineEnd::Kind::Killed:
            end.text = concat("the engine was killed", where, ": by hand, or by the system when memory ran out");
            break;
        case EngineEnd::Kind::Stopped:
            end.text = concat("the engine was stopped", where);
            break;
        case EngineEnd::Kind::Exited:
            end.text = life.what.empty() ? concat("the engine ended by itself, with status ", life.exit_status, where)
                                         : life.what;
            break;
        case EngineEnd::Kind::Refused:
            end.text = life.what;
            break;
        case EngineEnd::Kind::Damaged:
            end.text = concat("what the engine sent was damaged (", life.what, "), so it was ended", where);
            break;
    }
    if (!life.last_collective.empty()) end.text += concat("; its last collective: ", life.last_collective);
    return end;
}

}  // namespace loupe::session
