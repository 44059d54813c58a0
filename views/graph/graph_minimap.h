// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// All of a graph in a corner of the canvas, with the part that is in sight.

#include <QPainter>
#include <QPixmap>
#include <functional>

namespace loupe::views {

class GraphMinimap {
  public:
    using Paint = std::function<void(QPainter&, const QTransform& onto)>;

    // The scene or its colours have changed.
    void forget() { picture_ = {}; }
    // Its rectangle in a canvas of this size: in the lower right corner. Empty without room.
    static QRect place(const QSize& canvas, const QSizeF& scene);
    // From the scene onto the canvas. A scene that is much higher than wide is drawn wider than it is.
    static QTransform onto(const QRect& place, const QSizeF& scene);
    // seen: the visible part of the scene. paint_scene draws all of it; called when there is no picture yet.
    void paint(QPainter& painter, const QRect& place, const QSizeF& scene, const QRectF& seen,
               const Paint& paint_scene);

  private:
    QPixmap picture_;
};

}  // namespace loupe::views
