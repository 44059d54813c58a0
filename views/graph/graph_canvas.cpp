// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_canvas.h"

#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <cmath>

#include "core/session/operator_info.h"
#include "views/common/colour_map.h"
#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {
namespace {

constexpr double kMinScale = 0.005;
constexpr double kMaxScale = 4.0;
constexpr double kReadable = 0.75;
constexpr double kTextScale = 0.38;   // below, boxes go without text
constexpr double kLabelScale = 0.55;  // below, lines go without shapes

using C = Theme::Colour;
QColor colour(C role) { return Theme::instance().colour(role); }

QColor blend(const QColor& a, const QColor& b, double t) {
    return QColor::fromRgbF(static_cast<float>(a.redF() * (1 - t) + b.redF() * t),
                            static_cast<float>(a.greenF() * (1 - t) + b.greenF() * t),
                            static_cast<float>(a.blueF() * (1 - t) + b.blueF() * t));
}

QFont pixelFont(double size, bool bold) {
    QFont font = Theme::instance().uiFont();
    font.setPixelSize(static_cast<int>(size));
    if (bold) font.setWeight(QFont::DemiBold);
    return font;
}

}  // namespace

GraphCanvas::GraphCanvas(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Graph of the model"));
    setMinimumSize(120, 80);
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void GraphCanvas::setScene(std::shared_ptr<const GraphIndex> index, Scene scene, int keep) {
    const bool is_new = index_ != index || scene_.boxes.empty();
    const SceneBox* before = is_new ? nullptr : boxFor(keep);
    const QPointF anchor = before ? before->rect.topLeft() * scale_ + offset_ : QPointF();
    index_ = std::move(index);
    scene_ = std::move(scene);
    message_.clear();
    hovered_ = kBorder;
    if (is_new) user_moved_ = false;
    if (const SceneBox* after = before ? boxFor(keep) : nullptr) {
        offset_ = anchor - after->rect.topLeft() * scale_;
    } else if (!user_moved_) {
        showStart();
    }
    update();
}

void GraphCanvas::showStart() {
    fit();
    user_moved_ = false;
    if (scale_ >= kReadable || scene_.size.isEmpty()) return;
    // Too much to be read at once: begin at the inputs.
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

QTransform GraphCanvas::transform() const { return QTransform(scale_, 0, 0, scale_, offset_.x(), offset_.y()); }

void GraphCanvas::fit() {
    if (scene_.size.isEmpty()) return;
    const double margin = 24;
    const double width = std::max(20.0, this->width() - 2 * margin);
    const double height = std::max(20.0, this->height() - 2 * margin);
    const double all = std::min(width / scene_.size.width(), height / scene_.size.height());
    scale_ = std::clamp(all, kMinScale, 1.15);
    offset_ = QPointF((this->width() - scene_.size.width() * scale_) / 2, (this->height() - scene_.size.height() * scale_) / 2);
    sized_ = size();
    user_moved_ = true;
    update();
}

void GraphCanvas::zoomAt(QPointF screen, double factor) {
    const QPointF fixed = toScene(screen);
    scale_ = std::clamp(scale_ * factor, kMinScale, kMaxScale);
    offset_ = screen - fixed * scale_;
    user_moved_ = true;
    clampOffset();
    update();
}

void GraphCanvas::clampOffset() {
    // Some of the picture always stays in sight.
    const double keep = 60;
    offset_.setX(std::clamp(offset_.x(), keep - scene_.size.width() * scale_, width() - keep));
    offset_.setY(std::clamp(offset_.y(), keep - scene_.size.height() * scale_, height() - keep));
}

void GraphCanvas::reveal(int node) {
    const SceneBox* box = boxFor(node);
    if (box == nullptr) return;
    sized_ = size();
    if (scale_ < kTextScale && !box->is_open) {
        // Too small to be read: come closer.
        const QPointF centre = box->rect.center();
        scale_ = 0.8;
        offset_ = QPointF(width() / 2.0, height() / 2.0) - centre * scale_;
        user_moved_ = true;
    }
    const QRectF rect = transform().mapRect(box->rect);
    const QRectF inner = QRectF(this->rect()).adjusted(30, 30, -30, -30);
    if (!inner.contains(rect)) {
        QPointF shift;
        if (rect.width() > inner.width()) shift.setX(inner.left() - rect.left());
        else if (rect.left() < inner.left() || rect.right() > inner.right()) shift.setX(inner.center().x() - rect.center().x());
        if (rect.height() > inner.height()) shift.setY(inner.top() - rect.top());
        else if (rect.top() < inner.top() || rect.bottom() > inner.bottom()) shift.setY(inner.center().y() - rect.center().y());
        offset_ += shift;
        user_moved_ = true;
    }
    update();
}

const SceneBox* GraphCanvas::boxAt(QPointF screen) const {
    const QPointF point = toScene(screen);
    // What stands inside comes later.
    for (auto box = scene_.boxes.rbegin(); box != scene_.boxes.rend(); ++box) {
        if (box->rect.contains(point)) return &*box;
    }
    return nullptr;
}

// --- what boxes look like

double GraphCanvas::metricOf(int node) const {
    if (metrics_ == nullptr) return -1;
    const NodeMetric& metric = metrics_->of(node);
    switch (colouring_) {
        case GraphColouring::Kind: return -1;
        case GraphColouring::Time: return metric.forward == 0 && metric.backward == 0 ? -1 : metric.seconds;
        case GraphColouring::Memory: return metric.forward == 0 ? -1 : static_cast<double>(metric.bytes);
        case GraphColouring::Activation: return metric.activation;
        case GraphColouring::Gradient: return metric.gradient;
    }
    return -1;
}

GraphCanvas::Range GraphCanvas::metricRange() const {
    Range range;
    for (const SceneBox& box : scene_.boxes) {
        if (box.is_open || box.node < 0) continue;
        const double value = metricOf(box.node);
        if (!(value > 0) || !std::isfinite(value)) continue;
        range.low = range.isEmpty() ? value : std::min(range.low, value);
        range.high = std::max(range.high, value);
    }
    // Far below the greatest nothing matters any more.
    range.low = std::max(range.low, range.high * 1e-6);
    return range;
}

std::string_view GraphCanvas::kindOf(int id) const {
    const session::GraphNode& node = index_->node(id);
    if (!index_->isGroup(id) || index_->operatorCount(id) > GraphIndex::kFewOperators) return node.kind;
    // A module around an operator or two looks like what it does.
    int inner = id;
    while (index_->isGroup(inner)) inner = index_->level(inner).children.front();
    return index_->node(inner).kind;
}

QColor GraphCanvas::fillOf(const SceneBox& box, const Range& range) const {
    const QColor plain = colour(C::Raised);
    if (box.node < 0) return plain;
    if (colouring_ == GraphColouring::Kind) {
        const QColor kind = Theme::instance().operatorKind(kindOf(box.node));
        return blend(plain, kind, Theme::instance().isDark() ? 0.30 : 0.28);
    }
    const double value = metricOf(box.node);
    if (value < 0 || range.isEmpty()) return plain;
    const double span = std::log(range.high / range.low);
    const double t = value <= range.low ? 0 : span > 0 ? std::log(value / range.low) / span : 1;
    return QColor::fromRgb(colourAt(ColourMap::Viridis, 0.08 + 0.92 * std::clamp(t, 0.0, 1.0)));
}

QString GraphCanvas::tipOf(const SceneBox& box) const {
    if (box.node < 0) {
        return isInputBox(box.node) ? tr("Input %1").arg(box.title) : tr("Output of the model");
    }
    const session::GraphNode& node = index_->node(box.node);
    QStringList lines{QStringLiteral("<b>%1</b>").arg(text(node.kind).toHtmlEscaped())};
    if (!box.is_group) {
        if (const auto info = session::find_operator_info(node.kind)) lines << QStringLiteral("<i>%1</i>").arg(text(info->summary).toHtmlEscaped());
    }
    if (!node.scope.empty()) lines << scopeText(node.scope).toHtmlEscaped();
    for (const std::string& attribute : node.attributes) lines << text(attribute).left(80).toHtmlEscaped();
    if (metrics_ != nullptr) {
        const NodeMetric& metric = metrics_->of(box.node);
        if (const QString shape = metrics_->portText({box.node, 0}); !box.is_group && !shape.isEmpty()) lines << shape;
        if (metric.forward != 0) {
            lines << tr("%1, %2 made").arg(secondsText(metric.seconds), bytesText(static_cast<double>(metric.bytes)));
        }
        if (metric.activation >= 0) lines << tr("output |max| %1").arg(numberText(metric.activation));
        if (metric.gradient >= 0) lines << tr("gradient |max| %1").arg(numberText(metric.gradient));
        if (metric.has_nan) lines << tr("<b>NaN or Inf in an output</b>");
        if (metric.failed) lines << tr("<b>failed:</b> %1").arg(text(metric.error).toHtmlEscaped());
    }
    if (node.source.line > 0) {
        lines << QStringLiteral("%1:%2").arg(text(node.source.file).toHtmlEscaped()).arg(node.source.line);
    }
    if (index_->repeats(box.node) > 1) lines << tr("stands for %1 that are built alike, one behind the other").arg(index_->repeats(box.node));
    if (box.is_group) lines << QStringLiteral("<i>%1</i>").arg(box.is_open ? tr("double click closes") : tr("double click opens"));
    return lines.join(QStringLiteral("<br>"));
}

// --- painting

void GraphCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), colour(C::Panel));
    if (scene_.boxes.empty()) {
        painter.setPen(colour(C::Faint));
        painter.drawText(rect(), Qt::AlignCenter, message_);
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setRenderHint(QPainter::TextAntialiasing);
    painter.save();
    painter.setTransform(transform(), true);
    paintScene(painter, QRectF(toScene({0, 0}), toScene({static_cast<double>(width()), static_cast<double>(height())})), scale_);
    painter.restore();
    paintLegend(painter);
}

