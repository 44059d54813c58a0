// SPDX-License-Identifier: Apache-2.0
// An engine that has ended is started anew, and given what the one before had.
#include <algorithm>
#include <utility>

#include "core/base/cut_text.h"
#include "core/base/strings.h"
#include "core/session/queries/file_bytes.h"
#include "core/session/queries/restore_run.h"
#include "core/session/queries/restore_training.h"
#include "core/session/remote/end_place.h"
#include "core/session/remote/kept_opening.h"
#include "core/session/remote/remote_engine.h"
#include "core/session/verbs.h"
#include "core/session/wire/wire.h"

namespace loupe::session {

template <typename Verb>
void RemoteEngine::give_now(Verb verb, VerbDone done) {
    perform(Verb::record(), std::make_shared<const Verb>(std::move(verb)), std::move(done));
}

template <typename Query>
void RemoteEngine::ask_now(Query query, std::function<void(typename Query::Answer)> reply) {
    ask("restart", Query::record(), std::make_shared<const Query>(std::move(query)),
        [reply = std::move(reply)](const QueryValue& answer) {
            reply(std::move(*static_cast<typename Query::Answer*>(answer.get())));
        },
        {});
}

void RemoteEngine::restart_engine(bool goes_back) {
    const std::lock_guard orders(order_mutex_);
    {
        const std::lock_guard lock(mutex_);
        if (life_ != nullptr) return;
    }
    std::function<void()> then;
    if (goes_back) then = way_back();
    const Restore what = then ? Restore::Model : Restore::Run;
    restart(opened_.has_value(), what, std::move(then));
}

// To where the engine ended: the run again with the same seed as far as that event, or the training on from what is
// kept of it, else from its beginning, as far as that step. Empty: there is none.
std::function<void()> RemoteEngine::way_back() {
    const EngineEnd end = engine_end();
    if (!end.can_go_back) return {};
    if (ended_in_step_ != 0)
        return [this, options = training()->options(), step = ended_in_step_] {
            give_now(TrainVerb{.options = options, .goes_on = true, .pause_in = step});
        };
    RunOptions options = seen_.settings.options();
    options.record = true;
    options.pause_at_start = false;
    // Before the event that it died in, or behind the last that ran.
    const RunTarget there = RunTarget::before_event(end.op.empty() ? end.event + 1 : end.event);
    return [this, options, there] { give_now(RunVerb{.options = options, .target = there}); };
}

// With the settings of the session and, where reopens is set, the model as it was opened, or better as it was kept;
// then: what follows that.
void RemoteEngine::restart(bool reopens, Restore what, std::function<void()> then) {
    if (place_ == nullptr) {
        start();
        return restore(reopens, what, std::move(then));
    }
    // Whether there is something to be restored is known when the engine is reached.
    when_new_ = [this, reopens, what, then = std::move(then)] { restore(reopens, what, then); };
    {
        const std::lock_guard lock(mutex_);
        keeps_shown_ = true;
    }
    start();
    if (listener_ != nullptr) listener_->on_engine_end({});
}

void RemoteEngine::take_joined(std::string_view bytes) {
    const auto joined = from_bytes<JoinedMessage>(bytes);
    const std::lock_guard orders(order_mutex_);
    const std::function<void()> restores = std::exchange(when_new_, {});
    if (!joined.has_state && restores) return restores();
    {
        const std::lock_guard lock(mutex_);
        keeps_shown_ = false;
    }
    if (joined.kept.empty()) return;
    if (!joined.has_state && !joined.died.empty()) return take_up(joined);
    // It keeps already what it was ordered to by a session before.
    KeepInVerb keep{.folder = joined.kept};
    if (!joined.has_state) return give_now(std::move(keep));
    lasting_.push_back({&KeepInVerb::record(), std::make_shared<const KeepInVerb>(std::move(keep)), {}});
}

// The one before it died while this session was not there, or another one was.
void RemoteEngine::take_up(const JoinedMessage& joined) {
    const auto taken_up = std::make_shared<TakenUp>();
    // Of the engine that died: whatever it was, one line is said.
    taken_up->died = cut_middle(joined.died, 500);
    std::ranges::replace_if(
        taken_up->died, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    taken_up->place = read_end_place(joined.place).value_or(RunningPlace::Facts());
    std::optional<Opened> opening = read_opening(joined.opened);
    KeepInVerb keep{.folder = joined.kept};
    if (!opening || has_opened_) {
        taken_up->lost.push_back(opening ? engine::said("what it had, since another file was opened")
                                         : engine::said("a model"));
        give_now(std::move(keep));
        return tell(*taken_up);
    }
    lasting_.push_back({&KeepInVerb::record(), std::make_shared<const KeepInVerb>(std::move(keep)), {}});
    const std::filesystem::path& source = opening->open.file;
    const auto last = [this](auto verb) {
        using Verb = decltype(verb);
        const auto value = std::make_shared<const Verb>(std::move(verb));
        if (Verb::record().note != nullptr) {
            const std::lock_guard lock(mutex_);
            Verb::record().note(value.get(), seen_);
        }
        lasting_.push_back({&Verb::record(), value, {}});
    };
    if (!opening->permissions.read.empty() || !opening->permissions.write.empty())
        last(PermitSourceVerb{source, opening->permissions});
    if (opening->release) last(SetTorchReleaseVerb{source, *opening->release});
    opened_ = GivenVerb{&OpenVerb::record(), std::make_shared<const OpenVerb>(std::move(opening->open)), {}};
    restore(
        true, Restore::Run, [this, taken_up] { tell(*taken_up); }, taken_up);
}

void RemoteEngine::tell(const TakenUp& taken_up) {
    Said text = engine::said("before this window came %1", taken_up.died);
    if (!taken_up.back.empty()) text += engine::said("; restored: %1", said_list(taken_up.back, ", "));
    if (!taken_up.lost.empty()) text += engine::said("; not restored: %1", said_list(taken_up.lost, ", "));
    EngineEnd earlier;
    earlier.text = text;
    earlier.scope = taken_up.place.scope;
    earlier.source = {taken_up.place.file, taken_up.place.line, 0};
    {
        const std::lock_guard lock(mutex_);
        if (end_.kind == EngineEnd::Kind::None) end_ = earlier;
    }
    log({.level = SessionListener::LogEntry::Level::Warning,
         .text = text,
         .scope = earlier.scope,
         .source = earlier.source});
    if (listener_ != nullptr) listener_->on_engine_end(earlier);
}

void RemoteEngine::restore(bool reopens, Restore what, std::function<void()> then, std::shared_ptr<TakenUp> taken_up) {
    std::map<std::string, std::vector<Breakpoint>> elsewhere;
    std::vector<Breakpoint> breakpoints = seen_.control.breakpoints();
    {
        const std::lock_guard lock(mutex_);
        keeps_shown_ = reopens;
        elsewhere = seen_.breakpoints_elsewhere;
        if (model_ != nullptr && !reopens) elsewhere[model_->path] = std::exchange(breakpoints, {});
    }
    const std::filesystem::path kept = reopens ? kept_in() : std::filesystem::path();
    const auto give_value = [this](auto verb) {
        using Verb = decltype(verb);
        give({&Verb::record(), std::make_shared<const Verb>(std::move(verb)), {}});
    };
    for (const GivenVerb& verb : lasting_) {
        // What is kept is read first.
        if (kept.empty() || verb.record != &KeepInVerb::record()) give(verb);
    }
    for (const auto& [model, put_away] : elsewhere)
        give_value(PutAwayBreakpointsVerb{.path = model, .breakpoints = put_away});
    for (const Breakpoint& breakpoint : breakpoints) give_value(AddBreakpointVerb{.breakpoint = breakpoint});
    {
        const std::lock_guard lock(mutex_);
        noted_order_ = orders_;
    }
    if (listener_ != nullptr && place_ == nullptr) listener_->on_engine_end({});
    if (!reopens) return;
    auto opening = std::make_shared<OpenVerb>(*static_cast<const OpenVerb*>(opened_->value.get()));
    if (!kept.empty()) opening->kept = kept;
    opening->inputs = seen_.settings.inputs();
    const std::string name = opening->file.filename().string();
    GivenVerb given{opened_->record, std::move(opening), {}};
    given.done = [this, kept, what, then, name, taken_up, works = works_.load()](const std::string&) {
        if (taken_up != nullptr) taken_up->back.push_back(name);
        // A run that was begun since the model is there is not replaced by the one before.
        const auto still = [this, what, works] { return works_ == works ? what : Restore::Model; };
        if (!kept.empty()) return restore_kept(kept, still, then, taken_up);
        if (then) then();
    };
    if (!kept.empty())
        given.dropped = [this, kept, name, taken_up] {
            give_now(KeepInVerb{.folder = kept});
            if (taken_up == nullptr) return;
            taken_up->lost.push_back(engine::said("%1, which does not open again", name));
            tell(*taken_up);
        };
    give(std::move(given));
}

// Of the life before, behind the opening of its model: what it had trained, and the run with its elements.
void RemoteEngine::restore_kept(const std::filesystem::path& folder, const std::function<Restore()>& what,
                                std::function<void()> then, const std::shared_ptr<TakenUp>& taken_up) {
    const auto warn = [this, taken_up](const Said& text) {
        if (text.empty()) return;
        if (taken_up != nullptr) return taken_up->lost.push_back(text);
        log({.level = SessionListener::LogEntry::Level::Warning, .text = text, .scope = {}, .source = {}});
    };
    auto go_on = [this, folder, then = std::move(then)] {
        give_now(KeepInVerb{.folder = folder});
        if (then) then();
    };
    auto restore_run = [this, folder, what, warn, taken_up, go_on = std::move(go_on)] {
        if (what() == Restore::Model) return go_on();
        ask_now(RestoreRunQuery{.folder = folder}, [warn, taken_up, go_on](const RestoredRun& run) {
            if (taken_up != nullptr) note_run(run, *taken_up);
            warn(run.error.empty() ? run.note : Said(run.error));
            go_on();
        });
    };
    const std::filesystem::path checkpoint = folder / "training.pt";
    auto restore_training = [this, checkpoint, warn, taken_up, restore_run = std::move(restore_run)](bool is_there) {
        if (!is_there) return restore_run();
        ask_now(RestoreTrainingQuery{.file = checkpoint.string()},
                [this, warn, taken_up, restore_run](const std::string& failure) {
                    if (taken_up != nullptr && failure.empty()) note_training(*taken_up);
                    warn(failure);
                    restore_run();
                });
    };
    if (place_ == nullptr) {
        std::error_code ignored;
        return restore_training(std::filesystem::is_regular_file(checkpoint, ignored));
    }
    ask_now(LookAtFileQuery{.path = checkpoint.string()},
            [restore_training = std::move(restore_training)](const FileFacts& facts) {
                restore_training(facts.exists && !facts.is_folder);
            });
}

void RemoteEngine::note_run(const RestoredRun& run, TakenUp& taken_up) {
    if (run.error.empty() && run.events != 0) {
        taken_up.back.push_back(engine::said("its run as far as event %1", run.events));
        if (taken_up.place.event > run.events) taken_up.lost.push_back(engine::said("events behind %1", run.events));
    }
    if (!run.other_model.empty()) taken_up.lost.push_back(run.other_model);
}

void RemoteEngine::note_training(TakenUp& taken_up) const {
    const auto log = training();
    if (log == nullptr) return;
    const auto steps = static_cast<std::int64_t>(log->step_count());
    taken_up.back.push_back(engine::said("its training as far as step %1", steps));
    if (taken_up.place.training_step > steps) taken_up.lost.push_back(engine::said("steps behind %1", steps));
}

// Empty: nowhere.
std::filesystem::path RemoteEngine::kept_in() const {
    for (const GivenVerb& verb : lasting_) {
        if (verb.record == &KeepInVerb::record()) return static_cast<const KeepInVerb*>(verb.value.get())->folder;
    }
    return {};
}

}  // namespace loupe::session
