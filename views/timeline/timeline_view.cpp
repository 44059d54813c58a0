// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/timeline_view.h"

#include <imgui.h>

#include <QMouseEvent>
#include <QPainter>
#include <QVBoxLayout>
#include <cmath>

#include "views/common/comparison.h"
#include "views/common/format.h"
#include "views/common/panel_output.h"
#include "views/common/ranks.h"
#include "views/timeline/imgui_widget.h"
#include "views/timeline/rank_lanes.h"

namespace loupe::views {
namespace {

constexpr double kShortest = 1e-8;  // seconds across the panel

}  // namespace

// Where there is no OpenGL, and until the panel is in sight.
class TimelineView::PainterCanvas : public QWidget {
  public:
    explicit PainterCanvas(TimelineView* view) : QWidget(view), view_(view) {
        setMouseTracking(true);
        setFocusPolicy(Qt::StrongFocus);
    }

  protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        PainterSurface surface(painter);
        view_->drawing().draw(surface);
        // Painting implies visibility.
        QMetaObject::invokeMethod(view_, &TimelineView::useOpenGl, Qt::QueuedConnection);
    }

  private:
    TimelineView* view_;
};

ViewDescription TimelineView::describe() {
    return {QStringLiteral("timeline"), tr("Timeline"),
            tr("Operators, module calls and memory over time. The wheel zooms, dragging moves, Shift and dragging "
               "selects a "
               "stretch and counts what is in it; a click makes an event current. Traces of PyTorch's profiler that "
               "are opened are shown here too: as they were recorded, beside the model."),
            QStringLiteral("timeline"), Place::Bottom};
}

TimelineView::TimelineView(SessionBridge& bridge, QWidget* parent) : View(bridge, parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    makeBar();
    pages_ = new QStackedWidget(this);
    makeRunPage();
    pages_->addWidget(run_page_);
    pane_ = new TracePane(pages_);
    pages_->addWidget(pane_);
    lanes_ = new RankLanes(bridge, pages_);
    pages_->addWidget(lanes_);
    layout->addWidget(pages_, 1);
    connect(&Ranks::of(bridge), &Ranks::changed, this, &TimelineView::showPage);

    connect(&bridge, &SessionBridge::recordingChanged, this, &TimelineView::takeRecording);
    connect(&bridge, &SessionBridge::eventsGrown, this, &TimelineView::takeEvents);
    connect(&bridge, &SessionBridge::currentChanged, this, &TimelineView::takeCurrent);
    connect(&bridge, &SessionBridge::timesChanged, this, &TimelineView::takeTimes);
    connect(&Comparison::of(bridge), &Comparison::differencesChanged, this, &TimelineView::takeDifferences);
    connect(&bridge, &SessionBridge::statusChanged, this, [this] {
        state_.reached = this->bridge().parkedEvent();
        markMemory();
        if (index_.takeLoads() && showing_all_) fit();
        placeButtons();
        canvas_->update();
    });
    connect(&Imports::of(bridge), &Imports::tracesChanged, this, &TimelineView::takeTraces);
    connect(&bridge, &SessionBridge::recordingChanged, this, &TimelineView::showPage);
    connect(&bridge, &SessionBridge::statusChanged, this, &TimelineView::askForRun);
    takeRecording();
    takeTraces();
}