void GraphCanvas::renderAll(QPainter& painter) {
    painter.setRenderHint(QPainter::Antialiasing);
    paintScene(painter, QRectF({-1e9, -1e9}, QSizeF(2e9, 2e9)), 1);
}

void GraphCanvas::paintScene(QPainter& painter, const QRectF& visible, double scale) {
    const Range range = metricRange();
    for (const SceneBox& box : scene_.boxes) {
        if (box.is_open && box.rect.intersects(visible)) paintBox(painter, box, range, scale);
    }
    paintLines(painter, visible, scale);
    for (const SceneBox& box : scene_.boxes) {
        if (box.is_open && box.rect.intersects(visible)) paintHeader(painter, box, scale);
    }
    for (const SceneBox& box : scene_.boxes) {
        if (!box.is_open && box.rect.intersects(visible)) paintBox(painter, box, range, scale);
    }
    if (scale >= kLabelScale) paintLabels(painter, visible, scale);
    for (const SceneBox& box : scene_.boxes) {
        if (box.rect.adjusted(-20, -20, 20, 20).intersects(visible)) paintMarks(painter, box, scale);
    }
}

void GraphCanvas::paintBox(QPainter& painter, const SceneBox& box, const Range& range, double scale) {
    const double radius = box.is_open ? 7 : box.is_group ? 5 : box.node < 0 ? box.rect.height() / 2 : 4;
    if (box.is_open) {
        const bool dark = Theme::instance().isDark();
        QColor back = dark ? QColor(255, 255, 255, 9) : QColor(0, 0, 0, 9);
        painter.setBrush(back);
        painter.setPen(QPen(colour(C::Border), 1.0));
        painter.drawRoundedRect(box.rect, radius, radius);
        return;
    }
    const QColor fill = fillOf(box, range);
    painter.setBrush(fill);
    QColor edge = colouring_ == GraphColouring::Kind && box.node >= 0
                      ? blend(fill, Theme::instance().operatorKind(kindOf(box.node)), 0.55)
                      : blend(fill, colour(C::Text), 0.25);
    painter.setPen(QPen(edge, 1.0));
    if (box.is_group && scale > kTextScale) {
        // A closed group looks like a stack of cards.
        painter.save();
        painter.setBrush(blend(fill, colour(C::Panel), 0.45));
        painter.drawRoundedRect(box.rect.adjusted(4, 3, 3, 3), radius, radius);
        painter.restore();
    }
    if (scale * box.rect.height() < 3) {
        painter.fillRect(box.rect, edge);
        return;
    }
    painter.drawRoundedRect(box.rect, radius, radius);
    if (scale < kTextScale) return;
    const bool own_colour = colouring_ != GraphColouring::Kind && fill != colour(C::Raised);
    const QColor pen = own_colour ? readableOn(fill.rgb()) : colour(C::Text);
    painter.setPen(pen);
    painter.setFont(pixelFont(12.5, true));
    QRectF inside = box.rect.adjusted(8, 0, -8, 0);
    const bool two_lines = !box.subtitle.isEmpty();
    const QRectF top = two_lines ? QRectF(inside.left(), inside.top() + 4, inside.width(), 17) : inside;
    painter.drawText(top, Qt::AlignCenter, painter.fontMetrics().elidedText(box.title, Qt::ElideRight, static_cast<int>(top.width()) + 4));
    if (two_lines) {
        painter.setFont(pixelFont(10.5, false));
        painter.setPen(own_colour ? pen : colour(C::Faint));
        const QRectF below(inside.left(), inside.top() + 20, inside.width(), 15);
        painter.drawText(below, Qt::AlignCenter, painter.fontMetrics().elidedText(box.subtitle, Qt::ElideRight, static_cast<int>(below.width()) + 6));
    }
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
    painter.setBrush(Qt::NoBrush);
    for (int pass = 0; pass < 2; ++pass) {  // marked ones above the others
        for (const SceneLine& line : scene_.lines) {
            const bool touches = line.from == marked_node || line.to == marked_node ||
                                 (marked_node != kBorder && hovered_ == kBorder && line.value.node == marked_node);
            const bool hover = hovered_ != kBorder && (line.from == hovered_ || line.to == hovered_);
            const bool is_marked = touches || hover;
            if (is_marked != (pass == 1) || !line.bounds.intersects(visible)) continue;
            const QColor pen = is_marked ? strong : plain;
            const double wide = (line.count > 2 ? 2.0 : 1.2) + (is_marked ? 0.8 : 0);
            painter.setPen(QPen(pen, std::max(wide, 0.7 / scale)));
            QPainterPath path(line.curve.front());
            for (std::size_t i = 1; i + 2 < line.curve.size(); i += 3) {
                path.cubicTo(line.curve[i], line.curve[i + 1], line.curve[i + 2]);
            }
            painter.setBrush(Qt::NoBrush);
            painter.drawPath(path);
            if (!line.has_arrow || scale < 0.3) continue;
            const QPointF tip = line.curve.back();
            QPointF along = tip - line.curve[line.curve.size() - 2];
            const double length = std::hypot(along.x(), along.y());
            if (length < 1e-6) continue;
            along /= length;
            const QPointF across(-along.y(), along.x());
            painter.setBrush(pen);
            painter.setPen(Qt::NoPen);
            painter.drawPolygon(QPolygonF({tip, tip - along * 7 + across * 3.2, tip - along * 7 - across * 3.2}));
        }
    }
}

