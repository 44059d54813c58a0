// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A lane a rank on one time axis: operators by phase, collectives below them, and an arrow from the rank that came last
// to those that waited for it.

#include <QWidget>
#include <optional>

#include "views/common/ranks.h"

namespace loupe::views {

class RankLanes : public QWidget {
    Q_OBJECT

  public:
    RankLanes(SessionBridge& bridge, QWidget* parent);

    // Shows all of it.
    void fit();
    void zoomTo(double from, double to);
    double from() const { return from_; }
    double to() const { return to_; }
    QRectF laneRect(std::size_t place) const;
    double xOf(double seconds) const;

  protected:
    void paintEvent(QPaintEvent*) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void resizeEvent(QResizeEvent*) override { update(); }
    QSize minimumSizeHint() const override { return {200, 90}; }

  private:
    struct Hit {
        std::size_t place = 0;
        session::EventId event = 0;
        int collective = -1;  // of the report's
    };
    void take();
    std::optional<Hit> hitAt(const QPointF& at) const;
    session::EventId eventAt(std::size_t place, double seconds) const;
    QString tipOf(const Hit& hit) const;
    double timeAt(double x) const;
    double common(std::size_t place, double own) const;

    void paintAxis(QPainter& painter) const;
    void paintEvents(QPainter& painter, std::size_t place) const;
    void paintCollectives(QPainter& painter, std::size_t place) const;
    void paintArrows(QPainter& painter) const;
    void paintCurrent(QPainter& painter) const;

    SessionBridge& bridge_;
    std::shared_ptr<const session::RankReport> report_;
    double first_ = 0;  // of all that is there, in seconds
    double last_ = 1;
    double from_ = 0;
    double to_ = 1;
    bool shows_all_ = true;
    std::optional<QPointF> pressed_;
    double pressed_from_ = 0;
    double pressed_to_ = 0;
    bool has_moved_ = false;
};

}  // namespace loupe::views
