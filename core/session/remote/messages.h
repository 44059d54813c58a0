// SPDX-License-Identifier: Apache-2.0
#pragma once
// What an engine in a process of its own (tensorloupe-engine) and its session say to each other.
//
// The session starts the process with two pipes. The engine's side begins with one line of text, the greeting: who it
// is, its version and the very build of the engine's library. A session takes no other than its own, because values
// go as their fields (wire/wire.h) with no numbers of versions in them: anything else is refused in one line. From then
// on both send frames (channel.h): a kind, a size, and a struct of this file.
//
// Orders (Order) and questions (Ask) are performed by the thread that reads them, which never waits: so stop() reaches
// an engine that computes. The engine's thread never writes to the pipe: what it reports is put in an Outbox, from
// which another thread sends it. A status replaces one of the same state that still waits, the number of events the
// number before, and lines of the log are counted instead of kept when they are too many: a session that does not read
// costs a run nothing but memory up to a bound.
//
// Recordings, trainings and settings are not reported but followed: before each batch of messages the sending thread
// looks at what there is of them and sends what is new (recording_stream.h, TrainingLog::take_growth), so that whatever
// a message names is there before it. They have numbers. What a session shows of them are copies, which live as long as
// the engine has the original (Forget), or as long as a view holds them.
//
// An engine far away outlives its connections: between it and its session is a link (link.h), which carries these
// messages in pieces over one connection after another. It also outlives its sessions: to the next one it first says
// Joined, then all there is, as if it had just come to be (EngineServer::start_anew).
//
// A long message of an engine on this machine goes through memory instead of the pipe (base/sealed_memory.h): its frame
// says only of what kind and how long it is (Shared), and the memory comes as an open file through the socket.
//
// The engine's process shares one page of memory with the session (record/running_place.h), where it notes what it
// computes: it can be read when the process is gone, whatever ended it.
//
// Bytes of a file that nobody vouches for are read in the engine's process. So it has no network and starts no program
// (base/forbid_calls.h), and writes only into a folder of its own, its cache, and where its user permits a model's
// source to write (engine_launch.h). What it is to save elsewhere the session opens, gives it through a socket, and
// puts in its place when it is whole; of an engine far away a process beside it does (grant_giver.h).

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fields.h"
#include "core/model/input_spec.h"
#include "core/model/model_info.h"
#include "core/record/recording.h"
#include "core/record/run_options.h"
#include "core/session/breakpoint.h"
#include "core/session/generation.h"
#include "core/session/session_listener.h"
#include "core/session/status.h"
#include "core/study/compilation.h"
#include "core/train/training.h"

