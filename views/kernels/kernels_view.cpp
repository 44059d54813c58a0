// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kernels/kernels_view.h"

#include <QHeaderView>
#include <QSplitter>
#include <QVBoxLayout>
#include <set>

#include "core/session/queries/fused_groups.h"
#include "views/common/elided_label.h"
#include "views/common/format.h"
#include "views/common/panel_bar.h"
#include "views/common/theme.h"

namespace loupe::views {
namespace {

enum Page { Operators, Expression, Program, Ir, Assembly };

QString kernelText(const session::FusedKernelView& kernel, int page) {
    switch (page) {
        case Expression:
            return text(kernel.expression);
        case Program:
            return kernel.program.empty()
                       ? QObject::tr("; %1 compiles the expression: see %2")
                             .arg(text(kernel.backend),
                                  kernel.language.empty() ? QStringLiteral("LLVM IR") : text(kernel.language))
                       : text(kernel.program);
        case Ir:
            return kernel.ir.empty() ? QObject::tr("; %1 has no LLVM IR").arg(text(kernel.backend)) : text(kernel.ir);
        case Assembly:
            return kernel.assembly.empty()
                       ? QObject::tr("; %1 has no machine code of its own").arg(text(kernel.backend))
                       : text(kernel.assembly);
        default:
            return {};
    }
}

QString joined(const std::vector<std::string>& words) {
    QStringList all;
    for (const auto& word : words) all << text(word);
    return all.join(QStringLiteral(", "));
}

}  // namespace

ViewDescription KernelsView::describe() {
    return {QStringLiteral("kernels"), tr("Kernels"),
            tr("What a pipeline fuses: for each group its operators, the fused expression, LLVM IR, assembly, and its "
               "time against the operators one by one."),
            QStringLiteral("passes"), Place::Right};
}

KernelsView::KernelsView(SessionBridge& bridge, QWidget* parent) : View(bridge, parent) {
    auto* bar = new PanelBar(this);
    pipeline_ = bar->choice(tr("Pipeline"));
    for (const auto& name : session::list_pipelines()) {
        if (name != "none") pipeline_->addItem(text(name));
    }
    pipeline_->setCurrentText(QStringLiteral("inference"));
    backward_ = bar->toggle(tr("Backward"),
                            tr("Also the groups of the backward pass; for that, choose a pipeline that trains"));
    run_ = bar->action(tr("Compile and time"), QStringLiteral("kernelsRun"));
    connect(run_, &QToolButton::clicked, this, &KernelsView::compile);
    summary_ = bar->note();
    auto* splitter = new QSplitter(Qt::Vertical, this);
    makeList(splitter);
    makeGroup(splitter);
    splitter->setSizes({140, 340});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(splitter, 1);
    connect(&bridge, &SessionBridge::modelChanged, this, [this] {
        if (this->bridge().status().state != session::RunState::Running) showGroups({});
    });
    connect(&bridge, &SessionBridge::statusChanged, this, &KernelsView::showState);
    connect(&bridge, &SessionBridge::currentChanged, this, &KernelsView::followCurrent);
    connect(&Theme::instance(), &Theme::changed, this, [this] { code_->setFont(Theme::instance().codeFont()); });
    showGroups({});
}

void KernelsView::makeList(QSplitter* splitter) {
    list_ = new QTreeWidget(splitter);
    list_->setObjectName(QStringLiteral("kernelGroups"));
    list_->setAccessibleName(tr("Fusion groups"));
    list_->setRootIsDecorated(false);
    list_->setUniformRowHeights(true);
    list_->setHeaderLabels({tr("Group"), tr("Scope"), tr("Ops"), tr("Fused"), tr("Unfused"), tr("Faster")});
    const int widths[] = {118, 78, 40, 72, 72, 58};
    for (int column = 0; column < 6; ++column) list_->setColumnWidth(column, widths[column]);
    list_->header()->setStretchLastSection(false);
    list_->header()->setSectionResizeMode(1, QHeaderView::Stretch);
    list_->header()->setMinimumSectionSize(40);
    connect(list_, &QTreeWidget::currentItemChanged, this, &KernelsView::showGroup);
    connect(list_, &QTreeWidget::itemClicked, this, &KernelsView::showGroup);
    hint_ = new EmptyHint(list_);
}

void KernelsView::makeGroup(QSplitter* splitter) {
    auto* below = pane_ = new QWidget(splitter);
    auto* column = new QVBoxLayout(below);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    facts_ = new QLabel(below);
    facts_->setWordWrap(true);
    facts_->setContentsMargins(8, 4, 8, 4);
    facts_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse |
                                    Qt::LinksAccessibleByKeyboard);
    connect(facts_, &QLabel::linkActivated, this, [this](const QString& link) {
        const int colon = static_cast<int>(link.lastIndexOf(QLatin1Char(':')));
        this->bridge().setCurrentSource({link.left(colon).toStdString(), link.mid(colon + 1).toInt(), 0});
    });
    pages_ = new QTabBar(below);
    for (const QString& page : {tr("Operators"), tr("Expression"), tr("Program"), tr("LLVM IR"), tr("Assembly")})
        pages_->addTab(page);
    pages_->setExpanding(false);
    pages_->setDrawBase(false);
    pages_->setAccessibleName(tr("Pages of the group"));
    connect(pages_, &QTabBar::currentChanged, this, &KernelsView::showGroup);
    code_ = new QPlainTextEdit(below);
    code_->setReadOnly(true);
    code_->setLineWrapMode(QPlainTextEdit::NoWrap);
    code_->setFrameShape(QFrame::NoFrame);
    code_->setFont(Theme::instance().codeFont());
    code_->setAccessibleName(tr("Code"));
    column->addWidget(facts_);
    column->addWidget(pages_);
    column->addWidget(code_, 1);
}