void TimelineView::makeRunPage() {
    run_page_ = new QWidget(pages_);
    auto* column = new QVBoxLayout(run_page_);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    follow_ = new QToolButton(this);
    follow_->setText(tr("Follow"));
    follow_->setCheckable(true);
    follow_->setProperty("kept", true);
    follow_->setChecked(true);
    follow_->setToolTip(tr("While the model runs, keep its newest events in sight"));
    follow_->move(4, 0);
    follow_->setStyleSheet(QStringLiteral("QToolButton { padding: 0 4px; }"));
    time_ = new QToolButton(this);
    time_->setObjectName(QStringLiteral("timeProperly"));
    connect(time_, &QToolButton::clicked, &bridge(), &SessionBridge::timeProperly);
    warm_ = new QToolButton(this);
    warm_->setObjectName(QStringLiteral("warmTimes"));
    warm_->setText(tr("Warm"));
    warm_->setCheckable(true);
    warm_->setChecked(true);
    warm_->setToolTip(tr("Laid out by the medians of warm runs; else by what this run took"));
    connect(warm_, &QToolButton::toggled, this, &TimelineView::layOut);
    for (QToolButton* button : {time_, warm_}) button->setStyleSheet(QStringLiteral("QToolButton { padding: 0 4px; }"));
    use(new PainterCanvas(this));
}

void TimelineView::use(QWidget* canvas) {
    QWidget* before = canvas_;
    const bool had_focus = before && before->hasFocus();
    canvas_ = canvas;
    canvas_->setAccessibleName(tr("Timeline of the run"));
    canvas_->setMinimumHeight(90);
    canvas_->installEventFilter(this);
    setFocusProxy(canvas_);
    if (before) {
        before->removeEventFilter(this);
        run_page_->layout()->replaceWidget(before, canvas_);
        before->deleteLater();
    } else {
        run_page_->layout()->addWidget(canvas_);
    }
    follow_->setParent(canvas_);
    follow_->move(4, 0);
    follow_->show();
    for (QToolButton* button : {time_, warm_}) button->setParent(canvas_);
    time_->show();
    placeButtons();
    if (had_focus) canvas_->setFocus();
}

void TimelineView::useOpenGl() {
    if (has_open_gl_ || pages_->currentWidget() != run_page_ || !isInSight() || !ImGuiWidget::isAvailable()) return;
    has_open_gl_ = true;
    use(new ImGuiWidget(
        [this] {
            ImGuiSurface surface(ImGui::GetBackgroundDrawList());
            drawing().draw(surface);
        },
        this));
    canvas_->show();
}

TimelineDrawing TimelineView::drawing() const {
    return {index_, state_, static_cast<double>(canvas_->width()), static_cast<double>(canvas_->height())};
}

void TimelineView::takeRecording() {
    recording_ = bridge().recording();
    layOut();
}

// Positions of zones change: the visible range is reset.
void TimelineView::layOut() {
    index_.reset(recording_.get(), recording_ && warm_->isChecked() ? recording_->warm_times() : nullptr);
    state_ = {};
    marked_ = 0;
    showing_all_ = true;
    placeButtons();
    takeEvents();
    takeCurrent();
    takeDifferences();
}

void TimelineView::takeDifferences() {
    const auto& found = Comparison::of(bridge()).differences();
    reference_ = referenceTimes(index_, found);
    state_.reference = reference_.differences != nullptr ? &reference_ : nullptr;
    canvas_->update();
}

void TimelineView::takeTimes() {
    placeButtons();
    if (!bridge().isTiming()) layOut();
}

// At the end of the axis.
void TimelineView::placeButtons() {
    const QString why = bridge().whyNotTimed();
    time_->setEnabled(why.isEmpty());
    time_->setText(bridge().isTiming() ? tr("timing\u2026") : tr("Time it"));
    const QString tip = tr("Time it properly: repeats the run warm, and lays operators out by their medians");
    time_->setToolTip(why.isEmpty() ? tip : tr("%1\nNot now: %2").arg(tip, why));
    warm_->setVisible(bridge().warmTimes() != nullptr);
    int right = canvas_->width() - 4;
    for (QToolButton* button : {time_, warm_}) {
        if (button == warm_ && !bridge().warmTimes()) continue;
        button->adjustSize();
        button->resize(button->width(), static_cast<int>(TimelineDrawing::kAxis) - 1);
        right -= button->width();
        button->move(right, 0);
        right -= 4;
    }
    state_.note_right = canvas_->width() - right;
}

