// SPDX-License-Identifier: Apache-2.0
// The engine in a process of its own: what it reads on its standard input are orders and questions, what it writes to
// its standard output what there is to say (see core/session/remote/messages.h). It ends when its input does.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/build_facts.h"
#include "core/base/deep_thread.h"
#include "core/base/error.h"
#include "core/base/file_handle.h"
#include "core/base/forbid_calls.h"
#include "core/base/restricted_thread.h"
#include "core/base/share_cores.h"
#include "core/dispatch/plugin_list.h"
#include "core/distributed/launch_facts.h"
#include "core/distributed/world.h"
#include "core/session/rank_meeting.h"
#include "core/session/remote/byte_mux.h"
#include "core/session/remote/channel.h"
#include "core/session/remote/child_process.h"
#include "core/session/remote/engine_front.h"
#include "core/session/remote/engine_guardian.h"
#include "core/session/remote/engine_server.h"
#include "core/session/remote/greeting.h"
#include "core/session/remote/rank_guard.h"
#include "core/session/remote/rank_hub.h"
#include "core/session/remote/rank_process.h"
#include "core/session/remote/rank_router.h"

namespace {

using namespace loupe;
using namespace loupe::session;

constexpr int kUsage = 2;

// What libraries print goes to stderr: stdout is the channel's.
std::pair<FileHandle, FileHandle> take_descriptors() {
    FileHandle in(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, kFilesDescriptor + 1));
    FileHandle out(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, kFilesDescriptor + 1));
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    const FileHandle nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    ::dup2(nothing.get(), STDIN_FILENO);
    return {std::move(in), std::move(out)};
}

Channel take_channel() {
    auto [in, out] = take_descriptors();
    return {std::move(in), std::move(out)};
}

// An engine whose kernel does not return does not outlive its session.
void end_soon() {
    std::thread([] {
        std::this_thread::sleep_for(std::chrono::seconds(10));
        ::_exit(1);
    }).detach();
}

// Several engines in this process, each behind a channel of its own: ranks that do not talk to each other.
int serve_ranks(std::size_t ranks) {
    ::signal(SIGPIPE, SIG_IGN);
    auto [in, out] = take_descriptors();
    forbid_calls();
    RankMeeting::set_counts_places(true);
    const std::string line = rank_greeting(ranks) + "\n";
    if (::write(out.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) return 1;
    {
        ByteMux mux(std::move(in), std::move(out), ranks);
        std::vector<std::thread> engines;
        std::atomic<std::size_t> over{0};
        for (std::size_t rank = 0; rank < ranks; ++rank)
            engines.emplace_back([channel = std::shared_ptr<Channel>(mux.take(rank)), rank, ranks, &over] {
                if (!channel->write_greeting(engine_greeting())) return;
                try {
                    EngineServer server(*channel);
                    server.serve();
                    if (++over == ranks) end_soon();
                } catch (const Error& error) {
                    std::fprintf(stderr, "tensorloupe-engine: rank %zu: %s\n", rank, error.what());
                }
                channel->close_out();
            });
        for (std::thread& engine : engines) engine.join();
    }
    return 0;
}

// One of the ranks that a launcher has started. door: of rank 0, to the process that has the pipe to the window.
int serve_rank(FileHandle door) {
    RankMeeting::set_counts_places(true);
    plugins();  // one of them carries what ranks say
    distributed::World& world = distributed::World::instance();
    world.join();
    try {
        RankRouter router(std::move(door));
        forbid_calls();
        const std::unique_ptr<Channel> channel = router.take_channel();
        if (!channel->write_greeting(engine_greeting())) return 1;
        {
            EngineServer server(*channel);
            server.serve();
            end_soon();
        }
        channel->close_out();
    } catch (const Error& error) {
        std::fprintf(stderr, "tensorloupe-engine: rank %d: %s\n", world.rank(), error.what());
        world.leave(error.message());
        return 1;
    }
    world.leave({});
    return 0;
}

// In the rank's process, with the guard beside it; of rank 0 the guard has the pipe to the window.
int serve_guarded(int rank) {
    ::signal(SIGPIPE, SIG_IGN);
    auto [in, out] = take_descriptors();
    FileHandle door;
    if (rank == 0) {
        RankHub hub(std::move(in), std::move(out));
        guard_rank(rank, [&hub] { hub.serve(); });
        door = hub.leave();
    } else {
        in.reset();
        out.reset();
        guard_rank(rank);
    }
    allow_deep_stack();
    return serve_rank(std::move(door));
}

// Folders that "--may-write" names; nullopt: other arguments.
std::optional<std::vector<std::filesystem::path>> writable_folders(std::span<char* const> arguments) {
    std::vector<std::filesystem::path> folders;
    for (std::size_t i = 0; i < arguments.size(); i += 2) {
        if (std::string_view(arguments[i]) != "--may-write" || i + 1 == arguments.size()) return std::nullopt;
        folders.emplace_back(arguments[i + 1]);
    }
    return folders;
}

int serve(const std::vector<std::filesystem::path>& writable) {
    ::signal(SIGPIPE, SIG_IGN);
    Channel channel = take_channel();
    set_running_place(open_running_place(kPlaceDescriptor));
    channel.give_memory_to(given_files_socket());
    if (!writable.empty()) restrict_writes(writable);
    forbid_calls();
    if (!channel.write_greeting(engine_greeting())) return 1;
    try {
        EngineServer server(channel);
        server.serve();
        end_soon();
    } catch (const Error& error) {
        std::fprintf(stderr, "tensorloupe-engine: %s\n", error.what());
        return 1;
    }
    return 0;
}

// Minutes up to a year; 0: it is no such number.
int minutes_of(std::string_view text) {
    int minutes = 0;
    for (const char c : text) {
        if (c < '0' || c > '9' || minutes > 525'600) return 0;
        minutes = minutes * 10 + (c - '0');
    }
    return minutes <= 525'600 ? minutes : 0;
}

// Of an engine that stays in the background; nullopt: the words ask for another one.
std::optional<int> act_in_background(const std::vector<std::string>& words) {
    if (words.size() == 1 && words[0] == "--list") return list_engines();
    if (!words.empty() && words[0] == "--end" && words.size() <= 2)
        return end_engine(words.size() == 2 ? words[1] : StayOptions().name);
    StayOptions options;
    bool is_stdio = false, stays = false, is_background = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const bool has_value = i + 1 < words.size();
        if (words[i] == "--stdio") {
            is_stdio = true;
        } else if (words[i] == "--stay") {
            stays = true;
        } else if ((words[i] == "--engine" || words[i] == "--background") && has_value) {
            is_background = is_background || words[i] == "--background";
            options.name = words[++i];
        } else if (words[i] == "--may-write" && has_value) {
            options.writable.emplace_back(words[++i]);
        } else if (words[i] == "--idle" && has_value) {
            options.idle = std::chrono::minutes(minutes_of(words[++i]));
            if (options.idle.count() == 0) return std::nullopt;
        } else {
            return std::nullopt;
        }
    }
    if (is_background && !is_stdio && !stays) {
        allow_deep_stack();
        return serve_background(options);
    }
    if (is_stdio && stays) return serve_front(options);
    return std::nullopt;
}

}  // namespace

