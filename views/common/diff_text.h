// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One side of a comparison: lines with their numbers, gaps where only the other side has lines.

#include <QPlainTextEdit>
#include <QTextBlock>
#include <vector>

#include "views/common/line_diff.h"

namespace loupe::views {

class DiffText : public QPlainTextEdit {
    Q_OBJECT

  public:
    enum class Side { Left, Right };
    enum class Language { Graph, Python };

    explicit DiffText(Side side, QWidget* parent = nullptr);

    // What words are coloured; graphs at first.
    void setLanguage(Language language) { language_ = language; }
    void setRows(const QStringList& lines, std::vector<DiffRow> rows);
    // Lines (not rows) to mark: the origin or the result of the selected line of the other side.
    void markLines(const std::vector<int>& lines);
    // A row to mark beside them: what the other side's cursor stands in, or a difference that was gone to. -1: none.
    void markRow(int row);
    int rowOfLine(int line) const;
    int lineOfRow(int row) const;
    int chosenLine() const { return lineOfRow(textCursor().blockNumber()); }

  signals:
    void lineChosen(int line);  // by the user; -1: a gap
    void rowChosen();           // likewise

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
    int marked_row_ = -1;
    bool is_filling_ = false;  // the text is set, no row is chosen
    Language language_ = Language::Graph;
    QWidget* margin_ = nullptr;
};

}  // namespace loupe::views
