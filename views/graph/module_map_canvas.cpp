// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/module_map_canvas.h"

#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "views/common/colour_map.h"
#include "views/common/format.h"
#include "views/graph/canvas_style.h"

namespace loupe::views {

using namespace canvas;

namespace {

constexpr double kMostZoom = 4000;
constexpr double kMapMargin = 8;
constexpr int kLegend = 46;

}  // namespace

ModuleMapCanvas::ModuleMapCanvas(const GraphColours& colours, std::function<QString(int)> tip, QWidget* parent)
    : QWidget(parent), colours_(colours), tip_(std::move(tip)) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Map of the modules"));
    connect(&Theme::instance(), &Theme::changed, this, [this] { update(); });
}

void ModuleMapCanvas::setIndex(std::shared_ptr<const GraphIndex> index) {
    if (index_ != index) fit();
    index_ = std::move(index);
    hovered_ = -1;
    update();
}

void ModuleMapCanvas::setSize(Size size) {
    size_ = size;
    update();
}

void ModuleMapCanvas::setCurrent(int node) {
    current_ = node;
    update();
}

double ModuleMapCanvas::weightOf(int node, Size size) const {
    const NodeMetrics* metrics = colours_.metrics();
    // One that stands for several alike has the area of all.
    const int repeats = index_->repeats(node);
    if (size == Size::Operators || metrics == nullptr)
        return repeats * std::max(1, index_->operatorCount(node) + index_->ghostCount(node));
    // As much as it took there.
    if (const Ghost* ghost = index_->ghost(node))
        return size == Size::Time ? ghost->seconds : static_cast<double>(ghost->bytes);
    const NodeMetric& metric = metrics->of(node);
    return repeats * (size == Size::Time ? metric.seconds : static_cast<double>(metric.bytes));
}

ModuleMapCanvas::Size ModuleMapCanvas::shownSize() const {
    if (!index_) return Size::Operators;
    const auto& top = index_->level(-1).children;
    const bool has_any = std::any_of(top.begin(), top.end(), [&](int node) { return weightOf(node, size_) > 0; });
    return has_any ? size_ : Size::Operators;
}

// --- where

QRectF ModuleMapCanvas::home() const {
    return QRectF(rect()).adjusted(kMapMargin, kMapMargin + 18, -kMapMargin,
                                   -kMapMargin - (height() > 5 * kLegend ? kLegend : 0));
}

QRectF ModuleMapCanvas::area() const {
    const QRectF whole = home();
    return {whole.topLeft() + offset_, whole.size() * zoom_};
}

void ModuleMapCanvas::clampOffset() {
    // The map covers its place.
    const QSizeF more = home().size() * (zoom_ - 1);
    offset_.setX(std::clamp(offset_.x(), -more.width(), 0.0));
    offset_.setY(std::clamp(offset_.y(), -more.height(), 0.0));
}

void ModuleMapCanvas::fit() {
    zoom_ = 1;
    offset_ = {};
    update();
}

void ModuleMapCanvas::zoomAt(QPointF screen, double factor) {
    const QPointF corner = area().topLeft();
    const double before = zoom_;
    zoom_ = std::clamp(zoom_ * factor, 1.0, kMostZoom);
    offset_ = screen + (corner - screen) * (zoom_ / before) - home().topLeft();
    clampOffset();
    update();
}

void ModuleMapCanvas::zoomTo(int node) {
    // Tiles are laid out anew at each zoom, and titles keep their height: closer and closer.
    for (int step = 0; step < 6; ++step) {
        const std::vector<MapTile> all = tiles();
        const auto found = std::find_if(all.begin(), all.end(), [&](const MapTile& tile) { return tile.node == node; });
        if (found == all.end()) return;
        const QRectF place = home();
        const double factor = std::min(place.width() / found->rect.width(), place.height() / found->rect.height());
        const QPointF from = found->rect.center();
        zoomAt(from, factor);
        offset_ += place.center() - from;
        clampOffset();
        if (std::abs(factor - 1) < 0.02) break;
    }
    update();
}

std::vector<MapTile> ModuleMapCanvas::tiles() const {
    if (!index_) return {};
    const Size size = shownSize();
    const MapWeight weight = [this, size](int node) { return weightOf(node, size); };
    return mapTiles(*index_, weight, area(), home());
}

