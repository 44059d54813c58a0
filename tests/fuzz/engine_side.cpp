// SPDX-License-Identifier: Apache-2.0
#include <condition_variable>
#include <deque>
#include <mutex>

#include "core/base/error.h"
#include "core/session/queries/list.h"
#include "core/session/remote/engine_server.h"
#include "core/session/remote/frame_head.h"
#include "core/session/wire/wire.h"
#include "tests/fuzz/message_sides.h"

namespace loupe::fuzz {

using namespace session;

namespace {

// Gives the frames of one stream after another; of what the engine says only that it is idle is heard.
class Port final : public MessagePort {
  public:
    void set(const std::vector<std::string>& frames) { frames_.assign(frames.begin(), frames.end()); }

    std::string open() override { return {}; }
    std::optional<Message> read() override {
        if (frames_.empty()) return std::nullopt;
        const std::string next = std::move(frames_.front());
        frames_.pop_front();
        // As Channel::read() does.
        if (kind_of(next) > static_cast<std::uint32_t>(last_of(MessageKind())))
            throw Error(ErrorKind::File, "no kind of message");
        return Message{static_cast<MessageKind>(kind_of(next)), next.substr(kFrameHead)};
    }
    bool write(MessageKind kind, std::string_view bytes) override {
        if (kind != MessageKind::Idle) return true;
        const std::lock_guard lock(mutex_);
        idle_ = from_bytes<NumberMessage>(bytes).number;
        changed_.notify_all();
        return true;
    }
    void close_out() override {}
    void end_reading() override {}

    void wait_for_idle(std::uint64_t number) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return idle_ >= number; });
    }

  private:
    std::deque<std::string> frames_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t idle_ = 0;
};

template <typename Verb>
std::string order(Verb verb) {
    return frame(MessageKind::Order, to_bytes(OrderMessage{1, std::string(Verb::record().name),
                                                           Verb::record().wire.write(&verb), false, false}));
}

class EngineSide final : public Side {
  public:
    EngineSide(const std::vector<Talk>& talks, std::filesystem::path model)
        : model_(std::move(model)), orders_(made_orders()) {
        for (const Talk& talk : talks) {
            for (const std::string& each : talk.told) {
                if (kind_of(each) != static_cast<std::uint32_t>(MessageKind::AskIdle)) told_.push_back(each);
            }
        }
        for (const MadeQuestion& question : made_questions()) {
            questions_.push_back(ask(question.record->name, question.query));
        }
        for (const QueryRecord* record : query_list()) questions_.push_back(ask(record->name, {}));
    }

    std::string try_one(Chance& chance) override {
        // Settings and breakpoints of orders that were taken stay.
        if (count_ % 500 == 0) {
            server_.reset();
            server_ = std::make_unique<EngineServer>(port_);
        }
        if (count_++ % 100 == 0) {
            RunOptions options;
            options.backward = true;
            play({order(StopVerb()), order(KeepInVerb()), order(OpenVerb{.file = model_}),
                  order(RunVerb{.options = options})});
            settle();
        }
        std::vector<std::string> frames;
        for (std::size_t i = 1 + chance.below(3); i > 0; --i) {
            const std::vector<std::string>& pool = chance.one_in(3) ? told_ : chance.one_in(2) ? orders_ : questions_;
            frames.push_back(pool[chance.below(pool.size())]);
        }
        damage_frames(frames, chance);
        // One of a number beyond those to come would leave those unanswered, as it should.
        std::erase_if(frames, [](const std::string& each) {
            return kind_of(each) == static_cast<std::uint32_t>(MessageKind::AskIdle);
        });
        std::string wrong = play(frames);
        settle();
        return wrong;
    }

  private:
    static std::string ask(std::string_view name, std::string value) {
        return frame(MessageKind::Ask,
                     to_bytes(AskMessage{1, "fuzz", std::string(name), std::move(value), true, false}));
    }

    std::string play(const std::vector<std::string>& frames) {
        port_.set(frames);
        try {
            server_->serve();
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::File) return error.what();
        }
        return {};
    }
    // All is stopped, and it still answers.
    void settle() {
        port_.set({order(StopVerb()), frame(MessageKind::AskIdle, to_bytes(NumberMessage{++idle_}))});
        server_->serve();
        port_.wait_for_idle(idle_);
    }

    const std::filesystem::path model_;
    std::vector<std::string> told_;
    std::vector<std::string> orders_;
    std::vector<std::string> questions_;
    std::uint64_t count_ = 0;
    std::uint64_t idle_ = std::uint64_t{1} << 40;
    Port port_;
    std::unique_ptr<EngineServer> server_;
};

}  // namespace

std::unique_ptr<Side> engine_side(const std::vector<Talk>& talks, const std::filesystem::path& model) {
    return std::make_unique<EngineSide>(talks, model);
}

}  // namespace loupe::fuzz
