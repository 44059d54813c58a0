// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/engine_server.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/given_file.h"
#include "core/base/restricted_thread.h"
#include "core/base/strings.h"
#include "core/session/queries/list.h"
#include "core/session/query_context.h"
#include "core/session/remote/channel.h"
#include "core/session/remote/engine_launch.h"
#include "core/session/remote/kept_opening.h"
#include "core/session/verbs.h"
#include "core/session/wire/wire.h"
#include "core/study/verdict.h"

namespace loupe::session {
namespace {

// Sent when nothing else is.
constexpr auto kAliveEvery = std::chrono::milliseconds(500);
// That something given takes to be open. Orders wait for the first.
constexpr auto kConnectTime = std::chrono::seconds(2);
constexpr auto kAnswerTime = std::chrono::seconds(30);

// An order or a question whose reply comes once, or never: then the session need not keep what waits for it.
class Awaited {
  public:
    // sessions: of a session that has gone no reply is awaited.
    // tag: of a question, whose later ones with the same tag count alone.
    Awaited(Outbox& outbox, MessageKind kind, std::uint64_t number, const std::atomic<std::uint64_t>& sessions,
            std::string tag = {})
        : outbox_(outbox),
          kind_(kind),
          number_(number),
          sessions_(sessions),
          session_(sessions),
          tag_(std::move(tag)) {}
    Awaited(const Awaited&) = delete;
    Awaited& operator=(const Awaited&) = delete;
    ~Awaited() {
        if (is_done_ || has_gone()) return;
        outbox_.put({.kind = dropped(), .bytes = [number = number_] { return to_bytes(NumberMessage{number}); }});
    }
    void reply(std::string value, bool has_written = false) {
        is_done_ = true;
        if (has_gone()) return;
        Outbox::Item item{.kind = kind_};
        item.bytes = [number = number_, text = std::move(value), has_written]() mutable {
            return to_bytes(ReplyMessage{number, std::move(text), has_written});
        };
        // What was written is put in place with the answer that says so.
        if (!tag_.empty() && !has_written) {
            item.last_of = tag_;
            item.instead = {dropped(), to_bytes(NumberMessage{number_})};
        }
        outbox_.put(std::move(item));
    }

    bool has_gone() const { return session_ != sessions_; }

  private:
    MessageKind dropped() const {
        return kind_ == MessageKind::Done ? MessageKind::DroppedOrder : MessageKind::DroppedQuestion;
    }

