// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/compare_view.h"

#include <QFileDialog>
#include <QHeaderView>
#include <QInputDialog>
#include <QMenu>
#include <QVBoxLayout>

#include "core/session/catalogue.h"
#include "core/study/aligned_side.h"
#include "views/common/engine_files.h"
#include "views/common/file_output.h"
#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/common/open_filter.h"
#include "views/common/panel_bar.h"
#include "views/common/theme.h"
#include "views/compare/compare_lists.h"

namespace loupe::views {

using session::AlignmentMend;
using session::EventId;
using session::ReferenceSource;
using session::RunPhase;

namespace {

// "1e-3 1e-5", "": rtol and atol.
std::optional<std::pair<std::optional<double>, std::optional<double>>> parseTolerance(const QString& typed) {
    const QStringList parts = typed.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    std::optional<double> numbers[2];
    if (parts.size() > 2) return std::nullopt;
    for (qsizetype i = 0; i < parts.size(); ++i) {
        bool is_number = false;
        numbers[i] = parts[i].toDouble(&is_number);
        if (!is_number || *numbers[i] < 0) return std::nullopt;
    }
    return std::pair(numbers[0], numbers[1]);
}

}  // namespace

ViewDescription CompareView::describe() {
    return {
        QStringLiteral("compare"), tr("Compare"),
        tr("This run beside another: pin a run, a recording, a model or a file of activations, and every panel shows "
           "the difference. Ctrl+D goes to the first divergence."),
        QStringLiteral("compare"), Place::Bottom};
}

CompareView::CompareView(SessionBridge& bridge, QWidget* parent)
    : View(bridge, parent), comparison_(Comparison::of(bridge)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* bar = new PanelBar(this);
    makeBar(*bar);
    layout->addLayout(bar);
    headline_ = new QLabel(this);
    headline_->setObjectName(QStringLiteral("compareHeadline"));
    headline_->setContentsMargins(8, 2, 8, 0);
    headline_->setWordWrap(true);
    headline_->setTextInteractionFlags(Qt::TextBrowserInteraction);
    connect(headline_, &QLabel::linkActivated, this, [this](const QString& link) {
        comparison_.goToDivergence(link == QLatin1String("backward") ? RunPhase::Backward : RunPhase::Forward);
    });
    facts_ = new QLabel(this);
    facts_->setContentsMargins(8, 0, 8, 4);
    facts_->setProperty("faint", true);
    facts_->setWordWrap(true);
    facts_->setTextInteractionFlags(Qt::TextBrowserInteraction);
    connect(facts_, &QLabel::linkActivated, this, [this](const QString& panel) {
        this->bridge().showPanel(panel);
        emit comparison_.textsWanted();
    });
    layout->addWidget(headline_);
    layout->addWidget(facts_);
    makeTabs();
    layout->addWidget(tabs_, 1);
    hint_ = new EmptyHint(tabs_);
    connect(&comparison_, &Comparison::referencesChanged, this, &CompareView::show);
    connect(&comparison_, &Comparison::differencesChanged, this, &CompareView::show);
    connect(&bridge, &SessionBridge::modelChanged, this, &CompareView::show);
    show();
}

void CompareView::fillPinMenu(QMenu& menu, SessionBridge& bridge, QWidget* window) {
    Comparison& comparison = Comparison::of(bridge);
    menu.setToolTipsVisible(true);
    const bool has_run = bridge.recording() != nullptr && bridge.eventCount() > 0;
    const bool has_model = bridge.model() != nullptr;
    const auto pin = [&comparison](ReferenceSource source) {
        return [&comparison, source = std::move(source)] { comparison.pin(source); };
    };
    QAction* own = menu.addAction(tr("This run"), &comparison, pin({}));
    own->setEnabled(has_run);
    own->setToolTip(has_run ? tr("What is shown now: run again, or open another model, and see what differs")
                            : tr("Not now: nothing has run yet"));
    QAction* file = menu.addAction(tr("A file\u2026"), &comparison, [&bridge, window] {
        const QString chosen =
            EngineFiles::getOpenFileName(window, tr("Compare with"), {},
                                         openFilter(tr("Recordings, models, activations"), {QStringLiteral("*.npz")}));
        if (chosen.isEmpty()) return;
        ReferenceSource source;
        source.kind = ReferenceSource::Kind::File;
        source.file = chosen.toStdString();
        Comparison::of(bridge).pin(source);
    });
    file->setEnabled(has_model);
    file->setToolTip(
        tr("A recording; another model, which is run on the same inputs; or a .npz of activations by module"));
    QMenu* variants = menu.addMenu(tr("This model, run otherwise"));
    variants->setEnabled(has_model);
    const auto variant = [&](const QString& title, const std::string& pipeline, const std::string& device,
                             const std::string& dtype) {
        ReferenceSource source;
        source.kind = ReferenceSource::Kind::Variant;
        source.pipeline = pipeline;
        source.device = device;
        source.dtype = dtype;
        variants->addAction(title, &comparison, pin(source));
    };
    variant(tr("Once more, as it is"), {}, {}, {});
    for (const char* dtype : {"bfloat16", "float16", "float64"})
        variant(tr("In %1").arg(QLatin1String(dtype)), {}, {}, dtype);
    for (const std::string& pipeline : session::list_pipelines()) {
        if (pipeline != "none") variant(tr("Pipeline %1").arg(text(pipeline)), pipeline, {}, {});
    }
    for (const auto& plugin : session::list_plugins()) {
        if (!plugin.loaded) continue;
        for (const auto& [name, device] : {std::pair("cuda", "cuda"), std::pair("test_device", "test")}) {
            if (plugin.name == name) variant(tr("On %1").arg(QLatin1String(device)), {}, device, {});
        }
    }
    if (comparison.references().empty()) return;
    menu.addSeparator();
    menu.addAction(tr("Unpin all"), &comparison, [&comparison] { comparison.unpin(0); });
}

void CompareView::makeBar(PanelBar& bar) {
    pin_ = bar.menu(tr("Pin"), tr("Pin a run to compare with"), QStringLiteral("pinReference"));
    connect(pin_->menu(), &QMenu::aboutToShow, this, [this] {
        pin_->menu()->clear();
        fillPinMenu(*pin_->menu(), bridge(), window());
    });
    choice_ = bar.choice(tr("Reference"), tr("What panels compare with"));
    choice_->setObjectName(QStringLiteral("reference"));
    connect(choice_, &QComboBox::activated, this,
            [this](int index) { comparison_.choose(choice_->itemData(index).toInt()); });
    unpin_ = bar.button(tr("Unpin"), tr("Do not compare with this one any more"), QStringLiteral("unpin"));
    connect(unpin_, &QToolButton::clicked, this, [this] {
        if (const auto* current = comparison_.current()) comparison_.unpin(current->id);
    });
    forward_ = bar.button(tr("First divergence"), tr("The first event of forward beyond tolerance (Ctrl+D)"),
                          QStringLiteral("firstDivergence"));
    connect(forward_, &QToolButton::clicked, this, [this] { comparison_.goToDivergence(RunPhase::Forward); });
    backward_ = bar.button(tr("in backward"), tr("The first event of backward beyond tolerance (Ctrl+Shift+D)"),
                           QStringLiteral("firstBackwardDivergence"));
    connect(backward_, &QToolButton::clicked, this, [this] { comparison_.goToDivergence(RunPhase::Backward); });
    tolerance_ = new QLineEdit(this);
    tolerance_->setObjectName(QStringLiteral("tolerance"));
    tolerance_->setPlaceholderText(tr("rtol atol: by dtype"));
    tolerance_->setToolTip(
        tr("Relative and absolute tolerance, as in 1e-3 1e-5; empty: torch.testing.assert_close's for the dtypes"));
    tolerance_->setAccessibleName(tr("Tolerance"));
    tolerance_->setMaximumWidth(140);
    tolerance_->setProperty("kept", true);
    connect(tolerance_, &QLineEdit::editingFinished, this, &CompareView::takeTolerance);
    bar.addWidget(tolerance_);
}

void CompareView::takeTolerance() {
    const auto typed = parseTolerance(tolerance_->text());
    tolerance_->setProperty("invalid", !typed);
    tolerance_->style()->unpolish(tolerance_);
    tolerance_->style()->polish(tolerance_);
    if (typed) comparison_.setTolerance(typed->first, typed->second);
}

void CompareView::makeTabs() {
    tabs_ = new QTabWidget(this);
    tabs_->setDocumentMode(true);
    layer_model_ = new LayerTableModel(comparison_, this);
    layers_ = new QTableView(this);
    layers_->setObjectName(QStringLiteral("compareLayers"));
    layers_->setAccessibleName(tr("Layers by run"));
    layers_->setModel(layer_model_);
    layers_->verticalHeader()->hide();
    layers_->verticalHeader()->setDefaultSectionSize(22);
    layers_->setSelectionBehavior(QAbstractItemView::SelectRows);
    layers_->setShowGrid(false);
    layers_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    connect(layers_->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& index) {
        const auto event = index.data(LayerTableModel::EventRole).toUInt();
        if (event != 0) bridge().setCurrentEvent(event);
    });
    changes_ = makeChangesList(this);
    changes_->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(changes_, &QTreeWidget::customContextMenuRequested, this, &CompareView::showChangeMenu);
    parameters_ = makeParametersList(this);
    costs_ = makeCostsList(this);
    for (QTreeWidget* list : {changes_, parameters_, costs_})
        connect(list, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) { followItem(item); });
    tabs_->addTab(layers_, tr("Layers"));
    tabs_->addTab(changes_, tr("Changed"));
    tabs_->addTab(parameters_, tr("Parameters"));
    tabs_->addTab(costs_, tr("Time and memory"));
}