void KernelsView::showState() {
    const bool isFree = bridge().model() && !bridge().isBusy() && !bridge().isPaused();
    run_->setEnabled(isFree && !waiting_);
    run_->setToolTip(!bridge().model() ? tr("Not now: no model is open")
                     : !isFree         ? tr("Not now: a run is under way; stop it first")
                               : tr("Runs the graph after the pipeline, and times each group fused and unfused"));
}

void KernelsView::compile() {
    waiting_ = true;
    pipelineOfGroups_ = pipeline_->currentText();
    summary_->setText(tr("compiling and timing\u2026"));
    showState();
    session::FusedGroupsRequest request;
    request.pipeline = pipeline_->currentText().toStdString();
    request.method = bridge().runOptions().method;
    request.backward = backward_->isChecked();
    request.backward_from = bridge().runOptions().backward_from;
    request.training = bridge().runOptions().training;
    bridge().ask(QStringLiteral("kernels"), session::FusedGroupsQuery{request}, this,
                 [this](const session::FusedGroups& groups) { showGroups(groups); });
}

QString KernelsView::othersText(const std::vector<std::string>& others) {
    if (others.empty()) return tr("; no other pipeline does either");
    QStringList names;
    for (const std::string& name : others) names << text(name);
    return tr("; these do: %1").arg(names.join(QStringLiteral(", ")));
}

