// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_canvas.h"

#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <cmath>

#include "core/study/operator_info.h"
#include "views/common/colour_map.h"
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
    if (is_other) countFamilies();
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
    offset_ = QPointF((width() - scene_.size.width() * scale_) / 2, 20);
    if (scene_.boxes.empty() || scene_.size.width() * scale_ < width()) return;
    double top = 1e300;
    for (const SceneBox& box : scene_.boxes) {
        if (box.rect.top() >= top) continue;
        top = box.rect.top();
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
    colouring_ = colouring;
    minimap_.forget();
    update();
}

void GraphCanvas::takeMetrics() {
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

void GraphCanvas::setMatches(std::set<int> nodes) {
    matches_ = std::move(nodes);
    update();
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
    return std::clamp(width() * kShare / (scene_.size.width() * scale), 1.0,
                      std::min(kMostStretch, kTextScale / scale));
}

QTransform GraphCanvas::transform() const {
    return {scale_ * stretchAt(scale_), 0, 0, scale_, offset_.x(), offset_.y()};
}

void GraphCanvas::centreOn(QPointF scene) {
    offset_ += QPointF(width() / 2.0, height() / 2.0) - transform().map(scene);
    user_moved_ = true;
    update();
}

void GraphCanvas::fit() {
    if (scene_.size.isEmpty()) return;
    scale_ = fittingScale();
    // Names of sections are to the right of tiles.
    const double names = isFar() && width() > 300 ? std::min(150.0, width() * 0.25) : 0;
    const double across = scene_.size.width() * scale_ * stretchAt(scale_);
    offset_ =
        QPointF(std::max(24.0, (width() - names - across) / 2), (fittingHeight() - scene_.size.height() * scale_) / 2);
    sized_ = size();
    user_moved_ = true;
    update();
}

void GraphCanvas::zoomAt(QPointF screen, double factor) {
    const QPointF fixed = toScene(screen);
    scale_ = std::clamp(scale_ * factor, kMinScale, kMaxScale);
    offset_ += screen - transform().map(fixed);
    user_moved_ = true;
    clampOffset();
    update();
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
        const int found = tiling().boxAt(screen);
        return found < 0 ? nullptr : &scene_.boxes[static_cast<std::size_t>(found)];
    }
    const QPointF point = toScene(screen);
    // Contents are drawn later.
    for (auto box = scene_.boxes.rbegin(); box != scene_.boxes.rend(); ++box) {
        if (box->rect.contains(point)) return &*box;
    }
    return nullptr;
}

// --- colours of boxes

double GraphCanvas::metricOf(int node) const {
    if (metrics_ == nullptr) return -1;
    const NodeMetric& metric = metrics_->of(node);
    switch (colouring_) {
        case GraphColouring::Kind:
            return -1;
        case GraphColouring::Time:
            return metric.forward == 0 && metric.backward == 0 ? -1 : metric.seconds;
        case GraphColouring::Memory:
            return metric.forward == 0 ? -1 : static_cast<double>(metric.bytes);
        case GraphColouring::Activation:
            return metric.activation;
        case GraphColouring::Gradient:
            return metric.gradient;
        case GraphColouring::Difference:
            return metric.difference;
    }
    return -1;
}

void GraphCanvas::widen(Range& range, int node) const {
    const double value = node >= 0 ? metricOf(node) : -1;
    if (!(value > 0) || !std::isfinite(value)) return;
    range.low = range.isEmpty() ? value : std::min(range.low, value);
    range.high = std::max(range.high, value);
}

namespace {

// Clamped: differences far below the maximum do not matter.
constexpr double kLeastShare = 1e-6;

}  // namespace

// The runs that times are of: first runs take longer.
QString GraphCanvas::timeNote() const {
    if (colouring_ != GraphColouring::Time || metrics_ == nullptr) return {};
    return metrics_->isWarm() ? tr(", median of warm runs") : tr(" of a first run (Run > Time it properly)");
}

GraphCanvas::Range GraphCanvas::metricRange() const {
    Range range;
    for (const SceneBox& box : scene_.boxes) {
        if (!box.is_open) widen(range, box.node);
    }
    range.low = std::max(range.low, range.high * kLeastShare);
    return range;
}

GraphCanvas::Range GraphCanvas::metricRange(const GraphTiling& tiling) const {
    Range range;
    for (const GraphTile& tile : tiling.tiles) {
        if (!tile.is_frame) widen(range, scene_.boxes[static_cast<std::size_t>(tile.box)].node);
    }
    range.low = std::max(range.low, range.high * kLeastShare);
    return range;
}

