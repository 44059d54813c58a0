// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Watch and breakpoints.

#include "views/common/view.h"

class QTableView;

namespace loupe::views {

class BreakpointModel;
class EmptyHint;
class WatchModel;

class WatchView : public View {
    Q_OBJECT

  public:
    WatchView(SessionBridge& bridge, QWidget* parent);
    static ViewDescription describe();

    BreakpointModel& breakpoints() { return *breakpoints_; }
    WatchModel& watches() { return *watches_; }

    void addActions(QMenu& menu) override;
    // A run begins: what is typed in a cell counts for it; what is wrong stays in its editor, and the log says that it
    // does not count.
    void takeTyped();
    QString emptyNote() const override;

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QWidget* makeBreakpoints();
    QWidget* makeWatches();
    void fillAddMenu(QMenu& menu);
    void askForText(session::Breakpoint::Kind kind);
    void removeSelected();
    void goTo(int row);

    BreakpointModel* breakpoints_;
    WatchModel* watches_;
    QTableView* breakpoint_table_;
    QTableView* watch_table_;
    EmptyHint* hint_ = nullptr;
};

}  // namespace loupe::views
