// SPDX-License-Identifier: Apache-2.0
#pragma once
// What Open MPI's mpirun --tag-output passes on, as whole lines of each rank. Without tags pieces of lines of several
// ranks stand in each other wherever one came in two pieces.

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace loupe::cli {

class TaggedOutput {
  public:
    // A line with its end, or what has waited for one; of a rank, or -1: of mpirun itself.
    using Take = std::function<void(int rank, const std::string& line)>;
    explicit TaggedOutput(Take take) : take_(std::move(take)) {}

    void add(std::string_view bytes) {
        waiting_ += bytes;
        std::size_t at = 0;
        while (at < waiting_.size()) {
            const Tag tag = tag_at(std::string_view(waiting_).substr(at));
            if (tag.is_cut) break;  // the rest of it comes
            if (tag.size > 0) rank_ = tag.rank;
            at += tag.size;
            if (tag.size == 0) put(waiting_[at++]);
        }
        waiting_.erase(0, at);
    }
    // Of one rank: a prompt, or a bar that grows.
    void flush(int rank) {
        const auto found = lines_.find(rank);
        if (found != lines_.end() && !found->second.empty()) take_(rank, std::exchange(found->second, {}));
    }
    // At the end.
    void finish() {
        for (const char c : std::exchange(waiting_, {})) put(c);
        for (auto& [rank, line] : lines_) flush(rank);
    }

  private:
    struct Tag {
        std::size_t size = 0;  // 0: none begins here
        int rank = -1;
        bool is_cut = false;
    };

    // "[1,3]<stdout>:" of rank 3. It begins every piece that a rank wrote, and every line in it.
    static Tag tag_at(std::string_view text) {
        std::size_t at = 0;
        int rank = 0;
        const auto take = [&](std::string_view word) {
            const std::string_view there = text.substr(at, word.size());
            at += there.size();
            return word.starts_with(there);
        };
        const auto number = [&](int& value) {
            const std::size_t begin = at;
            for (value = 0; at < text.size() && at - begin < 6 && text[at] >= '0' && text[at] <= '9'; ++at)
                value = 10 * value + (text[at] - '0');
            return at > begin || at == text.size();
        };
        int job = 0;
        if (!take("[") || !number(job) || !take(",") || !number(rank) || !take("]<std")) return {};
        if (at == text.size()) return {.is_cut = true};
        if (!take(text[at] == 'o' ? "out>:" : "err>:")) return {};
        return text[at - 1] == ':' ? Tag{at, rank, false} : Tag{.is_cut = true};
    }

    void put(char c) {
        std::string& line = lines_[rank_];
        line += c;
        if (c == '\n') take_(rank_, std::exchange(line, {}));
    }

    const Take take_;
    std::string waiting_;
    int rank_ = -1;
    std::map<int, std::string> lines_;  // that have not ended
};

}  // namespace loupe::cli
