// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Two texts side by side as one widget, the reference's on the left: titles above them, how many lines differ, and
// buttons to the next difference.

#include <QWidget>

#include "views/common/diff_pair.h"

class QLabel;
class QToolButton;

namespace loupe::views {

class TextDiff : public QWidget {
    Q_OBJECT

  public:
    TextDiff(DiffText::Language language, QWidget* parent);

    // Titles stand above. key: see DiffPair::setLines.
    void setTexts(const QString& left_title, const QString& left, const QString& right_title, const QString& right,
                  DiffPair::Key key);
    // Instead of texts: why there are none to compare.
    void setNote(const QString& note);
    // Empty while texts are shown.
    QString note() const;
    // Lines that differ; 0 while there are no texts.
    int changed() const { return note().isEmpty() ? pair_->changed() : 0; }
    QString summary() const;

    // The lines that stand for what is current; -1: none. They come into sight.
    void setCurrentLines(int left, int right);
    // The line of the cursor of the right side; -1: none.
    int chosenLine() const { return right_->chosenLine(); }
    // In the side that has the keyboard. False: it is nowhere in it.
    bool find(const QString& text, bool forward);

    DiffPair& pair() { return *pair_; }
    DiffText* left() { return left_; }
    DiffText* right() { return right_; }

  signals:
    void leftLineChosen(int line);   // by the user; -1: a gap
    void rightLineChosen(int line);  // likewise

  private:
    void showSummary();

    DiffText* left_;
    DiffText* right_;
    DiffPair* pair_;
    QLabel* left_title_;
    QLabel* right_title_;
    QLabel* summary_;
    QLabel* note_;
    QToolButton* previous_;
    QToolButton* next_;
};

}  // namespace loupe::views
