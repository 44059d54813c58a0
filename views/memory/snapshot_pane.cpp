// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/snapshot_pane.h"

#include <QHeaderView>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QVBoxLayout>

#include "views/common/format.h"
#include "views/common/panel_bar.h"
#include "views/common/theme.h"

namespace loupe::views {
namespace {

constexpr int kMostFrames = 200;

QString bytes(std::int64_t value) { return bytesText(static_cast<double>(value)); }

}  // namespace

SnapshotPane::SnapshotPane(QWidget* parent) : QWidget(parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    headline_ = faintLine(this);
    headline_->setContentsMargins(8, 2, 8, 2);
    layout->addWidget(headline_);
    auto* splitter = new QSplitter(Qt::Horizontal, this);
    bands_ = new SnapshotBands(splitter);
    splitter->addWidget(makeSide());
    splitter->setStretchFactor(0, 1);
    splitter->setSizes({580, 440});
    layout->addWidget(splitter, 1);
    connect(bands_, &SnapshotBands::pinned, this, &SnapshotPane::takeStep);
}

QWidget* SnapshotPane::makeSide() {
    auto* side = new QWidget(this);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* bar = new PanelBar(side, {4, 0, 4, 2}, 3);
    const QString titles[] = {tr("Holders"), tr("Segments")};
    const QString tips[] = {tr("Who holds the memory at the pinned step, the peak at first"),
                            tr("The allocator's segments at that step, the blocks in them and the holes between")};
    const QString names[] = {QStringLiteral("byHolder"), QStringLiteral("bySegment")};
    for (std::size_t i = 0; i < sides_.size(); ++i) {
        sides_[i] = bar->toggle(titles[i], tips[i], names[i]);
        connect(sides_[i], &QToolButton::clicked, this, [this, i] { showSide(static_cast<Side>(i)); });
    }
    kind_ = bar->choice(tr("Holders by"), tr("What blocks are added up by"));
    kind_->setObjectName(QStringLiteral("holderKind"));
    kind_->addItems({tr("by own code"), tr("by stack"), tr("by size")});
    device_ = bar->choice(tr("Device"), tr("The device whose memory is shown"));
    column->addLayout(bar);
    side_note_ = new QLabel(side);
    side_note_->setProperty("faint", true);
    side_note_->setWordWrap(true);
    side_note_->setContentsMargins(8, 0, 8, 3);
    column->addWidget(side_note_);
    auto* parts = new QSplitter(Qt::Vertical, side);
    stack_ = new QStackedWidget(parts);
    model_ = new HolderModel(this);
    sorted_ = new QSortFilterProxyModel(this);
    sorted_->setSourceModel(model_);
    sorted_->setSortRole(HolderModel::kSortRole);
    table_ = new QTreeView(stack_);
    table_->setObjectName(QStringLiteral("snapshotHolders"));
    table_->setAccessibleName(tr("Who holds the memory"));
    table_->setModel(sorted_);
    table_->setRootIsDecorated(false);
    table_->setUniformRowHeights(true);
    table_->setSortingEnabled(true);
    table_->header()->setStretchLastSection(false);
    stack_->addWidget(table_);
    segments_ = new SegmentMap(stack_);
    stack_->addWidget(segments_);
    details_ = new QTextBrowser(parts);
    details_->setObjectName(QStringLiteral("blockDetails"));
    details_->setAccessibleName(tr("The chosen block and its stack"));
    details_->setFrameShape(QFrame::NoFrame);
    details_->hide();
    parts->setStretchFactor(0, 1);
    parts->setSizes({220, 120});
    column->addWidget(parts, 1);
    sides_[0]->setChecked(true);
    connect(kind_, &QComboBox::currentIndexChanged, this, &SnapshotPane::fillSide);
    connect(device_, &QComboBox::currentIndexChanged, this, &SnapshotPane::chooseDevice);
    connect(segments_, &SegmentMap::chosen, this,
            [this](std::uint32_t block) { bands_->pin(bands_->pinnedStep(), block); });
    connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& index) {
        if (index.isValid()) showStack(model_->stack(sorted_->mapToSource(index).row()));
    });
    return side;
}

void SnapshotPane::setSnapshot(SnapshotPtr snapshot, SnapshotPtr other) {
    const bool is_other = snapshot != snapshot_;
    snapshot_ = std::move(snapshot);
    other_ = std::move(other);
    if (is_other) {
        const QSignalBlocker quiet(device_);
        device_->clear();
        if (snapshot_)
            for (const session::SnapshotHistory& history : snapshot_->histories)
                device_->addItem(tr("cuda:%1").arg(history.device));
        device_->setVisible(device_->count() > 1);
        details_->hide();
        chooseDevice();
    } else {
        fillSide();
    }
}

void SnapshotPane::chooseDevice() {
    const auto at = static_cast<std::size_t>(std::max(0, device_->currentIndex()));
    history_ = snapshot_ && at < snapshot_->histories.size() ? &snapshot_->histories[at] : nullptr;
    bands_->setHistory(snapshot_, history_);
    headline_->setText(headline());
    headline_->setToolTip(headline());
    fillSide();
}

