// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the Memory panel shows the run or a memory snapshot that was opened, and what that is compared with.
#include <QFileInfo>
#include <QVBoxLayout>

#include "views/common/format.h"
#include "views/common/panel_bar.h"
#include "views/memory/memory_view.h"

namespace loupe::views {

void MemoryView::makeSources() {
    sources_ = new QWidget(this);
    auto* bar = new PanelBar(sources_, {6, 2, 6, 2}, 4);
    sources_->setLayout(bar);
    source_ = bar->choice(tr("What is shown"), tr("The run, or a memory snapshot that was opened"));
    source_->setObjectName(QStringLiteral("memorySource"));
    other_ = bar->choice(tr("Compared with"), tr("What another snapshot holds at its peak, beside this one's"));
    other_->setObjectName(QStringLiteral("memoryOther"));
    close_ = bar->button(tr("Close"), tr("Closes the snapshot"), QStringLiteral("closeSnapshot"));
    connect(source_, &QComboBox::currentIndexChanged, this, &MemoryView::showPage);
    connect(other_, &QComboBox::currentIndexChanged, this, &MemoryView::showPage);
    connect(close_, &QToolButton::clicked, this,
            [this] { Imports::of(bridge()).closeSnapshot(source_->currentData().toString()); });
    layout()->addWidget(sources_);
}

SnapshotPtr MemoryView::snapshotOf(const QComboBox& choice) const {
    for (const SnapshotPtr& snapshot : Imports::of(bridge()).snapshots())
        if (text(snapshot->snapshot.path) == choice.currentData().toString()) return snapshot;
    return nullptr;
}

// A snapshot that was just opened is shown.
void MemoryView::takeSnapshots() {
    const QString before = source_->currentData().toString();
    const auto& snapshots = Imports::of(bridge()).snapshots();
    const bool has_new = static_cast<int>(snapshots.size()) + 1 > source_->count();
    for (QComboBox* choice : {source_, other_}) {
        const QSignalBlocker quiet(choice);
        choice->clear();
        choice->addItem(choice == source_ ? tr("This run") : tr("compare with\u2026"), QString());
        for (const SnapshotPtr& snapshot : snapshots) {
            const QString path = text(snapshot->snapshot.path);
            const QString name = QFileInfo(path).fileName();
            choice->addItem(choice == source_ ? name : tr("with %1").arg(name), path);
            choice->setItemData(choice->count() - 1, path, Qt::ToolTipRole);
        }
        choice->setMaximumWidth(240);
    }
    {
        const QSignalBlocker quiet(source_);
        const int there = source_->findData(before);
        source_->setCurrentIndex(has_new || there < 0 ? source_->count() - 1 : there);
    }
    showPage();
}

void MemoryView::showPage() {
    const auto& snapshots = Imports::of(bridge()).snapshots();
    const SnapshotPtr shown = snapshotOf(*source_);
    SnapshotPtr other = snapshotOf(*other_);
    if (other == shown) other = nullptr;
    sources_->setVisible(!snapshots.empty());
    other_->setVisible(shown != nullptr && snapshots.size() > 1);
    close_->setVisible(shown != nullptr);
    pane_->setSnapshot(shown, other);
    pages_->setCurrentIndex(shown ? 1 : 0);
}

}  // namespace loupe::views
