// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compile/compile_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QVBoxLayout>
#include <utility>

#include "core/session/queries/compile.h"
#include "core/session/queries/trace_check.h"
#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/common/panel_bar.h"
#include "views/common/theme.h"

namespace loupe::views {

using session::ModelForm;

namespace {

enum Role { FileRole = Qt::UserRole, LineRole, ScopeRole };

QString placeText(const session::SourcePlace& place) {
    if (place.line <= 0) return {};
    return QStringLiteral("%1:%2").arg(text(place.file).section(QLatin1Char('/'), -1)).arg(place.line);
}

// The label of a tried pipeline: the optional steps.
QString choicesText(const std::string& pipeline) {
    const QString words = text(pipeline);
    QStringList all;
    all << (words.contains(QLatin1String("ConvertFrozenOpsToMKLDNN")) ? QObject::tr("channels last")
                                                                      : QObject::tr("layouts as they are"));
    all << (words.contains(QLatin1String("FuseTensorExprs")) ? QObject::tr("fused") : QObject::tr("not fused"));
    if (words.contains(QLatin1String("FrozenConcatLinear"))) all << QObject::tr("linears joined");
    if (words.contains(QLatin1String("FrozenLinearTranspose"))) all << QObject::tr("linears transposed");
    return all.join(QStringLiteral(", "));
}

}  // namespace

ViewDescription CompileView::describe() {
    return {QStringLiteral("compile"), tr("Compile"),
            tr("How a model source becomes a graph: evaluated, scripted or traced, and what a trace does not have of "
               "it. How hard the graph is "
               "compiled: what each mode chose and measured, and where the graph breaks and why."),
            QStringLiteral("passes"), Place::Right};
}

CompileView::CompileView(SessionBridge& bridge, QWidget* parent) : View(bridge, parent) {
    QLayout* form_bar = makeFormBar();
    QLayout* mode_bar = makeModeBar();
    summary_ = new QLabel(this);
    summary_->setWordWrap(true);
    summary_->setContentsMargins(8, 0, 8, 4);
    summary_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    makeList();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(form_bar);
    layout->addLayout(mode_bar);
    layout->addWidget(summary_);
    layout->addWidget(list_, 1);
    setFocusProxy(list_);
    connect(mode_, &QComboBox::currentIndexChanged, this, &CompileView::showState);
    connect(&bridge, &SessionBridge::statusChanged, this, &CompileView::showState);
    connect(&bridge, &SessionBridge::modelChanged, this, [this] {
        // A run that begins may bring another graph of the same model.
        if (this->bridge().status().state == session::RunState::Running) return fillList();
        report_ = {};
        checked_ = {};
        waiting_ = false;
        fillList();
        showState();
    });
    connect(&bridge, &SessionBridge::compiledChanged, this, [this] { showReport(*this->bridge().compiled()); });
    fillList();
    showState();
}

QLayout* CompileView::makeFormBar() {
    forms_ = new QButtonGroup(this);
    auto* bar = new PanelBar(this, {6, 4, 6, 0});
    const std::pair<ModelForm, QString> forms[] = {{ModelForm::Evaluated, tr("Evaluated")},
                                                   {ModelForm::Scripted, tr("Scripted")},
                                                   {ModelForm::Traced, tr("Traced")}};
    for (const auto& [form, title] : forms) forms_->addButton(bar->toggle(title, {}), static_cast<int>(form));
    connect(forms_, &QButtonGroup::idClicked, this,
            [this](int id) { this->bridge().setForm(static_cast<ModelForm>(id)); });
    check_ = bar->action(tr("Check on other inputs"), QStringLiteral("traceCheck"));
    connect(check_, &QToolButton::clicked, this, &CompileView::checkTrace);
    return bar;
}

QLayout* CompileView::makeModeBar() {
    auto* bar = new PanelBar(this);
    mode_ = bar->choice(tr("Compile mode"));
    const QString tips[] = {
        tr("Passes and fusion"),
        tr("Also planned programs: memory in one block, no allocation in the steady state; on a device its work is "
           "captured "
           "and launched as one graph"),
        tr("Also measures layouts, fusion and kernels, takes the fastest, and keeps what it found on disk")};
    for (const auto& mode : session::compile_modes()) {
        mode_->addItem(text(mode));
        mode_->setItemData(mode_->count() - 1, tips[std::min<int>(mode_->count() - 1, 2)], Qt::ToolTipRole);
    }
    compile_ = bar->action(tr("Compile and time"), QStringLiteral("compileRun"));
    connect(compile_, &QToolButton::clicked, this, &CompileView::compile);
    run_ = bar->action(tr("Run it"));
    run_->setIcon(themeIcon(QStringLiteral("run")));
    run_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    connect(run_, &QToolButton::clicked, this, &CompileView::runCompiled);
    again_ = bar->action(tr("Measure again"));
    connect(again_, &QToolButton::clicked, this, [this] { ask(true); });
    return bar;
}

void CompileView::makeList() {
    list_ = new QTreeWidget(this);
    list_->setObjectName(QStringLiteral("compileList"));
    list_->setAccessibleName(tr("What compiling came to"));
    list_->setHeaderLabels({tr("What"), tr("Where, or time")});
    list_->header()->setStretchLastSection(false);
    list_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    list_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    list_->setUniformRowHeights(true);
    list_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    list_->setIndentation(14);
    connect(list_, &QTreeWidget::itemClicked, this, &CompileView::follow);
    hint_ = new EmptyHint(list_);
}

QToolButton* CompileView::formButton(ModelForm form) {
    return static_cast<QToolButton*>(forms_->button(static_cast<int>(form)));
}

void CompileView::showState() {
    const auto& model = bridge().model();
    const QString busy = !model                                     ? tr("no model is open")
                         : bridge().isBusy() || bridge().isPaused() ? tr("a run is under way; stop it first")
                                                                    : QString();
    const bool isSource = model && model->form != ModelForm::AsRead;
    const std::pair<ModelForm, QString> tips[] = {
        {ModelForm::Evaluated, tr("Runs the source statement by statement")},
        {ModelForm::Scripted,
         tr("Compiles the source as torch.jit.script does: branches and loops stay what they are")},
        {ModelForm::Traced, tr("Runs the source once on the inputs as they are, and keeps the operators that ran")}};
    for (const auto& [form, tip] : tips) {
        QToolButton* button = formButton(form);
        const QString why =
            !busy.isEmpty() ? busy
            : !isSource     ? tr("the methods of this file are script already; only a .py source is scripted or traced")
                            : QString();
        button->setEnabled(why.isEmpty() && !waiting_);
        button->setToolTip(why.isEmpty() ? tip : tr("Not now: %1").arg(why));
        forms_->setExclusive(false);
        button->setChecked(model && model->form == form);
        forms_->setExclusive(isSource);
    }
    const QString noTrace = !busy.isEmpty() ? busy
                            : !isSource || model->form == ModelForm::Scripted
                                ? tr("there is no trace; open a .py source and trace it")
                                : QString();
    check_->setEnabled(noTrace.isEmpty() && !waiting_);
    check_->setToolTip(noTrace.isEmpty()
                           ? tr("Runs the trace and the source on other numbers and other sizes, and says what differs")
                           : tr("Not now: %1").arg(noTrace));
    const QString cannot = !busy.isEmpty() ? busy : !model->cannot_run.empty() ? text(model->cannot_run) : QString();
    compile_->setEnabled(cannot.isEmpty() && !waiting_);
    compile_->setToolTip(cannot.isEmpty() ? tr("Compiles the graph on the inputs as they are, and times a warm run "
                                               "before and after, with backward if Inputs asks for it")
                                          : tr("Not now: %1").arg(cannot));
    run_->setEnabled(cannot.isEmpty() && !waiting_);
    run_->setToolTip(cannot.isEmpty() ? tr("Runs the compiled graph under the debugger")
                                      : tr("Not now: %1").arg(cannot));
    again_->setVisible(mode_->currentText() == QLatin1String("max-autotune"));
    again_->setEnabled(compile_->isEnabled());
    again_->setToolTip(cannot.isEmpty() ? tr("Forgets what was measured of this graph, and measures it again")
                                        : tr("Not now: %1").arg(cannot));
}

void CompileView::compile() { ask(false); }

void CompileView::ask(bool forget) {
    waiting_ = true;
    summary_->setText(mode_->currentText() == QLatin1String("max-autotune")
                          ? tr("compiling and measuring\u2026 Stop ends it")
                          : tr("compiling\u2026"));
    showState();
    session::CompileRequest request;
    request.mode = mode_->currentText().toStdString();
    request.method = bridge().runOptions().method;
    request.backward = bridge().runOptions().backward;
    request.forget = forget;
    bridge().ask(QStringLiteral("compile"), session::CompileQuery{request}, this,
                 [this](const session::CompileReport& report) { showReport(report); });
}

void CompileView::runCompiled() {
    session::RunOptions options = bridge().runOptions();
    options.compile_mode = mode_->currentText().toStdString();
    bridge().setRunOptions(options);
    bridge().run();
}

void CompileView::checkTrace() {
    waiting_ = true;
    summary_->setText(tr("running the trace and the source on other inputs\u2026"));
    showState();
    bridge().ask(QStringLiteral("trace check"), session::TraceCheckQuery{}, this,
                 [this](const session::TraceCheck& check) { showCheck(check); });
}

void CompileView::showReport(const session::CompileReport& report) {
    waiting_ = false;
    // A run compiles without timing: timings of the same graph are kept.
    const bool isTimed = report_.mode == report.mode && report_.pipeline == report.pipeline && report.seconds == 0;
    const session::CompileReport before = std::exchange(report_, report);
    if (isTimed) {
        std::tie(report_.seconds_before, report_.seconds) = std::tie(before.seconds_before, before.seconds);
        std::tie(report_.captured_nodes, report_.captured_backward_nodes, report_.not_captured) =
            std::tie(before.captured_nodes, before.captured_backward_nodes, before.not_captured);
    }
    fillList();
    showState();
}

void CompileView::showCheck(const session::TraceCheck& check) {
    waiting_ = false;
    checked_ = check;
    fillList();
    showState();
}

// --- the list

QTreeWidgetItem* CompileView::addSection(const QString& title, const QString& tip) {
    auto* section = new QTreeWidgetItem(list_, {title});
    QFont bold = list_->font();
    bold.setBold(true);
    section->setFont(0, bold);
    section->setToolTip(0, tip);
    section->setFirstColumnSpanned(true);
    section->setExpanded(true);
    return section;
}

QTreeWidgetItem* CompileView::addRow(QTreeWidgetItem* section, const QString& what, const QString& value,
                                     const QString& tip, const session::SourcePlace& place, const std::string& scope) {
    auto* row = new QTreeWidgetItem(section, {what, value});
    row->setToolTip(0, tip);
    row->setToolTip(1, tip);
    row->setFont(1, Theme::instance().monoFont());
    row->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
    row->setData(0, FileRole, text(place.file));
    row->setData(0, LineRole, place.line);
    row->setData(0, ScopeRole, text(scope));
    if (place.line > 0) row->setData(1, Qt::ForegroundRole, Theme::themed(Theme::Colour::Accent));
    return row;
}

void CompileView::addTrace() {
    const auto& model = bridge().model();
    if (!model || model->trace_warnings.empty()) return;
    QTreeWidgetItem* section =
        addSection(tr("Not in the trace: %1").arg(model->trace_warnings.size()),
                   tr("What was a number, a branch or a size while tracing stays so on other inputs"));
    for (const auto& note : model->trace_warnings) {
        const QString first =
            text(note.text).section(QStringLiteral(". "), 0, 0).section(QStringLiteral(" might cause"), 0, 0);
        addRow(section, first, placeText(note.source), text(note.text), note.source)
            ->setData(0, Qt::ForegroundRole, Theme::themed(Theme::Colour::Warning));
    }
}

void CompileView::addCheck() {
    if (checked_.cases.empty()) return;
    QTreeWidgetItem* section = addSection(
        checked_.is_same() ? tr("Trace and source give the same") : tr("Trace and source differ"), text(checked_.note));
    section->setData(0, Qt::ForegroundRole,
                     Theme::themed(checked_.is_same() ? Theme::Colour::Good : Theme::Colour::Bad));
    for (const auto& each : checked_.cases) {
        const QString result = !each.refused.empty()      ? tr("not taken by the source")
                               : each.differences.empty() ? tr("same")
                                                          : tr("differs");
        QTreeWidgetItem* row = addRow(section, QStringLiteral("%1: %2").arg(text(each.what), text(each.inputs)), result,
                                      text(each.refused), {});
        row->setData(1, Qt::ForegroundRole,
                     Theme::themed(!each.refused.empty()      ? Theme::Colour::Faint
                                   : each.differences.empty() ? Theme::Colour::Good
                                                              : Theme::Colour::Bad));
        for (const auto& note : each.differences)
            addRow(row, text(note.text), placeText(note.source), text(note.text), note.source);
        row->setExpanded(true);
    }
}

// All lines of the error, with links to the source.
void CompileView::addFailure() {
    if (report_.details.empty()) return;
    QTreeWidgetItem* section = addSection(tr("Could not be compiled"), tr("A click goes to the line in Source"));
    section->setData(0, Qt::ForegroundRole, Theme::themed(Theme::Colour::Bad));
    for (const QString& line : text(report_.details).split(QLatin1Char('\n'))) {
        if (line.trimmed().isEmpty()) continue;
        QTreeWidgetItem* row = addRow(section, line, QString(), line, report_.error_source);
        row->setFont(0, Theme::instance().monoFont());
        row->setFirstColumnSpanned(true);
    }
}

void CompileView::addReport() {
    if (report_.mode.empty() || !report_.error.empty()) return;
    // As the engine says it, as Kernels and Memory plan show it.
    const QString force = text(report_.in_force.line());
    QTreeWidgetItem* section = addSection(tr("In force: %1").arg(force), force);
    addRow(section,
           tr("Kernels that run: %1; eager %2").arg(report_.kernels.kernels).arg(report_.kernels_before.kernels),
           QString(),
           tr("Compiled: %1\nEager: %2\nAs the graph stands: a loop's body counts once. Views start no kernel.")
               .arg(text(report_.kernels.str()), text(report_.kernels_before.str())),
           {});
    if (report_.in_force.fusion_groups > 0)
        addRow(section, tr("Kernels shows and times the fusion groups of %1").arg(text(report_.pipeline)), QString(),
               tr("Choose the pipeline there: each group with its expression, code and time"), {});
    if (report_.in_force.planned_parts > 0)
        addRow(section, tr("Memory plan draws the planned parts"), QString(),
               tr("Where each buffer lies in the block of its part, over the steps"), {});
    // What a device runs of it as one, of the runs that were timed.
    if (report_.captured_nodes > 0)
        addRow(
            section,
            report_.captured_backward_nodes > 0 ? tr("Captured: a graph of %1 nodes, backward of %2")
                                                      .arg(report_.captured_nodes)
                                                      .arg(report_.captured_backward_nodes)
                                                : tr("Captured: a graph of %1 nodes").arg(report_.captured_nodes),
            QString(),
            tr("The device runs it as one launch. Under the debugger and while a run is recorded each operator runs by "
               "itself"),
            {});
    else if (!report_.not_captured.empty())
        addRow(section, tr("Not captured: %1").arg(text(report_.not_captured)), QString(),
               tr("Its operators are launched one by one: %1").arg(text(report_.not_captured)), {});
    if (!report_.breaks.empty())
        section = addSection(tr("Graph breaks: %1").arg(report_.breaks.size()),
                             tr("What cannot be planned runs by the interpreter, operator by operator"));
    for (const auto& place : report_.breaks) {
        const QString what = place.op.empty() ? text(place.reason)
                                              : QStringLiteral("%1: %2").arg(shortOpName(place.op), text(place.reason));
        const QString where = placeText(place.source);
        addRow(section, what, where.isEmpty() ? text(place.scope) : where, text(place.line()), place.source,
               place.scope)
            ->setData(0, Qt::ForegroundRole, Theme::themed(Theme::Colour::Warning));
    }
    if (!report_.tried.empty()) {
        section = addSection(
            tr("Measured, fastest first%1").arg(report_.is_from_disk ? tr(" (kept from before)") : QString()),
            tr("Kept in %1").arg(text(report_.file)));
        for (const auto& tried : report_.tried)
            addRow(section, choicesText(tried.pipeline), secondsText(tried.seconds), text(tried.pipeline), {});
        if (section->childCount() > 0)
            section->child(0)->setData(0, Qt::ForegroundRole, Theme::themed(Theme::Colour::Good));
    }
    if (!report_.parts.empty()) {
        section = addSection(tr("Kernels of the planned parts"),
                             tr("What runs each step, where it was measured to be faster than the usual choice"));
        for (std::size_t i = 0; i < report_.parts.size(); ++i) {
            const auto& part = report_.parts[i];
            std::map<QString, int> counts;
            for (const auto& backend : part.backends) ++counts[backend.empty() ? tr("usual") : text(backend)];
            QStringList words;
            for (const auto& [backend, count] : counts) words << tr("%1 by %2").arg(count).arg(backend);
            addRow(section,
                   tr("part %1: %2")
                       .arg(i + 1)
                       .arg(words.empty() ? tr("the usual kernels") : words.join(QStringLiteral(", "))),
                   QString(), text(part.signature), {});
        }
    }
    section = addSection(tr("Passes"), tr("IR and passes shows them one by one"));
    addRow(section, text(report_.pipeline), QString(), text(report_.pipeline), {});
}

void CompileView::fillList() {
    list_->clear();
    addTrace();
    addCheck();
    addFailure();
    addReport();
    const auto& model = bridge().model();
    QString hint;
    if (list_->topLevelItemCount() == 0)
        hint = model ? tr("Choose a mode and compile: what it chose and measured, and where the graph breaks, is "
                          "listed here")
                     : tr("No model is open");
    hint_->say(hint);
    QString words;
    const bool isBad = !report_.error.empty() || !checked_.error.empty();
    if (isBad)
        words = text(report_.error.empty() ? checked_.error : report_.error);
    else if (!report_.mode.empty()) {
        words = report_.seconds > 0
                    ? tr("%1: a run takes %2, eager %3: %4 times as fast; compiled in %5")
                          .arg(text(report_.mode), secondsText(report_.seconds), secondsText(report_.seconds_before))
                          .arg(report_.seconds_before / report_.seconds, 0, 'f', 2)
                          .arg(secondsText(report_.compile_seconds))
                    : tr("%1: compiled in %2").arg(text(report_.mode), secondsText(report_.compile_seconds));
        if (!report_.not_timed.empty()) words += tr("; not timed: %1").arg(text(report_.not_timed));
        if (!report_.complaint.empty()) words += QLatin1Char('\n') + text(report_.complaint);
    }
    summary_->setText(words);
    summary_->setVisible(!words.isEmpty() || waiting_);
    Theme::setTone(*summary_, isBad ? Theme::Colour::Bad : Theme::Colour::Text);
}

void CompileView::follow(QTreeWidgetItem* item) {
    const int line = item->data(0, LineRole).toInt();
    const QString scope = item->data(0, ScopeRole).toString();
    if (line > 0) {
        bridge().setCurrentSource({item->data(0, FileRole).toString().toStdString(), line, 0});
        bridge().showPanel(QStringLiteral("source"));
    } else if (!scope.isEmpty())
        bridge().setCurrentModule(scope);
}

void CompileView::addActions(QMenu& menu) {
    const auto add = [&](const QString& title, QToolButton* like, void (CompileView::*work)()) {
        QAction* action = menu.addAction(title, this, work);
        action->setEnabled(like->isEnabled());
        action->setToolTip(like->toolTip());
    };
    add(tr("Compile and time"), compile_, &CompileView::compile);
    add(tr("Run the compiled graph"), run_, &CompileView::runCompiled);
    add(tr("Check the trace on other inputs"), check_, &CompileView::checkTrace);
    menu.addAction(tr("Show the passes one by one"), this, [this] { bridge().showPanel(QStringLiteral("passes")); });
    menu.addAction(tr("Show the kernels of its fusion groups"), this,
                   [this] { bridge().showPanel(QStringLiteral("kernels")); });
}

}  // namespace loupe::views
