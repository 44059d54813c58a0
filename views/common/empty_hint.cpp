// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/empty_hint.h"

#include <QAbstractScrollArea>
#include <QEvent>

namespace loupe::views {

namespace {

constexpr int kMargin = 16;
constexpr int kLeastMargin = 2;

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
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    parentWidget()->installEventFilter(this);
    hide();
}

void EmptyHint::say(const QString& text) {
    setText(text);
    fit();
    setVisible(!text.isEmpty());
    raise();
}

// Where the room is small the margin goes before the text does.
void EmptyHint::fit() {
    setGeometry(parentWidget()->rect());
    setMargin(kMargin);
    while (margin() > kLeastMargin && heightForWidth(width()) > height()) setMargin(margin() - 1);
}

bool EmptyHint::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) fit();
    return QLabel::eventFilter(watched, event);
}

}  // namespace loupe::views
