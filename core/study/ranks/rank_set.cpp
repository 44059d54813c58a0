// SPDX-License-Identifier: Apache-2.0
#include "core/study/ranks/rank_set.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/study/ranks/derived_collectives.h"

namespace loupe::session {
namespace {

constexpr int kMostNamed = 6;
constexpr int kMostRanks = 1 << 20;

RankRun run_of(const RankSource& source) {
    RankRun run;
    run.recording = source.recording;
    run.name = source.name;
    run.facts.rank = source.named;
    run.facts.world_size = 0;
    if (const auto facts = source.recording->rank()) run.facts = *facts;
    run.collectives = source.recording->collectives();
    run.has_rows = !run.collectives.empty();
    if (!run.has_rows) run.collectives = derive_collectives(*source.recording);
    return run;
}

// Those without a number get the first that is free.
void number(std::vector<RankRun>& runs) {
    std::set<int> taken;
    for (const RankRun& run : runs) taken.insert(run.facts.rank);
    int next = 0;
    for (RankRun& run : runs) {
        if (run.facts.rank >= 0) continue;
        while (taken.contains(next)) ++next;
        run.facts.rank = next;
        taken.insert(next);
    }
}

// Lines about a fact that all ranks should agree in.
template <typename Fact>
void check_agreement(const RankSet& set, const Fact& fact, const Said& what, std::vector<Said>& problems) {
    std::map<std::string, std::vector<int>> found;
    for (const RankRun& run : set.ranks) {
        if (const std::string said = fact(run); !said.empty()) found[said].push_back(run.rank());
    }
    if (found.size() < 2) return;
    std::vector<Said> parts;
    for (const auto& [said, ranks] : found) parts.push_back(said_in_row(ranks_text(ranks), ": ", said));
    problems.push_back(said_in_row(what, " (", said_list(parts, "; "), ")"));
}

// The program's text as far as its events say it: the files that they name.
std::string program_files(const RankRun& run) {
    std::set<std::string_view> files;
    for (EventId id = 1; id <= run.recording->event_count(); ++id) {
        const std::string_view file = run.recording->event(id).source_file;
        if (!file.empty()) files.insert(file.substr(file.rfind('/') + 1));
    }
    return join(files, ", ");
}

void find_problems(RankSet& set) {
    check_agreement(
        set, [](const RankRun& run) { return run.facts.program; },
        engine::said("these are recordings of different runs, which cannot be held against each other"), set.problems);
    check_agreement(
        set, [](const RankRun& run) { return run.facts.world_size > 0 ? concat(run.facts.world_size) : ""; },
        engine::said("the ranks do not agree in how many they are"), set.problems);
    const std::size_t before = set.problems.size();
    check_agreement(set, program_files, engine::said("the ranks run different programs"), set.problems);
    // A rank that does something more is common: it is said when no file is in all of them.
    if (set.problems.size() > before) {
        std::map<std::string, std::size_t> files;
        for (const RankRun& run : set.ranks) {
            const std::string names = program_files(run);
            for (const std::string_view each : split(names, ','))
                ++files[std::string(each.substr(each.find_first_not_of(' ') == std::string_view::npos
                                                    ? each.size()
                                                    : each.find_first_not_of(' ')))];
        }
        const bool has_common =
            std::any_of(files.begin(), files.end(), [&](const auto& each) { return each.second == set.ranks.size(); });
        if (has_common) set.problems.pop_back();
    }
    if (!set.missing.empty())
        set.problems.push_back(
            engine::said("there is no recording of %1 of %2", ranks_text(set.missing), set.world_size));
}

}  // namespace

int RankSet::place_of(int rank) const {
    const auto found =
        std::lower_bound(ranks.begin(), ranks.end(), rank, [](const RankRun& run, int at) { return run.rank() < at; });
    return found != ranks.end() && found->rank() == rank ? static_cast<int>(found - ranks.begin()) : -1;
}

RankSet join_ranks(const std::vector<RankSource>& sources) {
    RankSet set;
    for (const RankSource& source : sources) set.ranks.push_back(run_of(source));
    number(set.ranks);
    std::stable_sort(set.ranks.begin(), set.ranks.end(),
                     [](const RankRun& a, const RankRun& b) { return a.rank() < b.rank(); });
    for (std::size_t i = 1; i < set.ranks.size(); ++i) {
        if (set.ranks[i].rank() == set.ranks[i - 1].rank())
            throw Error(ErrorKind::Usage, concat(set.ranks[i - 1].name, " and ", set.ranks[i].name,
                                                 " are both of rank ", set.ranks[i].rank()));
    }
    for (const RankRun& run : set.ranks)
        set.world_size = std::max({set.world_size, run.facts.world_size, run.rank() + 1});
    if (set.world_size > kMostRanks)
        throw Error(ErrorKind::Usage, concat(set.world_size, " ranks are more than a program has"));
    for (int rank = 0; rank < set.world_size; ++rank) {
        if (set.place_of(rank) < 0) set.missing.push_back(rank);
    }
    find_problems(set);
    return set;
}

std::string numbers_text(const std::vector<int>& numbers) {
    std::string out;
    const auto count = static_cast<int>(numbers.size());
    const int shown = count > kMostNamed ? kMostNamed / 2 : count;
    for (int i = 0; i < shown; ++i) {
        if (i > 0) out += i + 1 == count ? " and " : ", ";
        append(out, numbers[static_cast<std::size_t>(i)]);
    }
    if (shown < count) out += concat(" and ", count - shown, " others");
    return out;
}

Said ranks_text(const std::vector<int>& ranks) {
    const auto count = static_cast<int>(ranks.size());
    if (count == 1) return engine::said("rank %1", ranks.front());
    if (count > kMostNamed) {
        const std::vector<int> first(ranks.begin(), ranks.begin() + kMostNamed / 2);
        return engine::said("ranks %1 and %2 others", join(first, ", "), count - kMostNamed / 2);
    }
    const std::vector<int> first(ranks.begin(), ranks.empty() ? ranks.end() : ranks.end() - 1);
    return first.empty() ? engine::said("ranks %1", numbers_text(ranks))
                         : engine::said("ranks %1 and %2", join(first, ", "), ranks.back());
}

}  // namespace loupe::session
