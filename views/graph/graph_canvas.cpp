// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_canvas.h"

#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <cmath>

#include "core/study/operator_info.h"
#include "views/common/colour_map.h"
#include "views/common/engine_words.h"
#include "views/common/format.h"
#include "views/common/theme.h"
#include "views/graph/canvas_style.h"

namespace loupe::views {

using namespace canvas;

namespace {

constexpr double kMinScale = 0.005;
constexpr double kMaxScale = 4.0;

}  // namespace

GraphCanvas::GraphCanvas(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Graph of the model"));
    setMinimumSize(120, 80);
    connect(&Theme::instance(), &Theme::changed, this, &GraphCanvas::takeMetrics);
}

void GraphCanvas::setScene(std::shared_ptr<const GraphIndex> index, Scene scene, int keep) {
    const bool is_new = index_ != index || scene_.boxes.empty();
    const SceneBox* before = is_new ? nullptr : boxFor(keep);
    const QPointF anchor = before ? transform().map(before->rect.topLeft()) : QPointF();
    const bool is_other = index_ != index;
    index_ = std::move(index);
    scene_ = std::move(scene);
    if (is_other) colours_.setIndex(index_);
    findPathBoxes();
    kinds_ = {};
    for (const SceneBox& box : scene_.boxes) {
        if (box.node < 0 || box.is_open) continue;
        for (std::size_t i = 0; i < kinds_.size(); ++i) kinds_[i] += colours_.shares(box.node)[i];
    }
    forgetRanges();
    minimap_.forget();
    message_.clear();
    hovered_ = kBorder;
    if (is_new) user_moved_ = false;
    if (const SceneBox* after = before ? boxFor(keep) : nullptr) {
        offset_ += anchor - transform().map(after->rect.topLeft());
    } else if (!user_moved_) {
        showStart();
    }
    update();
}

void GraphCanvas::showStart() {
    fit();
    user_moved_ = false;
    if (scale_ >= kReadable || scene_.size.isEmpty()) return;
    // Too large to be readable as a whole: starts at the inputs.
    scale_ = kReadable;
    const QSizeF all = scene_.size * scale_;
    offset_ = isAcross() ? QPointF(20, (height() - all.height()) / 2) : QPointF((width() - all.width()) / 2, 20);
    if (scene_.boxes.empty() || (isAcross() ? all.height() < height() : all.width() < width())) return;
    double first = 1e300;
    for (const SceneBox& box : scene_.boxes) {
        const double begin = isAcross() ? box.rect.left() : box.rect.top();
        if (begin >= first) continue;
        first = begin;
        if (isAcross())
            offset_.setY(height() / 2.0 - box.rect.center().y() * scale_);
        else
            offset_.setX(width() / 2.0 - box.rect.center().x() * scale_);
    }
}

void GraphCanvas::clear(const QString& message) {
    scene_ = {};
    index_.reset();
    message_ = message;
    hovered_ = kBorder;
    update();
}

void GraphCanvas::setColouring(GraphColouring colouring) {
    colours_.setColouring(colouring);
    forgetRanges();
    minimap_.forget();
    update();
}

void GraphCanvas::takeMetrics() {
    forgetRanges();
    minimap_.forget();
    update();
}

void GraphCanvas::setMinimapShown(bool shown) {
    minimap_shown_ = shown;
    update();
}

void GraphCanvas::setCurrent(int node) {
    if (current_ == node) return;
    current_ = node;
    update();
}

void GraphCanvas::setReached(int node) {
    if (reached_ == node) return;
    reached_ = node;
    update();
}

void GraphCanvas::setBreakpoints(std::set<int> nodes) {
    breakpoints_ = std::move(nodes);
    update();
}

void GraphCanvas::setChanges(std::map<int, GraphChange> changes) {
    changes_ = std::move(changes);
    colours_.setOfReference(false);
    update();
}

void GraphCanvas::setMatches(std::set<int> nodes) {
    matches_ = std::move(nodes);
    update();
}

void GraphCanvas::setPath(std::set<int> nodes) {
    path_ = std::move(nodes);
    findPathBoxes();
    update();
}

void GraphCanvas::findPathBoxes() {
    path_boxes_.clear();
    if (!index_) return;
    for (const int node : path_) {
        for (const SceneBox* box = boxFor(node); box != nullptr;
             box = box->parent < 0 ? nullptr : &scene_.boxes[static_cast<std::size_t>(box->parent)])
            path_boxes_.insert(box->node);
    }
}

bool GraphCanvas::isOff(const SceneBox& box) const { return !path_.empty() && !path_boxes_.contains(box.node); }

bool GraphCanvas::isOff(const SceneLine& line) const {
    if (path_.empty()) return false;
    const auto is_end = [&](int node) { return path_boxes_.contains(node); };
    const auto is_on = [&](const GraphPort& value) { return path_.contains(value.node); };
    const bool is_carried = std::any_of(line.values.begin(), line.values.end(), is_on);
    const bool goes_on = line.to == kBorder || line.to == kBundle ? line.to == kBorder : is_end(line.to);
    const bool branches = std::count_if(line.carries.begin(), line.carries.end(), is_end) > 1;
    return !is_carried || !(line.to == kBundle ? branches : goes_on);
}

const SceneBox* GraphCanvas::boxFor(int node) const {
    if (!index_) return nullptr;
    if (node < 0) return scene_.find(node);
    const int count = static_cast<int>(index_->model().nodes.size());
    for (; node >= 0 && node < count; node = index_->node(node).parent) {
        node = index_->standIn(node);
        if (const SceneBox* box = scene_.find(node)) return box;
    }
    return nullptr;
}

QRectF GraphCanvas::screenRect(int node) const {
    const SceneBox* box = boxFor(node);
    return box ? transform().mapRect(box->rect) : QRectF();
}

bool GraphCanvas::isFar() const { return scale_ < kTextScale; }

// Without the legend, which would cover the last boxes.
int GraphCanvas::fittingHeight() const { return height() > 5 * kLegendHeight ? height() - kLegendHeight : height(); }

double GraphCanvas::fittingScale() const {
    const double margin = 24;
    const double width = std::max(20.0, this->width() - 2 * margin);
    const double height = std::max(20.0, fittingHeight() - 2 * margin);
    return std::clamp(std::min(width / scene_.size.width(), height / scene_.size.height()), kMinScale, 1.15);
}

// Tiles are no worse for being wide: a deep model that is fitted would be a strip of a few pixels. There is no stretch
// where text begins.
double GraphCanvas::stretchAt(double scale) const {
    constexpr double kMostStretch = 30;
    constexpr double kShare = 0.4;  // of the width
    if (scale >= kTextScale || scene_.size.isEmpty()) return 1;
    const double room = isAcross() ? height() / scene_.size.height() : width() / scene_.size.width();
    return std::clamp(room * kShare / scale, 1.0, std::min(kMostStretch, kTextScale / scale));
}

QTransform GraphCanvas::transform() const {
    const double stretched = scale_ * stretchAt(scale_);
    return {isAcross() ? scale_ : stretched, 0, 0, isAcross() ? stretched : scale_, offset_.x(), offset_.y()};
}

void GraphCanvas::centreOn(QPointF scene) {
    offset_ += QPointF(width() / 2.0, height() / 2.0) - transform().map(scene);
    user_moved_ = true;
    update();
}

void GraphCanvas::fit() {
    if (scene_.size.isEmpty()) return;
    scale_ = fittingScale();
    // Names of sections are to the right of tiles, or below them.
    const double room = isAcross() ? fittingHeight() : width();
    const double names = isFar() && room > 300 ? std::min(150.0, room * 0.25) : 0;
    const QSizeF all = transform().mapRect(QRectF({}, scene_.size)).size();
    offset_ = isAcross()
                  ? QPointF((width() - all.width()) / 2, std::max(24.0, (room - names - all.height()) / 2))
                  : QPointF(std::max(24.0, (room - names - all.width()) / 2), (fittingHeight() - all.height()) / 2);
    sized_ = size();
    user_moved_ = true;
    update();
}

void GraphCanvas::zoomAt(QPointF screen, double factor) {
    const QPointF fixed = toScene(screen);
    // Not until the whole is a dot.
    const double least = std::min(scale_, std::max(kMinScale, fittingScale() / 2));
    scale_ = std::clamp(scale_ * factor, least, kMaxScale);
    offset_ += screen - transform().map(fixed);
    user_moved_ = true;
    clampOffset();
    update();
    askByZoom(screen, factor > 1);
}

// Semantic zoom: what grows large shows what is in it.
void GraphCanvas::askByZoom(QPointF screen, bool closer) {
    constexpr double kOpens = 52;    // pixels high: that of a box, and a third
    constexpr double kCloses = 0.3;  // of the widget
    if (!zoom_opens_) return;
    if (closer) {
        const SceneBox* box = isFar() ? nullptr : boxAt(screen);
        if (box != nullptr && box->is_group && !box->is_open && box->rect.height() * scale_ >= kOpens)
            emit openWanted(box->node);
        return;
    }
    int smallest = -1;
    double least = 0;
    for (const int group : zoom_opened_) {
        const SceneBox* box = scene_.find(group);
        if (box == nullptr || !box->is_open) continue;
        const QSizeF size = transform().mapRect(box->rect).size();
        if (size.width() > width() * kCloses || size.height() > height() * kCloses) continue;
        if (smallest >= 0 && size.height() >= least) continue;
        smallest = group;
        least = size.height();
    }
    if (smallest >= 0) emit closeWanted(smallest);
}

// As much of the part as can be read, from its beginning.
void GraphCanvas::settle(const QRectF& part) {
    const QSizeF room(std::max(20, width() - 60), std::max(20, fittingHeight() - 60));
    const double fitting = std::min(room.width() / part.width(), room.height() / part.height());
    scale_ = std::clamp(fitting, kTextScale * 1.2, 1.0);
    QPointF middle = part.center();
    if (part.height() * scale_ > room.height()) middle.setY(part.top() + room.height() / 2 / scale_);
    if (part.width() * scale_ > room.width() && isAcross()) middle.setX(part.left() + room.width() / 2 / scale_);
    centreOn(middle);
}

void GraphCanvas::settleInto(int group) {
    if (const SceneBox* box = scene_.find(group)) settle(box->rect);
}

void GraphCanvas::settleOutOf(int group) {
    const SceneBox* box = scene_.find(group);
    if (box == nullptr) return;
    const QRectF around =
        box->parent < 0 ? QRectF({}, scene_.size) : scene_.boxes[static_cast<std::size_t>(box->parent)].rect;
    settle(around);
    if (!QRectF(rect()).contains(transform().mapRect(box->rect))) centreOn(box->rect.center());
}

std::optional<GraphCanvas::Outlook> GraphCanvas::outlook() const {
    if (!user_moved_ || scene_.boxes.empty()) return std::nullopt;
    return Outlook{scale_, toScene(QPointF(width() / 2.0, height() / 2.0))};
}

void GraphCanvas::setOutlook(const Outlook& outlook) {
    scale_ = std::clamp(outlook.zoom, kMinScale, kMaxScale);
    centreOn(outlook.centre);
    clampOffset();
}

void GraphCanvas::clampOffset() {
    // Some of the picture always stays in sight.
    const double keep = 60;
    const QSizeF all = transform().mapRect(QRectF({}, scene_.size)).size();
    offset_.setX(std::clamp(offset_.x(), keep - all.width(), std::max(keep - all.width(), width() - keep)));
    offset_.setY(std::clamp(offset_.y(), keep - all.height(), std::max(keep - all.height(), height() - keep)));
}

void GraphCanvas::zoomTo(int node) {
    const SceneBox* box = boxFor(node);
    if (box == nullptr) return;
    const QSizeF room(std::max(20, width() - 80), std::max(20, height() - 80));
    scale_ = std::clamp(std::min(room.width() / box->rect.width(), room.height() / box->rect.height()),
                        std::min(scale_ * 2, kReadable), kReadable);
    centreOn(box->rect.center());
}

void GraphCanvas::reveal(int node) {
    const SceneBox* box = boxFor(node);
    if (box == nullptr) return;
    if (scale_ < kTextScale && !box->is_open) {
        scale_ = 0.8;
        centreOn(box->rect.center());
    }
    keepInSight(node);
}

void GraphCanvas::keepInSight(int node) {
    const SceneBox* box = boxFor(node);
    if (box == nullptr) return;
    sized_ = size();
    const QRectF rect = transform().mapRect(box->rect);
    const QRectF inner = QRectF(this->rect()).adjusted(30, 30, -30, -30);
    if (!inner.contains(rect)) {
        QPointF shift;
        if (rect.width() > inner.width())
            shift.setX(inner.left() - rect.left());
        else if (rect.left() < inner.left() || rect.right() > inner.right())
            shift.setX(inner.center().x() - rect.center().x());
        if (rect.height() > inner.height())
            shift.setY(inner.top() - rect.top());
        else if (rect.top() < inner.top() || rect.bottom() > inner.bottom())
            shift.setY(inner.center().y() - rect.center().y());
        offset_ += shift;
        user_moved_ = true;
    }
    update();
}

const SceneBox* GraphCanvas::boxAt(QPointF screen) const {
    if (isFar()) {
        const int found = tileScene(scene_, transform(), QRectF(screen - QPointF(3, 3), QSizeF(6, 6))).boxAt(screen);
        return found < 0 ? nullptr : &scene_.boxes[static_cast<std::size_t>(found)];
    }
    const QPointF point = toScene(screen);
    const SceneBox* found = nullptr;
    scene_.visitBoxes(QRectF(point, QSizeF(1, 1)), [&](int index) {
        const SceneBox& box = scene_.boxes[static_cast<std::size_t>(index)];
        if (box.rect.contains(point)) found = &box;  // contents are drawn later
    });
    return found;
}

// --- colours of boxes

void GraphCanvas::forgetRanges() {
    box_range_.reset();
    tile_range_.reset();
}

GraphColours::Range GraphCanvas::boxRange() const {
    if (colours_.isOfKinds()) return {};
    if (!box_range_) {
        Range range;
        for (const SceneBox& box : scene_.boxes) {
            if (!box.is_open) colours_.widen(range, box.node);
        }
        box_range_ = range.clamped();
    }
    return *box_range_;
}

GraphColours::Range GraphCanvas::tileRange() const {
    if (colours_.isOfKinds()) return {};
    const QTransform at = transform();
    const QTransform scales(at.m11(), 0, 0, at.m22(), 0, 0);
    if (!tile_range_ || tile_range_->first != scales) tile_range_ = {scales, rangeOf(tileScene(scene_, scales))};
    return tile_range_->second;
}

GraphColours::Range GraphCanvas::rangeOf(const GraphTiling& tiling) const {
    Range range;
    if (colours_.isOfKinds()) return range;
    for (const GraphTile& tile : tiling.tiles) {
        if (!tile.is_frame) colours_.widen(range, scene_.boxes[static_cast<std::size_t>(tile.box)].node);
    }
    return range.clamped();
}

QColor GraphCanvas::fillOf(const SceneBox& box, const Range& range) const {
    const QColor plain = colour(C::Raised);
    if (box.node < 0) return plain;
    if (colours_.isOfKinds()) {
        const double strength = Theme::instance().isDark() ? 0.30 : 0.28;
        return blend(plain, Theme::instance().family(colours_.familyOf(box.node)), strength);
    }
    const double value = colours_.metricOf(box.node);
    return colours_.isColoured(value, range) ? colours_.metricColour(value, range) : plain;
}

QString GraphCanvas::tipOf(int id) const {
    if (!index_ || id < 0) return {};
    const session::GraphNode& node = index_->node(id);
    QStringList lines{QStringLiteral("<b>%1</b>").arg(text(node.kind).toHtmlEscaped())};
    if (isGhost(id))
        lines << tr("only in the reference");
    else if (const int lacks = index_->ghostCount(id); lacks > 0)
        lines << tr("%1 in it only in the reference").arg(counted(static_cast<std::int64_t>(lacks), "operator"));
    const int op = index_->operatorOf(id);
    if (op >= 0) {
        const std::string& kind = index_->node(op).kind;
        if (op != id) lines << text(kind).toHtmlEscaped();
        if (const auto info = session::find_operator_info(kind))
            lines << QStringLiteral("<i>%1</i>").arg(text(info->summary).toHtmlEscaped());
    }
    if (!node.scope.empty()) lines << scopeText(node.scope).toHtmlEscaped();
    for (const std::string& attribute : index_->node(op >= 0 ? op : id).attributes)
        lines << text(attribute).left(80).toHtmlEscaped();
    if (const Ghost* ghost = index_->ghost(id))
        lines << tr("%1, %2 made there").arg(secondsText(ghost->seconds), bytesText(static_cast<double>(ghost->bytes)));
    if (metrics() != nullptr) {
        const NodeMetric& metric = metrics()->of(id);
        if (const QString shape = op >= 0 ? metrics()->portText({op, 0}) : QString(); !shape.isEmpty())
            lines << (metrics()->hasTokens({op, 0}) ? tr("%1, in brackets: tokens").arg(shape) : shape);
        if (metric.forward != 0) {
            lines << tr("%1, %2 made").arg(secondsText(metric.seconds), bytesText(static_cast<double>(metric.bytes)));
        }
        if (metric.activation >= 0) lines << tr("output |max| %1").arg(numberText(metric.activation));
        if (metric.gradient >= 0) lines << tr("gradient |max| %1").arg(numberText(metric.gradient));
        if (metric.not_finite != session::NotFinite::None)
            lines << tr("<b>NaN or Inf in an output:</b> %1")
                         .arg(engineWord(session::not_finite_name(metric.not_finite)));
        if (metric.failed) lines << tr("<b>failed:</b> %1").arg(text(metric.error).toHtmlEscaped());
    }
    if (node.source.line > 0) {
        lines << QStringLiteral("%1:%2").arg(text(node.source.file).toHtmlEscaped()).arg(node.source.line);
    }
    if (index_->repeats(id) > 1)
        lines << tr("stands for %1 that are built alike, one behind the other").arg(index_->repeats(id));
    return lines.join(QStringLiteral("<br>"));
}

QString GraphCanvas::tipOf(const SceneBox& box) const {
    if (box.node < 0) return isInputBox(box.node) ? tr("Input %1").arg(box.title) : tr("Output of the model");
    QString hint;
    if (isFar() && box.is_open)
        hint = tr("double click comes closer");
    else if (box.is_group)
        hint = box.is_open ? tr("double click closes") : tr("double click opens");
    return hint.isEmpty() ? tipOf(box.node) : QStringLiteral("%1<br><i>%2</i>").arg(tipOf(box.node), hint);
}

// --- mouse and keys

void GraphCanvas::wheelEvent(QWheelEvent* event) {
    if (event->modifiers() & Qt::ShiftModifier) {
        offset_ += QPointF(event->angleDelta().y() + event->angleDelta().x(), 0) * 0.6;
        user_moved_ = true;
        clampOffset();
        update();
    } else {
        zoomAt(event->position(), std::pow(1.0015, event->angleDelta().y()));
    }
    event->accept();
}

void GraphCanvas::mousePressEvent(QMouseEvent* event) {
    const QRect minimap = minimapPlace();
    if (event->button() == Qt::LeftButton && minimap.contains(event->position().toPoint())) {
        minimap_dragged_ = true;
        centreOn(GraphMinimap::onto(minimap, scene_.size).inverted().map(event->position()));
        return;
    }
    if (event->button() == Qt::LeftButton || event->button() == Qt::MiddleButton) {
        drag_from_ = event->position();
        drag_offset_ = offset_;
        dragging_ = false;
    } else if (event->button() == Qt::RightButton) {
        const SceneBox* box = boxAt(event->position());
        emit menuRequested(box ? box->node : kBorder, event->globalPosition().toPoint());
    }
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event) {
    if (minimap_dragged_) {
        if (const QRect minimap = minimapPlace(); !minimap.isEmpty()) {
            centreOn(GraphMinimap::onto(minimap, scene_.size).inverted().map(event->position()));
            clampOffset();
        }
        return;
    }
    if (event->buttons() & (Qt::LeftButton | Qt::MiddleButton)) {
        const QPointF moved = event->position() - drag_from_;
        if (!dragging_ && moved.manhattanLength() < 4) return;
        dragging_ = true;
        user_moved_ = true;
        offset_ = drag_offset_ + moved;
        clampOffset();
        setCursor(Qt::ClosedHandCursor);
        update();
        return;
    }
    const bool over_minimap = minimapPlace().contains(event->position().toPoint());
    setCursor(over_minimap ? Qt::PointingHandCursor : Qt::ArrowCursor);
    const SceneBox* box = over_minimap ? nullptr : boxAt(event->position());
    const int hovered = box && (!box->is_open || isFar()) ? box->node : kBorder;
    if (hovered != hovered_) {
        hovered_ = hovered;
        update();
    }
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event) {
    unsetCursor();
    if (std::exchange(minimap_dragged_, false)) return;
    if (dragging_ || event->button() != Qt::LeftButton) {
        dragging_ = false;
        return;
    }
    const SceneBox* box = boxAt(event->position());
    if (box == nullptr || box->node < 0) return;
    if (event->modifiers() & Qt::ShiftModifier)
        emit pathRequested(box->node);
    else
        emit nodeClicked(box->node);
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || minimapPlace().contains(event->position().toPoint())) return;
    const SceneBox* box = boxAt(event->position());
    if (box == nullptr) return;
    if (isFar() && (box->is_open || !box->is_group))
        zoomTo(box->node);
    else if (box->is_group)
        emit toggleRequested(box->node);
}

