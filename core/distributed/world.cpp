// SPDX-License-Identifier: Apache-2.0
#include "core/distributed/world.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/plugin_list.h"
#include "core/distributed/last_act.h"
#include "core/distributed/solo.h"

namespace loupe::distributed {
namespace {

using namespace std::chrono_literals;

std::string (*place_function)() = nullptr;
std::string (*recorder_place)() = nullptr;

CollectiveObserver*& thread_collective_observer() {
    thread_local CollectiveObserver* observer = nullptr;
    return observer;
}

WaitObserver*& thread_wait_observer() {
    thread_local WaitObserver* observer = nullptr;
    return observer;
}

std::chrono::milliseconds patience_of_environment() {
    if (const char* text = std::getenv("LOUPE_RANK_PATIENCE")) {
        const double seconds = std::strtod(text, nullptr);
        if (seconds > 0 && seconds < 1e6) return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
    }
    return 10s;
}

Backend* backend_for(const LaunchFacts& facts) {
    for (Backend* each : backends()) {
        if (each->joins(facts)) return each;
    }
    if (facts.world_size == 1) return &solo_backend();
    if (facts.launcher == Launcher::Torchrun) {
        throw Error(ErrorKind::Run,
                    concat("torchrun started this process as rank ", facts.rank, " of ", facts.world_size,
                           ", and the plugin gloo ", plugin_absence("gloo")),
                    {.hint = "install libgloo-dev and build again, or start it with tensorloupe-cli run --ranks N"});
    }
    throw Error(ErrorKind::Run,
                concat("this process was started as rank ", facts.rank, " of ", facts.world_size,
                       " by mpirun or srun, and the plugin mpi ", plugin_absence("mpi")),
                {.hint = "install libopenmpi-dev and build again"});
}

}  // namespace

World::World() : patience_(patience_of_environment()) {
    char name[256] = "";
    if (gethostname(name, sizeof name - 1) == 0) host_ = name;
    facts_ = read_launch_facts();
}

World& World::instance() {
    // Never destroyed: its thread may be in the library when the process ends.
    static World& world = *new World;
    return world;
}

World::Program*& World::program_of_thread() {
    thread_local Program* program = nullptr;
    return program;
}

World::Program& World::program() {
    Program* const own = program_of_thread();
    return own != nullptr ? *own : own_;
}

ProgramScope::ProgramScope() : before_(World::program_of_thread()) {
    if (World::instance().size() == 1) World::program_of_thread() = &program_;
}
ProgramScope::~ProgramScope() { World::program_of_thread() = before_; }

void World::join() {
    const std::lock_guard lock(join_mutex_);
    if (progress_ != nullptr) return;
    backend_ = backend_for(facts_);
    kept_progress_ = std::make_unique<Progress>(*backend_, facts_);
    // Of a process that joins no other one nothing changes: other engines in it may look.
    if (kept_progress_->rank() != facts_.rank) facts_.rank = kept_progress_->rank();
    if (kept_progress_->size() != facts_.world_size) facts_.world_size = kept_progress_->size();
    progress_ = kept_progress_.get();
}

ControlChannel World::control() {
    join();
    return ControlChannel(progress());
}

ProcessGroup& World::begin(const std::string& backend, std::chrono::milliseconds timeout) {
    auto& groups = program().groups;
    if (!groups.empty()) throw Error(ErrorKind::Usage, "trying to initialize the default process group twice!");
    join();
    groups.push_back(make_ptr<ProcessGroup>("0", backend, progress().world(), timeout));
    return *groups.front();
}

ProcessGroup* World::find(std::string_view name) const {
    for (const auto& group : program().groups) {
        if (group->name() == name) return group.get();
    }
    return nullptr;
}

ProcessGroup* World::new_group(std::vector<int> ranks, const std::string& backend, std::chrono::milliseconds timeout) {
    ProcessGroup& world = *program().groups.front();
    // The ranks agree on it as on a collective.
    world.barrier(concat("new_group [", loupe::join(ranks, ", "), "]"))->wait();
    const auto place = std::find(ranks.begin(), ranks.end(), rank());
    Channel* channel = progress().split(place == ranks.end() ? -1 : 0, ranks);
    const std::string name = concat(++program().made);
    if (channel == nullptr) return nullptr;
    program().groups.push_back(make_ptr<ProcessGroup>(name, backend, *channel, timeout));
    return program().groups.back().get();
}

void World::end(ProcessGroup* group) {
    if (group != nullptr) {
        group->settle();
        std::erase_if(program().groups, [&](const auto& each) { return each.get() == group; });
        return;
    }
    for (const auto& each : program().groups) each->settle();
    program().groups.clear();
}

void World::begin_run(bool forgets_groups) {
    Program& own = program();
    own.launched = 0;
    for (const auto& group : own.groups) group->forget_run();
    if (forgets_groups) own.groups.clear();
    if (!is_joined() || size() == 1) return;
    if (forgets_groups) own.made = 0;
    progress().begin_run(forgets_groups);
    progress().set_status(RankStatus::Kind::Working, {});
}

void World::end_run() {
    if (is_joined() && size() > 1) progress().end_run();
}

void World::forget_passes() {
    for (const auto& group : program().groups) group->forget_passes();
}

void World::set_status(RankStatus::Kind kind, std::string text) {
    if (is_joined() && size() > 1) progress().set_status(kind, std::move(text));
}

void World::leave(const std::string& error) {
    if (!is_joined()) return;
    if (size() == 1) {
        program().groups.clear();
        progress_ = nullptr;
        kept_progress_.reset();
        return;
    }
    if (!error.empty()) {
        note_own_end();
        progress().announce_end(RankStatus::Kind::Failed, error);
        std::this_thread::sleep_for(300ms);  // the letters go out
        backend_->abort(1);
        return;
    }
    progress().announce_end(RankStatus::Kind::Ended, "");
    // The others may still compute, without collectives; as long as they answer.
    while (!progress().wait_for_ends(2s)) {
        std::vector<int> all;
        for (int i = 0; i < size(); ++i) all.push_back(i);
        const auto statuses = progress().ask(all, 10s);
        const bool is_silent = std::any_of(statuses.begin(), statuses.end(), [](const RankStatus& each) {
            return each.kind == RankStatus::Kind::Silent || each.kind == RankStatus::Kind::Failed;
        });
        if (is_silent) return;
    }
    // The backend leaves with all ranks or not at all.
    if (progress().failed(progress().world().ranks)) return;
    end(nullptr);
    progress().finish();
    progress_ = nullptr;
    kept_progress_.reset();
}

WaitingScope::WaitingScope(std::string what, const std::vector<int>& waits_for) : what_(std::move(what)) {
    World::instance().progress().set_status(RankStatus::Kind::Waiting, what_, waits_for);
}
WaitingScope::~WaitingScope() { World::instance().progress().set_status(RankStatus::Kind::Working, what_); }

WaitObserver* wait_observer() { return thread_wait_observer(); }
WaitObserverScope::WaitObserverScope(WaitObserver* observer) : ScopedValue(thread_wait_observer(), observer) {}

void set_place_of_recorder(std::string (*place)()) { recorder_place = place; }
std::string place_of_recorder() { return recorder_place == nullptr ? std::string() : recorder_place(); }

CollectiveObserver* collective_observer() { return thread_collective_observer(); }
CollectiveObserverScope::CollectiveObserverScope(CollectiveObserver* observer)
    : ScopedValue(thread_collective_observer(), observer) {}

void set_place_of_program(std::string (*place)()) { place_function = place; }
std::string place_of_program() { return place_function == nullptr ? std::string() : place_function(); }

}  // namespace loupe::distributed
