// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/passes/passes_view.h"

#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHeaderView>
#include <QSplitter>
#include <QTextBlock>
#include <QTimer>
#include <QVBoxLayout>

#include "core/session/queries/pass_check.h"
#include "core/session/queries/pass_trace.h"
#include "views/common/comparison.h"
#include "views/common/elided_label.h"
#include "views/common/file_output.h"
#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/common/panel_bar.h"
#include "views/common/theme.h"

namespace loupe::views {
namespace {

enum Column { PassColumn, NodesColumn, KernelsColumn, TimeColumn, DiffColumn, ColumnCount };

// "69", or "69 -> 14".
QString changeText(int before, int after) {
    return before == after ? QString::number(after) : QStringLiteral("%1 \u2192 %2").arg(before).arg(after);
}

}  // namespace

ViewDescription PassesView::describe() {
    return {
        QStringLiteral("passes"), tr("IR and passes"),
        tr("The graph as PyTorch prints it, and what each pass of a pipeline makes of it: before on the left, after on "
           "the right. Choose a line to see what it came from or what became of it."),
        QStringLiteral("passes"), Place::Centre};
}

PassesView::PassesView(SessionBridge& bridge, QWidget* parent) : View(bridge, parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(makeBar());
    bisect_ = new BisectBar(bridge, this);
    bisect_->hide();
    layout->addWidget(bisect_);
    connect(find_, &QToolButton::toggled, bisect_, &QWidget::setVisible);
    connect(bisect_, &BisectBar::found, this, &PassesView::showCulprit);
    connect(bisect_, &BisectBar::narrowed, this, &PassesView::showSuspects);
    connect(bisect_, &BisectBar::passWanted, this, &PassesView::choosePass);

    outer_ = new QSplitter(Qt::Horizontal, this);
    makeList(outer_);
    makeSides(outer_);
    outer_->setStretchFactor(0, 0);
    outer_->setStretchFactor(1, 1);
    outer_->setSizes({360, 740});
    layout->addWidget(outer_, 1);
    connect(&bridge, &SessionBridge::modelChanged, this, &PassesView::takeModel);
    connect(&bridge, &SessionBridge::currentChanged, this, &PassesView::markCurrent);
    connect(&Comparison::of(bridge), &Comparison::textsWanted, this, [this] { showBeside(true); });
    connect(&Comparison::of(bridge), &Comparison::referencesChanged, this, &PassesView::takeReference);
    connect(&Comparison::of(bridge), &Comparison::differencesChanged, this, &PassesView::takeReference);
    connect(&bridge, &SessionBridge::statusChanged, this, [this] {
        if (stale_ && isInSight()) ask();
        showCheckState();
    });
    takeModel();
    showCheckState();
}

QLayout* PassesView::makeBar() {
    auto* bar = new PanelBar(this, {6, 4, 6, 4});
    pipeline_ = bar->choice(tr("Pipeline"), tr("Pipeline of passes"));
    pipeline_->setObjectName(QStringLiteral("pipeline"));
    for (const std::string& name : session::list_pipelines()) pipeline_->addItem(text(name));
    for (const char* first : {"default", "inference", "optimize"}) {
        if (const int at = pipeline_->findText(QLatin1String(first)); at >= 0) {
            pipeline_->setCurrentIndex(at);
            break;
        }
    }
    if (pipeline_->currentText() == QLatin1String("none") && pipeline_->count() > 1) pipeline_->setCurrentIndex(1);
    connect(pipeline_, &QComboBox::currentIndexChanged, this, &PassesView::ask);
    other_choice_ = bar->choice(tr("Beside it"), tr("What the graph after a pass is held against"));
    other_choice_->setObjectName(QStringLiteral("otherPipeline"));
    other_choice_->addItem(tr("beside the graph before"));
    for (const std::string& name : session::list_pipelines())
        other_choice_->addItem(tr("beside %1").arg(text(name)), text(name));
    connect(other_choice_, &QComboBox::currentIndexChanged, this, &PassesView::askOther);
    method_ = bar->choice(tr("Method"), tr("Method of the model"));
    connect(method_, &QComboBox::activated, this, &PassesView::ask);
    no_ops_ = bar->toggle(tr("No-ops"), tr("Also list passes that changed nothing"));
    connect(no_ops_, &QToolButton::toggled, this, &PassesView::fillList);
    as_graph_ =
        bar->toggle(tr("As graph"),
                    tr("Show both graphs drawn instead of printed; a node chosen on one side is marked on the other"),
                    QStringLiteral("asGraph"));
    connect(as_graph_, &QToolButton::toggled, this, &PassesView::showGraphs);
    check_ = bar->action(tr("Check"), QStringLiteral("checkPasses"));
    connect(check_, &QToolButton::clicked, this, &PassesView::check);
    find_ = bar->toggle(tr("Bisect"), tr("Which pass changed the result?"), QStringLiteral("bisect"));
    count_ = new QLabel(this);
    count_->setObjectName(QStringLiteral("differenceCount"));
    count_->setToolTip(tr("Alt+Down goes to the next difference, Alt+Up to the one before"));
    bar->addWidget(count_);
    search_ = bar->search(tr("Find (Ctrl+F)"), tr("Find in the graphs"));
    connect(search_, &QLineEdit::returnPressed, this, [this] { search(true); });
    return bar;
}

void PassesView::makeList(QSplitter* parent) {
    auto* left = new QWidget(parent);
    auto* left_column = new QVBoxLayout(left);
    left_column->setContentsMargins(0, 0, 0, 0);
    left_column->setSpacing(2);
    filter_ = new QLineEdit(left);
    filter_->setPlaceholderText(tr("Find a pass"));
    filter_->setClearButtonEnabled(true);
    filter_->addAction(themeIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    filter_->setAccessibleName(tr("Find a pass"));
    connect(filter_, &QLineEdit::textChanged, this, &PassesView::filterList);
    summary_ = faintLine(left);
    list_ = new QTreeWidget(left);
    auto* found = new QHBoxLayout;
    found->setContentsMargins(0, 0, 6, 0);
    found->setSpacing(8);
    found->addWidget(filter_, 2);
    found->addWidget(summary_, 3);
    left_column->addLayout(found);
    left_column->addWidget(list_, 1);
    list_->setAccessibleName(tr("Passes"));
    list_->setRootIsDecorated(false);
    list_->setUniformRowHeights(true);
    list_->setHeaderLabels({tr("Pass"), tr("Nodes"), tr("Kernels"), tr("Time"), tr("Max diff")});
    list_->headerItem()->setToolTip(
        KernelsColumn,
        tr("Kernels that run: operators that run one by one, but for views, and fusion groups. Calls are "
           "unfolded; what is in a loop counts once."));
    list_->headerItem()->setToolTip(DiffColumn,
                                    tr("Greatest difference of an output from the first graph's, after Check"));
    list_->header()->setStretchLastSection(false);
    list_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    list_->header()->resizeSection(1, 84);
    list_->header()->resizeSection(KernelsColumn, 72);
    list_->header()->resizeSection(TimeColumn, 64);
    list_->header()->resizeSection(DiffColumn, 72);
    connect(list_, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
        if (item != nullptr) showStep(item->data(0, Qt::UserRole).toInt());
    });
}

void PassesView::makeSides(QSplitter* parent) {
    auto* splitter = new QSplitter(Qt::Horizontal, parent);
    const auto side = [&](DiffText*& area, GraphPane*& graph, QStackedWidget*& stack, QLabel*& title,
                          DiffText::Side which, const QString& name) {
        auto* holder = new QWidget(splitter);
        auto* column = new QVBoxLayout(holder);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(0);
        title = new ElidedLabel(holder);
        title->setProperty("faint", true);
        title->setContentsMargins(8, 2, 8, 3);
        column->addWidget(title);
        area = new DiffText(which, holder);
        area->setAccessibleName(name);
        stack = new QStackedWidget(holder);
        graph = new GraphPane(stack);
        graph->canvas()->setAccessibleName(name);
        stack->addWidget(area);
        stack->addWidget(graph);
        column->addWidget(stack, 1);
        splitter->addWidget(holder);
    };
    side(left_, left_graph_, left_stack_, left_title_, DiffText::Side::Left, tr("Graph before the pass"));
    side(right_, right_graph_, right_stack_, right_title_, DiffText::Side::Right, tr("Graph after the pass"));

    pair_ = new DiffPair(left_, right_, this, [this] { return !as_graph_->isChecked(); });
    connect(left_, &DiffText::lineChosen, this, &PassesView::followLeft);
    connect(right_, &DiffText::lineChosen, this, &PassesView::followRight);
    connect(left_graph_, &GraphPane::lineChosen, this, &PassesView::followLeft);
    connect(right_graph_, &GraphPane::lineChosen, this, &PassesView::followRight);
}

void PassesView::takeModel() {
    trace_ = {};
    other_ = {};
    ++asked_;
    ++asked_other_;
    stale_ = true;
    method_->clear();
    if (const auto& model = bridge().model()) {
        for (const session::MethodInfo& method : model->methods) method_->addItem(text(method.name));
        const int forward = method_->findText(QStringLiteral("forward"));
        if (forward >= 0) method_->setCurrentIndex(forward);
    }
    method_->setVisible(method_->count() > 1);
    showTrace({});
    if (isInSight()) ask();
}

void PassesView::showEvent(QShowEvent* event) {
    View::showEvent(event);
    // A panel is shown briefly while the window arranges its tabs: request only if it stays visible.
    QTimer::singleShot(0, this, [this] {
        if (stale_ && isInSight()) ask();
    });
}

void PassesView::comeIntoSight() {
    if (stale_) ask();
}

// In a narrow panel the passes are above the graphs.
void PassesView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    const auto wanted = width() < 860 ? Qt::Vertical : Qt::Horizontal;
    if (outer_->orientation() == wanted) return;
    outer_->setOrientation(wanted);
    // The graphs get most of the height: the list has a few rows.
    outer_->setStretchFactor(0, wanted == Qt::Vertical ? 1 : 0);
    outer_->setStretchFactor(1, wanted == Qt::Vertical ? 2 : 1);
    outer_->setSizes(wanted == Qt::Vertical ? QList<int>{std::max(120, height() / 3), std::max(150, height() * 2 / 3)}
                                            : QList<int>{360, std::max(400, width() - 360)});
}