void CompareView::show() {
    showReferences();
    showHeadline();
    layer_model_->rebuild();
    layers_->setColumnWidth(LayerTableModel::Module, 200);
    layers_->setColumnWidth(LayerTableModel::Class, 110);
    for (int column = LayerTableModel::FirstReference; column < layer_model_->columnCount(); ++column)
        layers_->setColumnWidth(column, 150);
    const auto& found = comparison_.differences();
    const auto& recording = bridge().recording();
    if (found != nullptr && recording) {
        fillChanges(*changes_, *found, *recording);
        fillParameters(*parameters_, *found);
        fillCosts(*costs_, *found);
    } else {
        for (QTreeWidget* list : {changes_, parameters_, costs_}) list->clear();
    }
    tabs_->setTabText(static_cast<int>(Tab::Changes), changes_->topLevelItemCount() > 0
                                                          ? tr("Changed (%1)").arg(changes_->topLevelItemCount())
                                                          : tr("Changed"));
}

void CompareView::showReferences() {
    const QSignalBlocker quiet(choice_);
    choice_->clear();
    for (const auto& reference : comparison_.references()) choice_->addItem(text(reference.label), reference.id);
    const auto* current = comparison_.current();
    if (current != nullptr) choice_->setCurrentIndex(choice_->findData(current->id));
    choice_->setVisible(current != nullptr);
    unpin_->setVisible(current != nullptr);
    for (const auto& [button, phase] :
         {std::pair(forward_, RunPhase::Forward), std::pair(backward_, RunPhase::Backward)}) {
        const QString why = comparison_.whyNoDivergence(phase);
        button->setEnabled(why.isEmpty());
        button->setVisible(current != nullptr);
    }
    tolerance_->setVisible(current != nullptr);
}

