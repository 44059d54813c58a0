// SPDX-License-Identifier: Apache-2.0
#include "core/study/align_sequences.h"

#include <algorithm>
#include <unordered_map>

namespace loupe::session {
namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

// A part of both sequences.
struct Part {
    std::size_t a, a_end, b, b_end;
    bool is_empty() const { return a == a_end || b == b_end; }
};

class Aligner {
  public:
    Aligner(std::span<const AlignKey> a, std::span<const AlignKey> b) : a_(a), b_(b) {}

    Pairs align() {
        std::vector<Part> open{{0, a_.size(), 0, b_.size()}};
        while (!open.empty()) {
            Part part = open.back();
            open.pop_back();
            trim(part);
            if (part.is_empty()) continue;
            const Pairs anchors = anchors_of(part);
            if (anchors.empty()) {
                align_directly(part);
                continue;
            }
            std::size_t a = part.a;
            std::size_t b = part.b;
            for (const auto& [at_a, at_b] : anchors) {
                out_.emplace_back(at_a, at_b);
                open.push_back({a, at_a, b, at_b});
                a = at_a + 1;
                b = at_b + 1;
            }
            open.push_back({a, part.a_end, b, part.b_end});
        }
        std::sort(out_.begin(), out_.end());
        return std::move(out_);
    }

  private:
    // Table cells of one longest common subsequence.
    static constexpr std::size_t kMostCells = std::size_t{1} << 22;

    void trim(Part& part) {
        while (!part.is_empty() && a_[part.a] == b_[part.b]) out_.emplace_back(part.a++, part.b++);
        while (!part.is_empty() && a_[part.a_end - 1] == b_[part.b_end - 1])
            out_.emplace_back(--part.a_end, --part.b_end);
    }

    // Keys once in both parts, as many as keep their order.
    Pairs anchors_of(const Part& part) const {
        struct Seen {
            std::size_t in_a = 0, in_b = 0, a = 0, b = 0;
        };
        std::unordered_map<AlignKey, Seen> seen;
        seen.reserve(part.a_end - part.a);
        for (std::size_t i = part.a; i < part.a_end; ++i) {
            Seen& key = seen[a_[i]];
            ++key.in_a;
            key.a = i;
        }
        for (std::size_t i = part.b; i < part.b_end; ++i) {
            const auto found = seen.find(b_[i]);
            if (found == seen.end()) continue;
            ++found->second.in_b;
            found->second.b = i;
        }
        Pairs unique;
        for (std::size_t i = part.a; i < part.a_end; ++i) {
            const Seen& key = seen[a_[i]];
            if (key.in_a == 1 && key.in_b == 1) unique.emplace_back(i, key.b);
        }
        return longest_ascending(unique);
    }

    // Of pairs that ascend in a, the most that ascend in b.
    static Pairs longest_ascending(const Pairs& pairs) {
        std::vector<std::size_t> last;  // by length: the pair with the least b that ends such a row
        std::vector<std::size_t> before(pairs.size(), pairs.size());
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const auto place = std::lower_bound(last.begin(), last.end(), pairs[i].second,
                                                [&](std::size_t at, std::size_t b) { return pairs[at].second < b; });
            if (place != last.begin()) before[i] = *(place - 1);
            if (place == last.end())
                last.push_back(i);
            else
                *place = i;
        }
        Pairs out;
        for (std::size_t at = last.empty() ? pairs.size() : last.back(); at < pairs.size(); at = before[at])
            out.push_back(pairs[at]);
        std::reverse(out.begin(), out.end());
        return out;
    }

    void align_directly(const Part& part) {
        const std::size_t n = part.a_end - part.a;
        const std::size_t m = part.b_end - part.b;
        if (n * m <= kMostCells) return align_by_table(part, n, m);
        align_by_occurrence(part);
    }

    void align_by_table(const Part& part, std::size_t n, std::size_t m) {
        std::vector<std::uint32_t> length((n + 1) * (m + 1), 0);
        const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return length[i * (m + 1) + j]; };
        for (std::size_t i = n; i-- > 0;) {
            for (std::size_t j = m; j-- > 0;) {
                at(i, j) =
                    a_[part.a + i] == b_[part.b + j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
            }
        }
        for (std::size_t i = 0, j = 0; i < n && j < m;) {
            if (a_[part.a + i] == b_[part.b + j])
                out_.emplace_back(part.a + i++, part.b + j++);
            else if (at(i + 1, j) >= at(i, j + 1))
                ++i;
            else
                ++j;
        }
    }

    // Too long for a table: the k-th of a key is matched with the k-th.
    void align_by_occurrence(const Part& part) {
        std::unordered_map<AlignKey, std::vector<std::size_t>> places;
        for (std::size_t j = part.b; j < part.b_end; ++j) places[b_[j]].push_back(j);
        std::unordered_map<AlignKey, std::size_t> used;
        Pairs pairs;
        for (std::size_t i = part.a; i < part.a_end; ++i) {
            const auto found = places.find(a_[i]);
            if (found == places.end()) continue;
            std::size_t& next = used[a_[i]];
            if (next < found->second.size()) pairs.emplace_back(i, found->second[next++]);
        }
        for (const auto& pair : longest_ascending(pairs)) out_.push_back(pair);
    }

    std::span<const AlignKey> a_;
    std::span<const AlignKey> b_;
    Pairs out_;
};

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> align_sequences(std::span<const AlignKey> a,
                                                                 std::span<const AlignKey> b) {
    return Aligner(a, b).align();
}

}  // namespace loupe::session