namespace loupe::session {

enum class MessageKind : std::uint32_t {
    // To the engine.
    Order,
    Ask,
    AskIdle,
    // From the engine.
    Settings,
    Growth,
    TrainingGrowth,
    Shown,
    Forget,
    Status,
    Model,
    ShowRecording,
    Events,
    TrainingReport,
    GenerationReport,
    Compiled,
    Log,
    Done,
    Answer,
    Progress,
    DroppedOrder,
    DroppedQuestion,
    Idle,
    Alive,
    Joined,
    // Of a connection of a link, both ways: see link.h. No port delivers them.
    Hello,
    Welcome,
    Farewell,
    Piece,
    Received,
    Ping,
    Pong,
    EndEngine,
    // Beside a link, for the process that watches an engine in the background: see grant_giver.h. No port delivers it.
    Grant,
    // Of a channel, in place of a long message: see above. No port delivers it.
    Shared,
};
constexpr MessageKind last_of(MessageKind) { return MessageKind::Shared; }

// --- to the engine ---

struct OrderMessage {
    std::uint64_t number = 0;  // orders count from 1
    std::string verb;
    std::string value;
    bool wants_done = false;
    std::uint64_t given = 0;  // the number by which what it opens was given apart; 0: it was not
};
auto fields(Like<OrderMessage> auto& it) { return std::tie(it.number, it.verb, it.value, it.wants_done, it.given); }

struct AskMessage {
    std::uint64_t number = 0;  // of the question
    std::string tag;
    std::string query;  // the name of its record
    std::string value;
    bool wants_progress = false;
    std::uint64_t given = 0;  // likewise: the file that the query writes, or what it answers; 0: nothing was
};
auto fields(Like<AskMessage> auto& it) {
    return std::tie(it.number, it.tag, it.query, it.value, it.wants_progress, it.given);
}

// --- to and from ---

// Also Idle, the answer: nothing is queued or runs, and all that was reported before is sent.
struct NumberMessage {
    std::uint64_t number = 0;
};
auto fields(Like<NumberMessage> auto& it) { return std::tie(it.number); }

// --- from the engine ---

// The first message of an engine that may have had another session before.
struct JoinedMessage {
    bool has_state = false;           // a model was opened there, which follows
    std::filesystem::path kept = {};  // where it keeps what it is made again from when it dies
    // Of the one before it, which died, to the first session behind that.
    std::string died = {};    // why, in one line; empty: it did not
    std::string place = {};   // what it computed then: end_place.h
    std::string opened = {};  // its model: kept_opening.h; empty: it had none
};
auto fields(Like<JoinedMessage> auto& it) { return std::tie(it.has_state, it.kept, it.died, it.place, it.opened); }

// What callers can set, and the engine sets too: inputs that are guessed, hits of breakpoints.
struct SettingsMessage {
    std::uint64_t orders = 0;  // performed until then: of a session that has given more its own view counts
    std::vector<InputSpec> inputs;
    RunOptions options;
    std::vector<Breakpoint> breakpoints;
    std::map<std::string, std::vector<Breakpoint>> elsewhere;
};
auto fields(Like<SettingsMessage> auto& it) {
    return std::tie(it.orders, it.inputs, it.options, it.breakpoints, it.elsewhere);
}

// What is shown, by number; 0: none.
struct ShownMessage {
    std::uint64_t recording = 0;
    std::uint64_t training = 0;
    std::vector<std::uint64_t> trainings;  // of the model file
};
auto fields(Like<ShownMessage> auto& it) { return std::tie(it.recording, it.training, it.trainings); }

struct TrainingGrowthMessage {
    std::uint64_t number = 0;
    TrainingGrowth growth;
};
auto fields(Like<TrainingGrowthMessage> auto& it) { return std::tie(it.number, it.growth); }

struct ForgetMessage {
    bool is_training = false;
    std::uint64_t number = 0;
};
auto fields(Like<ForgetMessage> auto& it) { return std::tie(it.is_training, it.number); }

struct ModelMessage {
    std::shared_ptr<const ModelInfo> model;
};
auto fields(Like<ModelMessage> auto& it) { return std::tie(it.model); }

struct EventsMessage {
    std::uint64_t recording = 0;
    std::uint64_t count = 0;
};
auto fields(Like<EventsMessage> auto& it) { return std::tie(it.recording, it.count); }

struct GenerationMessage {
    std::shared_ptr<const Generation> generation;
};
auto fields(Like<GenerationMessage> auto& it) { return std::tie(it.generation); }

struct LogMessage {
    SessionListener::LogEntry entry;
    std::uint64_t recording = 0;
    std::uint64_t training = 0;
};
auto fields(Like<LogMessage> auto& it) { return std::tie(it.entry, it.recording, it.training); }

// Of an order or a question: what follows it, as text or as the bytes of its type.
struct ReplyMessage {
    std::uint64_t number = 0;
    std::string value;
    bool has_written = false;  // all of the file that the question came with
};
auto fields(Like<ReplyMessage> auto& it) { return std::tie(it.number, it.value, it.has_written); }

// The same, read where it lies.
struct ReplyView {
    std::uint64_t number = 0;
    std::string_view value;
    bool has_written = false;
};
auto fields(Like<ReplyView> auto& it) { return std::tie(it.number, it.value, it.has_written); }

// The only message of a channel itself.
struct SharedMessage {
    MessageKind kind{};
    std::uint64_t size = 0;
};
auto fields(Like<SharedMessage> auto& it) { return std::tie(it.kind, it.size); }

}  // namespace loupe::session
