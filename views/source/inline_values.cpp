// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/source/inline_values.h"

#include <Qsci/qsciscintilla.h>

#include <QEvent>
#include <QPainter>

#include "views/common/theme.h"

namespace loupe::views {

InlineValues::InlineValues(QsciScintilla* editor) : QWidget(editor->viewport()), editor_(editor) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAttribute(Qt::WA_NoSystemBackground);
    editor->viewport()->installEventFilter(this);
    resize(editor->viewport()->size());
    hide();
}

void InlineValues::setTexts(std::map<int, QString> texts, std::set<int> bad) {
    if (texts == texts_ && bad == bad_) return;
    texts_ = std::move(texts);
    bad_ = std::move(bad);
    setVisible(!texts_.empty() || trouble_line_ >= 0);
    raise();
    update();
}

void InlineValues::setTrouble(int line, const QString& words) {
    trouble_line_ = line;
    trouble_ = words;
    setVisible(!texts_.empty() || trouble_line_ >= 0);
    raise();
    update();
}

bool InlineValues::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) resize(editor_->viewport()->size());
    return QWidget::eventFilter(watched, event);
}

void InlineValues::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    QFont font = Theme::instance().codeFont();
    font.setItalic(true);
    font.setPointSizeF(font.pointSizeF() * 0.92);
    painter.setFont(font);
    for (const auto& [line, words] : texts_) paintLine(painter, line);
    if (trouble_line_ >= 0 && !texts_.contains(trouble_line_)) paintLine(painter, trouble_line_);
}

void InlineValues::paintLine(QPainter& painter, int line) {
    const Theme& theme = Theme::instance();
    const auto at = static_cast<unsigned long>(line);
    const long end = editor_->SendScintilla(QsciScintilla::SCI_GETLINEENDPOSITION, at);
    if (editor_->SendScintilla(QsciScintilla::SCI_GETLINEVISIBLE, at) == 0) return;
    const int x = static_cast<int>(editor_->SendScintilla(QsciScintilla::SCI_POINTXFROMPOSITION, 0UL, end));
    const int y = static_cast<int>(editor_->SendScintilla(QsciScintilla::SCI_POINTYFROMPOSITION, 0UL, end));
    const int high = static_cast<int>(editor_->SendScintilla(QsciScintilla::SCI_TEXTHEIGHT, at));
    if (y + high < 0 || y > height()) return;
    int left = x + 2 * painter.fontMetrics().averageCharWidth();
    const auto write = [&](const QString& words, Theme::Colour colour) {
        const int room = std::max(0, width() - left - 4);
        const QString shown = painter.fontMetrics().elidedText(words, Qt::ElideRight, room);
        painter.setPen(theme.colour(colour));
        painter.drawText(QRect(left, y, room, high), Qt::AlignLeft | Qt::AlignVCenter, shown);
        left += painter.fontMetrics().horizontalAdvance(shown + QStringLiteral("   "));
    };
    // The failure first.
    if (line == trouble_line_) write(QStringLiteral("\u2716 ") + trouble_, Theme::Colour::Bad);
    if (const auto found = texts_.find(line); found != texts_.end())
        write(found->second, bad_.contains(line) ? Theme::Colour::Bad : Theme::Colour::Accent);
}

}  // namespace loupe::views