int main(int count, char** arguments) {
    loupe::share_cores(arguments);
    try {
        if (const auto status = act_in_background({arguments + 1, arguments + count})) return *status;
    } catch (const Error& error) {
        std::fprintf(stderr, "tensorloupe-engine: %s\n", error.what());
        return kUsage;
    }
    const std::string_view argument = count > 1 ? arguments[1] : "";
    if (count == 2 && argument == "--version") {
        std::printf("%s\n", build_facts("tensorloupe-engine").c_str());
        return 0;
    }
    const std::string_view word = count == 4 ? arguments[1] : "";
    if (word == "--stdio" && std::string_view(arguments[2]) == "--ranks") {
        const long ranks = std::strtol(arguments[3], nullptr, 10);
        if (ranks >= 1 && ranks <= static_cast<long>(ByteMux::kMostChannels)) {
            allow_deep_stack();
            return serve_ranks(static_cast<std::size_t>(ranks));
        }
    }
    const auto given = static_cast<std::size_t>(count);
    const auto writable = writable_folders(std::span(arguments, given).subspan(std::min<std::size_t>(given, 2)));
    if (argument != "--stdio" || !writable) {
        std::fprintf(
            stderr,
            "tensorloupe-engine is started by tensorloupe.\n"
            "tensorloupe-engine --stdio [--may-write DIR]...: serves one session on stdin and stdout; with "
            "--may-write it writes nowhere else\n"
            "tensorloupe-engine --stdio --ranks N: serves N, each with an engine of its own\n"
            "tensorloupe-engine --stdio --stay [--engine NAME] [--idle MINUTES] [--may-write DIR]...: joins the engine "
            "that runs here in the background, or starts it; it goes on when the session ends, and ends when nothing "
            "has run and no session has come for a day, or those minutes; it writes nowhere but into folders of its "
            "own, those that are named, and the files that are saved from the window\n"
            "tensorloupe-engine --list: the engines that run here in the background\n"
            "tensorloupe-engine --end [NAME]: ends one of them\n"
            "tensorloupe-engine --version\n");
        return kUsage;
    }
    try {
        const distributed::LaunchFacts facts = distributed::read_launch_facts();
        if (facts.world_size > 1) return serve_guarded(facts.rank);
    } catch (const Error& error) {
        std::fprintf(stderr, "tensorloupe-engine: %s\n", error.what());
        return 1;
    }
    allow_deep_stack();
    return serve(*writable);
}
