// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/watch/watch_view.h"

#include <QComboBox>
#include <QHeaderView>
#include <QInputDialog>
#include <QKeyEvent>
#include <QLabel>
#include <QSettings>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/session/condition.h"
#include "core/session/watch.h"
#include "views/common/empty_hint.h"
#include "views/common/engine_words.h"
#include "views/common/expression_edit.h"
#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/common/panel_output.h"
#include "views/watch/breakpoint_model.h"
#include "views/watch/watch_model.h"

namespace loupe::views {

using session::Breakpoint;

namespace {

class PhaseDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex&) const override {
        auto* box = new QComboBox(parent);
        box->addItems(BreakpointModel::phaseNames());
        return box;
    }
    void setEditorData(QWidget* editor, const QModelIndex& index) const override {
        static_cast<QComboBox*>(editor)->setCurrentText(index.data().toString());
    }
    void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override {
        model->setData(index, static_cast<QComboBox*>(editor)->currentText(), Qt::EditRole);
    }
};

ExpressionEdit::Problem problemOf(const session::ConditionProblem& problem, const std::string& typed) {
    const auto column = [&](std::size_t byte) {
        return static_cast<int>(
            QString::fromUtf8(typed.data(), static_cast<qsizetype>(std::min(byte, typed.size()))).size());
    };
    return {text(problem.text), column(problem.begin), column(problem.end)};
}

// Completions of conditions, and at a line of a source its names.
ExpressionEdit::Completions conditionWords(const Breakpoint& breakpoint, const session::ModelInfo* model,
                                           const QString& typed, int cursor) {
    ExpressionEdit::Completions found{wordStart(typed, cursor), {}};
    for (const session::ConditionWord& word : session::condition_words())
        found.words.append({text(word.text), engineWord(word.meaning)});
    if (breakpoint.kind != Breakpoint::Kind::Line || model == nullptr || model->form != session::ModelForm::Evaluated)
        return found;
    for (const session::SourceFile& file : model->sources) {
        if (file.name != breakpoint.text || !file.is_editable) continue;
        for (const std::string& name : session::variable_names(file.text, breakpoint.line))
            found.words.append({text(name), QObject::tr("in the source")});
    }
    return found;
}

ExpressionEdit::Completions watchWords(const session::ModelInfo* model, const QString& typed, int cursor) {
    ExpressionEdit::Completions found;
    if (model == nullptr) return found;
    for (const session::WatchWord& word : session::watch_words(*model, typed.left(cursor).toStdString()))
        found.words.append({text(word.text), engineWord(word.meaning)});
    return found;
}

void polish(QTableView* table) {
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(22);
    table->setShowGrid(false);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                           QAbstractItemView::AnyKeyPressed);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table->horizontalHeader()->setStretchLastSection(true);
}

}  // namespace

ViewDescription WatchView::describe() {
    return {QStringLiteral("watch"), tr("Watch and breakpoints"),
            tr("Where a run stops, under which condition, and expressions over values that follow the current event."),
            QStringLiteral("watch"), Place::Bottom};
}

WatchView::WatchView(SessionBridge& bridge, QWidget* parent)
    : View(bridge, parent),
      breakpoints_(new BreakpointModel(bridge, this)),
      watches_(new WatchModel(bridge, this)),
      breakpoint_table_(new QTableView(this)),
      watch_table_(new QTableView(this)) {
    auto* splitter = new QSplitter(this);
    splitter->addWidget(makeBreakpoints());
    splitter->addWidget(makeWatches());
    splitter->setSizes({600, 500});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(splitter);
    setFocusProxy(breakpoint_table_);
}