int ModuleMapCanvas::nodeAt(QPointF screen) const {
    const std::vector<MapTile> all = tiles();
    for (auto tile = all.rbegin(); tile != all.rend(); ++tile) {
        if (tile->rect.contains(screen)) return tile->node;
    }
    return -1;
}

// --- painting

QString ModuleMapCanvas::titleOf(const MapTile& tile) const {
    const session::GraphNode& node = index_->node(tile.node);
    const bool is_number =
        std::all_of(node.label.begin(), node.label.end(), [](char c) { return c >= '0' && c <= '9'; });
    QString title = node.is_group && is_number ? text(node.scope).section(QLatin1Char('.'), -2)
                                               : text(node.label.empty() ? node.kind : node.label);
    if (index_->isGhost(tile.node))
        title.prepend(QStringLiteral("\u2212 "));
    else if (const int lacks = index_->ghostCount(tile.node); lacks > 0)
        title += tr("  %1 only in the reference").arg(lacks);
    if (index_->repeats(tile.node) > 1) title += QStringLiteral("  x%1").arg(index_->repeats(tile.node));
    return title;
}

void ModuleMapCanvas::paintTile(QPainter& painter, const MapTile& tile, const GraphColours::Range& range) const {
    const QRectF rect = tile.rect.adjusted(0.5, 0.5, -0.5, -0.5);
    const QRectF seen = rect.intersected(home());  // names stay in sight
    const QString title = titleOf(tile);
    const QString share = QStringLiteral("%1 %").arg(tile.share * 100, 0, 'f', tile.share < 0.1 ? 1 : 0);
    if (tile.is_frame) {
        const QColor back = Theme::instance().isDark() ? QColor(255, 255, 255, 12) : QColor(0, 0, 0, 12);
        painter.fillRect(rect, back);
        const QRectF head(seen.left() + 5, rect.top(), seen.width() - 10, kMapTitle);
        painter.setFont(pixelFont(11, tile.depth == 0));
        const QFontMetrics metrics(painter.font());
        const int number = metrics.horizontalAdvance(share);
        const bool has_share = metrics.horizontalAdvance(title) + number + 10 < head.width();
        painter.setPen(colour(C::Text));
        painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(title, Qt::ElideRight, static_cast<int>(head.width())));
        painter.setPen(colour(C::Faint));
        if (has_share) painter.drawText(head, Qt::AlignRight | Qt::AlignVCenter, share);
        return;
    }
    const bool is_titled = seen.height() >= 13 && seen.width() >= 26;
    const bool is_ghost = index_->isGhost(tile.node);
    const QColor fill = is_ghost ? colour(C::Panel) : colours_.tileColour(tile.node, range, is_titled ? 0.5 : 0.85);
    painter.fillRect(rect, fill);
    if (is_ghost) {
        painter.setPen(GraphColours::changePen(GraphChange::Removed, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect.adjusted(1, 1, -2, -2));
    }
    if (index_->isGroup(tile.node) && colours_.isOfKinds() && rect.height() >= 14 && rect.width() >= 14)
        colours_.paintShares(painter, QRectF(rect.left(), rect.bottom() - 3, rect.width(), 3), tile.node);
    if (!is_titled) return;
    painter.setPen(is_ghost ? colour(C::Faint) : colours_.isOfKinds() ? colour(C::Text) : readableOn(fill.rgb()));
    painter.setFont(pixelFont(11, false));
    const QFontMetrics metrics(painter.font());
    const bool has_share = seen.height() >= 30 && metrics.horizontalAdvance(share) + 8 < seen.width();
    const QRectF inside = seen.adjusted(4, 1, -3, -1);
    const QString shown = metrics.elidedText(title, Qt::ElideRight, static_cast<int>(inside.width()));
    painter.drawText(inside, Qt::AlignLeft | Qt::AlignTop, shown);
    if (has_share) painter.drawText(inside.adjusted(0, 14, 0, 0), Qt::AlignLeft | Qt::AlignTop, share);
}

