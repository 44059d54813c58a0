// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/remote_engine.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>

#include "core/base/error.h"
#include "core/base/restricted_thread.h"
#include "core/base/strings.h"
#include "core/record/recording_file.h"
#include "core/session/publisher.h"
#include "core/session/queries/save_recording.h"
#include "core/session/remote/engine_end_text.h"
#include "core/session/remote/far_engine.h"
#include "core/session/watched_programs.h"
#include "core/session/wire/wire.h"
#include "core/study/verdict.h"

namespace loupe::session {
namespace {

constexpr std::size_t kLongestSocket = 107;  // of its path

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
    has_opened_ = has_opened_ || opens;
    {
        const std::lock_guard lock(mutex_);
        if (is_closing_) return;
        is_alive = life_ != nullptr;
        if (verb.note != nullptr) {
            verb.note(value.get(), seen_);
            noted_order_ = orders_ + 1;
        }
    }
    if (verb.traits.is_work) ++works_;
    if (verb.traits.lasts) {
        // Of folders that the session was kept in the last one counts: what the others keep is of other sessions now.
        if (&verb == &KeepInVerb::record())
            std::erase_if(lasting_, [](const GivenVerb& each) { return each.record == &KeepInVerb::record(); });
        lasting_.push_back({&verb, value, {}});
    }
    const bool reopens = !is_alive && !opens && opened_;
    if (!is_alive && place_ != nullptr && verb.traits.is_work)
        return log({.level = SessionListener::LogEntry::Level::Warning,
                    .text = engine::said("there is no connection to the engine on %1", place_->host()),
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

// Far away it may be the socket of a program: the process beside the engine looks.
void RemoteEngine::grant_to_open(EngineLife& life, GivenVerb& verb) {
    if (verb.record != &OpenVerb::record()) return;
    const std::filesystem::path& file = static_cast<const OpenVerb*>(verb.value.get())->file;
    if (file.native().size() > kLongestSocket) return;
    verb.grant = grant(life, {.what = GrantMessage::What::Connect, .path = file});
}

std::uint64_t RemoteEngine::grant(EngineLife& life, GrantMessage what) {
    std::random_device random;
    while (what.number == 0) what.number = (std::uint64_t{random()} << 32) | random();
    std::string bytes = to_bytes(what);
    if (bytes.size() > GrantMessage::kMostBytes)
        throw Error(ErrorKind::Usage, concat(bytes.size(), " bytes are more than can be asked for at once"));
    life.grant(what.number, std::move(bytes));
    return what.number;
}

void RemoteEngine::give(GivenVerb verb) {
    OrderMessage message;
    message.number = ++orders_;
    message.verb = verb.record->name;
    message.value = verb.record->wire.write(verb.value.get());
    message.wants_done = static_cast<bool>(verb.done);
    std::unique_lock giving(giving_mutex_, std::defer_lock);
    std::shared_ptr<EngineLife> life;
    {
        const std::lock_guard lock(mutex_);
        life = life_;
        if (life == nullptr) return;
    }
    if (life->takes_grants()) {
        grant_to_open(*life, verb);
        message.given = verb.grant;
    } else if (const FileHandle opened = opened_for(verb); opened.is_open() && life->takes_files()) {
        giving.lock();
        life->give_file(message.number, opened);
        message.given = message.number;
    }
    bool has_ended = false;
    {
        const std::lock_guard lock(mutex_);
        has_ended = life_ != life;
        if (verb.done && !has_ended) given_[message.number] = std::move(verb);
    }
    // What waited for that life has been refused already.
    giving = {};
    if (has_ended) return refuse({}, {{message.number, std::move(verb)}}, engine_end().text);
    life->send(MessageKind::Order, to_bytes(message));
}

void RemoteEngine::ask(const std::string& tag, const QueryRecord& record, std::shared_ptr<const void> query,
                       std::function<void(QueryValue)> reply, std::function<void(QueryValue)> progress) {
    if (home_ != nullptr && record.answer_apart != nullptr)
        return answer_apart([&record, query = std::move(query)] { return record.answer_apart(query.get()); },
                            std::move(reply));
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
    // What an engine on this machine leaves is here.
    const auto answer = [this, query = asked.query]() -> QueryValue {
        return std::make_shared<std::string>(save_what_came(*static_cast<const SaveRecordingQuery*>(query.get())));
    };
    if (&record == &SaveRecordingQuery::record() && far_place() == nullptr)
        return answer_apart(answer, std::move(asked.reply));
    if (record.refuse != nullptr && asked.reply)
        asked.reply(record.refuse(asked.query.get(), Error(ErrorKind::Run, end.text)));
}

void RemoteEngine::answer_apart(std::function<QueryValue()> answer, std::function<void(QueryValue)> reply) {
    const std::lock_guard lock(apart_mutex_);
    if (apart_.joinable()) apart_.join();
    apart_ =
        std::thread([this, answer = std::move(answer), reply = std::move(reply)] { tell([&] { reply(answer()); }); });
}

// Of an engine that has ended: events and statistics. Empty, or why not.
std::string RemoteEngine::save_what_came(const SaveRecordingQuery& query) const {
    const auto shown = recording();
    const auto opened = model();
    if (shown == nullptr || opened == nullptr || shown->event_count() == 0) return engine_end().text;
    try {
        write_recording(
            query.file, *opened, *shown, {}, seen_.settings.options(), [](ValueId) { return Tensor(); },
            query.attached);
        return {};
    } catch (const Error& error) {
        return error.message();
    }
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
        if (life->takes_grants()) {
            asked.grant = message.given = grant_to_ask(*life, asked, message.value);
        } else if (const auto written = asked.record->written;
                   written != nullptr && life->takes_files() && !written(asked.query.get()).empty()) {
            asked.written = std::make_shared<AtomicFile>(written(asked.query.get()));
            giving.lock();
            life->give_file(message.number, asked.written->contents());
            message.given = message.number;
        }
    } catch (const Error& error) {
        if (asked.record->refuse != nullptr && asked.reply) asked.reply(asked.record->refuse(asked.query.get(), error));
        return;
    }
    bool has_ended = false;
    {
        const std::lock_guard lock(mutex_);
        has_ended = life_ != life;
        if (!has_ended) asked_[message.number] = std::move(asked);
    }
    giving = {};
    if (has_ended) return refuse({{message.number, std::move(asked)}}, {}, engine_end().text);
    life->send(MessageKind::Ask, to_bytes(message));
}

// 0: it needs nothing.
std::uint64_t RemoteEngine::grant_to_ask(EngineLife& life, const AskedQuery& asked, const std::string& value) {
    if (asked.record->answer_apart != nullptr)
        return grant(life,
                     {.what = GrantMessage::What::Answer, .query = std::string(asked.record->name), .value = value});
    const auto written = asked.record->written;
    if (written == nullptr || written(asked.query.get()).empty()) return 0;
    return grant(life, {.what = GrantMessage::What::Write, .path = written(asked.query.get())});
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
        if (taken->grant != 0 && life != nullptr) life->end_grant(taken->grant);
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

// What a caller throws is no fault of the engine's.
void RemoteEngine::tell(const std::function<void()>& work) {
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

// --- the end of a life ---

void RemoteEngine::silent(std::chrono::seconds time) {
    log({.level = SessionListener::LogEntry::Level::Warning,
         .text =
             engine::said("the engine's process has not answered for %1 seconds: it is stopped, or the machine is out "
                          "of memory",
                          time.count()),
         .scope = {},
         .source = {}});
}

// At once: who finds no life finds how it ended.
void RemoteEngine::ended(EngineLife& life, const EngineLife::End& how) {
    EngineEnd end;
    Status status;
    std::map<std::uint64_t, AskedQuery> asked;
    std::map<std::uint64_t, GivenVerb> given;
    {
        const std::lock_guard lock(mutex_);
        if (life_.get() != &life) return;
        end = describe_end(how, status_, recording_.get());
        ended_in_step_ = training_step_of(how, status_);
        ended_lives_.push_back(std::move(life_));
        life_ = nullptr;
        note_end(end);
        status = status_;
        asked.swap(asked_);
        std::uint64_t last = last_number_;
        for (auto& [tag, held] : held_) asked[++last] = std::move(held);
        held_.clear();
        on_their_way_.clear();
        given.swap(given_);
        changed_.notify_all();
    }
    report_end(end, status);
    refuse(asked, given, end.text);
}

// mutex_ is held.
void RemoteEngine::note_end(EngineEnd& end) {
    const bool has_place = status_.is_training ? ended_in_step_ != 0 && training_ != nullptr : end.event != 0;
    end.can_go_back = model_ != nullptr && has_place;
    end_ = end;
    clear_next_place(status_);
    status_.state = RunState::Failed;
    if (end.event != 0 && recording_ != nullptr) status_.reached = static_cast<EventId>(recording_->event_count());
    status_.error = end.text;
    status_.details.clear();
    status_.error_source = end.source;
    status_.why = engine::said("error");
    status_.is_training = false;
    status_.progress.clear();
    status_.fraction = -1;
    status_.verdict = nullptr;
}

void RemoteEngine::report_end(const EngineEnd& end, const Status& status) {
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
}

void RemoteEngine::refuse(const std::map<std::uint64_t, AskedQuery>& asked,
                          const std::map<std::uint64_t, GivenVerb>& given, const std::string& text) {
    const Error error(ErrorKind::Run, text);
    for (const auto& each : asked) {
        const AskedQuery& query = each.second;
        if (query.reply && query.record->refuse != nullptr)
            tell([&] { query.reply(query.record->refuse(query.query.get(), error)); });
    }
    for (const auto& each : given) {
        const GivenVerb& verb = each.second;
        if (verb.done && verb.record->traits.says_why) tell([&] { verb.done(text); });
    }
}

}  // namespace loupe::session
