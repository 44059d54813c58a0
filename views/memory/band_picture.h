// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Blocks over time as bands upon each other, the oldest below, as PyTorch's memory_viz has them: a block that is freed
// lets those above it sink. A column of pixels shows its step with most bytes; blocks too thin to be seen are one band
// on top. Drawn pixel by pixel: the time it takes depends on the picture, not on the snapshot.

#include <QImage>
#include <unordered_map>

#include "views/common/imports.h"
#include "views/memory/band_index.h"

namespace loupe::views {

struct BandRange {
    double from = 0;  // steps
    double to = 1;
    double bottom = 0;  // bytes
    double top = 1;
    bool operator==(const BandRange&) const = default;
};

class BandPicture {
  public:
    static constexpr std::uint32_t kNone = 0xffffffff;
    static constexpr std::uint32_t kSmall = 0xfffffffe;  // the band of blocks too thin to be seen

    BandPicture() = default;
    BandPicture(SnapshotPtr snapshot, const session::SnapshotHistory* history);

    // lit: a block that stands out; kNone: none does.
    QImage draw(const BandRange& range, const QSize& size, std::uint32_t lit);
    // The block at a pixel of a picture of that size; kSmall, or kNone.
    std::uint32_t blockAt(const BandRange& range, const QSize& size, const QPoint& at) const;
    // The step that a column of pixels shows.
    std::uint32_t stepOf(const BandRange& range, int width, int column) const;
    QRgb colourOf(std::uint32_t stack);
    // Colours depend on the theme.
    void forgetColours() { colours_.clear(); }

  private:
    void drawColumn(QImage& image, int column, std::uint32_t step, const BandRange& range, std::uint32_t lit);
    static std::int64_t leastBytes(const BandRange& range, int height);

    SnapshotPtr snapshot_;
    const session::SnapshotHistory* history_ = nullptr;
    BandIndex index_;
    std::vector<std::uint32_t> alive_;
    std::unordered_map<std::uint32_t, QRgb> colours_;  // by stack
};

}  // namespace loupe::views