QString SnapshotPane::headline() const {
    if (history_ == nullptr) return {};
    const MemorySnapshot& snapshot = snapshot_->snapshot;
    const auto holders = session::holders_at(snapshot, *history_, history_->peak, session::HolderKind::OwnCode);
    QStringList parts{tr("imported: nothing of it runs")};
    const double time = session::seconds_at(snapshot, *history_, history_->peak);
    QString peak = tr("peak %1 behind entry %2 of %3")
                       .arg(bytes(history_->peak_bytes()), countText(history_->peak), countText(history_->steps() - 1));
    if (time > 0) peak += tr(" (after %1)").arg(secondsText(time));
    if (!holders.empty() && history_->peak_bytes() > 0)
        peak += tr(", %1 % of it held by %2")
                    .arg(static_cast<double>(holders.front().bytes) / static_cast<double>(history_->peak_bytes()) * 100,
                         0, 'f', 0)
                    .arg(text(holders.front().where));
    parts << peak;
    if (!history_->out_of_memory.empty())
        parts << tr("out of memory %1").arg(counted(static_cast<std::int64_t>(history_->out_of_memory.size()), "time"));
    for (const std::string& note : snapshot.notes) parts << text(note);
    for (const std::string& note : history_->notes) parts << text(note);
    return parts.join(QStringLiteral("  \u00b7  "));
}

void SnapshotPane::takeStep(std::uint32_t, std::uint32_t block) {
    segments_->setPinned(block);
    fillSide();
    if (block != BandPicture::kNone) showBlock(block);
}

void SnapshotPane::showSide(Side side) {
    stack_->setCurrentIndex(static_cast<int>(side));
    for (std::size_t i = 0; i < sides_.size(); ++i) sides_[i]->setChecked(i == static_cast<std::size_t>(side));
    fillSide();
}

void SnapshotPane::fillSide() {
    const bool is_table = stack_->currentIndex() == 0;
    kind_->setVisible(is_table && !other_);
    if (history_ == nullptr) {
        model_->setHolders({}, 0);
        segments_->show(nullptr, nullptr, 0, {});
        side_note_->setText({});
        return;
    }
    const std::uint32_t step = bands_->pinnedStep();
    const QString when = step == history_->peak ? tr("at the peak") : tr("behind entry %1").arg(countText(step));
    if (!is_table) {
        segments_->show(snapshot_, history_, step,
                        [this](std::uint32_t stack) { return bands_->picture().colourOf(stack); });
        const SegmentMap::Sums& sums = segments_->sums();
        side_note_->setText(
            tr("%1: %2, %3 reserved, %4 free, largest hole %5")
                .arg(when, counted(static_cast<std::int64_t>(sums.segments), "segment"), bytes(sums.reserved),
                     bytes(std::max<std::int64_t>(0, sums.reserved - sums.active)), bytes(sums.largest_hole)));
    } else if (other_) {
        const session::SnapshotHistory& there = other_->histories.front();
        model_->setDifferences(session::compare_holders(
            session::holders_at(snapshot_->snapshot, *history_, history_->peak, session::HolderKind::OwnCode),
            session::holders_at(other_->snapshot, there, there.peak, session::HolderKind::OwnCode)));
        side_note_->setText(
            tr("at the peaks: A %1, B %2").arg(bytes(history_->peak_bytes()), bytes(there.peak_bytes())));
    } else {
        const auto kind = static_cast<session::HolderKind>(std::max(0, kind_->currentIndex()));
        model_->setHolders(session::holders_at(snapshot_->snapshot, *history_, step, kind), history_->active[step]);
        side_note_->setText(tr("%1: %2 active").arg(when, bytes(history_->active[step])));
    }
    if (!is_table) return;
    const int one[] = {0, 80, 62, 62};
    const int two[] = {0, 64, 76, 76, 80};
    table_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    for (int i = 1; i < model_->columnCount(); ++i) table_->header()->resizeSection(i, other_ ? two[i] : one[i]);
    table_->sortByColumn(other_ ? static_cast<int>(HolderModel::Change) : static_cast<int>(HolderModel::Bytes),
                         Qt::DescendingOrder);
}

void SnapshotPane::showBlock(std::uint32_t block) {
    const QStringList lines = blockLines(*snapshot_, *history_, block, kMostFrames);
    QString html = QStringLiteral("<p><b>%1</b><br>%2</p><p>").arg(lines[0].toHtmlEscaped(), lines[1].toHtmlEscaped());
    for (qsizetype i = 2; i < lines.size(); ++i) html += lines[i].toHtmlEscaped() + QStringLiteral("<br>");
    details_->setHtml(html + QStringLiteral("</p>"));
    details_->show();
}

void SnapshotPane::showStack(std::uint32_t stack) {
    const MemorySnapshot& snapshot = snapshot_->snapshot;
    details_->setVisible(stack != 0);
    if (stack == 0) return;
    QString html = QStringLiteral("<p><b>%1</b></p><p>").arg(tr("the largest of these blocks was allocated in"));
    int count = 0;
    for (const std::uint32_t frame : snapshot.frames_of(stack)) {
        if (++count > kMostFrames) break;
        html += text(frame_text(snapshot, frame)).toHtmlEscaped() + QStringLiteral("<br>");
    }
    details_->setHtml(html + QStringLiteral("</p>"));
}

}  // namespace loupe::views
