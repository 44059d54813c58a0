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
Said where_text(const EngineEnd& end, const Status& now, std::int64_t training_step) {
    Said where;
    if (!end.op.empty())
        where = engine::said(" in %1 at event %2", end.op, end.event);
    else if (end.event != 0)
        where = engine::said(" behind event %1", end.event);
    else if (now.state == RunState::Opening)
        where = engine::said(" while a file was opened");
    if (training_step != 0) where += engine::said(", in step %1 of the training", training_step);
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
    const Said where = where_text(end, now, training_step_of(life, now));
    switch (life.kind) {
        case EngineEnd::Kind::None:
            break;
        case EngineEnd::Kind::Crashed:
            end.text = engine::said("the engine died: %1", said_in_row(signal_text(life.signal), where));
            break;
        case EngineEnd::Kind::Killed:
            end.text = engine::said("the engine was killed%1: by hand, or by the system when memory ran out", where);
            break;
        case EngineEnd::Kind::Stopped:
            end.text = engine::said("the engine was stopped%1", where);
            break;
        case EngineEnd::Kind::Exited:
            end.text = life.what.empty()
                           ? engine::said("the engine ended by itself, with status %1%2", life.exit_status, where)
                           : Said(life.what);
            break;
        case EngineEnd::Kind::Refused:
            end.text = life.what;
            break;
        case EngineEnd::Kind::Damaged:
            end.text = engine::said("what the engine sent was damaged (%1), so it was ended%2", life.what, where);
            break;
    }
    if (!life.last_collective.empty()) end.text += engine::said("; its last collective: %1", life.last_collective);
    return end;
}

}  // namespace loupe::session
