// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/view.h"

#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <algorithm>

#include "views/common/tab_guard.h"
#include "views/common/wheel_guard.h"

namespace loupe::views {

namespace {

constexpr const char* kKept = "kept";

QString bytesText(const QByteArray& bytes) { return QString::fromLatin1(bytes.toBase64()); }
QByteArray bytesOf(const QJsonValue& value) { return QByteArray::fromBase64(value.toString().toLatin1()); }

// In no language: its data, or its place in a list that the program has written.
QJsonValue choiceAt(const QComboBox& box, int index) {
    const QVariant data = box.itemData(index);
    return data.isValid() ? QJsonValue(data.toString()) : QJsonValue(index);
}

// By their order: names are few. visit(key, widget)
template <typename Widget, typename Visit>
void visitAll(const QWidget& view, const char* what, Visit&& visit) {
    int number = 0;
    for (auto* widget : view.findChildren<Widget*>())
        visit(QStringLiteral("%1.%2").arg(QLatin1String(what)).arg(number++), *widget);
}

}  // namespace

View::View(SessionBridge& bridge, QWidget* parent) : QWidget(parent), bridge_(bridge) {
    guardFieldsFromWheel(*qApp);
    letTabLeave(*qApp);
}

QJsonObject View::keptState() const {
    QJsonObject state;
    visitAll<QSplitter>(*this, "splitter", [&](const QString& key, const QSplitter& splitter) {
        state[key] = bytesText(splitter.saveState());
    });
    visitAll<QHeaderView>(*this, "columns", [&](const QString& key, const QHeaderView& header) {
        if (header.orientation() == Qt::Horizontal && !header.isHidden()) state[key] = bytesText(header.saveState());
    });
    visitAll<QLineEdit>(*this, "text", [&](const QString& key, const QLineEdit& edit) {
        if (edit.property(kKept).toBool() && !edit.text().isEmpty()) state[key] = edit.text();
    });
    visitAll<QAbstractButton>(*this, "button", [&](const QString& key, const QAbstractButton& button) {
        if (button.property(kKept).toBool()) state[key] = button.isChecked();
    });
    visitAll<QComboBox>(*this, "choice", [&](const QString& key, const QComboBox& box) {
        if (box.property(kKept).toBool() && box.currentIndex() > 0) state[key] = choiceAt(box, box.currentIndex());
    });
    return state;
}

void View::takeState(const QJsonObject& state) {
    visitAll<QSplitter>(*this, "splitter", [&](const QString& key, QSplitter& splitter) {
        if (state.contains(key)) splitter.restoreState(bytesOf(state[key]));
    });
    visitAll<QHeaderView>(*this, "columns", [&](const QString& key, QHeaderView& header) {
        // Columns of another model are not these.
        const int sections = header.count();
        if (!state.contains(key) || header.orientation() != Qt::Horizontal || sections == 0) return;
        const QByteArray before = header.saveState();
        if (!header.restoreState(bytesOf(state[key])) || header.count() != sections) header.restoreState(before);
    });
    visitAll<QLineEdit>(*this, "text", [&](const QString& key, QLineEdit& edit) {
        if (edit.property(kKept).toBool() && state.contains(key)) {
            edit.setText(state[key].toString());
            QMetaObject::invokeMethod(&edit, &QLineEdit::editingFinished);  // as if it had been typed
        }
    });
    visitAll<QAbstractButton>(*this, "button", [&](const QString& key, QAbstractButton& button) {
        if (button.property(kKept).toBool() && state.contains(key)) button.setChecked(state[key].toBool());
    });
    visitAll<QComboBox>(*this, "choice", [&](const QString& key, QComboBox& box) {
        if (!box.property(kKept).toBool()) return;
        for (int index = 0; index < box.count(); ++index) {
            if (choiceAt(box, index) == state[key]) return box.setCurrentIndex(index);
        }
    });
}

QString View::emptyNote() const {
    constexpr double kMuch = 0.15;  // of the panel
    const double all = std::max(1.0, static_cast<double>(width()) * height());
    for (const QLabel* hint : findChildren<QLabel*>(QStringLiteral("emptyHint"))) {
        const bool is_shown = hint->isVisibleTo(this) && !hint->text().isEmpty();
        if (is_shown && static_cast<double>(hint->width()) * hint->height() / all > kMuch) return hint->text();
    }
    return {};
}

}  // namespace loupe::views
