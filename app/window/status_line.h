// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The status bar: the engine's state, progress, parked position, and selection.

#include <QStatusBar>

#include "views/common/elided_label.h"
#include "views/common/session_bridge.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QToolButton;

namespace loupe::window {

class FarConnection;

class StatusLine : public QStatusBar {
    Q_OBJECT

  public:
    // far: null where the engine is on this machine.
    StatusLine(views::SessionBridge& bridge, FarConnection* far, QWidget* parent);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void showState();
    void showPlaces();
    void showReference();
    void showChanges();
    void showRanks();
    void showFar();
    bool hasGuessedInputs() const;

    views::SessionBridge& bridge_;
    QLabel* dot_;
    views::ElidedLabel* state_;
    QProgressBar* progress_;
    QToolButton* cancel_;
    views::ElidedLabel* reached_;
    views::ElidedLabel* selected_;
    views::ElidedLabel* model_;
    views::ElidedLabel* reference_;
    views::ElidedLabel* changes_;
    QComboBox* rank_;  // while there are several
    FarConnection* far_;
    views::ElidedLabel* far_line_;
    session::EventId last_change_ = 0;  // where the last change by hand stands in the run
};

}  // namespace loupe::window
