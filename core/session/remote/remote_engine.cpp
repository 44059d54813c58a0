// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/remote_engine.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/error.h"
#include "core/base/restricted_thread.h"
#include "core/base/strings.h"
#include "core/session/publisher.h"
#include "core/session/queries/restore_run.h"
#include "core/session/queries/restore_training.h"
#include "core/session/remote/engine_end_text.h"
#include "core/session/remote/far_engine.h"
#include "core/session/watched_programs.h"
#include "core/session/wire/wire.h"
#include "core/study/verdict.h"

namespace loupe::session {
namespace {

std::int64_t now_in_milliseconds() {
    using std::chrono::milliseconds, std::chrono::system_clock;
    return std::chrono::duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace

RemoteEngine::RemoteEngine(std::unique_ptr<EngineHome> home, SessionListener* listener)
    : home_(std::move(home)),
      begin_([this](EngineLife::Owner& owner) {
          try {
              return std::make_shared<EngineLife>(home_->launch(), owner);
          } catch (const Error& error) {
              return std::make_shared<EngineLife>(error.message(), owner);
          }
      }),
      listener_(listener) {
    const std::lock_guard orders(order_mutex_);
    start();
}

RemoteEngine::RemoteEngine(Begin begin, SessionListener* listener)
    : RemoteEngine(std::move(begin), nullptr, listener) {}

RemoteEngine::RemoteEngine(std::shared_ptr<FarPlace> place, SessionListener* listener)
    : RemoteEngine(
          [place](EngineLife::Owner& owner) {
              const auto engine = std::make_shared<FarEngine>(place);
              place->set_current(engine);
              return std::make_shared<EngineLife>(FarEngine::port_of(engine), owner);
          },
          place, listener) {}

RemoteEngine::RemoteEngine(Begin begin, std::shared_ptr<FarPlace> place, SessionListener* listener)
    : begin_(std::move(begin)), place_(std::move(place)), listener_(listener) {
    const std::lock_guard orders(order_mutex_);
    start();
}

RemoteEngine::~RemoteEngine() {
    std::vector<std::shared_ptr<EngineLife>> lives;
    {
        const std::lock_guard orders(order_mutex_);
        const std::lock_guard lock(mutex_);
        is_closing_ = true;
        lives = std::move(ended_lives_);
        if (life_ != nullptr) lives.push_back(std::exchange(life_, nullptr));
        changed_.notify_all();
    }
    for (const auto& life : lives) life->end();
    wait_for_apart();
}

// --- state ---

Status RemoteEngine::status() const {
    const std::lock_guard lock(mutex_);
    return status_;
}
std::shared_ptr<const ModelInfo> RemoteEngine::model() const {
    const std::lock_guard lock(mutex_);
    return model_;
}
std::shared_ptr<const Recording> RemoteEngine::recording() const {
    const std::lock_guard lock(mutex_);
    return recording_;
}
std::shared_ptr<const TrainingLog> RemoteEngine::training() const {
    const std::lock_guard lock(mutex_);
    return training_;
}
std::vector<std::shared_ptr<const TrainingLog>> RemoteEngine::trainings() const {
    const std::lock_guard lock(mutex_);
    return all_trainings_;
}
std::shared_ptr<const Generation> RemoteEngine::generation() const {
    const std::lock_guard lock(mutex_);
    return generation_;
}
std::map<std::string, std::vector<Breakpoint>> RemoteEngine::breakpoints_elsewhere() {
    const std::lock_guard lock(mutex_);
    return seen_.breakpoints_elsewhere;
}
EngineEnd RemoteEngine::engine_end() const {
    const std::lock_guard lock(mutex_);
    return end_;
}

void RemoteEngine::log(SessionListener::LogEntry entry) {
    if (listener_ == nullptr) return;
    entry.time = now_in_milliseconds();
    if (entry.event != 0) entry.recording = recording();
    listener_->on_log(entry);
}

// --- orders ---

void RemoteEngine::start() {
    is_outgrown_ = false;
    EngineLife::Owner& owner = *this;
    const std::shared_ptr<EngineLife> begun = begin_(owner);
    std::vector<std::shared_ptr<EngineLife>> over;
    {
        const std::lock_guard lock(mutex_);
        recordings_.clear();
        trainings_.clear();
        orders_ = 0;
        noted_order_ = 0;
        life_ = begun;
        end_ = {};
        // One whose owner still hears of it may wait for this very call.
        const auto first =
            std::partition(ended_lives_.begin(), ended_lives_.end(), [](const auto& life) { return !life->is_over(); });
        over.assign(first, ended_lives_.end());
        ended_lives_.erase(first, ended_lives_.end());
    }
    for (const auto& life : over) life->end();
    begun->start();
}

void RemoteEngine::perform(const VerbRecord& verb, std::shared_ptr<const void> value, VerbDone done) {
    const std::lock_guard orders(order_mutex_);
    bool is_alive = false;
    const bool opens = &verb == &OpenVerb::record();
    permit(verb, value.get());
    if (opens && is_outgrown_) give_up_life();
    {
        const std::lock_guard lock(mutex_);
        if (is_closing_) return;
        is_alive = life_ != nullptr;
        if (verb.note != nullptr) {
            verb.note(value.get(), seen_);
            noted_order_ = orders_ + 1;
        }
    }
    if (verb.traits.lasts) {
        // Of folders that the session was kept in the last one counts: what the others keep is of other sessions now.
        if (&verb == &KeepInVerb::record())
            std::erase_if(lasting_, [](const GivenVerb& each) { return each.record == &KeepInVerb::record(); });
        lasting_.push_back({&verb, value, {}});
    }
    const bool reopens = !is_alive && !opens && opened_;
    if (!is_alive && place_ != nullptr && verb.traits.is_work)
        return log({.level = SessionListener::LogEntry::Level::Warning,
                    .text = concat("there is no connection to the engine on ", place_->host()),
                    .scope = {},
                    .source = {}});
    if (!is_alive && (place_ != nullptr || !verb.traits.is_work)) return;
    // A file that does not open leaves the model there was.
    if (opens)
        done = [this, &verb, value, told = std::move(done)](std::string text) {
            {
                const std::lock_guard again(order_mutex_);
                opened_ = GivenVerb{&verb, value, {}};
            }
            if (told) told(std::move(text));
        };
    GivenVerb given{&verb, std::move(value), std::move(done)};
    if (!is_alive) restart(reopens, Restore::Model, [this, given] { perform(*given.record, given.value, given.done); });
    if (!reopens) give(std::move(given));
}

// What a process may write cannot be widened: what its user permits behind its start is for the next one, which comes
// with the next model.
void RemoteEngine::permit(const VerbRecord& verb, const void* value) {
    if (home_ == nullptr) return;
    std::vector<std::filesystem::path> written;
    if (&verb == &PermitSourceVerb::record()) written = static_cast<const PermitSourceVerb*>(value)->permissions.write;
    if (&verb == &KeepInVerb::record()) written.push_back(static_cast<const KeepInVerb*>(value)->folder);
    for (const std::filesystem::path& path : written) {
        if (path.empty() || home_->holds(path)) continue;
        home_->add(nearest_folder(path));
        is_outgrown_ = true;
    }
}

// Not joined here: its reader may wait for the very order that this is part of.
void RemoteEngine::give_up_life() {
    std::map<std::uint64_t, AskedQuery> asked;
    std::map<std::uint64_t, GivenVerb> given;
    {
        const std::lock_guard lock(mutex_);
        if (life_ == nullptr) return;
        asked.swap(asked_);
        given.swap(given_);
        life_->kill();
        ended_lives_.push_back(std::exchange(life_, nullptr));
        changed_.notify_all();
    }
    refuse(asked, given, "the engine was started anew");
}

// An engine's process may connect to no program: the session does. Not open where it cannot; the engine says so then.
FileHandle RemoteEngine::opened_for(const GivenVerb& verb) {
    if (verb.record != &OpenVerb::record()) return {};
    const auto& order = *static_cast<const OpenVerb*>(verb.value.get());
    try {
        return is_watched_socket(order.file) ? connect_to_watched(order.file) : FileHandle();
    } catch (const Error&) {
        return {};
    }
}

void RemoteEngine::give(GivenVerb verb) {
    OrderMessage message;
    message.number = ++orders_;
    message.verb = verb.record->name;
    message.value = verb.record->wire.write(verb.value.get());
    message.wants_done = static_cast<bool>(verb.done);
    const FileHandle opened = opened_for(verb);
    std::unique_lock giving(giving_mutex_, std::defer_lock);
    std::shared_ptr<EngineLife> life;
    {
        const std::lock_guard lock(mutex_);
        life = life_;
        if (life == nullptr) return;
    }
    if (opened.is_open() && life->takes_files()) {
        giving.lock();
        life->give_file(message.number, opened);
        message.has_file = true;
    }
    {
        const std::lock_guard lock(mutex_);
        if (verb.done) given_[message.number] = std::move(verb);
    }
    life->send(MessageKind::Order, to_bytes(message));
}

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

void RemoteEngine::ask(const std::string& tag, const QueryRecord& record, std::shared_ptr<const void> query,
                       std::function<void(QueryValue)> reply, std::function<void(QueryValue)> progress) {
    if (home_ != nullptr && record.answer_apart != nullptr)
        return answer_apart(record, std::move(query), std::move(reply));
    AskedQuery asked{&record, std::move(query), std::move(reply), std::move(progress), {}, tag};
    std::shared_ptr<EngineLife> life;
    EngineEnd end;
    {
        const std::lock_guard lock(mutex_);
        life = life_;
        end = end_;
        if (life != nullptr && place_ != nullptr) {
            int& count = on_their_way_[tag];
            if (count >= kMostAsked) {
                held_[tag] = std::move(asked);
                return;
            }
            ++count;
        }
    }
    if (life != nullptr) return send(life, std::move(asked));
    if (record.refuse != nullptr && asked.reply)
        asked.reply(record.refuse(asked.query.get(), Error(ErrorKind::Run, end.text)));
}

void RemoteEngine::answer_apart(const QueryRecord& record, std::shared_ptr<const void> query,
                                std::function<void(QueryValue)> reply) {
    const std::lock_guard lock(apart_mutex_);
    if (apart_.joinable()) apart_.join();
    apart_ = std::thread([this, &record, query = std::move(query), reply = std::move(reply)] {
        tell([&] { reply(record.answer_apart(query.get())); });
    });
}

void RemoteEngine::wait_for_apart() {
    const std::lock_guard lock(apart_mutex_);
    if (apart_.joinable()) apart_.join();
}

// The answer, or why the file that the engine has written is not there yet.
QueryValue RemoteEngine::put_in_place(const AskedQuery& asked, const QueryValue& answer) {
    if (asked.written == nullptr) throw Error(ErrorKind::File, "a file that nobody asked for");
    try {
        asked.written->commit();
        return answer;
    } catch (const Error& error) {
        return asked.record->refuse == nullptr ? answer : asked.record->refuse(asked.query.get(), error);
    }
}

void RemoteEngine::send(const std::shared_ptr<EngineLife>& life, AskedQuery asked) {
    AskMessage message;
    message.tag = asked.tag;
    message.query = asked.record->name;
    message.value = asked.record->query_wire.write(asked.query.get());
    message.wants_progress = static_cast<bool>(asked.progress);
    std::unique_lock giving(giving_mutex_, std::defer_lock);
    {
        const std::lock_guard lock(mutex_);
        message.number = ++last_number_;
    }
    try {
        const auto written = asked.record->written;
        if (written != nullptr && life->takes_files() && !written(asked.query.get()).empty()) {
            asked.written = std::make_shared<AtomicFile>(written(asked.query.get()));
            giving.lock();
            life->give_file(message.number, asked.written->contents());
            message.has_file = true;
        }
    } catch (const Error& error) {
        if (asked.record->refuse != nullptr && asked.reply) asked.reply(asked.record->refuse(asked.query.get(), error));
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        if (life_ == life) asked_[message.number] = std::move(asked);
    }
    life->send(MessageKind::Ask, to_bytes(message));
}

// One that is answered, or never will be: the next of its tag goes. nullopt: none has that number.
std::optional<RemoteEngine::AskedQuery> RemoteEngine::take_asked(std::uint64_t number) {
    std::optional<AskedQuery> taken;
    std::optional<AskedQuery> next;
    std::shared_ptr<EngineLife> life;
    {
        const std::lock_guard lock(mutex_);
        const auto found = asked_.find(number);
        if (found == asked_.end()) return std::nullopt;
        taken = std::move(found->second);
        asked_.erase(found);
        if (place_ == nullptr) return taken;
        life = life_;
        if (const auto held = held_.find(taken->tag); held != held_.end() && life != nullptr) {
            next = std::move(held->second);
            held_.erase(held);
        } else if (const auto count = on_their_way_.find(taken->tag);
                   count != on_their_way_.end() && --count->second <= 0) {
            on_their_way_.erase(count);
        }
    }
    if (next) send(life, std::move(*next));
    return taken;
}

void RemoteEngine::drop_question(std::string_view bytes) { take_asked(from_bytes<NumberMessage>(bytes).number); }

void RemoteEngine::wait_idle() {
    wait_for_apart();
    std::unique_lock lock(mutex_);
    const std::shared_ptr<EngineLife> life = life_;
    if (life == nullptr) return;
    // What comes in the meantime may give orders and ask.
    std::uint64_t given = 0;
    do {
        given = orders_ + last_number_;
        const std::uint64_t number = ++idle_asked_;
        life->send(MessageKind::AskIdle, to_bytes(NumberMessage{number}));
        changed_.wait(lock, [&] { return idle_answered_ >= number || life_ != life; });
    } while (life_ == life && given != orders_ + last_number_);
}

void RemoteEngine::kill_engine() {
    std::shared_ptr<EngineLife> life;
    {
        const std::lock_guard lock(mutex_);
        life = life_;
    }
    if (life != nullptr) life->kill();
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
    const std::lock_guard lock(mutex_);
    keeps_shown_ = false;
}

void RemoteEngine::restore(bool reopens, Restore what, std::function<void()> then) {
    std::map<std::string, std::vector<Breakpoint>> elsewhere;
    std::vector<Breakpoint> breakpoints = seen_.control.breakpoints();
    {
        const std::lock_guard lock(mutex_);
        keeps_shown_ = reopens;
        elsewhere = seen_.breakpoints_elsewhere;
        if (model_ != nullptr && !reopens) elsewhere[model_->path] = std::exchange(breakpoints, {});
    }
    const std::vector<InputSpec> inputs = seen_.settings.inputs();
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
    GivenVerb given{opened_->record, std::move(opening), {}};
    given.done = [this, inputs, kept, what, then = std::move(then)](const std::string&) {
        give_now(SetInputsVerb{.inputs = inputs});
        if (!kept.empty()) return restore_kept(kept, what, then);
        if (then) then();
    };
    if (!kept.empty()) given.dropped = [this, kept] { give_now(KeepInVerb{.folder = kept}); };
    give(std::move(given));
}

// Of the life before, behind the opening of its model: what it had trained, and the run with its elements.
void RemoteEngine::restore_kept(const std::filesystem::path& folder, Restore what, std::function<void()> then) {
    const auto warn = [this](const std::string& text) {
        if (!text.empty())
            log({.level = SessionListener::LogEntry::Level::Warning, .text = text, .scope = {}, .source = {}});
    };
    auto go_on = [this, folder, then = std::move(then)] {
        give_now(KeepInVerb{.folder = folder});
        if (then) then();
    };
    auto restore_run = [this, folder, what, warn, go_on = std::move(go_on)] {
        if (what == Restore::Model) return go_on();
        ask_now(RestoreRunQuery{.folder = folder}, [warn, go_on](const RestoredRun& run) {
            warn(run.error.empty() ? run.note : run.error);
            go_on();
        });
    };
    const std::filesystem::path checkpoint = folder / "training.pt";
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(checkpoint, ignored)) return restore_run();
    ask_now(RestoreTrainingQuery{.file = checkpoint.string()},
            [warn, restore_run = std::move(restore_run)](const std::string& failure) {
                warn(failure);
                restore_run();
            });
}

// Empty: nowhere.
std::filesystem::path RemoteEngine::kept_in() const {
    for (const GivenVerb& verb : lasting_) {
        if (verb.record == &KeepInVerb::record()) return static_cast<const KeepInVerb*>(verb.value.get())->folder;
    }
    return {};
}

// What a caller throws is no fault of the engine's.
template <typename Work>
void RemoteEngine::tell(const Work& work) {
    std::string text;
    try {
        return work();
    } catch (const std::exception& error) {
        text = error.what();
    } catch (...) {
        text = "an exception that is no std::exception";
    }
    log({.level = SessionListener::LogEntry::Level::Error, .text = text, .scope = {}, .source = {}});
}

// --- what comes ---

void RemoteEngine::take(EngineLife& life, const Message& message) {
    {
        const std::lock_guard lock(mutex_);
        if (life_.get() != &life) return;
    }
    const std::string_view bytes = message.bytes;
    switch (message.kind) {
        case MessageKind::Settings:
            return take_settings(bytes);
        case MessageKind::Growth:
            return take_growth(bytes);
        case MessageKind::TrainingGrowth:
            return take_training_growth(bytes);
        case MessageKind::Shown:
            return take_shown(bytes);
        case MessageKind::Forget:
            return forget(bytes);
        case MessageKind::Status:
            return take_status(bytes);
        case MessageKind::Model:
            return take_model(bytes);
        case MessageKind::ShowRecording:
            return show_recording(bytes);
        case MessageKind::Events: {
            const auto events = from_bytes<EventsMessage>(bytes);
            const auto grown = recording_of(events.recording);
            const std::size_t count = grown == nullptr ? 0 : grown->event_count();
            if (listener_ != nullptr) listener_->on_events(std::min<std::size_t>(events.count, count));
            return;
        }
        case MessageKind::TrainingReport:
            if (listener_ != nullptr) listener_->on_training(training_of(from_bytes<NumberMessage>(bytes).number));
            return;
        case MessageKind::GenerationReport:
            return take_generation(bytes);
        case MessageKind::Compiled: {
            auto report = std::make_shared<const CompileReport>(from_bytes<CompileReport>(bytes));
            if (listener_ != nullptr) listener_->on_compiled(std::move(report));
            return;
        }
        case MessageKind::Log:
            return take_log(bytes);
        case MessageKind::Done:
            return take_done(bytes);
        case MessageKind::Answer:
            return take_answer(bytes);
        case MessageKind::Progress:
            return take_progress(bytes);
        case MessageKind::DroppedOrder:
            return drop_order(bytes);
        case MessageKind::DroppedQuestion:
            return drop_question(bytes);
        case MessageKind::Idle: {
            const auto idle = from_bytes<NumberMessage>(bytes);
            const std::lock_guard lock(mutex_);
            idle_answered_ = idle.number;
            changed_.notify_all();
            return;
        }
        case MessageKind::Alive:
            return;
        case MessageKind::Joined:
            return take_joined(bytes);
        case MessageKind::Order:
        case MessageKind::Ask:
        case MessageKind::AskIdle:
        case MessageKind::Hello:
        case MessageKind::Welcome:
        case MessageKind::Farewell:
        case MessageKind::Piece:
        case MessageKind::Received:
        case MessageKind::Ping:
        case MessageKind::Pong:
        case MessageKind::EndEngine:
            throw Error(ErrorKind::File, "a message that no engine sends");
    }
}

void RemoteEngine::forget(std::string_view bytes) {
    const auto gone = from_bytes<ForgetMessage>(bytes);
    const std::lock_guard lock(mutex_);
    if (gone.is_training)
        trainings_.erase(gone.number);
    else
        recordings_.erase(gone.number);
}

void RemoteEngine::take_model(std::string_view bytes) {
    auto model = from_bytes<ModelMessage>(bytes).model;
    {
        const std::lock_guard lock(mutex_);
        model_ = model;
    }
    // It may have been opened for another session.
    if (place_ != nullptr && model != nullptr) {
        const std::lock_guard orders(order_mutex_);
        if (!opened_)
            opened_ =
                GivenVerb{&OpenVerb::record(),
                          std::make_shared<const OpenVerb>(OpenVerb{.file = model->path, .build = model->built_as}),
                          {}};
    }
    if (listener_ != nullptr) listener_->on_model(std::move(model));
}

void RemoteEngine::show_recording(std::string_view bytes) {
    auto shown = recording_of(from_bytes<NumberMessage>(bytes).number);
    {
        const std::lock_guard lock(mutex_);
        recording_ = shown;
    }
    if (listener_ != nullptr) listener_->on_recording(std::move(shown));
}

void RemoteEngine::take_generation(std::string_view bytes) {
    auto generation = from_bytes<GenerationMessage>(bytes).generation;
    {
        const std::lock_guard lock(mutex_);
        generation_ = generation;
    }
    if (listener_ != nullptr) listener_->on_generation(std::move(generation));
}

void RemoteEngine::drop_order(std::string_view bytes) {
    const auto dropped = from_bytes<NumberMessage>(bytes);
    std::function<void()> told;
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = given_.find(dropped.number); found != given_.end()) {
            told = std::move(found->second.dropped);
            given_.erase(found);
        }
    }
    if (told) told();
}

