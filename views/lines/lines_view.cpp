// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/lines/lines_view.h"

#include <QVBoxLayout>

#include "core/session/queries/fused_groups.h"
#include "core/session/queries/pass_trace.h"
#include "views/common/elided_label.h"
#include "views/common/format.h"
#include "views/common/panel_bar.h"

namespace loupe::views {

ViewDescription LinesView::describe() {
    return {QStringLiteral("lines"), tr("Source to assembly"),
            tr("The source, the graph before and after a pipeline, the fused kernels and their assembly side by side. "
               "Lines have the colour of the source line that they came from; point at one, or choose it, to find it "
               "in the others."),
            QStringLiteral("source"), Place::Centre};
}

LinesView::LinesView(SessionBridge& bridge, QWidget* parent) : View(bridge, parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    makeBar(layout);
    makePanes(layout);
    connect(&bridge, &SessionBridge::modelChanged, this, &LinesView::takeModel);
    connect(&bridge, &SessionBridge::statusChanged, this, &LinesView::showState);
    takeModel();
}

void LinesView::makeBar(QVBoxLayout* layout) {
    auto* bar = new PanelBar(this, {6, 4, 6, 4});
    pipeline_ = bar->choice(tr("Pipeline"), tr("Passes between both graphs"));
    pipeline_->setObjectName(QStringLiteral("linesPipeline"));
    for (const auto& name : session::list_pipelines()) {
        if (name != "none") pipeline_->addItem(text(name));
    }
    pipeline_->setCurrentText(QStringLiteral("inference"));
    run_ = bar->action(tr("Compile"), QStringLiteral("linesRun"));
    connect(run_, &QToolButton::clicked, this, &LinesView::compile);
    file_ = bar->choice(tr("Source file"), tr("File of the source"));
    file_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    file_->setMinimumContentsLength(14);
    function_ = bar->choice(tr("Function"), tr("Only what came from one function"));
    group_ = bar->choice(tr("Fusion group"), tr("Only one fusion group"));
    kernel_text_ = bar->choice(tr("Text of kernels"), tr("What is shown of a kernel"));
    kernel_text_->addItems({tr("expression"), tr("LLVM IR")});
    const QString names[] = {tr("Source"), tr("Before"), tr("After"), tr("Kernel"), tr("Assembly")};
    const QString tips[] = {tr("Show the source"), tr("Show the graph before the passes"),
                            tr("Show the graph after the passes"), tr("Show the fused kernels"),
                            tr("Show the assembly of the fused kernels")};
    for (std::size_t side = 0; side < SideCount; ++side) {
        shows_[side] = bar->toggle(names[side], tips[side]);
        shows_[side]->setChecked(true);
        shows_[side]->setProperty("kept", true);
        connect(shows_[side], &QToolButton::toggled, this,
                [this, side](bool on) { splitter_->widget(static_cast<int>(side))->setVisible(on); });
    }
    note_ = bar->note();
    layout->addLayout(bar);
    connect(file_, &QComboBox::currentIndexChanged, this, [this] {
        fillFunctions();
        fillPanes();
    });
    for (QComboBox* choice : {function_, group_, kernel_text_})
        connect(choice, &QComboBox::currentIndexChanged, this, &LinesView::fillPanes);
}

void LinesView::makePanes(QVBoxLayout* layout) {
    splitter_ = new QSplitter(Qt::Horizontal, this);
    const QString names[] = {tr("Source"), tr("Graph before the passes"), tr("Graph after the passes"),
                             tr("Fused kernels"), tr("Assembly")};
    for (std::size_t side = 0; side < SideCount; ++side) {
        auto* holder = new QWidget(splitter_);
        auto* column = new QVBoxLayout(holder);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(0);
        auto* title = new QLabel(names[side], holder);
        title->setProperty("faint", true);
        title->setContentsMargins(8, 2, 8, 3);
        column->addWidget(title);
        panes_[side] = new ListingPane(holder);
        panes_[side]->setAccessibleName(names[side]);
        column->addWidget(panes_[side], 1);
        splitter_->addWidget(holder);
        const auto which = static_cast<Side>(side);
        connect(panes_[side], &ListingPane::pointed, this, [this, which](const std::set<int>& keys) {
            follow(which, keys.empty() ? chosen_ : keys, !keys.empty());
        });
        connect(panes_[side], &ListingPane::chosen, this, [this, which](const std::set<int>& keys) {
            showFileOf(which, keys);
            chosen_ = keys;
            follow(which, keys, true);
        });
    }
    layout->addWidget(splitter_, 1);
}

// In a narrow panel the texts are below one another.
void LinesView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    constexpr int kNarrow = 560;
    splitter_->setOrientation(width() < kNarrow ? Qt::Vertical : Qt::Horizontal);
}

