// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Two texts side by side that scroll together: a source, or a graph, here and in the reference.

#include <QWidget>

#include "views/passes/diff_text.h"

class QLabel;

namespace loupe::views {

class TextDiff : public QWidget {
    Q_OBJECT

  public:
    explicit TextDiff(QWidget* parent);
    // left: the reference's. Titles stand above.
    void setTexts(const QString& left_title, const QString& left, const QString& right_title, const QString& right);
    // Lines that differ.
    int changed() const { return changed_; }

  private:
    DiffText* left_;
    DiffText* right_;
    QLabel* left_title_;
    QLabel* right_title_;
    int changed_ = 0;
};

}  // namespace loupe::views
