// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Two sides of a difference as one: they scroll together, a row chosen on one side is marked on the other, and keys go
// from one difference to the next.

#include <QObject>
#include <QStringList>
#include <vector>

#include "views/common/diff_text.h"

namespace loupe::views {

// Lines of a text, without the empty ones at its end.
QStringList linesOf(const QString& text);

class DiffPair : public QObject {
    Q_OBJECT

  public:
    // Alt+Down and Alt+Up in `panel` go to the next difference and to the one before. isInUse: when they do.
    DiffPair(DiffText* left, DiffText* right, QWidget* panel, std::function<bool()> isInUse);

    // The first difference comes into sight. A text that is there already keeps its place.
    // key: lines that differ in nothing else are the same; null: in nothing.
    using Key = QString (*)(const QString& line);
    void setLines(const QStringList& left, const QStringList& right, Key key = nullptr);

    // Rows that differ: each a line of one side or of both.
    int changed() const { return changed_; }
    // "both are the same, 41 lines", "both are the same but for numbers and places, 41 lines", "3 lines differ".
    QString summary() const;
    // From the row of the cursor, or from what was gone to last; round at the ends.
    void goToNext() { go(1); }
    void goToPrevious() { go(-1); }
    // The row that was gone to last; -1: none.
    int currentRow() const { return row_; }
    // The other side's line in the row of this line; -1: none.
    int rightOf(int left_line) const { return right_->lineOfRow(left_->rowOfLine(left_line)); }
    int leftOf(int right_line) const { return left_->lineOfRow(right_->rowOfLine(right_line)); }
    // With some rows around it, on both sides.
    void bringIntoSight(int row);

  signals:
    void changedPlace();  // another difference was gone to

  private:
    void go(int step);
    void tie(Qt::Orientation orientation);
    void markOther(DiffText* from, DiffText* to);

    DiffText* left_;
    DiffText* right_;
    QStringList left_lines_;
    QStringList right_lines_;
    Key key_ = nullptr;
    std::vector<int> starts_;  // rows at which a stretch of differences begins
    int changed_ = 0;
    int row_ = -1;
};

}  // namespace loupe::views
