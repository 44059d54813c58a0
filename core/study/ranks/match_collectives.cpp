// SPDX-License-Identifier: Apache-2.0
#include "core/study/ranks/match_collectives.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/strings.h"
#include "core/record/not_finite.h"

namespace loupe::session {
namespace {

// A message is one on both its ends: the sender stands first. Of collectives both are -1.
struct Key {
    std::string group;
    int from = -1;
    int to = -1;
    std::uint64_t sequence = 0;
    auto operator<=>(const Key&) const = default;
};

bool is_message(const Collective& each) { return each.operation == "send" || each.operation == "recv"; }

Key key_of(const RankRun& run, const Collective& each) {
    if (!is_message(each)) return {each.group, -1, -1, each.sequence};
    const bool sends = each.operation == "send";
    return {each.group, sends ? run.rank() : each.peer, sends ? each.peer : run.rank(), each.sequence};
}

// In an order that is each rank's own: what is next on all the ranks that have it, else the next of the first rank.
class Merge {
  public:
    explicit Merge(const RankSet& set) : set_(set), next_(set.ranks.size(), 0) {
        for (std::size_t place = 0; place < set.ranks.size(); ++place) {
            auto& keys = keys_.emplace_back();
            for (std::size_t i = 0; i < set.ranks[place].collectives.size(); ++i) {
                Key key = key_of(set.ranks[place], set.ranks[place].collectives[i]);
                auto [found, is_new] = where_.try_emplace(key);
                if (is_new) found->second.assign(set.ranks.size(), -1);
                int& index = found->second[place];
                if (index >= 0) continue;  // a rank that says the same twice: its first counts
                index = static_cast<int>(i);
                keys.push_back(std::move(key));
            }
        }
    }

    std::vector<MatchedCollective> all() {
        std::vector<MatchedCollective> out;
        while (const Key* key = next()) out.push_back(take(*key));
        return out;
    }

  private:
    const Key* head(std::size_t place) const {
        return next_[place] < keys_[place].size() ? &keys_[place][next_[place]] : nullptr;
    }
    bool is_next_everywhere(const Key& key) const {
        const std::vector<int>& index = where_.at(key);
        for (std::size_t place = 0; place < index.size(); ++place) {
            const Key* first = head(place);
            if (index[place] >= 0 && (first == nullptr || *first != key)) return false;
        }
        return true;
    }
    const Key* next() const {
        const Key* any = nullptr;
        for (std::size_t place = 0; place < keys_.size(); ++place) {
            const Key* first = head(place);
            if (first == nullptr) continue;
            if (is_next_everywhere(*first)) return first;
            if (any == nullptr) any = first;
        }
        return any;
    }
    MatchedCollective take(const Key key) {
        MatchedCollective each;
        each.group = key.group;
        each.sequence = key.sequence;
        each.is_message = key.from >= 0 || key.to >= 0;
        each.index = where_.at(key);
        for (std::size_t place = 0; place < each.index.size(); ++place) {
            if (each.index[place] < 0) continue;
            auto& keys = keys_[place];
            const auto at = std::find(keys.begin() + static_cast<std::ptrdiff_t>(next_[place]), keys.end(), key);
            if (at == keys.begin() + static_cast<std::ptrdiff_t>(next_[place]))
                ++next_[place];
            else if (at != keys.end())
                keys.erase(at);
            const Collective& own = set_.ranks[place].collectives[static_cast<std::size_t>(each.index[place])];
            if (each.members.empty() && !each.is_message) each.members = own.ranks;
        }
        if (each.is_message) each.members = {std::min(key.from, key.to), std::max(key.from, key.to)};
        if (each.members.empty()) {
            // Which ranks are in a group is not said: those that ever use it.
            for (std::size_t place = 0; place < set_.ranks.size(); ++place) {
                const auto& own = set_.ranks[place].collectives;
                const bool uses = key.group == "0" || std::any_of(own.begin(), own.end(), [&](const Collective& c) {
                                      return c.group == key.group && !loupe::session::is_message(c);
                                  });
                if (uses) each.members.push_back(set_.ranks[place].rank());
            }
        }
        std::sort(each.members.begin(), each.members.end());
        return each;
    }
    static bool is_message(const Collective& each) { return loupe::session::is_message(each); }

