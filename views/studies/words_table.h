// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The likeliest word of each layer and place: a row a layer, the last above, a column a token. A cell's colour is the
// word's probability.

#include <QAbstractScrollArea>

#include "core/study/studies/study.h"

namespace loupe::views {

class WordsTable : public QAbstractScrollArea {
    Q_OBJECT

  public:
    explicit WordsTable(QWidget* parent = nullptr);

    void setWords(const session::StudyWords& words);
    const session::StudyWords& words() const { return words_; }
    QRect cellRect(int row, int column) const;  // on the viewport, as scrolled
    QString tipOf(int row, int column) const;
    QSize sizeHint() const override { return {480, 320}; }

  signals:
    void hovered(const QString& words);
    void clicked(int row, int column);

  protected:
    void paintEvent(QPaintEvent*) override;
    void resizeEvent(QResizeEvent*) override { arrange(); }
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;

  private:
    int rows() const { return static_cast<int>(words_.rows.size()); }
    int columns() const { return static_cast<int>(words_.columns.size()); }
    QPoint cellAt(QPoint place) const;  // x: column, y: row; -1: none
    void arrange();
    void choose(int row, int column);
    void paintHeaders(QPainter& painter) const;
    QString nameOf(int row) const;

    session::StudyWords words_;
    int name_width_ = 0;
    int row_ = -1;
    int column_ = -1;
};

}  // namespace loupe::views
