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

void InlineValues::setTexts(std::map<int, QString> texts) {
    if (texts == texts_) return;
    texts_ = std::move(texts);
    setVisible(!texts_.empty());
    raise();
    update();
}

bool InlineValues::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) resize(editor_->viewport()->size());
    return QWidget::eventFilter(watched, event);
}

void InlineValues::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::instance();
    QPainter painter(this);
    QFont font = theme.codeFont();
    font.setItalic(true);
    font.setPointSizeF(font.pointSizeF() * 0.92);
    painter.setFont(font);
    for (const auto& [line, words] : texts_) {
        const long end = editor_->SendScintilla(QsciScintilla::SCI_GETLINEENDPOSITION, static_cast<unsigned long>(line));
        if (editor_->SendScintilla(QsciScintilla::SCI_GETLINEVISIBLE, static_cast<unsigned long>(line)) == 0) continue;
        const int x = static_cast<int>(editor_->SendScintilla(QsciScintilla::SCI_POINTXFROMPOSITION, 0UL, end));
        const int y = static_cast<int>(editor_->SendScintilla(QsciScintilla::SCI_POINTYFROMPOSITION, 0UL, end));
        const int high = static_cast<int>(editor_->SendScintilla(QsciScintilla::SCI_TEXTHEIGHT, static_cast<unsigned long>(line)));
        if (y + high < 0 || y > height()) continue;
        const int left = x + 2 * fontMetrics().averageCharWidth();
        painter.setPen(theme.colour(Theme::Colour::Accent));
        painter.drawText(QRect(left, y, std::max(0, width() - left - 4), high), Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(words, Qt::ElideRight, std::max(0, width() - left - 4)));
    }
}

}  // namespace loupe::views