void PassesView::choosePipeline(const QString& pipeline) { pipeline_->setCurrentText(pipeline); }

void PassesView::ask() {
    if (!bridge().model() || method_->count() == 0) return;
    stale_ = false;
    waiting_ = true;
    bisect_->setTask(pipeline_->currentText(), method_->currentText());
    summary_->setText(tr("running the passes..."));
    bridge().ask(QStringLiteral("passes"),
                 session::PassTraceQuery{pipeline_->currentText().toStdString(), method_->currentText().toStdString()},
                 this, [this, asked = ++asked_](session::PassTrace trace) {
                     if (asked == asked_) showTrace(trace);  // else a newer request is pending
                 });
    askOther();
}

void PassesView::askOther() {
    const QString pipeline = other_choice_->currentData().toString();
    const int asked = ++asked_other_;
    if (isBesideReference()) {
        other_ = {};
        return askForGraphs();
    }
    if (pipeline.isEmpty() || !bridge().model() || method_->count() == 0) return showOther({});
    bridge().ask(QStringLiteral("passes.other"),
                 session::PassTraceQuery{pipeline.toStdString(), method_->currentText().toStdString()}, this,
                 [this, asked](const session::PassTrace& trace) {
                     if (asked == asked_other_) showOther(trace);
                 });
}

