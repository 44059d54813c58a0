// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/timeline_draw.h"

#include <cmath>

#include "views/common/colour_map.h"
#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {
namespace {

using C = Theme::Colour;

constexpr double kSmallestEvent = 2.0;  // pixels: narrower zones are merged
constexpr double kTextFrom = 22.0;      // pixels: wider ones have a label
constexpr std::size_t kMostRows = 12;
constexpr std::size_t kMostWorkers = 16;
constexpr double kLabel = 14;        // pixels: of a row's name
constexpr double kMarks = 20;        // of the row of allocations
constexpr double kMostMemory = 180;  // pixels
constexpr double kLeastMemory = 42;  // room for its name and its peak

QRgb rgb(C role) { return themeRgb(role); }

}  // namespace

// --- layout

double TimelineDrawing::scale() const {
    const double span = std::max(1e-12, state_.to - state_.from);
    return std::max(10.0, width_ - kGutter) / span;
}

// Of operators: what the engine's thread did and what devices did, or where there are no devices forward and backward.
std::vector<const Lane*> TimelineDrawing::operatorLanes() const {
    std::vector<const Lane*> all;
    if (index_.streams().empty()) {
        all.push_back(&index_.forward());
        if (index_.backward().size() > 0) all.push_back(&index_.backward());
        return all;
    }
    all.push_back(&index_.host());
    for (const TimelineIndex::Stream& stream : index_.streams()) all.push_back(&stream.lane);
    return all;
}

std::vector<TimelineDrawing::Row> TimelineDrawing::rows() const {
    std::vector<Row> all;
    double y = kAxis + 4;
    // A low panel shows the outer calls: the operators and the memory stay in sight.
    const std::vector<const Lane*> lanes = operatorLanes();
    const double workers = static_cast<double>(std::min(index_.workers().size(), kMostWorkers)) * kWorker;
    const double others = static_cast<double>(lanes.size()) * (kRow + 4) + (workers > 0 ? workers + 4 : 0) +
                          loadersHeight() + kMarks + kLeastMemory;
    const double fit = std::floor((height_ - y - 6 - others) / kRow);
    const std::size_t most = static_cast<std::size_t>(std::clamp(fit, 1.0, static_cast<double>(kMostRows)));
    const std::size_t depth = std::min(index_.frames().size(), most);
    for (std::size_t i = 0; i < depth; ++i) {
        all.push_back({&index_.frames()[i], y, true, i == 0 ? QObject::tr("Modules") : QString()});
        y += kRow;
    }
    if (depth > 0) y += 6;
    const auto addReference = [&](const Lane& lane) {
        if (lane.size() == 0) return;
        all.push_back({&lane, y - 3, false, QObject::tr("reference"), true});
        y += kRow;
    };
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const QString label = lanes[i] == &index_.forward()    ? QObject::tr("Forward")
                              : lanes[i] == &index_.backward() ? QObject::tr("Backward")
                              : lanes[i] == &index_.host()     ? QObject::tr("Engine")
                                                               : text(index_.streams()[i - 1].name);
        all.push_back({lanes[i], y, false, label});
        y += kRow + 4;
        if (state_.reference != nullptr && lanes[i] == &index_.forward()) addReference(state_.reference->forward);
        if (state_.reference != nullptr && lanes[i] == &index_.backward()) addReference(state_.reference->backward);
    }
    if (state_.reference != nullptr && !index_.streams().empty()) {
        addReference(state_.reference->forward);
        addReference(state_.reference->backward);
    }
    addLoaders(all, y);
    for (std::size_t i = 0; i < std::min(index_.workers().size(), kMostWorkers); ++i) {
        all.push_back(
            {&index_.workers()[i], y, false, i == 0 ? QObject::tr("Workers") : QString(), false, true, kWorker});
        y += kWorker;
    }
    return all;
}

double TimelineDrawing::marksTop() const {
    const Row last = rows().back();
    return last.y + std::max(last.height, kLabel) + (last.is_worker ? 4 : 6);
}

double TimelineDrawing::memoryTop() const { return marksTop() + kMarks; }

double TimelineDrawing::wantedHeight() const { return memoryTop() + 70; }

// --- drawing

