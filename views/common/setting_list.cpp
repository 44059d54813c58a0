// SPDX-License-Identifier: GPL-3.0-or-later
// Every setting; all() has them in the order of the settings page.
#include <QCoreApplication>

#include "core/session/remote/rank_process.h"
#include "views/common/setting.h"
#include "views/common/theme.h"

namespace loupe::views::settings {

using Group = Setting::Group;
using Kind = Setting::Kind;

const Setting kTheme{
    .key = "theme",
    .group = Group::Appearance,
    .kind = Kind::Choice,
    .title = QT_TRANSLATE_NOOP("Setting", "Theme"),
    .about = QT_TRANSLATE_NOOP("Setting", "Dark, light, or as the desktop is."),
    .otherwise = static_cast<int>(Theme::Mode::System),
    .choices = {{static_cast<int>(Theme::Mode::System), QT_TRANSLATE_NOOP("Setting", "As the system")},
                {static_cast<int>(Theme::Mode::Dark), QT_TRANSLATE_NOOP("Setting", "Dark")},
                {static_cast<int>(Theme::Mode::Light), QT_TRANSLATE_NOOP("Setting", "Light")}},
};
const Setting kContrast{
    .key = "contrast",
    .group = Group::Appearance,
    .kind = Kind::Toggle,
    .title = QT_TRANSLATE_NOOP("Setting", "High contrast"),
    .about = QT_TRANSLATE_NOOP("Setting", "Black and white grounds, no faint text, lines that are seen."),
    .otherwise = false,
};
const Setting kScale{
    .key = "scale",
    .group = Group::Appearance,
    .kind = Kind::Choice,
    .title = QT_TRANSLATE_NOOP("Setting", "Scale"),
    .about = QT_TRANSLATE_NOOP("Setting", "Size of all texts and controls, beside what the desktop asks for."),
    .otherwise = 100,
    .choices = {{100, "100 %"},
                {125, "125 %"},
                {150, "150 %"},
                {175, "175 %"},
                {200, "200 %"},
                {250, "250 %"},
                {300, "300 %"}},
    .is_of_next_start = true,
};
const Setting kLanguage{
    .key = "language",
    .group = Group::Appearance,
    .kind = Kind::Choice,
    .title = QT_TRANSLATE_NOOP("Setting", "Language"),
    .about = QT_TRANSLATE_NOOP("Setting", "Of menus, panels and dialogs. Errors, names and numbers stay PyTorch's."),
    .otherwise = QString(),
    .choices = {{QString(), QT_TRANSLATE_NOOP("Setting", "As the system")},
                {QStringLiteral("en"), "English"},
                {QStringLiteral("de"), "Deutsch"}},
    .is_of_next_start = true,
};
const Setting kMotion{
    .key = "motion",
    .group = Group::Appearance,
    .kind = Kind::Toggle,
    .title = QT_TRANSLATE_NOOP("Setting", "Animations"),
    .about = QT_TRANSLATE_NOOP("Setting", "Panels slide to their place; off, all is where it belongs at once."),
    .otherwise = true,
};
const Setting kRestoreAtStart{
    .key = "session/restoreAtStart",
    .group = Group::Start,
    .kind = Kind::Toggle,
    .title = QT_TRANSLATE_NOOP("Setting", "Restore the last session at start"),
    .about = QT_TRANSLATE_NOOP("Setting", "Without a file to open the program begins where it was left."),
    .otherwise = false,
};
const Setting kAskForRuns{
    .key = "ask/runs",
    .group = Group::Start,
    .kind = Kind::Toggle,
    .title = QT_TRANSLATE_NOOP("Setting", "Ask before a run is lost"),
    .about = QT_TRANSLATE_NOOP(
        "Setting",
        "A run that is in no file is asked for like an edited source; it comes back with the session all the same."),
    .otherwise = true,
};
const Setting kSaveBeforeRun{
    .key = "run/saveEdits",
    .group = Group::Running,
    .kind = Kind::Toggle,
    .title = QT_TRANSLATE_NOOP("Setting", "Save edited sources before a run"),
    .about = QT_TRANSLATE_NOOP("Setting", "Without being asked; else the first run of an edited source asks."),
    .otherwise = false,
};
const Setting kRankCount{
    .key = "ranks/count",
    .group = Group::Running,
    .kind = Kind::Number,
    .title = QT_TRANSLATE_NOOP("Setting", "Processes"),
    .about = QT_TRANSLATE_NOOP("Setting", "How many Run > Run on N processes starts."),
    .otherwise = 4,
    .least = 2,
    .most = 1024,
};
const Setting kRankLauncher{
    .key = "ranks/launcher",
    .group = Group::Running,
    .kind = Kind::Words,
    .title = QT_TRANSLATE_NOOP("Setting", "Command that starts ranks"),
    .about = QT_TRANSLATE_NOOP(
        "Setting", "{ranks} and {engine} are filled in; words are split as in a shell, but no shell sees them."),
    .otherwise = QString::fromLatin1(session::kLaunchCommand),
};
const Setting kFarCommand{
    .key = "far/command",
    .group = Group::Elsewhere,
    .kind = Kind::Words,
    .title = QT_TRANSLATE_NOOP("Setting", "Command for ssh"),
    .about = QT_TRANSLATE_NOOP("Setting",
                               "How ssh is called to reach an engine; empty: as usual. {options}, {port}, {host} and "
                               "{engine} are filled in."),
    .otherwise = QString(),
};
const Setting kMinimap{
    .key = "graph/minimap",
    .group = Group::Graph,
    .kind = Kind::Toggle,
    .title = QT_TRANSLATE_NOOP("Setting", "Minimap"),
    .about = QT_TRANSLATE_NOOP(
        "Setting", "All of the graph in a corner while a part is in sight; click or drag in it to go there."),
    .otherwise = true,
};
const Setting kFoldRepeats{
    .key = "graph/foldRepeats",
    .group = Group::Graph,
    .kind = Kind::Toggle,
    .title = QT_TRANSLATE_NOOP("Setting", "Draw identical layers once"),
    .about =
        QT_TRANSLATE_NOOP("Setting", "Groups that are built alike and feed one another become one box with a count."),
    .otherwise = false,
};
const Setting kAcross{
    .key = "graph/across",
    .group = Group::Graph,
    .kind = Kind::Toggle,
    .title = QT_TRANSLATE_NOOP("Setting", "From left to right"),
    .about = QT_TRANSLATE_NOOP("Setting", "Values flow to the right instead of down."),
    .otherwise = false,
};
const Setting kZoomOpens{
    .key = "graph/zoomOpens",
    .group = Group::Graph,
    .kind = Kind::Toggle,
    .title = QT_TRANSLATE_NOOP("Setting", "Zoom opens groups"),
    .about = QT_TRANSLATE_NOOP("Setting",
                               "The wheel opens the group under the mouse when its box grows large, and closes it "
                               "again when it is small."),
    .otherwise = true,
};

const std::vector<const Setting*>& all() {
    static const std::vector<const Setting*> settings{&kTheme,       &kContrast,       &kScale,      &kLanguage,
                                                      &kMotion,      &kRestoreAtStart, &kAskForRuns, &kSaveBeforeRun,
                                                      &kRankCount,   &kRankLauncher,   &kFarCommand, &kMinimap,
                                                      &kFoldRepeats, &kAcross,         &kZoomOpens};
    return settings;
}

}  // namespace loupe::views::settings
