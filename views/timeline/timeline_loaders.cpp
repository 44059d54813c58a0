// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the timeline for loaders of data, and the place where an edited source took hold.
#include <algorithm>
#include <cmath>

#include "views/common/colour_map.h"
#include "views/common/format.h"
#include "views/common/theme.h"
#include "views/timeline/timeline_draw.h"

namespace loupe::views {
namespace {

using C = Theme::Colour;

constexpr double kSmallestBatch = 2.0;  // pixels: narrower zones are merged
constexpr double kNamedFrom = 16.0;     // pixels: wider ones have a label
constexpr std::size_t kMostLoaders = 17;
constexpr std::size_t kMostNamed = 6;  // more rows are low, without names

}  // namespace

double TimelineDrawing::loadersHeight() const {
    const std::size_t count = std::min(index_.loaders().size(), kMostLoaders);
    if (count == 0) return 0;
    return static_cast<double>(count) * (count > kMostNamed ? kWorker : kLoader) + 4;
}

void TimelineDrawing::addLoaders(std::vector<Row>& all, double& y) const {
    const std::size_t count = std::min(index_.loaders().size(), kMostLoaders);
    const bool is_low = count > kMostNamed;
    for (std::size_t i = 0; i < count; ++i) {
        const TimelineIndex::Loader& loader = index_.loaders()[i];
        QString label;
        if (!is_low)
            label = loader.is_loop ? QObject::tr("Loading") : QObject::tr("Loader %1").arg(loader.worker);
        else if (i == 0)
            label = QObject::tr("Loaders");
        Row row{&loader.lane, y, false, label};
        row.is_loader = true;
        row.height = is_low ? kWorker : kLoader;
        all.push_back(row);
        y += row.height;
    }
    if (count > 0) y += 4;
}

// Batches alternate between two tones; waiting is orange.
void TimelineDrawing::drawLoader(TimelineSurface& surface, const Row& row) {
    const QRgb panel = themeRgb(C::Panel);
    const double bottom = row.y + row.height - 2;
    row.lane->visit(state_.from, state_.to, kSmallestBatch / scale(), [&](const Lane::Piece& piece) {
        const double x0 = std::max(kGutter, xOf(piece.start));
        const double x1 = std::min(width_, std::max(xOf(piece.end), x0 + 1));
        if (x1 <= x0) return;
        ++boxes_;
        const session::LoadSpan& load = index_.loads()[row.lane->zone(piece.first).id];
        const bool waits = load.kind == data::LoadKind::Wait;
        const QRgb tone = waits ? themeRgb(C::Warning) : themeRgb(C::Accent);
        const double strength = piece.count > 1 ? 0.4 : waits ? 0.5 : load.batch % 2 == 0 ? 0.35 : 0.55;
        surface.box(x0, row.y, x1 - (x1 - x0 > 3 ? 1 : 0), bottom, mixed(panel, tone, strength));
        if (row.height < kLoader || x1 - x0 < kNamedFrom) return;
        QString label = piece.count > 1 ? countText(static_cast<std::int64_t>(piece.count))
                        : waits         ? QObject::tr("waits for %1").arg(load.batch)
                                        : QObject::tr("batch %1").arg(load.batch);
        if (piece.count == 1 && surface.textWidth(label) > x1 - x0 - 8) label = QString::number(load.batch);
        label = shortened(surface, label, x1 - x0 - 6);
        if (!label.isEmpty()) surface.text(x0 + 4, row.y, themeRgb(C::Text), label);
    });
}

QStringList TimelineDrawing::loadTip(const session::LoadSpan& load) const {
    const QString took = secondsText(load.end - load.start);
    QStringList lines;
    if (load.kind == data::LoadKind::Wait)
        lines << QObject::tr("Loading: waits for batch %1").arg(load.batch)
              << QObject::tr("%1 until loader %2 had it").arg(took).arg(load.worker);
    else if (load.kind == data::LoadKind::Loop)
        lines << QObject::tr("Loading: batch %1").arg(load.batch)
              << QObject::tr("%1, made by the loop itself: there are no workers").arg(took);
    else
        lines << QObject::tr("Loader %1: batch %2").arg(load.worker).arg(load.batch)
              << (load.kind == data::LoadKind::Worker
                      ? QObject::tr("%1, made ahead on a thread of its own").arg(took)
                      : QObject::tr("%1 on the engine's thread, when the loop asked for it: a source's own data set "
                                    "runs nowhere else, and its workers take turns")
                            .arg(took));
    if (!load.is_over) lines << QObject::tr("not over when the run was");
    if (load.start < 0) lines << QObject::tr("begun %1 before the run").arg(secondsText(-load.start));
    const bool has_passes =
        std::ranges::any_of(index_.loads(), [&](const session::LoadSpan& other) { return other.pass != load.pass; });
    if (has_passes) lines << QObject::tr("of pass %1 over data").arg(load.pass);
    return lines;
}

// What is right of the line ran with the edited source.
void TimelineDrawing::drawEdit(TimelineSurface& surface) {
    const session::EditStart* edit = index_.edit();
    if (edit == nullptr) return;
    const double x = xOf(index_.zoneOf(edit->event).start);
    if (x < kGutter || x > width_) return;
    const QRgb colour = Theme::instance().edited().rgb();
    for (const double each : {x, x + 1}) surface.line(each, kAxis, each, height_, colour);
    const QString label = QObject::tr("edit");
    const double wide = surface.textWidth(label) + 8;
    const double left = std::min(x, width_ - wide);
    surface.box(left, 2, left + wide, kAxis - 2, colour);
    surface.text(left + 4, 3, themeRgb(C::Panel), label);
}

}  // namespace loupe::views