// Blocks that are let go of are known when the run stands still.
void TimelineView::markMemory() {
    if (bridge().isBusy() || marked_ == bridge().eventCount()) return;
    marked_ = bridge().eventCount();
    index_.markMemory();
}

void TimelineView::takeEvents() {
    index_.update(bridge().eventCount());
    index_.takeLoads();
    markMemory();
    if (index_.end() <= 0) {
        canvas_->update();
        return;
    }
    if (showing_all_) {
        fit();
    } else if (follow_->isChecked() && bridge().isBusy() && index_.end() > state_.to) {
        const double span = state_.to - state_.from;
        state_.to = index_.end();
        state_.from = state_.to - span;
    }
    canvas_->update();
}

void TimelineView::takeCurrent() {
    state_.current = bridge().currentEvent();
    if (recording_ && state_.current != 0 && state_.current <= recording_->event_count()) {
        const double span = state_.to - state_.from;
        const Zone zone = index_.zoneOf(state_.current);
        if (zone.end < state_.from || zone.start > state_.to)
            zoomTo((zone.start + zone.end - span) / 2, (zone.start + zone.end + span) / 2);
    }
    canvas_->update();
}

void TimelineView::fit() {
    if (pages_->currentWidget() == pane_) return pane_->fit();
    if (pages_->currentWidget() == lanes_) return lanes_->fit();
    showing_all_ = true;
    const double margin = (index_.end() - index_.begin()) * 0.01;
    state_.from = std::max(0.0, index_.begin() - margin);
    state_.to = index_.end() > 0 ? index_.end() + margin : 1;
    canvas_->update();
}

void TimelineView::zoomTo(double from, double to) {
    const double all = std::max(1e-6, index_.end());
    const double span = std::clamp(to - from, kShortest, all * 1.2);
    const double middle = std::clamp((from + to) / 2, 0.0, all);
    state_.from = std::max(-0.05 * span, middle - span / 2);
    state_.to = state_.from + span;
    showing_all_ = false;
    canvas_->update();
}

void TimelineView::selectRange(double from, double to) {
    state_.has_range = to != from;
    state_.range_from = from;
    state_.range_to = to;
    canvas_->update();
}

void TimelineView::addActions(QMenu& menu) {
    menu.addAction(tr("Show all of the timeline\tSpace"), this, [this] { fit(); });
    menu.addAction(tr("Zoom timeline to current event"), this, [this] {
        if (!recording_ || state_.current == 0 || state_.current > recording_->event_count()) return;
        const Zone zone = index_.zoneOf(state_.current);
        zoomTo(2 * zone.start - zone.end, 2 * zone.end - zone.start);
    });
    enableUnless(menu.addAction(tr("Time it properly"), &bridge(), &SessionBridge::timeProperly),
                 bridge().whyNotTimed());
    menu.addAction(tr("Copy operators as CSV"), this, &TimelineView::copyTotals);
    menu.addAction(tr("Clear selected stretch"), this, [this] { selectRange(0, 0); });
}

// --- input

bool TimelineView::eventFilter(QObject* object, QEvent* event) {
    if (object != canvas_) return View::eventFilter(object, event);
    switch (event->type()) {
        case QEvent::MouseButtonPress:
            press(static_cast<QMouseEvent*>(event));
            break;
        case QEvent::MouseMove:
            move(static_cast<QMouseEvent*>(event));
            break;
        case QEvent::MouseButtonRelease:
            release(static_cast<QMouseEvent*>(event));
            break;
        case QEvent::Wheel:
            wheel(static_cast<QWheelEvent*>(event));
            break;
        case QEvent::MouseButtonDblClick: {
            const QPointF at = static_cast<QMouseEvent*>(event)->position();
            if (const auto hit = drawing().hit(at.x(), at.y())) {
                const double margin = (hit->end - hit->start) * 0.1;
                zoomTo(hit->start - margin, hit->end + margin);
            }
            break;
        }
        case QEvent::KeyPress:
            if (key(static_cast<QKeyEvent*>(event))) return true;
            break;
        case QEvent::Resize:
            placeButtons();
            break;
        case QEvent::Leave:
            state_.mouse_x.reset();
            canvas_->update();
            break;
        default:
            break;
    }
    return View::eventFilter(object, event);
}