// What callers have changed meanwhile is newer.
void RemoteEngine::take_settings(std::string_view bytes) {
    auto message = from_bytes<SettingsMessage>(bytes);
    bool are_others = false;
    {
        const std::lock_guard lock(mutex_);
        if (message.orders < noted_order_) return;
        are_others = to_bytes(message.breakpoints) != to_bytes(seen_.control.breakpoints());
        seen_.settings.set(std::move(message.inputs), std::move(message.options));
        seen_.control.replace(std::move(message.breakpoints));
        seen_.breakpoints_elsewhere = std::move(message.elsewhere);
    }
    if (are_others && listener_ != nullptr) listener_->on_breakpoints();
}

RecordingCopy& RemoteEngine::copy_of(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    auto& copy = recordings_[number];
    if (copy == nullptr) copy = std::make_shared<RecordingCopy>();
    return *copy;
}

void RemoteEngine::take_growth(std::string_view bytes) {
    RecordingCopy& copy = copy_of(WireReader(bytes).number<std::uint64_t>());
    copy.grow(from_bytes<RecordingGrowth>(bytes, [&copy](std::string_view text) { return copy.keep(text); }));
}

void RemoteEngine::take_training_growth(std::string_view bytes) {
    auto message = from_bytes<TrainingGrowthMessage>(bytes);
    std::shared_ptr<TrainingLog> log;
    {
        const std::lock_guard lock(mutex_);
        CopiedTraining& copied = trainings_[message.number];
        if (copied.began != !message.growth.beginning)
            throw Error(ErrorKind::File, "a training that does not begin once");
        copied.began = true;
        if (copied.log == nullptr) copied.log = std::make_shared<TrainingLog>(TrainOptions(), 0);
        log = copied.log;
    }
    log->grow(std::move(message.growth));
}