QWidget* WatchView::makeBreakpoints() {
    auto* side = new QWidget(this);
    breakpoint_table_->setObjectName(QStringLiteral("breakpointTable"));
    breakpoint_table_->setAccessibleName(tr("Breakpoints"));
    breakpoint_table_->setModel(breakpoints_);
    breakpoint_table_->setItemDelegateForColumn(BreakpointModel::Phase, new PhaseDelegate(breakpoint_table_));
    breakpoint_table_->setItemDelegateForColumn(
        BreakpointModel::Condition,
        new ExpressionDelegate(
            [this](ExpressionEdit& edit, const QModelIndex& index) {
                const Breakpoint edited = breakpoints_->at(index.row());
                edit.setPlaceholderText(tr("absmax > 10, nan or inf, i == 1"));
                edit.setCheck([this, edited](const QString& typed) {
                    Breakpoint changed = edited;
                    changed.condition = typed.trimmed().toStdString();
                    return problemOf(session::check_condition(changed, bridge().model().get()), changed.condition);
                });
                edit.setComplete([this, edited](const QString& typed, int cursor) {
                    return conditionWords(edited, bridge().model().get(), typed, cursor);
                });
            },
            breakpoint_table_));
    breakpoint_table_->installEventFilter(this);
    polish(breakpoint_table_);
    const int widths[] = {216, 70, 124, 70};
    for (int column = 0; column < 4; ++column) breakpoint_table_->setColumnWidth(column, widths[column]);
    connect(breakpoint_table_, &QTableView::clicked, this, [this](const QModelIndex& index) { goTo(index.row()); });

    hint_ = new EmptyHint(breakpoint_table_);
    const auto showHint = [this] {
        hint_->say(breakpoints_->rowCount() > 0 ? QString()
                                                : tr("No breakpoints. F9 sets one at the current node or line; + sets "
                                                     "one at a module, a kind of operator, "
                                                     "where backward begins, or where a NaN or Inf appears."));
    };
    connect(breakpoints_, &QAbstractItemModel::modelReset, this, showHint);
    connect(breakpoints_, &QAbstractItemModel::rowsInserted, this, showHint);
    connect(breakpoints_, &QAbstractItemModel::rowsRemoved, this, showHint);
    showHint();

    auto* title = new QLabel(tr("Breakpoints"), side);
    title->setProperty("heading", true);
    auto* add = new QToolButton(side);
    add->setIcon(themeIcon(QStringLiteral("add")));
    add->setToolTip(tr("Add a breakpoint"));
    add->setAccessibleName(tr("Add a breakpoint"));
    add->setPopupMode(QToolButton::InstantPopup);
    add->setMenu(new QMenu(add));
    connect(add->menu(), &QMenu::aboutToShow, this, [this, add] {
        add->menu()->clear();
        fillAddMenu(*add->menu());
    });
    auto* remove = new QToolButton(side);
    remove->setIcon(themeIcon(QStringLiteral("remove")));
    remove->setToolTip(tr("Remove the selected breakpoint (Delete)"));
    remove->setAccessibleName(tr("Remove the selected breakpoint"));
    connect(remove, &QToolButton::clicked, this, &WatchView::removeSelected);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(6, 2, 4, 2);
    bar->addWidget(title, 1);
    bar->addWidget(add);
    bar->addWidget(remove);
    auto* layout = new QVBoxLayout(side);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(breakpoint_table_, 1);
    return side;
}

QWidget* WatchView::makeWatches() {
    watch_table_->setObjectName(QStringLiteral("watchTable"));
    watch_table_->setAccessibleName(tr("Watch expressions"));
    watch_table_->setModel(watches_);
    watch_table_->setItemDelegateForColumn(
        WatchModel::Expression, new ExpressionDelegate(
                                    [this](ExpressionEdit& edit, const QModelIndex&) {
                                        edit.setCheck([this](const QString& typed) {
                                            const std::string expression = typed.trimmed().toStdString();
                                            if (expression.empty()) return ExpressionEdit::Problem{};
                                            return problemOf(session::check_watch(expression, bridge().model().get(),
                                                                                  bridge().recording().get()),
                                                             expression);
                                        });
                                        edit.setComplete([this](const QString& typed, int cursor) {
                                            return watchWords(bridge().model().get(), typed, cursor);
                                        });
                                    },
                                    watch_table_));
    watch_table_->installEventFilter(this);
    watch_table_->setToolTip(
        tr("VALUE.STATISTIC: layer1.0.conv1.out.absmax, fc.weight.grad.norm, out.mean\nStatistics: min, max, mean, "
           "std, absmax, absmean, norm, nan, inf, zeros, shape, bytes"));
    polish(watch_table_);
    watch_table_->setColumnWidth(WatchModel::Expression, 280);
    connect(watches_, &WatchModel::expressionsChanged, this,
            [this] { QSettings().setValue(QStringLiteral("watch/expressions"), watches_->expressions()); });
    watches_->setExpressions(QSettings().value(QStringLiteral("watch/expressions")).toStringList());
    return watch_table_;
}

