// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdio>
#include <string_view>
#include <thread>

#include "app/cli/ranks.h"
#include "core/base/strings.h"
#include "core/distributed/launch_facts.h"
#include "core/session/rank_file_name.h"

namespace loupe::cli {
namespace {

void write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = write(descriptor, text.data(), text.size());
        if (written <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

}  // namespace

// What is written to the descriptor goes through a pipe, whose lines are passed on whole.
class RankOutput::Stream {
  public:
    Stream(int descriptor, FILE* file, std::string prefix)
        : descriptor_(descriptor), file_(file), prefix_(std::move(prefix)) {
        int ends[2];
        if (pipe(ends) != 0) return;
        std::fflush(file_);
        original_ = dup(descriptor_);
        dup2(ends[1], descriptor_);
        close(ends[1]);
        std::setvbuf(file_, nullptr, _IOLBF, BUFSIZ);
        reader_ = std::thread([this, from = ends[0]] { pass_on(from); });
    }
    ~Stream() {
        if (!reader_.joinable()) return;
        std::fflush(file_);
        dup2(original_, descriptor_);  // the pipe has no writer any more
        reader_.join();
        close(original_);
    }

  private:
    void pass_on(int from) {
        std::string line;
        char buffer[4096];
        for (ssize_t count = 0; (count = read(from, buffer, sizeof buffer)) > 0;) {
            std::string out;
            for (const char c : std::string_view(buffer, static_cast<std::size_t>(count))) {
                line += c;
                if (c != '\n') continue;
                out += prefix_ + line;
                line.clear();
            }
            write_all(original_, out);
        }
        if (!line.empty()) write_all(original_, concat(prefix_, line, "\n"));
        close(from);
    }

    const int descriptor_;
    FILE* const file_;
    const std::string prefix_;
    int original_ = -1;
    std::thread reader_;
};

RankOutput::RankOutput() {
    distributed::LaunchFacts facts;
    try {
        facts = distributed::read_launch_facts();
    } catch (const Error&) {
        return;  // joining says it
    }
    if (facts.world_size == 1) return;
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // lines of ranks in the order in which they are printed
    if (facts.rank == 0) return;
    const std::string prefix = concat("[rank ", facts.rank, "] ");
    out_ = std::make_unique<Stream>(STDOUT_FILENO, stdout, prefix);
    err_ = std::make_unique<Stream>(STDERR_FILENO, stderr, prefix);
}
RankOutput::~RankOutput() = default;

std::string file_of_rank(const std::string& file) {
    return file.empty() ? file : session::rank_file(file, distributed::read_launch_facts().rank).string();
}

}  // namespace loupe::cli