std::shared_ptr<const Recording> RemoteEngine::recording_of(std::uint64_t number) const {
    if (number == 0) return nullptr;
    const std::lock_guard lock(mutex_);
    const auto found = recordings_.find(number);
    if (found == recordings_.end()) throw Error(ErrorKind::File, "a recording that was not sent");
    return found->second->recording();
}

std::shared_ptr<const TrainingLog> RemoteEngine::training_of(std::uint64_t number) const {
    if (number == 0) return nullptr;
    const std::lock_guard lock(mutex_);
    const auto found = trainings_.find(number);
    if (found == trainings_.end()) throw Error(ErrorKind::File, "a training that was not sent");
    return found->second.log;
}

void RemoteEngine::take_shown(std::string_view bytes) {
    const auto message = from_bytes<ShownMessage>(bytes);
    auto recording = recording_of(message.recording);
    auto training = training_of(message.training);
    std::vector<std::shared_ptr<const TrainingLog>> trainings;
    for (const std::uint64_t number : message.trainings) trainings.push_back(training_of(number));
    const std::lock_guard lock(mutex_);
    if (keeps_shown_ && recording == nullptr && trainings.empty()) return;
    keeps_shown_ = false;
    recording_ = std::move(recording);
    training_ = std::move(training);
    all_trainings_ = std::move(trainings);
}

