// SPDX-License-Identifier: Apache-2.0
// What another process says is not trusted. Streams of a real session and its engine, and messages that are made of
// their types alone, are damaged at random and given to what reads them, on either side: whatever comes of it, it says
// so in one line or takes it, and what it shows holds together.
//   loupe_fuzz_messages [--side NAME] [--rounds N] [--seed S] [--from ROUND]
// Without a side, all of them. A round depends on the seed and its number alone, but for what an engine did before.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/deep_thread.h"
#include "core/base/forbid_calls.h"
#include "core/base/restricted_thread.h"
#include "core/dispatch/plugin_list.h"
#include "tests/fuzz/case_limit.h"
#include "tests/fuzz/message_sides.h"

// Of the sanitizers, where they are.
extern "C" [[gnu::weak]] void __sanitizer_set_death_callback(void (*callback)());

namespace {

namespace fs = std::filesystem;
using namespace loupe;
using namespace loupe::fuzz;

constexpr unsigned kMostSeconds = 60;  // a round

std::atomic<std::size_t> now_round{0};
std::string now_side;

void say_where() { std::fprintf(stderr, "\n--side %s --from %zu\n", now_side.c_str(), now_round.load()); }
void say_that_it_hangs(int) {
    say_where();
    std::abort();
}

struct Asked {
    std::string side;
    std::size_t rounds = 200;
    std::size_t from = 0;
    std::uint64_t seed = 1;
};

struct Folder {
    Folder() {
        std::string name = (fs::temp_directory_path() / "loupe-fuzz-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) std::abort();
        path = name;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
    fs::path path;
};

// 0, or the exit status.
int try_side(const std::string& name, Side& side, const Asked& asked) {
    now_side = name;
    const auto began = std::chrono::steady_clock::now();
    for (std::size_t round = asked.from; round < asked.from + asked.rounds; ++round) {
        now_round = round;
        limit_case(kMostSeconds);
        Chance chance(asked.seed * 1'000'000'007 + round);
        const std::string wrong = side.try_one(chance);
        if (wrong.empty()) continue;
        std::fprintf(stderr, "%s, round %zu of seed %llu: %s\n", name.c_str(), round,
                     static_cast<unsigned long long>(asked.seed), wrong.c_str());
        return 1;
    }
    limit_case(0);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    std::printf("%s: %zu damaged streams in %.1f s: each was taken, or refused in one line\n", name.c_str(),
                asked.rounds, took.count());
    std::fflush(stdout);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    Asked asked;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string_view option = argv[i];
        if (option == "--side") asked.side = argv[i + 1];
        if (option == "--rounds") asked.rounds = std::strtoull(argv[i + 1], nullptr, 10);
        if (option == "--from") asked.from = std::strtoull(argv[i + 1], nullptr, 10);
        if (option == "--seed") asked.seed = std::strtoull(argv[i + 1], nullptr, 10);
    }
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGALRM, say_that_it_hangs);
    if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(say_where);
    allow_deep_stack();
    const Folder folder;
    const fs::path rows = fs::path(LOUPE_SOURCE_DIR) / "tests/fixtures/watch/net.watch";
    fs::current_path(folder.path);
    ::setenv("TMPDIR", folder.path.c_str(), 1);
    // Damaged orders name files to be written: in that folder, and by an engine that may as little as its own process.
    restrict_writes({folder.path, "/dev"});
    if (asked.side == "engine") forbid_calls();
    plugins();
    const std::vector<Talk> talks = record_talks(folder.path);
    for (const Talk& talk : talks)
        std::printf("%s: %zu messages of %zu bytes, then %zu of %zu\n", talk.name.c_str(), talk.told.size(),
                    joined(talk.told).size(), talk.said.size(), joined(talk.said).size());
    const fs::path model = write_small_model(folder.path);
    const std::vector<std::pair<std::string, std::function<std::unique_ptr<Side>()>>> sides{
        {"window", [&] { return window_side(talks); }},
        {"engine", [&] { return engine_side(talks, model); }},
        {"link", [&] { return link_side(talks); }},
        {"host", [&] { return host_side(talks); }},
        {"front", [&] { return front_side(talks, folder.path); }},
        {"far", [&] { return far_side(talks, folder.path); }},
        {"mux", [&] { return mux_side(talks); }},
        {"rows", [&] { return rows_side(rows, folder.path); }},
    };
    int status = asked.side.empty() ? 0 : 2;
    for (const auto& [name, make] : sides) {
        if (!asked.side.empty() && name != asked.side) continue;
        const std::unique_ptr<Side> side = make();
        status = try_side(name, *side, asked);
        if (status != 0) break;
    }
    return status;
}