void GraphCanvas::paintLabels(QPainter& painter, const QRectF& visible, double) {
    if (metrics_ == nullptr) return;
    QFont font = Theme::instance().monoFont();
    font.setPixelSize(10);
    painter.setFont(font);
    const QFontMetricsF metrics(font);
    std::set<std::pair<int, GraphPort>> done;
    QColor back = colour(C::Panel);
    back.setAlpha(215);
    std::vector<QRectF> taken;
    for (const SceneLine& line : scene_.lines) {
        if (line.from == kBorder || !line.bounds.intersects(visible)) continue;
        // Once where the value leaves its maker, not on every line.
        if (!done.insert({line.from, line.value}).second) continue;
        const QString shape = metrics_->portText(line.value);
        if (shape.isEmpty()) continue;
        const SceneBox* box = scene_.find(line.from);
        if (box == nullptr) continue;
        const QPointF start = line.curve.front();
        const double width = metrics.horizontalAdvance(shape);
        QRectF place(start.x() + 5, box->rect.bottom() + (box->is_group && !box->is_open ? 5 : 3), width + 4, 13);
        // Several leave one box side by side: the next goes below, as long as it is near.
        const auto isTaken = [&] { return std::any_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(place); }); };
        for (int row = 0; row < 2 && isTaken(); ++row) place.translate(0, 13);
        if (isTaken()) continue;
        taken.push_back(place);
        painter.fillRect(place, back);
        painter.setPen(colour(C::Faint));
        painter.drawText(place, Qt::AlignCenter, shape);
    }
}

