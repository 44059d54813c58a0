// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A tensor's elements as colours: one matrix, tiles side by side, three channels as an image, or a line.

#include <QImage>
#include <QStringList>
#include <QWidget>
#include <optional>
#include <vector>

#include "core/record/tensor_slice.h"
#include "views/common/colour_map.h"

namespace loupe::views {

class TensorPicture : public QWidget {
    Q_OBJECT

  public:
    enum class Mode { HeatMap, Tiles, Image, Line };

    explicit TensorPicture(QWidget* parent = nullptr);

    // Forgets the names.
    void setSlice(const session::TensorSlice& slice);
    // What the places of the tensor's axes stand for, an entry a dimension; empty ones stand for nothing.
    void setNames(std::vector<QStringList> names);
    void setMode(Mode mode);
    void setColours(ColourMap map, double low, double high);
    void setTile(int tile);  // of HeatMap and Line
    void setOverlay(bool nan_and_inf);
    // Of pictures of one shape side by side: one zoom, one cursor.
    void setView(double zoom, QPointF pan);
    void setCursorAt(std::optional<QPointF> point);
    // The element there: "[0, 3] = 0.5"; empty when there is none.
    QString describe(QPointF at) const;

    Mode mode() const { return mode_; }
    // At one pixel per element, or at the shown size for Line.
    QImage picture() const;
    // Of Line: from the first element to the last, and from the lowest colour to the highest.
    QRectF lineArea() const;
    void fit();

  signals:
    // Element under the mouse; empty when there is none.
    void hovered(const QString& text);
    // The menu is wanted at an element: its indices in the whole tensor.
    void menuWanted(const session::Shape& index, const QPoint& global);
    // The mouse on it, as a position of the widget; none: it left.
    void pointed(std::optional<QPointF> point);
    void viewChanged(double zoom, QPointF pan);

  protected:
    void contextMenuEvent(QContextMenuEvent*) override;
    void paintEvent(QPaintEvent*) override;
    void mouseMoveEvent(QMouseEvent*) override;
    void mousePressEvent(QMouseEvent*) override;
    void wheelEvent(QWheelEvent*) override;
    void leaveEvent(QEvent*) override;
    void resizeEvent(QResizeEvent*) override;

  private:
    struct Cell {
        QRectF rect;  // on the widget
        int tile = 0;
    };
    void rebuild();
    QString rowName(int row, int rows) const;
    double namesWidth() const;
    void paintNames(QPainter& painter, const Cell& cell) const;
    std::vector<Cell> cells() const;
    QImage imageOf(const session::TensorTile& tile) const;
    QImage imageOfChannels() const;
    void paintTile(QPainter& painter, const Cell& cell, std::size_t image);
    void paintLine(QPainter& painter);
    double lineSpan() const;
    double lineNumbersWidth() const;
    // Where an element is in the tensor: of an image's three channels the first.
    struct Place {
        session::Shape index;
        int channel_dimension = -1;  // of three channels that are one pixel
        std::vector<double> values;
    };
    std::optional<Place> placeAt(QPointF point) const;

    session::TensorSlice slice_;
    std::vector<QStringList> names_;
    Mode mode_ = Mode::HeatMap;
    ColourMap map_ = ColourMap::Viridis;
    double low_ = 0;
    double high_ = 1;
    int tile_ = 0;
    bool overlay_ = true;
    double zoom_ = 1;
    QPointF pan_;
    QPointF drag_from_;
    std::optional<QPointF> cursor_;
    std::vector<QImage> images_;
};

}  // namespace loupe::views
