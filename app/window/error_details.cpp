// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/error_details.h"

#include <QMouseEvent>
#include <QRegularExpression>
#include <QTextBlock>

#include "views/common/theme.h"

namespace loupe::window {

using views::Theme;

namespace {

constexpr int kMostLines = 14;

// "  File "net.py", line 12": the source of the lines quoted below.
const QRegularExpression& placePattern() {
    static const QRegularExpression pattern(QStringLiteral("^\\s*File \"([^\"]+)\", line (\\d+)"));
    return pattern;
}

}  // namespace

ErrorDetails::ErrorDetails(QWidget* parent) : QPlainTextEdit(parent) {
    setObjectName(QStringLiteral("errorDetails"));
    setAccessibleName(tr("Details of the error"));
    setToolTip(tr("Click on a place, or Return in it, to go to its line in Source"));
    setReadOnly(true);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setFrameShape(QFrame::NoFrame);
    viewport()->setCursor(Qt::PointingHandCursor);
    connect(&Theme::instance(), &Theme::changed, this, &ErrorDetails::markPlaces);
}

void ErrorDetails::setDetails(const QString& details) {
    setFont(Theme::instance().codeFont());
    setPlainText(details.trimmed());
    const int lines = std::clamp(blockCount(), 2, kMostLines);
    setFixedHeight(lines * fontMetrics().lineSpacing() + 2 * static_cast<int>(document()->documentMargin()) + 12);
    markPlaces();
}

void ErrorDetails::markPlaces() {
    const Theme& theme = Theme::instance();
    QList<QTextEdit::ExtraSelection> marks;
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
        const bool isPlace = placePattern().match(block.text()).hasMatch();
        const bool isMark = block.text().contains(QStringLiteral("<--- HERE"));
        if (!isPlace && !isMark) continue;
        QTextEdit::ExtraSelection mark;
        mark.cursor = QTextCursor(block);
        mark.cursor.select(QTextCursor::LineUnderCursor);
        mark.format.setForeground(theme.colour(isPlace ? Theme::Colour::Accent : Theme::Colour::Bad));
        if (isPlace) mark.format.setFontUnderline(true);
        marks += mark;
    }
    setExtraSelections(marks);
}

// The last source position at or above the line of the text; the first one for lines before it.
void ErrorDetails::follow(int block) {
    QRegularExpressionMatch found;
    for (QTextBlock at = document()->findBlockByNumber(block); at.isValid() && !found.hasMatch(); at = at.previous())
        found = placePattern().match(at.text());
    for (QTextBlock at = document()->begin(); at.isValid() && !found.hasMatch(); at = at.next())
        found = placePattern().match(at.text());
    if (found.hasMatch()) emit placeChosen(found.captured(1), found.captured(2).toInt());
}

void ErrorDetails::mouseReleaseEvent(QMouseEvent* event) {
    QPlainTextEdit::mouseReleaseEvent(event);
    if (event->button() == Qt::LeftButton && !textCursor().hasSelection())
        follow(cursorForPosition(event->pos()).blockNumber());
}

void ErrorDetails::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) return follow(textCursor().blockNumber());
    QPlainTextEdit::keyPressEvent(event);
}

}  // namespace loupe::window
