// SPDX-License-Identifier: Apache-2.0
// loupe_fuzz_operators [--rounds N] [--verbose] [--plugins] [OPERATOR [ROUND]]: calls every operator with arguments
// that no honest program gives: numbers at the ends of their range, shapes and dtypes that do not fit, indices outside.
// Whatever the arguments, a call must end soon with a result or with an Error.
//
// Half of the drawn calls come from the schema's types alone, half are the record's own samples with an argument or two
// exchanged; the rounds behind them change one argument of a sample at a time, in every way there is. Results that
// require grad are sent backward. Calls run in a child process, so that one that crashes does not hide the next; seeds
// are fixed, and the report names the operator and the round to run again.

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/dispatch/registry.h"
#include "core/plugin/plugin_loader.h"
#include "core/tensor/allocator.h"
#include "tests/fuzz/case_limit.h"
#include "tests/fuzz/hostile_arguments.h"
#include "tests/fuzz/hostile_call.h"

namespace {

using namespace loupe;

constexpr unsigned kMostSeconds = 10;  // a call
constexpr int kMostCrashes = 3;        // an operator
constexpr std::size_t kMemory = std::size_t{64} << 20;

// A call: which operator, and which draw of its arguments.
struct Position {
    std::size_t op = 0;
    std::size_t round = 0;
};

// What the child is doing, where the parent can read it after a crash.
struct Progress {
    Position at;
    std::size_t calls;
    std::size_t refused;
    char call[2000];
};

Progress* shared_progress() {
    void* memory = ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return static_cast<Progress*>(memory);
}

void call_with(const Operator& op, const std::vector<IValue>& arguments, Progress& progress) {
    std::snprintf(progress.call, sizeof progress.call, "%s", fuzz::describe_call(op, arguments).c_str());
    fuzz::limit_case(kMostSeconds);
    try {
        fuzz::call_and_send_backward(op, arguments);
    } catch (const Error& error) {
        ++progress.refused;
        if (error.kind() == ErrorKind::Internal) throw std::logic_error(error.what());
    }
    fuzz::limit_case(0);
    ++progress.calls;
}

void call_once(const Operator& op, std::size_t round, Progress& progress) {
    fuzz::Draw draw(std::hash<std::string_view>()(op.full_name) + round);
    call_with(op, fuzz::hostile_arguments(op, round, draw), progress);
}

using Operators = std::vector<const Operator*>;

[[noreturn]] void run_child(const Operators& operators, Position at, std::size_t rounds, Progress& progress,
                            bool verbose) {
    set_allocation_limit(kMemory);
    for (; at.op < operators.size(); ++at.op, at.round = 0) {
        const Operator& op = *operators[at.op];
        auto changed = fuzz::systematic_arguments(op);
        for (; at.round < rounds + changed.size(); ++at.round) {
            // A call that writes has changed what the other calls share.
            if (at.round > rounds && op.written_arguments != 0) changed = fuzz::systematic_arguments(op);
            progress.at = at;
            try {
                if (at.round < rounds)
                    call_once(op, at.round, progress);
                else
                    call_with(op, changed[at.round - rounds], progress);
            } catch (const std::exception& error) {
                std::fprintf(stderr, "throws something else: %s\n", error.what());
                std::_Exit(2);
            }
            if (verbose) std::printf("%zu: %s\n", at.round, progress.call);
        }
    }
    std::fflush(stdout);
    std::_Exit(0);
}

// The lines of a sanitiser's report that tell the most.
std::string digest(const std::filesystem::path& log) {
    std::ifstream in(log);
    std::string line, out;
    int frames = 0;
    while (std::getline(in, line)) {
        const bool is_frame = line.find("    #") != std::string::npos && line.find("/core/") != std::string::npos;
        const bool is_head = line.find("ERROR") != std::string::npos ||
                             line.find("runtime error") != std::string::npos ||
                             line.find("throws") != std::string::npos || line.find("terminate") != std::string::npos;
        if (is_head || (is_frame && ++frames <= 6)) out += "    " + line + "\n";
    }
    return out;
}

struct Totals {
    std::size_t calls = 0;
    std::size_t refused = 0;
    std::size_t wrong = 0;
};

// Where to go on after a crash: the next round, or the next operator when this one has crashed often enough.
Position after(Position at, std::map<std::size_t, int>& crashes) {
    if (++crashes[at.op] >= kMostCrashes) return {at.op + 1, 0};
    return {at.op, at.round + 1};
}

void run_operators(const Operators& operators, Position at, std::size_t rounds, bool verbose, Progress& progress,
                   Totals& totals) {
    const auto log = std::filesystem::temp_directory_path() / ("loupe_fuzz_operators_" + std::to_string(::getpid()));
    std::map<std::size_t, int> crashes;
    while (at.op < operators.size()) {
        progress = {};
        std::fflush(stdout);
        const pid_t child = ::fork();
        if (child == 0) {
            if (std::freopen(log.c_str(), "w", stderr) == nullptr) std::_Exit(1);
            run_child(operators, at, rounds, progress, verbose);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        totals.calls += progress.calls;
        totals.refused += progress.refused;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
        ++totals.wrong;
        const bool slow = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
        std::printf("%s round %zu: %s\n  %s\n%s", operators[progress.at.op]->full_name.c_str(), progress.at.round,
                    slow                  ? "does not end"
                    : WIFSIGNALED(status) ? ::strsignal(WTERMSIG(status))
                                          : "fails",
                    progress.call, digest(log).c_str());
        at = after(progress.at, crashes);
    }
    std::filesystem::remove(log);
}

}  // namespace

int main(int argc, char** argv) {
    std::size_t rounds = 12;
    bool verbose = false;
    bool of_plugins = false;  // only what they add
    std::vector<std::string> names;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--rounds" && i + 1 < argc)
            rounds = std::stoul(argv[++i]);
        else if (argument == "--verbose")
            verbose = true;
        else if (argument == "--plugins")
            of_plugins = true;
        else
            names.push_back(argument);
    }
    Progress* progress = shared_progress();
    Totals totals;
    Operators operators;
    const std::size_t own = all_operators().size();
    if (of_plugins) plugins();
    for (const Operator* op : all_operators().subspan(of_plugins ? own : 0)) {
        if (names.empty() || op->full_name == names[0]) operators.push_back(op);
    }
    const std::size_t first = names.size() > 1 ? std::stoul(names[1]) : 0;
    run_operators(operators, {0, first}, names.size() > 1 ? first + 1 : rounds, verbose, *progress, totals);
    std::printf("%zu operators, %zu calls, %zu refused, %zu wrong\n", operators.size(), totals.calls, totals.refused,
                totals.wrong);
    return totals.wrong == 0 && !operators.empty() ? 0 : 1;
}
