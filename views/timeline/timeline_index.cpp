// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/timeline_index.h"

#include <algorithm>
#include <map>

namespace loupe::views {

// --- Lane

void Lane::add(const Zone& zone) {
    std::size_t index = zones_.size();
    zones_.push_back(zone);
    levels_.resize(kLevels);
    for (auto& nodes : levels_) {
        index /= kFan;
        if (nodes.size() <= index) nodes.resize(index + 1);
        Node& node = nodes[index];
        node.start = std::min(node.start, zone.start);
        node.end = std::max(node.end, zone.end);
    }
}

void Lane::extendLast(double end) {
    if (zones_.empty()) return;
    Zone& last = zones_.back();
    last.end = std::max(last.end, end);
    std::size_t index = zones_.size() - 1;
    for (auto& nodes : levels_) {
        index /= kFan;
        nodes[index].end = std::max(nodes[index].end, last.end);
    }
}

void Lane::put(const Piece& piece, double smallest, Piece& open, const std::function<void(const Piece&)>& draw) const {
    const bool small = piece.count > 1 || piece.end - piece.start < smallest;
    if (open.count > 0) {
        // A merged piece grows until it can be seen; then the next begins.
        if (small && piece.start - open.end < smallest && open.end - open.start < smallest * 4) {
            open.end = std::max(open.end, piece.end);
            open.count += piece.count;
            return;
        }
        draw(open);
        open.count = 0;
    }
    if (small)
        open = piece;
    else
        draw(piece);
}

void Lane::descend(std::size_t level, std::size_t index, double from, double to, double smallest, Piece& open,
                   const std::function<void(const Piece&)>& draw) const {
    const Node& node = levels_[level][index];
    if (node.end < from || node.start > to) return;
    std::size_t span = kFan;
    for (std::size_t i = 0; i < level; ++i) span *= kFan;
    const std::size_t first = index * span;
    const std::size_t count = std::min(span, zones_.size() - first);
    if (node.end - node.start < smallest) {
        put({node.start, node.end, first, count}, smallest, open, draw);
        return;
    }
    if (level == 0) {
        for (std::size_t i = first; i < first + count; ++i) {
            const Zone& zone = zones_[i];
            if (zone.end < from || zone.start > to) continue;
            put({zone.start, zone.end, i, 1}, smallest, open, draw);
        }
        return;
    }
    const auto& below = levels_[level - 1];
    for (std::size_t child = index * kFan; child < std::min((index + 1) * kFan, below.size()); ++child) {
        descend(level - 1, child, from, to, smallest, open, draw);
    }
}

void Lane::visit(double from, double to, double smallest, const std::function<void(const Piece&)>& draw) const {
    if (zones_.empty()) return;
    Piece open;
    for (std::size_t i = 0; i < levels_.back().size(); ++i)
        descend(levels_.size() - 1, i, from, to, smallest, open, draw);
    if (open.count > 0) draw(open);
}

std::size_t Lane::at(double time) const {
    const auto after =
        std::upper_bound(zones_.begin(), zones_.end(), time, [](double t, const Zone& zone) { return t < zone.start; });
    if (after == zones_.begin()) return zones_.size();
    const auto index = static_cast<std::size_t>(after - zones_.begin()) - 1;
    return zones_[index].end >= time ? index : zones_.size();
}

// --- Curve

void Curve::add(double time, double value) {
    std::size_t index = times_.size();
    times_.push_back(time);
    values_.push_back(value);
    greatest_ = std::max(greatest_, value);
    for (std::size_t level = 0; level < kLevels; ++level) {
        index /= kFan;
        if (levels_.size() <= level) levels_.emplace_back();
        auto& nodes = levels_[level];
        if (nodes.size() <= index) nodes.resize(index + 1, 0.0);
        nodes[index] = std::max(nodes[index], value);
    }
}

double Curve::greatestBetween(std::size_t first, std::size_t last) const {
    double most = 0;
    while (first < last) {
        std::size_t span = 1;
        std::size_t level = 0;
        while (level < levels_.size() && first % (span * kFan) == 0 && first + span * kFan <= last) {
            span *= kFan;
            ++level;
        }
        most = std::max(most, level == 0 ? values_[first] : levels_[level - 1][first / span]);
        first += span;
    }
    return most;
}

std::vector<double> Curve::sample(double from, double to, int columns) const {
    std::vector<double> all(static_cast<std::size_t>(std::max(0, columns)), 0.0);
    auto at = std::lower_bound(times_.begin(), times_.end(), from);
    double held = at == times_.begin() ? 0 : values_[static_cast<std::size_t>(at - times_.begin()) - 1];
    for (int column = 0; column < columns; ++column) {
        const double until = from + (to - from) * (column + 1) / columns;
        const auto next = std::lower_bound(at, times_.end(), until);
        const auto first = static_cast<std::size_t>(at - times_.begin());
        const auto last = static_cast<std::size_t>(next - times_.begin());
        double value = held;
        if (first < last) {
            value = std::max(value, greatestBetween(first, last));
            held = values_[last - 1];
        } else if (next == times_.end()) {
            value = 0;  // after the end
        }
        all[static_cast<std::size_t>(column)] = value;
        at = next;
    }
    return all;
}

// --- MemoryMarks

void MemoryMarks::add(double time, session::EventId event, std::uint32_t count, std::int64_t bytes) {
    lane_.add({time, time, event, 0, 0});
    counts_.push_back(counts_.back() + count);
    bytes_.push_back(bytes_.back() + bytes);
    greatest_ = std::max(greatest_, bytes);
}

std::uint64_t MemoryMarks::count(const Lane::Piece& piece) const {
    return counts_[piece.first + piece.count] - counts_[piece.first];
}

std::int64_t MemoryMarks::bytes(const Lane::Piece& piece) const {
    return bytes_[piece.first + piece.count] - bytes_[piece.first];
}

// --- TimelineIndex

void TimelineIndex::reset(const session::Recording* recording, std::shared_ptr<const session::OperatorTimes> warm) {
    *this = TimelineIndex();
    recording_ = recording;
    warm_ = std::move(warm);
}

Zone TimelineIndex::zoneOf(session::EventId event) const {
    if (event == 0 || event > place_.size()) return {};
    const session::Event& own = recording_->event(event);
    // Streams run beside each other: there events do not begin in their order.
    if (warm_ == nullptr && own.device.launch > 0) return {own.start, own.end(), own.id, 0, own.setup.total()};
    const Lane& lane = own.phase == session::RunPhase::Forward ? forward_ : backward_;
    return lane.zone(place_[event - 1]);
}

// The accumulation of a parameter's gradient is in no call: it is shown with the parameter's module.
std::uint32_t TimelineIndex::frameOf(const session::Event& event) {
    if (event.frame != 0 || event.phase == session::RunPhase::Forward) return event.frame;
    for (; named_frames_ < recording_->frame_count(); ++named_frames_)
        frame_of_scope_.try_emplace(recording_->frame(named_frames_ + 1).scope, named_frames_ + 1);
    const auto found = frame_of_scope_.find(event.scope);
    return found == frame_of_scope_.end() ? 0 : found->second;
}

void TimelineIndex::addFrames(const session::Event& event, const Zone& zone) {
    // The chain of calls around the event, from the outside.
    const bool is_backward = event.phase == session::RunPhase::Backward;
    if (event.phase != open_phase_) open_.clear();
    open_phase_ = event.phase;
    std::vector<std::uint32_t> chain;
    for (std::uint32_t id = frameOf(event); id != 0 && id <= recording_->frame_count() && chain.size() < 64;) {
        chain.push_back(id);
        const std::uint32_t parent = recording_->frame(id).parent;
        if (parent >= id) break;
        id = parent;
    }
    std::reverse(chain.begin(), chain.end());
    if (frames_.size() < chain.size()) frames_.resize(chain.size());
    for (std::size_t depth = 0; depth < chain.size(); ++depth) {
        const bool goes_on = depth < open_.size() && open_[depth] == chain[depth];
        if (goes_on) {
            frames_[depth].extendLast(zone.end);
        } else {
            const auto colour = static_cast<std::uint32_t>(depth) | (is_backward ? kBackward : 0);
            frames_[depth].add({zone.start, zone.end, chain[depth], colour, 0});
            open_.resize(depth);
            open_.push_back(chain[depth]);
        }
    }
    open_.resize(chain.size());
}

// Warm times are medians per event: an event begins at the earliest where the previous one ends. One that was not in
// all runs has its time of this run.
Zone TimelineIndex::nextZone(const session::Event& event) const {
    if (warm_ == nullptr) return {event.start, event.end(), event.id, 0, event.setup.total()};
    const session::OperatorTime* time = warm_->of(event.id);
    const double start = std::max(end_, time ? time->start : 0.0);
    return {start, start + (time ? time->median : event.duration), event.id, 0, 0};
}

void TimelineIndex::update(std::size_t event_count) {
    if (recording_ == nullptr) return;
    event_count = std::min(event_count, recording_->event_count());
    if (seen_ < event_count) edit_ = recording_->edit();
    for (; seen_ < event_count; ++seen_) {
        const session::Event& event = recording_->event(static_cast<session::EventId>(seen_ + 1));
        Zone zone = nextZone(event);
        if (seen_ == 0) begin_ = zone.start;
        Lane& lane = event.phase == session::RunPhase::Forward ? forward_ : backward_;
        // Of another stream it may begin before the last.
        zone.start = std::max(zone.start, last_start_);
        zone.end = std::max(zone.start, zone.end);
        last_start_ = zone.start;
        place_.push_back(static_cast<std::uint32_t>(lane.size()));
        lane.add(zone);
        if (event.phase != session::RunPhase::Optimizer) addFrames(event, zone);
        if (warm_ == nullptr) {
            addHost(event);
            addWorkers(event);
        }
        setup_ += zone.setup;
        memory_.add(zone.start, static_cast<double>(std::max(event.memory_before, event.memory_peak)));
        memory_.add(zone.end, static_cast<double>(event.memory_after));
        end_ = std::max(end_, zone.end);
    }
}

// The first work on a device makes the row, from the run's beginning.
void TimelineIndex::addHost(const session::Event& event) {
    const bool is_launch = event.device.launch > 0;
    if (streams_.empty() && !is_launch) return;
    const auto add = [this](const session::Event& each) {
        const double wanted = each.device.given > 0 ? each.device.given : each.start;
        const double start = host_.size() > 0 ? std::max(wanted, host_.zone(host_.size() - 1).end) : wanted;
        const double seconds =
            each.device.launch > 0 ? each.device.launch + each.setup.total() : each.end() - each.start;
        host_place_.push_back(static_cast<std::uint32_t>(host_.size()));
        host_.add({start, start + seconds, each.id, 0, each.setup.total()});
    };
    while (host_place_.size() + 1 < event.id)
        add(recording_->event(static_cast<session::EventId>(host_place_.size() + 1)));
    add(event);
    if (!is_launch) return;
    auto stream = std::ranges::find(streams_, event.device.device, &Stream::name);
    if (stream == streams_.end()) stream = streams_.insert(stream, {std::string(event.device.device), {}, {}});
    const double idle = stream->lane.size() > 0 ? stream->lane.zone(stream->lane.size() - 1).end : 0;
    constexpr double kShortest = 1e-6;
    if (stream->lane.size() > 0 && event.start - idle > kShortest)
        stream->waits.push_back(waitBefore(event, idle, *stream));
    const double start = stream->lane.size() > 0 ? std::max(idle, event.start) : event.start;
    stream->lane.add({start, std::max(start, event.start + event.duration), event.id, 0, 0});
}

const Zone* TimelineIndex::launchOf(session::EventId event) const {
    if (event == 0 || event > host_place_.size()) return nullptr;
    const session::DeviceWork& work = recording_->event(event).device;
    return work.launch > 0 && work.given > 0 ? &host_.zone(host_place_[event - 1]) : nullptr;
}

void TimelineIndex::addWorkers(const session::Event& event) {
    constexpr std::size_t kMost = 64;
    for (const session::WorkerSpan& span : event.workers) {
        const std::size_t at = span.thread - 1;
        if (at >= kMost) continue;
        if (workers_.size() <= at) workers_.resize(at + 1);
        Lane& lane = workers_[at];
        const double start = lane.size() > 0 ? std::max(span.start, lane.zone(lane.size() - 1).end) : span.start;
        lane.add({start, std::max(start, span.end), event.id, 0, 0});
    }
}

bool TimelineIndex::takeLoads() {
    if (recording_ == nullptr || warm_ != nullptr || recording_->load_count() == loads_.size()) return false;
    loads_ = recording_->loads();
    std::ranges::stable_sort(loads_, {}, &session::LoadSpan::start);
    loaders_.clear();
    for (std::size_t i = 0; i < loads_.size(); ++i) {
        const session::LoadSpan& load = loads_[i];
        const bool is_loop = load.kind == data::LoadKind::Loop || load.kind == data::LoadKind::Wait;
        const std::uint32_t worker = is_loop ? 0 : load.worker;
        auto place = std::ranges::find_if(loaders_, [&](const Loader& each) {
            return each.is_loop == is_loop && each.worker == worker &&
                   each.lane.zone(each.lane.size() - 1).end <= load.start;
        });
        if (place == loaders_.end()) place = loaders_.insert(place, {is_loop, worker, {}});
        place->lane.add({load.start, load.end, static_cast<std::uint32_t>(i), 0, 0});
        if (is_loop) begin_ = std::min(begin_, std::max(0.0, load.start));
        end_ = std::max(end_, load.end);
    }
    std::ranges::stable_sort(loaders_, {}, [](const Loader& each) { return each.is_loop ? -1 : int(each.worker); });
    return true;
}

void TimelineIndex::markMemory() {
    allocated_ = {};
    freed_ = {};
    if (recording_ == nullptr || seen_ == 0) return;
    struct Sum {
        std::uint32_t count = 0;
        std::int64_t bytes = 0;
    };
    std::vector<Sum> made(seen_ + 1), gone(seen_ + 1);
    for (std::size_t i = 0; i < recording_->allocation_count(); ++i) {
        const session::Allocation block = recording_->allocation(i);
        if (block.category == session::Category::KernelCache) continue;
        for (auto [event, sums] : {std::pair(block.allocated, &made), std::pair(block.freed, &gone)}) {
            if (event == 0 || event > seen_) continue;
            ++(*sums)[event].count;
            (*sums)[event].bytes += block.bytes;
        }
    }
    for (session::EventId event = 1; event <= seen_; ++event) {
        const Zone zone = zoneOf(event);
        if (made[event].count > 0) allocated_.add(zone.start, event, made[event].count, made[event].bytes);
        if (gone[event].count > 0) freed_.add(zone.end, event, gone[event].count, gone[event].bytes);
    }
}

namespace {

// The first zone that ends behind a time.
std::size_t firstBehind(const Lane& lane, double time) {
    std::size_t low = 0;
    std::size_t high = lane.size();
    while (low < high) {
        const std::size_t middle = (low + high) / 2;
        if (lane.zone(middle).end <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

}  // namespace

TimelineStatistics TimelineIndex::statistics(double from, double to) const {
    TimelineStatistics result;
    std::map<std::string_view, TimelineStatistics::Kind> kinds;
    for (const Lane* lane : {&forward_, &backward_}) {
        for (std::size_t at = firstBehind(*lane, from); at < lane->size() && lane->zone(at).start < to; ++at) {
            const Zone& zone = lane->zone(at);
            const double worksFrom = zone.start + zone.setup;
            const double inside = std::max(0.0, std::min(zone.end, to) - std::max(worksFrom, from));
            result.setup += std::max(0.0, std::min(worksFrom, to) - std::max(zone.start, from));
            auto& kind = kinds[recording_->event(zone.id).op];
            ++kind.count;
            kind.seconds += inside;
            ++result.count;
            result.seconds += inside;
        }
    }
    const auto inside = [from, to](const Lane& lane) {
        double sum = 0;
        for (std::size_t at = firstBehind(lane, from); at < lane.size() && lane.zone(at).start < to; ++at)
            sum += std::max(0.0, std::min(lane.zone(at).end, to) - std::max(lane.zone(at).start, from));
        return sum;
    };
    for (const Stream& stream : streams_) result.streams.push_back({stream.name, inside(stream.lane)});
    for (const Loader& loader : loaders_) {
        if (loader.is_loop) result.waited += inside(loader.lane);
    }
    for (auto& [op, kind] : kinds) {
        kind.op = std::string(op);
        result.kinds.push_back(std::move(kind));
    }
    std::sort(result.kinds.begin(), result.kinds.end(),
              [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
    return result;
}

}  // namespace loupe::views
