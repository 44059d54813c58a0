// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/expression_edit.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QHeaderView>
#include <QInputMethodEvent>
#include <QKeyEvent>
#include <QStyle>
#include <QTextCharFormat>
#include <QTreeView>
#include <algorithm>

#include "views/common/theme.h"

namespace loupe::views {

int wordStart(const QString& text, int cursor, const QString& also) {
    int start = std::min<int>(cursor, static_cast<int>(text.size()));
    while (start > 0) {
        const QChar c = text[start - 1];
        if (!c.isLetterOrNumber() && c != QLatin1Char('_') && !also.contains(c)) break;
        --start;
    }
    return start;
}

ExpressionEdit::ExpressionEdit(QWidget* parent)
    : QLineEdit(parent),
      words_(new QStandardItemModel(this)),
      completer_(new QCompleter(words_, this)),
      note_(new QLabel(this)) {
    setFont(Theme::instance().monoFont());
    completer_->setWidget(this);
    completer_->setCompletionMode(QCompleter::PopupCompletion);
    completer_->setCaseSensitivity(Qt::CaseInsensitive);
    completer_->setMaxVisibleItems(10);
    auto* popup = new QTreeView;
    popup->setRootIsDecorated(false);
    popup->setHeaderHidden(true);
    popup->setUniformRowHeights(true);
    completer_->setPopup(popup);
    connect(completer_, qOverload<const QModelIndex&>(&QCompleter::activated), this,
            [this](const QModelIndex& index) { insertWord(index.siblingAtColumn(0).data().toString()); });
    note_->setObjectName(QStringLiteral("expressionProblem"));
    note_->setWindowFlags(Qt::ToolTip);
    note_->setAttribute(Qt::WA_ShowWithoutActivating);
    note_->setWordWrap(true);
    note_->setMargin(4);
    note_->setTextFormat(Qt::PlainText);
    connect(this, &QLineEdit::textChanged, this, &ExpressionEdit::check);
    connect(this, &QLineEdit::textEdited, this, [this] { offerWords(false); });
}

ExpressionEdit::~ExpressionEdit() = default;

void ExpressionEdit::setCheck(Check check) {
    check_ = std::move(check);
    this->check();
}

void ExpressionEdit::setComplete(Complete complete) { complete_ = std::move(complete); }

bool ExpressionEdit::isCompleting() const { return completer_->popup()->isVisible(); }

QString ExpressionEdit::shownProblem() const { return note_->isVisible() ? note_->text() : QString(); }

void ExpressionEdit::check() {
    problem_ = check_ ? check_(text()) : Problem{};
    const bool isWrong = !isAcceptable();
    if (property("invalid").toBool() != isWrong) {
        setProperty("invalid", isWrong);
        style()->unpolish(this);
        style()->polish(this);
    }
    setToolTip(problem_.text);
    // Wrong words are underlined like an input method's preedit text.
    QList<QInputMethodEvent::Attribute> marks;
    if (isWrong && problem_.begin < problem_.end) {
        QTextCharFormat format;
        format.setUnderlineStyle(QTextCharFormat::SpellCheckUnderline);
        format.setUnderlineColor(Theme::instance().colour(Theme::Colour::Bad));
        marks.append(
            {QInputMethodEvent::TextFormat, problem_.begin - cursorPosition(), problem_.end - problem_.begin, format});
    }
    QInputMethodEvent marking(QString(), marks);
    QCoreApplication::sendEvent(this, &marking);
    if (note_->isVisible()) showProblem();  // the last check's
}

bool ExpressionEdit::accept() {
    check();
    showProblem();
    return isAcceptable();
}

void ExpressionEdit::showProblem() {
    if (isAcceptable() || !isVisible()) {
        note_->hide();
        return;
    }
    note_->setText(problem_.text);
    note_->setFixedWidth(std::clamp(width(), 280, 420));
    note_->adjustSize();
    note_->move(mapToGlobal(QPoint(0, height() + 1)));
    note_->show();
    note_->raise();
}

void ExpressionEdit::offerWords(bool isAsked) {
    if (!complete_) return;
    const Completions found = complete_(text(), cursorPosition());
    const QString begun = text().mid(found.from, cursorPosition() - found.from);
    words_->clear();
    for (const Word& word : found.words)
        words_->appendRow({new QStandardItem(word.text), new QStandardItem(word.meaning)});
    completer_->setCompletionPrefix(begun);
    const bool isWhole = completer_->completionCount() == 1 && completer_->currentCompletion().trimmed() == begun;
    if (completer_->completionCount() == 0 || isWhole || (begun.isEmpty() && !isAsked)) {
        completer_->popup()->hide();
        return;
    }
    note_->hide();  // covered by the list
    auto* popup = static_cast<QTreeView*>(completer_->popup());
    popup->resizeColumnToContents(0);
    popup->resizeColumnToContents(1);
    const int wide = popup->columnWidth(0) + popup->columnWidth(1) + 24;
    completer_->complete(QRect(cursorRect().left(), 0, std::clamp(wide, 160, 520), height()));
}

void ExpressionEdit::insertWord(const QString& word) {
    const int from = complete_ ? complete_(text(), cursorPosition()).from : cursorPosition();
    setSelection(from, cursorPosition() - from);
    insert(word);
}

void ExpressionEdit::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Space && event->modifiers() == Qt::ControlModifier) {
        offerWords(true);
        return;
    }
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    const bool isForList =
        isEnter || event->key() == Qt::Key_Escape || event->key() == Qt::Key_Tab || event->key() == Qt::Key_Backtab;
    if (isForList && isCompleting()) {
        event->ignore();  // for the completion list
        return;
    }
    if (isEnter && !accept()) return;
    QLineEdit::keyPressEvent(event);
}

void ExpressionEdit::hideEvent(QHideEvent* event) {
    note_->hide();
    QLineEdit::hideEvent(event);
}

void ExpressionEdit::moveEvent(QMoveEvent* event) {
    QLineEdit::moveEvent(event);
    if (note_->isVisible()) showProblem();
}

ExpressionDelegate::ExpressionDelegate(Prepare prepare, QObject* parent)
    : QStyledItemDelegate(parent), prepare_(std::move(prepare)) {}

QWidget* ExpressionDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                          const QModelIndex& index) const {
    auto* edit = new ExpressionEdit(parent);
    edit->setFrame(false);
    prepare_(*edit, index);
    return edit;
}

void ExpressionDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
    if (!static_cast<ExpressionEdit*>(editor)->isModified()) QStyledItemDelegate::setEditorData(editor, index);
}

bool ExpressionDelegate::take(ExpressionEdit& edit) {
    if (!edit.accept()) return false;
    emit commitData(&edit);
    emit closeEditor(&edit);
    return true;
}

void ExpressionDelegate::setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const {
    auto* edit = static_cast<ExpressionEdit*>(editor);
    if (edit->isAcceptable()) model->setData(index, edit->text(), Qt::EditRole);
}

bool ExpressionDelegate::eventFilter(QObject* watched, QEvent* event) {
    auto* edit = qobject_cast<ExpressionEdit*>(watched);
    if (edit == nullptr) return QStyledItemDelegate::eventFilter(watched, event);
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const bool leaves =
            key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Tab || key == Qt::Key_Backtab;
        if (leaves && !edit->accept()) return true;
    }
    // The cell keeps its old text; the editor keeps the new one.
    if (event->type() == QEvent::FocusOut && !edit->isAcceptable()) return false;
    return QStyledItemDelegate::eventFilter(watched, event);
}

}  // namespace loupe::views
