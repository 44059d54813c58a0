// SPDX-License-Identifier: GPL-3.0-or-later
// The IR panel while a run is pinned: the graph that ran beside the reference's.

#include "views/common/comparison.h"
#include "views/common/format.h"
#include "views/common/graph_lines.h"
#include "views/common/reference_texts.h"
#include "views/common/theme.h"
#include "views/passes/passes_view.h"

namespace loupe::views {
namespace {

// Of the choice of what stands beside: the pinned run.
const QString kReference = QStringLiteral("\u25c9 reference");

}  // namespace

bool PassesView::hasReference() const {
    const auto* reference = Comparison::of(bridge()).current();
    return reference != nullptr && whyNoGraph(*reference).isEmpty();
}

bool PassesView::isBesideReference() const { return other_choice_->currentData().toString() == kReference; }

void PassesView::showBeside(bool beside_reference) {
    chooseOther(beside_reference && hasReference() ? kReference : QString());
}

// It can be chosen while there is one; why there is none is its tip.
void PassesView::takeReference() {
    const auto* reference = Comparison::of(bridge()).current();
    const int at = other_choice_->findData(kReference);
    if (reference == nullptr) {
        if (at >= 0) other_choice_->removeItem(at);  // chooses what stands before it
        return;
    }
    const QString why = whyNoGraph(*reference);
    const QString title =
        why.isEmpty() ? tr("beside the reference, %1").arg(text(reference->label)) : tr("no reference: %1").arg(why);
    const QSignalBlocker quiet(other_choice_);
    if (at < 0)
        other_choice_->insertItem(1, title, kReference);
    else
        other_choice_->setItemText(at, title);
    other_choice_->setItemData(other_choice_->findData(kReference), why, Qt::ToolTipRole);
    if (isBesideReference()) showReference();
}

// What both runs were of, whatever pass is chosen.
void PassesView::showReference() {
    const auto* reference = Comparison::of(bridge()).current();
    const QString why = reference != nullptr ? whyNoGraph(*reference) : QString();
    const auto& model = bridge().model();
    reference_graph_ = reference != nullptr && why.isEmpty() ? reference->model->graph : nullptr;
    own_graph_ = model ? model->graph : nullptr;
    lines_there_ = reference_graph_ ? linesOfNodes(*reference_graph_) : std::map<int, int>();
    lines_here_ = own_graph_ ? linesOfNodes(*own_graph_) : std::map<int, int>();
    pair_->setLines(linesOfGraph(reference_graph_), linesOfGraph(own_graph_));
    left_title_->setText(reference_graph_ ? withOperators(text(reference->label), *reference_graph_) : why);
    right_title_->setText(own_graph_ ? withOperators(tr("this run"), *own_graph_) : tr("this run has no graph"));
    Theme::setTone(*right_title_, Theme::Colour::Faint);
    showDifferenceCount();
    if (!reference_graph_) count_->setText(why);
    showGraphs();
    markCurrent();
}

// The current operator's line, and that of its partner.
void PassesView::markCurrent() {
    if (!isBesideReference()) return;
    const auto line_of = [](const std::map<int, int>& lines, int node) {
        const auto found = lines.find(node);
        return found != lines.end() ? std::vector<int>{found->second} : std::vector<int>{};
    };
    right_->markLines(line_of(lines_here_, bridge().currentNode()));
    std::vector<int> there;
    if (const auto* partner = Comparison::of(bridge()).partnerOf(bridge().currentEvent()))
        there = line_of(lines_there_, partner->graph_node);
    left_->markLines(there);
    if (!right_->hasFocus() && !left_->hasFocus()) {
        const auto here = line_of(lines_here_, bridge().currentNode());
        if (!here.empty()) pair_->bringIntoSight(right_->rowOfLine(here.front()));
    }
}

// To the event whose partner the line stands for.
void PassesView::followReference(int left_line) {
    for (const auto& [node, at] : lines_there_) {
        if (at != left_line) continue;
        const auto found = Comparison::of(bridge()).ownOf(
            [node = node](const session::ReferenceEvent& event) { return event.graph_node == node; });
        if (found != 0) bridge().setCurrentEvent(found);
        return;
    }
}

}  // namespace loupe::views
