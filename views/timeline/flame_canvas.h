// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The flame graph of a trace, from the top down: equal call stacks merged, as wide as they took.

#include <QWidget>
#include <optional>

#include "views/common/imports.h"

namespace loupe::views {

class FlameCanvas : public QWidget {
    Q_OBJECT

  public:
    explicit FlameCanvas(QWidget* parent);

    void setTrace(TracePtr trace);
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
    std::vector<Box> boxes() const;
    QString nameOf(const session::FlameNode& node) const;
    QColor colourOf(const session::FlameNode& node) const;

    TracePtr trace_;
    std::uint32_t root_ = 0;
    int scrolled_ = 0;  // rows
    QString words_;
    std::optional<QPointF> mouse_;
};

}  // namespace loupe::views
