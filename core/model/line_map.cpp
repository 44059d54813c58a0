// SPDX-License-Identifier: Apache-2.0
#include "core/model/line_map.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace loupe::session {
namespace {

using Lines = std::vector<std::string_view>;

Lines lines_of(std::string_view text) {
    Lines out;
    while (true) {
        const std::size_t end = text.find('\n');
        out.push_back(text.substr(0, end));
        if (!out.back().empty() && out.back().back() == '\r') out.back().remove_suffix(1);
        if (end == std::string_view::npos) return out;
        text.remove_prefix(end + 1);
    }
}

std::string_view stripped(std::string_view line) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return line.substr(first, line.find_last_not_of(" \t") - first + 1);
}

// 0 to 1: pairs of neighbouring characters that both have (Dice's coefficient). What is blank is like nothing.
double likeness(std::string_view a, std::string_view b) {
    a = stripped(a);
    b = stripped(b);
    if (a.empty() || b.empty()) return 0;
    if (a == b) return 1;
    if (a.size() < 2 || b.size() < 2) return 0;
    std::array<std::int16_t, 4096> counts{};
    const auto slot = [](std::string_view text, std::size_t i) {
        return (static_cast<unsigned char>(text[i]) * 31U + static_cast<unsigned char>(text[i + 1])) % 4096U;
    };
    const std::size_t most = 2000;
    for (std::size_t i = 0; i + 1 < std::min(a.size(), most); ++i) ++counts[slot(a, i)];
    double both = 0;
    for (std::size_t i = 0; i + 1 < std::min(b.size(), most); ++i) both += counts[slot(b, i)]-- > 0;
    return 2 * both / static_cast<double>(std::min(a.size(), most) + std::min(b.size(), most) - 2);
}

struct Stretch {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t size() const { return end - begin; }
};

// The pairs in order that weigh most together; weight(i, j): 0 where the two make no pair. found(i, j) from the last to
// the first.
template <typename Weight, typename Found>
void align(const Stretch& before, const Stretch& after, Weight&& weight, Found&& found) {
    const std::size_t width = after.size() + 1;
    std::vector<double> best((before.size() + 1) * width, 0);
    for (std::size_t i = 1; i <= before.size(); ++i) {
        for (std::size_t j = 1; j <= after.size(); ++j) {
            const double pair = weight(before.begin + i - 1, after.begin + j - 1);
            double& here = best[i * width + j];
            here = std::max(best[(i - 1) * width + j], best[i * width + j - 1]);
            if (pair > 0) here = std::max(here, best[(i - 1) * width + j - 1] + pair);
        }
    }
    for (std::size_t i = before.size(), j = after.size(); i > 0 && j > 0;) {
        const double here = best[i * width + j];
        if (here == best[(i - 1) * width + j])
            --i;
        else if (here == best[i * width + j - 1])
            --j;
        else
            found(before.begin + --i, after.begin + --j);
    }
}

class Mapper {
  public:
    Mapper(std::string_view before, std::string_view after)
        : before_(lines_of(before)), after_(lines_of(after)), to_(before_.size(), -1) {}

    std::vector<int> map() {
        constexpr std::size_t kMost = 16'000'000;  // pairs that are looked at
        Stretch a{0, before_.size()};
        Stretch b{0, after_.size()};
        for (; a.begin < a.end && b.begin < b.end && before_[a.begin] == after_[b.begin]; ++a.begin, ++b.begin)
            join(a.begin, b.begin);
        for (; a.begin < a.end && b.begin < b.end && before_[a.end - 1] == after_[b.end - 1]; --a.end, --b.end)
            join(a.end - 1, b.end - 1);
        if (a.size() * b.size() <= kMost) {
            // A line that says something weighs more than a blank one or a lone bracket, which are everywhere.
            const auto same = [&](std::size_t i, std::size_t j) {
                return before_[i] != after_[j]
                           ? 0.0
                           : 0.1 + std::min<double>(static_cast<double>(stripped(before_[i]).size()), 8);
            };
            align(a, b, same, [&](std::size_t i, std::size_t j) { join(i, j); });
        }
        for (std::size_t i = a.begin, j = b.begin; i < a.end;) {
            if (to_[i] >= 0) {
                j = static_cast<std::size_t>(to_[i++]) + 1;
                continue;
            }
            Stretch gone{i, i};
            while (gone.end < a.end && to_[gone.end] < 0) ++gone.end;
            replace(gone, {j, gone.end < a.end ? static_cast<std::size_t>(to_[gone.end]) : b.end});
            i = gone.end;
        }
        return std::move(to_);
    }

  private:
    void join(std::size_t i, std::size_t j) { to_[i] = static_cast<int>(j); }

    // Lines that others stand in the place of. Blank ones are no place to go to.
    void replace(const Stretch& gone, const Stretch& come) {
        constexpr std::size_t kMost = 1'000'000;
        if (gone.size() == 0 || come.size() == 0 || gone.size() * come.size() > kMost) return;
        if (gone.size() == come.size()) {
            for (std::size_t i = 0; i < gone.size(); ++i) {
                if (stripped(before_[gone.begin + i]).empty() || !stripped(after_[come.begin + i]).empty())
                    join(gone.begin + i, come.begin + i);
            }
            return;
        }
        const double least = gone.size() < come.size() ? 0.05 : 0;  // with room enough each line goes somewhere
        align(
            gone, come,
            [&](std::size_t i, std::size_t j) {
                const bool is_blank = stripped(before_[i]).empty() || stripped(after_[j]).empty();
                const double like = likeness(before_[i], after_[j]);
                return is_blank ? 0.0 : least > 0 ? like + least : like >= 0.5 ? like : 0.0;
            },
            [&](std::size_t i, std::size_t j) { join(i, j); });
    }

    Lines before_;
    Lines after_;
    std::vector<int> to_;
};

}  // namespace

std::vector<int> map_lines(std::string_view before, std::string_view after) { return Mapper(before, after).map(); }

}  // namespace loupe::session
