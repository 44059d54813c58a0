// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>

namespace loupe::window {

// Exceptions from a slot, a timer, a queued call or an event handler are reported to Failures; the event loop
// continues.
class Application : public QApplication {
    Q_OBJECT

  public:
    using QApplication::QApplication;
    bool notify(QObject* receiver, QEvent* event) override;
};

}  // namespace loupe::window
