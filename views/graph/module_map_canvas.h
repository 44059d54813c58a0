// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Draws the map of modules: the wheel goes into what is under the mouse, dragging pans.

#include <QWidget>
#include <functional>

#include "views/graph/graph_colours.h"
#include "views/graph/module_map.h"

namespace loupe::views {

class ModuleMapCanvas : public QWidget {
    Q_OBJECT

  public:
    // What areas stand for.
    enum class Size { Operators, Time, Memory };

    // The colours must outlive it. tip: the text of a tooltip.
    ModuleMapCanvas(const GraphColours& colours, std::function<QString(int node)> tip, QWidget* parent = nullptr);

    void setIndex(std::shared_ptr<const GraphIndex> index);
    // Time and memory are 0 before a run: then operators are counted.
    void setSize(Size size);
    Size size() const { return size_; }
    // What is really shown.
    Size shownSize() const;
    void setCurrent(int node);
    // Metrics or colours have changed.
    void take() { update(); }

    void fit();
    void zoomAt(QPointF screen, double factor);
    // Into the tile, until it fills the widget.
    void zoomTo(int node);
    double zoom() const { return zoom_; }
    std::vector<MapTile> tiles() const;
    // The innermost tile; -1: none.
    int nodeAt(QPointF screen) const;

  signals:
    void nodeClicked(int node);
    void menuRequested(int node, const QPoint& at);

  protected:
    void paintEvent(QPaintEvent*) override;
    void wheelEvent(QWheelEvent*) override;
    void mousePressEvent(QMouseEvent*) override;
    void mouseMoveEvent(QMouseEvent*) override;
    void mouseReleaseEvent(QMouseEvent*) override;
    void mouseDoubleClickEvent(QMouseEvent*) override;
    void keyPressEvent(QKeyEvent*) override;
    void leaveEvent(QEvent*) override;
    bool event(QEvent*) override;

  private:
    double weightOf(int node, Size size) const;
    QRectF home() const;  // where the whole map stands without a zoom
    QRectF area() const;
    void clampOffset();
    QString titleOf(const MapTile& tile) const;
    void paintTile(QPainter& painter, const MapTile& tile, const GraphColours::Range& range) const;
    void paintEdges(QPainter& painter, const std::vector<MapTile>& tiles) const;

    const GraphColours& colours_;
    std::function<QString(int)> tip_;
    std::shared_ptr<const GraphIndex> index_;
    Size size_ = Size::Time;
    double zoom_ = 1;
    QPointF offset_;  // of the map's corner from home
    int current_ = -1;
    int hovered_ = -1;
    QPointF drag_from_;
    QPointF drag_offset_;
    bool dragging_ = false;
};

}  // namespace loupe::views