void LinesView::showState() {
    const bool isFree = bridge().model() && !bridge().isBusy() && !bridge().isPaused();
    run_->setEnabled(isFree && waiting_ == 0);
    run_->setToolTip(!bridge().model() ? tr("Not now: no model is open")
                     : !isFree         ? tr("Not now: a run is under way; stop it first")
                               : tr("Runs the passes, and the graph on the inputs to compile its fusion groups"));
}

void LinesView::takeModel() {
    if (bridge().status().state == session::RunState::Running) return;
    ++asked_;
    waiting_ = 0;
    was_asked_ = false;
    showLines({}, {});
}

void LinesView::compile() {
    const int asked = ++asked_;
    waiting_ = 2;
    was_asked_ = true;
    of_ = pipeline_->currentText();
    note_->setText(tr("compiling\u2026"));
    showState();
    const std::string pipeline = of_.toStdString();
    const std::string method = bridge().runOptions().method;
    bridge().ask(QStringLiteral("lines.passes"), session::PassTraceQuery{pipeline, method}, this,
                 [this, asked](const session::PassTrace& trace) {
                     if (asked != asked_) return;
                     --waiting_;
                     showLines(trace, groups_);
                 });
    session::FusedGroupsRequest request;
    request.pipeline = pipeline;
    request.method = method;
    request.measure = false;
    bridge().ask(QStringLiteral("lines.kernels"), session::FusedGroupsQuery{request}, this,
                 [this, asked](const session::FusedGroups& groups) {
                     if (asked != asked_) return;
                     --waiting_;
                     showLines(trace_, groups);
                 });
}

void LinesView::showLines(const session::PassTrace& trace, const session::FusedGroups& groups) {
    trace_ = trace;
    groups_ = groups;
    links_ = LineLinks(trace_, groups_);
    chosen_.clear();
    fillChoices();
    fillFunctions();
    fillPanes();
    showState();
}

QString LinesView::sourceText(const std::string& file) const {
    const auto& model = bridge().model();
    if (!model) return {};
    for (const session::SourceFile& source : model->sources) {
        if (source.name == file) return text(source.text);
    }
    return {};
}

void LinesView::fillChoices() {
    const QSignalBlocker files(file_);
    const QSignalBlocker groups(group_);
    const QString before = file_->currentData().toString();
    file_->clear();
    if (const auto& model = bridge().model()) {
        for (const session::SourceFile& source : model->sources) {
            const QString name = text(source.name);
            file_->addItem(name.section(QLatin1Char('/'), -1), name);
            file_->setItemData(file_->count() - 1, name, Qt::ToolTipRole);
        }
    }
    const int first = file_->findData(text(links_.mainFile()));
    const int kept = file_->findData(before);
    file_->setCurrentIndex(first >= 0 ? first : std::max(kept, file_->count() > 0 ? 0 : -1));
    file_->setVisible(file_->count() > 1);
    const int chosen = group_->currentIndex();
    group_->clear();
    group_->addItem(tr("all groups"));
    for (const session::FusedGroupView& group : groups_.groups)
        group_->addItem(QStringLiteral("%1  %2").arg(text(group.name), text(group.scope)));
    group_->setCurrentIndex(chosen > 0 && chosen < group_->count() ? chosen : 0);
    group_->setEnabled(group_->count() > 1);
}

void LinesView::fillFunctions() {
    const QSignalBlocker blocker(function_);
    const std::string file = file_->currentData().toString().toStdString();
    const QString before = function_->currentText();
    function_->clear();
    function_->addItem(tr("all functions"));
    functions_.clear();
    for (const SourceFunction& each : functionsOf(sourceText(file))) {
        bool has_any = false;
        for (int line = each.first; line <= each.last && !has_any; ++line) has_any = links_.key(file, line) >= 0;
        if (!has_any) continue;
        functions_.push_back(each);
        function_->addItem(each.name);
    }
    function_->setCurrentIndex(std::max(0, function_->findText(before)));
    function_->setEnabled(function_->count() > 1);
}

// Lines of the source that are looked at; empty: all.
std::set<int> LinesView::filtered() const {
    std::set<int> keys = links_.keysOfGroup(group_->currentIndex() - 1);
    const int function = function_->currentIndex() - 1;
    if (function < 0) return keys;
    const std::string file = file_->currentData().toString().toStdString();
    const SourceFunction& of = functions_[static_cast<std::size_t>(function)];
    std::set<int> inside;
    for (int line = of.first; line <= of.last; ++line) {
        const int key = links_.key(file, line);
        if (key >= 0 && (keys.empty() || keys.contains(key))) inside.insert(key);
    }
    return inside;
}

