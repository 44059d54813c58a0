// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/worker_pool.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::conformance {
namespace {

using Clock = std::chrono::steady_clock;

// A child that does every `stride`-th job and sends "length text" for each.
struct Worker {
    pid_t pid = -1;
    int fd = -1;
    std::size_t next = 0;  // the job it is at
    std::string pending;   // bytes of a result that is not whole
    Clock::time_point since;
    bool is_timed_out = false;
};

void write_all(int fd, const std::string& text) {
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
        if (n <= 0) ::_exit(1);
        done += static_cast<std::size_t>(n);
    }
}

class Pool {
  public:
    Pool(std::size_t count, std::size_t workers, const std::function<std::string(std::size_t)>& job)
        : stride_(workers), results_(count), job_(job), workers_(workers) {}

    std::vector<std::string> run(int limit_seconds,
                                 const std::function<std::string(std::size_t, const std::string&)>& lost) {
        for (std::size_t i = 0; i < workers_.size(); ++i) start(workers_[i], i);
        while (wait_for_news() > 0) {
            for (Worker& worker : workers_) {
                if (worker.fd < 0) continue;
                if (Clock::now() - worker.since > std::chrono::seconds(limit_seconds)) {
                    worker.is_timed_out = true;
                    ::kill(worker.pid, SIGKILL);
                }
                if (!read_results(worker)) continue;
                const std::string reason = finish(worker);
                if (worker.next >= results_.size()) continue;
                results_[worker.next] =
                    lost(worker.next, worker.is_timed_out ? concat("took over ", limit_seconds, " s") : reason);
                start(worker, worker.next + stride_);
            }
        }
        return std::move(results_);
    }

  private:
    void start(Worker& worker, std::size_t first) {
        worker = {};
        worker.next = first;
        if (first >= results_.size()) return;
        std::fflush(nullptr);
        int ends[2];
        if (::pipe(ends) != 0) throw Error(ErrorKind::Run, concat("no pipe: ", std::strerror(errno)));
        worker.pid = ::fork();
        if (worker.pid < 0) throw Error(ErrorKind::Run, concat("no process: ", std::strerror(errno)));
        if (worker.pid == 0) {
            ::close(ends[0]);
            for (std::size_t i = first; i < results_.size(); i += stride_) {
                const std::string text = job_(i);
                write_all(ends[1], concat(text.size(), "\n", text));
            }
            std::fflush(nullptr);
            ::_exit(0);
        }
        ::close(ends[1]);
        worker.fd = ends[0];
        worker.since = Clock::now();
    }

    // How many still run.
    std::size_t wait_for_news() {
        std::vector<pollfd> fds;
        for (const Worker& worker : workers_) {
            if (worker.fd >= 0) fds.push_back({worker.fd, POLLIN, 0});
        }
        if (!fds.empty()) ::poll(fds.data(), fds.size(), 1000);
        return fds.size();
    }

    // Has the process ended?
    bool read_results(Worker& worker) {
        pollfd state{worker.fd, POLLIN, 0};
        if (::poll(&state, 1, 0) <= 0) return false;
        char buffer[65536];
        const ssize_t n = ::read(worker.fd, buffer, sizeof buffer);
        if (n <= 0) return true;
        worker.pending.append(buffer, static_cast<std::size_t>(n));
        for (std::size_t line = worker.pending.find('\n'); line != std::string::npos;
             line = worker.pending.find('\n')) {
            const std::size_t length = std::stoul(worker.pending);
            if (worker.pending.size() < line + 1 + length) break;
            results_[worker.next] = worker.pending.substr(line + 1, length);
            worker.pending.erase(0, line + 1 + length);
            worker.next += stride_;
            worker.since = Clock::now();
        }
        return false;
    }

    // Why it ended before its work did.
    static std::string finish(Worker& worker) {
        ::close(worker.fd);
        worker.fd = -1;
        int status = 0;
        ::waitpid(worker.pid, &status, 0);
        return WIFSIGNALED(status) ? concat("crashed: ", ::strsignal(WTERMSIG(status)))
                                   : concat("ended with status ", WEXITSTATUS(status));
    }

    std::size_t stride_;
    std::vector<std::string> results_;
    const std::function<std::string(std::size_t)>& job_;
    std::vector<Worker> workers_;
};

}  // namespace

std::vector<std::string> run_in_workers(std::size_t count, std::size_t workers, int limit_seconds,
                                        const std::function<std::string(std::size_t)>& job,
                                        const std::function<std::string(std::size_t, const std::string&)>& lost) {
    return Pool(count, workers, job).run(limit_seconds, lost);
}

}  // namespace loupe::conformance
