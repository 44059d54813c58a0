// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the user sets once for all models. A setting is one record; all() lists them, and the settings page is made of
// that list.

#include <QObject>
#include <QString>
#include <QVariant>
#include <vector>

namespace loupe::views {

struct Setting {
    enum class Group { Appearance, Start, Running, Graph, Elsewhere };
    enum class Kind { Toggle, Choice, Number, Words };
    struct Choice {
        QVariant value;
        const char* title;  // in the context "Setting", as the texts below
    };

    const char* key;  // in QSettings
    Group group;
    Kind kind;
    const char* title;
    const char* about;  // a sentence or two
    QVariant otherwise;
    std::vector<Choice> choices = {};
    int least = 0, most = 0;  // of numbers
    bool is_of_next_start = false;

    // What is set, if it can be; else what it is without.
    QVariant value() const;
    bool isOn() const { return value().toBool(); }
    int number() const { return value().toInt(); }
    QString words() const { return value().toString(); }
    bool isSet() const;
    // Of a value that it cannot have: nothing. Emits SettingNotices::changed.
    void set(const QVariant& value) const;
    void toggle() const { set(!isOn()); }
    void reset() const;

    QString shownTitle() const;
    QString shownAbout() const;
    static QString titleOf(Group group);

  private:
    bool canBe(const QVariant& value) const;
};

class SettingNotices : public QObject {
    Q_OBJECT

  public:
    static SettingNotices& instance();

  signals:
    void changed(const loupe::views::Setting* setting);
};

namespace settings {

extern const Setting kTheme;
extern const Setting kContrast;
extern const Setting kScale;
extern const Setting kLanguage;
extern const Setting kMotion;
extern const Setting kRestoreAtStart;
extern const Setting kAskForRuns;
extern const Setting kSaveBeforeRun;
extern const Setting kRankCount;
extern const Setting kRankLauncher;
extern const Setting kFarCommand;
extern const Setting kMinimap;
extern const Setting kFoldRepeats;
extern const Setting kAcross;
extern const Setting kZoomOpens;

const std::vector<const Setting*>& all();

}  // namespace settings
}  // namespace loupe::views