void TimelineDrawing::draw(TimelineSurface& surface) {
    boxes_ = 0;
    surface.box(0, 0, width_, height_, rgb(C::Panel));
    if (index_.forward().size() + index_.backward().size() == 0) {
        const QString message = QObject::tr("Nothing recorded yet: run the model (F5)");
        surface.text((width_ - surface.textWidth(message)) / 2, height_ / 2 - 8, rgb(C::Faint), message);
        return;
    }
    drawAxis(surface);
    for (const Row& row : rows()) drawRow(surface, row);
    drawMemoryMarks(surface);
    drawMemory(surface);
    drawEdit(surface);
    drawMarks(surface);
    drawGutter(surface);
    drawNote(surface);
    drawRange(surface);
    drawTip(surface);
}

// Covers parts that extend to the left.
void TimelineDrawing::drawGutter(TimelineSurface& surface) {
    surface.box(0, 0, kGutter - 1, height_, rgb(C::Panel));
    surface.line(kGutter - 1, 0, kGutter - 1, height_, rgb(C::Border));
    for (const Row& row : rows()) {
        // "cuda:0, stream 3" stands below its device.
        const QString label = row.label.section(QStringLiteral(", "), -1);
        surface.text(8, row.is_worker ? row.y - 2 : row.y + 2, rgb(C::Faint), label);
    }
    surface.text(8, marksTop() + 1, rgb(C::Faint), QObject::tr("Blocks"));
    surface.text(8, memoryTop() + 2, rgb(C::Faint), QObject::tr("Memory"));
    surface.text(8, memoryTop() + 18, rgb(C::Text), bytesText(index_.memory().greatest()));
}

// Which runs the times are of.
QString TimelineDrawing::note() const {
    if (index_.isWarm()) return QObject::tr("warm: median of %1").arg(counted(index_.warm()->repeats, "run"));
    const QString first = QObject::tr("times of a first run");
    return index_.setupSeconds() > 0
               ? first + QObject::tr("; hatched: %1 of set-up").arg(secondsText(index_.setupSeconds()))
               : first;
}

double TimelineDrawing::noteLeft(TimelineSurface& surface) const {
    const double buttons = width_ - 8 - state_.note_right;
    const double left = buttons - surface.textWidth(note()) - 2;
    return left < kGutter + 40 ? buttons : left;
}

void TimelineDrawing::drawNote(TimelineSurface& surface) {
    const double left = noteLeft(surface);
    if (left < width_ - 8 - state_.note_right)
        surface.text(left, 3, rgb(index_.isWarm() ? C::Good : C::Warning), note());
}

// Hatched, so that it differs from the operator's time in grey too.
void TimelineDrawing::drawSetup(TimelineSurface& surface, double x0, double x1, double top, double bottom) {
    if (x1 - x0 < 1) return;
    surface.box(x0, top, x1, bottom, mixed(rgb(C::Panel), rgb(C::Faint), 0.3));
    constexpr double kStep = 6;
    const double high = bottom - top;
    for (double x = x0 - high; x < x1; x += kStep) {
        const double from = std::max(x, x0);
        const double to = std::min(x + high, x1);
        if (to > from) surface.line(from, bottom - (from - x), to, bottom - (to - x), withAlpha(rgb(C::Text), 130));
    }
    boxes_ += 1;
}

void TimelineDrawing::drawAxis(TimelineSurface& surface) {
    surface.box(kGutter, 0, width_, kAxis, rgb(C::Raised));
    constexpr double kApart = 20;
    const double longest = surface.textWidth(axisText(state_.to, niceStep(90 / scale())));
    const double step = niceStep(std::max(90.0, longest + kApart) / scale());
    const double end = noteLeft(surface) - 6;
    for (double mark = std::max(0.0, std::ceil(state_.from / step)); mark * step < state_.to; ++mark) {
        const double x = xOf(mark * step);
        surface.line(x, kAxis - 6, x, height_, withAlpha(rgb(C::Grid), 200));
        const QString label = axisText(mark * step, step);
        // A number that the gutter or the note would cover is left out.
        if (x + 4 >= kGutter && x + 4 + surface.textWidth(label) <= end) surface.text(x + 4, 3, rgb(C::Faint), label);
    }
}

