// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/stream_waits.h"

#include <algorithm>
#include <array>

#include "views/timeline/timeline_index.h"

namespace loupe::views {

bool isCopy(std::string_view op) {
    constexpr std::array<std::string_view, 6> kCopies{"aten::copy_",      "aten::_to_copy",    "aten::clone",
                                                      "aten::_copy_from", "aten::_pin_memory", "aten::contiguous"};
    return std::ranges::find(kCopies, op) != kCopies.end();
}

// The work before the event ended at `idle`.
StreamWait TimelineIndex::waitBefore(const session::Event& event, double idle, const Stream& own) const {
    StreamWait wait{idle, event.start, StreamWait::For::Unknown, 0};
    // What another stream has done last before the event began.
    double ended = idle;
    for (const Stream& other : streams_) {
        if (other.name == own.name) continue;
        for (std::size_t at = other.lane.size(); at-- > 0;) {
            const Zone& zone = other.lane.zone(at);
            if (zone.end > event.start) continue;
            if (zone.end > ended) {
                ended = zone.end;
                wait.event = zone.id;
            }
            break;
        }
    }
    const double given = event.device.given;
    // It began when the other stream was done, rather than when it was given.
    const bool waitsForOther = wait.event != 0 && ended > given && event.start - ended < (event.start - given) / 2;
    if (waitsForOther) {
        wait.what = isCopy(recording_->event(wait.event).op) ? StreamWait::For::Copy : StreamWait::For::Stream;
        return wait;
    }
    wait.event = 0;
    if (given <= idle) return wait;
    wait.what = StreamWait::For::Host;
    // What the host was at for most of the time.
    double longest = 0;
    for (std::size_t at = host_.size(); at-- > 0;) {
        const Zone& zone = host_.zone(at);
        if (zone.end <= idle) break;
        const double inside = std::min(zone.end, given) - std::max(zone.start, idle);
        if (zone.id != event.id && inside > longest) {
            longest = inside;
            wait.event = zone.id;
        }
    }
    return wait;
}

}  // namespace loupe::views
