// SPDX-License-Identifier: Apache-2.0
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "core/base/error.h"
#include "core/session/line_stream.h"
#include "core/train/watched_training.h"
#include "tests/fuzz/message_sides.h"

namespace loupe::fuzz {

using namespace session;

namespace {

class RowsSide final : public Side {
  public:
    RowsSide(const std::filesystem::path& file, const std::filesystem::path& folder) : file_(folder / "rows.watch") {
        std::ifstream in(file);
        for (std::string line; std::getline(in, line);) lines_.push_back(line);
    }

    std::string try_one(Chance& chance) override {
        // The beginning, and a few of the others in their order.
        std::vector<std::string> lines(lines_.begin(), lines_.begin() + 2);
        for (std::size_t i = 2; i < lines_.size(); ++i) {
            if (chance.one_in(8)) lines.push_back(lines_[i]);
        }
        const std::size_t damaged = 1 + chance.below(2);
        for (std::size_t i = 0; i < damaged; ++i) damage_line(lines[chance.below(lines.size())], chance);
        if (chance.one_in(8)) std::swap(lines[chance.below(lines.size())], lines[chance.below(lines.size())]);
        try {
            const std::size_t way = chance.below(16);
            if (way == 0)
                by_socket(lines);
            else if (way == 1)
                by_file(lines);
            else
                take(lines);
        } catch (const Error& error) {
            const bool is_said = error.kind() == ErrorKind::File || error.kind() == ErrorKind::Unsupported ||
                                 error.kind() == ErrorKind::Usage;
            if (!is_said) return error.what();
            if (error.message().find('\n') != std::string::npos) return "it says '" + error.message() + "'";
        }
        return {};
    }

  private:
    static void look_at(WatchedTraining& training) {
        if (const auto recording = training.take_recording()) {
            walk(*recording->recording());
            for (ValueId id = 1; id <= recording->recording()->value_count(); ++id) recording->elements(id);
        }
        training.take_findings();
        training.take_notes();
    }

    static void take(const std::vector<std::string>& lines) {
        WatchedTraining training(lines.front());
        for (std::size_t i = 1; i < lines.size(); ++i) {
            training.add(lines[i]);
            look_at(training);
        }
        walk(*training.log());
        // As it goes to a window in another process.
        TrainingLog(TrainOptions(), 0).grow(training.log()->take_growth());
    }

    static void by_socket(const std::vector<std::string>& lines) {
        std::array<int, 2> ends{};
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
        const int bytes = 2 << 20;
        ::setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
        FileHandle program(ends[0]);
        LineStream stream(FileHandle(ends[1]), FileHandle(), WatchedTraining::kLongestLine);
        for (const std::string& line : lines) {
            const std::string whole = line + "\n";
            if (::send(program.get(), whole.data(), whole.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) break;
        }
        program.reset();
        std::vector<std::string> came;
        while (!stream.has_ended()) {
            for (std::string& line : stream.take(std::chrono::milliseconds(100))) came.push_back(std::move(line));
        }
        if (!came.empty()) take(came);
    }

    void by_file(const std::vector<std::string>& lines) const {
        {
            std::ofstream out(file_, std::ios::binary);
            for (const std::string& line : lines) out << line << "\n";
        }
        const auto training = read_watched_file(file_);
        look_at(*training);
        walk(*training->log());
    }

    const std::filesystem::path file_;
    std::vector<std::string> lines_;
};

}  // namespace

std::unique_ptr<Side> rows_side(const std::filesystem::path& file, const std::filesystem::path& folder) {
    return std::make_unique<RowsSide>(file, folder);
}

}  // namespace loupe::fuzz