void KernelsView::showGroups(const session::FusedGroups& groups) {
    const bool wasAsked = waiting_;
    waiting_ = false;
    groups_ = groups;
    const Theme& theme = Theme::instance();
    list_->clear();
    double fused = 0;
    double unfused = 0;
    for (const auto& group : groups_.groups) {
        auto* item = new QTreeWidgetItem(
            list_,
            {text(group.name) + (group.is_backward ? tr(" (backward)") : QString()), scopeText(group.scope),
             QString::number(group.operators.size()),
             group.fused_seconds > 0 ? secondsText(group.fused_seconds) : QStringLiteral("\u2014"),
             group.unfused_seconds > 0 ? secondsText(group.unfused_seconds) : QStringLiteral("\u2014"), QString()});
        for (int column = 2; column < 6; ++column) {
            item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
            item->setFont(column, theme.monoFont());
        }
        fused += group.fused_seconds;
        unfused += group.unfused_seconds;
        if (group.fused_seconds > 0 && group.unfused_seconds > 0) {
            const double times = group.unfused_seconds / group.fused_seconds;
            item->setText(5, QStringLiteral("%1x").arg(times, 0, 'f', 2));
            item->setData(5, Qt::ForegroundRole, Theme::themed(times >= 1 ? Theme::Colour::Good : Theme::Colour::Bad));
        }
        const std::string& why = group.reason.empty() ? group.error : group.reason;
        if (!why.empty()) {
            item->setText(5, tr("no"));
            item->setData(0, Qt::ForegroundRole, Theme::themed(Theme::Colour::Warning));
            for (int column = 0; column < 6; ++column) item->setToolTip(column, text(why));
        }
    }
    QString hint;
    if (groups_.groups.empty()) {
        hint = !groups_.error.empty() ? text(groups_.error)
               : wasAsked             ? tr("%1 makes no fusion groups of this model%2")
                                    .arg(pipelineOfGroups_,
                                         backward_->isChecked() ? tr(", forward and backward") : QString()) +
                                othersText(groups_.others)
                          : tr("Choose a pipeline and compile: its fusion groups are listed here");
    }
    hint_->say(hint);
    pane_->setVisible(hint.isEmpty());
    const QString count = counted(static_cast<std::int64_t>(groups_.groups.size()), "group");
    summary_->setText(groups_.groups.empty() ? QString()
                      : fused > 0 ? tr("%1: %2, unfused %3").arg(count, secondsText(fused), secondsText(unfused))
                                  : count);
    summary_->setToolTip(summary_->text());
    if (list_->topLevelItemCount() > 0) list_->setCurrentItem(list_->topLevelItem(0));
    showGroup();
    showState();
}

// A device's kernels have a source, and PTX.
void KernelsView::nameCode(const session::FusedGroupView* group) {
    const bool hasSource = group != nullptr && !group->kernels.empty() && !group->kernels[0].language.empty();
    const QString language = hasSource ? text(group->kernels[0].language) : QStringLiteral("LLVM IR");
    pages_->setTabText(Ir, language);
    pages_->setTabText(Assembly, language == QLatin1String("CUDA C++") ? QStringLiteral("PTX") : tr("Assembly"));
}

const session::FusedGroupView* KernelsView::chosen() const {
    const int row = list_->indexOfTopLevelItem(list_->currentItem());
    return row >= 0 && static_cast<std::size_t>(row) < groups_.groups.size()
               ? &groups_.groups[static_cast<std::size_t>(row)]
               : nullptr;
}

