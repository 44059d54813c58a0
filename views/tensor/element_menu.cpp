// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tensor/element_menu.h"

#include <QStringList>

#include "core/session/queries/run_differences.h"
#include "views/common/comparison.h"
#include "views/common/format.h"
#include "views/common/panel_output.h"
#include "views/tensor/change_dialog.h"

namespace loupe::views {
namespace {

// "[:, 3]": everything of the dimension's place.
QString placeSlice(const session::Shape& index, std::size_t dimension) {
    QStringList parts;
    for (std::size_t d = 0; d <= dimension; ++d)
        parts += d == dimension ? QString::number(index[d]) : QStringLiteral(":");
    return QStringLiteral("[%1]").arg(parts.join(QStringLiteral(", ")));
}

// Activation patching: the whole value as the pinned run had it.
void swapForReference(SessionBridge& bridge, session::ValueId value) {
    const Comparison& comparison = Comparison::of(bridge);
    if (!comparison.isOn()) return;
    session::TensorComparisonQuery query;
    query.reference = comparison.current()->id;
    query.request.value = value;
    query.request.max_rows = query.request.max_columns = query.request.max_tiles = 1;
    query.options = comparison.options();
    bridge.ask(QStringLiteral("change.partner"), query, &bridge,
               [&bridge, value, id = query.reference](const session::TensorComparison& found) {
                   if (!found.error.empty()) return tellRefused(bridge, text(found.error));
                   const QString formula = QStringLiteral("reference %1 %2").arg(id).arg(found.reference.value);
                   makeChange(bridge, {.value = value, .slice = {}, .formula = formula.toStdString()});
               });
}

}  // namespace

void addElementActions(QMenu& menu, SessionBridge& bridge, const session::TensorSlice& shown,
                       const session::Shape& index) {
    const auto value = shown.value;
    const QString where = indexText(index);
    const QString why = value == 0 ? QObject::tr("it is not a value of the run that is shown") : QString();
    enableUnless(menu.addAction(QObject::tr("Where does %1 come from?").arg(where), &bridge,
                                [&bridge, value, index] { bridge.explain(value, index); }),
                 why);
    menu.addSeparator();
    const bool isMade = value != 0 && bridge.recording() && value <= bridge.recording()->value_count() &&
                        bridge.recording()->value(value).producer != 0;
    const QString whyNot = !why.isEmpty() ? why
                           : !isMade
                               ? QObject::tr("it was there before the run: change inputs in Inputs, weights by loading")
                           : bridge.isTraining() && !bridge.isPaused() ? QObject::tr("a training is under way")
                                                                       : QString();
    QWidget* const window = menu.parentWidget();
    enableUnless(menu.addAction(QObject::tr("Change %1\u2026").arg(where), &bridge,
                                [&bridge, window, value, where] { changeValue(bridge, window, value, where); }),
                 whyNot);
    enableUnless(menu.addAction(QObject::tr("Change all of it\u2026"), &bridge,
                                [&bridge, window, value] { changeValue(bridge, window, value, {}); }),
                 whyNot);
    if (const session::PinnedReference* reference = Comparison::of(bridge).current())
        enableUnless(menu.addAction(QObject::tr("Put there what %1 has").arg(text(reference->label)), &bridge,
                                    [&bridge, value] { swapForReference(bridge, value); }),
                     whyNot);
    QMenu* silence = menu.addMenu(QObject::tr("Silence"));
    silence->setToolTip(QObject::tr("Puts zeros there: a channel, a head, a position, or the whole output"));
    for (std::size_t d = 0; d < index.size(); ++d) {
        const QString slice = placeSlice(index, d);
        silence->addAction(slice, &bridge, [&bridge, value, slice] {
            makeChange(bridge, {.value = value, .slice = slice.toStdString(), .formula = "zeros"});
        });
    }
    silence->addAction(QObject::tr("All of it"), &bridge,
                       [&bridge, value] { makeChange(bridge, {.value = value, .slice = {}, .formula = "zeros"}); });
    silence->setEnabled(whyNot.isEmpty());
}

}  // namespace loupe::views