    Outbox& outbox_;
    MessageKind kind_;  // Done or Answer
    std::uint64_t number_;
    const std::atomic<std::uint64_t>& sessions_;
    std::uint64_t session_;
    std::string tag_;
    bool is_done_ = false;
};

// All of a log, which may have been followed for a session before.
TrainingGrowth whole_of(const TrainingLog& log) {
    TrainingGrowth growth = log.take_growth();
    while (!growth.beginning) {
        const std::uint64_t version = log.version();
        log.take_growth();  // is in the copy
        const auto copy = log.until(std::numeric_limits<std::int64_t>::max());
        if (log.version() == version) growth = copy->take_growth();
    }
    return growth;
}

}  // namespace

EngineServer::EngineServer(MessagePort& port, Stay stay)
    : port_(port), stay_(std::move(stay)), joined_{.kept = stay_.kept}, engine_(this) {
    if (!stay_.died.empty()) {
        joined_.died = stay_.died;
        joined_.place = stay_.place;
        joined_.opened = kept_opening(stay_.kept);
    }
    sender_ = std::thread([this] { send_all(); });
    idle_waiter_ = std::thread([this] { wait_for_idle(); });
}

EngineServer::~EngineServer() {
    {
        const std::lock_guard lock(idle_mutex_);
        quits_ = true;
        idle_changed_.notify_all();
    }
    engine_.stop();
    idle_waiter_.join();
    outbox_.end();
    sender_.join();
}

// --- the reading thread ---

void EngineServer::serve() {
    while (auto message = port_.read()) {
        switch (message->kind) {
            case MessageKind::Order:
                perform(message->bytes);
                break;
            case MessageKind::Ask:
                ask(message->bytes);
                break;
            case MessageKind::AskIdle:
                ask_idle(message->bytes);
                break;
            default:
                throw Error(ErrorKind::File, "a message that only an engine sends");
        }
    }
}

void EngineServer::perform(const std::string& bytes) {
    const auto order = from_bytes<OrderMessage>(bytes);
    const VerbRecord* verb = find_verb(order.verb);
    if (verb == nullptr) throw Error(ErrorKind::File, concat("no order is called '", order.verb, "'"));
    VerbDone done;
    if (order.wants_done) {
        const auto awaited = std::make_shared<Awaited>(outbox_, MessageKind::Done, order.number, sessions_);
        done = [awaited](std::string text) { awaited->reply(std::move(text)); };
    }
    const QueryValue value = verb->wire.read(order.value);
    try {
        if (verb == &PermitSourceVerb::record()) warn_of_permission(*static_cast<const PermitSourceVerb*>(value.get()));
        if (verb == &CloseVerb::record() && !stay_.kept.empty()) forget_opening(stay_.kept);
        if (verb == &OpenVerb::record())
            open(order, *verb, *static_cast<const OpenVerb*>(value.get()), std::move(done));
        else
            verb->perform(value.get(), engine_, std::move(done));
    } catch (const std::exception& error) {  // a condition that is none: the session has checked it too
        engine_.log({.level = LogEntry::Level::Error, .text = error.what(), .scope = {}, .source = {}});
    }
    ++orders_;
    outbox_.wake();
}

// A watched program's socket comes connected.
void EngineServer::open(const OrderMessage& order, const VerbRecord& verb, const OpenVerb& value, VerbDone done) {
    std::optional<GivenFile> given;
    try {
        FileHandle handle;
        if (order.given != 0) handle = port_.take_given(order.given)->take(kConnectTime);
        if (handle.is_open()) given.emplace(value.file, std::move(handle));
    } catch (const Error& error) {
        return engine_.fail_to_open(error);
    }
    // Of a program that is watched nothing is kept.
    if (!stay_.kept.empty() && !given) {
        Opened opened{value, engine_.permissions_of(value.file), engine_.release_of(value.file)};
        opened.open.inputs.clear();
        done = [this, kept = std::make_shared<KeptOpening>(stay_.kept, std::move(opened)),
                told = std::move(done)](std::string text) {
            try {
                kept->succeed();
            } catch (const Error& error) {
                engine_.log({.level = LogEntry::Level::Warning, .text = error.what(), .scope = {}, .source = {}});
            }
            if (told) told(std::move(text));
        };
    }
    verb.perform(&value, engine_, std::move(done));
}

// What its process may write cannot be widened.
void EngineServer::warn_of_permission(const PermitSourceVerb& permit) {
    if (stay_.writable.empty()) return;
    for (const std::filesystem::path& path : permit.permissions.write) {
        if (may_write(stay_.writable, path)) continue;
        engine_.log(
            {.level = LogEntry::Level::Warning,
             .text = engine::said("this engine may not write into %1: end it, and start it with --may-write %1 behind "
                                  "its command (File > Connect > Command for ssh)",
                                  nearest_folder(path).string()),
             .scope = {},
             .source = {}});
    }
}

// By the process beside this one. Waited for on a thread of its own, whatever the engine computes.
void EngineServer::answer_apart(const AskMessage& asked, const QueryRecord& record, const QueryValue& query,
                                std::function<void(std::string)> reply) {
    std::erase_if(apart_,
                  [](const auto& each) { return each.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
    std::shared_ptr<GivenThing> given = port_.take_given(asked.given);
    apart_.push_back(std::async(std::launch::async, [this, &record, query, given, reply = std::move(reply)] {
        try {
            reply(contents_of(given->take(kAnswerTime), "memory", Channel::kMostBytes));
        } catch (const Error& error) {
            if (record.refuse != nullptr)
                return reply(record.answer_wire.write(record.refuse(query.get(), error).get()));
            engine_.log({.level = LogEntry::Level::Error, .text = error.message(), .scope = {}, .source = {}});
        }
    }));
}

void EngineServer::ask(const std::string& bytes) {
    const auto asked = from_bytes<AskMessage>(bytes);
    const auto awaited = std::make_shared<Awaited>(outbox_, MessageKind::Answer, asked.number, sessions_, asked.tag);
    const QueryRecord* record = find_query(asked.query);
    if (record == nullptr) {
        // Of a plugin that loads on the engine's thread, or of none.
        engine_.log({.level = LogEntry::Level::Error,
                     .text = engine::said("no question is called '%1'", asked.query),
                     .scope = {},
                     .source = {}});
        return;
    }
    const QueryValue query = record->query_wire.read(asked.value);
    std::function<void(QueryValue)> progress;
    if (asked.wants_progress && record->progress_wire.write != nullptr)
        progress = [this, record, awaited, number = asked.number](const QueryValue& step) {
            if (awaited->has_gone()) return;
            outbox_.put_if_room(
                {.kind = MessageKind::Progress, .bytes = [record, number, step] {
                     return to_bytes(ReplyMessage{number, record->progress_wire.write(step.get()), false});
                 }});
        };
    const auto refuse = [record, query, awaited](const Error& error) {
        awaited->reply(record->answer_wire.write(record->refuse(query.get(), error).get()));
    };
    std::shared_ptr<GivenThing> given;
    try {
        if (asked.given != 0 && record->answer_apart != nullptr)
            return answer_apart(asked, *record, query,
                                [awaited](std::string text) { awaited->reply(std::move(text)); });
        if (asked.given != 0 && record->written != nullptr && record->refuse != nullptr)
            given = port_.take_given(asked.given);
    } catch (const Error& error) {
        if (record->refuse != nullptr) refuse(error);
        return;
    }
    engine_.request(asked.tag, [this, record, query, given, awaited, refuse, progress = std::move(progress)] {
        bool is_to_be_put_in_place = false;
        QueryValue answer;
        try {
            std::optional<GivenFile> file;
            if (given != nullptr) file.emplace(record->written(query.get()), given->take(kAnswerTime));
            QueryContext context(engine_);
            answer = context.answer(*record, query.get(), progress);
            is_to_be_put_in_place = file && file->is_written() && !given->put_in_place();
        } catch (const Error& error) {
            // Of the file: errors of the query are its answer.
            if (given == nullptr) throw;
            return refuse(error);
        }
        awaited->reply(record->answer_wire.write(answer.get()), is_to_be_put_in_place);
    });
}

void EngineServer::ask_idle(const std::string& bytes) {
    const auto asked = from_bytes<NumberMessage>(bytes);
    const std::lock_guard lock(idle_mutex_);
    idle_asked_ = std::max(idle_asked_, asked.number);
    idle_changed_.notify_all();
}

// A thread of its own: an answer to the last that was asked is one to all before it.
void EngineServer::wait_for_idle() {
    std::unique_lock lock(idle_mutex_);
    while (true) {
        idle_changed_.wait(lock, [&] { return quits_ || idle_asked_ > idle_answered_; });
        if (quits_) return;
        const std::uint64_t answered = idle_answered_ = idle_asked_;
        const std::uint64_t session = sessions_;
        lock.unlock();
        engine_.wait_idle();
        if (session == sessions_)
            outbox_.put({.kind = MessageKind::Idle, .bytes = [answered] { return to_bytes(NumberMessage{answered}); }});
        lock.lock();
    }
}

// --- another session ---

template <typename T>
bool EngineServer::send(MessageKind kind, const T& message) {
    return port_.write(kind, to_bytes(message));
}

void EngineServer::start_anew(const std::function<void()>& stop_writes, std::function<void()> begin) {
    ++sessions_;
    {
        const std::lock_guard lock(idle_mutex_);
        idle_asked_ = idle_answered_ = 0;
    }
    std::unique_lock lock(anew_mutex_);
    begin_ = std::move(begin);
    stop_writes();
    outbox_.start_anew();
    anew_changed_.wait(lock, [this] { return begin_ == nullptr; });
}

// What a session hears while it is there, of one that has just come; on the sending thread.
bool EngineServer::begin_anew(Outbox::Batch& batch) {
    recordings_.clear();
    trainings_.clear();
    settings_sent_.clear();
    shown_sent_.clear();
    orders_ = 0;
    std::vector<Outbox::Item> all;
    const auto model = engine_.model();
    if (model != nullptr)
        all.push_back({.kind = MessageKind::Model, .bytes = [model] { return to_bytes(ModelMessage{model}); }});
    if (const auto recording = engine_.recording()) {
        all.push_back({.kind = MessageKind::ShowRecording,
                       .bytes = [this, recording] { return to_bytes(NumberMessage{number_of(recording)}); }});
        all.back().recording = recording;
    }
    if (const auto training = engine_.training()) {
        all.push_back({.kind = MessageKind::TrainingReport,
                       .bytes = [this, training] { return to_bytes(NumberMessage{number_of(training)}); }});
        all.back().training = training;
    }
    if (const auto generation = engine_.generation())
        all.push_back({.kind = MessageKind::GenerationReport,
                       .bytes = [generation] { return to_bytes(GenerationMessage{generation}); }});
    all.push_back({.kind = MessageKind::Status, .bytes = [status = engine_.status()] { return to_bytes(status); }});
    // What came since the old was forgotten is newer.
    all.insert(all.end(), std::make_move_iterator(batch.items.begin()), std::make_move_iterator(batch.items.end()));
    batch.items = std::move(all);
    const std::lock_guard lock(anew_mutex_);
    begin_();
    begin_ = nullptr;
    anew_changed_.notify_all();
    joined_.has_state = model != nullptr;
    return send(MessageKind::Joined, std::exchange(joined_, JoinedMessage{.kept = stay_.kept}));
}

// --- the engine's thread ---

void EngineServer::on_status(const Status& status) {
    outbox_.put({.kind = MessageKind::Status,
                 .key = concat("status ", static_cast<int>(status.state), " ", status.stopped_at_breakpoint),
                 .bytes = [status] { return to_bytes(status); }});
}

void EngineServer::on_model(std::shared_ptr<const ModelInfo> model) {
    outbox_.put(
        {.kind = MessageKind::Model, .bytes = [model = std::move(model)] { return to_bytes(ModelMessage{model}); }});
}

void EngineServer::on_recording(std::shared_ptr<const Recording> recording) {
    Outbox::Item item{.kind = MessageKind::ShowRecording};
    item.recording = std::move(recording);
    item.bytes = [this, shown = item.recording] { return to_bytes(NumberMessage{number_of(shown)}); };
    outbox_.put(std::move(item));
}

void EngineServer::on_events(std::size_t event_count) {
    Outbox::Item item{.kind = MessageKind::Events, .key = "events"};
    item.recording = engine_.recording();
    item.bytes = [this, shown = item.recording, event_count] {
        return to_bytes(EventsMessage{number_of(shown), event_count});
    };
    outbox_.put(std::move(item));
}

void EngineServer::on_training(std::shared_ptr<const TrainingLog> log) {
    Outbox::Item item{.kind = MessageKind::TrainingReport, .key = "training"};
    item.training = std::move(log);
    item.bytes = [this, shown = item.training] { return to_bytes(NumberMessage{number_of(shown)}); };
    outbox_.put(std::move(item));
}

void EngineServer::on_generation(std::shared_ptr<const Generation> generation) {
    outbox_.put({.kind = MessageKind::GenerationReport,
                 .key = "generation",
                 .bytes = [generation = std::move(generation)] { return to_bytes(GenerationMessage{generation}); }});
}

void EngineServer::on_compiled(std::shared_ptr<const CompileReport> report) {
    outbox_.put({.kind = MessageKind::Compiled, .bytes = [report = std::move(report)] { return to_bytes(*report); }});
}

void EngineServer::on_log(const LogEntry& entry) {
    Outbox::Item item{.kind = MessageKind::Log};
    item.recording = entry.recording.lock();
    item.training = entry.training.lock();
    item.bytes = [this, entry, recording = item.recording, training = item.training] {
        return to_bytes(LogMessage{entry, number_of(recording), number_of(training)});
    };
    outbox_.put_if_room(std::move(item));
}

// --- the sending thread ---

// What is followed is looked at behind the messages: all that they name is there then, and is sent before them.
void EngineServer::send_all() {
    while (true) {
        Outbox::Batch batch = outbox_.take(kAliveEvery);
        bool goes_on = (!batch.starts_anew || begin_anew(batch)) && send_settings() && send_recordings(batch.items) &&
                       send_trainings(batch.items) && send_shown() && send_left_out(batch.left_out);
        for (std::size_t i = 0; goes_on && i < batch.items.size(); ++i) {
            const Outbox::Item& item = batch.items[i];
            try {
                goes_on = item.last_of.empty() ? port_.write(item.kind, item.bytes())
                                               : port_.write_last(item.kind, item.bytes(), item.last_of, item.instead);
            } catch (const Error& error) {  // an answer that is too long
                goes_on =
                    send(MessageKind::Log,
                         LogMessage{
                             {.level = LogEntry::Level::Error, .text = error.what(), .scope = {}, .source = {}}, 0, 0});
            }
        }
        if (goes_on && batch.items.empty()) goes_on = port_.write(MessageKind::Alive, {});
        // A session that reads no more has gone, even if something still holds the other pipe open.
        if (!goes_on) return port_.end_reading();
        if (batch.has_ended) return;
    }
}

bool EngineServer::send_settings() {
    SettingsMessage message;
    message.orders = orders_;
    message.inputs = engine_.inputs();
    message.options = engine_.last_options();
    message.breakpoints = engine_.control().breakpoints();
    message.elsewhere = engine_.moves().away();
    std::string bytes = to_bytes(message);
    if (bytes == settings_sent_) return true;
    settings_sent_ = std::move(bytes);
    return port_.write(MessageKind::Settings, settings_sent_);
}

std::uint64_t EngineServer::number_of(const std::shared_ptr<const Recording>& recording) {
    if (recording == nullptr) return 0;
    for (const RecordingSource& followed : recordings_) {
        if (followed.is(recording.get())) return followed.number();
    }
    return recordings_.emplace_back(recording, ++last_number_).number();
}

bool EngineServer::send_recordings(const std::vector<Outbox::Item>& items) {
    for (const Outbox::Item& item : items) number_of(item.recording);
    number_of(engine_.recording());
    for (auto followed = recordings_.begin(); followed != recordings_.end();) {
        if (followed->is_gone()) {
            if (!send(MessageKind::Forget, ForgetMessage{false, followed->number()})) return false;
            followed = recordings_.erase(followed);
            continue;
        }
        // As far as it is now: a run that goes on may be faster.
        while (const auto growth = followed->take()) {
            if (!send(MessageKind::Growth, *growth)) return false;
            if (growth->events.size() < RecordingSource::kMost) break;
        }
        ++followed;
    }
    return true;
}

std::uint64_t EngineServer::number_of(const std::shared_ptr<const TrainingLog>& log) {
    if (log == nullptr) return 0;
    for (const FollowedTraining& followed : trainings_) {
        if (followed.log.lock() == log) return followed.number;
    }
    return trainings_.emplace_back(FollowedTraining{.log = log, .number = ++last_number_}).number;
}

bool EngineServer::send_trainings(const std::vector<Outbox::Item>& items) {
    number_of(engine_.training());
    for (const auto& log : engine_.trainings()) number_of(log);
    for (const Outbox::Item& item : items) number_of(item.training);
    for (auto followed = trainings_.begin(); followed != trainings_.end();) {
        const auto log = followed->log.lock();
        if (log == nullptr) {
            if (!send(MessageKind::Forget, ForgetMessage{true, followed->number})) return false;
            followed = trainings_.erase(followed);
            continue;
        }
        if (const std::uint64_t version = log->version(); !followed->began || version != followed->version) {
            TrainingGrowth growth = followed->began ? log->take_growth() : whole_of(*log);
            followed->began = true;
            followed->version = version;
            if (!send(MessageKind::TrainingGrowth, TrainingGrowthMessage{followed->number, std::move(growth)}))
                return false;
        }
        ++followed;
    }
    return true;
}

// Only what was sent: what came since is in the next batch.
bool EngineServer::send_shown() {
    const auto sent = [this](const std::shared_ptr<const TrainingLog>& log) -> std::uint64_t {
        for (const FollowedTraining& followed : trainings_) {
            if (followed.began && log != nullptr && followed.log.lock() == log) return followed.number;
        }
        return 0;
    };
    ShownMessage message;
    const auto recording = engine_.recording();
    for (const RecordingSource& followed : recordings_) {
        if (recording != nullptr && followed.is(recording.get())) message.recording = followed.number();
    }
    if (recording != nullptr && message.recording == 0) outbox_.wake();
    message.training = sent(engine_.training());
    for (const auto& log : engine_.trainings()) {
        if (const std::uint64_t number = sent(log)) message.trainings.push_back(number);
    }
    std::string bytes = to_bytes(message);
    if (bytes == shown_sent_) return true;
    shown_sent_ = std::move(bytes);
    return port_.write(MessageKind::Shown, shown_sent_);
}

bool EngineServer::send_left_out(std::uint64_t count) {
    if (count == 0) return true;
    LogEntry entry;
    entry.level = LogEntry::Level::Warning;
    entry.text = engine::said("%1 lines of the log came faster than they could be shown and are left out",
                              "%1 line of the log came faster than they could be shown and is left out", count);
    return send(MessageKind::Log, LogMessage{entry, 0, 0});
}

}  // namespace loupe::session