void KernelsView::showGroup() {
    const session::FusedGroupView* group = chosen();
    pages_->setEnabled(group != nullptr);
    nameCode(group);
    if (group == nullptr) {
        facts_->clear();
        code_->clear();
        return;
    }
    QString facts = QStringLiteral("<b>%1</b><br>").arg(joined(group->operators).toHtmlEscaped());
    facts += tr("%1 \u2192 %2").arg(joined(group->inputs).toHtmlEscaped(), joined(group->outputs).toHtmlEscaped());
    for (const auto& kernel : group->kernels) {
        const QString made = kernel.from_disk ? tr(", code from the cache on disk")
                             : kernel.compile_seconds > 0
                                 ? tr(", compiled in %1").arg(secondsText(kernel.compile_seconds))
                                 : QString();
        facts += QStringLiteral("<br>") + text(kernel.backend) + made;
        if (!kernel.resources.empty()) facts += QStringLiteral("<br>") + text(kernel.resources).toHtmlEscaped();
    }
    if (!group->loops.empty()) {
        facts += tr("<br>Any sizes: one kernel%1. These sizes: %2%3")
                     .arg(group->new_sizes_seconds > 0
                              ? tr(", %1 when they are new").arg(secondsText(group->new_sizes_seconds))
                              : QString(),
                          joined(group->loops),
                          group->fused_seconds > 0
                              ? tr(", %1 unfused %2")
                                    .arg(secondsText(group->fused_seconds), secondsText(group->unfused_seconds))
                              : QString());
    }
    if (group->fused_seconds > 0 && group->bytes > 0 && group->reason.empty())
        facts += tr("<br>%1 in and out: %2 GB/s")
                     .arg(bytesText(static_cast<double>(group->bytes)))
                     .arg(1e-9 * static_cast<double>(group->bytes) / group->fused_seconds, 0, 'f', 1);
    if (!group->reason.empty()) facts += tr("<br>not fused: %1").arg(text(group->reason).toHtmlEscaped());
    if (!group->error.empty()) facts += QStringLiteral("<br>") + text(group->error).toHtmlEscaped();
    QStringList places;
    for (const auto& place : group->sources) {
        const QString file = text(place.file);
        places << QStringLiteral("<a href=\"%1:%2\">%3:%2</a>")
                      .arg(file.toHtmlEscaped())
                      .arg(place.line)
                      .arg(file.section(QLatin1Char('/'), -1).toHtmlEscaped());
        if (places.size() == 6) break;
    }
    if (!places.empty()) facts += QStringLiteral("<br>") + places.join(QStringLiteral(", "));
    facts_->setText(facts);
    QStringList parts;
    const int page = pages_->currentIndex();
    if (page == Operators) parts << text(group->graph);
    for (std::size_t i = 0; page != Operators && i < group->kernels.size(); ++i) {
        const QString title = group->kernels.size() > 1
                                  ? QStringLiteral("; kernel %1 of %2\n").arg(i + 1).arg(group->kernels.size())
                                  : QString();
        parts << title + kernelText(group->kernels[i], page);
    }
    code_->setPlainText(parts.empty() ? tr("; its operators run one by one") : parts.join(QLatin1String("\n\n")));
    // Selects its node, if the graph is the shown one, else its module, in all panels.
    if (following_ || !list_->hasFocus()) return;
    const auto& model = bridge().model();
    const bool isShown =
        model && model->graph && text(model->graph->pipeline) == pipelineOfGroups_ && group->graph_node >= 0;
    if (isShown)
        bridge().setCurrentNode(group->graph_node);
    else if (!group->scope.empty())
        bridge().setCurrentModule(text(group->scope));
}

// A group that is chosen in the graph or among the events is chosen here.
void KernelsView::followCurrent() {
    if (list_->hasFocus() || groups_.groups.empty()) return;
    const auto& model = bridge().model();
    if (!model || !model->graph || text(model->graph->pipeline) != pipelineOfGroups_) return;
    std::set<int> around;  // the node, and the groups around it
    for (int node = bridge().currentNode(); node >= 0;
         node = model->graph->nodes[static_cast<std::size_t>(node)].parent)
        around.insert(node);
    for (std::size_t i = 0; i < groups_.groups.size(); ++i) {
        const auto& group = groups_.groups[i];
        if (!around.contains(group.graph_node)) continue;
        following_ = true;
        list_->setCurrentItem(list_->topLevelItem(static_cast<int>(i)));
        following_ = false;
        return;
    }
}

void KernelsView::find() { code_->setFocus(); }

void KernelsView::addActions(QMenu& menu) {
    QAction* compile = menu.addAction(tr("Compile and time the fusion groups"), this, &KernelsView::compile);
    compile->setEnabled(run_->isEnabled());
    compile->setToolTip(run_->toolTip());
    menu.addAction(tr("Copy this page"), this,
                   [this] {
                       code_->selectAll();
                       code_->copy();
                   })
        ->setEnabled(chosen() != nullptr);
}

}  // namespace loupe::views
