// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>

namespace loupe::window {

// What leaves a slot, a timer, a queued call or an event handler goes to Failures, and the event loop goes on.
class Application : public QApplication {
    Q_OBJECT

  public:
    using QApplication::QApplication;
    bool notify(QObject* receiver, QEvent* event) override;
};

}  // namespace loupe::window
