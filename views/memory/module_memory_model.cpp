// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/module_memory_model.h"

#include <algorithm>

#include "views/common/engine_words.h"
#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {
namespace {

std::int64_t of(const session::CategoryBytes& bytes, std::initializer_list<session::Category> categories) {
    std::int64_t sum = 0;
    for (const session::Category category : categories) sum += bytes[static_cast<std::size_t>(category)];
    return sum;
}

std::int64_t bytesOf(const session::ModuleMemory& row, int column) {
    using C = session::Category;
    using M = ModuleMemoryModel;
    switch (column) {
        case M::AtEvent:
            return session::total_bytes(row.at_event);
        case M::AtPeak:
            return session::total_bytes(row.at_peak);
        case M::Parameters:
            return of(row.at_event, {C::Parameter, C::Buffer});
        case M::Gradients:
            return of(row.at_event, {C::Gradient});
        case M::Saved:
            return of(row.at_event, {C::SavedForBackward});
        case M::Activations:
            return of(row.at_event, {C::Activation});
        case M::Others:
            return of(row.at_event, {C::Workspace, C::Input, C::Other});
        case M::Forward:
            return row.forward;
        case M::Backward:
            return row.backward;
        default:
            return 0;
    }
}

// Zero is an empty cell, so that others stand out.
QString deltaText(std::int64_t bytes) {
    if (bytes == 0) return {};
    return (bytes > 0 ? QStringLiteral("+") : QStringLiteral("\u2212")) +
           bytesText(static_cast<double>(std::abs(bytes)));
}
QString sizeText(std::int64_t bytes) { return bytes == 0 ? QString() : bytesText(static_cast<double>(bytes)); }

QString lastPart(const std::string& module) {
    const auto dot = module.rfind('.');
    return text(dot == std::string::npos ? module : module.substr(dot + 1));
}

}  // namespace

void ModuleMemoryModel::setRows(std::vector<session::ModuleMemory> rows, session::EventId event,
                                session::EventId peak) {
    const bool isSame =
        std::equal(rows.begin(), rows.end(), rows_.begin(), rows_.end(),
                   [](const session::ModuleMemory& a, const session::ModuleMemory& b) { return a.module == b.module; });
    event_ = event;
    peak_ = peak;
    if (isSame) {
        rows_ = std::move(rows);
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            if (!children_[i].empty()) {
                emit dataChanged(createIndex(0, 0, static_cast<quintptr>(children_[i].front())),
                                 createIndex(static_cast<int>(children_[i].size()) - 1, kColumns - 1,
                                             static_cast<quintptr>(children_[i].back())));
            }
        }
        if (!rows_.empty()) emit dataChanged(index(0, 0), index(0, kColumns - 1));
        emit headerDataChanged(Qt::Horizontal, 0, kColumns - 1);
        return;
    }
    beginResetModel();
    rows_ = std::move(rows);
    children_.assign(rows_.size(), {});
    places_.assign(rows_.size(), 0);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (rows_[i].parent < 0) continue;
        auto& siblings = children_[static_cast<std::size_t>(rows_[i].parent)];
        places_[i] = static_cast<int>(siblings.size());
        siblings.push_back(static_cast<int>(i));
    }
    endResetModel();
}

QModelIndex ModuleMemoryModel::indexOf(const QString& module) const {
    const std::string wanted = module.toStdString();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (rows_[i].module == wanted) return createIndex(places_[i], 0, static_cast<quintptr>(i));
    }
    return {};
}

QModelIndex ModuleMemoryModel::index(int row, int column, const QModelIndex& parent) const {
    if (column < 0 || column >= kColumns || row < 0 || row >= rowCount(parent)) return {};
    if (!parent.isValid()) return createIndex(0, column, quintptr{0});
    return createIndex(
        row, column,
        static_cast<quintptr>(children_[static_cast<std::size_t>(parent.internalId())][static_cast<std::size_t>(row)]));
}

QModelIndex ModuleMemoryModel::parent(const QModelIndex& index) const {
    if (!index.isValid()) return {};
    const int parent = row(index).parent;
    return parent < 0 ? QModelIndex()
                      : createIndex(places_[static_cast<std::size_t>(parent)], 0, static_cast<quintptr>(parent));
}

int ModuleMemoryModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) return rows_.empty() ? 0 : 1;
    return parent.column() == 0 ? static_cast<int>(children_[static_cast<std::size_t>(parent.internalId())].size()) : 0;
}

int ModuleMemoryModel::columnCount(const QModelIndex&) const { return kColumns; }

