// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/panel_bar.h"

#include <QMenu>

#include "views/common/elided_fields.h"

namespace loupe::views {

namespace {

constexpr int kLeastChoice = 60, kWidestChoice = 260;

}  // namespace

PanelBar::PanelBar(QWidget* panel, const QMargins& margins, int spacing) : FlowLayout(spacing), panel_(panel) {
    setContentsMargins(margins);
}

QToolButton* PanelBar::button(const QString& text, const QString& tip, const QString& name) {
    auto* made = new QToolButton(panel_);
    made->setText(text);
    made->setToolTip(tip);
    made->setObjectName(name);
    addWidget(made);
    return made;
}

QToolButton* PanelBar::toggle(const QString& text, const QString& tip, const QString& name) {
    QToolButton* made = button(text, tip, name);
    made->setCheckable(true);
    return made;
}

QToolButton* PanelBar::button(const QIcon& icon, const QString& text, const QString& name) {
    QToolButton* made = button(text, {}, name);
    made->setIcon(icon);
    made->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    made->setAccessibleName(text);
    return made;
}

QToolButton* PanelBar::menu(const QString& text, const QString& tip, const QString& name) {
    QToolButton* made = button(text, tip, name);
    made->setPopupMode(QToolButton::InstantPopup);
    made->setMenu(new QMenu(made));
    return made;
}

QToolButton* PanelBar::action(const QString& text, const QString& name) {
    QToolButton* made = button(text, {}, name);
    made->setProperty("action", true);
    return made;
}

QComboBox* PanelBar::choice(const QString& accessible_name, const QString& tip) {
    auto* made = new ElidedComboBox(panel_);
    made->setAccessibleName(accessible_name);
    made->setToolTip(tip);
    // Items may come after the bar was first shown; in a narrow panel their text is cut, not the control.
    made->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    made->setMinimumWidth(kLeastChoice);
    made->setMaximumWidth(kWidestChoice);
    addWidget(made);
    return made;
}

QLineEdit* PanelBar::search(const QString& placeholder, const QString& accessible_name) {
    auto* made = new QLineEdit(panel_);
    made->setPlaceholderText(placeholder);
    made->setClearButtonEnabled(true);
    made->setMaximumWidth(160);
    made->setMinimumWidth(60);
    made->setAccessibleName(accessible_name);
    addWidget(made);
    return made;
}

ElidedLabel* PanelBar::note(int least) {
    ElidedLabel* made = faintLine(panel_);
    made->setMinimumWidth(least);
    addWidget(made);
    return made;
}

ElidedLabel* faintLine(QWidget* parent) {
    auto* made = new ElidedLabel(parent);
    made->setProperty("faint", true);
    made->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    return made;
}

}  // namespace loupe::views
