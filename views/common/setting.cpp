// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/setting.h"

#include <QCoreApplication>
#include <QSettings>
#include <algorithm>

namespace loupe::views {

namespace {

QString translated(const char* text) { return QCoreApplication::translate("Setting", text); }

const char* nameOf(Setting::Group group) {
    switch (group) {
        case Setting::Group::Appearance:
            return QT_TRANSLATE_NOOP("Setting", "Appearance");
        case Setting::Group::Start:
            return QT_TRANSLATE_NOOP("Setting", "Start and saving");
        case Setting::Group::Running:
            return QT_TRANSLATE_NOOP("Setting", "Running");
        case Setting::Group::Graph:
            return QT_TRANSLATE_NOOP("Setting", "Graph");
        case Setting::Group::Elsewhere:
            return QT_TRANSLATE_NOOP("Setting", "Other machines");
    }
    return "";
}

}  // namespace

// A file of settings may hold anything.
bool Setting::canBe(const QVariant& value) const {
    switch (kind) {
        case Kind::Toggle:
            return value.canConvert<bool>();
        case Kind::Choice:
            return std::any_of(choices.begin(), choices.end(),
                               [&](const Choice& choice) { return choice.value.toString() == value.toString(); });
        case Kind::Number: {
            bool is_number = false;
            const int number = value.toInt(&is_number);
            return is_number && number >= least && number <= most;
        }
        case Kind::Words:
            return value.canConvert<QString>() && !value.toString().contains(QLatin1Char('\n'));
    }
    return false;
}

QVariant Setting::value() const {
    QVariant found = QSettings().value(QLatin1String(key), otherwise);
    if (!canBe(found) || !found.convert(otherwise.metaType())) return otherwise;
    return found;
}

bool Setting::isSet() const { return value() != otherwise; }

void Setting::set(const QVariant& value) const {
    if (!canBe(value)) return;
    const QVariant before = this->value();
    if (value.toString() == otherwise.toString())
        QSettings().remove(QLatin1String(key));
    else
        QSettings().setValue(QLatin1String(key), value);
    if (this->value() != before) emit SettingNotices::instance().changed(this);
}

void Setting::reset() const { set(otherwise); }

QString Setting::shownTitle() const { return translated(title); }
QString Setting::shownAbout() const { return translated(about); }
QString Setting::titleOf(Group group) { return translated(nameOf(group)); }

SettingNotices& SettingNotices::instance() {
    static SettingNotices notices;
    return notices;
}

}  // namespace loupe::views
