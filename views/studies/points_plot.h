// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Points in a plane, coloured by a number or by group, some with their names.

#include <QWidget>

#include "core/study/studies/study.h"

class QCustomPlot;
class QMouseEvent;

namespace loupe::views {

class PointsPlot : public QWidget {
    Q_OBJECT

  public:
    explicit PointsPlot(QWidget* parent = nullptr);

    void setPoints(const session::StudyPoints& points);
    const session::StudyPoints& points() const { return points_; }
    void fit();
    // A search: points whose names contain it are named and marked.
    void setSearch(const QString& words);
    // Nearest to a place of the widget, no farther than a few pixels; -1: none.
    int pointAt(QPointF place) const;
    QPointF placeOf(int point) const;
    QCustomPlot& plot() { return *plot_; }

  signals:
    void hovered(const QString& words);

  private:
    void draw();
    void drawLabels();
    void hover(QMouseEvent* event);
    QString nameOf(int point) const;

    session::StudyPoints points_;
    QCustomPlot* plot_;
    QString search_;
};

}  // namespace loupe::views
