// SPDX-License-Identifier: GPL-3.0-or-later
// Where streams of devices had nothing to do, and what they waited for.
#include <algorithm>

#include "views/common/format.h"
#include "views/common/theme.h"
#include "views/timeline/timeline_draw.h"

namespace loupe::views {

QRgb copyColour() { return Theme::instance().series(5).rgb(); }

namespace {

QRgb waitColour(StreamWait::For what) {
    switch (what) {
        case StreamWait::For::Copy:
            return copyColour();
        case StreamWait::For::Stream:
            return themeRgb(Theme::Colour::Accent);
        case StreamWait::For::Host:
            return themeRgb(Theme::Colour::Warning);
        case StreamWait::For::Unknown:
            break;
    }
    return themeRgb(Theme::Colour::Border);
}

}  // namespace

// Where a stream had nothing to do: a line in the colour of what it waited for.
void TimelineDrawing::drawWaits(TimelineSurface& surface, const Row& row) {
    constexpr double kSmallest = 3;  // pixels
    for (const TimelineIndex::Stream& stream : index_.streams()) {
        if (row.lane != &stream.lane) continue;
        const auto first = std::ranges::lower_bound(stream.waits, state_.from, {}, &StreamWait::to);
        for (auto wait = first; wait != stream.waits.end() && wait->from < state_.to; ++wait) {
            const double x0 = std::max(kGutter, xOf(wait->from)), x1 = std::min(width_, xOf(wait->to));
            if (x1 - x0 < kSmallest) continue;
            const double middle = row.y + (kRow - 2) / 2;
            surface.box(x0 + 1, middle - 1, x1 - 1, middle + 1, waitColour(wait->what));
        }
    }
}

// Of the idle time of a stream at the mouse.
QStringList TimelineDrawing::waitTip() const {
    const double time = timeAt(*state_.mouse_x);
    for (const Row& row : rows()) {
        if (state_.mouse_y < row.y || state_.mouse_y > row.y + row.height) continue;
        for (const TimelineIndex::Stream& stream : index_.streams()) {
            if (row.lane != &stream.lane) continue;
            const auto wait = std::ranges::lower_bound(stream.waits, time, {}, &StreamWait::to);
            if (wait == stream.waits.end() || wait->from > time) return {};
            QStringList lines{QObject::tr("%1 idle for %2").arg(text(stream.name), secondsText(wait->seconds()))};
            const session::Event* const event = wait->event != 0 ? &index_.recording()->event(wait->event) : nullptr;
            const QString name =
                event == nullptr ? QString() : QStringLiteral("#%1 %2").arg(event->id).arg(shortOpName(event->op));
            switch (wait->what) {
                case StreamWait::For::Host:
                    lines << (event == nullptr ? QObject::tr("waits for the host")
                                               : QObject::tr("waits for the host, which is at %1").arg(name));
                    break;
                case StreamWait::For::Copy:
                    lines << QObject::tr("waits for the copy %1, %2").arg(name, text(event->device.device));
                    break;
                case StreamWait::For::Stream:
                    lines << QObject::tr("waits for %1, %2").arg(name, text(event->device.device));
                    break;
                case StreamWait::For::Unknown:
                    lines << QObject::tr("it had work: nothing that is recorded held it");
                    break;
            }
            return lines;
        }
    }
    return {};
}

}  // namespace loupe::views
