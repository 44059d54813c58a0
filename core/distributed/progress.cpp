// SPDX-License-Identifier: Apache-2.0
#include "core/distributed/progress.h"

#include <cstring>
#include <future>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::distributed {
namespace {

constexpr int kEngineBox = 0;   // questions between progress threads
constexpr int kProgramBox = 1;  // of ControlChannel

double seconds_since(Clock::time_point time) { return std::chrono::duration<double>(Clock::now() - time).count(); }

bool is_message(TransferKind kind) { return kind == TransferKind::Send || kind == TransferKind::Receive; }

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
    if (bytes.empty() || std::strchr("wcefs", bytes[0]) == nullptr) return status;
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
            world->data = backend_.join(facts_);
            rank_ = world->data->rank();
            size_ = world->data->size();
            for (int i = 0; i < size_; ++i) world->ranks.push_back(i);
            if (size_ > 1) world->agreements = world->data->split(0);
            mailbox_ = backend_.open_mailbox();
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
        Channel::Running& running = channel.running.emplace_back();
        running.task = std::move(task);
        try {
            start_agreement(channel, running);
        } catch (const std::exception& error) {
            running.task.state->fail(error.what());
            channel.running.pop_back();
        }
    });
}

Channel* Progress::split(int colour, std::vector<int> ranks) {
    std::promise<Channel*> made;
    auto result = made.get_future();
    on_thread([&] {
        try {
            auto channel = std::make_unique<Channel>();
            channel->ranks = std::move(ranks);
            channel->data = world().data->split(colour);
            channel->agreements = world().data->split(colour);
            if (channel->data == nullptr) return made.set_value(nullptr);
            channels_.push_back(std::move(channel));
            made.set_value(channels_.back().get());
        } catch (...) {
            made.set_exception(std::current_exception());
        }
    });
    return result.get();
}

void Progress::run() {
    using namespace std::chrono_literals;
    int idle = 0;
    for (;;) {
        std::deque<std::function<void()>> actions;
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
            actions.swap(actions_);
        }
        for (const auto& action : actions) action();
        const bool moved = step();
        idle = moved || !actions.empty() ? 0 : idle + 1;
        if (!moved) std::this_thread::yield();
    }
    mailbox_.reset();
    channels_.clear();
    if (leaves_) backend_.leave();
}

bool Progress::step() {
    bool moved = size_ > 1 && read_letters();
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
    running.request = channel.data->start(running.task.transfer);
    return false;
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

// "?": what do you do; "!": an answer; "e" or "f": how the rank ended.
void Progress::take_letter(const Letter& letter) {
    if (letter.bytes.empty()) return;
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

// What waits for a rank that has failed never comes.
void Progress::fail_all(int rank, const std::string& text) {
    for (const auto& channel : channels_) {
        if (std::find(channel->ranks.begin(), channel->ranks.end(), rank) == channel->ranks.end()) continue;
        for (const Channel::Running& each : channel->running)
            each.task.state->fail(concat("rank ", rank, " has ended: ", text));
        // MPI may still write to what they hold: it stays.
        for (Channel::Running& each : channel->running) {
            static std::list<Channel::Running> left;
            left.push_back(std::move(each));
        }
        channel->running.clear();
    }
}

RankStatus Progress::status_now() {
    const std::scoped_lock lock(letters_mutex_);
    RankStatus status = status_;
    status.since = seconds_since(status_since_);
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
