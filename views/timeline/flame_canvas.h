// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The flame graph of a trace, from the top down: equal call stacks merged, as wide as they took. Of two traces each
// stack is as wide as the mean of both, and coloured by which of them takes longer.

#include <QWidget>
#include <memory>
#include <optional>

#include "core/study/flame_difference.h"
#include "views/common/imports.h"

namespace loupe::views {

using FlameDifferencePtr = std::shared_ptr<const session::FlameDifference>;

class FlameCanvas : public QWidget {
    Q_OBJECT

  public:
    explicit FlameCanvas(QWidget* parent);

    void setTrace(TracePtr trace);
    // In place of the trace's own; null: of the trace alone.
    void setDifference(FlameDifferencePtr difference);
    const FlameDifferencePtr& difference() const { return difference_; }
    // Nodes whose names contain it stand out; empty: all do.
    void search(const QString& words);
    // Of a node and what it called; 0: all.
    void zoomTo(std::uint32_t node);
    std::uint32_t zoomed() const { return root_; }
    std::optional<std::uint32_t> nodeAt(QPointF at) const;
    void fit() { zoomTo(0); }

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;

  private:
    struct Box {
        std::uint32_t node = 0;
        double x = 0;
        double width = 0;
        int row = 0;
    };
    // What the picture needs of a node, of either kind of graph.
    struct Shape {
        std::uint32_t parent = session::FlameNode::kNone;
        std::uint32_t first_child = session::FlameNode::kNone;
        std::uint32_t next = session::FlameNode::kNone;
        std::uint32_t depth = 0;
        double seconds = 0;
    };
    bool isEmpty() const;
    Shape shapeOf(std::uint32_t node) const;
    std::uint32_t depth() const;
    std::vector<Box> boxes() const;
    QString nameOf(std::uint32_t node) const;
    QColor colourOf(std::uint32_t node) const;
    QString besideName(std::uint32_t node) const;
    QStringList tipOf(std::uint32_t node) const;

    TracePtr trace_;
    FlameDifferencePtr difference_;
    std::uint32_t root_ = 0;
    int scrolled_ = 0;  // rows
    QString words_;
    std::optional<QPointF> mouse_;
};

// Of a change in time as a flame graph of two shows it: from -1, only in A, over 0, equal, to 1, only in B.
QColor tendencyColour(double tendency);

}  // namespace loupe::views