void PassesView::chooseOther(const QString& pipeline) {
    other_choice_->setCurrentIndex(std::max(0, other_choice_->findData(pipeline)));
}

void PassesView::showOther(const session::PassTrace& trace) {
    other_ = trace;
    showStep(step_);
    // End beside end.
    for (int i = static_cast<int>(trace_.steps.size()) - 1; hasOther() && i >= 0; --i) {
        if (trace_.steps[static_cast<std::size_t>(i)].changed) return choosePass(i);
    }
}

void PassesView::showTrace(const session::PassTrace& trace) {
    waiting_ = false;
    trace_ = trace;
    checks_.clear();
    culprit_ = -1;
    fillList();
}

void PassesView::check() {
    summary_->setText(tr("running every graph\u2026"));
    bridge().ask(QStringLiteral("passes.check"),
                 session::PassCheckQuery{pipeline_->currentText().toStdString(), method_->currentText().toStdString()},
                 this, [this](const session::PassChecks& checks) { showChecks(checks); });
}

void PassesView::showChecks(const session::PassChecks& checks) {
    checks_.clear();
    double most = 0;
    for (const session::PassCheck& check : checks.steps) {
        checks_[static_cast<int>(check.step)] = check;
        most = std::max(most, check.max_abs);
    }
    fillList();
    summary_->setText(checks.error.empty() ? tr("outputs differ by at most %1").arg(numberText(most))
                                           : text(checks.error));
    summary_->setToolTip(summary_->text());
}

