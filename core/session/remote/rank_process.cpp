// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/rank_process.h"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::session {
namespace {

constexpr std::string_view kName = "tensorloupe-ranks ";
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

RankProcess::RankProcess(const std::vector<std::string>& command, std::size_t ranks) {
    if (command.empty()) throw Error(ErrorKind::Usage, "no command starts the ranks");
    EngineLaunch launch;
    launch.program = found_in_path(command.front());
    launch.arguments.assign(command.begin() + 1, command.end());
    // Open MPI refuses a user that is root, as in a container, unless it is told.
    if (::geteuid() == 0)
        launch.environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
    process_ = std::make_unique<ChildProcess>(launch);
    FileHandle in = process_->take_in();
    FileHandle out = process_->take_out();
    // Read by bytes, as a channel reads its own: what is behind the line is the mux's.
    std::string line;
    for (char next = 0; ::read(in.get(), &next, 1) == 1 && next != '\n' && line.size() < 200;)
        line += static_cast<unsigned char>(next) >= ' ' ? next : '?';
    std::size_t count = 0;
    if (line.starts_with(kName)) std::from_chars(line.data() + kName.size(), line.data() + line.size(), count);
    if (count == 0) {
        process_->kill();
        throw Error(ErrorKind::Usage,
                    line.empty()
                        ? concat("'", join(command, " "), "' ended before its engines had begun")
                        : concat("'", join(command, " "), "' starts no engines of ranks: it said '", line, "'"));
    }
    if (count != ranks) {
        process_->kill();
        throw Error(ErrorKind::Usage,
                    concat("'", join(command, " "), "' started ", count, " ranks instead of ", ranks));
    }
    mux_ = std::make_unique<ByteMux>(std::move(in), std::move(out), count);
}

RankProcess::~RankProcess() {
    if (!mux_) return;
    // The mux ends when the process does.
    std::thread ending([this] {
        if (!process_->wait(std::chrono::seconds(5))) process_->kill();
    });
    mux_.reset();
    ending.join();
}

RemoteEngine::Begin RankProcess::begin(std::size_t rank) {
    return [this, rank](EngineLife::Owner& owner) { return std::make_shared<EngineLife>(mux_->take(rank), owner); };
}

void RankProcess::kill() {
    process_->kill();
    mux_->stop();
}

std::string rank_greeting(std::size_t ranks) { return concat(kName, ranks); }

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
