// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <mutex>

#include "core/session/queries/list.h"
#include "core/session/remote/channel.h"
#include "core/session/remote/frame_head.h"
#include "core/session/remote/greeting.h"
#include "core/session/remote/remote_engine.h"
#include "core/session/wire/wire.h"
#include "tests/fuzz/message_sides.h"

namespace loupe::fuzz {

using namespace session;

namespace {

constexpr std::size_t kMostBytes = std::size_t{900} << 10;  // of a stream, which its pipe holds

class Listener final : public SessionListener {
  public:
    void on_model(std::shared_ptr<const ModelInfo> model) override {
        looked_ += model == nullptr ? 0 : model->path.size();
    }
    void on_recording(std::shared_ptr<const Recording> recording) override {
        if (recording != nullptr) looked_ += walk(*recording);
    }
    void on_training(std::shared_ptr<const TrainingLog> log) override {
        if (log != nullptr) looked_ += walk(*log);
    }
    void on_log(const LogEntry& entry) override { looked_ += entry.text.size(); }
    void on_engine_end(const EngineEnd& end) override {
        const std::lock_guard lock(mutex_);
        has_ended_ = end.kind != EngineEnd::Kind::None;
        changed_.notify_all();
    }
    void wait_for_end() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return has_ended_; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool has_ended_ = false;
    std::size_t looked_ = 0;
};

class WindowSide final : public Side {
  public:
    explicit WindowSide(std::vector<Talk> talks)
        : talks_(std::move(talks)), news_(made_news()), questions_(made_questions()) {}

    std::string try_one(Chance& chance) override {
        // The long one less often.
        const Talk* chosen = &talks_[chance.below(talks_.size())];
        if (chosen->name == "training" && !chance.one_in(4)) chosen = &talks_.front();
        const Talk& talk = *chosen;
        std::vector<std::string> frames = talk.said;
        std::vector<const MadeQuestion*> asked;
        const std::uint64_t questions = count_of(talk, MessageKind::Ask);
        for (std::size_t i = chance.below(3); i > 0; --i) {
            const MadeQuestion& question = questions_[chance.below(questions_.size())];
            asked.push_back(&question);
            const std::uint64_t number = questions + asked.size();
            if (!question.progress.empty())
                put_somewhere(frames, reply(MessageKind::Progress, number, question.progress), chance);
            put_somewhere(frames, reply(MessageKind::Answer, number, question.answer), chance);
        }
        // At the end: much of what is made of types alone is refused as what no engine says.
        if (chance.one_in(3)) frames.push_back(news_[chance.below(news_.size())]);
        damage_frames(frames, chance);
        const std::string stream = joined(frames);
        return stream.size() > kMostBytes ? std::string() : play(talk, asked, stream);
    }

  private:
    static void put_somewhere(std::vector<std::string>& frames, const std::string& frame, Chance& chance) {
        frames.insert(frames.begin() + static_cast<std::ptrdiff_t>(chance.below(frames.size() + 1)), frame);
    }
    static std::string reply(MessageKind kind, std::uint64_t number, const std::string& value) {
        return frame(kind, to_bytes(ReplyMessage{number, value, false}));
    }
    static std::uint64_t count_of(const Talk& talk, MessageKind kind) {
        std::uint64_t count = 0;
        for (const std::string& each : talk.told) count += kind_of(each) == static_cast<std::uint32_t>(kind) ? 1 : 0;
        return count;
    }

