// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/trace_drawing.h"

#include <algorithm>
#include <cmath>

#include "views/common/format.h"

namespace loupe::views {
namespace {

using C = Theme::Colour;

constexpr double kTraceAxis = 20;
constexpr double kSmallest = 2.0;   // pixels: narrower zones are merged
constexpr double kTextFrom = 24.0;  // pixels: wider ones have a label
constexpr double kProcess = 18;     // room for the name of a process
constexpr double kApart = 7;        // between tracks
constexpr std::size_t kMostDrawn = 200;

}  // namespace

QString zoneLabel(const ProfileTrace& trace, const ProfileZone& zone) {
    const std::string_view name = trace.name_of(zone);
    return text(name.starts_with("aten::") ? name.substr(6) : name.starts_with("nn.Module: ") ? name.substr(11) : name);
}

QColor zoneColour(std::string_view name, std::string_view category) {
    const Theme& theme = Theme::instance();
    if (category == "cpu_op" || category == "operator" || category == "kernel") return theme.operatorKind(name);
    if (category == "python_function" || category == "Trace") return theme.colour(C::Faint);
    if (category == "user_annotation" || category == "gpu_user_annotation") return theme.colour(C::Accent);
    if (category == "module") return theme.series(1);
    if (category.starts_with("gpu_mem")) return theme.series(4);
    if (category.starts_with("cuda_")) return theme.series(6);
    return theme.series(0);
}

double TraceDrawing::scale() const {
    return std::max(10.0, width_ - kGutter) / std::max(1e-12, state_.to - state_.from);
}

std::vector<TraceDrawing::Row> TraceDrawing::rows() const {
    std::vector<Row> all;
    if (index_.trace() == nullptr) return all;
    double y = kTraceAxis + 4 - state_.top;
    for (const TraceIndex::Track& track : index_.tracks()) {
        const ProfileTrack& named = index_.trace()->tracks[track.number];
        QString above;
        if (track.begins_process) {
            above = text(named.process);
            y += kProcess;
        }
        const std::size_t depth = state_.folded.contains(track.number) ? 1 : track.depths.size();
        QString name = text(named.name);
        if (const session::StreamUse* use = index_.useOf(track.number))
            name += QStringLiteral("  %1 %").arg(use->share() * 100, 0, 'f', use->share() < 0.1 ? 1 : 0);
        for (std::size_t i = 0; i < depth; ++i) {
            all.push_back(
                {&track.depths[i], &track, nullptr, y, kRow, i == 0 ? name : QString(), i == 0 ? above : QString()});
            y += kRow;
        }
        y += kApart;
    }
    for (const TraceIndex::Counter& counter : index_.counters()) {
        all.push_back(
            {nullptr, nullptr, &counter, y, kCounter, text(index_.trace()->counters[counter.number].name), {}});
        y += kCounter + kApart;
    }
    return all;
}

double TraceDrawing::wantedHeight() const {
    const std::vector<Row> all = rows();
    return all.empty() ? 0 : all.back().y + all.back().height + 10 + state_.top;
}

double TraceDrawing::rowOf(std::uint32_t zone) const {
    const ProfileZone& wanted = index_.trace()->zones[zone];
    for (const Row& row : rows()) {
        if (row.track == nullptr || row.track->number != wanted.track) continue;
        const bool is_folded = state_.folded.contains(wanted.track);
        return row.y + state_.top - kTraceAxis + (is_folded ? 0 : wanted.depth * kRow);
    }
    return 0;
}

// --- drawing

void TraceDrawing::draw(TimelineSurface& surface) {
    boxes_ = 0;
    surface.box(0, 0, width_, height_, themeRgb(C::Panel));
    if (index_.trace() == nullptr) return;
    drawGrid(surface);
    const std::vector<Row> all = rows();
    for (const Row& row : all) {
        if (row.y + row.height < kTraceAxis || row.y > height_) continue;
        if (row.counter != nullptr)
            drawCounter(surface, row);
        else
            drawRow(surface, row);
    }
    drawLinks(surface);
    drawRange(surface);
    drawNames(surface, all);
    // Rows that are scrolled away pass below the axis.
    drawAxis(surface);
    drawTip(surface);
}

double TraceDrawing::axisStep(TimelineSurface& surface) const {
    const double longest = surface.textWidth(axisText(state_.to, niceStep(90 / scale())));
    return niceStep(std::max(90.0, longest + 20) / scale());
}

void TraceDrawing::drawGrid(TimelineSurface& surface) {
    const double step = axisStep(surface);
    for (double mark = std::max(0.0, std::ceil(state_.from / step)); mark * step < state_.to; ++mark) {
        const double x = xOf(mark * step);
        if (x >= kGutter) surface.line(x, kTraceAxis, x, height_, withAlpha(themeRgb(C::Grid), 200));
    }
}

void TraceDrawing::drawAxis(TimelineSurface& surface) {
    surface.box(0, 0, width_, kTraceAxis, themeRgb(C::Raised));
    const double step = axisStep(surface);
    for (double mark = std::max(0.0, std::ceil(state_.from / step)); mark * step < state_.to; ++mark) {
        const double x = xOf(mark * step);
        if (x < kGutter) continue;
        surface.line(x, kTraceAxis - 6, x, kTraceAxis, themeRgb(C::Faint));
        const QString label = axisText(mark * step, step);
        if (x + 4 + surface.textWidth(label) <= width_) surface.text(x + 4, 3, themeRgb(C::Faint), label);
    }
}

QRgb TraceDrawing::colourOf(const ProfileZone& zone) const {
    const ProfileTrace& trace = *index_.trace();
    const bool is_dark = Theme::instance().isDark();
    const bool is_python = trace.category_of(zone) == "python_function";
    double strength = is_python ? (is_dark ? 0.28 : 0.22) : (is_dark ? 0.55 : 0.45);
    if (!state_.found.empty() && !state_.found[zone.name]) strength *= 0.3;
    return mixed(themeRgb(C::Panel), zoneColour(trace.name_of(zone), trace.category_of(zone)).rgb(), strength);
}

// Is one of its zones searched for, or nothing?
bool TraceDrawing::isFound(const Lane& lane, const Lane::Piece& piece) const {
    if (state_.found.empty()) return true;
    const auto& zones = index_.trace()->zones;
    for (std::size_t i = piece.first; i < piece.first + piece.count; ++i)
        if (state_.found[zones[lane.zone(i).id].name]) return true;
    return false;
}

void TraceDrawing::drawRow(TimelineSurface& surface, const Row& row) {
    const ProfileTrace& trace = *index_.trace();
    const double bottom = row.y + row.height - 2;
    row.lane->visit(state_.from, state_.to, kSmallest / scale(), [&](const Lane::Piece& piece) {
        const double x0 = std::max(kGutter, xOf(piece.start));
        const double x1 = std::min(width_, std::max(xOf(piece.end), x0 + 1));
        if (x1 <= x0) return;
        ++boxes_;
        const std::uint32_t number = row.lane->zone(piece.first).id;
        const ProfileZone& zone = trace.zones[number];
        const bool is_merged = piece.count > 1;
        const QRgb colour = is_merged
                                ? mixed(themeRgb(C::Panel), themeRgb(C::Faint), isFound(*row.lane, piece) ? 0.5 : 0.15)
                                : colourOf(zone);
        surface.box(x0, row.y, x1 - (x1 - x0 > 3 ? 1 : 0), bottom, colour);
        if (!is_merged && state_.selected == number)
            surface.frame(x0 - 1, row.y - 1, x1 + 1, bottom + 1, themeRgb(C::Accent), 2);
        if (x1 - x0 < kTextFrom) return;
        const QString label = is_merged ? countText(static_cast<std::int64_t>(piece.count)) : zoneLabel(trace, zone);
        const QString cut = shortened(surface, label, x1 - x0 - 8);
        if (cut.size() > 1) surface.text(x0 + 4, row.y, themeRgb(C::Text), cut);
    });
}

void TraceDrawing::drawCounter(TimelineSurface& surface, const Row& row) {
    const double top = row.y + 2;
    const double bottom = row.y + row.height - 2;
    const Curve& curve = row.counter->curve;
    const int columns = static_cast<int>(width_ - kGutter) / 2;
    const std::vector<double> values = curve.sample(state_.from, state_.to, columns);
    const QRgb fill = mixed(themeRgb(C::Panel), themeRgb(C::Accent), 0.45);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] <= 0) continue;
        const double x = kGutter + 2.0 * static_cast<double>(i);
        surface.box(x, bottom - (bottom - top) * values[i] / curve.greatest(), x + 2, bottom, fill);
        ++boxes_;
    }
    surface.line(kGutter, bottom, width_, bottom, themeRgb(C::Border));
}

