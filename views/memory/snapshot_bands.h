// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The active memory of a snapshot over its entries: zoom, pan, what holds what; a click pins a block and a step.

#include <QWidget>
#include <optional>

#include "views/memory/band_picture.h"

namespace loupe::views {

class SnapshotBands : public QWidget {
    Q_OBJECT

  public:
    explicit SnapshotBands(QWidget* parent);

    // history: of the snapshot, null: none.
    void setHistory(const SnapshotPtr& snapshot, const session::SnapshotHistory* history);
    void fit();
    void setRange(const BandRange& range);
    const BandRange& range() const { return range_; }
    // The step whose holders are shown.
    void pin(std::uint32_t step, std::uint32_t block = BandPicture::kNone);
    std::uint32_t pinnedStep() const { return pinned_step_; }
    std::uint32_t pinnedBlock() const { return pinned_; }
    BandPicture& picture() { return picture_; }

  signals:
    void pinned(std::uint32_t step, std::uint32_t block);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

  private:
    QRect area() const;
    QSize pixels() const;  // of the area, on the device
    double stepAt(double x) const;
    double xOf(double step) const;
    double yOf(double bytes) const;
    std::uint32_t blockAt(const QPointF& at) const;
    void drawAxes(QPainter& painter);
    void drawMarks(QPainter& painter);
    void drawReserved(QPainter& painter);
    void drawTip(QPainter& painter);
    QStringList tipLines(std::uint32_t block, std::uint32_t step) const;

    SnapshotPtr snapshot_;
    const session::SnapshotHistory* history_ = nullptr;
    BandPicture picture_;
    BandRange range_;
    QImage drawn_;
    BandRange drawn_range_;
    std::uint32_t drawn_lit_ = BandPicture::kNone;
    std::uint32_t pinned_ = BandPicture::kNone;
    std::uint32_t hovered_ = BandPicture::kNone;
    std::uint32_t pinned_step_ = 0;
    std::optional<QPointF> mouse_;
    QPointF pressed_;
    BandRange pressed_range_;
    bool moved_ = false;
};

// Size, address, life and frames of a block, as text lines; at most that many frames.
QStringList blockLines(const session::StudiedSnapshot& snapshot, const session::SnapshotHistory& history,
                       std::uint32_t block, int frames);

}  // namespace loupe::views
