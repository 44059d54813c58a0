// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the colours of a graph's boxes and tiles say, and its legend.

#include <QColor>
#include <QCoreApplication>
#include <QPainter>
#include <array>
#include <memory>
#include <vector>

#include "views/common/theme.h"
#include "views/graph/graph_index.h"
#include "views/graph/node_metrics.h"

namespace loupe::views {

enum class GraphColouring { Kind, Time, Memory, Activation, Gradient, Difference };

// What became of a node: against a reference, or through a pass.
enum class GraphChange { None, Added, Changed, Removed };

class GraphColours {
    Q_DECLARE_TR_FUNCTIONS(loupe::views::GraphColours)

  public:
    // Operators of each family in a node.
    using Shares = std::array<int, Theme::kFamilies>;
    // Of the metric, over what is drawn.
    struct Range {
        double low = 0;
        double high = 0;
        bool isEmpty() const { return high <= 0; }
        // Differences far below the maximum do not matter.
        Range clamped() const;
    };

    void setIndex(std::shared_ptr<const GraphIndex> index);
    void setMetrics(const NodeMetrics* metrics) { metrics_ = metrics; }
    void setColouring(GraphColouring colouring) { colouring_ = colouring; }

    GraphColouring colouring() const { return colouring_; }
    bool isOfKinds() const { return colouring_ == GraphColouring::Kind; }
    const NodeMetrics* metrics() const { return metrics_; }
    const Shares& shares(int node) const { return shares_[static_cast<std::size_t>(node)]; }
    // The most frequent kind of operator in it, without views and similar ones.
    Theme::Family familyOf(int node) const;
    // Of the colouring; below 0: none is known.
    double metricOf(int node) const;
    void widen(Range& range, int node) const;
    QColor metricColour(double value, const Range& range) const;
    // Of a tile; a box that nothing is known of is grey.
    QColor tileColour(int node, const Range& range, double strength) const;

    // Kinds of operators of a group side by side, with widths by count.
    void paintShares(QPainter& painter, const QRectF& place, int node) const;
    // used: operators of each family in what is drawn. At the bottom of the room, from its left.
    void paintLegend(QPainter& painter, const Shares& used, const Range& range, QSize room) const;
    // Outlines of boxes that changed; what was removed is dotted and empty.
    static QPen changePen(GraphChange change, double width);
    // How high the legend is that paintLegend() draws.
    int legendHeight(const Shares& used, QSize room) const;
    // Names of these marks, above the legend of the colours.
    void paintChanges(QPainter& painter, const std::vector<GraphChange>& changes, QSize room) const;
    // They say what only the reference has; otherwise what a pass did.
    void setOfReference(bool is_of_reference) { is_of_reference_ = is_of_reference; }

  private:
    QString timeNote() const;
    void paintKinds(QPainter& painter, const Shares& used, QSize room) const;

    std::shared_ptr<const GraphIndex> index_;
    const NodeMetrics* metrics_ = nullptr;
    std::vector<Shares> shares_;  // by node
    GraphColouring colouring_ = GraphColouring::Kind;
    bool is_of_reference_ = true;
};

}  // namespace loupe::views
