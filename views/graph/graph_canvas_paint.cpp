// SPDX-License-Identifier: GPL-3.0-or-later
// Painting of the canvas: boxes and lines at readable scales, tiles at smaller ones, and the legend.

#include <QPainter>
#include <QPainterPath>
#include <cmath>

#include "views/common/colour_map.h"
#include "views/common/format.h"
#include "views/graph/canvas_style.h"
#include "views/graph/graph_canvas.h"

namespace loupe::views {

using namespace canvas;

namespace {

constexpr double kFaint = 0.22;  // what is not on the path

}  // namespace

void GraphCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), colour(C::Panel));
    if (scene_.boxes.empty()) {
        painter.setPen(colour(C::Faint));
        painter.drawText(rect().adjusted(16, 0, -16, 0), Qt::AlignCenter | Qt::TextWordWrap, message_);
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setRenderHint(QPainter::TextAntialiasing);
    Range range;
    if (isFar()) {
        const GraphTiling tiling = tilingInSight();
        range = tileRange();
        paintTiles(painter, transform(), rect(), tiling, range, true);
        paintTileMarks(painter, tiling);
        paintSections(painter, transform(), tiling);
    } else {
        range = boxRange();
        painter.save();
        painter.setTransform(transform(), true);
        paintScene(painter,
                   QRectF(toScene({0, 0}), toScene({static_cast<double>(width()), static_cast<double>(height())})),
                   scale_);
        painter.restore();
    }
    const QRect minimap = minimapPlace();
    if (!minimap.isEmpty()) {
        const QRectF seen(toScene({0, 0}), toScene({static_cast<double>(width()), static_cast<double>(height())}));
        minimap_.paint(painter, minimap, scene_.size, seen, [this](QPainter& inside, const QTransform& onto) {
            const GraphTiling tiling = tileScene(scene_, onto);
            paintTiles(inside, onto, QRectF({-1e9, -1e9}, QSizeF(2e9, 2e9)), tiling, rangeOf(tiling), false);
        });
    }
    paintLegend(painter, range, {minimap.isEmpty() ? width() : minimap.left(), height()});
}

QRect GraphCanvas::minimapPlace() const {
    if (!minimap_shown_ || scene_.boxes.empty()) return {};
    const QRectF all = transform().mapRect(QRectF({}, scene_.size));
    if (QRectF(rect()).adjusted(-4, -4, 4, 4).contains(all)) return {};
    return GraphMinimap::place(size(), scene_.size);
}

void GraphCanvas::renderAll(QPainter& painter) {
    painter.setRenderHint(QPainter::Antialiasing);
    const int hovered = std::exchange(hovered_, kBorder);
    paintScene(painter, QRectF({-1e9, -1e9}, QSizeF(2e9, 2e9)), 1);
    hovered_ = hovered;
    painter.translate(-10, scene_.size.height());
    paintLegend(painter, boxRange(), {static_cast<int>(scene_.size.width()) + 20, kLegendHeight});
}

// --- far: tiles

void GraphCanvas::paintTiles(QPainter& painter, const QTransform& onto, const QRectF& clip, const GraphTiling& tiling,
                             const Range& range, bool has_text) const {
    painter.setRenderHint(QPainter::Antialiasing, false);
    const QColor back = Theme::instance().isDark() ? QColor(255, 255, 255, 9) : QColor(0, 0, 0, 9);
    for (const GraphTile& tile : tiling.tiles) {
        if (!tile.is_frame || !tile.rect.intersects(clip)) continue;
        painter.fillRect(tile.rect, back);
        if (tile.rect.width() < 6 || tile.rect.height() < 6) continue;
        painter.setPen(colour(C::Border));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(tile.rect);
    }
    paintTileLines(painter, onto, clip, tiling);
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (const GraphTile& tile : tiling.tiles) {
        if (tile.is_frame || !tile.rect.intersects(clip)) continue;
        painter.setOpacity(isOff(scene_.boxes[static_cast<std::size_t>(tile.box)]) ? kFaint : 1);
        paintTile(painter, tile, range, has_text);
    }
    painter.setOpacity(1);
}

