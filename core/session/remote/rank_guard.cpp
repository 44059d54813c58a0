// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/rank_guard.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <regex>
#include <thread>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/distributed/last_act.h"
#include "core/distributed/world.h"

namespace loupe::session {
namespace {

struct Page {
    RunningPlace place;
    distributed::LastAct last_act;
};

volatile pid_t guarded = 0;

void pass_on(int signal) {
    if (guarded > 0) ::kill(guarded, signal);
}

// " in aten::mm at event 17 (train.py:9)", behind it when nothing is under way; empty: nothing is recorded.
std::string place_text(const RunningPlace::Facts& place) {
    if (place.event == 0) return {};
    return concat(place.is_under_way ? " in " : " behind ", place.op, " at event ", place.event,
                  place.file.empty() ? "" : concat(" (", place.file, ":", place.line, ")"));
}

// Of one that is being written just now the next time it is asked has it.
std::string place_now() {
    for (int i = 0; i < 100; ++i) {
        if (const auto place = running_place()->read()) return place_text(*place).substr(place->event == 0 ? 0 : 1);
    }
    return {};
}

// The rank's own: this process keeps none of them open.
void let_go_of_streams() {
    const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(nothing, STDOUT_FILENO);
}

RankDeath death_of(int rank, int status, const Page* page) {
    RankDeath death;
    death.rank = rank;
    death.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    death.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (page == nullptr) return death;
    death.place = page->place.read().value_or(RunningPlace::Facts());
    const auto& line = page->last_act.line;
    death.last_collective.assign(line.data(), ::strnlen(line.data(), line.size()));
    death.gone = page->last_act.gone > 0 ? page->last_act.gone - 1 : -1;
    return death;
}

[[noreturn]] void end_as(const RankDeath& death) {
    if (death.signal == 0) ::_exit(death.exit_status);
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);  // the rank has left its own
    ::signal(death.signal, SIG_DFL);
    ::raise(death.signal);
    ::_exit(128 + death.signal);
}

constexpr int kPassedOn[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

void say(const RankDeath& death) {
    const std::string line = line_of(death) + "\n";
    // Without standard error there is nothing to say it to.
    if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

[[noreturn]] void watch(pid_t child, int rank, const Page* page, const std::function<void()>& beside) {
    guarded = child;
    for (const int signal : kPassedOn) ::signal(signal, pass_on);
    let_go_of_streams();
    std::thread other;
    if (beside) other = std::thread(beside);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    // Signals are this process's own now.
    guarded = 0;
    for (const int signal : kPassedOn) ::signal(signal, SIG_DFL);
    const RankDeath death = death_of(rank, status, page);
    if (death.signal != 0 || death.exit_status != 0) say(death);
    if (other.joinable()) other.join();
    end_as(death);
}

}  // namespace

std::string line_of(const RankDeath& death) {
    std::string out = concat("rank ", death.rank);
    if (death.signal != 0)
        out += concat(" was ended by signal ", death.signal, " (", ::strsignal(death.signal), ")");
    else
        out += concat(" ended with status ", death.exit_status);
    if (death.gone >= 0) out += concat(" behind the end of rank ", death.gone);
    out += place_text(death.place);
    if (!death.last_collective.empty()) out += concat("; its last collective: ", death.last_collective);
    return out;
}

std::optional<RankDeath> read_rank_death(std::string_view line) {
    static const std::regex pattern(
        R"(^rank (\d{1,6}) (?:was ended by signal (\d{1,3}) \([^)]*\)|ended with status (\d{1,3})))"
        R"((?: behind the end of rank (\d{1,6}))?)"
        R"((?: (in|behind) (\S+) at event (\d{1,9}))?(?: \((.+):(\d{1,9})\))?$)");
    // First: it may have the place of a line in it, too.
    constexpr std::string_view kLast = "; its last collective: ";
    const std::size_t last = std::min(line.find(kLast), line.size());
    const std::string_view collective = last < line.size() ? line.substr(last + kLast.size()) : std::string_view();
    line = line.substr(0, last);
    std::match_results<std::string_view::const_iterator> match;
    if (!line.starts_with("rank ") || !std::regex_match(line.begin(), line.end(), match, pattern)) return std::nullopt;
    const auto number = [&](std::size_t group) { return match[group].matched ? std::stoi(match[group]) : 0; };
    RankDeath death;
    death.rank = number(1);
    death.signal = number(2);
    death.exit_status = number(3);
    if (match[4].matched) death.gone = number(4);
    death.place.event = static_cast<std::uint32_t>(number(7));
    death.place.is_under_way = match[5] == "in";
    death.place.op = match[6];
    death.place.file = match[8];
    death.place.line = number(9);
    death.last_collective = collective;
    return death;
}

void guard_rank(int rank, const std::function<void()>& beside) {
    void* memory = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    Page* page = memory == MAP_FAILED ? nullptr : static_cast<Page*>(memory);
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child > 0) watch(child, rank, page, beside);
    if (child < 0 && beside) throw Error(ErrorKind::Run, concat("no process for rank ", rank));
    // Without a parent that waits it runs all the same.
    if (child < 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    if (page == nullptr) return;
    set_running_place(&page->place);
    distributed::set_last_act_page(&page->last_act);
    distributed::set_place_of_recorder(place_now);
}

}  // namespace loupe::session
