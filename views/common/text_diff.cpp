// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/text_diff.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "views/common/panel_bar.h"
#include "views/common/theme.h"

namespace loupe::views {

TextDiff::TextDiff(DiffText::Language language, QWidget* parent)
    : QWidget(parent),
      left_(new DiffText(DiffText::Side::Left, this)),
      right_(new DiffText(DiffText::Side::Right, this)),
      pair_(new DiffPair(left_, right_, this, [this] { return changed() > 0; })),
      left_title_(faintLine(this)),
      right_title_(faintLine(this)),
      summary_(new QLabel(this)),
      note_(new QLabel(this)),
      previous_(new QToolButton(this)),
      next_(new QToolButton(this)) {
    left_->setLanguage(language);
    right_->setLanguage(language);
    left_->setAccessibleName(tr("Text of the reference"));
    right_->setAccessibleName(tr("Text of this run"));
    summary_->setObjectName(QStringLiteral("diffSummary"));
    const auto button = [this](QToolButton* each, Qt::ArrowType arrow, const QString& tip, const QString& name,
                               void (DiffPair::*go)()) {
        each->setArrowType(arrow);
        each->setAutoRaise(true);
        each->setToolTip(tip);
        each->setAccessibleName(tip);
        each->setObjectName(name);
        connect(each, &QToolButton::clicked, pair_, go);
    };
    button(previous_, Qt::UpArrow, tr("Previous difference (Alt+Up)"), QStringLiteral("previousDifference"),
           &DiffPair::goToPrevious);
    button(next_, Qt::DownArrow, tr("Next difference (Alt+Down)"), QStringLiteral("nextDifference"),
           &DiffPair::goToNext);
    note_->setAlignment(Qt::AlignCenter);
    note_->setWordWrap(true);
    note_->setProperty("faint", true);
    note_->setObjectName(QStringLiteral("diffNote"));
    auto* right_bar = new QHBoxLayout;
    right_bar->setContentsMargins(0, 0, 4, 0);
    right_bar->setSpacing(4);
    right_bar->addWidget(right_title_, 1);
    right_bar->addWidget(summary_);
    right_bar->addWidget(previous_);
    right_bar->addWidget(next_);
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(2);
    grid->addWidget(left_title_, 0, 0);
    grid->addLayout(right_bar, 0, 1);
    grid->addWidget(left_, 1, 0);
    grid->addWidget(right_, 1, 1);
    grid->addWidget(note_, 1, 0, 1, 2);
    grid->setRowStretch(1, 1);
    grid->setColumnStretch(0, 1);
    grid->setColumnStretch(1, 1);
    for (QLabel* title : {left_title_, right_title_}) title->setContentsMargins(6, 3, 6, 0);
    connect(left_, &DiffText::lineChosen, this, &TextDiff::leftLineChosen);
    connect(right_, &DiffText::lineChosen, this, &TextDiff::rightLineChosen);
    setNote({});
}

void TextDiff::setTexts(const QString& left_title, const QString& left, const QString& right_title,
                        const QString& right, DiffPair::Key key) {
    left_title_->setText(left_title);
    right_title_->setText(right_title);
    pair_->setLines(linesOf(left), linesOf(right), key);
    setNote({});
    showSummary();
}

void TextDiff::showSummary() {
    summary_->setText(pair_->summary());
    Theme::setTone(*summary_, pair_->changed() > 0 ? Theme::Colour::Warning : Theme::Colour::Good);
    for (QToolButton* button : {previous_, next_}) button->setEnabled(pair_->changed() > 0);
}

void TextDiff::setNote(const QString& note) {
    note_->setText(note);
    note_->setVisible(!note.isEmpty());
    for (QWidget* each :
         std::initializer_list<QWidget*>{left_, right_, left_title_, right_title_, summary_, previous_, next_})
        each->setVisible(note.isEmpty());
}

QString TextDiff::note() const { return note_->text(); }

QString TextDiff::summary() const { return note().isEmpty() ? pair_->summary() : note(); }

void TextDiff::setCurrentLines(int left, int right) {
    left_->markLines(left >= 0 ? std::vector<int>{left} : std::vector<int>{});
    right_->markLines(right >= 0 ? std::vector<int>{right} : std::vector<int>{});
    pair_->bringIntoSight(right >= 0 ? right_->rowOfLine(right) : left_->rowOfLine(left));
}

bool TextDiff::find(const QString& text, bool forward) {
    DiffText* area = left_->hasFocus() ? left_ : right_;
    const auto flags = forward ? QTextDocument::FindFlags() : QTextDocument::FindBackward;
    if (area->find(text, flags)) return true;
    area->moveCursor(forward ? QTextCursor::Start : QTextCursor::End);
    return area->find(text, flags);
}

}  // namespace loupe::views
