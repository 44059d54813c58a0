// SPDX-License-Identifier: Apache-2.0
// A line between a window and an engine far away: slow_link MILLISECONDS BYTES_PER_SECOND COMMAND... runs the command
// and passes on what goes in and out, each byte so much later (one way) and no more than that many a second (each way).
// For tests, where no kernel's netem is: what ssh and sockets keep on the way is 64 KiB each way here.
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;

class Line {
  public:
    Line(std::chrono::milliseconds delay, double rate) : delay_(delay), rate_(rate) {}

    void carry(int from, int to) {
        std::thread writer([this, to] { write(to); });
        std::array<char, 4096> bytes;
        Clock::time_point free = Clock::now();
        while (true) {
            const ssize_t got = ::read(from, bytes.data(), bytes.size());
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) break;
            free = std::max(free, Clock::now()) + std::chrono::duration_cast<Clock::duration>(
                                                      std::chrono::duration<double>(static_cast<double>(got) / rate_));
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return waiting_ < kMost; });
            packets_.push_back({free + delay_, std::string(bytes.data(), static_cast<std::size_t>(got))});
            waiting_ += static_cast<std::size_t>(got);
            changed_.notify_all();
        }
        {
            const std::lock_guard lock(mutex_);
            has_ended_ = true;
            changed_.notify_all();
        }
        writer.join();
        ::close(to);
    }

  private:
    static constexpr std::size_t kMost = std::size_t{1} << 20;

    void write(int to) {
        std::unique_lock lock(mutex_);
        while (true) {
            changed_.wait(lock, [this] { return has_ended_ || !packets_.empty(); });
            if (packets_.empty()) return;
            const Packet packet = std::move(packets_.front());
            packets_.pop_front();
            lock.unlock();
            std::this_thread::sleep_until(packet.when);
            for (std::size_t done = 0; done < packet.bytes.size();) {
                const ssize_t put = ::write(to, packet.bytes.data() + done, packet.bytes.size() - done);
                if (put < 0 && errno == EINTR) continue;
                if (put < 0) std::_Exit(0);
                done += static_cast<std::size_t>(put);
            }
            lock.lock();
            waiting_ -= packet.bytes.size();
            changed_.notify_all();
        }
    }

    struct Packet {
        Clock::time_point when;
        std::string bytes;
    };
    const std::chrono::milliseconds delay_;
    const double rate_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Packet> packets_;
    std::size_t waiting_ = 0;
    bool has_ended_ = false;
};

}  // namespace

int main(int count, char** arguments) {
    if (count < 4) return 2;
    const std::chrono::milliseconds delay(std::atoi(arguments[1]));
    const double rate = std::atof(arguments[2]);
    std::array<int, 2> in{}, out{};
    if (::pipe(in.data()) != 0 || ::pipe(out.data()) != 0) return 2;
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(in[0], 0);
        ::dup2(out[1], 1);
        for (const int end : {in[0], in[1], out[0], out[1]}) ::close(end);
        ::execvp(arguments[3], arguments + 3);
        std::_Exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    ::signal(SIGPIPE, SIG_IGN);
    Line there(delay, rate);
    Line back(delay, rate);
    std::thread to([&] { there.carry(0, in[1]); });
    to.detach();
    back.carry(out[0], 1);
    int status = 0;
    ::waitpid(child, &status, 0);
    std::_Exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}
