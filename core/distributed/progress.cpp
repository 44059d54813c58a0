// SPDX-License-Identifier: Apache-2.0
#include "core/distributed/progress.h"

#include <algorithm>
#include <cstring>
#include <future>
#include <utility>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/distributed/device_transport.h"
#include "core/distributed/last_act.h"
#include "core/distributed/world.h"

namespace loupe::distributed {
namespace {

constexpr int kEngineBox = 0;                           // questions between progress threads
constexpr int kProgramBox = 1;                          // of ControlChannel
constexpr auto kLook = std::chrono::milliseconds(250);  // at the processes of other ranks

double seconds_since(Clock::time_point time) { return std::chrono::duration<double>(Clock::now() - time).count(); }

bool is_message(TransferKind kind) { return kind == TransferKind::Send || kind == TransferKind::Receive; }

// An id for all ranks, behind its length; none where there is none.
std::string id_letter(const std::string& id) {
    std::string letter(DeviceTransport::kMostIdBytes + 1, '\0');
    letter[0] = static_cast<char>(id.size());
    std::copy(id.begin(), id.end(), letter.begin() + 1);
    return letter;
}
std::string id_of(const std::string& letter) { return letter.substr(1, static_cast<unsigned char>(letter[0])); }

// Data and headers of one tag are messages of two.
int header_tag(int tag) { return 2 * tag + 1; }
int data_tag(int tag) { return 2 * tag; }

}  // namespace

// "c1.5 0,2 all_reduce ..."
std::string RankStatus::encoded() const {
    return concat(std::string(1, static_cast<char>(kind)), since, " ", join(waits_for, ","), " ", text);
}

RankStatus RankStatus::decoded(const std::string& bytes) {
    RankStatus status;
    if (bytes.empty() || std::strchr("wcpiefs", bytes[0]) == nullptr) return status;
    status.kind = static_cast<Kind>(bytes[0]);
    status.since = std::strtod(bytes.c_str() + 1, nullptr);
    const std::size_t first = bytes.find(' ');
    const std::size_t second = first == std::string::npos ? first : bytes.find(' ', first + 1);
    if (second == std::string::npos) return status;
    for (const std::string_view rank : split(std::string_view(bytes).substr(first + 1, second - first - 1), ',')) {
        if (!rank.empty()) status.waits_for.push_back(std::atoi(std::string(rank).c_str()));
    }
    status.text = bytes.substr(second + 1);
    return status;
}

Progress::Progress(Backend& backend, const LaunchFacts& facts) : backend_(backend), facts_(facts) {
    std::promise<void> joined;
    auto result = joined.get_future();
    thread_ = std::thread([this, &joined] {
        try {
            auto world = std::make_unique<Channel>();
            all_ = backend_.join(facts_);
            rank_ = all_->rank();
            size_ = all_->size();
            for (int i = 0; i < size_; ++i) world->ranks.push_back(i);
            world->data = all_->split(0);
            if (size_ > 1) {
                world->agreements = all_->split(0);
                peers_ = Peers(*all_);
            }
            begun_.resize(static_cast<std::size_t>(size_));
            begun_together_ = begun_;
            mailbox_ = backend_.open_mailbox();
            colours_.emplace_back(0, world.get());
            world_ = world.get();
            channels_.push_back(std::move(world));
            joined.set_value();
        } catch (...) {
            joined.set_exception(std::current_exception());
            return;
        }
        run();
    });
    try {
        result.get();
    } catch (...) {
        thread_.join();
        throw;
    }
}

Progress::~Progress() {
    {
        const std::scoped_lock lock(mutex_);
        is_ending_ = true;
    }
    wakes_.notify_all();
    thread_.join();
}

void Progress::on_thread(std::function<void()> action) {
    {
        const std::scoped_lock lock(mutex_);
        actions_.push_back(std::move(action));
    }
    wakes_.notify_all();
}

void Progress::submit(Channel& channel, Task task) {
    on_thread([this, &channel, task = std::move(task)]() mutable {
        if (const auto gone = failed(channel.ranks)) return task.state->fail(say_gone(gone->first, gone->second.text));
        if (!waits_for_runs_) return start(channel, std::move(task));
        const auto shared = std::make_shared<Task>(std::move(task));
        waiting_.push_back({[this, &channel, shared] { start(channel, std::move(*shared)); },
                            [shared](const std::string& why) { shared->state->fail(why); }});
    });
}

void Progress::start(Channel& channel, Task task) {
    Channel::Running& running = channel.running.emplace_back();
    running.task = std::move(task);
    try {
        start_agreement(channel, running);
    } catch (const std::exception& error) {
        running.task.state->fail(error.what());
        channel.running.pop_back();
    }
}

void Progress::begin_run(bool forgets_groups) {
    std::promise<void> begun;
    on_thread([&] {
        for (const auto& channel : channels_) abandon(*channel, "another run has begun");
        fail_waiting("another run has begun");
        if (forgets_groups) {
            colours_.resize(1);
            channels_.resize(1);
        }
        waits_for_runs_ = true;
        is_in_run_ = true;
        const std::int64_t own = ++begun_[static_cast<std::size_t>(rank_)];
        for (int rank = 0; rank < size_; ++rank) {
            if (rank != rank_) mailbox_->post(rank, kEngineBox, concat("b", own));
        }
        begun.set_value();
    });
    begun.get_future().wait();
}

void Progress::end_run() {
    on_thread([this] { is_in_run_ = false; });
}

void Progress::fail_waiting(const std::string& why) {
    for (const Waiting& each : std::exchange(waiting_, {})) each.fail(why);
}

// Every rank comes here once it has heard of a run of each that has not met with others. By then one may have ended its
// run without a collective, and begun the next: they meet as they are when all are here, and only if all are in a run.
void Progress::begin_channels_anew() {
    for (std::size_t i = 0; i < begun_.size(); ++i) {
        if (begun_[i] <= begun_together_[i]) return;
    }
    if (cannot_meet_ || !wait_for_ranks()) return;
    // What the program asked for before the last rank came.
    run_actions();
    const auto runs = gather_runs();
    if (!runs) return;
    bool all_in_run = true;
    for (const RankRun& run : *runs) all_in_run = all_in_run && run.is_under_way != 0;
    for (std::size_t i = 0; i < runs->size(); ++i) {
        const RankRun& run = (*runs)[i];
        begun_[i] = std::max(begun_[i], run.begun);
        begun_together_[i] = all_in_run || run.is_under_way == 0 ? run.begun : run.begun - 1;
    }
    if (!all_in_run) return;
    for (const auto& [colour, channel] : colours_) {
        auto data = all_->split(colour), agreements = all_->split(colour);
        if (channel == nullptr) continue;
        channel->devices.clear();
        channel->data = std::move(data);
        channel->agreements = std::move(agreements);
    }
    waits_for_runs_ = false;
    for (const Waiting& each : std::exchange(waiting_, {})) each.start();
}

bool Progress::wait_for_ranks() {
    Transfer barrier;
    barrier.kind = TransferKind::Barrier;
    return finishes(all_->start(barrier), nullptr);
}

std::optional<std::vector<Progress::RankRun>> Progress::gather_runs() {
    struct Memory {
        RankRun own;
        std::vector<RankRun> all;
    };
    static_assert(sizeof(RankRun) == 2 * sizeof(std::int64_t));
    const auto memory = std::make_shared<Memory>();
    memory->own = {begun_[static_cast<std::size_t>(rank_)], is_in_run_ ? 1 : 0};
    memory->all.resize(begun_.size());
    Transfer transfer;
    transfer.kind = TransferKind::AllGather;
    transfer.dtype = ScalarType::Int64;
    transfer.send = &memory->own;
    transfer.receive = memory->all.data();
    transfer.count = 2;
    if (!finishes(all_->start(transfer), memory)) return std::nullopt;
    return memory->all;
}

// False: the process of a rank is gone, and the request stays with its memory, which MPI may still write to.
bool Progress::finishes(std::unique_ptr<Request> request, std::shared_ptr<void> memory) {
    static std::list<std::pair<std::unique_ptr<Request>, std::shared_ptr<void>>> left;
    while (!request->test()) {
        if (size_ > 1 && look_for_ended()) {
            left.emplace_back(std::move(request), std::move(memory));
            cannot_meet_ = true;
            return false;
        }
        std::this_thread::yield();
    }
    return true;
}

Channel* Progress::split(int colour, std::vector<int> ranks) {
    const auto made = std::make_shared<std::promise<Channel*>>();
    auto result = made->get_future();
    on_thread([this, colour, made, ranks = std::move(ranks)]() mutable {
        const auto members = std::make_shared<std::vector<int>>(std::move(ranks));
        Waiting act{[this, colour, made, members] {
                        try {
                            made->set_value(split_now(colour, std::move(*members)));
                        } catch (...) {
                            made->set_exception(std::current_exception());
                        }
                    },
                    [made](const std::string& why) {
                        made->set_exception(std::make_exception_ptr(Error(ErrorKind::Run, why)));
                    }};
        if (waits_for_runs_)
            waiting_.push_back(std::move(act));
        else
            act.start();
    });
    return result.get();
}

Channel* Progress::split_now(int colour, std::vector<int> ranks) {
    auto channel = std::make_unique<Channel>();
    channel->ranks = std::move(ranks);
    channel->data = all_->split(colour);
    channel->agreements = all_->split(colour);
    colours_.emplace_back(colour, channel->data == nullptr ? nullptr : channel.get());
    if (channel->data == nullptr) return nullptr;
    channels_.push_back(std::move(channel));
    return channels_.back().get();
}

bool Progress::run_actions() {
    std::deque<std::function<void()>> actions;
    {
        const std::scoped_lock lock(mutex_);
        actions.swap(actions_);
    }
    for (const auto& action : actions) action();
    return !actions.empty();
}

void Progress::run() {
    using namespace std::chrono_literals;
    int idle = 0;
    for (;;) {
        {
            std::unique_lock lock(mutex_);
            bool has_work = false;
            bool moves_data = false;
            for (const auto& channel : channels_) {
                for (const Channel::Running& each : channel->running) {
                    has_work = true;
                    moves_data = moves_data || each.request != nullptr;
                }
            }
            // Bytes move when the backend is polled; agreements and letters can be late by a little.
            if (actions_.empty() && !is_ending_) {
                if (!has_work && size_ == 1)
                    wakes_.wait(lock);
                else if (!has_work)
                    wakes_.wait_for(lock, idle > 2000 ? 2ms : 200us);
                else if (idle > (moves_data ? 2000 : 200))
                    wakes_.wait_for(lock, 20us);
            }
            if (is_ending_ && actions_.empty()) break;
        }
        const bool has_acted = run_actions();
        const bool moved = step();
        idle = moved || has_acted ? 0 : idle + 1;
        if (!moved) std::this_thread::yield();
    }
    mailbox_.reset();
    channels_.clear();
    all_.reset();
    if (leaves_) backend_.leave();
}

bool Progress::step() {
    bool moved = size_ > 1 && read_letters();
    moved = (size_ > 1 && look_for_ended()) || moved;
    if (waits_for_runs_) begin_channels_anew();
    for (const auto& channel : channels_) moved = step(*channel) || moved;
    return moved;
}

bool Progress::step(Channel& channel) {
    bool moved = false;
    bool may_launch = true;
    for (auto each = channel.running.begin(); each != channel.running.end();) {
        bool is_done = false;
        try {
            is_done = is_message(each->task.transfer.kind) ? advance_message(channel, *each)
                                                           : advance(channel, *each, may_launch);
        } catch (const std::exception& error) {
            each->task.state->fail(error.what());
            is_done = true;
        }
        moved = moved || is_done;
        each = is_done ? channel.running.erase(each) : std::next(each);
    }
    return moved;
}

void Progress::start_agreement(Channel& channel, Channel::Running& running) {
    const Announcement& announcement = running.task.announcement;
    Transfer& transfer = running.task.transfer;
    if (is_message(transfer.kind)) {
        if (channel.data->size() == 1) throw Error(ErrorKind::Run, "a message to or from the only rank");
        running.is_message_header = true;
        running.line = padded(announcement.line());
        running.all_lines = running.line;
        Transfer header;
        header.kind = transfer.kind;
        header.send = running.line.data();
        header.receive = running.all_lines.data();
        header.count = kLineBytes;
        header.peer = transfer.peer;
        header.tag = header_tag(transfer.tag);
        running.lines = channel.data->start(header);
        if (transfer.kind == TransferKind::Send) {
            transfer.tag = data_tag(transfer.tag);
            running.request = channel.data->start(transfer);
        }
        return;
    }
    if (channel.data->size() == 1) {
        running.is_agreed = true;
        return;
    }
    // The least of the digests and the least of their complements: equal only where all are.
    running.digests[0] = announcement.digest();
    running.digests[1] = -running.digests[0];
    Transfer agreement;
    agreement.kind = TransferKind::AllReduce;
    agreement.reduction = Reduction::Min;
    agreement.dtype = ScalarType::Int64;
    agreement.send = agreement.receive = running.digests;
    agreement.count = 2;
    running.agreement = channel.agreements->start(agreement);
}

bool Progress::advance(Channel& channel, Channel::Running& running, bool& may_launch) {
    if (running.request != nullptr) {
        if (!running.request->test()) return false;
        if (running.task.on_progress) running.task.on_progress();
        running.task.state->complete();
        return true;
    }
    if (running.agreement != nullptr) {
        if (!running.agreement->test()) {
            may_launch = false;
            return false;
        }
        running.agreement.reset();
        running.is_agreed = running.digests[0] == -running.digests[1];
        if (!running.is_agreed) {
            running.line = padded(running.task.announcement.line());
            running.all_lines.resize(kLineBytes * channel.ranks.size());
            Transfer lines;
            lines.kind = TransferKind::AllGather;
            lines.send = running.line.data();
            lines.receive = running.all_lines.data();
            lines.count = kLineBytes;
            running.lines = channel.agreements->start(lines);
        }
    }
    if (running.lines != nullptr) {
        may_launch = false;
        if (!running.lines->test()) return false;
        std::vector<std::string> all;
        for (std::size_t i = 0; i < channel.ranks.size(); ++i)
            all.push_back(unpadded(running.all_lines.data() + i * kLineBytes));
        running.task.state->fail(disagreement(channel.ranks, all));
        return true;
    }
    if (!may_launch) return false;
    running.request = carrier(channel, running.task.transfer).start(running.task.transfer);
    return false;
}

// All ranks of the channel come here in the same order, since they have agreed on the transfer. The first makes what
// they meet by.
Communicator& Progress::carrier(Channel& channel, const Transfer& transfer) {
    if (transfer.device.is_cpu()) return *channel.data;
    auto& own = channel.devices[256 * static_cast<int>(transfer.device.type) + transfer.device.index];
    if (own != nullptr) return *own;
    DeviceTransport* transport = device_transport(transfer.device.type);
    std::string letter = id_letter({});
    std::string why = concat("rank ", channel.ranks.front(), " has started no ", transport->name());
    try {
        if (channel.data->rank() == 0) letter = id_letter(transport->new_id());
    } catch (const Error& error) {  // the others wait for one
        why = error.message();
    }
    Transfer given;
    given.kind = TransferKind::Broadcast;
    given.send = given.receive = letter.data();
    given.count = letter.size();
    given.peer = 0;
    const auto request = channel.data->start(given);
    while (!request->test()) std::this_thread::yield();
    const std::string id = id_of(letter);
    if (id.empty()) throw Error(ErrorKind::Run, why);
    own = transport->join(id, channel.data->rank(), channel.data->size(), transfer.device);
    return *own;
}

bool Progress::advance_message(Channel& channel, Channel::Running& running) {
    const Transfer& transfer = running.task.transfer;
    if (running.is_message_header) {
        if (!running.lines->test()) return false;
        if (transfer.kind == TransferKind::Receive) {
            // Headers of one sender come in order, and so must the receives of what they announce.
            for (const Channel::Running& earlier : channel.running) {
                if (&earlier == &running) break;
                if (earlier.task.transfer.kind == TransferKind::Receive && earlier.is_message_header &&
                    earlier.task.transfer.tag == transfer.tag)
                    return false;
            }
            const std::string theirs = unpadded(running.all_lines.data());
            const std::string mine = running.task.announcement.line();
            const auto what = [](const std::string& line) { return line.substr(0, line.find(" (number")).substr(5); };
            const int from = transfer.peer >= 0 ? transfer.peer : running.lines->source();
            if (what(theirs) != what(mine)) {
                throw Error(ErrorKind::Run, concat("the ranks disagree on a message: rank ",
                                                   channel.ranks.at(static_cast<std::size_t>(from)), " calls ", theirs,
                                                   "; rank ", rank_, " calls ", mine));
            }
            Transfer data = transfer;
            data.peer = from;
            data.tag = data_tag(transfer.tag);
            running.request = channel.data->start(data);
        }
        running.is_message_header = false;
    }
    if (!running.request->test()) return false;
    if (running.task.on_progress) running.task.on_progress();
    running.task.state->complete(transfer.kind == TransferKind::Receive ? running.request->source() : -1);
    return true;
}

bool Progress::read_letters() {
    bool moved = false;
    while (auto letter = mailbox_->take(kEngineBox)) {
        moved = true;
        take_letter(*letter);
    }
    while (auto letter = mailbox_->take(kProgramBox)) {
        moved = true;
        const std::scoped_lock lock(letters_mutex_);
        letters_.push_back(std::move(*letter));
        letters_changed_.notify_all();
    }
    return moved;
}

// "?": what do you do; "!": an answer; "e" or "f": how the rank ended; "b": how many runs it has begun.
void Progress::take_letter(const Letter& letter) {
    if (letter.bytes.empty()) return;
    if (letter.bytes[0] == 'b') {
        const auto from = static_cast<std::size_t>(letter.from);
        if (from < begun_.size()) begun_[from] = std::strtoll(letter.bytes.c_str() + 1, nullptr, 10);
        return;
    }
    if (letter.bytes[0] == '?') return mailbox_->post(letter.from, kEngineBox, "!" + status_now().encoded());
    const bool is_answer = letter.bytes[0] == '!';
    const RankStatus status = RankStatus::decoded(is_answer ? letter.bytes.substr(1) : letter.bytes);
    {
        const std::scoped_lock lock(letters_mutex_);
        (is_answer ? answers_ : ends_)[letter.from] = status;
        letters_changed_.notify_all();
    }
    if (!is_answer && status.kind == RankStatus::Kind::Failed) fail_all(letter.from, status.text);
}

// A rank that ends in order says so first; of one that has not its last letter is an empty one.
bool Progress::look_for_ended() {
    const auto now = Clock::now();
    if (now - looked_at_peers_ < kLook) return false;
    looked_at_peers_ = now;
    const std::vector<int> ended = peers_.take_ended();
    if (ended.empty()) return false;
    read_letters();  // what it said before
    for (const int rank : ended) {
        RankStatus status;
        status.kind = RankStatus::Kind::Failed;
        status.text = "its process is gone";
        {
            const std::scoped_lock lock(letters_mutex_);
            letters_.push_back({rank, {}});
            const bool is_new = ends_.emplace(rank, status).second;
            letters_changed_.notify_all();
            if (!is_new) continue;
        }
        fail_all(rank, status.text);
    }
    return true;
}

// What waits for a rank that has failed never comes.
void Progress::fail_all(int rank, const std::string& text) {
    const std::string why = say_gone(rank, text);
    for (const auto& channel : channels_) {
        if (std::find(channel->ranks.begin(), channel->ranks.end(), rank) != channel->ranks.end())
            abandon(*channel, why);
    }
    fail_waiting(why);
}

// MPI may still write to what they hold: it stays.
void Progress::abandon(Channel& channel, const std::string& why) {
    static std::list<Channel::Running> left;
    for (const Channel::Running& each : channel.running) each.task.state->fail(why);
    left.splice(left.end(), channel.running);
}

RankStatus Progress::status_now() {
    const std::scoped_lock lock(letters_mutex_);
    RankStatus status = status_;
    status.since = seconds_since(status_since_);
    if (status.kind == RankStatus::Kind::Working) {
        if (!status.text.empty()) status.text.insert(0, "its last collective: ");
        if (const std::string place = place_of_recorder(); !place.empty())
            status.text.insert(0, concat(place, status.text.empty() ? "" : "; "));
    }
    return status;
}

void Progress::set_status(RankStatus::Kind kind, std::string text, std::vector<int> waits_for) {
    const std::scoped_lock lock(letters_mutex_);
    status_.waits_for = std::move(waits_for);
    status_.kind = kind;
    status_.text = std::move(text);
    status_since_ = Clock::now();
}

std::vector<RankStatus> Progress::ask(const std::vector<int>& ranks, std::chrono::milliseconds timeout) {
    const auto until = Clock::now() + timeout;
    std::unique_lock lock(letters_mutex_);
    answers_.clear();
    lock.unlock();
    on_thread([this, ranks] {
        for (const int rank : ranks) {
            if (rank != rank_) mailbox_->post(rank, kEngineBox, "?");
        }
    });
    lock.lock();
    const auto has_all = [&] {
        return std::all_of(ranks.begin(), ranks.end(),
                           [&](int rank) { return rank == rank_ || answers_.contains(rank) || ends_.contains(rank); });
    };
    letters_changed_.wait_until(lock, until, has_all);
    std::vector<RankStatus> out;
    for (const int rank : ranks) {
        RankStatus status;
        status.kind = RankStatus::Kind::Silent;
        if (rank == rank_) {
            status = status_;
            status.since = seconds_since(status_since_);
        } else if (const auto end = ends_.find(rank); end != ends_.end()) {
            status = end->second;
        } else if (const auto answer = answers_.find(rank); answer != answers_.end()) {
            status = answer->second;
        }
        out.push_back(std::move(status));
    }
    return out;
}

void Progress::announce_end(RankStatus::Kind kind, std::string text) {
    set_status(kind, text);
    std::promise<void> sent;
    on_thread([&] {
        RankStatus status;
        status.kind = kind;
        status.text = text;
        for (int rank = 0; rank < size_; ++rank) {
            if (rank != rank_) mailbox_->post(rank, kEngineBox, status.encoded());
        }
        sent.set_value();
    });
    sent.get_future().wait();
}

bool Progress::wait_for_ends(std::chrono::milliseconds timeout) {
    std::unique_lock lock(letters_mutex_);
    return letters_changed_.wait_for(lock, timeout,
                                     [&] { return ends_.size() + 1 >= static_cast<std::size_t>(size_); });
}

std::optional<std::pair<int, RankStatus>> Progress::failed(const std::vector<int>& ranks) {
    const std::scoped_lock lock(letters_mutex_);
    for (const int rank : ranks) {
        const auto end = ends_.find(rank);
        if (end != ends_.end() && end->second.kind == RankStatus::Kind::Failed) return *end;
    }
    return std::nullopt;
}

void Progress::finish() {
    {
        const std::scoped_lock lock(mutex_);
        leaves_ = true;
        is_ending_ = true;
    }
    wakes_.notify_all();
}

void Progress::post(int rank, std::string bytes) {
    on_thread(
        [this, rank, bytes = std::move(bytes)]() mutable { mailbox_->post(rank, kProgramBox, std::move(bytes)); });
}

std::optional<Letter> Progress::receive(std::chrono::milliseconds timeout) {
    std::unique_lock lock(letters_mutex_);
    if (!letters_changed_.wait_for(lock, timeout, [&] { return !letters_.empty(); })) return std::nullopt;
    Letter letter = std::move(letters_.front());
    letters_.pop_front();
    return letter;
}

}  // namespace loupe::distributed
