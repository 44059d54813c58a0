// SPDX-License-Identifier: Apache-2.0
// What an engine in a process of its own says, none of which is trusted.
#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/error.h"
#include "core/session/check_answer.h"
#include "core/session/publisher.h"
#include "core/session/remote/remote_engine.h"
#include "core/session/verbs.h"
#include "core/session/wire/wire.h"
#include "core/study/verdict.h"

namespace loupe::session {
namespace {

std::int64_t now_in_milliseconds() {
    using std::chrono::milliseconds, std::chrono::system_clock;
    return std::chrono::duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

// Its value lies in the bytes.
ReplyView read_reply(std::string_view bytes) {
    return from_bytes<ReplyView>(bytes, [](std::string_view text) { return text; });
}

}  // namespace

void RemoteEngine::log(SessionListener::LogEntry entry) {
    if (listener_ == nullptr) return;
    entry.time = now_in_milliseconds();
    if (entry.event != 0) entry.recording = recording();
    listener_->on_log(entry);
}

void RemoteEngine::take(EngineLife& life, const Message& message) {
    {
        const std::lock_guard lock(mutex_);
        if (life_.get() != &life) return;
    }
    const std::string_view bytes = message.view();
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
        case MessageKind::Grant:
        case MessageKind::Shared:
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
    if (model != nullptr) check_model(*model);
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

// mutex_ is held.
void RemoteEngine::end_grant_of(const GivenVerb& verb) {
    if (verb.grant != 0 && life_ != nullptr) life_->end_grant(verb.grant);
}

void RemoteEngine::drop_order(std::string_view bytes) {
    const auto dropped = from_bytes<NumberMessage>(bytes);
    std::function<void()> told;
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = given_.find(dropped.number); found != given_.end()) {
            end_grant_of(found->second);
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
    const ReplyView message = read_reply(bytes);
    const std::optional<AskedQuery> asked = take_asked(message.number);
    if (!asked) throw Error(ErrorKind::File, "an answer to what was not asked");
    QueryValue answer = asked->record->answer_wire.read(message.value);
    if (message.has_written) answer = put_in_place(*asked, answer);
    if (asked->reply) tell([&] { asked->reply(answer); });
}

void RemoteEngine::take_progress(std::string_view bytes) {
    const ReplyView message = read_reply(bytes);
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
        end_grant_of(given);
    }
    tell([&] { given.done(std::move(message.value)); });
}

}  // namespace loupe::session