void GraphCanvas::paintTile(QPainter& painter, const GraphTile& tile, const Range& range, bool has_text) const {
    const SceneBox& box = scene_.boxes[static_cast<std::size_t>(tile.box)];
    // A thin gap between neighbours, where possible.
    const QRectF rect = tile.rect.height() > 4 ? tile.rect.adjusted(0, 0.5, 0, -0.5) : tile.rect;
    const bool is_titled = has_text && rect.height() >= 12 && rect.width() >= 30;
    const GraphChange change = changeOf(box.node);
    const bool is_ghost = isGhost(box.node);
    const QColor fill = is_ghost ? colour(C::Panel) : colours_.tileColour(box.node, range, is_titled ? 0.45 : 0.85);
    painter.fillRect(rect, fill);
    if (change != GraphChange::None && rect.width() >= 5 && rect.height() >= 5) {
        painter.setPen(GraphColours::changePen(change, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    const bool is_mixed = box.node >= 0 && index_->holds(box.node) && index_->onlyOperator(box.node) < 0;
    if (is_mixed && colours_.isOfKinds()) {
        const QRectF below(rect.left(), rect.bottom() - 3, rect.width(), 3);
        colours_.paintShares(painter, is_titled ? below : rect, box.node);
    }
    if (!is_titled) return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(pixelFont(std::clamp(rect.height() * 0.62, 9.0, 12.0), false));
    painter.setPen(is_ghost ? colour(C::Faint) : colours_.isOfKinds() ? colour(C::Text) : readableOn(fill.rgb()));
    const QRectF inside = rect.adjusted(3, 0, -2, 0);
    painter.drawText(inside, Qt::AlignVCenter | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(box.title, Qt::ElideLeft, static_cast<int>(inside.width())));
    painter.setRenderHint(QPainter::Antialiasing, false);
}

// Denser lines are fainter; those inside a tile, and those no longer than a few pixels, are omitted.
void GraphCanvas::paintTileLines(QPainter& painter, const QTransform& onto, const QRectF& clip,
                                 const GraphTiling& tiling) const {
    constexpr double kShortest = 5;
    constexpr double kLaneWidth = 26;  // of the scene
    const auto is_hidden = [&](int group) {
        if (group < 0) return false;
        const auto found = scene_.box_of.find(group);
        if (found == scene_.box_of.end()) return false;
        const GraphTile* tile = tiling.of(found->second);
        return tile == nullptr || tile->box != found->second || !tile->is_frame;
    };
    const SceneBox* marked = current_ >= 0 ? boxFor(current_) : nullptr;
    QColor plain = blend(colour(C::Panel), colour(C::Text), 0.5);
    plain.setAlphaF(
        static_cast<float>(std::clamp(kLaneWidth * (isAcross() ? onto.m22() : onto.m11()) / 10, 0.12, 0.75)));
    painter.save();
    painter.setTransform(onto, true);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    const QRectF seen = onto.inverted().mapRect(clip);
    for (int pass = 0; pass < 2; ++pass) {  // marked ones above the others
        scene_.visitLines(seen, [&](const SceneLine& line) {
            const bool is_marked =
                (marked != nullptr && line.concerns(marked->node)) || (hovered_ != kBorder && line.concerns(hovered_));
            if (is_marked != (pass == 1) || is_hidden(line.group)) return;
            const QRectF bounds = onto.mapRect(line.bounds);
            if (!bounds.intersects(clip) ||
                bounds.width() + bounds.height() < kShortest + 8 * (onto.m11() + onto.m22()))
                return;
            QPen pen(is_marked ? colour(C::Accent) : plain,
                     is_marked ? 1.6 : std::min(1.0 + 0.25 * std::log2(line.count), 2.5));
            if (isGhost(line)) pen.setStyle(Qt::DotLine);
            pen.setCosmetic(true);
            painter.setOpacity(isOff(line) ? kFaint : 1);
            painter.setPen(pen);
            QPainterPath path(line.curve.front());
            for (std::size_t i = 1; i + 2 < line.curve.size(); i += 3)
                path.cubicTo(line.curve[i], line.curve[i + 1], line.curve[i + 2]);
            painter.drawPath(path);
        });
    }
    painter.restore();
}

void GraphCanvas::paintTileMarks(QPainter& painter, const GraphTiling& tiling) const {
    painter.setRenderHint(QPainter::Antialiasing);
    const auto tile_of = [&](const SceneBox* box) {
        return box == nullptr ? nullptr : tiling.of(static_cast<int>(box - scene_.boxes.data()));
    };
    painter.setBrush(Qt::NoBrush);
    for (const GraphTile& tile : tiling.tiles) {
        const SceneBox& box = scene_.boxes[static_cast<std::size_t>(tile.box)];
        if (tile.is_frame || !isTroubled(box)) continue;
        painter.setPen(QPen(colour(C::Bad), 1.5));
        painter.drawRect(tile.rect.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    std::set<const GraphTile*> matched;
    for (const int node : matches_) {
        if (const GraphTile* tile = tile_of(boxFor(node))) matched.insert(tile);
    }
    for (const GraphTile* tile : matched) {
        painter.setPen(QPen(colour(C::Warning), 2));
        painter.drawRect(tile->rect.adjusted(-1.5, -1.5, 1.5, 1.5));
    }
    const Marks marked = marks();
    if (const GraphTile* over = hovered_ != kBorder ? tile_of(scene_.find(hovered_)) : nullptr) {
        painter.setPen(QPen(colour(C::Accent), 1));
        painter.drawRect(over->rect.adjusted(-0.5, -0.5, 0.5, 0.5));
    }
    if (const GraphTile* tile = tile_of(marked.current)) {
        painter.setPen(QPen(colour(C::Accent), 2));
        painter.drawRect(tile->rect.adjusted(-1.5, -1.5, 1.5, 1.5));
    }
    painter.setPen(Qt::NoPen);
    if (const GraphTile* tile = tile_of(marked.reached)) {
        const QPointF tip(tile->rect.left() - 3, tile->rect.center().y());
        painter.setBrush(colour(C::Reached));
        painter.drawPolygon(QPolygonF({tip, tip - QPointF(10, 6), tip - QPointF(10, -6)}));
    }
    painter.setBrush(colour(C::Bad));
    for (const SceneBox* box : marked.breakpoints) {
        if (const GraphTile* tile = tile_of(box)) painter.drawEllipse(tile->rect.topLeft(), 4, 4);
    }
}

// Names of small boxes beside them: the outermost first, without overlaps. A bracket shows the extent of each.
void GraphCanvas::paintSections(QPainter& painter, const QTransform& onto, const GraphTiling& tiling) const {
    constexpr double kApart = 14;
    constexpr double kStep = 5;  // between brackets of one depth and the next
    constexpr int kDeepest = 2;
    constexpr double kLeastLength = 9;
    // Along the flow, and across it: names stand beside the tiles, or below them.
    const auto placed = [&](double across, double along) {
        return isAcross() ? QPointF(along, across) : QPointF(across, along);
    };
    const auto turned = [&](const QRectF& rect) {
        return isAcross() ? QRectF(rect.topLeft().transposed(), rect.size().transposed()) : rect;
    };
    const double side = turned(onto.mapRect(QRectF({}, scene_.size))).right() + 6;
    const double length = isAcross() ? width() : height() - 26.0;
    const double room = (isAcross() ? fittingHeight() : width()) - side - kStep * kDeepest - 12;
    if (room < 56) return;
    std::vector<const GraphTile*> order;
    for (const GraphTile& tile : tiling.tiles) {
        const SceneBox& box = scene_.boxes[static_cast<std::size_t>(tile.box)];
        const bool is_titled = !tile.is_frame && tile.rect.height() >= 12 && tile.rect.width() >= 30;
        const QRectF rect = turned(tile.rect);
        const bool is_seen = rect.bottom() > 0 && rect.top() < length;
        if (tile.depth <= kDeepest && box.node >= 0 && index_->holds(box.node) && !is_titled && is_seen &&
            rect.height() >= kLeastLength)
            order.push_back(&tile);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const GraphTile* a, const GraphTile* b) { return a->depth < b->depth; });
    std::set<double> taken;
    for (const GraphTile* tile : order) {
        const SceneBox& box = scene_.boxes[static_cast<std::size_t>(tile->box)];
        const QRectF rect = turned(tile->rect);
        const double begin = std::max(rect.top(), 2.0);
        const double end = std::min(rect.bottom(), length);
        const double x = side + kStep * (kDeepest - tile->depth);
        if (end - begin > 3) {
            painter.setPen(QPen(colour(C::Border), 1));
            painter.drawPolyline(QPolygonF(
                {placed(x - 3, begin + 1), placed(x, begin + 1), placed(x, end - 1), placed(x - 3, end - 1)}));
        }
        const auto is_taken = [&](double y) {
            const auto next = taken.lower_bound(y);
            return (next != taken.end() && *next - y < kApart) ||
                   (next != taken.begin() && y - *std::prev(next) < kApart);
        };
        // Beside its middle, or as near to it as there is room.
        double y = (begin + end) / 2;
        for (int away = 1; is_taken(y) && away * kApart < (end - begin) / 2; ++away) {
            for (const double other : {(begin + end) / 2 - away * kApart, (begin + end) / 2 + away * kApart}) {
                if (is_taken(y)) y = other;
            }
        }
        if (is_taken(y)) continue;
        taken.insert(y);
        painter.setFont(pixelFont(11, tile->depth == 0));
        painter.setPen(colour(tile->depth == 0 ? C::Text : C::Faint));
        const QString title =
            box.subtitle.isEmpty() ? box.title : QStringLiteral("%1  \u00b7  %2").arg(box.title, box.subtitle);
        const QString shown = painter.fontMetrics().horizontalAdvance(title) <= room
                                  ? title
                                  : painter.fontMetrics().elidedText(box.title, Qt::ElideRight, static_cast<int>(room));
        painter.save();
        painter.translate(placed(side + kStep * kDeepest + 7, y));
        if (isAcross()) painter.rotate(90);
        painter.drawText(QRectF(0, -8, room, 16), Qt::AlignVCenter | Qt::AlignLeft, shown);
        painter.restore();
    }
}

// --- near: boxes and lines

void GraphCanvas::paintScene(QPainter& painter, const QRectF& visible, double scale) {
    const Range range = boxRange();
    std::vector<const SceneBox*> seen;
    scene_.visitBoxes(visible, [&](int index) { seen.push_back(&scene_.boxes[static_cast<std::size_t>(index)]); });
    for (const SceneBox* box : seen) {
        if (box->is_open) paintBox(painter, *box, range);
    }
    paintLines(painter, visible, scale);
    for (const SceneBox* box : seen) {
        if (box->is_open) paintHeader(painter, *box, scale);
    }
    for (const SceneBox* box : seen) {
        if (box->is_open) continue;
        painter.setOpacity(isOff(*box) ? kFaint : 1);
        paintBox(painter, *box, range);
    }
    painter.setOpacity(1);
    if (scale >= kLabelScale) paintLabels(painter, visible, scale);
    const Marks marked = marks();
    for (const SceneBox* box : seen) paintMarks(painter, *box, marked, scale);
}

GraphCanvas::Marks GraphCanvas::marks() const {
    Marks found;
    if (current_ >= 0) found.current = boxFor(current_);
    if (reached_ >= 0) found.reached = boxFor(reached_);
    for (const int node : breakpoints_) {
        if (const SceneBox* box = boxFor(node)) found.breakpoints.insert(box);
    }
    return found;
}

// A NaN or Inf begins in it, or an error.
bool GraphCanvas::isTroubled(const SceneBox& box) const {
    return metrics() != nullptr && box.node >= 0 &&
           (session::is_origin(metrics()->of(box.node).not_finite) || metrics()->of(box.node).failed);
}

// A NaN or Inf goes through it.
bool GraphCanvas::passesTroubleOn(const SceneBox& box) const {
    return metrics() != nullptr && box.node >= 0 && metrics()->of(box.node).not_finite == session::NotFinite::PassedOn;
}

void GraphCanvas::paintBox(QPainter& painter, const SceneBox& box, const Range& range) {
    const double radius = box.is_open ? 7 : box.is_group ? 5 : box.node < 0 ? box.rect.height() / 2 : 4;
    if (box.is_open) {
        const bool dark = Theme::instance().isDark();
        QColor back = dark ? QColor(255, 255, 255, 9) : QColor(0, 0, 0, 9);
        painter.setBrush(back);
        painter.setPen(isGhost(box.node) ? GraphColours::changePen(GraphChange::Removed, 1.2)
                                         : QPen(colour(C::Border), 1.0));
        painter.drawRoundedRect(box.rect, radius, radius);
        return;
    }
    const bool is_ghost = isGhost(box.node);
    const QColor fill = is_ghost ? colour(C::Panel) : fillOf(box, range);
    painter.setBrush(fill);
    QColor edge = colours_.isOfKinds() && box.node >= 0
                      ? blend(fill, Theme::instance().family(colours_.familyOf(box.node)), 0.55)
                      : blend(fill, colour(C::Text), 0.25);
    painter.setPen(is_ghost ? GraphColours::changePen(GraphChange::Removed, 1.5) : QPen(edge, 1.0));
    if (box.is_group) {
        // A closed group is drawn as a stack of cards.
        painter.save();
        painter.setBrush(blend(fill, colour(C::Panel), 0.45));
        painter.drawRoundedRect(box.rect.adjusted(4, 3, 3, 3), radius, radius);
        painter.restore();
    }
    painter.drawRoundedRect(box.rect, radius, radius);
    paintChange(painter, box, radius);
    if (box.is_group && colours_.isOfKinds() && !is_ghost)
        colours_.paintShares(painter, QRectF(box.rect.left() + 4, box.rect.bottom() - 3, box.rect.width() - 8, 2),
                             box.node);
    const bool own_colour = !is_ghost && !colours_.isOfKinds() && fill != colour(C::Raised);
    const QColor pen = is_ghost ? colour(C::Faint) : own_colour ? readableOn(fill.rgb()) : colour(C::Text);
    painter.setPen(pen);
    painter.setFont(pixelFont(12.5, true));
    QRectF inside = box.rect.adjusted(8, 0, -8, 0);
    const bool two_lines = !box.subtitle.isEmpty();
    const QRectF top = two_lines ? QRectF(inside.left(), inside.top() + 4, inside.width(), 17) : inside;
    painter.drawText(top, Qt::AlignCenter,
                     painter.fontMetrics().elidedText(box.title, Qt::ElideRight, static_cast<int>(top.width()) + 4));
    if (two_lines) {
        painter.setFont(pixelFont(10.5, false));
        painter.setPen(own_colour ? pen : colour(C::Faint));
        const QRectF below(inside.left(), inside.top() + 20, inside.width(), 15);
        painter.drawText(
            below, Qt::AlignCenter,
            painter.fontMetrics().elidedText(box.subtitle, Qt::ElideRight, static_cast<int>(below.width()) + 6));
    }
}

// What the reference lacks or has alone, and what is another operator there; or what a pass did.
void GraphCanvas::paintChange(QPainter& painter, const SceneBox& box, double radius) const {
    const GraphChange change = changeOf(box.node);
    const bool diverges = change == GraphChange::None && colouring() == GraphColouring::Difference &&
                          metrics() != nullptr && metrics()->of(box.node).diverges;
    if (isGhost(box.node) || (change == GraphChange::None && !diverges)) return;
    painter.save();
    painter.setBrush(Qt::NoBrush);
    painter.setPen(diverges ? QPen(colour(C::Bad), 2) : GraphColours::changePen(change, 2));
    painter.drawRoundedRect(box.rect, radius, radius);
    painter.restore();
}

GraphChange GraphCanvas::changeOf(int node) const {
    if (node < 0) return GraphChange::None;
    if (const auto found = changes_.find(node); found != changes_.end()) return found->second;
    if (isGhost(node)) return GraphChange::Removed;
    if (colouring() != GraphColouring::Difference || metrics() == nullptr) return GraphChange::None;
    switch (metrics()->of(node).change) {
        case NodeMetric::Change::Added:
            return GraphChange::Added;
        case NodeMetric::Change::Replaced:
            return GraphChange::Changed;
        case NodeMetric::Change::None:
            break;
    }
    return GraphChange::None;
}

bool GraphCanvas::isGhost(const SceneLine& line) const {
    return index_ != nullptr && index_->hasGhosts() &&
           (isGhost(line.from) || isGhost(line.to) ||
            std::all_of(line.values.begin(), line.values.end(),
                        [this](const GraphPort& value) { return isGhost(value.node); }));
}

// That the legend has to name; searched where there may be some.
std::vector<GraphChange> GraphCanvas::changesInScene() const {
    std::set<GraphChange> found;
    const bool has_marks = colouring() == GraphColouring::Difference || !changes_.empty();
    if (has_marks) {
        for (const SceneBox& box : scene_.boxes) {
            if (!box.is_open) found.insert(changeOf(box.node));
        }
    }
    if (index_ != nullptr && index_->hasGhosts()) found.insert(GraphChange::Removed);
    found.erase(GraphChange::None);
    return {found.begin(), found.end()};
}

// Above the lines that enter the group.
void GraphCanvas::paintHeader(QPainter& painter, const SceneBox& box, double scale) {
    if (scale * 13 < 5) return;
    const double shown = std::clamp(9.0 / (13 * scale), 1.0, 1.8);  // headers stay readable a little longer
    const QFont bold = pixelFont(13 * shown, true);
    const QFont small = pixelFont(11, false);
    const QRectF head(box.rect.left() + 10, box.rect.top() + 3, box.rect.width() - 20, 20 * shown);
    const double title = QFontMetricsF(bold).horizontalAdvance(box.title);
    const bool has_subtitle = shown <= 1.01;
    const double all = title + (has_subtitle ? 10 + QFontMetricsF(small).horizontalAdvance(box.subtitle) : 0);
    QColor back = blend(colour(C::Panel), colour(C::Text), 0.04);
    painter.fillRect(QRectF(head.left() - 3, head.top() + 1, std::min(all, head.width()) + 6, head.height() - 2), back);
    painter.setFont(bold);
    painter.setPen(colour(C::Text));
    painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter, box.title);
    if (!has_subtitle) return;
    painter.setFont(small);
    painter.setPen(colour(C::Faint));
    painter.drawText(head.adjusted(title + 10, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, box.subtitle);
}

void GraphCanvas::paintLines(QPainter& painter, const QRectF& visible, double scale) {
    const SceneBox* marked = current_ >= 0 ? boxFor(current_) : nullptr;
    const int marked_node = marked && !marked->is_open ? marked->node : kBorder;
    const QColor plain = blend(colour(C::Panel), colour(C::Text), 0.42);
    const QColor strong = colour(C::Accent);
    const auto carries = [&](const SceneLine& line, int node) {
        return std::any_of(line.values.begin(), line.values.end(),
                           [&](const GraphPort& value) { return value.node == node; });
    };
    painter.setBrush(Qt::NoBrush);
    for (int pass = 0; pass < 2; ++pass) {  // marked ones above the others
        scene_.visitLines(visible, [&](const SceneLine& line) {
            if (!line.bounds.intersects(visible)) return;
            const bool touches = marked_node != kBorder &&
                                 (line.concerns(marked_node) || (hovered_ == kBorder && carries(line, marked_node)));
            const bool hover = hovered_ != kBorder && line.concerns(hovered_);
            const bool is_marked = touches || hover;
            if (is_marked != (pass == 1)) return;
            painter.setOpacity(isOff(line) ? kFaint : 1);
            const QColor pen = is_marked ? strong : path_.empty() || isOff(line) ? plain : colour(C::Reached);
            const double wide = std::min(1.2 + 0.7 * std::log2(std::max(1, line.count)), 4.5) + (is_marked ? 0.8 : 0);
            QPen drawn(pen, std::max(wide, 0.7 / scale));
            if (isGhost(line)) drawn.setStyle(Qt::DotLine);
            painter.setPen(drawn);
            QPainterPath path(line.curve.front());
            for (std::size_t i = 1; i + 2 < line.curve.size(); i += 3) {
                path.cubicTo(line.curve[i], line.curve[i + 1], line.curve[i + 2]);
            }
            painter.setBrush(Qt::NoBrush);
            painter.drawPath(path);
            if (!line.has_arrow || scale < 0.3) return;
            const QPointF tip = line.curve.back();
            QPointF along = tip - line.curve[line.curve.size() - 2];
            const double length = std::hypot(along.x(), along.y());
            if (length < 1e-6) return;
            along /= length;
            const QPointF across(-along.y(), along.x());
            painter.setBrush(pen);
            painter.setPen(Qt::NoPen);
            painter.drawPolygon(QPolygonF({tip, tip - along * 7 + across * 3.2, tip - along * 7 - across * 3.2}));
        });
    }
    painter.setOpacity(1);
}

void GraphCanvas::paintLabels(QPainter& painter, const QRectF& visible, double) {
    if (metrics() == nullptr) return;
    QFont font = Theme::instance().monoFont();
    font.setPixelSize(10);
    painter.setFont(font);
    const QFontMetricsF metrics(font);
    std::set<std::pair<int, GraphPort>> done;
    QColor back = colour(C::Panel);
    back.setAlpha(215);
    std::vector<QRectF> taken;
    scene_.visitLines(visible, [&](const SceneLine& line) {
        if (line.from == kBorder || line.from == kBundle || !line.bounds.intersects(visible)) return;
        // Once where the value leaves its maker, not on every line.
        const GraphPort* value = nullptr;
        for (const GraphPort& each : line.values) {
            if (value == nullptr && done.insert({line.from, each}).second) value = &each;
        }
        const QString shape = value != nullptr ? colours_.metrics()->portText(*value) : QString();
        if (shape.isEmpty()) return;
        const SceneBox* box = scene_.find(line.from);
        if (box == nullptr) return;
        const QPointF start = line.curve.front();
        const double width = metrics.horizontalAdvance(shape) + 4;
        const double below = box->rect.bottom() + (box->is_group && !box->is_open ? 5 : 3);
        QRectF place(isAcross() ? box->rect.center().x() - width / 2 : start.x() + 5, below, width, 13);
        // Several lines leave one box side by side: labels are stacked while they are near.
        const auto isTaken = [&] {
            return std::any_of(taken.begin(), taken.end(),
                               [&](const QRectF& other) { return other.intersects(place); });
        };
        for (int row = 0; row < 2 && isTaken(); ++row) place.translate(0, 13);
        if (isTaken()) return;
        taken.push_back(place);
        painter.fillRect(place, back);
        painter.setPen(colour(C::Faint));
        painter.drawText(place, Qt::AlignCenter, shape);
    });
}

void GraphCanvas::paintMarks(QPainter& painter, const SceneBox& box, const Marks& marks, double scale) {
    const double radius = box.is_open ? 7 : 5;
    const double thin = std::max(1.0, 1.0 / scale);
    painter.setBrush(Qt::NoBrush);
    if (matches_.contains(box.node)) {
        painter.setPen(QPen(colour(C::Warning), 2 * thin, Qt::DashLine));
        painter.drawRoundedRect(box.rect.adjusted(-3, -3, 3, 3), radius, radius);
    }
    if (marks.current == &box) {
        QColor glow = colour(C::Accent);
        glow.setAlpha(70);
        painter.setPen(QPen(glow, 6 * thin));
        painter.drawRoundedRect(box.rect.adjusted(-1, -1, 1, 1), radius, radius);
        painter.setPen(QPen(colour(C::Accent), 2 * thin));
        painter.drawRoundedRect(box.rect, radius, radius);
    } else if (hovered_ == box.node) {
        painter.setPen(QPen(colour(C::Accent), thin));
        painter.drawRoundedRect(box.rect, radius, radius);
    }
    // Inside the mark of the current event, so that both are visible.
    if (!box.is_open && isTroubled(box)) {
        painter.setPen(QPen(colour(C::Bad), 2 * thin));
        painter.drawRoundedRect(box.rect.adjusted(2, 2, -2, -2), radius - 1, radius - 1);
    } else if (!box.is_open && passesTroubleOn(box)) {
        painter.setPen(QPen(colour(C::Warning), 1.5 * thin, Qt::DashLine));
        painter.drawRoundedRect(box.rect.adjusted(2, 2, -2, -2), radius - 1, radius - 1);
    }
    painter.setPen(Qt::NoPen);
    const double size = std::max(1.0, 0.6 / scale);
    if (marks.reached == &box) {
        const double y = box.is_open ? box.rect.top() + 13 : box.rect.center().y();
        const double x = box.rect.left() - 5;
        painter.setBrush(colour(C::Reached));
        painter.drawPolygon(QPolygonF({{x, y}, {x - 11 * size, y - 7 * size}, {x - 11 * size, y + 7 * size}}));
    }
    if (marks.breakpoints.contains(&box)) {
        painter.setBrush(colour(C::Bad));
        painter.drawEllipse(box.rect.topLeft() + QPointF(1, 1), 5 * size, 5 * size);
    }
}

void GraphCanvas::paintLegend(QPainter& painter, const Range& range, QSize room) {
    if (const auto changes = changesInScene(); !changes.empty())
        colours_.paintChanges(painter, changes, {room.width(), room.height() - colours_.legendHeight(kinds_, room)});
    colours_.paintLegend(painter, kinds_, range, room);
}

}  // namespace loupe::views
