// SPDX-License-Identifier: GPL-3.0-or-later
// What the Gradient flow panel says of the gradients in words: where backward began, and what is found.
#include <QListWidget>
#include <cmath>

#include "views/common/engine_words.h"
#include "views/common/format.h"
#include "views/common/theme.h"
#include "views/gradient_flow/gradient_flow_view.h"

namespace loupe::views {

// In the header: "from sum of outputs".
void GradientFlowView::showStart() {
    const auto& recording = bridge().recording();
    const session::BackwardStart* start = recording ? recording->backward_start() : nullptr;
    start_->setText(start ? QStringLiteral("%1 <a href='inputs'>%2</a>")
                                .arg(tr("Backward from"), engineWord(start->text).toHtmlEscaped())
                          : QString());
    start_->setVisible(start != nullptr);
}

void GradientFlowView::fillHealth() {
    health_->clear();
    showStart();
    std::int64_t with = 0;
    double square = 0;
    std::int64_t elements = 0;
    std::int64_t bad = 0;
    for (const session::GradientRow& row : rows_) {
        if (!row.has_gradient) continue;
        ++with;
        elements += row.count();
        bad += row.nan_count + row.inf_count;
        if (row.finite) square += row.finite->norm * row.finite->norm;
    }
    hint_->say(with > 0
                   ? QString()
                   : tr("No gradients yet.\nTick Backward in the Inputs panel and run (F5), or run to backward (F7)."));
    if (with == 0) {
        summary_->clear();
        return;
    }
    const QString found = search_->text().trimmed().isEmpty()
                              ? QString()
                              : tr("%1 found; ").arg(countText(static_cast<std::int64_t>(columns_.matches())));
    const QString norm = bad == 0 ? tr("norm of all %1").arg(numberText(std::sqrt(square)))
                         : bad == elements
                             ? tr("no finite values")
                             : tr("norm of the finite %1: %2")
                                   .arg(QString::fromStdString(session::share_text(elements - bad, elements)),
                                        numberText(std::sqrt(square)));
    summary_->setText(found + tr("%1 of %2 %3 gradients, %4")
                                  .arg(countText(with), counted(static_cast<std::int64_t>(rows_.size()), "parameter"),
                                       with == 1 ? tr("has") : tr("have"), norm));
    const auto& recording = bridge().recording();
    const bool isLoss = recording && recording->backward_start() && recording->backward_start()->is_loss;
    if (measure() == Measure::Steps && !steps_.empty()) {
        showFindings(session::judge_steps(steps_, isLoss),
                     tr("Healthy in %1: no NaN or Inf, the layers are of one scale, every parameter is used.")
                         .arg(steps_.size() == 1 ? tr("the one step looked at")
                                                 : tr("all %1 steps looked at").arg(steps_.size())));
    } else {
        showFindings(session::judge_gradients(rows_, recording.get()),
                     isLoss ? tr("Healthy: no NaN or Inf, nothing vanishes or explodes, every parameter is used.")
                            : tr("No NaN or Inf, the layers are of one scale, every parameter is used."));
    }
}

namespace {

enum FindingRole { RowRole = Qt::UserRole, EventRole, ModuleRole, ChoosesLossRole };

Theme::Colour colourOf(session::GradientFinding::Kind kind) {
    using Kind = session::GradientFinding::Kind;
    switch (kind) {
        case Kind::NotFinite:
        case Kind::Exploding:
            return Theme::Colour::Bad;
        case Kind::Vanishing:
        case Kind::NoGradient:
            return Theme::Colour::Warning;
        case Kind::Unused:
            return Theme::Colour::Faint;
        case Kind::NotJudged:
            break;
    }
    return Theme::Colour::Accent;
}

}  // namespace

void GradientFlowView::showFindings(const std::vector<session::GradientFinding>& findings, const QString& healthy) {
    bool any = false;
    for (const session::GradientFinding& finding : findings) {
        const bool choosesLoss = finding.kind == session::GradientFinding::Kind::NotJudged;
        any = any || !choosesLoss;
        auto* item = new QListWidgetItem(
            choosesLoss ? tr("%1. Choose one in Inputs\u2026").arg(text(finding.text)) : text(finding.text), health_);
        item->setData(RowRole, finding.rows.empty() ? -1 : finding.rows.front());
        item->setData(EventRole, finding.event);
        item->setData(ModuleRole, text(finding.module));
        item->setData(ChoosesLossRole, choosesLoss);
        item->setData(Qt::ForegroundRole, Theme::themed(colourOf(finding.kind)));
        if (finding.rows.size() > 1) {
            QStringList names;
            for (const int row : finding.rows) {
                if (names.size() < 40 && row < static_cast<int>(rows_.size()))
                    names << text(rows_[static_cast<std::size_t>(row)].parameter);
            }
            item->setToolTip(names.join(QLatin1Char('\n')));
        }
    }
    if (any) return;
    auto* item = new QListWidgetItem(healthy);
    health_->insertItem(0, item);
    item->setData(Qt::ForegroundRole, Theme::themed(Theme::Colour::Good));
    item->setData(RowRole, -1);
}

// To the cause where it is known, else to the first gradient.
void GradientFlowView::follow(QListWidgetItem* item) {
    if (item->data(ChoosesLossRole).toBool()) return bridge().showPanel(QStringLiteral("inputs"));
    const auto event = item->data(EventRole).toUInt();
    if (event != 0) return bridge().setCurrentEvent(event);
    const int row = item->data(RowRole).toInt();
    if (row >= 0)
        select(row);
    else if (const QString module = item->data(ModuleRole).toString(); !module.isEmpty())
        bridge().setCurrentModule(module);
}

}  // namespace loupe::views
