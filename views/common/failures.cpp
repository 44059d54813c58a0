// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/failures.h"

#include <QDockWidget>
#include <QEvent>
#include <QMetaEnum>
#include <QMutexLocker>
#include <cstdio>
#include <new>

#include "core/base/error.h"

namespace loupe::views {
namespace {

QString currentText() {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return QObject::tr("out of memory");
    } catch (const std::exception& error) {
        return QString::fromUtf8(error.what());
    } catch (...) {
        return QObject::tr("an exception that is no std::exception");
    }
}

bool isPowerOfTen(int count) {
    while (count % 10 == 0) count /= 10;
    return count == 1;
}

}  // namespace

Failures& Failures::instance() {
    static Failures* const one = new Failures;  // threads may report until the end
    return *one;
}

void Failures::setSink(QObject* receiver, Sink sink) {
    const QMutexLocker lock(&mutex_);
    receiver_ = receiver;
    sink_ = std::move(sink);
}

void Failures::report(const QString& place) noexcept {
    try {
        QString text = currentText();
        const QMutexLocker lock(&mutex_);
        const int count = ++counts_[place + QLatin1Char('\n') + text];
        if (!isPowerOfTen(count)) return;
        if (count > 1) text += QObject::tr(" (%1 times)").arg(count);
        if (receiver_ == nullptr || !sink_) {
            std::fprintf(stderr, "tensorloupe: %s, in %s\n", qUtf8Printable(text), qUtf8Printable(place));
            return;
        }
        QMetaObject::invokeMethod(
            receiver_, [sink = sink_, text, place] { sink(text, place); }, Qt::QueuedConnection);
    } catch (...) {
        std::fputs("tensorloupe: out of memory while an error was reported\n", stderr);
    }
}

QString placeOf(const QObject* receiver, int eventType) {
    QString place;
    for (const QObject* object = receiver; object != nullptr && place.isEmpty(); object = object->parent()) {
        if (const auto* dock = qobject_cast<const QDockWidget*>(object))
            place = dock->windowTitle() + QStringLiteral(": ");
    }
    place += QString::fromLatin1(receiver->metaObject()->className());
    if (!receiver->objectName().isEmpty()) place += QLatin1Char(' ') + receiver->objectName();
    const char* const name = QMetaEnum::fromType<QEvent::Type>().valueToKey(eventType);
    return place + QStringLiteral(", ") +
           (name != nullptr ? QString::fromLatin1(name) : QStringLiteral("event %1").arg(eventType));
}

}  // namespace loupe::views
