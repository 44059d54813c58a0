// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/actions.h"

#include <QWidget>

#include "views/common/icons.h"

namespace loupe::window {

QAction* Actions::add(const Command& command) {
    auto* action = new QAction(views::themeIcon(command.icon), command.text, window_);
    action->setCheckable(command.isChecked != nullptr);
    action->setObjectName(QStringLiteral("action.") + command.id);
    action->setShortcuts(command.keys);
    connect(action, &QAction::triggered, window_, command.run);
    window_->addAction(action);
    commands_.push_back(command);
    actions_.push_back(action);
    return action;
}

QAction* Actions::operator[](const QString& id) const {
    for (std::size_t i = 0; i < commands_.size(); ++i) {
        if (commands_[i].id == id) return actions_[i];
    }
    Q_ASSERT_X(false, "Actions", qPrintable(id));
    return nullptr;
}

void Actions::clear() {
    commands_.clear();
    actions_.clear();
}

void Actions::update() {
    for (std::size_t i = 0; i < commands_.size(); ++i) {
        const Command& command = commands_[i];
        const QString why = command.whyNot ? command.whyNot() : QString();
        QString tip = command.tip.isEmpty() ? QString(command.text).remove(QLatin1Char('&')) : command.tip;
        if (!command.keys.empty()) {
            tip += QStringLiteral(" (%1)").arg(command.keys.front().toString(QKeySequence::NativeText));
        }
        if (!why.isEmpty()) tip += QLatin1Char('\n') + tr("Not now: %1.").arg(why);
        actions_[i]->setEnabled(why.isEmpty());
        if (command.isChecked) actions_[i]->setChecked(command.isChecked());
        actions_[i]->setToolTip(tip);
        actions_[i]->setStatusTip(QString());
    }
}

void Actions::updateIcons() {
    for (std::size_t i = 0; i < commands_.size(); ++i) actions_[i]->setIcon(views::themeIcon(commands_[i].icon));
}

}  // namespace loupe::window
