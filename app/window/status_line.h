// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The bar at the foot: what the engine does, how far it is, where it is parked, what is selected.

#include <QStatusBar>

#include "views/common/session_bridge.h"

class QLabel;
class QProgressBar;
class QToolButton;

namespace loupe::window {

class StatusLine : public QStatusBar {
    Q_OBJECT

  public:
    StatusLine(views::SessionBridge& bridge, QWidget* parent);

  private:
    void showState();
    void showPlaces();

    views::SessionBridge& bridge_;
    QLabel* dot_;
    QLabel* state_;
    QProgressBar* progress_;
    QToolButton* cancel_;
    QLabel* reached_;
    QLabel* selected_;
    QLabel* model_;
};

}  // namespace loupe::window
