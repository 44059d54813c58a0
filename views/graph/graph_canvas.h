// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Draws the picture of a graph and lets one move about in it. Knows nothing of sessions.

#include <QWidget>
#include <functional>
#include <memory>
#include <set>

#include "views/graph/graph_layout.h"
#include "views/graph/node_metrics.h"

namespace loupe::views {

enum class GraphColouring { Kind, Time, Memory, Activation, Gradient };

class GraphCanvas : public QWidget {
    Q_OBJECT

  public:
    explicit GraphCanvas(QWidget* parent = nullptr);

    // The index and metrics must live as long as they are shown. `keep` is a node that stays where it is on the screen.
    void setScene(std::shared_ptr<const GraphIndex> index, Scene scene, int keep);
    void clear(const QString& message);
    void setMetrics(const NodeMetrics* metrics) { metrics_ = metrics; }
    void setColouring(GraphColouring colouring);
    GraphColouring colouring() const { return colouring_; }

    // Marks; a node inside a closed group marks the group. -1 none.
    void setCurrent(int node);
    void setReached(int node);
    void setBreakpoints(std::set<int> nodes);
    void setMatches(std::set<int> nodes);

    int current() const { return current_; }
    const std::set<int>& matches() const { return matches_; }
    const Scene& scene() const { return scene_; }
    // The box that stands for a node: its own, or that of the closed group around it. Null: not drawn.
    const SceneBox* boxFor(int node) const;
    QRectF screenRect(int node) const;
    double zoom() const { return scale_; }

    void fit();
    // All of it if it can be read then, else its beginning.
    void showStart();
    void zoomAt(QPointF screen, double factor);
    // Scrolls so that the node's box is well inside the widget.
    void reveal(int node);
    // Everything, at the given scale, without marks of the mouse.
    void renderAll(QPainter& painter);

  signals:
    void nodeClicked(int node);
    void toggleRequested(int node);  // open or close the group
    void menuRequested(int node, const QPoint& at);
    void stepRequested(int direction);  // -1: to a producer, +1: to a consumer

  protected:
    void paintEvent(QPaintEvent*) override;
    void wheelEvent(QWheelEvent*) override;
    void mousePressEvent(QMouseEvent*) override;
    void mouseMoveEvent(QMouseEvent*) override;
    void mouseReleaseEvent(QMouseEvent*) override;
    void mouseDoubleClickEvent(QMouseEvent*) override;
    void keyPressEvent(QKeyEvent*) override;
    void resizeEvent(QResizeEvent*) override;
    void leaveEvent(QEvent*) override;
    bool event(QEvent*) override;

  private:
    struct Range {
        double low = 0;
        double high = 0;
        bool isEmpty() const { return high <= 0; }
    };

    QTransform transform() const;
    QPointF toScene(QPointF screen) const { return (screen - offset_) / scale_; }
    const SceneBox* boxAt(QPointF screen) const;
    std::string_view kindOf(int node) const;
    double metricOf(int node) const;
    Range metricRange() const;
    QColor fillOf(const SceneBox& box, const Range& range) const;
    QString tipOf(const SceneBox& box) const;
    void clampOffset();

    void paintScene(QPainter& painter, const QRectF& visible, double scale);
    void paintHeader(QPainter& painter, const SceneBox& box, double scale);
    void paintLines(QPainter& painter, const QRectF& visible, double scale);
    void paintLabels(QPainter& painter, const QRectF& visible, double scale);
    void paintBox(QPainter& painter, const SceneBox& box, const Range& range, double scale);
    void paintMarks(QPainter& painter, const SceneBox& box, double scale);
    void paintLegend(QPainter& painter);

    std::shared_ptr<const GraphIndex> index_;
    const NodeMetrics* metrics_ = nullptr;
    Scene scene_;
    QString message_;
    GraphColouring colouring_ = GraphColouring::Kind;
    int current_ = -1;
    int reached_ = -1;
    int hovered_ = kBorder;
    std::set<int> breakpoints_;
    std::set<int> matches_;
    double scale_ = 1;
    QPointF offset_;
    bool user_moved_ = false;
    QSize sized_;  // what offset_ is meant for
    QPointF drag_from_;
    QPointF drag_offset_;
    bool dragging_ = false;
};

}  // namespace loupe::views