    const RankSet& set_;
    std::vector<std::vector<Key>> keys_;
    std::map<Key, std::vector<int>> where_;
    std::vector<std::size_t> next_;
};

std::string shapes_text(const Collective& each) {
    std::vector<std::string> parts;
    for (const Shape& shape : each.shapes) parts.push_back(shape_text(shape));
    if (parts.size() > 3) parts = {parts[0], parts[1], concat("and ", parts.size() - 2, " more")};
    return join(parts, ", ");
}

// Must what each rank gives be of one shape?
bool has_one_shape(std::string_view operation) {
    return operation == "all_reduce" || operation == "broadcast" || operation == "reduce" ||
           operation == "reduce_scatter" || operation == "all_gather";
}

using Mismatch = CollectiveMismatch::Kind;

std::string fact_of(const Collective& each, Mismatch kind) {
    switch (kind) {
        case Mismatch::Operation:
            return each.operation;
        case Mismatch::Reduction:
            return each.reduction;
        case Mismatch::Dtype:
            return each.dtype;
        case Mismatch::Shapes:
            return has_one_shape(each.operation) ? shapes_text(each) : std::string();
        case Mismatch::Root:
            return each.peer >= 0 ? concat("root ", each.peer) : std::string();
        case Mismatch::Members:
            return each.ranks.empty() ? std::string() : numbers_text(each.ranks);
        case Mismatch::Missing:
            break;
    }
    return {};
}

// A message's ends have other operations and other peers by nature, and its receiver may take more than is sent.
bool is_compared(const MatchedCollective& each, Mismatch kind) {
    return !each.is_message || kind == Mismatch::Dtype || kind == Mismatch::Shapes;
}

Said kind_text(Mismatch kind) {
    switch (kind) {
        case Mismatch::Operation:
            return engine::said("the ranks do different things");
        case Mismatch::Reduction:
            return engine::said("the ranks reduce in different ways");
        case Mismatch::Dtype:
            return engine::said("the ranks give different dtypes");
        case Mismatch::Shapes:
            return engine::said("the ranks give different shapes");
        case Mismatch::Root:
            return engine::said("the ranks name different roots");
        case Mismatch::Members:
            return engine::said("the ranks disagree in who takes part");
        case Mismatch::Missing:
            break;
    }
    return {};
}

Said at(const Collective& each) {
    const std::string place = place_text(each.place);
    return place.empty() ? engine::said("event %1", each.event) : Said(place);
}

// What ranks with one fact did: "ranks 0, 2 and 3: all_reduce float32 14154 (net.py:33)".
Said part_text(const std::vector<int>& ranks, const Collective& each, Mismatch kind) {
    std::string what = fact_of(each, kind);
    if (kind == Mismatch::Operation) {
        if (!each.dtype.empty()) what += concat(" ", each.dtype);
        if (const std::string shapes = shapes_text(each); !shapes.empty()) what += concat(" ", shapes);
    }
    return said_in_row(ranks_text(ranks), ": ", what, " (", at(each), ")");
}

bool is_alike(const Collective& a, const Collective& b) {
    return a.operation == b.operation && a.dtype == b.dtype && (!has_one_shape(a.operation) || a.shapes == b.shapes);
}

// How many collectives `few` left out: what it does from there on is what `many` does so many later. 0: not known.
int left_out(const std::vector<const Collective*>& few, const std::vector<const Collective*>& many) {
    constexpr std::size_t kLooked = 4;
    for (std::size_t skip = 1; skip < many.size() && skip <= 256; ++skip) {
        const std::size_t common = std::min({few.size(), many.size() - skip, kLooked});
        std::size_t same = 0;
        while (same < common && is_alike(*few[same], *many[skip + same])) ++same;
        if (same == common && (same >= 2 || same == few.size())) return static_cast<int>(skip);
    }
    return 0;
}

std::vector<const Collective*> following(const RankRun& run, int index, const std::string& group) {
    std::vector<const Collective*> out;
    for (auto i = static_cast<std::size_t>(index); i < run.collectives.size(); ++i) {
        const Collective& each = run.collectives[i];
        if (each.group == group && !is_message(each)) out.push_back(&each);
    }
    return out;
}

class Search {
  public:
    Search(const RankSet& set, const std::vector<MatchedCollective>& matched) : set_(set), matched_(matched) {}

    std::optional<CollectiveMismatch> first() const {
        for (std::size_t i = 0; i < matched_.size(); ++i) {
            for (const Mismatch kind : {Mismatch::Operation, Mismatch::Members, Mismatch::Dtype, Mismatch::Reduction,
                                        Mismatch::Root, Mismatch::Shapes}) {
                if (auto found = unlike(i, kind)) return found;
            }
            if (auto found = missing(i)) return found;
        }
        return std::nullopt;
    }

  private:
    std::optional<CollectiveMismatch> unlike(std::size_t number, Mismatch kind) const {
        const MatchedCollective& each = matched_[number];
        if (!is_compared(each, kind)) return std::nullopt;
        std::map<std::string, std::vector<int>> found;
        for (std::size_t place = 0; place < set_.ranks.size(); ++place) {
            const Collective* own = each.on(set_, place);
            if (own == nullptr) continue;
            std::string fact = fact_of(*own, kind);
            if (!fact.empty()) found[std::move(fact)].push_back(set_.ranks[place].rank());
        }
        if (found.size() < 2) return std::nullopt;
        // What most do counts; of as many, what the first rank does.
        const auto most = std::max_element(found.begin(), found.end(), [](const auto& a, const auto& b) {
            return std::pair(a.second.size(), -a.second.front()) < std::pair(b.second.size(), -b.second.front());
        });
        CollectiveMismatch out{.kind = kind, .collective = number, .odd = {}, .text = {}};
        std::vector<Said> parts{part_text(most->second, own_of(each, most->second.front()), kind)};
        for (const auto& [fact, ranks] : found) {
            if (&ranks == &most->second) continue;
            out.odd.insert(out.odd.end(), ranks.begin(), ranks.end());
            parts.push_back(part_text(ranks, own_of(each, ranks.front()), kind));
        }
        std::sort(out.odd.begin(), out.odd.end());
        out.rank = out.odd.front();
        out.other = most->second.front();
        out.text = said_in_row(each.name(set_), ": ", kind_text(kind), ": ", said_list(parts, "; "));
        if (!each.is_message) out.text += skip_text(each, out);
        return out;
    }

