// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/trace_canvas.h"

#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

namespace loupe::views {
namespace {

constexpr double kShortestZoom = 1e-9;  // seconds across the canvas

}  // namespace

TraceCanvas::TraceCanvas(QWidget* parent) : QAbstractScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Timeline of the trace"));
    viewport()->setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumHeight(60);
    connect(&Theme::instance(), &Theme::changed, viewport(), qOverload<>(&QWidget::update));
}

void TraceCanvas::setTrace(TracePtr trace) {
    index_ = trace ? TraceIndex(std::move(trace)) : TraceIndex();
    state_ = {};
    verticalScrollBar()->setValue(0);
    fit();
}

TraceDrawing TraceCanvas::drawing() const {
    return {index_, state_, static_cast<double>(viewport()->width()), static_cast<double>(viewport()->height())};
}

void TraceCanvas::fit() {
    const double margin = index_.end() * 0.01;
    state_.from = 0;
    state_.to = index_.end() > 0 ? index_.end() + margin : 1;
    takeHeight();
    viewport()->update();
}

void TraceCanvas::zoomTo(double from, double to) {
    const double all = std::max(1e-9, index_.end());
    const double span = std::clamp(to - from, kShortestZoom, all * 1.2);
    const double middle = std::clamp((from + to) / 2, 0.0, all);
    state_.from = std::max(-0.05 * span, middle - span / 2);
    state_.to = state_.from + span;
    viewport()->update();
}

void TraceCanvas::select(std::uint32_t zone) {
    if (index_.trace() == nullptr || zone >= index_.trace()->zones.size()) return;
    state_.selected = zone;
    const ProfileZone& at = index_.trace()->zones[zone];
    const double span = state_.to - state_.from;
    const bool is_tiny = at.duration / span * viewport()->width() < 12;
    if (at.end() < state_.from || at.start > state_.to || is_tiny) {
        const double wide = is_tiny ? std::max(at.duration * 20, 1e-7) : span;
        zoomTo((at.start + at.end() - wide) / 2, (at.start + at.end() + wide) / 2);
    }
    const int row = static_cast<int>(drawing().rowOf(zone));
    const int shown = viewport()->height() - 40;
    QScrollBar* bar = verticalScrollBar();
    if (row < bar->value()) bar->setValue(row - 4);
    if (row > bar->value() + shown) bar->setValue(row - shown);
    viewport()->update();
    emit selected(zone);
}

std::size_t TraceCanvas::search(const QString& words) {
    state_.found.clear();
    std::size_t count = 0;
    if (!words.isEmpty() && index_.trace() != nullptr) {
        for (const std::string& name : index_.trace()->texts)
            state_.found.push_back(QString::fromStdString(name).contains(words, Qt::CaseInsensitive));
        for (const ProfileZone& zone : index_.trace()->zones) count += state_.found[zone.name] ? 1 : 0;
    }
    viewport()->update();
    return count;
}

void TraceCanvas::selectNextMatch() {
    if (state_.found.empty()) return;
    const auto& zones = index_.trace()->zones;
    const double after = state_.selected ? zones[*state_.selected].start : -1;
    std::optional<std::uint32_t> next;
    std::optional<std::uint32_t> first;
    for (std::uint32_t i = 0; i < zones.size(); ++i) {
        if (!state_.found[zones[i].name]) continue;
        if (!first || zones[i].start < zones[*first].start) first = i;
        if (zones[i].start > after && (!next || zones[i].start < zones[*next].start)) next = i;
    }
    if (next || first) select(next ? *next : *first);
}

void TraceCanvas::selectRange(double from, double to) {
    state_.has_range = from != to;
    state_.range_from = from;
    state_.range_to = to;
    viewport()->update();
}

void TraceCanvas::takeHeight() {
    const double wanted = drawing().wantedHeight();
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(static_cast<int>(TraceDrawing::kRow));
    verticalScrollBar()->setRange(0, std::max(0, static_cast<int>(wanted) - viewport()->height()));
}

void TraceCanvas::scrollContentsBy(int, int) {
    state_.top = verticalScrollBar()->value();
    viewport()->update();
}

void TraceCanvas::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    takeHeight();
}

void TraceCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    PainterSurface surface(painter);
    drawing().draw(surface);
}

// --- input

void TraceCanvas::mousePressEvent(QMouseEvent* event) {
    pressed_ = event->position();
    pressed_from_ = state_.from;
    pressed_to_ = state_.to;
    pressed_scroll_ = verticalScrollBar()->value();
    moved_ = false;
    is_range_ = event->button() == Qt::RightButton || (event->modifiers() & Qt::ShiftModifier) != 0;
}

void TraceCanvas::mouseMoveEvent(QMouseEvent* event) {
    state_.mouse_x = event->position().x();
    state_.mouse_y = event->position().y();
    if (event->buttons() != Qt::NoButton) {
        const QPointF moved = event->position() - pressed_;
        moved_ = moved_ || moved.manhattanLength() > 3;
        if (moved_ && is_range_) {
            selectRange(drawing().timeAt(pressed_.x()), drawing().timeAt(event->position().x()));
        } else if (moved_) {
            const double room = std::max(1.0, viewport()->width() - TraceDrawing::kGutter);
            const double shift = -moved.x() / room * (pressed_to_ - pressed_from_);
            zoomTo(pressed_from_ + shift, pressed_to_ + shift);
            verticalScrollBar()->setValue(pressed_scroll_ - static_cast<int>(moved.y()));
        }
    }
    viewport()->update();
}

void TraceCanvas::mouseReleaseEvent(QMouseEvent* event) {
    if (moved_) return;
    const double x = event->position().x();
    const double y = event->position().y();
    if (const auto track = drawing().trackNameAt(x, y)) {
        if (!state_.folded.erase(*track)) state_.folded.insert(*track);
        takeHeight();
        viewport()->update();
    } else if (const auto hit = drawing().hit(x, y)) {
        hit->count > 1 ? zoomTo(hit->start, hit->end) : select(hit->zone);
    } else {
        state_.selected.reset();
        state_.has_range = false;
        viewport()->update();
        emit selected(ProfileZone::kNone);
    }
}

void TraceCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    const auto hit = drawing().hit(event->position().x(), event->position().y());
    if (!hit) return;
    const double margin = (hit->end - hit->start) * 0.1;
    zoomTo(hit->start - margin, hit->end + margin);
    moved_ = true;
}

void TraceCanvas::wheelEvent(QWheelEvent* event) {
    const double span = state_.to - state_.from;
    if (event->modifiers() & Qt::ControlModifier) {
        verticalScrollBar()->setValue(verticalScrollBar()->value() - event->angleDelta().y() / 2);
    } else if (event->modifiers() & Qt::ShiftModifier) {
        const double shift = -(event->angleDelta().y() + event->angleDelta().x()) / 1200.0 * span;
        zoomTo(state_.from + shift, state_.to + shift);
    } else {
        const double factor = std::pow(0.9985, event->angleDelta().y());
        const double fixed = drawing().timeAt(std::max(TraceDrawing::kGutter, event->position().x()));
        zoomTo(fixed - (fixed - state_.from) * factor, fixed + (state_.to - fixed) * factor);
    }
    event->accept();
}

void TraceCanvas::keyPressEvent(QKeyEvent* event) {
    const double span = state_.to - state_.from;
    switch (event->key()) {
        case Qt::Key_Space:
            return fit();
        case Qt::Key_A:
        case Qt::Key_Left:
            return zoomTo(state_.from - span * 0.15, state_.to - span * 0.15);
        case Qt::Key_D:
        case Qt::Key_Right:
            return zoomTo(state_.from + span * 0.15, state_.to + span * 0.15);
        case Qt::Key_W:
        case Qt::Key_Plus:
            return zoomTo(state_.from + span * 0.15, state_.to - span * 0.15);
        case Qt::Key_S:
        case Qt::Key_Minus:
            return zoomTo(state_.from - span * 0.2, state_.to + span * 0.2);
        default:
            QAbstractScrollArea::keyPressEvent(event);
    }
}

void TraceCanvas::leaveEvent(QEvent*) {
    state_.mouse_x.reset();
    viewport()->update();
}

}  // namespace loupe::views