void TimelineView::press(QMouseEvent* event) {
    pressed_ = event->position();
    pressed_from_ = state_.from;
    pressed_to_ = state_.to;
    moved_ = false;
    const bool range = event->button() == Qt::RightButton ||
                       (event->button() == Qt::LeftButton && event->modifiers() & Qt::ShiftModifier);
    drag_ = range ? Drag::Range : Drag::Pan;
}

void TimelineView::move(QMouseEvent* event) {
    state_.mouse_x = event->position().x();
    state_.mouse_y = event->position().y();
    if (event->buttons() != Qt::NoButton && drag_ != Drag::None) {
        const double moved = event->position().x() - pressed_.x();
        moved_ = moved_ || std::abs(moved) > 3;
        if (moved_ && drag_ == Drag::Pan) {
            const double shift =
                -moved / std::max(1.0, canvas_->width() - TimelineDrawing::kGutter) * (pressed_to_ - pressed_from_);
            zoomTo(pressed_from_ + shift, pressed_to_ + shift);
        } else if (moved_) {
            selectRange(drawing().timeAt(pressed_.x()), drawing().timeAt(event->position().x()));
        }
    }
    canvas_->update();
}

void TimelineView::release(QMouseEvent* event) {
    if (!moved_ && event->button() == Qt::LeftButton) {
        if (const auto hit = drawing().hit(event->position().x(), event->position().y()); hit && recording_) {
            if (hit->count > 1) {
                zoomTo(hit->start, hit->end);
            } else if (hit->event != 0) {
                bridge().setCurrentEvent(hit->event);
            } else if (hit->frame != 0) {
                bridge().setCurrentEvent(recording_->frame(hit->frame).first_event);
            }
        } else {
            selectRange(0, 0);
        }
    }
    drag_ = Drag::None;
}

void TimelineView::wheel(QWheelEvent* event) {
    const double span = state_.to - state_.from;
    if (event->modifiers() & Qt::ShiftModifier) {
        const double shift = -(event->angleDelta().y() + event->angleDelta().x()) / 1200.0 * span;
        zoomTo(state_.from + shift, state_.to + shift);
        return;
    }
    const double factor = std::pow(0.9985, event->angleDelta().y());
    const double fixed = drawing().timeAt(std::max(TimelineDrawing::kGutter, event->position().x()));
    zoomTo(fixed - (fixed - state_.from) * factor, fixed + (state_.to - fixed) * factor);
}

bool TimelineView::key(QKeyEvent* event) {
    const double span = state_.to - state_.from;
    switch (event->key()) {
        case Qt::Key_Space:
            fit();
            return true;
        case Qt::Key_A:
            zoomTo(state_.from - span * 0.15, state_.to - span * 0.15);
            return true;
        case Qt::Key_D:
            zoomTo(state_.from + span * 0.15, state_.to + span * 0.15);
            return true;
        case Qt::Key_W:
        case Qt::Key_Plus:
            zoomTo(state_.from + span * 0.15, state_.to - span * 0.15);
            return true;
        case Qt::Key_S:
        case Qt::Key_Minus:
            zoomTo(state_.from - span * 0.2, state_.to + span * 0.2);
            return true;
        case Qt::Key_Left:
        case Qt::Key_Up:
            if (state_.current > 1) bridge().setCurrentEvent(state_.current - 1);
            return true;
        case Qt::Key_Right:
        case Qt::Key_Down:
            if (state_.current < bridge().eventCount()) bridge().setCurrentEvent(state_.current + 1);
            return true;
        case Qt::Key_Escape:
            if (!state_.has_range) return false;
            selectRange(0, 0);
            return true;
        default:
            return false;
    }
}

}  // namespace loupe::views
