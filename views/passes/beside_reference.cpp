// SPDX-License-Identifier: GPL-3.0-or-later
// The IR panel while a run is pinned: the graph that ran beside the reference's.

#include "core/session/queries/opened_graphs.h"
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
    if (isBesideReference()) askForGraphs();
}

// With calls of modules opened: what differs stands inside of them.
void PassesView::askForGraphs() {
    const Comparison& comparison = Comparison::of(bridge());
    const auto& found = comparison.differences();
    const bool can = comparison.isOn() && whyNoGraph(*comparison.current()).isEmpty();
    if (!can || found == nullptr) {
        graphs_ = {};
        asked_for_.reset();
        return showReference();
    }
    if (asked_for_.lock() == found) return showReference();
    asked_for_ = found;
    waiting_for_graphs_ = true;
    bridge().ask(QStringLiteral("opened graphs"), session::OpenedGraphsQuery{comparison.current()->id}, this,
                 [this](const session::OpenedGraphs& graphs) {
                     waiting_for_graphs_ = false;
                     graphs_ = graphs;
                     if (isBesideReference()) showReference();
                 });
}

namespace {

// By the number that events know a node by.
std::map<int, int> linesByRun(const session::OpenedGraph& opened) {
    std::map<int, int> out;
    if (!opened.graph) return out;
    for (const auto& [node, line] : linesOfNodes(*opened.graph)) {
        const auto at = static_cast<std::size_t>(node);
        const int ran_as = opened.ran_as.empty() ? node : at < opened.ran_as.size() ? opened.ran_as[at] : -1;
        if (ran_as >= 0) out.emplace(ran_as, line);
    }
    return out;
}

}  // namespace

// What both runs were of, whatever pass is chosen.
void PassesView::showReference() {
    const Comparison& comparison = Comparison::of(bridge());
    const auto* reference = comparison.current();
    const auto& here = graphs_.here.graph;
    const auto& there = graphs_.there.graph;
    lines_here_ = linesByRun(graphs_.here);
    lines_there_ = linesByRun(graphs_.there);
    pair_->setLines(linesOfGraph(there), linesOfGraph(here), graphLineKey);
    const QString why = reference == nullptr                  ? QString()
                        : !whyNoGraph(*reference).isEmpty()   ? whyNoGraph(*reference)
                        : !graphs_.error.empty()              ? text(graphs_.error)
                        : comparison.differences() == nullptr ? tr("run the model: its graph is compared then")
                        : !here                               ? tr("this run has no graph")
                                                              : QString();
    left_title_->setText(there && reference != nullptr
                             ? withKernels(text(reference->label), session::count_kernels(*there))
                             : QString());
    right_title_->setText(here ? withKernels(tr("this run"), session::count_kernels(*here)) : QString());
    Theme::setTone(*right_title_, Theme::Colour::Faint);
    showDifferenceCount();
    if (!why.isEmpty()) count_->setText(why);
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