// From the selected zone to what it caused, and from what caused it.
void TraceDrawing::drawLinks(TimelineSurface& surface) {
    if (!state_.selected) return;
    const ProfileTrace& trace = *index_.trace();
    std::size_t drawn = 0;
    const auto middle = [&](std::uint32_t zone) { return kTraceAxis + rowOf(zone) - state_.top + kRow / 2; };
    for (const ProfileLink& link : trace.links) {
        if (link.from != *state_.selected && link.to != *state_.selected) continue;
        if (++drawn > kMostDrawn) break;
        const ProfileZone& from = trace.zones[link.from];
        const ProfileZone& to = trace.zones[link.to];
        const double x0 = std::clamp(xOf(std::min(from.end(), std::max(from.start, to.start))), kGutter, width_);
        const double x1 = std::clamp(xOf(to.start), kGutter, width_);
        const double y0 = middle(link.from);
        const double y1 = middle(link.to);
        surface.line(x0, y0, x1, y1, themeRgb(C::Accent));
        surface.box(x1 - 2, y1 - 2, x1 + 2, y1 + 2, themeRgb(C::Accent));
    }
}

// The gutter covers zones that extend to the left.
void TraceDrawing::drawNames(TimelineSurface& surface, const std::vector<Row>& all) {
    surface.box(0, kTraceAxis, kGutter - 1, height_, themeRgb(C::Panel));
    surface.line(kGutter - 1, kTraceAxis, kGutter - 1, height_, themeRgb(C::Border));
    for (const Row& row : all) {
        if (row.y + row.height < kTraceAxis - kProcess || row.y > height_ + kProcess) continue;
        if (!row.above.isEmpty()) surface.text(8, row.y - kProcess + 1, themeRgb(C::Text), row.above);
        if (row.label.isEmpty()) continue;
        const bool can_fold = row.track != nullptr && row.track->depths.size() > 1;
        const QString sign = !can_fold                                   ? QString()
                             : state_.folded.contains(row.track->number) ? QStringLiteral("+ ")
                                                                         : QStringLiteral("\u2013 ");
        surface.text(8, row.y + 1, themeRgb(C::Faint), shortened(surface, sign + row.label, kGutter - 14));
        if (row.counter == nullptr) continue;
        const double greatest = row.counter->curve.greatest();
        const bool is_bytes = index_.trace()->counters[row.counter->number].is_bytes;
        surface.text(8, row.y + 17, themeRgb(C::Text), is_bytes ? bytesText(greatest) : numberText(greatest));
    }
}

