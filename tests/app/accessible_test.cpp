// SPDX-License-Identifier: GPL-3.0-or-later
// What a screen reader finds: every control that can be used has a name, on every panel and in every dialogue that a
// command opens. And what the keyboard alone comes to: every one of them on every panel, and out again.

#include <QAccessible>
#include <QDialog>
#include <QDockWidget>
#include <QLabel>
#include <QSet>

#include "app/window/settings_dialog.h"
#include "tests/app/window_fixture.h"
#include "views/common/view.h"
#include "views/registry.h"

using namespace loupe;

namespace {

// That a user acts on.
bool isControl(QAccessible::Role role) {
    switch (role) {
        case QAccessible::PushButton:
        case QAccessible::ButtonDropDown:
        case QAccessible::ButtonMenu:
        case QAccessible::CheckBox:
        case QAccessible::RadioButton:
        case QAccessible::ComboBox:
        case QAccessible::EditableText:
        case QAccessible::SpinBox:
        case QAccessible::Slider:
        case QAccessible::Dial:
        case QAccessible::Table:
        case QAccessible::Tree:
        case QAccessible::List:
        case QAccessible::Link:
        case QAccessible::Graphic:
        case QAccessible::Canvas:
            return true;
        default:
            return false;
    }
}

// Qt's own parts of a control: the line of a number, the cross that clears a line, the arrows of a bar of tabs.
bool isPart(const QObject& object) {
    return object.objectName().startsWith(QLatin1String("qt_")) || object.inherits("QLineEditIconButton") ||
           object.inherits("QTabBar") || object.inherits("QMenuBar");
}

// A text that can be copied, of which there is none now.
bool isEmptyText(const QObject& object) {
    const auto* label = qobject_cast<const QLabel*>(&object);
    return label != nullptr && label->text().isEmpty() && label->pixmap().isNull();
}

QString describe(const QAccessibleInterface& at) {
    QStringList above;
    for (const QObject* object = at.object(); object != nullptr && above.size() < 4; object = object->parent())
        above +=
            object->objectName().isEmpty() ? QLatin1String(object->metaObject()->className()) : object->objectName();
    return above.join(QStringLiteral(" < "));
}

void findNameless(QAccessibleInterface* at, QSet<QString>& out) {
    if (at == nullptr || !at->isValid()) return;
    const QObject* object = at->object();
    const auto* widget = qobject_cast<const QWidget*>(object);
    if (widget != nullptr && !widget->isVisible()) return;
    const QAccessible::Role role = at->role();
    const bool isCustom = widget != nullptr && widget->focusPolicy() != Qt::NoFocus && widget->children().isEmpty();
    if (widget != nullptr && (isControl(role) || isCustom) && !isPart(*object) && !isEmptyText(*object) &&
        at->text(QAccessible::Name).trimmed().isEmpty())
        out += describe(*at);
    // Cells are their models'.
    if (role == QAccessible::Table || role == QAccessible::Tree || role == QAccessible::List ||
        role == QAccessible::ComboBox || role == QAccessible::SpinBox)
        return;
    for (int i = 0; i < at->childCount(); ++i) findNameless(at->child(i), out);
}

QString namelessOf(QWidget& widget) {
    QSet<QString> found;
    findNameless(QAccessible::queryAccessibleInterface(&widget), found);
    QStringList sorted(found.begin(), found.end());
    sorted.sort();
    return sorted.join(QLatin1Char('\n'));
}

// What takes the focus from Tab. A number's line and the like stand for what they are a part of.
QSet<QWidget*> stopsOf(const QWidget& view) {
    QSet<QWidget*> stops;
    for (auto* widget : view.findChildren<QWidget*>())
        if ((widget->focusPolicy() & Qt::TabFocus) == Qt::TabFocus && widget->isVisible() && widget->isEnabled() &&
            widget->focusProxy() == nullptr && !isPart(*widget) && !widget->isWindow())
            stops += widget;
    return stops;
}

QString namesOf(const QSet<QWidget*>& widgets) {
    QStringList names;
    for (const QWidget* widget : widgets) {
        QStringList above;
        for (const QObject* object = widget; object != nullptr && above.size() < 3; object = object->parent())
            above += object->objectName().isEmpty() ? QLatin1String(object->metaObject()->className())
                                                    : object->objectName();
        names += above.join(QStringLiteral(" < "));
    }
    names.sort();
    return names.join(QLatin1Char('\n'));
}

}  // namespace