void CompareView::showHeadline() {
    const Theme& theme = Theme::instance();
    const auto& found = comparison_.differences();
    if (found == nullptr) {
        headline_->hide();
        facts_->setVisible(!comparison_.failure().isEmpty() || comparison_.isPinning());
        facts_->setText(comparison_.isPinning() ? tr("running the reference\u2026") : comparison_.failure());
        hint_->say(
            comparison_.isOn()
                ? tr("Run the model (F5): it is compared when the run ends.")
                : tr("Nothing is pinned.\nPin > This run keeps what is shown; then run again, or open another model.\n"
                     "Pin > A file takes a recording, a model or a .npz of activations."));
        return;
    }
    hint_->say({});
    const bool diverges = found->diverges();
    const bool isWhole = found->compared > 0 && found->are_complete;
    const QColor colour = theme.colour(diverges  ? Theme::Colour::Bad
                                       : isWhole ? Theme::Colour::Good
                                                 : Theme::Colour::Warning);
    QString line =
        QStringLiteral("<span style='color:%1'>%2</span>").arg(colour.name(), text(found->headline()).toHtmlEscaped());
    if (diverges)
        line += QStringLiteral(" &nbsp;<a href='%1' style='color:%2'>%3</a>")
                    .arg(found->forward ? QStringLiteral("forward") : QStringLiteral("backward"),
                         theme.colour(Theme::Colour::Accent).name(), tr("go there"));
    headline_->setText(line);
    headline_->show();
    QStringList facts{tr("%1 aligned").arg(counted(found->aligned, "event")), tr("%1 differ").arg(found->diverging)};
    if (found->only_here > 0) facts << tr("%1 only here").arg(found->only_here);
    if (found->only_there > 0) facts << tr("%1 only in the reference").arg(found->only_there);
    facts << (found->has_times()
                  ? tr("time %1 against %2").arg(secondsText(found->seconds_here), secondsText(found->seconds_there))
                  : tr("no warm times of both: Run > Time it properly, before pinning"));
    if (found->peak_there > 0)
        facts << tr("peak memory %1 against %2")
                     .arg(bytesText(static_cast<double>(found->peak_here)),
                          bytesText(static_cast<double>(found->peak_there)));
    for (const std::string& note : found->notes) facts << text(note);
    QString line_of_facts = facts.join(QStringLiteral("  \u00b7  ")).toHtmlEscaped();
    for (const auto& [panel, title] :
         {std::pair("source", tr("sources side by side")), std::pair("passes", tr("graphs side by side"))})
        line_of_facts += QStringLiteral("  \u00b7  <a href='%1' style='color:%2'>%3</a>")
                             .arg(QLatin1String(panel), theme.colour(Theme::Colour::Accent).name(), title);
    facts_->setText(line_of_facts);
    facts_->show();
}

