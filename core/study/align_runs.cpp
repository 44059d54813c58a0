// SPDX-License-Identifier: Apache-2.0
#include "core/study/align_runs.h"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

#include "core/base/strings.h"
#include "core/study/align_keys.h"
#include "core/study/align_modules.h"
#include "core/study/align_sequences.h"

namespace loupe::session {
namespace {

// "relu" of "aten::relu_", "conv" of "aten::conv2d", "onnx::Conv" and "aten::_conv": a name without its namespace, its
// marks of privacy and writing, its number of dimensions and its capitals.
std::string plain_name(std::string_view op) {
    if (const auto colon = op.rfind(':'); colon != std::string_view::npos) op.remove_prefix(colon + 1);
    while (op.starts_with('_')) op.remove_prefix(1);
    while (op.ends_with('_')) op.remove_suffix(1);
    if (op.size() > 2 && op.back() == 'd' && op[op.size() - 2] >= '1' && op[op.size() - 2] <= '3') op.remove_suffix(2);
    std::string out;
    for (const char c : op) {
        if (c != '_') out += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    return out;
}

// An event as it is aligned.
struct Item {
    EventId id = 0;
    AlignKey op = 0;
    AlignKey shapes = 0;
    AlignKey first_shape = 0;  // of the result that is meant: others are saved for backward
    AlignKey scope = 0;        // of the aligned module where there is one
    bool has_module = false;   // it stands in an aligned module
    bool is_in_root = false;
};

using Level = AlignKey (*)(const Item&);

AlignKey all_of(std::initializer_list<AlignKey> parts) {
    AlignKey key = 0;
    for (const AlignKey part : parts) key = hash_with(key, part);
    return key;
}

constexpr std::array<Level, 6> kLevels{
    [](const Item& it) {
        return all_of({it.op, it.scope, it.shapes});
    },
    [](const Item& it) {
        return all_of({it.scope, it.shapes});
    },
    [](const Item& it) {
        return all_of({it.op, it.shapes, it.has_module ? it.scope : 0});
    },
    // Eager programs dispatch aten::native_batch_norm and aten::max_pool2d_with_indices, which have further results.
    [](const Item& it) {
        return all_of({it.op, it.scope, it.first_shape});
    },
    [](const Item& it) {
        return all_of({it.scope, it.first_shape});
    },
    [](const Item& it) {
        return all_of({it.op, it.scope});
    },
};
// Where one of the runs does not know modules.
constexpr std::array<Level, 2> kLevelsWithoutModules{
    [](const Item& it) {
        return all_of({it.op, it.shapes});
    },
    [](const Item& it) { return it.shapes; },
};

class RunAligner {
  public:
    RunAligner(const AlignedSide& own, const AlignedSide& other, const std::vector<AlignmentMend>& mends)
        : own_(own.recording), other_(other.recording) {
        const auto own_modules = outline_modules(own);
        const auto other_modules = outline_modules(other);
        out_.modules = align_modules(own_modules, other_modules, mends);
        out_.parameters = align_parameters(own_modules, other_modules, out_.modules);
        for (const auto& [here, there] : out_.modules) canonical_[there] = here;
        note_repeated_scopes(other_modules);
        out_.there.assign(own_.event_count(), 0);
        out_.here.assign(other_.event_count(), 0);
        take_mends(mends);
    }

    RunAlignment align() {
        take_arrays();
        for (const RunPhase phase : {RunPhase::Forward, RunPhase::Backward, RunPhase::Optimizer}) {
            if (phase == RunPhase::Backward) follow_forward();
            align_phase(phase);
        }
        return std::move(out_);
    }

  private:
    // ONNX's older exporter numbers the calls of a module: "relu_1" is the second of "relu".
    void note_repeated_scopes(const std::vector<ModuleOutline>& other) {
        for (const ModuleOutline& each : other) {
            if (canonical_.contains(each.path)) continue;
            const auto line = each.path.rfind('_');
            if (line == std::string::npos || line + 1 == each.path.size()) continue;
            const bool is_number = std::all_of(each.path.begin() + static_cast<std::ptrdiff_t>(line) + 1,
                                               each.path.end(), [](char c) { return c >= '0' && c <= '9'; });
            const auto found = canonical_.find(each.path.substr(0, line));
            if (is_number && found != canonical_.end()) canonical_[each.path] = std::string(found->second);
        }
    }

    void pair(EventId own, EventId other) {
        out_.there[own - 1] = other;
        out_.here[other - 1] = own;
    }

    void take_mends(const std::vector<AlignmentMend>& mends) {
        const bool has_events = std::any_of(mends.begin(), mends.end(), [](const AlignmentMend& mend) {
            return mend.kind != AlignmentMend::Kind::Module;
        });
        if (!has_events) return;
        const auto by_place = [](const Recording& recording) {
            std::unordered_map<std::string, EventId> out;
            const auto places = event_places(recording);
            for (std::size_t i = 0; i < places.size(); ++i) out[places[i]] = static_cast<EventId>(i + 1);
            return out;
        };
        const auto here = by_place(own_);
        const auto there = by_place(other_);
        for (const AlignmentMend& mend : mends) {
            const auto a = here.find(mend.here);
            const auto b = there.find(mend.there);
            if (mend.kind == AlignmentMend::Kind::Event && a != here.end() && b != there.end())
                pair(a->second, b->second);
            if (mend.kind != AlignmentMend::Kind::Apart) continue;
            if (a != here.end()) apart_here_.insert(a->second);
            if (b != there.end()) apart_there_.insert(b->second);
        }
    }

    // Of a module its last operator, which made its output.
    void take_arrays() {
        for (EventId id = 1; id <= other_.event_count(); ++id) {
            const Event& event = other_.event(id);
            if (event.op != kReferenceArray) continue;
            apart_there_.insert(id);
            const EventId own = last_event_in(event.scope);
            if (own != 0 && out_.there[own - 1] == 0 && !apart_here_.contains(own)) pair(own, id);
        }
    }

    EventId last_event_in(std::string_view scope) const {
        for (auto id = static_cast<EventId>(own_.event_count()); id > 0; --id) {
            const Event& event = own_.event(id);
            const bool is_inside = scope.empty() || event.scope == scope ||
                                   (event.scope.starts_with(scope) && event.scope[scope.size()] == '.');
            if (event.phase == RunPhase::Forward && is_inside && !event.outputs.empty()) return id;
        }
        return 0;
    }

    std::vector<Item> items_of(const Recording& recording, RunPhase phase, bool is_own) {
        std::vector<Item> out;
        std::unordered_map<std::string_view, AlignKey> names;
        const auto& apart = is_own ? apart_here_ : apart_there_;
        for (EventId id = 1; id <= recording.event_count(); ++id) {
            const Event& event = recording.event(id);
            if (event.phase != phase || apart.contains(id)) continue;
            if ((is_own ? out_.there[id - 1] : out_.here[id - 1]) != 0) continue;
            Item item;
            item.id = id;
            const auto [name, is_new] = names.try_emplace(event.op, 0);
            if (is_new) name->second = hash_with(1, plain_name(event.op));
            item.op = name->second;
            item.shapes = hash_of(event.outputs.size());
            for (const ValueId value : event.outputs) {
                if (value != 0) item.shapes = hash_with(item.shapes, recording.value(value).shape);
            }
            if (!event.outputs.empty() && event.outputs.front() != 0)
                item.first_shape = hash_with(1, recording.value(event.outputs.front()).shape);
            const std::string* module = module_of(event.scope, is_own);
            item.has_module = module != nullptr;
            item.scope = module != nullptr ? hash_with(2, *module) : hash_with(is_own ? 3 : 4, event.scope);
            item.is_in_root = event.scope.empty();
            out.push_back(item);
        }
        return out;
    }

    // The own path of the aligned module; null: it has no partner.
    const std::string* module_of(std::string_view scope, bool is_own) const {
        if (is_own) {
            const auto found = out_.modules.find(std::string(scope));
            return found != out_.modules.end() ? &found->first : nullptr;
        }
        const auto found = canonical_.find(std::string(scope));
        return found != canonical_.end() ? &found->second : nullptr;
    }

    void align_phase(RunPhase phase) {
        const std::vector<Item> a = items_of(own_, phase, true);
        const std::vector<Item> b = items_of(other_, phase, false);
        Pairs pairs;
        for (const Level level : kLevels) align_gaps(a, b, level, pairs);
        if (knows_no_modules(a) != knows_no_modules(b)) {
            for (const Level level : kLevelsWithoutModules) align_gaps(a, b, level, pairs);
        }
        for (const auto& [i, j] : pairs) pair(a[i].id, b[j].id);
    }

    static bool knows_no_modules(const std::vector<Item>& items) {
        const auto in_root =
            std::count_if(items.begin(), items.end(), [](const Item& each) { return each.is_in_root; });
        return 2 * static_cast<std::size_t>(in_root) > items.size();
    }

    using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

    // Between the pairs there are, by the level's key.
    static void align_gaps(const std::vector<Item>& a, const std::vector<Item>& b, Level level, Pairs& pairs) {
        Pairs found;
        std::size_t from_a = 0;
        std::size_t from_b = 0;
        const auto close = [&](std::size_t to_a, std::size_t to_b) {
            if (from_a < to_a && from_b < to_b) {
                std::vector<AlignKey> keys_a;
                std::vector<AlignKey> keys_b;
                for (std::size_t i = from_a; i < to_a; ++i) keys_a.push_back(level(a[i]));
                for (std::size_t i = from_b; i < to_b; ++i) keys_b.push_back(level(b[i]));
                for (const auto& [i, j] : align_sequences(keys_a, keys_b)) found.emplace_back(from_a + i, from_b + j);
            }
            from_a = to_a + 1;
            from_b = to_b + 1;
        };
        for (const auto& [i, j] : pairs) close(i, j);
        close(a.size(), b.size());
        pairs.insert(pairs.end(), found.begin(), found.end());
        std::sort(pairs.begin(), pairs.end());
    }

    // The k-th backward event of a forward event and that of its partner.
    void follow_forward() {
        const auto by_forward = [](const Recording& recording) {
            std::unordered_map<EventId, std::vector<EventId>> out;
            for (EventId id = 1; id <= recording.event_count(); ++id) {
                const Event& event = recording.event(id);
                if (event.phase == RunPhase::Backward && event.peer != 0) out[event.peer].push_back(id);
            }
            return out;
        };
        const auto there = by_forward(other_);
        for (const auto& [forward, mine] : by_forward(own_)) {
            const auto found = there.find(out_.partner(forward));
            if (found == there.end()) continue;
            for (std::size_t k = 0; k < std::min(mine.size(), found->second.size()); ++k) {
                const EventId a = mine[k];
                const EventId b = found->second[k];
                const bool is_open = out_.there[a - 1] == 0 && out_.here[b - 1] == 0 && !apart_here_.contains(a) &&
                                     !apart_there_.contains(b);
                if (is_open && are_alike(a, b)) pair(a, b);
            }
        }
    }

    bool are_alike(EventId a, EventId b) const {
        const Event& mine = own_.event(a);
        const Event& theirs = other_.event(b);
        if (mine.outputs.size() != theirs.outputs.size()) return false;
        for (std::size_t i = 0; i < mine.outputs.size(); ++i) {
            if (own_.value(mine.outputs[i]).shape != other_.value(theirs.outputs[i]).shape) return false;
        }
        return true;
    }

    const Recording& own_;
    const Recording& other_;
    RunAlignment out_;
    std::unordered_map<std::string, std::string> canonical_;  // the other's path -> own
    std::set<EventId> apart_here_;
    std::set<EventId> apart_there_;
};

}  // namespace

RunAlignment align_runs(const AlignedSide& own, const AlignedSide& other, const std::vector<AlignmentMend>& mends) {
    return RunAligner(own, other, mends).align();
}

bool is_same_operator(std::string_view a, std::string_view b) { return plain_name(a) == plain_name(b); }

std::vector<std::string> event_places(const Recording& recording) {
    std::unordered_map<std::string, int> seen;
    std::vector<std::string> out;
    out.reserve(recording.event_count());
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        const Event& event = recording.event(id);
        std::string place = concat(phase_name(event.phase), " ", event.scope, " ", event.op);
        const int nth = ++seen[place];
        out.push_back(concat(place, " ", nth));
    }
    return out;
}

std::string event_place(const Recording& recording, EventId event) {
    const Event& wanted = recording.event(event);
    int nth = 0;
    for (EventId id = 1; id <= event; ++id) {
        const Event& each = recording.event(id);
        nth += each.phase == wanted.phase && each.op == wanted.op && each.scope == wanted.scope ? 1 : 0;
    }
    return concat(phase_name(wanted.phase), " ", wanted.scope, " ", wanted.op, " ", nth);
}

}  // namespace loupe::session
