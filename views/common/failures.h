// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Unexpected exceptions: they are shown in the Log with their place, and the window continues.

#include <QHash>
#include <QMutex>
#include <QObject>
#include <QPointer>
#include <QString>
#include <functional>

namespace loupe::views {

class Failures {
  public:
    static Failures& instance();

    // text: of the exception; place: its origin. Called in the receiver's thread; without a receiver: standard error.
    using Sink = std::function<void(const QString& text, const QString& place)>;
    void setSink(QObject* receiver, Sink sink);

    // In a catch block, on any thread: reports the current exception. A repeated one is reported the 1st, 10th, 100th
    // ... time.
    void report(const QString& place) noexcept;

  private:
    QMutex mutex_;
    QPointer<QObject> receiver_;
    Sink sink_;
    QHash<QString, int> counts_;
};

// Runs work of a thread, a timer or a callback without a caller that catches.
template <typename Work>
void guarded(const QString& place, Work&& work) noexcept {
    try {
        work();
    } catch (...) {
        Failures::instance().report(place);
    }
}

// "Events: QTreeView eventTree, MouseButtonPress": where an event was being handled.
QString placeOf(const QObject* receiver, int eventType);

}  // namespace loupe::views