// Checking runs the model: not during a run.
void PassesView::showCheckState() {
    const bool can = bridge().model() && !bridge().isBusy() && !bridge().isPaused();
    check_->setEnabled(can);
    check_->setToolTip(
        can ? tr("Run the graph after every pass on the inputs, and compare the outputs with the first graph's")
        : bridge().model() ? tr("Not now: a run is under way; stop it first")
                           : tr("Not now: no model is open"));
}

void PassesView::showSummary(int changed, double seconds) {
    const bool is_refused = trace_.error.empty() && !trace_.refused.empty();
    summary_->setText(!trace_.error.empty() ? text(trace_.error)
                      : is_refused          ? tr("A run refuses it: %1").arg(text(trace_.refused))
                      : trace_.initial      ? tr("%1 of %2 changed it, %3; kernels %4")
                                             .arg(changed)
                                             .arg(trace_.steps.size())
                                             .arg(secondsText(seconds), changeText(trace_.initial_kernels.kernels,
                                                                                   trace_.last_kernels().kernels))
                                       : QString());
    summary_->setToolTip(summary_->text());
    Theme::setTone(*summary_, is_refused             ? Theme::Colour::Warning
                              : trace_.error.empty() ? Theme::Colour::Faint
                                                     : Theme::Colour::Bad);
}