void CompareView::followItem(QTreeWidgetItem* item) {
    if (item == nullptr) return;
    if (const auto event = item->data(0, kHereRole).toUInt(); event != 0) return bridge().setCurrentEvent(event);
    const QString name = item->data(0, kNameRole).toString();
    if (item->treeWidget() == parameters_ && !name.isEmpty()) bridge().followLink(name);
    if (item->treeWidget() == costs_ && !name.isEmpty()) bridge().setCurrentModule(name);
}

// Two events are aligned by hand one after the other: first one, then the other.
void CompareView::showChangeMenu(const QPoint& at) {
    QTreeWidgetItem* item = changes_->itemAt(at);
    QMenu menu;
    if (item != nullptr) {
        const auto here = static_cast<EventId>(item->data(0, kHereRole).toUInt());
        const auto there = static_cast<EventId>(item->data(0, kThereRole).toUInt());
        if (there != 0 && here == 0) {
            menu.addAction(tr("Align with the current event"), this,
                           [this, there] { align(bridge().currentEvent(), there); })
                ->setEnabled(bridge().currentEvent() != 0);
            if (waiting_here_ != 0)
                menu.addAction(tr("Align with #%1 of this run").arg(waiting_here_), this,
                               [this, there] { align(waiting_here_, there); });
            menu.addAction(tr("Align with an event of this run next"), this, [this, there] { waiting_there_ = there; });
        } else if (here != 0 && there == 0) {
            if (waiting_there_ != 0)
                menu.addAction(tr("Align with #%1 of the reference").arg(waiting_there_), this,
                               [this, here] { align(here, waiting_there_); });
            menu.addAction(tr("Align with an event of the reference next"), this,
                           [this, here] { waiting_here_ = here; });
        } else {
            menu.addAction(tr("These are not the same"), this, [this, here] {
                auto mends = comparison_.options().mends;
                mends.push_back({AlignmentMend::Kind::Apart, session::event_place(*bridge().recording(), here), {}});
                comparison_.setMends(std::move(mends));
            });
        }
        menu.addSeparator();
    }
    menu.addAction(tr("Align modules\u2026"), this, &CompareView::alignModules);
    menu.addAction(tr("Forget what was aligned by hand"), this, [this] { comparison_.setMends({}); })
        ->setEnabled(!comparison_.options().mends.empty());
    menu.exec(changes_->viewport()->mapToGlobal(at));
}