ReferenceTimes referenceTimes(const TimelineIndex& index, std::shared_ptr<const session::RunDifferences> differences) {
    ReferenceTimes out;
    if (differences == nullptr || index.recording() == nullptr || index.end() <= 0) return out;
    const session::Recording& recording = *index.recording();
    const auto& events = differences->reference_events;
    out.ratios.assign(events.size() + 1, 0.0);
    out.own.assign(events.size() + 1, 0);
    // Each phase begins where it does here.
    double shift[2] = {};
    bool is_begun[2] = {};
    for (const auto& row : differences->events) {
        if (row.here == 0 || row.here > recording.event_count()) continue;
        const Zone own = index.zoneOf(row.here);
        const bool is_backward = recording.event(row.here).phase != session::RunPhase::Forward;
        if (row.there == 0) continue;
        const session::ReferenceEvent& other = events[row.there - 1];
        if (!is_begun[is_backward]) shift[is_backward] = own.start - other.start;
        is_begun[is_backward] = true;
        out.own[row.there] = row.here;
        const double seconds = own.end - own.start - own.setup;
        if (other.seconds > 0) out.ratios[row.there] = seconds / other.seconds;
        out.memory.add(own.end, static_cast<double>(other.memory_after));
    }
    double last[2] = {-1e300, -1e300};
    for (std::size_t i = 0; i < events.size(); ++i) {
        const bool is_backward = events[i].phase != session::RunPhase::Forward;
        const double start = std::max(last[is_backward], events[i].start + shift[is_backward]);
        Zone zone;
        zone.start = start;
        zone.end = last[is_backward] = start + events[i].seconds;
        zone.id = static_cast<std::uint32_t>(i + 1);
        (is_backward ? out.backward : out.forward).add(zone);
    }
    out.differences = std::move(differences);
    return out;
}

// Orange where this run is slower, green where it is faster, by more than a quarter.
void TimelineDrawing::drawReference(TimelineSurface& surface, const Row& row) {
    const QRgb panel = rgb(C::Panel);
    const double bottom = row.y + kRow - 4;
    row.lane->visit(state_.from, state_.to, kSmallestEvent / scale(), [&](const Lane::Piece& piece) {
        const double x0 = std::max(kGutter, xOf(piece.start));
        const double x1 = std::min(width_, std::max(xOf(piece.end), x0 + 1));
        if (x1 <= x0) return;
        ++boxes_;
        const Zone& zone = row.lane->zone(piece.first);
        const double ratio = piece.count > 1 ? 1 : state_.reference->ratios[zone.id];
        const QRgb tone = ratio > 1.25 ? rgb(C::Warning) : ratio > 0 && ratio < 0.8 ? rgb(C::Good) : rgb(C::Faint);
        surface.box(x0, row.y, x1 - (x1 - x0 > 3 ? 1 : 0), bottom, mixed(panel, tone, 0.4));
        if (x1 - x0 < kTextFrom) return;
        QString label = piece.count > 1 ? countText(static_cast<std::int64_t>(piece.count))
                                        : shortOpName(state_.reference->differences->reference_events[zone.id - 1].op);
        if (piece.count == 1 && ratio > 0) label += QStringLiteral("  \u00d7%1").arg(ratio, 0, 'g', 2);
        label = shortened(surface, label, x1 - x0 - 8);
        if (label.size() > 2) surface.text(x0 + 4, row.y + 1, rgb(C::Text), label);
    });
}

void TimelineDrawing::drawWorkers(TimelineSurface& surface, const Row& row) {
    const QRgb panel = rgb(C::Panel);
    row.lane->visit(state_.from, state_.to, kSmallestEvent / scale(), [&](const Lane::Piece& piece) {
        const double x0 = std::max(kGutter, xOf(piece.start));
        const double x1 = std::min(width_, std::max(xOf(piece.end), x0 + 1));
        if (x1 <= x0) return;
        ++boxes_;
        const session::Event& event = index_.recording()->event(row.lane->zone(piece.first).id);
        const QRgb colour = piece.count > 1 ? rgb(C::Faint) : Theme::instance().operatorKind(event.op).rgb();
        surface.box(x0, row.y, x1, row.y + kWorker - 2, mixed(panel, colour, 0.6));
    });
}

