// SPDX-License-Identifier: Apache-2.0
#pragma once
// The thread that talks to the backend: it starts collectives when the ranks agree on them, moves them on while the
// program computes, and answers other ranks that ask what this one does.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/distributed/backend.h"
#include "core/distributed/peers.h"
#include "core/distributed/work.h"

namespace loupe::distributed {

// A collective or message that was handed to the progress thread. Its memory stays until the state is done.
struct Task {
    Announcement announcement;
    Transfer transfer;
    std::shared_ptr<WorkState> state;
    std::function<void()> on_progress;  // when the bytes are there, on the progress thread; may be null
};

// The progress thread's side of a group.
struct Channel {
    std::vector<int> ranks;  // of the program
    std::unique_ptr<Communicator> data;
    std::unique_ptr<Communicator> agreements;
    std::map<int, std::unique_ptr<Communicator>> devices;  // by type and index: what carries their memory

    struct Running {
        Task task;
        std::unique_ptr<Request> agreement;  // null: there is none, or it is done
        std::unique_ptr<Request> lines;      // of a disagreement
        std::unique_ptr<Request> request;
        std::int64_t digests[2] = {0, 0};
        std::string line, all_lines;
        bool is_agreed = false;
        bool is_message_header = false;  // of a message: its header is under way
    };
    std::list<Running> running;  // in order of launch
};

// What a rank does, as it answers.
struct RankStatus {
    enum class Kind : char {
        Working = 'w',
        Waiting = 'c',
        Parked = 'p',  // by a session, before its next operator
        Idle = 'i',    // of a session: nothing was run yet
        Ended = 'e',
        Failed = 'f',
        Silent = 's'
    } kind = Kind::Working;
    double since = 0;            // seconds
    std::vector<int> waits_for;  // of one that waits: any of these ranks may be late
    std::string text;            // the collective that it waits for or launched last; of a failure its error
    std::string encoded() const;
    static RankStatus decoded(const std::string& bytes);
};

class Progress {
  public:
    // world: of all ranks. Starts the thread.
    explicit Progress(Backend& backend, const LaunchFacts& facts);
    ~Progress();

    int rank() const { return rank_; }
    int size() const { return size_; }
    // The world's; lives as long as this.
    Channel& world() { return *world_; }
    void submit(Channel& channel, Task task);
    // A group of some ranks; all ranks of the program call it in the same order, after they have agreed to. Null on
    // those that are not in it. Returns when it is there.
    Channel* split(int colour, std::vector<int> ranks);
    // A run begins here, and what was under way is none of it. What it submits starts when all ranks have begun one
    // since they last did together and are in it: then every channel is a new one, on which nothing of runs before is
    // left. forgets_groups: channels of split() are gone.
    void begin_run(bool forgets_groups);
    void end_run();

    // Letters of the program: see ControlChannel.
    void post(int rank, std::string bytes);
    std::optional<Letter> receive(std::chrono::milliseconds timeout);

    void set_status(RankStatus::Kind kind, std::string text, std::vector<int> waits_for = {});
    // Silent where no answer came in time.
    std::vector<RankStatus> ask(const std::vector<int>& ranks, std::chrono::milliseconds timeout);
    // Says to all others how this rank ended.
    void announce_end(RankStatus::Kind kind, std::string text);
    // Leaves the backend; nothing else may follow.
    void finish();
    // Until all others have ended too.
    bool wait_for_ends(std::chrono::milliseconds timeout);
    // One that has failed, or died, among these; nullopt: none.
    std::optional<std::pair<int, RankStatus>> failed(const std::vector<int>& ranks);

  private:
    // Of one rank: how many it has begun; 1: the last is under way, else 0.
    struct RankRun {
        std::int64_t begun = 0;
        std::int64_t is_under_way = 0;
    };
    // What begins with the run.
    struct Waiting {
        std::function<void()> start;
        std::function<void(const std::string& why)> fail;
    };

    void run();
    bool run_actions();
    bool step();
    bool step(Channel& channel);
    Communicator& carrier(Channel& channel, const Transfer& transfer);
    bool advance(Channel& channel, Channel::Running& running, bool& may_launch);
    bool advance_message(Channel& channel, Channel::Running& running);
    void start_agreement(Channel& channel, Channel::Running& running);
    bool read_letters();
    void take_letter(const Letter& letter);
    void fail_all(int rank, const std::string& text);
    bool look_for_ended();
    void start(Channel& channel, Task task);
    void abandon(Channel& channel, const std::string& why);
    void begin_channels_anew();
    bool wait_for_ranks();
    std::optional<std::vector<RankRun>> gather_runs();
    bool finishes(std::unique_ptr<Request> request, std::shared_ptr<void> memory);
    Channel* split_now(int colour, std::vector<int> ranks);
    void fail_waiting(const std::string& why);
    void on_thread(std::function<void()> action);
    RankStatus status_now();

    Backend& backend_;
    const LaunchFacts facts_;
    int rank_ = 0;
    int size_ = 1;
    std::unique_ptr<Mailbox> mailbox_;
    std::unique_ptr<Communicator> all_;  // makes the others; nothing else is done with it
    std::vector<std::unique_ptr<Channel>> channels_;
    Channel* world_ = nullptr;  // the first of them
    // Of all ranks, in the order in which they were made; null: this rank is not in it.
    std::vector<std::pair<int, Channel*>> colours_;
    // Runs that each rank has begun, and had begun when the channels were made.
    std::vector<std::int64_t> begun_, begun_together_;
    bool waits_for_runs_ = false;
    bool is_in_run_ = true;     // a program that joins is
    bool cannot_meet_ = false;  // a rank's process is gone
    std::deque<Waiting> waiting_;
    Peers peers_;
    Clock::time_point looked_at_peers_;

    std::mutex mutex_;
    std::condition_variable wakes_;
    std::deque<std::function<void()>> actions_;
    bool is_ending_ = false;
    bool leaves_ = false;

    std::mutex letters_mutex_;
    std::condition_variable letters_changed_;
    std::deque<Letter> letters_;
    std::map<int, RankStatus> answers_;
    std::map<int, RankStatus> ends_;
    RankStatus status_;
    Clock::time_point status_since_ = Clock::now();

    std::thread thread_;
};

}  // namespace loupe::distributed