void GraphCanvas::paintMarks(QPainter& painter, const SceneBox& box, double scale) {
    const double radius = box.is_open ? 7 : 5;
    const double thin = std::max(1.0, 1.0 / scale);
    painter.setBrush(Qt::NoBrush);
    if (matches_.contains(box.node)) {
        painter.setPen(QPen(colour(C::Warning), 2 * thin, Qt::DashLine));
        painter.drawRoundedRect(box.rect.adjusted(-3, -3, 3, 3), radius, radius);
    }
    const SceneBox* now = current_ >= 0 ? boxFor(current_) : nullptr;
    if (now == &box) {
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
    // Inside the mark of the current event, so that both are seen.
    if (metrics_ != nullptr && !box.is_open && box.node >= 0 && (metrics_->of(box.node).has_nan || metrics_->of(box.node).failed)) {
        painter.setPen(QPen(colour(C::Bad), 2 * thin));
        painter.drawRoundedRect(box.rect.adjusted(2, 2, -2, -2), radius - 1, radius - 1);
    }
    painter.setPen(Qt::NoPen);
    const double size = std::max(1.0, 0.6 / scale);
    if (const SceneBox* parked = reached_ >= 0 ? boxFor(reached_) : nullptr; parked == &box) {
        const double y = box.is_open ? box.rect.top() + 13 : box.rect.center().y();
        const double x = box.rect.left() - 5;
        painter.setBrush(colour(C::Reached));
        painter.drawPolygon(QPolygonF({{x, y}, {x - 11 * size, y - 7 * size}, {x - 11 * size, y + 7 * size}}));
    }
    const bool breaks = std::any_of(breakpoints_.begin(), breakpoints_.end(), [&](int node) { return boxFor(node) == &box; });
    if (breaks) {
        painter.setBrush(colour(C::Bad));
        painter.drawEllipse(box.rect.topLeft() + QPointF(1, 1), 5 * size, 5 * size);
    }
}

void GraphCanvas::paintLegend(QPainter& painter) {
    painter.setFont(pixelFont(10.5, false));
    const QFontMetrics metrics(painter.font());
    QColor back = colour(C::Panel);
    back.setAlpha(225);
    if (colouring_ == GraphColouring::Kind) {
        static const std::pair<const char*, const char*> kinds[] = {
            {"conv", QT_TR_NOOP("convolution")},  {"linear", QT_TR_NOOP("matrix product")}, {"norm", QT_TR_NOOP("normalisation")},
            {"relu", QT_TR_NOOP("activation")},   {"pool", QT_TR_NOOP("pool, reduce")},     {"embedding", QT_TR_NOOP("embedding, dropout")},
            {"add", QT_TR_NOOP("arithmetic")},    {"view", QT_TR_NOOP("other")}};
        std::set<QRgb> used;
        for (const SceneBox& box : scene_.boxes) {
            if (box.node >= 0 && !box.is_open) used.insert(Theme::instance().operatorKind(kindOf(box.node)).rgb());
        }
        int x = 10;
        const int y = height() - 20;
        for (const auto& [op, name] : kinds) {
            const QColor kind = Theme::instance().operatorKind(op);
            if (!used.contains(kind.rgb())) continue;
            const QString label = tr(name);
            const int wide = metrics.horizontalAdvance(label) + 26;
            if (x + wide > width()) break;
            painter.fillRect(x - 4, y - 3, wide, 18, back);
            painter.setPen(kind);
            painter.setBrush(blend(colour(C::Raised), kind, 0.45));
            painter.drawRoundedRect(QRectF(x + 0.5, y + 1.5, 9, 9), 2, 2);
            painter.setPen(colour(C::Faint));
            painter.drawText(x + 15, y + 10, label);
            x += wide;
        }
        return;
    }
    const Range range = metricRange();
    const bool empty = range.isEmpty();
    const auto format = [&](double value) {
        if (colouring_ == GraphColouring::Time) return secondsText(value);
        if (colouring_ == GraphColouring::Memory) return bytesText(value);
        return numberText(value);
    };
    static const char* titles[] = {"", QT_TR_NOOP("time"), QT_TR_NOOP("bytes made"), QT_TR_NOOP("greatest activation"),
                                   QT_TR_NOOP("greatest gradient")};
    const QString title = empty ? tr("Nothing recorded yet: run the model (F5)") : tr(titles[static_cast<int>(colouring_)]) + tr(", logarithmic");
    const QRect area(8, height() - 44, std::max(200, metrics.horizontalAdvance(title) + 16), 38);
    painter.setPen(Qt::NoPen);
    painter.setBrush(back);
    painter.drawRoundedRect(area, 4, 4);
    painter.setPen(colour(C::Faint));
    painter.drawText(area.adjusted(6, 2, -6, 0), Qt::AlignLeft | Qt::AlignTop, title);
    if (empty) return;
    for (int x = 0; x < 184; ++x) {
        painter.fillRect(area.left() + 6 + x, area.top() + 16, 1, 7, QColor::fromRgb(colourAt(ColourMap::Viridis, 0.08 + 0.92 * x / 183.0)));
    }
    painter.drawText(QRect(area.left() + 6, area.top() + 23, 184, 14), Qt::AlignLeft, format(range.low));
    painter.drawText(QRect(area.left() + 6, area.top() + 23, 184, 14), Qt::AlignRight, format(range.high));
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
    const SceneBox* box = boxAt(event->position());
    const int hovered = box && !box->is_open ? box->node : kBorder;
    if (hovered != hovered_) {
        hovered_ = hovered;
        update();
    }
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event) {
    unsetCursor();
    if (dragging_ || event->button() != Qt::LeftButton) {
        dragging_ = false;
        return;
    }
    if (const SceneBox* box = boxAt(event->position()); box && box->node >= 0) emit nodeClicked(box->node);
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    if (const SceneBox* box = boxAt(event->position()); box && box->is_group) emit toggleRequested(box->node);
}

void GraphCanvas::leaveEvent(QEvent*) {
    hovered_ = kBorder;
    update();
}

void GraphCanvas::keyPressEvent(QKeyEvent* event) {
    const QPointF centre(width() / 2.0, height() / 2.0);
    switch (event->key()) {
        case Qt::Key_Space: fit(); return;
        case Qt::Key_Up: emit stepRequested(-1); return;
        case Qt::Key_Down: emit stepRequested(1); return;
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
        default: QWidget::keyPressEvent(event);
    }
}

void GraphCanvas::resizeEvent(QResizeEvent*) {
    // What was in the middle stays there.
    const QSizeF grown = QSizeF(size() - sized_) / 2;
    sized_ = size();
    if (user_moved_) offset_ += QPointF(grown.width(), grown.height());
    else showStart();
}

bool GraphCanvas::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const SceneBox* box = boxAt(help->pos());
        if (box == nullptr) QToolTip::hideText();
        else QToolTip::showText(help->globalPos(), tipOf(*box), this);
        return true;
    }
    return QWidget::event(event);
}

}  // namespace loupe::views