// Upwards what was allocated, downwards what was let go of, as high as the root of its bytes.
void TimelineDrawing::drawMemoryMarks(TimelineSurface& surface) {
    const double top = marksTop();
    const double middle = std::floor(top + (kMarks - 4) / 2);
    const double reach = (kMarks - 4) / 2;
    const auto most =
        static_cast<double>(std::max<std::int64_t>({1, index_.allocated().greatest(), index_.freed().greatest()}));
    for (const MemoryMarks* marks : {&index_.allocated(), &index_.freed()}) {
        const bool is_up = marks == &index_.allocated();
        const QRgb colour = rgb(is_up ? C::Accent : C::Warning);
        marks->lane().visit(state_.from, state_.to, kSmallestEvent / scale(), [&](const Lane::Piece& piece) {
            const double x0 = std::max(kGutter, xOf(piece.start) - 0.5);
            const double x1 = std::min(width_, std::max(xOf(piece.end), x0 + 1.5));
            if (x1 <= x0) return;
            ++boxes_;
            const double share = std::sqrt(std::min(1.0, static_cast<double>(marks->bytes(piece)) / most));
            const double high = std::max(1.0, reach * share);
            surface.box(x0, is_up ? middle - high : middle + 1, x1, is_up ? middle : middle + 1 + high, colour);
        });
    }
    surface.line(kGutter, middle, width_, middle, rgb(C::Border));
}

// From where the host gave an event to where its device began it.
void TimelineDrawing::drawLaunch(TimelineSurface& surface, session::EventId id) {
    const Zone* launch = index_.launchOf(id);
    if (launch == nullptr) return;
    const Zone work = index_.zoneOf(id);
    const std::string_view device = index_.recording()->event(id).device.device;
    double from = 0, to = 0;
    const std::vector<Row> all = rows();
    for (const Row& row : all) {
        if (row.lane == &index_.host()) from = row.y + kRow - 2;
        for (const TimelineIndex::Stream& stream : index_.streams())
            if (row.lane == &stream.lane && stream.name == device) to = row.y;
    }
    const double x0 = std::clamp(xOf(launch->end), kGutter, width_);
    const double x1 = std::clamp(xOf(work.start), kGutter, width_);
    if (to <= from) return;
    surface.line(x0, from, x1, to, rgb(C::Accent));
    surface.line(x0 + 1, from, x1 + 1, to, rgb(C::Accent));
    surface.box(x1 - 2, to - 3, x1 + 3, to, rgb(C::Accent));
}

void TimelineDrawing::drawRow(TimelineSurface& surface, const Row& row) {
    if (row.is_reference) return drawReference(surface, row);
    if (row.is_worker) return drawWorkers(surface, row);
    if (row.is_loader) return drawLoader(surface, row);
    const session::Recording& recording = *index_.recording();
    const QRgb panel = rgb(C::Panel);
    const QRgb text_colour = rgb(C::Text);
    const double strength = Theme::instance().isDark() ? 0.55 : 0.45;
    const double bottom = row.y + kRow - 2;
    drawWaits(surface, row);
    row.lane->visit(state_.from, state_.to, kSmallestEvent / scale(), [&](const Lane::Piece& piece) {
        const double x0 = std::max(kGutter, xOf(piece.start));
        const double x1 = std::min(width_, std::max(xOf(piece.end), x0 + 1));
        if (x1 <= x0) return;
        ++boxes_;
        const Zone& zone = row.lane->zone(piece.first);
        QRgb colour = rgb(C::Faint);
        QString label;
        const bool wide = x1 - x0 >= kTextFrom;
        if (piece.count > 1) {
            colour = mixed(panel, rgb(C::Faint), 0.55);
            if (wide) label = countText(static_cast<std::int64_t>(piece.count));
        } else if (row.is_frames) {
            const session::Frame& frame = recording.frame(zone.id);
            const bool is_backward = (zone.colour & TimelineIndex::kBackward) != 0;
            const QColor base = is_backward ? Theme::instance().phase(session::RunPhase::Backward)
                                            : Theme::instance().series(static_cast<int>(zone.colour));
            colour = mixed(panel, base.rgb(), 0.30 + 0.12 * (zone.id % 2));
            if (wide) {
                const auto dot = frame.scope.rfind('.');
                label = frame.scope.empty()
                            ? (frame.class_name.empty() ? scopeText(frame.scope) : views::text(frame.class_name))
                            : views::text(dot == std::string_view::npos ? frame.scope : frame.scope.substr(dot + 1));
                if (!frame.scope.empty() && x1 - x0 > 120)
                    label += QStringLiteral("  ") + views::text(frame.class_name);
            }
        } else {
            const session::Event& event = recording.event(zone.id);
            const bool bad = session::is_origin(event.not_finite) || event.failed;
            const bool passes = event.not_finite == session::NotFinite::PassedOn;
            colour = bad      ? rgb(C::Bad)
                     : passes ? mixed(panel, rgb(C::Bad), 0.5)
                     : event.device.launch > 0 && isCopy(event.op)
                         ? mixed(panel, copyColour(), strength)
                         : mixed(panel, Theme::instance().operatorKind(event.op).rgb(), strength);
            if (wide) label = shortOpName(event.op);
        }
        const double gap = x1 - x0 > 3 ? 1 : 0;
        surface.box(x0, row.y, x1 - gap, bottom, colour);
        double textFrom = x0;
        if (piece.count == 1 && zone.setup > 0) {
            textFrom = std::clamp(xOf(zone.start + zone.setup), x0, x1 - gap);
            drawSetup(surface, x0, textFrom, row.y, bottom);
        }
        if (label.isEmpty()) return;
        // Where set-up leaves no room the name is drawn over it.
        if (x1 - textFrom < kTextFrom) {
            textFrom = x0;
            const double wide_label = std::min(surface.textWidth(label), x1 - x0 - 8);
            surface.box(x0 + 2, row.y + 1, x0 + wide_label + 6, bottom - 1, panel);
        }
        const double room = x1 - textFrom - 8;
        label = shortened(surface, label, room);
        if (label.size() > 2 || piece.count > 1) surface.text(textFrom + 4, row.y + 2, text_colour, label);
    });
}

