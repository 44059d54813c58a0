// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The timeline of a trace: zoom, pan, scroll, search, selection.

#include <QAbstractScrollArea>

#include "views/timeline/trace_drawing.h"

namespace loupe::views {

class TraceCanvas : public QAbstractScrollArea {
    Q_OBJECT

  public:
    explicit TraceCanvas(QWidget* parent);

    void setTrace(TracePtr trace);
    void fit();
    void zoomTo(double from, double to);
    // Selects it and brings it into sight.
    void select(std::uint32_t zone);
    // Zones whose names contain it stand out; empty: all do. The number of them.
    std::size_t search(const QString& words);
    // A stretch of time, whose use by streams is shown; equal ends: none.
    void selectRange(double from, double to);
    // The next match behind the selected zone; the first again behind the last.
    void selectNextMatch();

    const TraceState& state() const { return state_; }
    const TraceIndex& index() const { return index_; }
    TraceDrawing drawing() const;

  signals:
    void selected(std::uint32_t zone);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void scrollContentsBy(int, int) override;

  private:
    void takeHeight();

    TraceIndex index_;
    TraceState state_;
    QPointF pressed_;
    double pressed_from_ = 0;
    double pressed_to_ = 0;
    int pressed_scroll_ = 0;
    bool moved_ = false;
    bool is_range_ = false;  // the mouse selects a stretch
};

}  // namespace loupe::views
