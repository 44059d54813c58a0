// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/alive_model.h"

#include "views/common/engine_words.h"
#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {

void AliveModel::setBlocks(std::shared_ptr<const session::Recording> recording, std::vector<session::AliveBlock> blocks,
                           session::EventId event) {
    beginResetModel();
    recording_ = std::move(recording);
    blocks_ = std::move(blocks);
    event_ = event;
    endResetModel();
}

int AliveModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(blocks_.size());
}
int AliveModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumns; }

QString AliveModel::eventName(session::EventId event) const {
    if (event == 0 || !recording_ || event > recording_->event_count()) return {};
    return QStringLiteral("#%1 %2").arg(event).arg(shortOpName(recording_->event(event).op));
}

// The node, and the operator that made it.
QString AliveModel::saverName(const session::BlockSaver& saver) const {
    const QString made = eventName(saver.by);
    return saver.node.empty() ? made : QStringLiteral("%1, %2").arg(text(saver.node), made);
}

QString AliveModel::savedBy(const session::AliveBlock& block) const {
    if (block.savers.empty()) return {};
    const QString first = saverName(block.savers.front());
    return block.savers.size() == 1 ? first : QObject::tr("%1 and %2 more").arg(first).arg(block.savers.size() - 1);
}

QVariant AliveModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const session::AliveBlock& each = block(index.row());
    const session::Allocation& allocation = each.allocation;
    if (role == Qt::ToolTipRole && index.column() == SavedBy && !each.savers.empty()) {
        QStringList lines;
        for (const session::BlockSaver& saver : each.savers) lines += QObject::tr("kept by %1").arg(saverName(saver));
        return lines.join(QLatin1Char('\n'));
    }
    if (role == Qt::ToolTipRole && index.column() == Category &&
        allocation.category == session::Category::KernelCache) {
        return QObject::tr("Kept by a kernel from run to run; a first run fills it. It is in no sum");
    }
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole) {
        switch (index.column()) {
            case Bytes:
                return bytesText(static_cast<double>(allocation.bytes));
            case Category:
                return engineWord(session::category_name(allocation.category));
            case Owner:
                return text(allocation.owner);
            case Scope:
                return allocation.scope.empty() ? QString() : text(allocation.scope);
            case Made:
                return allocation.allocated == 0 ? QObject::tr("before the run") : eventName(allocation.allocated);
            case Age:
                return QString::number(event_ - allocation.allocated);
            case SavedBy:
                return savedBy(each);
            default:
                return {};
        }
    }
    if (role == kSortRole) {
        switch (index.column()) {
            case Bytes:
                return static_cast<qlonglong>(allocation.bytes);
            case Made:
                return allocation.allocated;
            case Age:
                return event_ - allocation.allocated;
            case SavedBy:
                return each.savers.empty() ? session::EventId{0} : each.savers.front().by;
            default:
                return data(index, Qt::DisplayRole);
        }
    }
    if (role == Qt::DecorationRole && index.column() == Category)
        return Theme::instance().category(allocation.category);
    if (role == Qt::TextAlignmentRole && (index.column() == Bytes || index.column() == Age))
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::FontRole && index.column() != Category) return Theme::instance().monoFont();
    if (role == Qt::ForegroundRole && (index.column() == Made || index.column() == SavedBy))
        return Theme::instance().colour(Theme::Colour::Accent);
    return {};
}

QVariant AliveModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    static const char* names[kColumns] = {QT_TR_NOOP("Size"),    QT_TR_NOOP("Category"), QT_TR_NOOP("Owner"),
                                          QT_TR_NOOP("Scope"),   QT_TR_NOOP("Made by"),  QT_TR_NOOP("Age"),
                                          QT_TR_NOOP("Saved by")};
    return section >= 0 && section < kColumns ? tr(names[section]) : QVariant();
}

}  // namespace loupe::views
