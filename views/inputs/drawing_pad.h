// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The picture that an input is, to be looked at and, when it is small, drawn upon.

#include <QImage>
#include <QWidget>
#include <vector>

namespace loupe::views {

class DrawingPad : public QWidget {
    Q_OBJECT

  public:
    explicit DrawingPad(QWidget* parent);

    struct Picture {
        int channels = 0;  // 1 or 3
        int rows = 0;
        int columns = 0;
        std::vector<double> elements;  // [channels, rows, columns]
        bool isEmpty() const { return elements.empty(); }
    };
    void setPicture(Picture picture);
    const Picture& picture() const { return picture_; }
    void setDrawable(bool drawable);
    bool isDrawable() const { return drawable_; }
    // All background; counts as drawn.
    void clear();

    QSize sizeHint() const override { return {kSide, kSide}; }

  signals:
    // The mouse button was released after drawing, or it was cleared.
    void drawn();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

  private:
    static constexpr int kSide = 96;
    QRectF pictureRect() const;
    void stroke(QPointF from, QPointF to, bool erase);
    void render();

    Picture picture_;
    QImage image_;
    double low_ = 0;
    double high_ = 1;
    bool drawable_ = false;
    bool drawing_ = false;
    QPointF last_;
};

}  // namespace loupe::views
