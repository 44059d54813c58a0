// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/modules/modules_view.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTimer>
#include <QTreeView>
#include <QVBoxLayout>

#include "core/session/queries/reset_parameters.h"
#include "core/session/queries/train_mode.h"
#include "views/common/file_output.h"
#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/common/rank_strip.h"
#include "views/common/theme.h"
#include "views/modules/module_model.h"

namespace loupe::views {

ViewDescription ModulesView::describe() {
    return {QStringLiteral("modules"), tr("Modules"),
            tr("The modules of the model with their parameters, buffers and attributes. Select one to see its first "
               "event."),
            QStringLiteral("modules"), Place::Left};
}

ModulesView::ModulesView(SessionBridge& bridge, QWidget* parent)
    : View(bridge, parent),
      model_(new ModuleModel(this)),
      tree_(new QTreeView(this)),
      search_(new QLineEdit(this)),
      totals_(new QLabel(this)) {
    search_->setPlaceholderText(tr("Find a module, class or parameter"));
    search_->setAccessibleName(tr("Find a module"));
    search_->addAction(themeIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    search_->setClearButtonEnabled(true);
    connect(search_, &QLineEdit::textChanged, this, [this](const QString& words) { search(words, false); });
    connect(search_, &QLineEdit::returnPressed, this, [this] { search(search_->text(), true); });

    tree_->setObjectName(QStringLiteral("moduleTree"));
    tree_->setAccessibleName(tr("Modules"));
    tree_->setModel(model_);
    tree_->setUniformRowHeights(true);
    tree_->setIndentation(13);
    tree_->setContextMenuPolicy(Qt::CustomContextMenu);
    const int widths[] = {118, 88, 88, 56, 88, 74, 40, 44, 44, 52, 64, 80, 80, 80, 80, 80};
    for (int column = 0; column < ModuleModel::ColumnCount; ++column) tree_->setColumnWidth(column, widths[column]);
    tree_->header()->moveSection(ModuleModel::Record, 1);  // in sight beside the name
    for (int i = 0; i < kDifferenceColumns; ++i)
        tree_->header()->moveSection(tree_->header()->visualIndex(ModuleModel::FirstDifference + i), 2 + i);
    tree_->header()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    tree_->header()->moveSection(tree_->header()->visualIndex(ModuleModel::OnRanks), 1);
    tree_->setItemDelegateForColumn(ModuleModel::OnRanks, new RankStrip(bridge, tree_));
    connect(tree_->selectionModel(), &QItemSelectionModel::currentChanged, this, &ModulesView::onSelected);
    connect(tree_, &QTreeView::customContextMenuRequested, this, &ModulesView::showContextMenu);
    connect(model_, &ModuleModel::leftOutChanged, this, [this] {
        auto options = this->bridge().runOptions();
        options.left_out = model_->leftOut();
        this->bridge().setRunOptions(options);
    });
    connect(&bridge, &SessionBridge::runOptionsChanged, this,
            [this] { model_->setLeftOut(this->bridge().runOptions().left_out); });
    setFocusProxy(tree_);

    totals_->setProperty("faint", true);
    totals_->setContentsMargins(6, 3, 6, 3);
    totals_->setWordWrap(true);
    totals_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 3, 0, 0);
    layout->setSpacing(3);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(4, 0, 4, 0);
    bar->addWidget(search_, 1);
    measure_ = new QComboBox(this);
    measure_->addItems({tr("norm"), tr("mean |x|"), tr("NaN and Inf")});
    measure_->setObjectName(QStringLiteral("rankMeasure"));
    measure_->setAccessibleName(tr("What the cells of the ranks show"));
    measure_->setToolTip(tr("What the cells of the ranks show, of each module's output"));
    connect(measure_, &QComboBox::currentIndexChanged, this,
            [this](int index) { Ranks::of(this->bridge()).setMeasure(static_cast<session::LayerMeasure>(index)); });
    bar->addWidget(measure_);
    layout->addLayout(bar);
    layout->addWidget(tree_, 1);
    layout->addWidget(totals_);
    connect(&bridge, &SessionBridge::modelChanged, this, &ModulesView::showModel);
    connect(&bridge, &SessionBridge::currentChanged, this, &ModulesView::showCurrent);
    auto& comparison = Comparison::of(bridge);
    connect(&comparison, &Comparison::referencesChanged, this, &ModulesView::showDifferences);
    connect(&comparison, &Comparison::differencesChanged, this, &ModulesView::showDifferences);
    connect(&Ranks::of(bridge), &Ranks::changed, this, &ModulesView::showRanks);
    connect(&Ranks::of(bridge), &Ranks::studied, this, &ModulesView::showRanks);
    showModel();
    showDifferences();
    showRanks();
}

void ModulesView::showRanks() {
    const Ranks& ranks = Ranks::of(bridge());
    tree_->setColumnHidden(ModuleModel::OnRanks, !ranks.isOn());
    measure_->setVisible(ranks.isOn());
    if (ranks.isOn())
        model_->setRanks([&ranks](const std::string& path) { return ranks.cellsOfModule(path); },
                         [&ranks](const RankCells& cells) { return ranks.tipOf(cells); });
    else
        model_->setRanks({}, {});
}

void ModulesView::showDifferences() {
    const Comparison& comparison = Comparison::of(bridge());
    model_->setComparison(comparison.isOn() ? &comparison : nullptr);
    for (int i = 0; i < kDifferenceColumns; ++i)
        tree_->setColumnHidden(ModuleModel::FirstDifference + i, !comparison.isOn());
    tree_->viewport()->update();
}

void ModulesView::showModel() {
    const auto& model = bridge().model();
    selecting_ = true;
    model_->setModel(model);
    model_->setLeftOut(bridge().runOptions().left_out);
    fit();
    spanRules({});
    selecting_ = false;
    totals_->setVisible(model != nullptr);
    if (!model) return;
    showTotals();
    totals_->setToolTip(text(model->format));
}

// A sentence needs the whole row.
void ModulesView::spanRules(const QModelIndex& parent) {
    for (int row = 0; row < model_->rowCount(parent); ++row) {
        const QModelIndex index = model_->index(row, 0, parent);
        if (index.data(ModuleModel::KindRole).toInt() == static_cast<int>(ModuleModel::Kind::Rule))
            tree_->setFirstColumnSpanned(row, parent, true);
        else
            spanRules(index);
    }
}

void ModulesView::showCurrent() {
    if (selecting_) return;
    const QModelIndex index = model_->indexOfModule(bridge().currentModule());
    // A parameter of the module that is current stays selected.
    if (!index.isValid() || tree_->currentIndex().data(ModuleModel::PathRole) == index.data(ModuleModel::PathRole))
        return;
    selecting_ = true;
    tree_->setCurrentIndex(index);
    tree_->scrollTo(index);
    selecting_ = false;
}

void ModulesView::onSelected(const QModelIndex& index) {
    if (selecting_ || !index.isValid()) return;
    selecting_ = true;
    const QString tensor = index.data(ModuleModel::TensorRole).toString();
    if (tensor.isEmpty() || !bridge().followLink(tensor))
        bridge().setCurrentModule(index.data(ModuleModel::PathRole).toString());
    selecting_ = false;
}

void ModulesView::search(const QString& words, bool again) {
    if (words.isEmpty() || model_->rowCount() == 0) return;
    const auto options = Qt::MatchContains | Qt::MatchRecursive | Qt::MatchWrap;
    QModelIndexList found = model_->match(model_->index(0, 0), ModuleModel::PathRole, words, -1, options);
    if (found.isEmpty())
        found = model_->match(model_->index(0, ModuleModel::Class), Qt::DisplayRole, words, -1, options);
    if (found.isEmpty()) return;
    const auto at = found.indexOf(tree_->currentIndex().siblingAtColumn(found.front().column()));
    const QModelIndex next = found[again && at >= 0 ? (at + 1) % found.size() : 0];
    tree_->setCurrentIndex(next.siblingAtColumn(0));
    tree_->scrollTo(next);
}

void ModulesView::find() {
    search_->setFocus();
    search_->selectAll();
}

void ModulesView::fit() {
    tree_->collapseAll();
    tree_->expandToDepth(0);
}

bool ModulesView::toggleBreakpoint() {
    const QString path = tree_->currentIndex().data(ModuleModel::PathRole).toString();
    if (path.isEmpty()) return false;
    for (const auto& old : bridge().breakpoints()) {
        if (old.kind != session::Breakpoint::Kind::Module || old.text != path.toStdString()) continue;
        bridge().removeBreakpoint(old.id);
        return true;
    }
    session::Breakpoint breakpoint;
    breakpoint.kind = session::Breakpoint::Kind::Module;
    breakpoint.text = path.toStdString();
    bridge().addBreakpoint(breakpoint);
    return true;
}

void ModulesView::setTrainable(bool trainable) {
    const QString path = tree_->currentIndex().data(ModuleModel::PathRole).toString();
    bridge().session().set_parameter_requires_grad(path.toStdString(), trainable);
    model_->setTrainable(path, trainable);
}

void ModulesView::tellOf(const std::string& failure, const QString& done) {
    const bool failed = !failure.empty();
    bridge().addLog({.level = failed ? SessionBridge::LogEntry::Level::Error : SessionBridge::LogEntry::Level::Info,
                     .text = failed ? failure : done.toStdString(),
                     .scope = {},
                     .source = {}});
    totals_->setText(failed ? text(failure) : done);
    QTimer::singleShot(6000, this, &ModulesView::showTotals);
}

void ModulesView::showTotals() {
    const auto& model = bridge().model();
    if (!model) return;
    totals_->setText(tr("%1, %2, %3")
                         .arg(counted(static_cast<std::int64_t>(model->modules.size()), "module"),
                              counted(model->parameter_count, "parameter"),
                              bytesText(static_cast<double>(model->parameter_bytes))));
}

void ModulesView::setTraining(const QString& path, bool training) {
    bridge().ask(QStringLiteral("mode %1").arg(path), session::TrainModeQuery{path.toStdString(), training}, this,
                 [this, path, training](const std::string& failure) {
                     if (failure.empty()) model_->setTraining(path, training);
                     tellOf(failure, training ? tr("%1 learns").arg(scopeText(path.toStdString()))
                                              : tr("%1 only answers").arg(scopeText(path.toStdString())));
                 });
    // The Inputs panel sets a mode of the whole model at each run, unless it is "as the file says".
    auto options = bridge().runOptions();
    options.training.reset();
    bridge().setRunOptions(options);
}

void ModulesView::reinitialise(const QString& path) {
    bridge().ask(QStringLiteral("reset %1").arg(path),
                 session::ResetParametersQuery{path.toStdString(), bridge().runOptions().seed}, this,
                 [this, path](const std::string& failure) {
                     tellOf(failure, tr("%1 begins anew").arg(scopeText(path.toStdString())));
                     if (failure.empty()) this->bridge().tellWeightsChanged();
                 });
}

void ModulesView::addActions(QMenu& menu) {
    menu.addAction(tr("Copy summary"), this, [this] {
        if (bridge().model()) QApplication::clipboard()->setText(summaryText(*bridge().model()));
    });
    menu.addAction(tr("Export parameters as CSV\u2026"), this, &ModulesView::exportCsv);
    const bool chosen = bridge().model() && tree_->currentIndex().isValid();
    const QString name = scopeText(tree_->currentIndex().data(ModuleModel::PathRole).toString().toStdString());
    QAction* freeze = menu.addAction(chosen ? tr("Freeze %1 (no gradients)").arg(name) : tr("Freeze"), this,
                                     [this] { setTrainable(false); });
    QAction* unfreeze =
        menu.addAction(chosen ? tr("Unfreeze %1").arg(name) : tr("Unfreeze"), this, [this] { setTrainable(true); });
    for (QAction* action : {freeze, unfreeze}) {
        action->setEnabled(chosen);
        action->setToolTip(chosen ? tr("From the next run on") : tr("Not now: no module is selected"));
    }
    const QString path = tree_->currentIndex().data(ModuleModel::PathRole).toString();
    const bool canChange = chosen && !bridge().isPaused() && !bridge().isBusy();
    const QString whyNot = chosen ? tr("a run is under way; stop it first") : tr("no module is selected");
    const auto edit = [&](const QString& words, const QString& tip, auto slot) {
        QAction* action = menu.addAction(words, this, slot);
        action->setEnabled(canChange);
        action->setToolTip(canChange ? tip : tr("Not now: %1").arg(whyNot));
    };
    edit(chosen ? tr("Let %1 learn (train mode)").arg(name) : tr("Train mode"),
         tr("Dropout drops, batch normalisation counts: from the next run on"),
         [this, path] { setTraining(path, true); });
    edit(chosen ? tr("Let %1 only answer (eval mode)").arg(name) : tr("Eval mode"), tr("From the next run on"),
         [this, path] { setTraining(path, false); });
    edit(chosen ? tr("Re-initialise %1").arg(name) : tr("Re-initialise"),
         tr("New first values for its parameters, as PyTorch gives them"), [this, path] { reinitialise(path); });
    menu.addSeparator();
    menu.addAction(tr("Expand all"), tree_, &QTreeView::expandAll);
    menu.addAction(tr("Collapse all"), this, &ModulesView::fit);
}

void ModulesView::showContextMenu(const QPoint& at) {
    QMenu menu;
    const QModelIndex index = tree_->indexAt(at);
    if (index.isValid()) {
        const QString path = index.data(ModuleModel::PathRole).toString();
        if (!path.isEmpty())
            menu.addAction(tr("Toggle breakpoint on %1").arg(path), this, &ModulesView::toggleBreakpoint);
        menu.addAction(tr("Copy name"), this, [index] {
            const QString tensor = index.data(ModuleModel::TensorRole).toString();
            QApplication::clipboard()->setText(tensor.isEmpty() ? index.data(ModuleModel::PathRole).toString()
                                                                : tensor);
        });
        menu.addSeparator();
    }
    addActions(menu);
    menu.exec(tree_->viewport()->mapToGlobal(at));
}

void ModulesView::exportCsv() {
    const auto& model = bridge().model();
    if (!model) return;
    const QString file = QFileDialog::getSaveFileName(this, tr("Export parameters"), QStringLiteral("parameters.csv"),
                                                      tr("CSV (*.csv)"));
    if (file.isEmpty()) return;
    FileOutput out(file);
    out.write("name,kind,module,class,dtype,shape,elements,bytes,requires_grad\n");
    for (const auto& module : model->modules) {
        const auto write = [&](const session::TensorInfo& tensor, const char* kind) {
            out.write(QStringList{text(tensor.name), QLatin1String(kind), text(module.path), text(module.class_name),
                                  text(tensor.dtype), shapeText(tensor.shape), QString::number(tensor.numel()),
                                  QString::number(tensor.bytes),
                                  tensor.requires_grad ? QStringLiteral("1") : QStringLiteral("0")}
                          .join(QLatin1Char(','))
                          .toUtf8() +
                      '\n');
        };
        for (const auto& parameter : module.parameters) write(parameter, "parameter");
        for (const auto& buffer : module.buffers) write(buffer, "buffer");
    }
    if (const QString error = out.commit(); !error.isEmpty())
        bridge().addLog({SessionBridge::LogEntry::Level::Error, error.toStdString(), 0, -1, {}, {}});
}

}  // namespace loupe::views
