// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/keys_dialog.h"

#include <QAction>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QSet>
#include <QShortcut>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <functional>

#include "views/common/theme.h"

namespace loupe::window {

namespace {

enum Column { Command, Keys, Tip, ColumnCount };

QString withoutMnemonic(const QString& text) {
    return QString(text).remove(QLatin1Char('&')).remove(QStringLiteral("\u2026"));
}

QString keysOf(const QAction& action) {
    QStringList keys;
    for (const QKeySequence& key : action.shortcuts()) keys += key.toString(QKeySequence::NativeText);
    return keys.join(QStringLiteral(", "));
}

// The first line of the tip, without the contents of other columns.
QString tipOf(const QAction& action) {
    QString tip = action.toolTip().section(QLatin1Char('\n'), 0, 0);
    for (const QKeySequence& key : action.shortcuts())
        tip.remove(QStringLiteral(" (%1)").arg(key.toString(QKeySequence::NativeText)));
    return withoutMnemonic(tip) == withoutMnemonic(action.text()) ? QString() : tip;
}

// Description of a shortcut without an action: its text, else its target.
QString purposeOf(const QShortcut& shortcut) {
    if (!shortcut.whatsThis().isEmpty()) return shortcut.whatsThis();
    const auto* widget = qobject_cast<const QWidget*>(shortcut.parent());
    return widget && !widget->accessibleName().isEmpty() ? widget->accessibleName() : KeysDialog::tr("(in this panel)");
}

}  // namespace

KeysDialog::KeysDialog(QMainWindow* window)
    : QDialog(window), search_(new QLineEdit(this)), list_(new QTreeWidget(this)) {
    setObjectName(QStringLiteral("keys"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Keys and commands"));
    search_->setPlaceholderText(tr("Search: a command, a key like F10, a word of what it does"));
    search_->setAccessibleName(tr("Search commands and keys"));
    search_->setClearButtonEnabled(true);
    list_->setAccessibleName(tr("Commands and keys"));
    list_->setHeaderLabels({tr("Command"), tr("Keys"), tr("What it does")});
    list_->setUniformRowHeights(true);
    list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(search_);
    layout->addWidget(list_, 1);
    auto* note =
        new QLabel(tr("Every command is also in the palette (Ctrl+Shift+P), whether it has a key or not."), this);
    note->setProperty("faint", true);
    layout->addWidget(note);
    fill(*window);
    connect(search_, &QLineEdit::textChanged, this, &KeysDialog::filter);
    resize(QSize(860, 620).boundedTo(window->size() * 0.92));
    list_->header()->resizeSection(Command, 260);
    list_->header()->resizeSection(Keys, 170);
    search_->setFocus();
}

void KeysDialog::fill(QMainWindow& window) {
    QSet<const QAction*> seen;
    const auto group = [this](const QString& title) {
        auto* item = new QTreeWidgetItem(list_, {title});
        item->setFirstColumnSpanned(true);
        item->setFlags(Qt::ItemIsEnabled);
        QFont bold = item->font(0);
        bold.setBold(true);
        item->setFont(0, bold);
        return item;
    };
    const auto add = [&](QTreeWidgetItem* to, const QString& text, const QString& keys, const QString& tip) {
        auto* row = new QTreeWidgetItem(to, {text, keys, tip});
        row->setFont(Keys, views::Theme::instance().monoFont());
        row->setToolTip(Tip, tip);
    };
    const auto addAction = [&](QTreeWidgetItem* to, const QAction& action) {
        if (action.isSeparator() || action.menu() || action.text().isEmpty() || seen.contains(&action)) return;
        seen += &action;
        add(to, withoutMnemonic(action.text()), keysOf(action), tipOf(action));
    };
    const std::function<void(QTreeWidgetItem*, const QMenu&)> addMenu = [&](QTreeWidgetItem* to, const QMenu& menu) {
        for (const QAction* action : menu.actions()) {
            if (action->menu())
                addMenu(to, *action->menu());
            else
                addAction(to, *action);
        }
    };
    for (const QAction* top : window.menuBar()->actions()) {
        if (!top->menu()) continue;
        QTreeWidgetItem* to = group(withoutMnemonic(top->text()));
        addMenu(to, *top->menu());
        if (to->childCount() == 0) delete to;
    }
    // Commands of the window that are in no menu.
    QTreeWidgetItem* others = group(tr("Elsewhere"));
    for (const QAction* action : window.actions()) addAction(others, *action);
    if (others->childCount() == 0) delete others;
    // Keys that work only in a focused panel.
    for (const QDockWidget* dock : window.findChildren<QDockWidget*>()) {
        QTreeWidgetItem* to = group(tr("In the panel %1").arg(dock->windowTitle()));
        for (const QAction* action : dock->findChildren<QAction*>()) {
            if (!action->shortcuts().isEmpty()) addAction(to, *action);
        }
        for (const QShortcut* shortcut : dock->findChildren<QShortcut*>())
            add(to, purposeOf(*shortcut), shortcut->key().toString(QKeySequence::NativeText), {});
        if (to->childCount() == 0) delete to;
    }
    list_->expandAll();
}

void KeysDialog::filter(const QString& words) {
    const QStringList parts = words.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (int i = 0; i < list_->topLevelItemCount(); ++i) {
        QTreeWidgetItem* group = list_->topLevelItem(i);
        int shown = 0;
        for (int k = 0; k < group->childCount(); ++k) {
            QTreeWidgetItem* row = group->child(k);
            const QString all = (group->text(0) + QLatin1Char(' ') + row->text(Command) + QLatin1Char(' ') +
                                 row->text(Keys) + QLatin1Char(' ') + row->text(Tip))
                                    .toLower();
            const bool isWanted =
                std::all_of(parts.begin(), parts.end(), [&](const QString& part) { return all.contains(part); });
            row->setHidden(!isWanted);
            shown += isWanted;
        }
        group->setHidden(shown == 0);
    }
}

}  // namespace loupe::window
