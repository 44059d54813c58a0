// SPDX-License-Identifier: Apache-2.0
#include "core/study/ranks/rank_events.h"

#include <set>
#include <string_view>

#include "core/study/align_keys.h"

namespace loupe::session {
namespace {

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::vector<std::uint64_t> keys_of(const RankRun& run) {
    std::set<EventId> launches;
    for (const Collective& each : run.collectives) launches.insert(each.event);
    std::vector<std::uint64_t> keys;
    std::unordered_map<std::uint64_t, std::uint64_t> counts;
    std::uint64_t segment = 0;
    const auto count = static_cast<EventId>(run.recording->event_count());
    keys.reserve(count);
    for (EventId id = 1; id <= count; ++id) {
        const Event& event = run.recording->event(id);
        AlignKey key = hash_with(hash_of(static_cast<AlignKey>(event.phase)), event.op);
        key = hash_with(hash_with(key, event.scope), file_name(event.source_file));
        key = hash_with(hash_with(key, static_cast<AlignKey>(event.source_line)), segment);
        keys.push_back(hash_with(key, static_cast<AlignKey>(counts[key]++)));
        if (launches.contains(id)) ++segment;
    }
    return keys;
}

}  // namespace

RankEvents::RankEvents(const RankSet& set) {
    for (const RankRun& run : set.ranks) {
        auto& events = events_.emplace_back();
        const auto& keys = keys_.emplace_back(keys_of(run));
        events.reserve(keys.size());
        for (std::size_t i = 0; i < keys.size(); ++i) events.emplace(keys[i], static_cast<EventId>(i + 1));
    }
}

EventId RankEvents::on(std::size_t place, EventId event, std::size_t other) const {
    if (place >= keys_.size() || other >= events_.size() || event == 0 || event > keys_[place].size()) return 0;
    const auto found = events_[other].find(keys_[place][event - 1]);
    return found != events_[other].end() ? found->second : 0;
}

}  // namespace loupe::session
