// SPDX-License-Identifier: Apache-2.0
#pragma once
// The engines of a program's ranks behind one child process: a launcher such as mpirun, whose rank 0 passes on what
// goes to the others. Its first line says how many there are; then pieces of their channels follow (byte_mux.h). Each
// rank is a whole engine, and has a session of its own. One that dies is said on the launcher's standard error (see
// rank_guard.h), and the others go on where the launcher lets them.

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/session/remote/byte_mux.h"
#include "core/session/remote/child_process.h"
#include "core/session/remote/rank_guard.h"
#include "core/session/remote/remote_engine.h"

namespace loupe::session {

class RankProcess {
  public:
    // command: the launcher with its arguments and the engine's: {"mpirun", "-n", "4", ..., "tensorloupe-engine",
    // "--stdio"}; a name without a folder is looked for in PATH. Waits for the first line, a minute at most or until it
    // is cancelled. Throws Error (Usage) when it cannot be run, or is not what it should be: one line, with what it
    // said; Cancelled. environment: "NAME=value", besides this process's.
    RankProcess(const std::vector<std::string>& command, std::size_t ranks,
                const std::vector<std::string>& environment = {});
    RankProcess(const RankProcess&) = delete;
    RankProcess& operator=(const RankProcess&) = delete;
    // Ends it in order, for which it has five seconds; sessions of its ranks are gone by then.
    ~RankProcess();

    std::size_t size() const { return mux_->size(); }
    // What a session of the rank begins with. One that has ended does not begin again: all of them end together.
    RemoteEngine::Begin begin(std::size_t rank);
    // Ends all of them at once.
    void kill();

  private:
    class Port;
    void begin_channels(const std::vector<std::string>& command, std::size_t ranks);
    void read_errors(FileHandle errors);
    void stop_errors();
    std::optional<RankDeath> death_of(std::size_t rank);

    std::unique_ptr<ChildProcess> process_;
    std::unique_ptr<ByteMux> mux_;
    FileHandle stopped_;  // readable: standard error is read no more
    std::thread errors_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<int, RankDeath> deaths_;
    std::set<std::size_t> begun_;  // ranks that have had an engine
    bool has_ended_ = false;       // nothing more is said
};

// The greeting: "tensorloupe-ranks 4".
std::string rank_greeting(std::size_t ranks);
// "mpirun -n {ranks} --bind-to none {engine} --stdio" with these in their places, as words. Throws Error (Usage) for a
// text without both.
std::vector<std::string> launch_command(const std::string& text, std::size_t ranks,
                                        const std::filesystem::path& engine);
// The same on another machine. reached: the command that reaches an engine there (FarPlace::Options); what stands
// before the engine in it goes before the launcher. Throws Error (Usage) also when no engine stands in it.
std::vector<std::string> far_launch_command(const std::vector<std::string>& reached, const std::string& text,
                                            std::size_t ranks);
// Unless it is set otherwise. --enable-recovery: one rank's death is not that of all.
inline constexpr const char* kLaunchCommand =
    "mpirun -n {ranks} --bind-to none --oversubscribe --enable-recovery {engine} --stdio";

}  // namespace loupe::session
