// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A text whose lines are coloured by the lines of the source that they came from.

#include <QPlainTextEdit>
#include <functional>
#include <set>

#include "views/common/empty_hint.h"
#include "views/lines/linked_lines.h"

namespace loupe::views {

class ListingPane : public QPlainTextEdit {
    Q_OBJECT

  public:
    explicit ListingPane(QWidget* parent);

    // colourOf: the number of a key's colour. why: shown where there are no lines.
    void setLines(LinkedLines lines, std::function<int(int)> colourOf, const QString& why);
    const LinkedLines& lines() const { return lines_; }
    // Lines with one of them stand out; where none is in sight, the first comes there.
    void mark(const std::set<int>& keys, bool scroll);
    const std::set<int>& marked() const { return marked_; }
    // Invalid: nothing came from the source.
    QColor backgroundOf(int row) const;
    // Whether the row is painted.
    bool isInSight(int row) const;
    void choose(int row);

  signals:
    void pointed(const std::set<int>& keys);  // by the mouse; empty: it has left
    void chosen(const std::set<int>& keys);   // clicked, or gone to by the keyboard

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

  private:
    class Margin;
    void paintMargin(QPaintEvent* event);
    int marginWidth() const;
    bool isMarked(int row) const;
    std::set<int> keysOf(int row) const;

    LinkedLines lines_;
    std::function<int(int)> colour_of_;
    std::set<int> marked_;
    int pointed_ = -1;
    QWidget* margin_;
    EmptyHint* hint_;
};

}  // namespace loupe::views
