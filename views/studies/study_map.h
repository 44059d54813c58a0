// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A map of numbers over the image that it is about, with its scale of colours.

#include <QImage>
#include <QWidget>

#include "core/study/studies/study.h"

namespace loupe::views {

class StudyMapPicture : public QWidget {
    Q_OBJECT

  public:
    explicit StudyMapPicture(QWidget* parent = nullptr);

    void setMap(const session::StudyMap& map);
    const session::StudyMap& map() const { return map_; }
    // Of the colours over the image: 0 the image, 1 the map alone.
    void setStrength(double strength);
    QRectF area() const;  // of the map, on the widget

  signals:
    // The element under the mouse; empty: none.
    void hovered(const QString& words);

  protected:
    void paintEvent(QPaintEvent*) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent*) override;

  private:
    void makeImage();
    void paintScale(QPainter& painter, const QRectF& area) const;

    session::StudyMap map_;
    QImage image_;
    double full_ = 0;
    double strength_ = 0.65;
};

QImage imageOf(const session::StudyPicture& picture);

}  // namespace loupe::views