void GraphCanvas::leaveEvent(QEvent*) {
    hovered_ = kBorder;
    update();
}

void GraphCanvas::keyPressEvent(QKeyEvent* event) {
    const QPointF centre(width() / 2.0, height() / 2.0);
    switch (event->key()) {
        case Qt::Key_Space:
            fit();
            return;
        case Qt::Key_Up:
            emit stepRequested(-1);
            return;
        case Qt::Key_Down:
            emit stepRequested(1);
            return;
        case Qt::Key_Left:
        case Qt::Key_Right:
            if (isAcross()) emit stepRequested(event->key() == Qt::Key_Left ? -1 : 1);
            return;
        case Qt::Key_Escape:
            if (path_.empty()) break;
            setPath({});
            return;
        case Qt::Key_Plus:
        case Qt::Key_Equal:
        case Qt::Key_Minus:
        case Qt::Key_Return: {
            if (event->modifiers() & Qt::ControlModifier) {
                zoomAt(centre, event->key() == Qt::Key_Minus ? 1 / 1.25 : 1.25);
                return;
            }
            const SceneBox* box = current_ >= 0 ? boxFor(current_) : nullptr;
            if (box == nullptr) return;
            const bool closes = event->key() == Qt::Key_Minus;
            if (closes && !box->is_open) {
                const int parent = box->node >= 0 ? index_->node(box->node).parent : -1;
                if (parent >= 0) emit toggleRequested(parent);
            } else if (box->is_group && (event->key() == Qt::Key_Return || closes == box->is_open)) {
                emit toggleRequested(box->node);
            }
            return;
        }
        default:
            break;
    }
    QWidget::keyPressEvent(event);
}

void GraphCanvas::resizeEvent(QResizeEvent*) {
    // Keeps the centre.
    const QSizeF grown = QSizeF(size() - sized_) / 2;
    sized_ = size();
    if (user_moved_)
        offset_ += QPointF(grown.width(), grown.height());
    else
        showStart();
}

bool GraphCanvas::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const SceneBox* box = boxAt(help->pos());
        if (box == nullptr)
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), tipOf(*box), this);
        return true;
    }
    return QWidget::event(event);
}

}  // namespace loupe::views