void PassesView::fillList() {
    const Theme& theme = Theme::instance();
    const int before = step_;
    const QSignalBlocker blocker(list_);
    list_->clear();
    int changed = 0;
    double seconds = 0;
    QTreeWidgetItem* chosen = nullptr;
    if (trace_.initial) {
        auto* item = new QTreeWidgetItem(
            list_,
            {tr("as read"), trace_.steps.empty() ? QString() : QString::number(trace_.steps.front().nodes_before),
             QString::number(trace_.initial_kernels.kernels)});
        item->setData(0, Qt::UserRole, -1);
        item->setToolTip(KernelsColumn, text(trace_.initial_kernels.str()));
        for (const int column : {NodesColumn, KernelsColumn}) {
            item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
            item->setFont(column, theme.monoFont());
        }
        chosen = item;
    }
    for (std::size_t i = 0; i < trace_.steps.size(); ++i) {
        const session::PassStep& step = trace_.steps[i];
        seconds += step.seconds;
        changed += step.changed;
        if (!step.changed && step.error.empty() && !no_ops_->isChecked()) continue;
        const session::KernelCount& kernels_before = kernelsAfter(static_cast<int>(i) - 1);
        auto* item = new QTreeWidgetItem(
            list_, {text(step.pass), changeText(step.nodes_before, step.nodes_after),
                    changeText(kernels_before.kernels, step.kernels.kernels), secondsText(step.seconds)});
        item->setToolTip(KernelsColumn, text(step.kernels.str()));
        item->setData(0, Qt::UserRole, static_cast<int>(i));
        if (const auto found = checks_.find(static_cast<int>(i)); found != checks_.end()) {
            const session::PassCheck& check = found->second;
            item->setText(DiffColumn, check.error.empty() ? numberText(check.max_abs) : tr("failed"));
            item->setToolTip(
                DiffColumn, check.error.empty() ? tr("relative %1").arg(numberText(check.max_rel)) : text(check.error));
            const bool bad = !check.error.empty() || check.max_rel > 1e-2;
            item->setData(DiffColumn, Qt::ForegroundRole,
                          Theme::themed(bad                 ? Theme::Colour::Bad
                                        : check.max_abs > 0 ? Theme::Colour::Text
                                                            : Theme::Colour::Good));
        }
        for (int column = NodesColumn; column < ColumnCount; ++column) {
            item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
            item->setFont(column, theme.monoFont());
        }
        if (!step.error.empty()) {
            item->setData(0, Qt::ForegroundRole, Theme::themed(Theme::Colour::Bad));
            item->setToolTip(0, text(step.error));
        } else if (!step.changed) {
            for (int column = 0; column < DiffColumn; ++column)
                item->setData(column, Qt::ForegroundRole, Theme::themed(Theme::Colour::Faint));
        } else {
            item->setData(0, Qt::ForegroundRole, Theme::themed(Theme::Colour::Accent));
            if (chosen != nullptr && chosen->data(0, Qt::UserRole).toInt() == -1) chosen = item;
        }
        if (static_cast<int>(i) == culprit_) {
            item->setIcon(0, themeIcon(QStringLiteral("breakpoint")));
            item->setToolTip(0, bisect_->verdict());
        }
        if (static_cast<int>(i) == before) chosen = item;
    }
    filterList();
    showSummary(changed, seconds);
    if (chosen != nullptr) list_->setCurrentItem(chosen);
    showStep(chosen ? chosen->data(0, Qt::UserRole).toInt() : -1);
}

QStringList PassesView::linesOfGraph(const std::shared_ptr<const session::GraphModel>& graph) {
    return graph ? linesOf(text(graph->text)) : QStringList();
}

std::shared_ptr<const session::GraphModel> PassesView::graphAfterStep(const session::PassTrace& trace, int step) {
    for (int i = step; i >= 0; --i) {
        if (const auto& graph = trace.steps[static_cast<std::size_t>(i)].graph) return graph;
    }
    return trace.initial;
}

std::shared_ptr<const session::GraphModel> PassesView::graphAfterStep(int step) const {
    return graphAfterStep(trace_, step);
}

std::shared_ptr<const session::GraphModel> PassesView::leftGraph() const {
    return hasOther() ? graphAfterStep(other_, lastOfOther()) : graphAfterStep(step_ - 1);
}

QString PassesView::withKernels(const QString& title, const session::KernelCount& count) {
    return tr("%1: %2").arg(title, text(count.str()));
}

const session::KernelCount& PassesView::kernelsAfter(int step) const {
    return step < 0 ? trace_.initial_kernels : trace_.steps[static_cast<std::size_t>(step)].kernels;
}

QString PassesView::leftTitle() const {
    if (!leftGraph()) return {};
    if (hasOther())
        return withKernels(tr("%1, after all its passes").arg(text(other_.pipeline)), other_.last_kernels());
    const session::PassStep* step = step_ >= 0 ? &trace_.steps[static_cast<std::size_t>(step_)] : nullptr;
    return withKernels(tr("before %1").arg(step ? text(step->pass) : tr("any pass")), kernelsAfter(step_ - 1));
}

// Drawn only when they are looked at.
void PassesView::showGraphs() {
    const bool drawn = as_graph_->isChecked();
    for (QStackedWidget* stack : {left_stack_, right_stack_}) stack->setCurrentIndex(drawn ? 1 : 0);
    if (!drawn) return;
    const bool is_beside = isBesideReference();
    const auto before = is_beside ? graphs_.there.graph : leftGraph();
    const auto after = is_beside ? graphs_.here.graph : graphAfterStep(step_);
    left_graph_->showGraph(before);
    right_graph_->showGraph(after);
    const bool has_sides = before && after && before != after;
    const LineChanges changes =
        has_sides ? lineChanges(linesOfGraph(before), linesOfGraph(after), originsOnTheLeft()) : LineChanges();
    left_graph_->showChanges(changes.left);
    right_graph_->showChanges(changes.right);
}

