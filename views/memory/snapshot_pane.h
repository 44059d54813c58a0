// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A memory snapshot of PyTorch's allocator: its active memory over time, who holds it at a step, the segments there,
// and what another snapshot differs in.

#include <QComboBox>
#include <QLabel>
#include <QStackedWidget>
#include <QTextBrowser>
#include <QToolButton>
#include <QTreeView>
#include <array>

#include "views/memory/holder_model.h"
#include "views/memory/segment_map.h"
#include "views/memory/snapshot_bands.h"

class QSortFilterProxyModel;

namespace loupe::views {

class SnapshotPane : public QWidget {
    Q_OBJECT

  public:
    explicit SnapshotPane(QWidget* parent);

    // other: the snapshot that it is compared with; null: none.
    void setSnapshot(SnapshotPtr snapshot, SnapshotPtr other);
    const SnapshotPtr& snapshot() const { return snapshot_; }
    void fit() { bands_->fit(); }

    enum class Side { Holders, Segments };
    void showSide(Side side);

    SnapshotBands* bands() { return bands_; }
    SegmentMap* segments() { return segments_; }
    HolderModel* holders() { return model_; }
    QTreeView* table() { return table_; }
    QTextBrowser* details() { return details_; }

  private:
    QWidget* makeSide();
    void chooseDevice();
    void takeStep(std::uint32_t step, std::uint32_t block);
    void fillSide();
    void showStack(std::uint32_t stack);
    void showBlock(std::uint32_t block);
    QString headline() const;

    SnapshotPtr snapshot_;
    SnapshotPtr other_;
    const session::SnapshotHistory* history_ = nullptr;
    QLabel* headline_ = nullptr;
    QComboBox* device_ = nullptr;
    QComboBox* kind_ = nullptr;
    std::array<QToolButton*, 2> sides_{};
    QLabel* side_note_ = nullptr;
    SnapshotBands* bands_ = nullptr;
    QStackedWidget* stack_ = nullptr;
    QTreeView* table_ = nullptr;
    HolderModel* model_ = nullptr;
    QSortFilterProxyModel* sorted_ = nullptr;
    SegmentMap* segments_ = nullptr;
    QTextBrowser* details_ = nullptr;
};

}  // namespace loupe::views
