// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Draws the picture of a graph, with panning and zooming. Independent of sessions.

#include <QWidget>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "views/graph/graph_colours.h"
#include "views/graph/graph_layout.h"
#include "views/graph/graph_minimap.h"
#include "views/graph/graph_tiles.h"

namespace loupe::views {

class GraphCanvas : public QWidget {
    Q_OBJECT

  public:
    explicit GraphCanvas(QWidget* parent = nullptr);

    // The index and metrics must outlive their display. `keep` is a node whose position on the screen is kept.
    void setScene(std::shared_ptr<const GraphIndex> index, Scene scene, int keep);
    void clear(const QString& message);
    void setMetrics(const NodeMetrics* metrics) { colours_.setMetrics(metrics); }
    // The metrics have changed.
    void takeMetrics();
    void setColouring(GraphColouring colouring);
    GraphColouring colouring() const { return colours_.colouring(); }
    const GraphColours& colours() const { return colours_; }

    // Marks; a node inside a closed group marks the group. -1 none.
    void setCurrent(int node);
    void setReached(int node);
    void setBreakpoints(std::set<int> nodes);
    void setMatches(std::set<int> nodes);

    // What a pass did to nodes, and to something in a group; without a reference.
    void setChanges(std::map<int, GraphChange> changes);
    // What the outline of a box says.
    GraphChange changeOf(int node) const;

    // What is not on it is faint; empty: nothing is.
    void setPath(std::set<int> nodes);
    const std::set<int>& path() const { return path_; }

    // The wheel asks for a group's contents where its box grows large, and for its box where they grow small.
    void setZoomOpens(bool opens) { zoom_opens_ = opens; }
    // Groups that may be closed by it.
    void setZoomOpened(std::set<int> groups) { zoom_opened_ = std::move(groups); }
    // The group has been opened, or closed: a scale at which its level can be read.
    void settleInto(int group);
    void settleOutOf(int group);

    int current() const { return current_; }
    int reached() const { return reached_; }
    const std::set<int>& matches() const { return matches_; }
    const Scene& scene() const { return scene_; }
    // The box of a node: its own, or that of the closed group around it. Null: not drawn.
    const SceneBox* boxFor(int node) const;
    QRectF screenRect(int node) const;
    double zoom() const { return scale_; }
    // Which part is in sight.
    struct Outlook {
        double zoom = 1;
        QPointF centre;  // of the widget, in the scene
    };
    // Nullopt: as it was first shown.
    std::optional<Outlook> outlook() const;
    void setOutlook(const Outlook& outlook);
    // Too small for text: boxes are tiles, and smaller ones are merged into their group.
    bool isFar() const;
    // Where there are tiles: of the boxes that are in sight, as they are drawn.
    GraphTiling tiling() const { return tileScene(scene_, transform()); }
    GraphTiling tilingInSight() const { return tileScene(scene_, transform(), QRectF(rect()).adjusted(-4, -4, 4, 4)); }

    void setMinimapShown(bool shown);
    bool isMinimapShown() const { return minimap_shown_; }
    // The current rectangle of the minimap; empty when it is hidden, or all of the graph is visible.
    QRect minimapPlace() const;

    void fit();
    // All of it if it can be read then, else its beginning.
    void showStart();
    void zoomAt(QPointF screen, double factor);
    // What a tooltip says of the node.
    QString tipOf(int node) const;
    // Scrolls the node's box into view, and zooms in where it is not readable.
    void reveal(int node);
    // Only scrolls, when all of the graph is visible.
    void keepInSight(int node);
    // Fits the box to the widget, at a readable scale.
    void zoomTo(int node);
    // The whole scene at scale 1, without hover marks; legend below it, where there is room, as wide as the scene.
    void renderAll(QPainter& painter);
    static constexpr int kLegendHeight = 44;