// Those of a reference's graph by the texts, else by provenance.
LineOrigins PassesView::originsOnTheLeft() const {
    if (isBesideReference()) {
        LineOrigins from;
        const auto lines = static_cast<int>(linesOfGraph(graphs_.here.graph).size());
        for (int line = 0; line < lines; ++line) {
            const int left = pair_->leftOf(line);
            from.push_back(left >= 0 ? std::vector<int>{left} : std::vector<int>());
        }
        return from;
    }
    if (hasOther()) return sharedOrigins(lineOrigins(other_, lastOfOther()), lineOrigins(trace_, step_));
    if (step_ < 0) return {};
    return trace_.steps[static_cast<std::size_t>(step_)].came_from;
}

void PassesView::showDifferenceCount() {
    count_->setText(left_->document()->isEmpty() && right_->document()->isEmpty() ? QString() : pair_->summary());
    Theme::setTone(*count_, pair_->changed() > 0 ? Theme::Colour::Warning : Theme::Colour::Faint);
}

void PassesView::showStep(int index) {
    step_ = index;
    if (isBesideReference()) return askForGraphs();
    const auto before = leftGraph();
    const session::PassStep* step = index >= 0 ? &trace_.steps[static_cast<std::size_t>(index)] : nullptr;
    const auto after = graphAfterStep(index);
    pair_->setLines(linesOfGraph(before), linesOfGraph(after));
    showDifferenceCount();
    left_title_->setText(leftTitle());
    const bool failed = step && !step->error.empty();
    right_title_->setText(failed          ? tr("after %1, which failed: %2").arg(text(step->pass), text(step->error))
                          : after && step ? withKernels(tr("after %1").arg(text(step->pass)), kernelsAfter(index))
                          : after && hasOther() ? withKernels(tr("as read"), kernelsAfter(-1))
                                                : QString());
    right_title_->setToolTip(failed ? text(step->error) : QString());
    Theme::setTone(*right_title_, failed ? Theme::Colour::Bad : Theme::Colour::Faint);
    showGraphs();
}

void PassesView::followRight(int line) {
    if (isBesideReference()) {
        for (const auto& [node, at] : lines_here_) {
            if (at == line) return bridge().setCurrentNode(node);
        }
        return;
    }
    std::vector<int> from;
    if (hasOther()) {
        const LineOrigins own = lineOrigins(trace_, step_);
        if (line >= 0 && line < static_cast<int>(own.size()))
            from = linesFrom(lineOrigins(other_, lastOfOther()), own[static_cast<std::size_t>(line)]);
    } else if (step_ >= 0 && line >= 0) {
        const auto& came_from = trace_.steps[static_cast<std::size_t>(step_)].came_from;
        if (line < static_cast<int>(came_from.size())) from = came_from[static_cast<std::size_t>(line)];
    }
    left_->markLines(from);
    left_graph_->markLines(from);
    right_->markLines({});
    right_graph_->markLines({});
}

void PassesView::followLeft(int line) {
    if (isBesideReference()) return followReference(line);
    std::vector<int> to;
    if (hasOther()) {
        const LineOrigins theirs = lineOrigins(other_, lastOfOther());
        if (line >= 0 && line < static_cast<int>(theirs.size()))
            to = linesFrom(lineOrigins(trace_, step_), theirs[static_cast<std::size_t>(line)]);
    } else if (step_ >= 0 && line >= 0) {
        const auto& came_from = trace_.steps[static_cast<std::size_t>(step_)].came_from;
        for (std::size_t i = 0; i < came_from.size(); ++i) {
            if (std::find(came_from[i].begin(), came_from[i].end(), line) != came_from[i].end())
                to.push_back(static_cast<int>(i));
        }
    }
    right_->markLines(to);
    right_graph_->markLines(to);
    left_->markLines({});
    left_graph_->markLines({});
}