void TimelineDrawing::drawMemory(TimelineSurface& surface) {
    const double top = memoryTop();
    const double bottom = std::clamp(height_ - 8, top + 20, top + kMostMemory);
    const int columns = static_cast<int>(width_ - kGutter);
    const double own_most = std::max(1.0, index_.memory().greatest());
    const double most =
        state_.reference != nullptr ? std::max(own_most, state_.reference->memory.greatest()) : own_most;
    const QRgb fill = withAlpha(rgb(C::Accent), 90);
    const auto samples = index_.memory().sample(state_.from, state_.to, columns);
    // Equal columns are one box.
    for (std::size_t i = 0; i < samples.size();) {
        std::size_t next = i + 1;
        while (next < samples.size() && samples[next] == samples[i]) ++next;
        if (samples[i] > 0) {
            const double y = bottom - (bottom - top) * samples[i] / most;
            const double x0 = kGutter + static_cast<double>(i);
            const double x1 = kGutter + static_cast<double>(next);
            surface.box(x0, y, x1, bottom, fill);
            surface.box(x0, y, x1, y + 1, rgb(C::Accent));
            ++boxes_;
        }
        i = next;
    }
    drawReferenceMemory(surface, top, bottom, most);
    surface.line(kGutter, bottom, width_, bottom, rgb(C::Border));
}

// A line over the boxes of this run.
void TimelineDrawing::drawReferenceMemory(TimelineSurface& surface, double top, double bottom, double most) {
    if (state_.reference == nullptr || state_.reference->memory.size() == 0) return;
    const auto samples = state_.reference->memory.sample(state_.from, state_.to, static_cast<int>(width_ - kGutter));
    double last = -1;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const double value = samples[i] > 0 ? samples[i] : last;
        if (value < 0) continue;
        const double y = bottom - (bottom - top) * value / most;
        const double x = kGutter + static_cast<double>(i);
        if (last >= 0 && last != value) surface.line(x, bottom - (bottom - top) * last / most, x, y, rgb(C::Warning));
        surface.line(x, y, x + 1, y, rgb(C::Warning));
        last = value;
    }
}

void TimelineDrawing::drawMarks(TimelineSurface& surface) {
    const session::Recording& recording = *index_.recording();
    const auto mark = [&](session::EventId id, QRgb colour) {
        if (id == 0 || id > recording.event_count()) return;
        const session::Event& event = recording.event(id);
        const Zone zone = index_.zoneOf(id);
        const double x0 = xOf(zone.start);
        const double x1 = std::max(xOf(zone.end), x0 + 2);
        if (x1 >= kGutter && x0 <= width_)
            surface.line((x0 + x1) / 2, kAxis, (x0 + x1) / 2, height_, withAlpha(colour, 150));
        const auto box = [&](const Row& row, const Zone& at) {
            const double left = xOf(at.start);
            const double right = std::max(xOf(at.end), left + 2);
            if (right < kGutter || left > width_) return;
            surface.frame(left - 1, row.y - 1, right + 1, row.y + kRow - 1, colour, 2);
        };
        const Zone* launch = index_.launchOf(id);
        for (const Row& row : rows()) {
            if (row.is_frames || row.is_reference || row.is_worker || row.is_loader) continue;
            if (row.lane == &index_.host()) {
                if (launch != nullptr)
                    box(row, *launch);
                else if (event.device.launch <= 0)
                    box(row, zone);
            } else if (index_.streams().empty()) {
                if ((row.lane == &index_.forward()) == (event.phase == session::RunPhase::Forward)) box(row, zone);
            } else if (event.device.launch > 0 && row.label == text(event.device.device)) {
                box(row, zone);
            }
        }
        drawLaunch(surface, id);
    };
    mark(state_.reached, rgb(C::Reached));
    mark(state_.current, rgb(C::Accent));
}