// What streams do of the selected stretch.
void TraceDrawing::drawRange(TimelineSurface& surface) {
    if (!state_.has_range) return;
    const double from = std::min(state_.range_from, state_.range_to);
    const double to = std::max(state_.range_from, state_.range_to);
    const double x0 = std::max(kGutter, xOf(from));
    const double x1 = std::min(width_, xOf(to));
    if (x1 > x0) {
        surface.box(x0, kTraceAxis, x1, height_, withAlpha(themeRgb(C::Accent), 36));
        surface.frame(x0, kTraceAxis, x1, height_ - 1, themeRgb(C::Accent), 1);
    }
    const ProfileTrace& trace = *index_.trace();
    QStringList lines{QObject::tr("%1 selected").arg(secondsText(to - from))};
    for (const TraceIndex::Track& each : index_.tracks()) {
        if (index_.useOf(each.number) == nullptr || lines.size() > 8) continue;
        const ProfileTrack& track = trace.tracks[each.number];
        const double busy = session::stream_busy(trace, track, from, to);
        lines << QObject::tr("%1: busy %2 (%3 %), idle %4")
                     .arg(text(track.name), secondsText(busy))
                     .arg(to > from ? busy / (to - from) * 100 : 0, 0, 'f', 1)
                     .arg(secondsText(std::max(0.0, to - from - busy)));
    }
    drawTipBox(surface, lines, width_, kTraceAxis, width_, height_);
}