void PassesView::filterList() {
    const QString words = filter_->text().trimmed();
    for (int i = 0; i < list_->topLevelItemCount(); ++i) {
        QTreeWidgetItem* item = list_->topLevelItem(i);
        item->setHidden(!words.isEmpty() && !item->text(0).contains(words, Qt::CaseInsensitive));
    }
}

// Greys out passes that cannot have changed the result.
void PassesView::showSuspects(int low, int high) {
    for (int i = 0; i < list_->topLevelItemCount(); ++i) {
        QTreeWidgetItem* item = list_->topLevelItem(i);
        const int step = item->data(0, Qt::UserRole).toInt();
        if (step < 0 || static_cast<std::size_t>(step) >= trace_.steps.size()) continue;
        const bool isSuspect = step >= low && step <= high && trace_.steps[static_cast<std::size_t>(step)].changed;
        item->setData(0, Qt::ForegroundRole, Theme::themed(isSuspect ? Theme::Colour::Warning : Theme::Colour::Faint));
    }
}

void PassesView::choosePass(int step) {
    for (int i = 0; i < list_->topLevelItemCount(); ++i) {
        QTreeWidgetItem* item = list_->topLevelItem(i);
        if (item->data(0, Qt::UserRole).toInt() != step) continue;
        filter_->clear();
        list_->setCurrentItem(item);
        list_->scrollToItem(item);
    }
}

void PassesView::showCulprit(const session::PassBisect& found) {
    culprit_ = found.step;
    if (found.step >= 0 && static_cast<std::size_t>(found.step) < trace_.steps.size()) step_ = found.step;
    filter_->clear();
    fillList();
    for (int i = 0; culprit_ >= 0 && i < list_->topLevelItemCount(); ++i) {
        if (list_->topLevelItem(i)->data(0, Qt::UserRole).toInt() == culprit_)
            list_->scrollToItem(list_->topLevelItem(i));
    }
}

void PassesView::find() {
    search_->setFocus();
    search_->selectAll();
}

void PassesView::search(bool again) {
    DiffText* area = left_->hasFocus() ? left_ : right_;
    if (!area->find(search_->text()) && again) {
        area->moveCursor(QTextCursor::Start);
        const bool found = area->find(search_->text());
        search_->setProperty("invalid", !found && !search_->text().isEmpty());
        search_->style()->polish(search_);
    }
    area->ensureCursorVisible();
}

void PassesView::saveGraph() {
    const QString name =
        QFileDialog::getSaveFileName(this, tr("Save graph"), QStringLiteral("graph.txt"), tr("Text (*.txt)"));
    if (name.isEmpty()) return;
    const auto graph = graphAfterStep(step_);
    if (!graph) return;
    FileOutput file(name);
    file.write(graph->text.data(), static_cast<qint64>(graph->text.size()));
    if (const QString error = file.commit(); !error.isEmpty()) summary_->setText(error);
}

void PassesView::addActions(QMenu& menu) {
    menu.addAction(tr("Save graph after this pass as text..."), this, &PassesView::saveGraph)
        ->setEnabled(trace_.initial != nullptr);
    menu.addAction(as_graph_->isChecked() ? tr("Show as text") : tr("Show as graph"), as_graph_, &QToolButton::toggle);
    menu.addAction(tr("Check the passes numerically"), this, &PassesView::check)->setEnabled(check_->isEnabled());
    menu.addAction(tr("Find the pass that changed the result"), this,
                   [this] {
                       find_->setChecked(true);
                       bisect_->start();
                   })
        ->setEnabled(bisect_->button()->isEnabled());
    menu.addAction(tr("Show the kernels of its fusion groups"), this,
                   [this] { bridge().showPanel(QStringLiteral("kernels")); });
    menu.addAction(tr("Copy graph after this pass"), this,
                   [this] {
                       if (const auto graph = graphAfterStep(step_))
                           QGuiApplication::clipboard()->setText(text(graph->text));
                   })
        ->setEnabled(trace_.initial != nullptr);
    menu.addAction(tr("Run the passes again"), this, &PassesView::ask);
}

}  // namespace loupe::views