QVariant ModuleMemoryModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const session::ModuleMemory& each = row(index);
    const int column = index.column();
    switch (role) {
        case Qt::DisplayRole:
            if (column == Module) return each.module.empty() ? scopeText({}) : lastPart(each.module);
            return column >= Forward ? deltaText(bytesOf(each, column)) : sizeText(bytesOf(each, column));
        case Qt::ToolTipRole: {
            if (column == Module)
                return tr("%1: %2 at #%3").arg(scopeText(each.module), counted(each.blocks, "block")).arg(event_);
            const auto caches = each.at_event[static_cast<std::size_t>(session::Category::KernelCache)];
            if (column == AtEvent && caches > 0)
                return tr("Kernel caches take %1 beside it").arg(bytesText(static_cast<double>(caches)));
            return {};
        }
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(column == Module ? Qt::AlignLeft | Qt::AlignVCenter
                                                        : Qt::AlignRight | Qt::AlignVCenter);
        case Qt::FontRole:
            return column == Module ? QVariant() : QVariant(Theme::instance().monoFont());
        default:
            return {};
    }
}

QVariant ModuleMemoryModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= kColumns) return {};
    const QString titles[] = {tr("Module"),
                              tr("At #%1").arg(event_),
                              tr("At peak #%1").arg(peak_),
                              tr("Weights"),
                              tr("Gradients"),
                              tr("Saved"),
                              tr("Activations"),
                              tr("Other"),
                              tr("Forward \u0394"),
                              tr("Backward \u0394")};
    const QString tips[] = {tr("Blocks are of the module that made them; rows add up what is inside"),
                            tr("Alive at the current event, without kernel caches"),
                            tr("Alive at the peak of the run, without kernel caches"),
                            tr("Parameters and buffers at the current event"),
                            tr("Gradients at the current event"),
                            tr("Kept for backward at the current event"),
                            tr("Activations at the current event that nothing keeps for backward"),
                            tr("Inputs, workspace and the rest at the current event"),
                            tr("What all its forward events left alive, less what they let go of"),
                            tr("What all its backward events left alive, less what they let go of")};
    if (role == Qt::DisplayRole) return titles[section];
    if (role == Qt::ToolTipRole) return tips[section];
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(section == Module ? Qt::AlignLeft | Qt::AlignVCenter
                                                     : Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

// --- by category

void CategoryMemoryModel::setBytes(const session::CategoryBytes& at_event, const session::CategoryBytes& at_peak,
                                   session::EventId event, session::EventId peak) {
    beginResetModel();
    at_event_ = at_event;
    at_peak_ = at_peak;
    event_ = event;
    peak_ = peak;
    categories_.clear();
    for (std::size_t c = 0; c < at_event.size(); ++c) {
        if (at_event[c] != 0 || at_peak[c] != 0) categories_.push_back(static_cast<session::Category>(c));
    }
    endResetModel();
}

int CategoryMemoryModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || categories_.empty() ? 0 : static_cast<int>(categories_.size()) + 1;
}
int CategoryMemoryModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumns; }

QVariant CategoryMemoryModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const bool isSum = index.row() == static_cast<int>(categories_.size());
    const auto category = isSum ? session::Category::Other : categories_[static_cast<std::size_t>(index.row())];
    const bool isCache = !isSum && category == session::Category::KernelCache;
    if (role == Qt::DisplayRole) {
        if (index.column() == Category)
            return isSum ? tr("sum, without kernel caches") : engineWord(session::category_name(category));
        const session::CategoryBytes& bytes = index.column() == AtEvent ? at_event_ : at_peak_;
        return sizeText(isSum ? session::total_bytes(bytes) : bytes[static_cast<std::size_t>(category)]);
    }
    if (role == Qt::ToolTipRole && isCache)
        return tr("Kept by kernels from run to run; a first run fills it. It is in no sum");
    if (role == Qt::DecorationRole && index.column() == Category && !isSum) return Theme::instance().category(category);
    if (role == Qt::TextAlignmentRole && index.column() != Category)
        return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::FontRole) {
        QFont font = index.column() == Category ? Theme::instance().uiFont() : Theme::instance().monoFont();
        font.setBold(isSum);
        return font;
    }
    return {};
}

QVariant CategoryMemoryModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= kColumns) return {};
    const QString titles[] = {tr("Category"), tr("At #%1").arg(event_), tr("At peak #%1").arg(peak_)};
    if (role == Qt::DisplayRole) return titles[section];
    if (role == Qt::TextAlignmentRole && section != Category)
        return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

}  // namespace loupe::views
