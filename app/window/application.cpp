// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/application.h"

#include <QEvent>
#include <QPointer>

#include "views/common/failures.h"

namespace loupe::window {

bool Application::notify(QObject* receiver, QEvent* event) {
    // Before the handler runs: it may delete the receiver.
    const QPointer<QObject> alive(receiver);
    const int type = event->type();
    const char* const kind = receiver->metaObject()->className();
    try {
        return QApplication::notify(receiver, event);
    } catch (...) {
        views::Failures::instance().report(alive ? views::placeOf(alive, type) : QString::fromLatin1(kind));
    }
    return true;
}

}  // namespace loupe::window
