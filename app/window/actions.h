// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// All commands of the window: each with its shortcut, its effect, and why it is disabled.

#include <QAction>
#include <functional>
#include <vector>

namespace loupe::window {

class Actions : public QObject {
    Q_OBJECT

  public:
    struct Command {
        QString id;  // "run"; the QAction is called "action.run"
        QString text;
        QString tip;
        QString icon;
        QList<QKeySequence> keys;
        std::function<void()> run;
        // Empty: it can be done. Else the reason, a sentence without its end mark.
        std::function<QString()> whyNot;
        // Of a command that is on or off; run toggles it.
        std::function<bool()> isChecked = {};
    };

    explicit Actions(QWidget* window) : QObject(window), window_(window) {}

    QAction* add(const Command& command);
    QAction* operator[](const QString& id) const;
    const std::vector<QAction*>& all() const { return actions_; }
    // Forgets what they do and when they can be done.
    void clear();
    // Enables and disables, and puts the reasons into the tips.
    void update();
    // Draws the icons again in the colours of the theme.
    void updateIcons();

  private:
    QWidget* window_;
    std::vector<Command> commands_;
    std::vector<QAction*> actions_;
};

}  // namespace loupe::window
