// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/message_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/session/queries/list.h"
#include "core/session/remote/channel.h"
#include "core/session/remote/engine_server.h"
#include "core/session/remote/frame_head.h"
#include "core/session/remote/greeting.h"
#include "core/session/remote/recording_stream.h"
#include "core/session/remote/remote_engine.h"
#include "core/session/wire/wire.h"
#include "core/study/verdict.h"
#include "tests/support/filled.h"

namespace loupe::fuzz {

using namespace session;

namespace {

constexpr std::uint32_t kNoKind = 0xffffffff;

struct Pipe {
    Pipe() {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
        read_end.reset(ends[0]);
        write_end.reset(ends[1]);
    }
    FileHandle read_end;
    FileHandle write_end;
};

// A port that keeps what goes through it.
class Tap final : public MessagePort {
  public:
    Tap(FileHandle in, FileHandle out, Talk& talk) : channel_(std::move(in), std::move(out)), talk_(talk) {}
    std::string open() override { return channel_.open(); }
    std::optional<Message> read() override {
        auto message = channel_.read();
        if (message) talk_.said.push_back(frame(message->kind, message->bytes));
        return message;
    }
    bool write(MessageKind kind, std::string_view bytes) override {
        talk_.told.push_back(frame(kind, bytes));
        return channel_.write(kind, bytes);
    }
    void close_out() override { channel_.close_out(); }
    void end_reading() override { channel_.end_reading(); }

