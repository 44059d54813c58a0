// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Exceptions that nothing expects: they end no program. What was thrown goes to the Log with its place, and the window goes on.

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

    // text: what was thrown; place: where. Called in the receiver's thread; without a receiver failures go to standard error.
    using Sink = std::function<void(const QString& text, const QString& place)>;
    void setSink(QObject* receiver, Sink sink);

    // In a catch block, on any thread: the exception under way. One that comes again and again is reported the 1st, 10th, 100th ... time.
    void report(const QString& place) noexcept;

  private:
    QMutex mutex_;
    QPointer<QObject> receiver_;
    Sink sink_;
    QHash<QString, int> counts_;
};

// Work of a thread, a timer or a callback that has no caller to catch what it throws.
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
