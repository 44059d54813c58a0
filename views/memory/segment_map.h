// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The allocator's segments at a step: each a bar as long as it is large, in it the blocks alive and the holes between
// them, which are its fragmentation.

#include <QAbstractScrollArea>
#include <functional>

#include "views/common/imports.h"

namespace loupe::views {

class SegmentMap : public QAbstractScrollArea {
    Q_OBJECT

  public:
    explicit SegmentMap(QWidget* parent);

    using ColourOf = std::function<QRgb(std::uint32_t stack)>;
    void show(SnapshotPtr snapshot, const session::SnapshotHistory* history, std::uint32_t step, ColourOf colour);
    void setPinned(std::uint32_t block);

    // What the segments come to.
    struct Sums {
        std::size_t segments = 0;
        std::int64_t reserved = 0;
        std::int64_t active = 0;
        std::int64_t largest_hole = 0;  // the largest block that fits without more memory from the device
    };
    const Sums& sums() const { return sums_; }
    // The block at a place of the viewport; -1: none.
    std::int64_t blockAt(const QPoint& at) const;

  signals:
    void chosen(std::uint32_t block);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool viewportEvent(QEvent* event) override;

  private:
    struct Bar {
        session::SegmentSpan span;
        std::size_t first = 0;  // of blocks_
        std::size_t count = 0;
        int x = 0;
        int y = 0;
        int width = 0;
    };
    void layOut();
    const Bar* barAt(const QPoint& at) const;

    SnapshotPtr snapshot_;
    const session::SnapshotHistory* history_ = nullptr;
    ColourOf colour_;
    std::vector<Bar> bars_;              // the largest first
    std::vector<std::uint32_t> blocks_;  // alive, by address
    Sums sums_;
    std::uint32_t pinned_ = 0xffffffff;
};

}  // namespace loupe::views