void WatchView::fillAddMenu(QMenu& menu) {
    const auto add = [this](Breakpoint::Kind kind, std::optional<session::RunPhase> phase = {}) {
        Breakpoint breakpoint;
        breakpoint.kind = kind;
        breakpoint.phase = phase;
        breakpoint.graph_node = bridge().currentNode();
        breakpoint.text = bridge().currentModule().toStdString();
        bridge().addBreakpoint(breakpoint);
    };
    QAction* node = menu.addAction(tr("Break at the current node"), this, [add] { add(Breakpoint::Kind::Node); });
    enableUnless(node, bridge().currentNode() >= 0 ? QString() : tr("no node is selected"));
    QAction* module = menu.addAction(tr("Break at module %1").arg(scopeText(bridge().currentModule().toStdString())),
                                     this, [add] { add(Breakpoint::Kind::Module); });
    enableUnless(module, bridge().currentModule().isEmpty() ? tr("no module is selected") : QString());
    menu.setToolTipsVisible(true);
    menu.addAction(tr("Break at a module\u2026"), this, [this] { askForText(Breakpoint::Kind::Module); });
    menu.addAction(tr("Break at a kind of operator\u2026"), this,
                   [this] { askForText(Breakpoint::Kind::OperatorKind); });
    menu.addSeparator();
    menu.addAction(tr("Break when NaN or Inf appears"), this, [add] { add(Breakpoint::Kind::NanOrInf); });
    menu.addAction(tr("Break when backward begins"), this,
                   [add] { add(Breakpoint::Kind::Phase, session::RunPhase::Backward); });
}

void WatchView::askForText(Breakpoint::Kind kind) {
    const bool module = kind == Breakpoint::Kind::Module;
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(module ? tr("Break at a module") : tr("Break at a kind of operator"));
    dialog->setLabelText(module ? tr("Path of the module, like layer2.0")
                                : tr("Name of the operator; * stands for anything, like conv*"));
    if (module && bridge().model()) {
        QStringList paths;
        for (const auto& info : bridge().model()->modules) paths += text(info.path);
        dialog->setComboBoxItems(paths);
        dialog->setComboBoxEditable(true);
    }
    connect(dialog, &QInputDialog::textValueSelected, this, [this, kind](const QString& typed) {
        if (typed.trimmed().isEmpty()) return;
        Breakpoint breakpoint;
        breakpoint.kind = kind;
        breakpoint.text = typed.trimmed().toStdString();
        bridge().addBreakpoint(breakpoint);
    });
    dialog->open();
}

void WatchView::removeSelected() {
    std::vector<int> ids;
    for (const QModelIndex& index : breakpoint_table_->selectionModel()->selectedRows())
        ids.push_back(breakpoints_->at(index.row()).id);
    for (const int id : ids) bridge().removeBreakpoint(id);
}

void WatchView::goTo(int row) {
    const Breakpoint breakpoint = breakpoints_->at(row);
    switch (breakpoint.kind) {
        case Breakpoint::Kind::Node:
            bridge().setCurrentNode(breakpoint.graph_node);
            break;
        case Breakpoint::Kind::Module:
            bridge().setCurrentModule(text(breakpoint.text));
            break;
        case Breakpoint::Kind::Line:
            bridge().setCurrentSource({breakpoint.text, breakpoint.line, 0});
            break;
        default:
            break;
    }
}

bool WatchView::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress || static_cast<QKeyEvent*>(event)->key() != Qt::Key_Delete) return false;
    if (watched == watch_table_) {
        watches_->remove(watch_table_->currentIndex().row());
    } else {
        removeSelected();
    }
    return true;
}

void WatchView::takeTyped() {
    const auto take = [this](QTableView* table, int column, const QString& what, const QString& now) {
        auto* delegate = static_cast<ExpressionDelegate*>(table->itemDelegateForColumn(column));
        for (auto* edit : table->findChildren<ExpressionEdit*>()) {
            if (!edit->isVisibleTo(table) || !edit->isModified() || delegate->take(*edit)) continue;
            const QString said = tr("%1 '%2' is not in force, it stays in its editor: %3. %4");
            bridge().addLog({.level = SessionBridge::LogEntry::Level::Warning,
                             .text = said.arg(what, edit->text(), edit->problem().text, now).toStdString(),
                             .scope = {},
                             .source = {}});
        }
    };
    take(breakpoint_table_, BreakpointModel::Condition, tr("the condition"),
         tr("What runs has the condition as it was before the edit"));
    take(watch_table_, WatchModel::Expression, tr("the watch expression"), tr("The one before the edit is shown"));
}

QString WatchView::emptyNote() const {
    return breakpoints_->rowCount() > 0 || !watches_->expressions().isEmpty()
               ? QString()
               : tr("There are no breakpoints and no watch expressions.");
}

void WatchView::addActions(QMenu& menu) {
    fillAddMenu(menu);
    menu.addSeparator();
    QAction* remove = menu.addAction(tr("Remove all breakpoints"), this, [this] {
        for (const auto& breakpoint : bridge().breakpoints()) bridge().removeBreakpoint(breakpoint.id);
    });
    enableUnless(remove, breakpoints_->rowCount() > 0 ? QString() : tr("there are no breakpoints"));
}

}  // namespace loupe::views