QString LinesView::whyNoKernels() const {
    if (!was_asked_) return tr("Press Compile to see the kernels of the fusion groups");
    if (waiting_ > 0) return tr("compiling\u2026");
    if (!groups_.error.empty()) return text(groups_.error);
    return tr("%1 makes no fusion groups of this model").arg(of_);
}

void LinesView::fillPanes() {
    const std::string file = file_->currentData().toString().toStdString();
    const int group = group_->currentIndex() - 1;
    const int function = function_->currentIndex() - 1;
    const bool is_filtered = group >= 0 || function >= 0;
    const std::set<int> keys = filtered();
    const auto kept = [&](LinkedLines lines) { return is_filtered ? onlyFrom(lines, keys) : lines; };
    LinkedLines source = links_.source(file, sourceText(file));
    if (file_->count() == 0) source.clear();
    if (function >= 0) {
        const SourceFunction& of = functions_[static_cast<std::size_t>(function)];
        std::erase_if(source, [&](const LinkedLine& line) { return line.number < of.first || line.number > of.last; });
    }
    const auto colour = [this](int key) { return links_.colour(key); };
    const QString why = whyNoKernels();
    const QString none = was_asked_ ? tr("Nothing came from it") : tr("Press Compile to see the graph");
    panes_[Source]->setLines(std::move(source), colour,
                             bridge().model() ? tr("This model has no source") : tr("No model is open"));
    panes_[Before]->setLines(kept(links_.before()), colour, none);
    panes_[After]->setLines(group >= 0 ? links_.groupGraph(group) : kept(links_.after()), colour, none);
    const auto which = kernel_text_->currentIndex() == 0 ? KernelText::Expression : KernelText::Ir;
    const auto of_function = [&](LinkedLines lines) { return function >= 0 ? onlyFrom(lines, keys) : lines; };
    panes_[Kernel]->setLines(of_function(links_.kernels(group, which)), colour, why);
    panes_[Assembly]->setLines(of_function(links_.assembly(group)), colour, why);
    QString note;
    if (waiting_ > 0)
        note = tr("compiling\u2026");
    else if (!trace_.error.empty())
        note = text(trace_.error);
    else if (trace_.initial)
        note = tr("%1: %2; as read %3").arg(of_, text(trace_.last_kernels().str()), text(trace_.initial_kernels.str()));
    // It is shown all the same: what the passes would make of it.
    if (waiting_ == 0 && !trace_.refused.empty()) note += tr(". A run refuses it: %1").arg(text(trace_.refused));
    note_->setText(note);
    follow(SideCount, {}, false);
}

// What is chosen in a graph may have come from another file.
void LinesView::showFileOf(Side from, const std::set<int>& keys) {
    if (from == Source || keys.empty() || function_->currentIndex() > 0) return;
    const QString file = text(links_.place(*keys.begin()).file);
    const int index = file_->findData(file);
    if (index < 0 || index == file_->currentIndex()) return;
    {
        const QSignalBlocker blocker(file_);
        file_->setCurrentIndex(index);
    }
    fillFunctions();
    panes_[Source]->setLines(links_.source(file.toStdString(), sourceText(file.toStdString())),
                             [this](int key) { return links_.colour(key); }, {});
}

void LinesView::follow(Side from, const std::set<int>& keys, bool scroll) {
    for (std::size_t side = 0; side < SideCount; ++side)
        panes_[side]->mark(keys, scroll && static_cast<Side>(side) != from);
}

void LinesView::addActions(QMenu& menu) {
    QAction* compile = menu.addAction(tr("Compile and show the lines"), this, &LinesView::compile);
    compile->setEnabled(run_->isEnabled());
    compile->setToolTip(run_->toolTip());
    QAction* go = menu.addAction(tr("Show the chosen line in Source"), this, [this] {
        if (chosen_.empty()) return;
        bridge().setCurrentSource(links_.place(*chosen_.begin()));
        bridge().showPanel(QStringLiteral("source"));
    });
    go->setEnabled(!chosen_.empty());
    menu.addAction(tr("Show the passes one by one"), this, [this] { bridge().showPanel(QStringLiteral("passes")); });
    menu.addAction(tr("Show and time the kernels"), this, [this] { bridge().showPanel(QStringLiteral("kernels")); });
}

}  // namespace loupe::views