void RemoteEngine::take_status(std::string_view bytes) {
    const auto status = from_bytes<Status>(bytes);
    {
        const std::lock_guard lock(mutex_);
        status_ = status;
    }
    if (listener_ != nullptr) listener_->on_status(status);
}

void RemoteEngine::take_log(std::string_view bytes) {
    auto message = from_bytes<LogMessage>(bytes);
    message.entry.recording = recording_of(message.recording);
    message.entry.training = training_of(message.training);
    if (message.entry.time == 0) message.entry.time = now_in_milliseconds();
    if (listener_ != nullptr) listener_->on_log(message.entry);
}

void RemoteEngine::take_answer(std::string_view bytes) {
    const auto message = from_bytes<ReplyMessage>(bytes);
    const std::optional<AskedQuery> asked = take_asked(message.number);
    if (!asked) throw Error(ErrorKind::File, "an answer to what was not asked");
    QueryValue answer = asked->record->answer_wire.read(message.value);
    if (message.has_written) answer = put_in_place(*asked, answer);
    if (asked->reply) tell([&] { asked->reply(answer); });
}

void RemoteEngine::take_progress(std::string_view bytes) {
    const auto message = from_bytes<ReplyMessage>(bytes);
    AskedQuery asked;
    {
        const std::lock_guard lock(mutex_);
        const auto found = asked_.find(message.number);
        if (found == asked_.end()) throw Error(ErrorKind::File, "progress of what was not asked");
        asked = found->second;
    }
    if (asked.record->progress_wire.read == nullptr) throw Error(ErrorKind::File, "progress of what has none");
    const QueryValue step = asked.record->progress_wire.read(message.value);
    if (asked.progress) tell([&] { asked.progress(step); });
}

