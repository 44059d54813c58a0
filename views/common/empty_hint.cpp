// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/empty_hint.h"

#include <QAbstractScrollArea>
#include <QEvent>

namespace loupe::views {

namespace {

QWidget* surfaceOf(QWidget* widget) {
    const auto* area = qobject_cast<QAbstractScrollArea*>(widget);
    return area ? area->viewport() : widget;
}

}  // namespace

EmptyHint::EmptyHint(QWidget* over) : QLabel(surfaceOf(over)) {
    setObjectName(QStringLiteral("emptyHint"));
    setProperty("faint", true);
    setAlignment(Qt::AlignCenter);
    setWordWrap(true);
    setMargin(16);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    parentWidget()->installEventFilter(this);
    hide();
}

void EmptyHint::say(const QString& text) {
    setText(text);
    setGeometry(parentWidget()->rect());
    setVisible(!text.isEmpty());
    raise();
}

bool EmptyHint::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) setGeometry(parentWidget()->rect());
    return QLabel::eventFilter(watched, event);
}

}  // namespace loupe::views