void CompareView::align(EventId here, EventId there) {
    const auto& found = comparison_.differences();
    if (found == nullptr || !bridge().recording() || here == 0 || there == 0) return;
    // The reference's place is made as event_place() does.
    const session::ReferenceEvent& wanted = found->reference_events[there - 1];
    int nth = 0;
    for (EventId id = 1; id <= there; ++id) {
        const session::ReferenceEvent& each = found->reference_events[id - 1];
        nth += each.phase == wanted.phase && each.op == wanted.op && each.scope == wanted.scope ? 1 : 0;
    }
    const std::string place = std::string(session::phase_name(wanted.phase)) + " " + wanted.scope + " " + wanted.op +
                              " " + std::to_string(nth);
    auto mends = comparison_.options().mends;
    mends.push_back({AlignmentMend::Kind::Event, session::event_place(*bridge().recording(), here), place});
    waiting_here_ = waiting_there_ = 0;
    comparison_.setMends(std::move(mends));
}

void CompareView::alignModules() {
    const auto& found = comparison_.differences();
    if (found == nullptr) return;
    QStringList theirs;
    for (const auto& module : found->modules) {
        if (module.presence != session::Presence::OnlyHere) theirs << scopeText(module.there);
    }
    theirs.sort();
    bool is_chosen = false;
    const QString own = bridge().currentModule();
    const QString chosen = QInputDialog::getItem(
        window(), tr("Align modules"), tr("%1, and all in it, is in the reference:").arg(scopeText(own.toStdString())),
        theirs, 0, true, &is_chosen);
    if (!is_chosen) return;
    auto mends = comparison_.options().mends;
    mends.push_back({AlignmentMend::Kind::Module, own.toStdString(),
                     chosen == scopeText({}) ? std::string() : chosen.toStdString()});
    comparison_.setMends(std::move(mends));
}

void CompareView::addActions(QMenu& menu) {
    auto* leaves = menu.addAction(tr("Only modules with operators of their own"));
    leaves->setCheckable(true);
    leaves->setChecked(layer_model_->hasLeavesOnly());
    connect(leaves, &QAction::toggled, layer_model_, &LayerTableModel::setLeavesOnly);
    menu.addAction(tr("Save the table as CSV\u2026"), this, &CompareView::saveTable)->setEnabled(comparison_.isOn());
}

void CompareView::saveTable() {
    const QString file =
        QFileDialog::getSaveFileName(window(), tr("Save the table"), QStringLiteral("compare.csv"), tr("CSV (*.csv)"));
    if (file.isEmpty()) return;
    QString out;
    for (int row = -1; row < layer_model_->rowCount(); ++row) {
        QStringList cells;
        for (int column = 0; column < layer_model_->columnCount(); ++column) {
            QString cell = (row < 0 ? layer_model_->headerData(column, Qt::Horizontal, Qt::DisplayRole)
                                    : layer_model_->index(row, column).data())
                               .toString();
            cells << QStringLiteral("\"%1\"").arg(cell.replace(QLatin1Char('"'), QStringLiteral("\"\"")));
        }
        out += cells.join(QLatin1Char(',')) + QLatin1Char('\n');
    }
    FileOutput to(file);
    to.write(out.toUtf8());
    if (const QString failure = to.commit(); !failure.isEmpty())
        bridge().addLog(
            {.level = SessionBridge::LogEntry::Level::Error, .text = failure.toStdString(), .scope = {}, .source = {}});
}

}  // namespace loupe::views
