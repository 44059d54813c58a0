// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which texts of a panel do not fit in their places, and which forms are wider than their panel. Dots count as cut
// where no tip has the whole text.

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabBar>
#include <QToolButton>
#include <QWidget>

#include "views/common/cut_texts.h"
#include "views/common/elided_fields.h"
#include "views/common/elided_label.h"

namespace loupe::testing {

/// The part of the widget that its parents leave, up to one that scrolls.
inline bool standsWhole(const QWidget& widget, const QWidget& root) {
    QRect place = widget.geometry();
    for (const QWidget* parent = widget.parentWidget(); parent != nullptr; parent = parent->parentWidget()) {
        const auto* area = qobject_cast<const QAbstractScrollArea*>(parent->parentWidget());
        if (area != nullptr && area->viewport() == parent) return true;
        if (!parent->rect().contains(place)) return false;
        if (parent == &root) return true;
        place.translate(parent->pos());
    }
    return true;
}

inline QStringList cutTexts(const QWidget& root) {
    QStringList cut;
    const auto tell = [&](const QWidget& widget, const QString& words, int room, int wanted) {
        cut << QStringLiteral("%1 '%2' of %3: %4 of %5 px")
                   .arg(QLatin1String(widget.metaObject()->className()), words.left(60), widget.objectName())
                   .arg(room)
                   .arg(wanted);
    };
    for (const QWidget* widget : root.findChildren<QWidget*>()) {
        if (!widget->isVisible() || widget->visibleRegion().isEmpty()) continue;
        if (const auto* label = qobject_cast<const QLabel*>(widget)) {
            if (label->text().isEmpty()) continue;
            const bool has_dots = qobject_cast<const views::ElidedLabel*>(label) != nullptr;
            if (label->wordWrap()) {
                const int high = label->heightForWidth(label->width()) - 2 * label->margin();
                if (high > label->height() + 1) tell(*label, label->text(), label->height(), high);
            } else if (!has_dots && label->sizeHint().width() > label->width() + 1) {
                tell(*label, label->text(), label->width(), label->sizeHint().width());
            }
            if (!standsWhole(*label, root))
                tell(*label, label->text() + QStringLiteral(" (covered)"), label->width(), 0);
        } else if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) {
            const int wanted = button->sizeHint().width();
            if (!button->text().isEmpty() && (wanted > button->width() + 1 || !standsWhole(*button, root)))
                tell(*button, button->text(), button->width(), wanted);
        } else if (const auto* form = qobject_cast<const QScrollArea*>(widget)) {
            // Tables scroll sideways, forms do not: what stands at their right is not seen.
            if (form->widgetResizable() && form->horizontalScrollBar()->maximum() > 0)
                tell(*form, QStringLiteral("a form"), form->viewport()->width(),
                     form->widget()->minimumSizeHint().width());
        } else if (const auto* header = qobject_cast<const QHeaderView*>(widget)) {
            if (header->orientation() != Qt::Horizontal || header->model() == nullptr) continue;
            for (int section = 0; section < header->count(); ++section) {
                const int wanted = header->sectionSizeHint(section);
                const bool is_cut = !header->isSectionHidden(section) && header->sectionSize(section) < wanted;
                if (is_cut && header->textElideMode() == Qt::ElideNone)
                    tell(*header, header->model()->headerData(section, Qt::Horizontal).toString(),
                         header->sectionSize(section), wanted);
            }
        } else if (const auto* box = qobject_cast<const QComboBox*>(widget)) {
            // Its arrow and frame are what the hint of the same box has beyond its text.
            constexpr int kArrow = 30;
            const int wanted = box->fontMetrics().horizontalAdvance(box->currentText()) + kArrow;
            const bool has_dots = qobject_cast<const views::ElidedComboBox*>(box) != nullptr;
            if (!has_dots && !box->isEditable() && wanted > box->width() + 1 && box->toolTip().isEmpty())
                tell(*box, box->currentText(), box->width(), wanted);
            if (!standsWhole(*box, root))
                tell(*box, box->currentText() + QStringLiteral(" (covered)"), box->width(), 0);
        } else if (const auto* edit = qobject_cast<const QLineEdit*>(widget)) {
            if (!standsWhole(*edit, root)) tell(*edit, edit->text() + QStringLiteral(" (covered)"), edit->width(), 0);
            const bool is_part = qobject_cast<const QComboBox*>(edit->parentWidget()) != nullptr ||
                                 edit->parentWidget()->inherits("QAbstractSpinBox");
            const bool has_dots = qobject_cast<const views::PathEdit*>(edit) != nullptr;
            if (!is_part && !has_dots && !edit->text().isEmpty() && views::isCut(*edit))
                tell(*edit, edit->text(), edit->width(), 0);
        } else if (const auto* tabs = qobject_cast<const QTabBar*>(widget)) {
            for (int tab = 0; tab < tabs->count(); ++tab) {
                if (!tabs->isTabVisible(tab)) continue;
                const int wanted = tabs->fontMetrics().horizontalAdvance(tabs->tabText(tab));
                if (tabs->tabRect(tab).width() < wanted)
                    tell(*tabs, tabs->tabText(tab), tabs->tabRect(tab).width(), wanted);
            }
        }
    }
    return cut;
}

}  // namespace loupe::testing
