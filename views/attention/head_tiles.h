// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// All heads of an attention side by side, small; one of them is chosen.

#include <QImage>
#include <QScrollArea>
#include <vector>

#include "core/session/queries/attention_map.h"

namespace loupe::views {

class HeadTiles : public QAbstractScrollArea {
    Q_OBJECT

  public:
    explicit HeadTiles(QWidget* parent = nullptr);

    void setHeads(const std::vector<session::AttentionTile>& heads);
    void setChosen(int head);  // -1: none
    int count() const { return static_cast<int>(images_.size()); }
    QRect tileRect(int head) const;  // on the viewport
    // Of one row.
    QSize sizeHint() const override;

  signals:
    void chosenChanged(int head);

  protected:
    void paintEvent(QPaintEvent*) override;
    void mousePressEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent*) override;
    bool viewportEvent(QEvent* event) override;

  private:
    int columns() const;
    int headAt(QPoint place) const;
    void arrange();

    std::vector<QImage> images_;
    int chosen_ = -1;
};

}  // namespace loupe::views