void GraphCanvas::countFamilies() {
    const auto& nodes = index_->model().nodes;
    shares_.assign(nodes.size(), {});
    // Children have greater ids than their group.
    for (std::size_t i = nodes.size(); i-- > 0;) {
        const session::GraphNode& node = nodes[i];
        if (!index_->isShown(node.id)) continue;
        if (!index_->holds(node.id)) ++shares_[i][static_cast<std::size_t>(Theme::familyOf(node.kind))];
        if (node.parent < 0) continue;
        Shares& around = shares_[static_cast<std::size_t>(node.parent)];
        for (std::size_t family = 0; family < around.size(); ++family) around[family] += shares_[i][family];
    }
}

// The most frequent kind of operator in it, without views and similar ones.
Theme::Family GraphCanvas::familyOf(int node) const {
    const Shares& shares = shares_[static_cast<std::size_t>(node)];
    const auto most = std::max_element(shares.begin(), shares.end() - 1);
    return *most > 0 ? static_cast<Theme::Family>(most - shares.begin()) : Theme::Family::Other;
}

QColor GraphCanvas::metricColour(double value, const Range& range) const {
    const double span = std::log(range.high / range.low);
    const double t = value <= range.low ? 0 : span > 0 ? std::log(value / range.low) / span : 1;
    return QColor::fromRgb(colourAt(ColourMap::Viridis, 0.08 + 0.92 * std::clamp(t, 0.0, 1.0)));
}

QColor GraphCanvas::fillOf(const SceneBox& box, const Range& range) const {
    const QColor plain = colour(C::Raised);
    if (box.node < 0) return plain;
    if (colouring_ == GraphColouring::Kind) {
        return blend(plain, Theme::instance().family(familyOf(box.node)), Theme::instance().isDark() ? 0.30 : 0.28);
    }
    const double value = metricOf(box.node);
    return value < 0 || range.isEmpty() ? plain : metricColour(value, range);
}

QString GraphCanvas::tipOf(const SceneBox& box) const {
    if (box.node < 0) {
        return isInputBox(box.node) ? tr("Input %1").arg(box.title) : tr("Output of the model");
    }
    const session::GraphNode& node = index_->node(box.node);
    QStringList lines{QStringLiteral("<b>%1</b>").arg(text(node.kind).toHtmlEscaped())};
    const int op = index_->operatorOf(box.node);
    if (op >= 0) {
        const std::string& kind = index_->node(op).kind;
        if (op != box.node) lines << text(kind).toHtmlEscaped();
        if (const auto info = session::find_operator_info(kind))
            lines << QStringLiteral("<i>%1</i>").arg(text(info->summary).toHtmlEscaped());
    }
    if (!node.scope.empty()) lines << scopeText(node.scope).toHtmlEscaped();
    for (const std::string& attribute : index_->node(op >= 0 ? op : box.node).attributes)
        lines << text(attribute).left(80).toHtmlEscaped();
    if (metrics_ != nullptr) {
        const NodeMetric& metric = metrics_->of(box.node);
        if (const QString shape = op >= 0 ? metrics_->portText({op, 0}) : QString(); !shape.isEmpty())
            lines << (metrics_->hasTokens({op, 0}) ? tr("%1, in brackets: tokens").arg(shape) : shape);
        if (metric.forward != 0) {
            lines << tr("%1, %2 made").arg(secondsText(metric.seconds), bytesText(static_cast<double>(metric.bytes)));
        }
        if (metric.activation >= 0) lines << tr("output |max| %1").arg(numberText(metric.activation));
        if (metric.gradient >= 0) lines << tr("gradient |max| %1").arg(numberText(metric.gradient));
        if (metric.not_finite != session::NotFinite::None)
            lines << tr("<b>NaN or Inf in an output:</b> %1").arg(text(session::not_finite_name(metric.not_finite)));
        if (metric.failed) lines << tr("<b>failed:</b> %1").arg(text(metric.error).toHtmlEscaped());
    }
    if (node.source.line > 0) {
        lines << QStringLiteral("%1:%2").arg(text(node.source.file).toHtmlEscaped()).arg(node.source.line);
    }
    if (index_->repeats(box.node) > 1)
        lines << tr("stands for %1 that are built alike, one behind the other").arg(index_->repeats(box.node));
    if (isFar() && box.is_open)
        lines << QStringLiteral("<i>%1</i>").arg(tr("double click comes closer"));
    else if (box.is_group)
        lines << QStringLiteral("<i>%1</i>").arg(box.is_open ? tr("double click closes") : tr("double click opens"));
    return lines.join(QStringLiteral("<br>"));
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
    if (const SceneBox* box = boxAt(event->position()); box && box->node >= 0) emit nodeClicked(box->node);
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
            QWidget::keyPressEvent(event);
    }
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