void RemoteEngine::take_done(std::string_view bytes) {
    auto message = from_bytes<ReplyMessage>(bytes);
    GivenVerb given;
    {
        const std::lock_guard lock(mutex_);
        const auto found = given_.find(message.number);
        if (found == given_.end()) throw Error(ErrorKind::File, "the end of what was not ordered");
        given = std::move(found->second);
        given_.erase(found);
    }
    tell([&] { given.done(std::move(message.value)); });
}

// --- the end of a life ---

void RemoteEngine::silent(std::chrono::seconds time) {
    log({.level = SessionListener::LogEntry::Level::Warning,
         .text = concat("the engine's process has not answered for ", time.count(),
                        " seconds: it is stopped, or the machine is out of memory"),
         .scope = {},
         .source = {}});
}

void RemoteEngine::ended(EngineLife& life, const EngineLife::End& how) {
    EngineEnd end;
    {
        const std::lock_guard lock(mutex_);
        if (life_.get() != &life) return;
        end = describe_end(how, status_, recording_.get());
        ended_in_step_ = training_step_of(how, status_);
        ended_lives_.push_back(std::move(life_));
        life_ = nullptr;
    }
    report_end(std::move(end));
}

void RemoteEngine::report_end(EngineEnd end) {
    std::map<std::uint64_t, AskedQuery> asked;
    std::map<std::uint64_t, GivenVerb> given;
    Status status;
    {
        const std::lock_guard lock(mutex_);
        const bool has_place = status_.is_training ? ended_in_step_ != 0 && training_ != nullptr : end.event != 0;
        end.can_go_back = model_ != nullptr && has_place;
        end_ = end;
        clear_next_place(status_);
        status_.state = RunState::Failed;
        if (end.event != 0 && recording_ != nullptr) status_.reached = static_cast<EventId>(recording_->event_count());
        status_.error = end.text;
        status_.details.clear();
        status_.error_source = end.source;
        status_.why = "error";
        status_.is_training = false;
        status_.progress.clear();
        status_.fraction = -1;
        status_.verdict = nullptr;
        status = status_;
        asked.swap(asked_);
        std::uint64_t last = last_number_;
        for (auto& [tag, held] : held_) asked[++last] = std::move(held);
        held_.clear();
        on_their_way_.clear();
        given.swap(given_);
        changed_.notify_all();
    }
    SessionListener::LogEntry entry;
    entry.level = SessionListener::LogEntry::Level::Error;
    entry.text = end.text;
    entry.scope = end.scope;
    entry.source = end.source;
    if (const auto shown = recording(); shown != nullptr && end.event != 0)
        entry.event = std::min<EventId>(end.event, static_cast<EventId>(shown->event_count()));
    log(std::move(entry));
    if (listener_ != nullptr) {
        listener_->on_status(status);
        listener_->on_engine_end(end);
    }
    refuse(asked, given, end.text);
}

void RemoteEngine::refuse(const std::map<std::uint64_t, AskedQuery>& asked,
                          const std::map<std::uint64_t, GivenVerb>& given, const std::string& text) {
    const Error error(ErrorKind::Run, text);
    for (const auto& [number, query] : asked) {
        if (query.reply && query.record->refuse != nullptr)
            tell([&] { query.reply(query.record->refuse(query.query.get(), error)); });
    }
    for (const auto& [number, verb] : given) {
        if (verb.record->traits.says_why) tell([&] { verb.done(text); });
    }
}

}  // namespace loupe::session