class AccessibleTest : public testing::WindowFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { prepare(); }
    void init() { makeWindow(); }
    void cleanup() { window_.reset(); }

    void theStartPageIsRead() {
        const QString nameless = namelessOf(*window_);
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless));
    }

    void everyPanelIsRead_data() {
        QTest::addColumn<QString>("id");
        for (const auto& entry : views::registry().entries())
            QTest::newRow(qPrintable(QString(entry.description.id))) << QString(entry.description.id);
    }
    void everyPanelIsRead() {
        QFETCH(QString, id);
        open(testing::model("digits"));
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
        window_->docks().show(id);
        views::View* view = window_->docks().view(id);
        QTRY_VERIFY(view->isVisible());
        QTest::qWait(50);
        const QString nameless = namelessOf(*view);
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless));
    }

    void theKeyboardComesToEverything_data() { everyPanelIsRead_data(); }
    void theKeyboardComesToEverything() {
        QFETCH(QString, id);
        open(testing::model("digits"));
        press(Qt::Key_F5);
        QTRY_COMPARE(state(), RunState::Finished);
        window_->docks().show(id);
        views::View* view = window_->docks().view(id);
        QTRY_VERIFY(view->isVisible());
        QTest::qWait(50);
        QTRY_VERIFY(testing::isActive(*window_));
        QSet<QWidget*> missed = stopsOf(*view);
        if (missed.isEmpty()) return;  // a picture that says what there is to do
        for (const bool isBack : {false, true}) {
            missed = stopsOf(*view);
            const auto count = missed.size();
            view->setFocus(Qt::OtherFocusReason);
            if (!view->isAncestorOf(QApplication::focusWidget())) (*missed.begin())->setFocus(Qt::TabFocusReason);
            // All of the window once around, twice at most; an editor keeps Tab for itself and is left by Ctrl+Tab.
            bool hasLeft = false;
            for (int i = 0; i < 600 && (!missed.isEmpty() || !hasLeft); ++i) {
                QWidget* at = QApplication::focusWidget();
                QVERIFY(at != nullptr);
                missed -= at;
                if (!view->isAncestorOf(at)) hasLeft = true;
                QTest::keyClick(at, isBack ? Qt::Key_Backtab : Qt::Key_Tab,
                                isBack ? Qt::ShiftModifier : Qt::NoModifier);
                if (QApplication::focusWidget() == at)
                    QTest::keyClick(at, isBack ? Qt::Key_Backtab : Qt::Key_Tab,
                                    isBack ? Qt::ControlModifier | Qt::ShiftModifier : Qt::ControlModifier);
            }
            QVERIFY2(
                missed.isEmpty(),
                qPrintable(QStringLiteral("%1 of %2 missed:\n%3").arg(missed.size()).arg(count).arg(namesOf(missed))));
            QVERIFY2(hasLeft, "the keyboard stays in the panel");
        }
    }

    void dialoguesAreRead_data() {
        QTest::addColumn<QString>("id");
        for (const char* id : {"keys", "settings", "connect", "manual"}) QTest::newRow(id) << QString(id);
    }
    void dialoguesAreRead() {
        QFETCH(QString, id);
        const auto before = QApplication::topLevelWidgets();
        action(qPrintable(id))->trigger();
        QWidget* opened = nullptr;
        QTRY_VERIFY([&] {
            for (QWidget* each : QApplication::topLevelWidgets())
                if (each->isVisible() && each->isWindow() && !before.contains(each)) opened = each;
            return opened != nullptr;
        }());
        const QString nameless = namelessOf(*opened);
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless));
        opened->close();
    }
};

QTEST_MAIN(AccessibleTest)
#include "accessible_test.moc"