    const Collective& own_of(const MatchedCollective& each, int rank) const {
        return *each.on(set_, static_cast<std::size_t>(set_.place_of(rank)));
    }

    // "; rank 1 left out 4 collectives before it".
    Said skip_text(const MatchedCollective& each, const CollectiveMismatch& found) const {
        const auto odd = static_cast<std::size_t>(set_.place_of(found.rank));
        const auto most = static_cast<std::size_t>(set_.place_of(found.other));
        const auto of_odd = following(set_.ranks[odd], each.index[odd], each.group);
        const auto of_most = following(set_.ranks[most], each.index[most], each.group);
        if (const int skipped = left_out(of_odd, of_most); skipped > 0)
            return engine::said("; as if rank %2 had left out %1 collectives, the first at %3",
                                "; as if rank %2 had left out %1 collective, the first at %3", skipped, found.rank,
                                at(*of_most.front()));
        if (const int more = left_out(of_most, of_odd); more > 0)
            return engine::said("; as if rank %2 had %1 collectives more, the first at %3",
                                "; as if rank %2 had %1 collective more, the first at %3", more, found.rank,
                                at(*of_odd.front()));
        if (of_odd.size() > 1 && of_most.size() > 1 && is_alike(*of_odd[0], *of_most[1]) &&
            is_alike(*of_odd[1], *of_most[0]))
            return engine::said("; the two are in another order");
        return {};
    }

    std::optional<CollectiveMismatch> missing(std::size_t number) const {
        const MatchedCollective& each = matched_[number];
        CollectiveMismatch out{.kind = Mismatch::Missing, .collective = number, .odd = {}, .text = {}};
        for (const int rank : each.members) {
            const int place = set_.place_of(rank);
            if (place < 0) continue;
            const RankRun& run = set_.ranks[static_cast<std::size_t>(place)];
            if (each.index[static_cast<std::size_t>(place)] < 0 && run.recording->is_complete())
                out.odd.push_back(rank);
        }
        if (out.odd.empty()) return std::nullopt;
        const Collective& there = each.first(set_);
        std::vector<int> with;
        for (std::size_t place = 0; place < each.index.size(); ++place) {
            if (each.index[place] >= 0) with.push_back(set_.ranks[place].rank());
        }
        out.rank = out.odd.front();
        out.other = with.front();
        const RankRun& run = set_.ranks[static_cast<std::size_t>(set_.place_of(out.rank))];
        Said last = engine::said("it has no event");
        if (const auto count = static_cast<EventId>(run.recording->event_count()); count > 0) {
            const Event& event = run.recording->event(count);
            last = engine::said("its last event is #%1 %2", count, short_operator_name(event.op));
            const std::string place = place_text({std::string(event.source_file), event.source_line, 0});
            if (!place.empty()) last += concat(" (", place, ")");
        }
        out.text = engine::said("%1 of %2 (%3) is missing on %4: %5", each.name(set_), ranks_text(with), at(there),
                                ranks_text(out.odd), last);
        return out;
    }

    const RankSet& set_;
    const std::vector<MatchedCollective>& matched_;
};

}  // namespace

const Collective& MatchedCollective::first(const RankSet& set) const {
    std::size_t place = 0;
    while (index[place] < 0) ++place;  // one rank has it
    return *on(set, place);
}

Said MatchedCollective::name(const RankSet& set) const {
    const Collective& each = first(set);
    Said out;
    if (is_message) {
        for (std::size_t place = 0; place < index.size(); ++place) {
            const Collective* own = on(set, place);
            if (own == nullptr) continue;
            const bool sends = own->operation == "send";
            const int rank = set.ranks[place].rank();
            out = engine::said("message #%1 from rank %2 to %3", sequence, sends ? rank : own->peer,
                               sends ? own->peer : rank);
            break;
        }
    } else {
        out = concat(each.operation, " #", sequence);
    }
    if (group != "0") out += engine::said(" of group %1", group);
    return out;
}

std::vector<MatchedCollective> match_collectives(const RankSet& set) { return Merge(set).all(); }

std::optional<CollectiveMismatch> first_mismatch(const RankSet& set, const std::vector<MatchedCollective>& matched) {
    return Search(set, matched).first();
}

std::string place_text(const SourcePlace& place) {
    if (place.file.empty()) return {};
    const std::string name = place.file.substr(place.file.rfind('/') + 1);
    return place.line > 0 ? concat(name, ":", place.line) : name;
}

}  // namespace loupe::session
