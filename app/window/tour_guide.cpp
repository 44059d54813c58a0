// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tour_guide.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QDockWidget>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <utility>

#include "app/window/actions.h"
#include "app/window/docks.h"
#include "app/window/resources.h"
#include "app/window/tour_callout.h"
#include "views/common/comparison.h"
#include "views/common/format.h"

namespace loupe::window {

using session::RunState;

TourGuide::TourGuide(QWidget& window, views::SessionBridge& bridge, Docks& docks, Actions& actions)
    : QObject(&window),
      window_(window),
      bridge_(bridge),
      docks_(docks),
      actions_(actions),
      ring_(new TourRing(&window)),
      callout_(new TourCallout(&window)) {
    connect(callout_, &TourCallout::nextWanted, this, &TourGuide::next);
    connect(callout_, &TourCallout::backWanted, this, &TourGuide::back);
    connect(callout_, &TourCallout::endWanted, this, &TourGuide::end);
    connect(&bridge, &views::SessionBridge::explanationWanted, this, [this] { is_explained_ = true; });
    // Panels move, open and fill while it points at them.
    timer_.setInterval(100);
    connect(&timer_, &QTimer::timeout, this, &TourGuide::follow);
}

void TourGuide::start(const Tour& tour) {
    tour_ = tour;
    file_.clear();
    timer_.start();
    showStep(0);
}

void TourGuide::end() {
    step_ = -1;
    waits_ = false;
    timer_.stop();
    ring_->hide();
    callout_->hide();
}

void TourGuide::showStep(int step) {
    step_ = step;
    waits_ = was_worked_ = is_explained_ = was_done_ = false;
    noteBefore();
    const TourStep& shown = tour_.steps[static_cast<std::size_t>(step)];
    if (!shown.panel.isEmpty() && bridge_.model()) docks_.show(shown.panel);
    callout_->showStep(tour_.title, shown.text, step + 1, static_cast<int>(tour_.steps.size()));
    follow();
    callout_->nextButton()->setFocus();
}

void TourGuide::noteBefore() {
    has_begun_ = false;
    before_ = bridge_.recording();
    state_before_ = bridge_.status().state;
    reached_before_ = bridge_.status().reached;
}

bool TourGuide::isDone() const {
    const TourStep& step = tour_.steps[static_cast<std::size_t>(step_)];
    return step.until.isEmpty() ? was_worked_ || step.work.isEmpty() : isReached(step.until);
}

void TourGuide::next() {
    if (!isOn()) return;
    if (!isDone()) return waits_ ? void() : work();
    waits_ = false;
    if (step_ + 1 == static_cast<int>(tour_.steps.size())) return end();
    showStep(step_ + 1);
}

void TourGuide::back() {
    if (step_ > 0) showStep(step_ - 1);
}

void TourGuide::work() {
    const TourStep& step = tour_.steps[static_cast<std::size_t>(step_)];
    callout_->setProblem({});
    was_worked_ = true;
    for (const QString& each : step.work) {
        const QString why = perform(each);
        if (why.isEmpty()) continue;
        was_worked_ = false;
        callout_->setProblem(why);
        return follow();
    }
    waits_ = !step.until.isEmpty();
    follow();
}

void TourGuide::follow() {
    if (!isOn()) return;
    const TourStep& step = tour_.steps[static_cast<std::size_t>(step_)];
    const RunState state = bridge_.status().state;
    has_begun_ = has_begun_ || state != state_before_ || bridge_.status().reached != reached_before_ ||
                 bridge_.recording() != before_;
    const bool is_done = isDone();
    // An error is told where it always is; the step can be tried again.
    if (is_done || state == RunState::Failed) waits_ = false;
    callout_->setState(!step.work.isEmpty(), is_done, waits_);
    // What it began may have taken the keyboard.
    const bool is_typing = qobject_cast<QLineEdit*>(window_.focusWidget()) != nullptr;
    if (is_done && !std::exchange(was_done_, is_done) && !is_typing) callout_->nextButton()->setFocus();
    bringIntoView();
    const QRect at = place();
    ring_->surround(at);
    callout_->stand(at);
    callout_->raise();
}

QWidget* TourGuide::target() const {
    const TourStep& step = tour_.steps[static_cast<std::size_t>(step_)];
    QWidget* found = step.widget.isEmpty() ? nullptr : find(step.widget);
    if (found == nullptr && !step.panel.isEmpty()) found = docks_.view(step.panel);
    return found != nullptr && found->isVisible() ? found : nullptr;
}

// What lies below the fold of a panel that scrolls.
void TourGuide::bringIntoView() {
    QWidget* shown = target();
    if (shown == nullptr || !shown->visibleRegion().isEmpty()) return;
    for (QWidget* above = shown->parentWidget(); above != nullptr; above = above->parentWidget()) {
        if (auto* area = qobject_cast<QScrollArea*>(above)) return area->ensureWidgetVisible(shown);
    }
}

QRect TourGuide::place() const {
    const QWidget* shown = target();
    if (shown == nullptr) return {};
    const QRect whole(shown->mapTo(&window_, QPoint()), shown->size());
    return whole.intersected(window_.rect());
}

// --- what steps say

QWidget* TourGuide::find(const QString& name) const {
    const QList<QWidget*> all = window_.findChildren<QWidget*>(name);
    for (QWidget* each : all) {
        if (each->isVisible()) return each;
    }
    return all.isEmpty() ? nullptr : all.front();
}

bool TourGuide::isCurrent(const QString& op) const {
    const auto& recording = bridge_.recording();
    const session::EventId id = bridge_.currentEvent();
    return recording && id != 0 && id <= recording->event_count() && views::shortOpName(recording->event(id).op) == op;
}

bool TourGuide::isReached(const QString& until) const {
    const RunState state = bridge_.status().state;
    if (until == QLatin1String("open")) {
        const bool is_it = bridge_.model() && !file_.isEmpty() && bridge_.model()->path == file_.toStdString();
        return is_it && state != RunState::Opening;
    }
    if (until == QLatin1String("ran")) return has_begun_ && state == RunState::Finished;
    if (until == QLatin1String("parked")) return has_begun_ && bridge_.isPaused();
    if (until == QLatin1String("timed")) return bridge_.warmTimes() != nullptr && !bridge_.isTiming();
    if (until == QLatin1String("pinned")) return views::Comparison::of(bridge_).isOn();
    if (until == QLatin1String("explained")) return is_explained_;
    if (until.startsWith(QLatin1String("event "))) return isCurrent(until.section(QLatin1Char(' '), 1));
    return false;
}

QString TourGuide::perform(const QString& work) {
    const QString verb = work.section(QLatin1Char(' '), 0, 0);
    const QString what = work.section(QLatin1Char(' '), 1);
    if (verb == QLatin1String("open")) {
        file_ = resourceFolder().absoluteFilePath(what);
        emit openWanted(file_);
        return {};
    }
    if (verb == QLatin1String("do")) {
        QAction* action = actions_[what];
        if (action == nullptr || !action->isEnabled())
            return action == nullptr ? tr("there is no command %1").arg(what)
                                     : action->toolTip().section(QLatin1Char('\n'), -1);
        noteBefore();
        action->trigger();
        return {};
    }
    if (verb == QLatin1String("show")) {
        docks_.show(what);
        return {};
    }
    if (verb == QLatin1String("set"))
        return set(what.section(QLatin1Char(' '), 0, 0), what.section(QLatin1Char(' '), 1));
    if (verb == QLatin1String("click")) {
        auto* button = qobject_cast<QAbstractButton*>(find(what));
        if (button == nullptr || !button->isEnabled()) return tr("it cannot be done now");
        button->click();
        return {};
    }
    if (verb == QLatin1String("event"))
        return chooseEvent(what.section(QLatin1Char(' '), 0, 0), what.endsWith(QLatin1String(" last")));
    if (verb == QLatin1String("value"))
        return bridge_.followLink(what) ? QString() : tr("the run has nothing called %1").arg(what);
    if (verb == QLatin1String("explain")) return explain(what);
    return tr("a tour cannot %1").arg(verb);
}

QString TourGuide::set(const QString& name, const QString& value) {
    QWidget* widget = find(name);
    if (auto* button = qobject_cast<QAbstractButton*>(widget)) {
        if (button->isChecked() != (value == QLatin1String("on"))) button->click();
        return {};
    }
    if (auto* combo = qobject_cast<QComboBox*>(widget)) {
        // Choices with texts of the window's have names beside them.
        const int named = combo->findData(value);
        const int at = named >= 0 ? named : combo->findText(value, Qt::MatchStartsWith);
        if (at < 0) return tr("there is no choice %1").arg(value);
        if (at == combo->currentIndex()) return {};
        combo->setCurrentIndex(at);
        emit combo->activated(at);
        return {};
    }
    if (auto* line = qobject_cast<QLineEdit*>(widget)) {
        line->setText(value);
        emit line->textEdited(value);
        emit line->editingFinished();
        return {};
    }
    return tr("it is not there now");
}

QString TourGuide::chooseEvent(const QString& op, bool last) {
    const auto& recording = bridge_.recording();
    session::EventId found = 0;
    for (session::EventId id = 1; recording && id <= recording->event_count(); ++id) {
        const session::Event& event = recording->event(id);
        if (event.phase != session::RunPhase::Forward || views::shortOpName(event.op) != op) continue;
        found = id;
        if (!last) break;
    }
    if (found == 0) return tr("no %1 has run").arg(op);
    bridge_.setCurrentEvent(found);
    return {};
}

// Of what the current event gave first: its greatest element, or one that is not finite.
QString TourGuide::explain(const QString&) {
    const auto& recording = bridge_.recording();
    const session::EventId id = bridge_.currentEvent();
    if (!recording || id == 0 || id > recording->event_count() || recording->event(id).outputs.empty())
        return tr("choose an event that gives a tensor");
    bridge_.explain(recording->event(id).outputs.front(), {});
    return {};
}

}  // namespace loupe::window
