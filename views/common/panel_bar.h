// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The bar of controls on top of a panel. Controls are the panel's children and stand in the order in which they are
// made.

#include <QComboBox>
#include <QIcon>
#include <QLineEdit>
#include <QToolButton>

#include "views/common/elided_label.h"
#include "views/common/flow_layout.h"

namespace loupe::views {

class PanelBar : public FlowLayout {
  public:
    explicit PanelBar(QWidget* panel, const QMargins& margins = {6, 4, 6, 3}, int spacing = 6);

    // A button with a text. name: of the object, for styles and tests.
    QToolButton* button(const QString& text, const QString& tip = {}, const QString& name = {});
    // One that stays down.
    QToolButton* toggle(const QString& text, const QString& tip, const QString& name = {});
    // One with an icon beside its text.
    QToolButton* button(const QIcon& icon, const QString& text, const QString& name);
    // One that opens a menu, which is empty yet.
    QToolButton* menu(const QString& text, const QString& tip, const QString& name = {});
    // One that starts work; its tip says what, or why it cannot.
    QToolButton* action(const QString& text, const QString& name = {});
    QComboBox* choice(const QString& accessible_name, const QString& tip = {});
    QLineEdit* search(const QString& placeholder, const QString& accessible_name);
    // One faint line that takes the room that is left; where that is less than `least`, a row below.
    ElidedLabel* note(int least = 160);

  private:
    QWidget* panel_;
};

// The same line outside a bar.
ElidedLabel* faintLine(QWidget* parent);

}  // namespace loupe::views
