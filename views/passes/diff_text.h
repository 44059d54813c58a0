// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One side of a comparison: lines with their numbers, gaps where only the other side has lines.

#include <QPlainTextEdit>
#include <QTextBlock>
#include <vector>

#include "views/passes/line_diff.h"

namespace loupe::views {

class DiffText : public QPlainTextEdit {
    Q_OBJECT

  public:
    enum class Side { Left, Right };

    explicit DiffText(Side side, QWidget* parent = nullptr);

    void setRows(const QStringList& lines, std::vector<DiffRow> rows);
    // Lines (not rows) to mark: the origin or the result of the selected line of the other side.
    void markLines(const std::vector<int>& lines);
    int rowOfLine(int line) const;
    int lineOfRow(int row) const;
    int chosenLine() const { return lineOfRow(textCursor().blockNumber()); }

  signals:
    void lineChosen(int line);

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    class Margin;
    void paintMargin(QPaintEvent* event);
    void applySelections();
    void colour(QTextBlock block);
    QColor backgroundOf(int row) const;
    int marginWidth() const;

    Side side_;
    std::vector<DiffRow> rows_;
    std::vector<int> row_of_line_;
    std::vector<int> marked_;
    QWidget* margin_ = nullptr;
};

}  // namespace loupe::views
