// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Map of live blocks by address: addresses run along rows like text, wide gaps are omitted.

#include <QWidget>
#include <vector>

#include "core/record/recording.h"

namespace loupe::views {

class AddressMap : public QWidget {
    Q_OBJECT

  public:
    explicit AddressMap(QWidget* parent);

    void setBlocks(std::vector<session::Allocation> blocks);
    const std::vector<session::Allocation>& blocks() const { return blocks_; }  // by address
    // Stretches of addresses that hang together.
    int regions() const { return regions_; }
    // Bytes between the blocks of a region, that no block uses.
    std::int64_t gapBytes() const { return gaps_; }
    // The block under a point; -1 none.
    int blockAt(QPoint point) const;
    // Where a block begins on the widget.
    QPoint placeOf(int block) const;

    QSize sizeHint() const override { return {240, 120}; }

  signals:
    void chosen(const session::Allocation& block);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

  private:
    static constexpr int kRow = 13;
    static constexpr int kSpace = 3;
    int rowCount() const;
    double bytesPerRow() const;

    std::vector<session::Allocation> blocks_;
    std::vector<double> start_;  // of each block in the addresses put together
    double length_ = 0;
    int regions_ = 0;
    std::int64_t gaps_ = 0;
};

}  // namespace loupe::views
