// SPDX-License-Identifier: GPL-3.0-or-later
// Which source the Timeline panel shows, the run or a trace that was opened, in which form, and what it is compared
// with.
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QVBoxLayout>
#include <utility>

#include "views/common/engine_files.h"
#include "views/common/format.h"
#include "views/common/panel_bar.h"
#include "views/common/ranks.h"
#include "views/timeline/rank_lanes.h"
#include "views/timeline/timeline_view.h"

namespace loupe::views {
namespace {

// In place of a path: one that is to be chosen.
constexpr QLatin1String kFile("\n");

QString noteOf(const ProfileTrace& trace) {
    QStringList parts{QObject::tr("imported from %1: not replayed").arg(text(trace.source)),
                      counted(static_cast<std::int64_t>(trace.zones.size()), "event"), secondsText(trace.seconds)};
    for (const std::string& note : trace.notes) parts << text(note);
    return parts.join(QStringLiteral("  \u00b7  "));
}

}  // namespace

void TimelineView::makeBar() {
    bar_ = new PanelBar(this, {6, 2, 6, 2}, 4);
    const QString titles[] = {tr("Timeline"), tr("Operators"), tr("Flame graph")};
    const QString tips[] = {tr("On the time axis"),
                            tr("Each operator over all its calls: count, total, median, p95, histogram; two runs or "
                               "traces compared"),
                            tr("Call stacks, equal ones merged, as wide as they took")};
    const QString names[] = {QStringLiteral("formTimeline"), QStringLiteral("formOperators"),
                             QStringLiteral("formFlame")};
    for (std::size_t i = 0; i < forms_.size(); ++i) {
        forms_[i] = bar_->toggle(titles[i], tips[i], names[i]);
        connect(forms_[i], &QToolButton::clicked, this, [this, i] { setForm(static_cast<TracePane::Form>(i)); });
    }
    forms_[0]->setChecked(true);
    ranks_ = bar_->toggle(tr("All ranks"), tr("A lane a rank, with who waited for whom in collectives"),
                          QStringLiteral("allRanks"));
    ranks_->setChecked(true);
    connect(ranks_, &QToolButton::toggled, this, &TimelineView::showPage);
    source_ = bar_->choice(tr("What is shown"), tr("The run, or a trace of PyTorch's profiler that was opened"));
    source_->setObjectName(QStringLiteral("traceSource"));
    other_ = bar_->choice(tr("Compared with"),
                          tr("Operators and call stacks are held against those of another run or trace"));
    other_->setObjectName(QStringLiteral("traceOther"));
    search_ = bar_->search(tr("Search names"), tr("Search in the trace"));
    search_->setMaximumWidth(180);
    keep_ = bar_->button(tr("Keep run"), tr("Keeps this run, so that later ones can be compared with it here"),
                         QStringLiteral("keepRun"));
    connect(keep_, &QToolButton::clicked, this, &TimelineView::keepRun);
    close_ = bar_->button(tr("Close"), tr("Closes the trace"), QStringLiteral("closeTrace"));
    note_ = bar_->note(120);
    connect(source_, &QComboBox::currentIndexChanged, this, &TimelineView::showPage);
    connect(other_, &QComboBox::currentIndexChanged, this,
            [this] { other_->currentData().toString() == kFile ? openOther() : showPage(); });
    connect(search_, &QLineEdit::textChanged, this, [this](const QString& words) {
        const QString found = pane_->search(words);
        if (!found.isEmpty()) note_->setText(found);
        if (words.isEmpty()) showPage();
    });
    connect(search_, &QLineEdit::returnPressed, this, [this] { pane_->nextMatch(); });
    connect(close_, &QToolButton::clicked, this,
            [this] { Imports::of(bridge()).closeTrace(source_->currentData().toString()); });
    static_cast<QVBoxLayout*>(layout())->addLayout(bar_);
}

TracePtr TimelineView::traceOf(const QComboBox& choice) const {
    const QVariant path = choice.currentData();
    if (!path.isValid()) return nullptr;
    if (path.toString().isEmpty()) return run_trace_;
    for (const TracePtr& trace : Imports::of(bridge()).traces())
        if (text(trace->trace.path) == path.toString()) return trace;
    return nullptr;
}

// A trace that was just opened is shown.
void TimelineView::takeTraces() {
    const QString before = source_->currentData().toString();
    const QVariant other_before = other_->currentData();
    const auto& traces = Imports::of(bridge()).traces();
    const bool has_new = static_cast<int>(traces.size()) + 1 > source_->count();
    for (QComboBox* choice : {source_, other_}) {
        const QSignalBlocker quiet(choice);
        choice->clear();
        if (choice == other_) choice->addItem(tr("compare with\u2026"), QVariant());
        // Without a run there is nothing to compare with, but its place.
        if (choice == source_ || recording_ != nullptr)
            choice->addItem(choice == other_ ? tr("with this run") : tr("This run"), QString());
        for (const TracePtr& trace : traces) {
            const QString path = text(trace->trace.path);
            const QString name = QFileInfo(path).fileName();
            choice->addItem(choice == other_ ? tr("with %1").arg(name) : name, path);
            choice->setItemData(choice->count() - 1, path, Qt::ToolTipRole);
        }
        if (choice == other_) choice->addItem(tr("with a recorded run or a trace\u2026"), QString(kFile));
        choice->setMaximumWidth(220);
    }
    const QString last = traces.empty() ? QString() : text(traces.back()->trace.path);
    const bool is_for_other = has_new && std::exchange(wants_other_, false);
    const int there = source_->findData(before);
    {
        const QSignalBlocker quiet(source_), quiet_too(other_);
        source_->setCurrentIndex((has_new && !is_for_other) || there < 0 ? source_->findData(last) : there);
        const QVariant other = is_for_other ? QVariant(last) : other_before;
        other_->setCurrentIndex(other.isValid() ? std::max(0, other_->findData(other)) : 0);
    }
    showPage();
}

// A file that is read for the comparison alone: what is shown stays.
void TimelineView::openOther() {
    {
        const QSignalBlocker quiet(other_);
        other_->setCurrentIndex(0);
    }
    const QString file = EngineFiles::getOpenFileName(
        this, tr("Compare with"), {}, tr("Recorded runs and traces (*.loupe *.json *.json.gz *.gz);;All files (*)"));
    if (file.isEmpty()) return showPage();
    wants_other_ = true;
    Imports::of(bridge()).open(file, session::ImportedKind::ProfileTrace);
}

void TimelineView::keepRun() {
    if (run_trace_ == nullptr) return;
    auto kept = std::make_shared<session::StudiedTrace>(*run_trace_);
    kept->trace.path = tr("run %1").arg(++kept_runs_).toStdString();
    wants_other_ = true;
    Imports::of(bridge()).add(TracePtr(kept));
}

void TimelineView::showSource(const QString& path) { source_->setCurrentIndex(source_->findData(path)); }

void TimelineView::setForm(TracePane::Form form) {
    form_ = form;
    for (std::size_t i = 0; i < forms_.size(); ++i) forms_[i]->setChecked(i == static_cast<std::size_t>(form));
    showPage();
}

void TimelineView::showPage() {
    if (pane_ == nullptr) return;
    const bool is_run = source_->currentData().toString().isEmpty();
    const bool is_live = is_run && form_ == TracePane::Form::Timeline;
    const bool has_ranks = is_live && Ranks::of(bridge()).isOn();
    ranks_->setVisible(has_ranks);
    const bool has_traces = !Imports::of(bridge()).traces().empty();
    source_->setVisible(has_traces);
    other_->setVisible(form_ != TracePane::Form::Timeline);
    keep_->setVisible(is_run && !is_live);
    search_->setVisible(!is_live);
    close_->setVisible(!is_run);
    askForRun();
    const TracePtr shown = traceOf(*source_);
    TracePtr other = form_ != TracePane::Form::Timeline ? traceOf(*other_) : nullptr;
    if (other == shown) other = nullptr;
    keep_->setEnabled(run_trace_ != nullptr);
    if (is_live) {
        note_->setText({});
    } else {
        pane_->setTrace(shown, other);
        pane_->setForm(form_);
        note_->setText(
            !shown   ? tr("nothing recorded yet: run the model (F5)")
            : other  ? tr("A: %1   B: %2").arg(source_->currentText(), QFileInfo(text(other->trace.path)).fileName())
            : is_run ? QString()
                     : noteOf(shown->trace));
        note_->setToolTip(note_->text());
    }
    const bool is_lanes = has_ranks && ranks_->isChecked();
    pages_->setCurrentIndex(is_lanes ? 2 : is_live ? 0 : 1);
    setFocusProxy(is_lanes ? lanes_ : is_live ? canvas_ : static_cast<QWidget*>(pane_));
}

// The run as a trace, when it is looked at and does not grow.
void TimelineView::askForRun() {
    const bool is_wanted = form_ != TracePane::Form::Timeline && isVisible();
    const auto recording = bridge().recording();
    if (recording == nullptr) run_trace_ = nullptr;
    if (!is_wanted || bridge().isBusy() || recording == nullptr || bridge().eventCount() == 0) return;
    if (run_traced_ == recording && run_trace_events_ == bridge().eventCount()) return;
    run_traced_ = recording;
    run_trace_events_ = bridge().eventCount();
    bridge().ask<session::ReadTraceQuery>(QStringLiteral("run as trace"), {}, this,
                                          [this, recording](session::TraceAnswer answer) {
                                              if (recording != bridge().recording()) return;
                                              run_trace_ = answer.trace;
                                              showPage();
                                          });
}

void TimelineView::showRanks(bool shown) { ranks_->setChecked(shown); }

void TimelineView::comeIntoSight() { askForRun(); }

void TimelineView::find() {
    if (search_->isVisible()) search_->setFocus();
}

void TimelineView::copyTotals() { QGuiApplication::clipboard()->setText(pane_->csv()); }

}  // namespace loupe::views
