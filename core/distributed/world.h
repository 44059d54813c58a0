// SPDX-License-Identifier: Apache-2.0
#pragma once
// This process among the ranks of its program. The program joins once, at start (a process that will be confined:
// before that); groups are made and let go as it runs. Engines that share a process have a program each: groups, and
// what was launched, are those of the calling thread's program.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/distributed/launch_facts.h"
#include "core/distributed/process_group.h"

namespace loupe::distributed {

// Letters from any rank to any, for what is not the program's: the window's questions go to rank 0, which passes them
// on. From any thread. No rank opens a port for it.
class ControlChannel {
  public:
    explicit ControlChannel(Progress& progress) : progress_(progress) {}
    void send(int rank, std::string bytes) { progress_.post(rank, std::move(bytes)); }  // returns at once
    // The next that came, from any rank, in the order of each; nullopt: none in the time. An empty one: that rank's
    // process has ended.
    std::optional<Letter> receive(std::chrono::milliseconds timeout) { return progress_.receive(timeout); }

  private:
    Progress& progress_;
};

class World {
  public:
    static World& instance();

    // Reads the launcher's variables, and joins the others where there are any. Once; again does nothing. Needs plugins
    // to be loaded. Throws Error (Run, Usage) with what is missing.
    void join();
    bool is_joined() const { return progress_ != nullptr; }
    const LaunchFacts& facts() const { return facts_; }
    int rank() const { return facts_.rank; }
    int size() const { return facts_.world_size; }
    const std::string& host() const { return host_; }
    ControlChannel control();
    Progress& progress() { return *progress_; }

    // init_process_group; joins first. Throws Error (Run) when there is one.
    ProcessGroup& begin(const std::string& backend, std::chrono::milliseconds timeout);
    ProcessGroup* group() const { return program().groups.empty() ? nullptr : program().groups.front().get(); }
    // By name; null: none. Groups without this rank are not here.
    ProcessGroup* find(std::string_view name) const;
    // All ranks of the program call it. ranks: of the program, ascending. Null where this rank is not among them.
    ProcessGroup* new_group(std::vector<int> ranks, const std::string& backend, std::chrono::milliseconds timeout);
    void end(ProcessGroup* group);  // null: all of them

    // A run of the program begins, or, with forgets_groups, the program itself anew: collectives of runs before are
    // none of it, whatever became of them. Those of this one start when all ranks have begun one. Nothing in a program
    // of one rank, or that has not joined.
    void begin_run(bool forgets_groups);
    // It has ended: what runs of others wait for is not in it.
    void end_run();
    // Forward passes that no backward is to follow: of a trace. Reducers do not wait for their gradients.
    void forget_passes();
    // Collectives of all ranks that this one has launched since then; on the thread that launches them.
    std::uint64_t launched() const { return program().launched; }
    void note_launch() { ++program().launched; }
    // What others hear that ask. Nothing in a program of one rank, or that has not joined.
    void set_status(RankStatus::Kind kind, std::string text);

    // How long a rank waits before it asks what the others do: 10 s, or LOUPE_RANK_PATIENCE (seconds).
    std::chrono::milliseconds patience() const { return patience_; }
    // Before the process ends: waits for the others. error: why it ends early; empty: it has run to its end.
    void leave(const std::string& error);

  private:
    friend class ProgramScope;
    struct Program {
        std::vector<Ptr<ProcessGroup>> groups;
        int made = 0;
        std::uint64_t launched = 0;
    };

    World();
    static Program*& program_of_thread();
    Program& program();
    const Program& program() const { return const_cast<World*>(this)->program(); }

    LaunchFacts facts_;
    std::string host_;
    std::chrono::milliseconds patience_;
    std::mutex join_mutex_;
    Backend* backend_ = nullptr;
    std::unique_ptr<Progress> kept_progress_;
    std::atomic<Progress*> progress_{nullptr};
    Program own_;
};

// While it lives, this thread's program is one of its own: of an engine, which may not be the only one in its process.
// Nothing in a process that a launcher has started as one of several.
class ProgramScope {
  public:
    ProgramScope();
    ProgramScope(const ProgramScope&) = delete;
    ProgramScope& operator=(const ProgramScope&) = delete;
    ~ProgramScope();

  private:
    World::Program program_;
    World::Program* before_;
};

// While it lives, other ranks that ask hear what this one waits for.
class WaitingScope {
  public:
    WaitingScope(std::string what, const std::vector<int>& waits_for);
    ~WaitingScope();
    WaitingScope(const WaitingScope&) = delete;
    WaitingScope& operator=(const WaitingScope&) = delete;

  private:
    const std::string what_;
};

// Hears of waits in collectives, on the thread that waits.
class WaitObserver {
  public:
    virtual ~WaitObserver() = default;
    // It waits, and what the others do meanwhile: "all_reduce ...: rank 1 computes, for 2 s"; again when that changes.
    virtual void on_waiting(const std::string& line) = 0;
    virtual void on_waited() = 0;
    // Once, of a wait that is long: who waits in what, since when, and for whom.
    virtual void on_long_wait(const std::string& line) = 0;
};
// Of this thread; null: none.
WaitObserver* wait_observer();
class WaitObserverScope final : ScopedValue<WaitObserver*> {
  public:
    explicit WaitObserverScope(WaitObserver* observer);
};

// Where a rank's recorder is, "in aten::mm at event 17 (train.py:9)"; any thread. Empty: nothing is recorded.
void set_place_of_recorder(std::string (*place)());
std::string place_of_recorder();

// Where the program is: "train.py:33". Of the language that runs it.
void set_place_of_program(std::string (*place)());
std::string place_of_program();

}  // namespace loupe::distributed
