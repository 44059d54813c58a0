// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Attention weights as a matrix of colours, a row a query, a column a key, each with its token.

#include <QImage>
#include <QWidget>

#include "core/session/queries/attention_map.h"

namespace loupe::views {

class AttentionPicture : public QWidget {
    Q_OBJECT

  public:
    explicit AttentionPicture(QWidget* parent = nullptr);

    void setMap(const session::AttentionMap& map);
    const session::AttentionMap& map() const { return map_; }
    // A query and a key are marked; -1: none.
    void setMarked(int row, int column);
    int markedRow() const { return row_; }
    void fit();

    // The cells, on the widget.
    QRectF area() const;
    QRectF cellRect(int row, int column) const;
    // Weights from 0 to this have the colours.
    double greatest() const { return greatest_; }

  signals:
    // What stands under the mouse; empty: nothing.
    void hovered(const QString& text);
    void clicked(int row, int column);

  protected:
    void paintEvent(QPaintEvent*) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent*) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent*) override;

  private:
    void measure();
    std::pair<int, int> cellAt(QPointF place) const;
    QString labelOf(const std::vector<session::TokenInfo>& tokens, int place, int step) const;
    void paintLabels(QPainter& painter) const;
    void paintScale(QPainter& painter) const;
    void keepInside();

    session::AttentionMap map_;
    QImage image_;
    double greatest_ = 0;
    int row_label_ = 0;  // widths
    int column_label_ = 0;
    double zoom_ = 1;
    QPointF pan_;
    QPointF drag_from_;
    bool was_dragged_ = false;
    int row_ = -1;
    int column_ = -1;
};

// "fox → brown: 0.4321", of a cell.
QString attentionText(const session::AttentionMap& map, int row, int column);

}  // namespace loupe::views