void ModuleMapCanvas::paintEdges(QPainter& painter, const std::vector<MapTile>& tiles) const {
    painter.setBrush(Qt::NoBrush);
    const NodeMetrics* metrics = colours_.metrics();
    for (const MapTile& tile : tiles) {
        const bool is_current = tile.node == current_;
        const bool is_bad = metrics != nullptr && !tile.is_frame &&
                            (session::is_origin(metrics->of(tile.node).not_finite) || metrics->of(tile.node).failed);
        if (tile.is_frame || is_current || is_bad || tile.node == hovered_) {
            const C role = is_current || tile.node == hovered_ ? C::Accent : is_bad ? C::Bad : C::Border;
            painter.setPen(QPen(colour(role), is_current || is_bad ? 2 : 1));
            painter.drawRect(tile.rect.adjusted(0.5, 0.5, -1, -1));
        }
    }
}

void ModuleMapCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), colour(C::Panel));
    if (!index_) return;
    const std::vector<MapTile> all = tiles();
    GraphColours::Range range;
    GraphColours::Shares used{};
    for (const MapTile& tile : all) {
        if (tile.is_frame) continue;
        colours_.widen(range, tile.node);
        for (std::size_t i = 0; i < used.size(); ++i) used[i] += colours_.shares(tile.node)[i];
    }
    range = range.clamped();
    painter.save();
    painter.setClipRect(home());
    for (const MapTile& tile : all) paintTile(painter, tile, range);
    paintEdges(painter, all);
    painter.restore();
    static const char* sizes[] = {QT_TR_NOOP("area: operators"), QT_TR_NOOP("area: time"),
                                  QT_TR_NOOP("area: memory made")};
    QString words = tr(sizes[static_cast<int>(shownSize())]);
    if (shownSize() != size_) words += tr(" (nothing is recorded yet)");
    painter.setFont(pixelFont(11, false));
    painter.setPen(colour(C::Faint));
    painter.drawText(QRectF(kMapMargin + 2, 4, width() * 0.6, 18), Qt::AlignLeft | Qt::AlignVCenter, words);
    if (height() > 5 * kLegend && index_->hasGhosts())
        colours_.paintChanges(painter, {GraphChange::Removed},
                              {width(), height() - colours_.legendHeight(used, QWidget::size())});
    if (height() > 5 * kLegend) colours_.paintLegend(painter, used, range, QWidget::size());
}

// --- mouse and keys

void ModuleMapCanvas::wheelEvent(QWheelEvent* event) {
    zoomAt(event->position(), std::pow(1.0015, event->angleDelta().y()));
    event->accept();
}

void ModuleMapCanvas::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::RightButton) {
        emit menuRequested(nodeAt(event->position()), event->globalPosition().toPoint());
        return;
    }
    drag_from_ = event->position();
    drag_offset_ = offset_;
    dragging_ = false;
}

void ModuleMapCanvas::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & (Qt::LeftButton | Qt::MiddleButton)) {
        const QPointF moved = event->position() - drag_from_;
        if (!dragging_ && moved.manhattanLength() < 4) return;
        dragging_ = true;
        offset_ = drag_offset_ + moved;
        clampOffset();
        setCursor(Qt::ClosedHandCursor);
        update();
        return;
    }
    const int over = nodeAt(event->position());
    if (over == hovered_) return;
    hovered_ = over;
    update();
}

void ModuleMapCanvas::mouseReleaseEvent(QMouseEvent* event) {
    unsetCursor();
    if (std::exchange(dragging_, false) || event->button() != Qt::LeftButton) return;
    if (const int node = nodeAt(event->position()); node >= 0) emit nodeClicked(node);
}

void ModuleMapCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    if (const int node = nodeAt(event->position()); node >= 0) zoomTo(node);
}

void ModuleMapCanvas::keyPressEvent(QKeyEvent* event) {
    const QPointF centre(width() / 2.0, height() / 2.0);
    switch (event->key()) {
        case Qt::Key_Space:
            return fit();
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            return zoomAt(centre, 1.25);
        case Qt::Key_Minus:
            return zoomAt(centre, 0.8);
        case Qt::Key_Return:
            if (current_ >= 0) zoomTo(current_);
            return;
        default:
            QWidget::keyPressEvent(event);
    }
}

void ModuleMapCanvas::leaveEvent(QEvent*) {
    hovered_ = -1;
    update();
}

bool ModuleMapCanvas::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int node = nodeAt(help->pos());
    if (node < 0)
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), tip_(node), this);
    return true;
}

}  // namespace loupe::views