    // The session orders and asks what it did in the talk; the replies are counted.
    void repeat(RemoteEngine& engine, const Talk& talk, const std::vector<const MadeQuestion*>& more) {
        replies_.clear();
        for (const std::string& told : talk.told) {
            const std::string_view bytes = std::string_view(told).substr(kFrameHead);
            if (kind_of(told) == static_cast<std::uint32_t>(MessageKind::Order)) {
                const auto order = from_bytes<OrderMessage>(bytes);
                const VerbRecord* verb = find_verb(order.verb);
                engine.perform(*verb, verb->wire.read(order.value), [](const std::string&) {});
            } else if (kind_of(told) == static_cast<std::uint32_t>(MessageKind::Ask)) {
                const auto question = from_bytes<AskMessage>(bytes);
                ask(engine, *find_query(question.query), question.value);
            }
        }
        for (const MadeQuestion* each : more) ask(engine, *each->record, each->query);
    }
    void ask(RemoteEngine& engine, const QueryRecord& record, const std::string& query) {
        auto& count = *replies_.emplace_back(std::make_unique<int>(0));
        engine.ask(
            "fuzz", record, record.query_wire.read(query), [&count](const QueryValue&) { ++count; },
            [](const QueryValue&) {});
    }

    std::string play(const Talk& talk, const std::vector<const MadeQuestion*>& more, const std::string& stream) {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) return "no pipe";
        FileHandle in(ends[0]);
        FileHandle said(ends[1]);
        if (stream.size() > 60'000) ::fcntl(said.get(), F_SETPIPE_SZ, 1 << 20);
        Listener listener;
        RemoteEngine session(
            [&in](EngineLife::Owner& owner) {
                FileHandle nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
                return std::make_shared<EngineLife>(std::make_unique<Channel>(std::move(in), std::move(nowhere)),
                                                    owner);
            },
            &listener);
        repeat(session, talk, more);
        const std::string all = engine_greeting() + "\n" + stream;
        if (::write(said.get(), all.data(), all.size()) != static_cast<ssize_t>(all.size())) return "a short write";
        said.reset();
        listener.wait_for_end();
        const std::string text = session.engine_end().text;
        if (text.empty() || text.find('\n') != std::string::npos) return "it says '" + text + "'";
        if (session.status().state != RunState::Failed) return "it has ended and is not said to have failed";
        if (const auto recording = session.recording()) walk(*recording);
        if (const auto training = session.training()) walk(*training);
        for (const auto& training : session.trainings()) {
            if (training != nullptr) walk(*training);
        }
        for (const auto& count : replies_) {
            if (*count > 1) return "a question was answered twice";
        }
        return {};
    }

    const std::vector<Talk> talks_;
    const std::vector<std::string> news_;
    const std::vector<MadeQuestion> questions_;
    std::vector<std::unique_ptr<int>> replies_;
};

}  // namespace

std::unique_ptr<Side> window_side(std::vector<Talk> talks) { return std::make_unique<WindowSide>(std::move(talks)); }

std::size_t walk(const Recording& recording) {
    std::size_t sum = 0;
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        const Event& event = recording.event(id);
        sum += event.op.size() + event.scope.size() + recording.backward_peer(id);
        for (const auto* ids : {&event.inputs, &event.outputs}) {
            for (const ValueId value : *ids) sum += recording.value(value).name.size();
        }
        if (event.frame != 0) sum += recording.frame(event.frame).class_name.size();
    }
    for (std::size_t i = 0; i < recording.allocation_count(); ++i) sum += recording.allocation(i).freed;
    for (std::uint32_t id = 1; id <= recording.frame_count(); ++id) sum += recording.frame_end(id);
    for (const Saving& saving : recording.savings()) sum += recording.allocation(saving.allocation).freed;
    for (std::size_t i = 0; i < recording.collective_count(); ++i) ++sum;
    return sum;
}

std::size_t walk(const TrainingLog& log) {
    std::size_t sum = log.parameters().size() + log.findings().size() + log.reported().size() + log.epochs().size();
    for (const auto& sample : log.samples()) sum += sample == nullptr ? 0 : 1;
    for (const TrainingStep& step : log.steps()) sum += static_cast<std::size_t>(step.epoch);
    const auto range = log.norm_range();
    const std::array<std::int64_t, 3> edges{range.first, range.first, range.last};
    log.norms(NormKind(), edges);
    log.norms_at(range.last);
    log.verdict();
    log.until(range.last);
    return sum;
}

}  // namespace loupe::fuzz
