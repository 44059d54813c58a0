// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/layer_table_model.h"

#include "views/common/colour_map.h"
#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {

using session::ModuleDifference;
using session::Presence;

namespace {

// Its output is that of the reference, but not what its gradient came to.
bool isOfGradient(const ModuleDifference& module) {
    return module.numbers && module.numbers->is_same() && module.backward_diverges;
}

// Null: nothing of it was compared.
const session::Difference* shownOf(const ModuleDifference& module) {
    const auto& numbers = isOfGradient(module) ? module.backward : module.numbers;
    return numbers ? &*numbers : nullptr;
}

}  // namespace

void LayerTableModel::rebuild() {
    beginResetModel();
    rows_.clear();
    references_.clear();
    for (const auto& reference : comparison_.references()) {
        if (comparison_.all().contains(reference.id)) references_.push_back(reference.id);
    }
    // Own modules come first and in the same order, whatever the reference is.
    if (!references_.empty()) {
        const auto& modules = comparison_.all().at(references_.front())->modules;
        for (std::size_t i = 0; i < modules.size() && modules[i].presence != Presence::OnlyThere; ++i) {
            if (!leaves_only_ || modules[i].has_events) rows_.push_back(i);
        }
    }
    endResetModel();
}

void LayerTableModel::setLeavesOnly(bool value) {
    leaves_only_ = value;
    rebuild();
}

int LayerTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int LayerTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : FirstReference + static_cast<int>(references_.size());
}

const ModuleDifference* LayerTableModel::cell(int row, int column) const {
    const auto reference = static_cast<std::size_t>(std::max(0, column - FirstReference));
    const auto found = comparison_.all().find(references_[reference]);
    if (found == comparison_.all().end()) return nullptr;
    const std::size_t module = rows_[static_cast<std::size_t>(row)];
    return module < found->second->modules.size() ? &found->second->modules[module] : nullptr;
}

QVariant LayerTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const ModuleDifference* found = cell(index.row(), index.column());
    if (found == nullptr) return {};
    const bool is_reference = index.column() >= FirstReference;
    const session::Difference* shown = shownOf(*found);
    switch (role) {
        case Qt::DisplayRole:
            if (index.column() == Module) return scopeText(found->here);
            if (index.column() == Class) return text(found->class_name);
            if (!found->numbers && found->presence == Presence::OnlyHere) return tr("only here");
            if (!found->numbers) return found->differs() ? tr("differs") : QStringLiteral("\u2013");
            if (isOfGradient(*found))
                return tr("\u2260 gradient %1")
                    .arg(found->backward ? differenceText(*found->backward, DifferenceColumn::Snr) : tr("differs"));
            return QStringLiteral("%1%2").arg(found->diverges ? QStringLiteral("\u2260 ") : QString(),
                                              differenceText(*found->numbers, DifferenceColumn::Snr));
        case Qt::BackgroundRole:
            if (!is_reference || shown == nullptr || shown->is_same()) return {};
            return differenceColour(shown->not_finite > 0 ? 0 : shown->snr_db);
        case Qt::ForegroundRole:
            if (is_reference && shown != nullptr && !shown->is_same())
                return readableOn(differenceColour(shown->not_finite > 0 ? 0 : shown->snr_db).rgb());
            if (index.column() == Class) return Theme::instance().colour(Theme::Colour::Faint);
            return {};
        case Qt::ToolTipRole:
            if (!is_reference) return scopeText(found->here);
            if (found->numbers && found->backward)
                return tr("Output: %1\nGradient that leaves it: %2")
                    .arg(text(session::difference_text(*found->numbers)),
                         text(session::difference_text(*found->backward)));
            if (found->numbers) return text(session::difference_text(*found->numbers));
            return tr("Nothing of it was compared");
        case Qt::TextAlignmentRole:
            return QVariant::fromValue((is_reference ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        case EventRole:
            return found->output;
        case ModuleRole:
            return text(found->here);
        default:
            return {};
    }
}

QVariant LayerTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || (role != Qt::DisplayRole && role != Qt::ToolTipRole)) return {};
    if (section == Module) return tr("Module");
    if (section == Class) return tr("Class");
    for (const auto& reference : comparison_.references()) {
        const auto at = static_cast<std::size_t>(section - FirstReference);
        if (at < references_.size() && references_[at] == reference.id) return text(reference.label);
    }
    return {};
}

}  // namespace loupe::views
