// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/flame_canvas.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/common/format.h"
#include "views/timeline/trace_drawing.h"

namespace loupe::views {
namespace {

constexpr double kRow = 18;
constexpr double kSmallest = 1;  // pixels: narrower nodes and what they called are left out

}  // namespace

FlameCanvas::FlameCanvas(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Flame graph"));
    setMouseTracking(true);
    setMinimumHeight(60);
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

QColor tendencyColour(double tendency) {
    using C = Theme::Colour;
    const double strength = std::min(1.0, std::sqrt(std::abs(tendency)));
    const QRgb end = themeRgb(tendency > 0 ? C::Warning : C::Good);
    const QRgb none = mixed(themeRgb(C::Panel), themeRgb(C::Faint), 0.28);
    // Less than a hundredth is noise.
    return QColor::fromRgb(std::abs(tendency) < 0.01 ? none
                                                     : mixed(none, mixed(themeRgb(C::Panel), end, 0.75), strength));
}

void FlameCanvas::setTrace(TracePtr trace) {
    trace_ = std::move(trace);
    zoomTo(0);
}

void FlameCanvas::setDifference(FlameDifferencePtr difference) {
    if (difference == difference_) return;
    difference_ = std::move(difference);
    zoomTo(0);
}

void FlameCanvas::search(const QString& words) {
    words_ = words;
    update();
}

void FlameCanvas::zoomTo(std::uint32_t node) {
    root_ = node;
    scrolled_ = 0;
    update();
}

bool FlameCanvas::isEmpty() const { return difference_ == nullptr && trace_ == nullptr; }

FlameCanvas::Shape FlameCanvas::shapeOf(std::uint32_t node) const {
    if (difference_ != nullptr) {
        const session::FlamePair& pair = difference_->nodes[node];
        return {pair.parent, pair.first_child, pair.next, pair.depth, pair.width()};
    }
    const session::FlameNode& one = trace_->flame.nodes[node];
    return {one.parent, one.first_child, one.next, one.depth, one.total};
}

std::uint32_t FlameCanvas::depth() const { return difference_ ? difference_->depth : trace_->flame.depth; }

QString FlameCanvas::nameOf(std::uint32_t node) const {
    if (difference_ != nullptr) {
        const session::FlamePair& pair = difference_->nodes[node];
        return node == 0 ? tr("all") : text(difference_->name_of(pair));
    }
    const ProfileTrace& trace = trace_->trace;
    const session::FlameNode& one = trace_->flame.nodes[node];
    if (one.track != session::FlameNode::kNone) {
        const ProfileTrack& track = trace.tracks[one.track];
        return QStringLiteral("%1 \u00b7 %2").arg(text(track.process), text(track.name));
    }
    return one.name == session::FlameNode::kNone ? tr("all") : text(trace.texts[one.name]);
}

QColor FlameCanvas::colourOf(std::uint32_t node) const {
    const bool is_found = words_.isEmpty() || nameOf(node).contains(words_, Qt::CaseInsensitive);
    if (difference_ != nullptr) {
        const QColor colour = tendencyColour(difference_->nodes[node].tendency());
        return is_found ? colour : QColor::fromRgb(mixed(themeRgb(Theme::Colour::Panel), colour.rgb(), 0.3));
    }
    const session::FlameNode& one = trace_->flame.nodes[node];
    const bool is_named = one.name != session::FlameNode::kNone;
    const QColor colour = is_named ? zoneColour(trace_->trace.texts[one.name], trace_->trace.texts[one.category])
                                   : Theme::instance().colour(Theme::Colour::Faint);
    const bool is_python = is_named && trace_->trace.texts[one.category] == "python_function";
    double strength = is_named ? (is_python ? 0.28 : 0.5) : 0.18;
    if (!is_found) strength *= 0.3;
    return QColor::fromRgb(mixed(themeRgb(Theme::Colour::Panel), colour.rgb(), strength));
}

QString FlameCanvas::besideName(std::uint32_t node) const {
    if (difference_ != nullptr) {
        const session::FlamePair& pair = difference_->nodes[node];
        if (pair.total_here <= 0) return tr("  only in B");
        if (pair.total_there <= 0) return tr("  only in A");
        return QStringLiteral("  %1%2 %")
            .arg(pair.change() < 0 ? QStringLiteral("\u2212") : QStringLiteral("+"))
            .arg(std::abs(pair.change()) / pair.total_here * 100, 0, 'f', 0);
    }
    const Shape root = shapeOf(root_);
    const Shape shape = shapeOf(node);
    return root.seconds > 0 && shape.depth >= root.depth
               ? QStringLiteral("  %1 %").arg(shape.seconds / root.seconds * 100, 0, 'f', 1)
               : QString();
}

QStringList FlameCanvas::tipOf(std::uint32_t node) const {
    const QString name = nameOf(node).left(120);
    if (difference_ != nullptr) {
        const session::FlamePair& pair = difference_->nodes[node];
        const auto side = [](const QString& of, double total, double self, std::uint64_t count) {
            return total <= 0 ? tr("%1: not there").arg(of)
                              : tr("%1: %2 in %3, %4 of it its own")
                                    .arg(of, secondsText(total), counted(static_cast<std::int64_t>(count), "call"),
                                         secondsText(self));
        };
        return {name, side(QStringLiteral("A"), pair.total_here, pair.self_here, pair.count_here),
                side(QStringLiteral("B"), pair.total_there, pair.self_there, pair.count_there),
                tr("B \u2212 A: %1%2")
                    .arg(pair.change() < 0 ? QStringLiteral("\u2212") : QStringLiteral("+"),
                         secondsText(std::abs(pair.change())))};
    }
    const session::FlameNode& one = trace_->flame.nodes[node];
    return {name, tr("%1 in %2, %3 of it its own")
                      .arg(secondsText(one.total), counted(static_cast<std::int64_t>(one.count), "call"),
                           secondsText(one.self))};
}

// The callers of the zoomed node across the whole width, then what is below it.
std::vector<FlameCanvas::Box> FlameCanvas::boxes() const {
    std::vector<Box> out;
    if (isEmpty()) return out;
    const Shape root = shapeOf(root_);
    if (root.seconds <= 0) return out;
    for (std::uint32_t at = root_; at != session::FlameNode::kNone; at = shapeOf(at).parent)
        out.push_back({at, 0, static_cast<double>(width()), static_cast<int>(shapeOf(at).depth)});
    const double scale = width() / root.seconds;
    std::vector<Box> open{out.front()};
    while (!open.empty()) {
        const Box box = open.back();
        open.pop_back();
        double x = box.x;
        for (std::uint32_t child = shapeOf(box.node).first_child; child != session::FlameNode::kNone;) {
            const Shape shape = shapeOf(child);
            const double wide = shape.seconds * scale;
            if (wide < kSmallest) break;  // the others take less
            const Box next{child, x, std::min(wide, width() - x), box.row + 1};
            if (next.width < kSmallest) break;
            out.push_back(next);
            open.push_back(next);
            x += wide;
            child = shape.next;
        }
    }
    return out;
}

void FlameCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    PainterSurface surface(painter);
    surface.box(0, 0, width(), height(), themeRgb(Theme::Colour::Panel));
    if (isEmpty()) return;
    for (const Box& box : boxes()) {
        const double y = 4 + (box.row - scrolled_) * kRow;
        if (y < 0 || y > height()) continue;
        surface.box(box.x, y, box.x + box.width - (box.width > 3 ? 1 : 0), y + kRow - 1, colourOf(box.node).rgba());
        if (box.width < 26) continue;
        const QString share = box.width > 120 ? besideName(box.node) : QString();
        const QString label = shortened(surface, nameOf(box.node) + share, box.width - 8);
        if (label.size() > 1) surface.text(box.x + 4, y + 1, themeRgb(Theme::Colour::Text), label);
    }
    const auto under = mouse_ ? nodeAt(*mouse_) : std::nullopt;
    if (under) drawTipBox(surface, tipOf(*under), mouse_->x(), mouse_->y(), width(), height());
}

std::optional<std::uint32_t> FlameCanvas::nodeAt(QPointF at) const {
    const int row = static_cast<int>((at.y() - 4) / kRow) + scrolled_;
    for (const Box& box : boxes())
        if (box.row == row && at.x() >= box.x && at.x() < box.x + box.width) return box.node;
    return std::nullopt;
}

void FlameCanvas::mousePressEvent(QMouseEvent* event) {
    if (const auto node = nodeAt(event->position())) zoomTo(*node == root_ ? 0 : *node);
}

void FlameCanvas::mouseMoveEvent(QMouseEvent* event) {
    mouse_ = event->position();
    update();
}

void FlameCanvas::wheelEvent(QWheelEvent* event) {
    if (isEmpty()) return;
    const int rows = static_cast<int>(height() / kRow);
    const int most = std::max(0, static_cast<int>(depth()) + 2 - rows);
    scrolled_ = std::clamp(scrolled_ - event->angleDelta().y() / 60, 0, most);
    event->accept();
    update();
}

void FlameCanvas::leaveEvent(QEvent*) {
    mouse_.reset();
    update();
}

}  // namespace loupe::views
