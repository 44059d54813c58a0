// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/text_diff.h"

#include <QGridLayout>
#include <QLabel>
#include <QScrollBar>

namespace loupe::views {

TextDiff::TextDiff(QWidget* parent)
    : QWidget(parent),
      left_(new DiffText(DiffText::Side::Left, this)),
      right_(new DiffText(DiffText::Side::Right, this)),
      left_title_(new QLabel(this)),
      right_title_(new QLabel(this)) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(2);
    grid->addWidget(left_title_, 0, 0);
    grid->addWidget(right_title_, 0, 1);
    grid->addWidget(left_, 1, 0);
    grid->addWidget(right_, 1, 1);
    grid->setRowStretch(1, 1);
    for (QLabel* title : {left_title_, right_title_}) {
        title->setProperty("faint", true);
        title->setContentsMargins(6, 3, 6, 0);
    }
    left_->setAccessibleName(tr("Text of the reference"));
    right_->setAccessibleName(tr("Text of this run"));
    for (const auto& [from, to] : {std::pair(left_, right_), std::pair(right_, left_)}) {
        connect(from->verticalScrollBar(), &QScrollBar::valueChanged, to->verticalScrollBar(), &QScrollBar::setValue);
        connect(from->horizontalScrollBar(), &QScrollBar::valueChanged, to->horizontalScrollBar(),
                &QScrollBar::setValue);
    }
}

void TextDiff::setTexts(const QString& left_title, const QString& left, const QString& right_title,
                        const QString& right) {
    left_title_->setText(left_title);
    right_title_->setText(right_title);
    const QStringList a = left.split(QLatin1Char('\n'));
    const QStringList b = right.split(QLatin1Char('\n'));
    const std::vector<DiffRow> rows = diffLines(a, b);
    changed_ = static_cast<int>(
        std::count_if(rows.begin(), rows.end(), [](const DiffRow& row) { return row.kind != DiffRow::Kind::Same; }));
    left_->setRows(a, rows);
    right_->setRows(b, rows);
}

}  // namespace loupe::views
