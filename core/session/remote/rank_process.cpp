// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/rank_process.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::session {
namespace {

constexpr std::string_view kGreeting = "tensorloupe-ranks ";
constexpr auto kBeginning = std::chrono::seconds(60);  // a launcher that cannot start them may say nothing at all
constexpr std::string_view kRanks = "{ranks}";
constexpr std::string_view kEngine = "{engine}";

std::filesystem::path found_in_path(const std::string& name) {
    if (name.find('/') != std::string::npos) return name;
    const char* path = std::getenv("PATH");
    for (const std::string_view folder : split(path != nullptr ? path : "/usr/bin:/bin", ':')) {
        const auto file = std::filesystem::path(folder) / name;
        std::error_code error;
        if (!folder.empty() && std::filesystem::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0)
            return file;
    }
    throw Error(ErrorKind::Usage, concat("there is no ", name, " in PATH, which starts the ranks"),
                {.hint = "install Open MPI, or set another launcher"});
}

void replace(std::string& text, std::string_view what, const std::string& by) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
}

}  // namespace

RankProcess::RankProcess(const std::vector<std::string>& command, std::size_t ranks,
                         const std::vector<std::string>& environment) {
    if (command.empty()) throw Error(ErrorKind::Usage, "no command starts the ranks");
    std::vector<std::string> words = command;
    words.front() = found_in_path(command.front()).string();
    // Open MPI refuses a user that is root, as in a container, unless it is told.
    std::vector<std::string> all = environment;
    if (::geteuid() == 0) all.insert(all.end(), {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"});
    process_ = std::make_unique<ChildProcess>(words, all);
    stopped_ = FileHandle(::eventfd(0, EFD_CLOEXEC));
    errors_ = std::thread(
        [this, errors = std::make_shared<FileHandle>(process_->take_errors())] { read_errors(std::move(*errors)); });
    try {
        begin_channels(command, ranks);
    } catch (...) {
        process_->kill();
        stop_errors();
        throw;
    }
}

void RankProcess::begin_channels(const std::vector<std::string>& command, std::size_t ranks) {
    FileHandle in = process_->take_in();
    FileHandle out = process_->take_out();
    // Read by bytes, as a channel reads its own: what is behind the line is the mux's.
    std::string line;
    const auto until = std::chrono::steady_clock::now() + kBeginning;
    for (char next = 0; next != '\n' && line.size() < 200;) {
        pollfd ready{.fd = in.get(), .events = POLLIN, .revents = 0};
        const int count = ::poll(&ready, 1, 100);
        check_cancelled();
        if (count == 0 && std::chrono::steady_clock::now() > until)
            throw Error(ErrorKind::Usage,
                        concat("'", join(command, " "), "' has begun no engines within ", kBeginning.count(), " s"));
        if (count <= 0) continue;
        if (::read(in.get(), &next, 1) != 1) break;
        if (next != '\n') line += static_cast<unsigned char>(next) >= ' ' ? next : '?';
    }
    std::size_t count = 0;
    if (line.starts_with(kGreeting)) std::from_chars(line.data() + kGreeting.size(), line.data() + line.size(), count);
    if (count == 0) {
        throw Error(ErrorKind::Usage,
                    line.empty()
                        ? concat("'", join(command, " "), "' ended before its engines had begun")
                        : concat("'", join(command, " "), "' starts no engines of ranks: it said '", line, "'"));
    }
    if (count != ranks) {
        throw Error(ErrorKind::Usage,
                    concat("'", join(command, " "), "' started ", count, " ranks instead of ", ranks));
    }
    mux_ = std::make_unique<ByteMux>(std::move(in), std::move(out), count);
}

RankProcess::~RankProcess() {
    // The mux ends when the process does.
    std::thread ending([this] {
        if (!process_->wait(std::chrono::seconds(5))) process_->kill();
    });
    mux_.reset();
    ending.join();
    stop_errors();
}

// What was started may outlive the launcher for a while, and holds its standard error.
void RankProcess::stop_errors() {
    const std::uint64_t one = 1;
    if (::write(stopped_.get(), &one, sizeof one) == sizeof one) errors_.join();
}

// A rank's channel, and how it ended.
class RankProcess::Port final : public MessagePort {
  public:
    Port(RankProcess& ranks, std::size_t rank) : ranks_(ranks), rank_(rank), channel_(ranks.mux_->take(rank)) {}

    std::string open() override { return channel_->open(); }
    std::optional<Message> read() override { return channel_->read(); }
    bool write(MessageKind kind, std::string_view bytes) override { return channel_->write(kind, bytes); }
    void close_out() override { channel_->close_out(); }
    void end_reading() override { channel_->end_reading(); }
    std::optional<RankDeath> death() override { return ranks_.death_of(rank_); }

  private:
    RankProcess& ranks_;
    const std::size_t rank_;
    const std::unique_ptr<Channel> channel_;
};

RemoteEngine::Begin RankProcess::begin(std::size_t rank) {
    return [this, rank](EngineLife::Owner& owner) {
        const auto is_first = [&] {
            const std::lock_guard lock(mutex_);
            return begun_.insert(rank).second;
        };
        if (is_first()) return std::make_shared<EngineLife>(std::make_unique<Port>(*this, rank), owner);
        // No rank comes again alone.
        const auto death = death_of(rank);
        return std::make_shared<EngineLife>(
            concat(death ? line_of(*death) : concat("rank ", rank, " has ended"), "; start all ranks again"), owner);
    };
}

void RankProcess::kill() {
    process_->kill();
    mux_->stop();
}

// Other lines than those about ranks are for the terminal, as they would be without this.
void RankProcess::read_errors(FileHandle errors) {
    std::string waiting;
    std::array<char, 4096> piece{};
    while (true) {
        std::array<pollfd, 2> watched{{{errors.get(), POLLIN, 0}, {stopped_.get(), POLLIN, 0}}};
        if (::poll(watched.data(), watched.size(), -1) < 0 && errno == EINTR) continue;
        if (watched[1].revents != 0 && watched[0].revents == 0) break;
        const ssize_t got = ::read(errors.get(), piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        waiting.append(piece.data(), static_cast<std::size_t>(got));
        for (std::size_t end = waiting.find('\n'); end != std::string::npos; end = waiting.find('\n')) {
            const std::string line = waiting.substr(0, end + 1);
            waiting.erase(0, end + 1);
            const auto death = read_rank_death(std::string_view(line).substr(0, end));
            if (!death && ::write(STDERR_FILENO, line.data(), line.size()) < 0) continue;
            const std::lock_guard lock(mutex_);
            if (death) deaths_.emplace(death->rank, *death);
            changed_.notify_all();
        }
    }
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    changed_.notify_all();
}

std::optional<RankDeath> RankProcess::death_of(std::size_t rank) {
    const auto number = static_cast<int>(rank);
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(2), [&] { return has_ended_ || deaths_.contains(number); });
    const auto found = deaths_.find(number);
    return found != deaths_.end() ? std::optional(found->second) : std::nullopt;
}

std::string rank_greeting(std::size_t ranks) { return concat(kGreeting, ranks); }

std::vector<std::string> far_launch_command(const std::vector<std::string>& reached, const std::string& text,
                                            std::size_t ranks) {
    const auto engine = std::ranges::find_if(reached, [](const std::string& word) {
        return std::filesystem::path(word).filename() == "tensorloupe-engine";
    });
    if (engine == reached.end())
        throw Error(ErrorKind::Usage,
                    concat("'", join(reached, " "), "' names no tensorloupe-engine, so no ranks of it can be started"));
    std::vector<std::string> words(reached.begin(), engine);
    for (std::string& word : launch_command(text, ranks, *engine)) words.push_back(std::move(word));
    return words;
}

std::vector<std::string> launch_command(const std::string& text, std::size_t ranks,
                                        const std::filesystem::path& engine) {
    std::vector<std::string> words;
    bool has_engine = false;
    for (const std::string_view each : split(text, ' ')) {
        if (each.empty()) continue;
        std::string word(each);
        has_engine = has_engine || word.find(kEngine) != std::string::npos;
        replace(word, kRanks, concat(ranks));
        replace(word, kEngine, engine.string());
        words.push_back(std::move(word));
    }
    if (!has_engine || text.find(kRanks) == std::string::npos)
        throw Error(ErrorKind::Usage,
                    concat("the launcher's command '", text, "' has no {ranks} or no {engine} in it"));
    return words;
}

}  // namespace loupe::session
