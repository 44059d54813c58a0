// SPDX-License-Identifier: GPL-3.0-or-later
// The gradients of every rank beside each other: a row a rank, a column a parameter or module.
#include <qcustomplot.h>

#include <QStandardItemModel>
#include <cmath>

#include "core/session/queries/gradients.h"
#include "views/common/format.h"
#include "views/common/ranks.h"
#include "views/gradient_flow/gradient_flow_view.h"

namespace loupe::views {

// Measures of ranks are there while there are several.
void GradientFlowView::offerRanks() {
    const bool isOn = Ranks::of(bridge()).isOn();
    auto* items = qobject_cast<QStandardItemModel*>(measure_->model());
    for (int i = static_cast<int>(Measure::RankNorms); items != nullptr && i < measure_->count(); ++i)
        items->item(i)->setEnabled(isOn);
    if (!isOn) {
        rank_rows_.clear();
        if (isByRank()) setMeasure(Measure::Norm);
        return;
    }
    askRanks();
}

void GradientFlowView::askRanks() {
    if (!isByRank() || !Ranks::of(bridge()).isOn()) return;
    rank_rows_.resize(bridge().seatCount());
    for (std::size_t seat = 0; seat < bridge().seatCount(); ++seat) {
        const auto state = bridge().statusAt(seat).state;
        const bool stands = state == session::RunState::Paused || state == session::RunState::Finished ||
                            state == session::RunState::Failed;
        if (!stands) continue;
        bridge().askAt(seat, QStringLiteral("gradients of a rank"), session::GradientsQuery{}, this,
                       [this, seat](const std::vector<session::GradientRow>& rows) {
                           if (seat >= rank_rows_.size()) return;
                           rank_rows_[seat] = rows;
                           if (isByRank()) draw();
                       });
    }
}

void GradientFlowView::drawRanks() {
    std::vector<std::vector<double>> cells;
    std::vector<std::int64_t> labels;
    for (std::size_t seat = 0; seat < rank_rows_.size(); ++seat) {
        auto& values = cells.emplace_back();
        labels.push_back(bridge().rankAt(seat));
        const auto& rows = rank_rows_[seat];
        for (std::size_t column = 0; column < shown_.size(); ++column) {
            // Rows of a rank that has others than the current one are not held beside them.
            if (rows.size() != rows_.size()) {
                values.push_back(-1);
                continue;
            }
            const session::GradientRow sum = columns_.sum(static_cast<int>(column), rows);
            const double bad = static_cast<double>(sum.nan_count + sum.inf_count);
            if (!sum.has_gradient)
                values.push_back(-1);
            else if (measure() == Measure::RankBad)
                values.push_back(bad / static_cast<double>(std::max<std::int64_t>(1, sum.count())));
            else if (bad > 0 || !sum.finite)
                values.push_back(std::nan(""));
            else
                values.push_back(measure() == Measure::RankNorms ? sum.finite->norm : sum.finite->mean_abs);
        }
    }
    drawMap(cells, labels);
    summary_->setText(tr("A row a rank, dark to bright by magnitude, red: NaN or Inf; click a cell to go there"));
}

int GradientFlowView::seatAt(const QPointF& position) const {
    const int row = static_cast<int>(std::lround(plot_->yAxis->pixelToCoord(position.y()))) - 1;
    return row >= 0 && row < static_cast<int>(rank_rows_.size()) ? row : -1;
}

void GradientFlowView::selectOnRank(int seat, const GradientColumn& column) {
    if (seat < 0) return;
    const auto& rows = rank_rows_[static_cast<std::size_t>(seat)];
    const auto row = static_cast<std::size_t>(column.rows.front());
    if (row >= rows.size()) return;
    const session::GradientRow wanted = rows[row];
    const QString module = text(column.is_group ? column.path : wanted.module);
    bridge().setCurrentSeat(static_cast<std::size_t>(seat));
    if (column.is_group || wanted.event == 0)
        bridge().setCurrentModule(module);
    else
        bridge().setCurrentEvent(wanted.event);
    if (!column.is_group && wanted.value != 0) bridge().setCurrentValue(wanted.value);
}

QString GradientFlowView::tipOfRank(int seat, int column) const {
    if (seat < 0) return {};
    const auto& rows = rank_rows_[static_cast<std::size_t>(seat)];
    if (rows.size() != rows_.size())
        return tr("rank %1 has other parameters").arg(bridge().rankAt(static_cast<std::size_t>(seat)));
    const session::GradientRow sum = columns_.sum(column, rows);
    QString tip = tr("<b>rank %1</b><br>%2")
                      .arg(bridge().rankAt(static_cast<std::size_t>(seat)))
                      .arg(text(sum.parameter).toHtmlEscaped());
    if (!sum.has_gradient) return tip + tr("<br>no gradient");
    if (sum.has_nan_or_inf()) tip += tr("<br>%1 NaN, %2 Inf").arg(countText(sum.nan_count), countText(sum.inf_count));
    if (sum.finite)
        tip += tr("<br>norm %1, mean %2").arg(numberText(sum.finite->norm), numberText(sum.finite->mean_abs));
    return tip;
}

}  // namespace loupe::views