  private:
    Channel channel_;
    Talk& talk_;
};

// What follows is done by an engine; the talk is there when this returns.
Talk record(std::string name, const std::function<void(RemoteEngine&)>& does) {
    Talk talk;
    talk.name = std::move(name);
    Pipe orders;
    Pipe said;
    std::thread engine([in = std::move(orders.read_end), out = std::move(said.write_end)]() mutable {
        Channel channel(std::move(in), std::move(out));
        channel.write_greeting(engine_greeting());
        EngineServer server(channel);
        server.serve();
    });
    {
        RemoteEngine session(
            [&](EngineLife::Owner& owner) {
                return std::make_shared<EngineLife>(
                    std::make_unique<Tap>(std::move(said.read_end), std::move(orders.write_end), talk), owner);
            },
            nullptr);
        does(session);
        session.wait_idle();
    }
    engine.join();
    return talk;
}

template <typename Verb>
void order(RemoteEngine& engine, Verb verb) {
    engine.perform(Verb::record(), std::make_shared<const Verb>(std::move(verb)), [](const std::string&) {});
}

template <typename Query>
void ask(RemoteEngine& engine, Query query) {
    engine.ask(
        std::string(Query::record().name), Query::record(), std::make_shared<const Query>(std::move(query)),
        [](const QueryValue&) {}, [](const QueryValue&) {});
}

RunOptions with_backward() {
    RunOptions options;
    options.backward = true;
    return options;
}

void ask_of_a_run(RemoteEngine& engine) {
    for (const ValueId value : {1U, 4U, 9999U}) {
        TensorRequest request;
        request.value = value;
        ask(engine, TensorQuery{request});
        engine.wait_idle();
    }
    ask(engine, WatchQuery{"x.mean()", 3});
    ask(engine, TablesQuery{});
    ask(engine, GradientsQuery{});
    ask(engine, ExplainQuery{});
    ask(engine, MemoryPlanQuery{});
    ask(engine, LineValuesQuery{});
    ask(engine, PassTraceQuery{});
}

}  // namespace

std::string frame(MessageKind kind, std::string_view bytes) {
    std::array<char, kFrameHead> head;
    put_number(head.data(), static_cast<std::uint32_t>(kind));
    put_number(head.data() + 4, static_cast<std::uint32_t>(bytes.size()));
    std::string out(head.data(), head.size());
    return out += bytes;
}

std::vector<std::string> frames_of(std::string_view stream) {
    std::vector<std::string> out;
    while (!stream.empty()) {
        std::size_t size = stream.size();
        if (size >= kFrameHead) size = std::min<std::size_t>(size, kFrameHead + number_at(stream.data() + 4));
        out.emplace_back(stream.substr(0, size));
        stream.remove_prefix(size);
    }
    return out;
}

std::uint32_t kind_of(std::string_view frame) { return frame.size() < kFrameHead ? kNoKind : number_at(frame.data()); }

std::string joined(const std::vector<std::string>& frames) {
    std::string out;
    for (const std::string& each : frames) out += each;
    return out;
}

std::filesystem::path write_small_model(const std::filesystem::path& folder) {
    const auto path = folder / "small.py";
    std::ofstream(path) << "import torch\n"
                           "from torch import nn\n"
                           "class Net(nn.Module):\n"
                           "    def __init__(self):\n"
                           "        super().__init__()\n"
                           "        self.first = nn.Linear(3, 4)\n"
                           "        self.second = nn.Linear(4, 2)\n"
                           "    def forward(self, x):\n"
                           "        for i in range(2):\n"
                           "            x = x * 2\n"
                           "        return self.second(torch.relu(self.first(x))).sum()\n"
                           "example_inputs = (torch.ones(1, 3),)\n";
    return path;
}

std::vector<Talk> record_talks(const std::filesystem::path& folder) {
    const std::string model = write_small_model(folder).string();
    std::vector<Talk> talks;
    talks.push_back(record("run", [&](RemoteEngine& engine) {
        order(engine, OpenVerb{.file = model});
        order(engine, RunVerb{.options = with_backward()});
        engine.wait_idle();
        ask_of_a_run(engine);
    }));
    talks.push_back(record("breakpoint", [&](RemoteEngine& engine) {
        order(engine, OpenVerb{.file = model});
        Breakpoint breakpoint;
        breakpoint.kind = Breakpoint::Kind::Line;
        breakpoint.text = model;
        breakpoint.line = 10;
        order(engine, AddBreakpointVerb{breakpoint});
        order(engine, RunVerb{});
        engine.wait_idle();
        order(engine, ContinueVerb{});
        order(engine, MoveBreakpointsVerb{model, "x"});
        order(engine, StopVerb{});
    }));
    talks.push_back(record("training", [&](RemoteEngine& engine) {
        order(engine, OpenVerb{.file = LOUPE_SOURCE_DIR "/resources/models/digits.pt"});
        TrainOptions options;
        options.max_steps = 3;
        options.batch_size = 2;
        options.look_every = 1;
        order(engine, TrainVerb{.options = options});
        engine.wait_idle();
        order(engine, LookAtStepVerb{2});
        order(engine, ReturnToEndVerb{});
    }));
    talks.push_back(record("failures", [&](RemoteEngine& engine) {
        order(engine, OpenVerb{.file = "no such file"});
        ask(engine, TablesQuery{});
        ask(engine, StudyQuery{});
        order(engine, CloseVerb{});
    }));
    return talks;
}

namespace {

template <typename Message>
void add_made(std::vector<std::string>& out, MessageKind kind) {
    for (const int first : {0, 40}) out.push_back(frame(kind, to_bytes(test::filled<Message>(first))));
}

template <typename... Verbs>
std::vector<std::string> orders_of(VerbTypes<Verbs...>) {
    std::vector<std::string> out;
    const auto add = [&out](std::string_view name, std::string value) {
        const std::uint64_t number = out.size() + 1;
        out.push_back(frame(MessageKind::Order,
                            to_bytes(OrderMessage{number, std::string(name), std::move(value), true, false})));
    };
    (add(Verbs::record().name, to_bytes(test::filled<Verbs>())), ...);
    (add(Verbs::record().name, to_bytes(Verbs())), ...);
    return out;
}

template <typename Query>
MadeQuestion question() {
    const QueryRecord& record = Query::record();
    const auto query = test::filled<Query>();
    const auto answer = test::filled<typename Query::Answer>();
    MadeQuestion made{&record, record.query_wire.write(&query), record.answer_wire.write(&answer), {}};
    try {
        record.answer_wire.read(made.answer);
    } catch (const Error&) {  // what is in its fields does not belong together
        const typename Query::Answer empty{};
        made.answer = record.answer_wire.write(&empty);
    }
    if constexpr (requires { typename Query::Progress; }) {
        const auto progress = test::filled<typename Query::Progress>();
        made.progress = record.progress_wire.write(&progress);
    }
    return made;
}

template <typename... Queries>
std::vector<MadeQuestion> questions_of(QueryTypes<Queries...>) {
    return {question<Queries>()...};
}

}  // namespace

std::vector<std::string> made_news() {
    std::vector<std::string> out;
    add_made<SettingsMessage>(out, MessageKind::Settings);
    add_made<RecordingGrowth>(out, MessageKind::Growth);
    add_made<TrainingGrowthMessage>(out, MessageKind::TrainingGrowth);
    add_made<ShownMessage>(out, MessageKind::Shown);
    add_made<ForgetMessage>(out, MessageKind::Forget);
    add_made<Status>(out, MessageKind::Status);
    add_made<ModelMessage>(out, MessageKind::Model);
    add_made<NumberMessage>(out, MessageKind::ShowRecording);
    add_made<EventsMessage>(out, MessageKind::Events);
    add_made<NumberMessage>(out, MessageKind::TrainingReport);
    add_made<GenerationMessage>(out, MessageKind::GenerationReport);
    add_made<CompileReport>(out, MessageKind::Compiled);
    add_made<LogMessage>(out, MessageKind::Log);
    add_made<NumberMessage>(out, MessageKind::DroppedOrder);
    add_made<NumberMessage>(out, MessageKind::DroppedQuestion);
    add_made<JoinedMessage>(out, MessageKind::Joined);
    return out;
}

std::vector<std::string> made_orders() { return orders_of(AllVerbs()); }

std::vector<MadeQuestion> made_questions() { return questions_of(AllQueries()); }

}  // namespace loupe::fuzz