void TimelineDrawing::drawRange(TimelineSurface& surface) {
    if (!state_.has_range) return;
    const double from = std::min(state_.range_from, state_.range_to);
    const double to = std::max(state_.range_from, state_.range_to);
    const double x0 = std::max(kGutter, xOf(from));
    const double x1 = std::min(width_, xOf(to));
    if (x1 > x0) {
        surface.box(x0, kAxis, x1, height_, withAlpha(rgb(C::Accent), 36));
        surface.frame(x0, kAxis, x1, height_ - 1, rgb(C::Accent), 1);
    }
    const TimelineStatistics statistics = index_.statistics(from, to);
    QStringList lines{QObject::tr("%1 selected, %2, %3 busy")
                          .arg(secondsText(to - from), counted(static_cast<std::int64_t>(statistics.count), "event"),
                               secondsText(statistics.seconds))};
    if (statistics.waited > 0) lines << QObject::tr("waited %1 for data").arg(secondsText(statistics.waited));
    for (const auto& stream : statistics.streams)
        lines << QObject::tr("%1 busy %2, idle %3")
                     .arg(text(stream.name), secondsText(stream.busy),
                          secondsText(std::max(0.0, to - from - stream.busy)));
    for (const auto& kind : statistics.kinds) {
        if (lines.size() > 8) break;
        lines << QStringLiteral("%1  %2x %3")
                     .arg(secondsText(kind.seconds), countText(static_cast<std::int64_t>(kind.count)),
                          shortOpName(kind.op));
    }
    double wide = 0;
    for (const QString& line : lines) wide = std::max(wide, surface.textWidth(line));
    const double left = width_ - wide - 26;
    const double high = 16.0 * static_cast<double>(lines.size()) + 10;
    surface.box(left, kAxis + 6, width_ - 8, kAxis + 6 + high, withAlpha(rgb(C::Raised), 240));
    surface.frame(left, kAxis + 6, width_ - 8, kAxis + 6 + high, rgb(C::Border), 1);
    double y = kAxis + 11;
    for (const QString& line : lines) {
        surface.text(left + 8, y, y < kAxis + 12 ? rgb(C::Text) : rgb(C::Faint), line);
        y += 16;
    }
}

void TimelineDrawing::drawTip(TimelineSurface& surface) {
    if (!state_.mouse_x || *state_.mouse_x < kGutter) return;
    const double x = *state_.mouse_x;
    surface.line(x, kAxis, x, height_, withAlpha(rgb(C::Text), 60));
    const session::Recording& recording = *index_.recording();
    QStringList lines;
    if (const auto found = hit(x, state_.mouse_y)) {
        if (found->count > 1) {
            lines << QObject::tr("%1 zones, %2")
                         .arg(countText(static_cast<std::int64_t>(found->count)),
                              secondsText(found->end - found->start))
                  << QObject::tr("zoom in to tell them apart");
        } else if (found->frame != 0) {
            const session::Frame& frame = recording.frame(found->frame);
            lines << QStringLiteral("%1  %2").arg(scopeText(frame.scope), text(frame.class_name));
            lines << secondsText(found->end - found->start) +
                         (found->is_backward ? QObject::tr(" in backward") : QString());
        } else if (found->load != nullptr) {
            lines = loadTip(*found->load);
        } else {
            lines = eventTip(found->event);
        }
    } else {
        lines = marksTip();
        if (lines.isEmpty()) lines = waitTip();
        if (lines.isEmpty()) return;
    }
    drawTipBox(surface, lines, x, state_.mouse_y, width_, height_);
}