  signals:
    void nodeClicked(int node);
    void toggleRequested(int node);  // open or close the group
    void menuRequested(int node, const QPoint& at);
    void stepRequested(int direction);  // -1: to a producer, +1: to a consumer
    void pathRequested(int node);       // from the current one
    void openWanted(int group);         // by the zoom
    void closeWanted(int group);

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
    using Range = GraphColours::Range;
    struct Marks {
        const SceneBox* current = nullptr;
        const SceneBox* reached = nullptr;
        std::set<const SceneBox*> breakpoints;
    };

    const NodeMetrics* metrics() const { return colours_.metrics(); }
    QString tipOf(const SceneBox& box) const;
    QTransform transform() const;
    // Of the width where the scene is much higher than wide and too small to be read: 1 or more.
    double stretchAt(double scale) const;
    int fittingHeight() const;
    double fittingScale() const;
    QPointF toScene(QPointF screen) const { return transform().inverted().map(screen); }
    const SceneBox* boxAt(QPointF screen) const;
    // Over all that is drawn, in sight or not: colours stay while it is panned.
    Range boxRange() const;
    Range tileRange() const;
    Range rangeOf(const GraphTiling& tiling) const;
    void forgetRanges();
    QColor fillOf(const SceneBox& box, const Range& range) const;
    void clampOffset();
    void centreOn(QPointF scene);
    void settle(const QRectF& part);
    void askByZoom(QPointF screen, bool closer);
    bool isAcross() const { return scene_.flow == GraphFlow::Right; }
    // Boxes that the path goes through, by node, and the groups around them.
    void findPathBoxes();
    bool isOff(const SceneBox& box) const;
    bool isOff(const SceneLine& line) const;
    Marks marks() const;
    bool isGhost(int node) const { return index_ != nullptr && index_->isGhost(node); }
    bool isGhost(const SceneLine& line) const;
    std::vector<GraphChange> changesInScene() const;
    bool isTroubled(const SceneBox& box) const;
    bool passesTroubleOn(const SceneBox& box) const;

    void paintTiles(QPainter& painter, const QTransform& onto, const QRectF& clip, const GraphTiling& tiling,
                    const Range& range, bool has_text) const;
    void paintTile(QPainter& painter, const GraphTile& tile, const Range& range, bool has_text) const;
    void paintTileLines(QPainter& painter, const QTransform& onto, const QRectF& clip, const GraphTiling& tiling) const;
    void paintTileMarks(QPainter& painter, const GraphTiling& tiling) const;
    void paintSections(QPainter& painter, const QTransform& onto, const GraphTiling& tiling) const;
    void paintScene(QPainter& painter, const QRectF& visible, double scale);
    void paintHeader(QPainter& painter, const SceneBox& box, double scale);
    void paintChange(QPainter& painter, const SceneBox& box, double radius) const;
    void paintLines(QPainter& painter, const QRectF& visible, double scale);
    void paintLabels(QPainter& painter, const QRectF& visible, double scale);
    void paintBox(QPainter& painter, const SceneBox& box, const Range& range);
    void paintMarks(QPainter& painter, const SceneBox& box, const Marks& marks, double scale);
    void paintLegend(QPainter& painter, const Range& range, QSize room);

    std::shared_ptr<const GraphIndex> index_;
    GraphColours colours_;
    Scene scene_;
    GraphMinimap minimap_;
    bool minimap_shown_ = true;
    bool minimap_dragged_ = false;
    QString message_;
    int current_ = -1;
    int reached_ = -1;
    int hovered_ = kBorder;
    std::set<int> breakpoints_;
    std::set<int> matches_;
    std::map<int, GraphChange> changes_;
    std::set<int> path_;
    std::set<int> path_boxes_;
    GraphColours::Shares kinds_{};  // in the scene
    mutable std::optional<Range> box_range_;
    mutable std::optional<std::pair<QTransform, Range>> tile_range_;  // of scales
    bool zoom_opens_ = false;
    std::set<int> zoom_opened_;
    double scale_ = 1;
    QPointF offset_;
    bool user_moved_ = false;
    QSize sized_;  // the size for which offset_ is computed
    QPointF drag_from_;
    QPointF drag_offset_;
    bool dragging_ = false;
};

}  // namespace loupe::views
