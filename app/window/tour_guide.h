// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Leads through a tour, one step at a time: brings the step's panel to the front, points at its place, and waits until
// what it asks for is done, by the user or, when asked, by itself.

#include <QPointer>
#include <QTimer>

#include "app/window/tours.h"
#include "core/record/recording.h"
#include "core/session/status.h"
#include "views/common/session_bridge.h"

namespace loupe::window {

class Actions;
class Docks;
class TourCallout;
class TourRing;

class TourGuide : public QObject {
    Q_OBJECT

  public:
    TourGuide(QWidget& window, views::SessionBridge& bridge, Docks& docks, Actions& actions);

    void start(const Tour& tour);
    void end();
    bool isOn() const { return step_ >= 0; }
    int step() const { return step_; }
    const Tour& tour() const { return tour_; }
    // What "Next" does: the step's work where it is not done, else the step behind it.
    void next();
    void back();
    // The step asks for nothing, or it is there.
    bool isDone() const;
    // It has been begun, and is not there yet.
    bool waits() const { return waits_; }
    TourCallout& callout() { return *callout_; }
    // Where the step points, in the window; empty: nowhere.
    QRect place() const;

    // One line of a step's work: "open FILE" (of the resources), "do ACTION", "show PANEL", "set WIDGET VALUE",
    // "click WIDGET", "event OPERATOR [last]", "value NAME", "explain greatest", "explain bad". Empty, or why not.
    QString perform(const QString& work);
    // "open", "ran", "parked", "timed", "pinned", "explained", "event OPERATOR".
    bool isReached(const QString& until) const;

  signals:
    void openWanted(const QString& file);

  private:
    void showStep(int step);
    void follow();
    void noteBefore();
    void work();
    QWidget* find(const QString& name) const;
    // What the step points at, where it is shown; null: nothing.
    QWidget* target() const;
    void bringIntoView();
    QString set(const QString& name, const QString& value);
    QString chooseEvent(const QString& op, bool last);
    QString explain(const QString& which);
    bool isCurrent(const QString& op) const;

    QWidget& window_;
    views::SessionBridge& bridge_;
    Docks& docks_;
    Actions& actions_;
    TourRing* ring_;
    TourCallout* callout_;
    QTimer timer_;
    Tour tour_;
    int step_ = -1;
    bool waits_ = false;
    bool was_worked_ = false;  // what the step asks for was begun by the tour
    bool has_begun_ = false;   // a run of this step: an older one does not count
    QString file_;             // that the tour opened
    // What there was before: a run is the step's when anything of it is another.
    std::shared_ptr<const session::Recording> before_;
    session::RunState state_before_ = session::RunState::Empty;
    session::EventId reached_before_ = 0;
    bool was_done_ = false;
    bool is_explained_ = false;
};

}  // namespace loupe::window