QStringList TimelineDrawing::eventTip(session::EventId id) const {
    const session::Recording& recording = *index_.recording();
    const session::Event& event = recording.event(id);
    QStringList lines{QStringLiteral("#%1  %2").arg(event.id).arg(text(event.op)), scopeText(event.scope),
                      secondsText(event.duration)};
    if (const session::OperatorTime* warm = index_.isWarm() ? index_.warm()->of(event.id) : nullptr) {
        lines.last() = QObject::tr("%1 warm, half of the runs between %2 and %3")
                           .arg(secondsText(warm->median), secondsText(warm->low), secondsText(warm->high));
    }
    if (!event.outputs.empty() && event.outputs.front() != 0)
        lines.last() += QStringLiteral("   ") + shapeText(recording.value(event.outputs.front()).shape);
    if (index_.isWarm()) return lines;
    if (const Zone* launch = index_.launchOf(id)) {
        const double gap = event.start - launch->end;
        lines << QObject::tr("launched in %1").arg(secondsText(event.device.launch)) +
                     (gap >= 0 ? QObject::tr("; %1 begins %2 later").arg(text(event.device.device), secondsText(gap))
                               : QObject::tr("; %1 begins while it is launched").arg(text(event.device.device)));
    }
    if (event.device.fell_back) lines << text(event.device.text());
    if (!event.workers.empty()) {
        double busy = 0;
        for (const session::WorkerSpan& span : event.workers) busy += span.end - span.start;
        lines << QObject::tr("other threads: %1 in its loops").arg(secondsText(busy));
    }
    if (const double setup = event.setup.total(); setup > 0)
        lines << QObject::tr("set-up apart: %1").arg(text(event.setup.text()));
    if (event.is_cold) lines << QObject::tr("first recorded call of its kernel");
    if (const session::EditStart* edit = index_.edit(); edit != nullptr && edit->event == id) lines << editText(*edit);
    return lines;
}

// Of the blocks at the mouse.
QStringList TimelineDrawing::marksTip() const {
    const double y = state_.mouse_y - marksTop();
    if (y < 0 || y > kMarks) return {};
    QStringList lines;
    const double time = timeAt(*state_.mouse_x);
    const double slack = 2.5 / scale();
    for (const MemoryMarks* marks : {&index_.allocated(), &index_.freed()}) {
        marks->lane().visit(state_.from, state_.to, kSmallestEvent / scale(), [&](const Lane::Piece& piece) {
            if (time < piece.start - slack || time > piece.end + slack) return;
            const QString what = QStringLiteral("%1, %2").arg(
                counted(static_cast<std::int64_t>(marks->count(piece)), "block"), bytesText(marks->bytes(piece)));
            const session::Event& event = index_.recording()->event(marks->lane().zone(piece.first).id);
            const QString line = marks == &index_.allocated() ? QObject::tr("allocated: %1").arg(what)
                                                              : QObject::tr("freed: %1").arg(what);
            lines << (piece.count > 1
                          ? line + QObject::tr(", of %1").arg(counted(static_cast<std::int64_t>(piece.count), "event"))
                          : line + QStringLiteral("   #%1 %2").arg(event.id).arg(shortOpName(event.op)));
        });
    }
    while (lines.size() > 8) lines.removeLast();
    return lines;
}

std::optional<TimelineHit> TimelineDrawing::hit(double x, double y) const {
    if (x < kGutter || index_.recording() == nullptr) return std::nullopt;
    const double time = timeAt(x);
    for (const Row& row : rows()) {
        if (y < row.y || y > row.y + row.height) continue;
        std::optional<TimelineHit> found;
        // The zone at that position, within a pixel.
        const double slack = 1.5 / scale();
        row.lane->visit(state_.from, state_.to, kSmallestEvent / scale(), [&](const Lane::Piece& piece) {
            if (time < piece.start - slack || time > piece.end + slack) return;
            const Zone& zone = row.lane->zone(piece.first);
            const bool is_backward = row.is_frames && (zone.colour & TimelineIndex::kBackward) != 0;
            if (row.is_loader) {
                found = TimelineHit{0, 0, piece.count, piece.start, piece.end, false, &index_.loads()[zone.id]};
                return;
            }
            const session::EventId event = row.is_reference ? state_.reference->own[zone.id] : zone.id;
            if (event == 0) return;
            found = TimelineHit{row.is_frames ? 0 : event,
                                row.is_frames ? zone.id : 0,
                                piece.count,
                                piece.start,
                                piece.end,
                                is_backward,
                                nullptr};
        });
        return found;
    }
    return std::nullopt;
}

}  // namespace loupe::views