// Of a stream: how far it is used.
void TraceDrawing::drawTrackTip(TimelineSurface& surface) {
    const auto track = trackNameAt(*state_.mouse_x, state_.mouse_y);
    if (!track) return;
    const ProfileTrack& named = index_.trace()->tracks[*track];
    QStringList lines{QStringLiteral("%1 \u00b7 %2").arg(text(named.process), text(named.name)),
                      counted(static_cast<std::int64_t>(named.count), "event")};
    if (const session::StreamUse* use = index_.useOf(*track)) {
        lines.last() = QObject::tr("%1 kernels, copies and fills in %2")
                           .arg(countText(static_cast<std::int64_t>(use->count)), secondsText(use->end - use->begin));
        lines << QObject::tr("busy %1 (%2 %), idle %3")
                     .arg(secondsText(use->busy))
                     .arg(use->share() * 100, 0, 'f', 1)
                     .arg(secondsText(use->idle()))
              << QObject::tr("longest gap %1, at %2").arg(secondsText(use->longest_gap), secondsText(use->gap_at));
        if (use->launch_to_start)
            lines << QObject::tr("begins %1 behind its launch, by the median").arg(secondsText(*use->launch_to_start));
    }
    drawTipBox(surface, lines, *state_.mouse_x, state_.mouse_y, width_, height_);
}

void TraceDrawing::drawTip(TimelineSurface& surface) {
    if (!state_.mouse_x || state_.mouse_y < kTraceAxis) return;
    if (*state_.mouse_x < kGutter) return drawTrackTip(surface);
    surface.line(*state_.mouse_x, kTraceAxis, *state_.mouse_x, height_, withAlpha(themeRgb(C::Text), 60));
    const auto found = hit(*state_.mouse_x, state_.mouse_y);
    if (!found) return;
    QStringList lines;
    const ProfileTrace& trace = *index_.trace();
    if (found->count > 1) {
        lines << QObject::tr("%1 events, %2")
                     .arg(countText(static_cast<std::int64_t>(found->count)), secondsText(found->end - found->start))
              << QObject::tr("zoom in to tell them apart");
    } else {
        const ProfileZone& zone = trace.zones[found->zone];
        lines << text(trace.name_of(zone)).left(110)
              << QStringLiteral("%1   %2").arg(secondsText(zone.duration), text(trace.category_of(zone)));
    }
    drawTipBox(surface, lines, *state_.mouse_x, state_.mouse_y, width_, height_);
}

std::optional<TraceDrawing::Hit> TraceDrawing::hit(double x, double y) const {
    if (x < kGutter || y < kTraceAxis || index_.trace() == nullptr) return std::nullopt;
    const double time = timeAt(x);
    for (const Row& row : rows()) {
        if (row.lane == nullptr || y < row.y || y > row.y + row.height) continue;
        std::optional<Hit> found;
        const double slack = 1.5 / scale();  // within a pixel
        row.lane->visit(state_.from, state_.to, kSmallest / scale(), [&](const Lane::Piece& piece) {
            if (time < piece.start - slack || time > piece.end + slack) return;
            found = Hit{row.lane->zone(piece.first).id, piece.count, piece.start, piece.end};
        });
        return found;
    }
    return std::nullopt;
}

std::optional<std::uint32_t> TraceDrawing::trackNameAt(double x, double y) const {
    if (x >= kGutter || y < kTraceAxis) return std::nullopt;
    for (const Row& row : rows())
        if (row.track != nullptr && y >= row.y && y <= row.y + row.height) return row.track->number;
    return std::nullopt;
}

}  // namespace loupe::views
