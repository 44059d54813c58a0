// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who shows a session, as its engine knows them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/base/fields.h"
#include "core/base/said.h"
#include "core/model/model_info.h"
#include "core/record/recording.h"
#include "core/session/engine_end.h"
#include "core/session/generation.h"
#include "core/session/status.h"
#include "core/study/compilation.h"
#include "core/train/training.h"

namespace loupe::session {

// Called on the engine thread; must return soon (post to another thread) and not call the session's blocking functions.
class SessionListener {
  public:
    virtual ~SessionListener() = default;
    virtual void on_status(const Status&) {}
    // A model was opened (null: closed).
    virtual void on_model(std::shared_ptr<const ModelInfo>) {}
    // A run began; its recording grows from now on.
    virtual void on_recording(std::shared_ptr<const Recording>) {}
    // More events were recorded. At most about 60 times a second, and once at the end.
    virtual void on_events(std::size_t event_count) { (void)event_count; }
    // A training began or went on: at most about 20 times a second, and at the end.
    virtual void on_training(std::shared_ptr<const TrainingLog>) {}
    // A token was generated. Null: the text is gone.
    virtual void on_generation(std::shared_ptr<const Generation>) {}
    // A graph was compiled in a mode: asked for by CompileQuery, or because a run begins.
    virtual void on_compiled(std::shared_ptr<const CompileReport>) {}
    // Of an engine in a process of its own: breakpoints are others than the session has shown so far, by what it did
    // itself (they moved with their lines, or were hit). Called on that thread which heard of it.
    virtual void on_breakpoints() {}
    // Of an engine in a process of its own: it has ended, behind the status and the log entry that say so; with kind
    // None, another one took its place. Called on that thread which heard of it.
    virtual void on_engine_end(const EngineEnd&) {}
    // What a model source did, or was kept from doing, with files.
    struct FileAccess {
        enum class Kind {
            None,
            Refused,  // allow: what has to be permitted for it; empty when nothing can be
            Wrote,    // the source has written into its fresh folder
            Left,     // the fresh folder of a source that is closed, with files in it
        };
        Kind kind = Kind::None;
        bool is_write = false;
        bool is_removal = false;    // a write that removes, renames or replaces
        bool lacks_folder = false;  // a write into a folder that does not exist
        std::string path = {};
        std::string allow = {};
        std::string folder = {};
    };
    struct LogEntry {
        enum class Level { Info, Warning, Error } level = Level::Info;
        Said text;
        EventId event = 0;  // a link to where it happened
        int graph_node = -1;
        std::string scope;
        SourcePlace source;
        std::int64_t training_step = 0;                  // the same, of a training: Session::look_at_step
        std::weak_ptr<const TrainingLog> training = {};  // the one whose step it is: others have one of that number too
        std::string details = {};  // where text is the first of several lines: all of them, as Status::details
        FileAccess access = {};
        std::int64_t time = 0;  // when it was reported: milliseconds since 1970; 0: not known
        // The run whose event it is: others have one of that number too.
        std::weak_ptr<const Recording> recording = {};
    };
    virtual void on_log(const LogEntry&) {}
};
constexpr SessionListener::FileAccess::Kind last_of(SessionListener::FileAccess::Kind) {
    return SessionListener::FileAccess::Kind::Left;
}
auto fields(Like<SessionListener::FileAccess> auto& it) {
    return std::tie(it.kind, it.is_write, it.is_removal, it.lacks_folder, it.path, it.allow, it.folder);
}
constexpr SessionListener::LogEntry::Level last_of(SessionListener::LogEntry::Level) {
    return SessionListener::LogEntry::Level::Error;
}
auto fields(Like<SessionListener::LogEntry> auto& it) {
    return std::tie(it.level, it.text, it.event, it.graph_node, it.scope, it.source, it.training_step, it.training,
                    it.details, it.access, it.time, it.recording);
}

}  // namespace loupe::session
