// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/flame_canvas.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

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

void FlameCanvas::setTrace(TracePtr trace) {
    trace_ = std::move(trace);
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

QString FlameCanvas::nameOf(const session::FlameNode& node) const {
    const ProfileTrace& trace = trace_->trace;
    if (node.track != session::FlameNode::kNone) {
        const ProfileTrack& track = trace.tracks[node.track];
        return QStringLiteral("%1 \u00b7 %2").arg(text(track.process), text(track.name));
    }
    return node.name == session::FlameNode::kNone ? tr("all") : text(trace.texts[node.name]);
}

QColor FlameCanvas::colourOf(const session::FlameNode& node) const {
    const bool is_named = node.name != session::FlameNode::kNone;
    const QColor colour = is_named ? zoneColour(trace_->trace.texts[node.name], trace_->trace.texts[node.category])
                                   : Theme::instance().colour(Theme::Colour::Faint);
    const bool is_python = is_named && trace_->trace.texts[node.category] == "python_function";
    double strength = is_named ? (is_python ? 0.28 : 0.5) : 0.18;
    if (!words_.isEmpty() && !nameOf(node).contains(words_, Qt::CaseInsensitive)) strength *= 0.3;
    return QColor::fromRgb(mixed(themeRgb(Theme::Colour::Panel), colour.rgb(), strength));
}

// The callers of the zoomed node across the whole width, then what is below it.
std::vector<FlameCanvas::Box> FlameCanvas::boxes() const {
    std::vector<Box> out;
    if (!trace_) return out;
    const auto& nodes = trace_->flame.nodes;
    const session::FlameNode& root = nodes[root_];
    if (root.total <= 0) return out;
    for (std::uint32_t at = root_; at != session::FlameNode::kNone; at = nodes[at].parent)
        out.push_back({at, 0, static_cast<double>(width()), static_cast<int>(nodes[at].depth)});
    const double scale = width() / root.total;
    std::vector<Box> open{out.front()};
    while (!open.empty()) {
        const Box box = open.back();
        open.pop_back();
        double x = box.x;
        for (std::uint32_t child = nodes[box.node].first_child; child != session::FlameNode::kNone;
             child = nodes[child].next) {
            const double wide = nodes[child].total * scale;
            if (wide < kSmallest) break;  // the others take less
            const Box next{child, x, std::min(wide, width() - x), box.row + 1};
            if (next.width < kSmallest) break;
            out.push_back(next);
            open.push_back(next);
            x += wide;
        }
    }
    return out;
}

void FlameCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    PainterSurface surface(painter);
    surface.box(0, 0, width(), height(), themeRgb(Theme::Colour::Panel));
    if (!trace_) return;
    const double all = trace_->flame.nodes[root_].total;
    for (const Box& box : boxes()) {
        const double y = 4 + (box.row - scrolled_) * kRow;
        if (y < 0 || y > height()) continue;
        const session::FlameNode& node = trace_->flame.nodes[box.node];
        surface.box(box.x, y, box.x + box.width - (box.width > 3 ? 1 : 0), y + kRow - 1, colourOf(node).rgba());
        if (box.width < 26) continue;
        const QString share = box.width > 120 && all > 0 && node.depth >= trace_->flame.nodes[root_].depth
                                  ? QStringLiteral("  %1 %").arg(node.total / all * 100, 0, 'f', 1)
                                  : QString();
        const QString label = shortened(surface, nameOf(node) + share, box.width - 8);
        if (label.size() > 1) surface.text(box.x + 4, y + 1, themeRgb(Theme::Colour::Text), label);
    }
    const auto under = mouse_ ? nodeAt(*mouse_) : std::nullopt;
    if (!under) return;
    const session::FlameNode& node = trace_->flame.nodes[*under];
    drawTipBox(surface,
               {nameOf(node).left(120),
                tr("%1 in %2, %3 of it its own")
                    .arg(secondsText(node.total), counted(static_cast<std::int64_t>(node.count), "call"),
                         secondsText(node.self))},
               mouse_->x(), mouse_->y(), width(), height());
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
    if (!trace_) return;
    const int rows = static_cast<int>(height() / kRow);
    const int most = std::max(0, static_cast<int>(trace_->flame.depth) + 2 - rows);
    scrolled_ = std::clamp(scrolled_ - event->angleDelta().y() / 60, 0, most);
    event->accept();
    update();
}

void FlameCanvas::leaveEvent(QEvent*) {
    mouse_.reset();
    update();
}

}  // namespace loupe::views
