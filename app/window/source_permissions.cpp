// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/source_permissions.h"

#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QUrl>
#include <algorithm>
#include <utility>

#include "core/session/queries/keep_written.h"
#include "views/common/engine_files.h"
#include "views/common/format.h"

namespace loupe::window {

using session::RunState;
using views::text;
using Access = session::SessionListener::FileAccess;

namespace {

// A path as people read it.
QString shortPath(const QString& path) {
    const QString home = QDir::homePath();
    return home.size() > 1 && path.startsWith(home + QLatin1Char('/')) ? QLatin1Char('~') + path.mid(home.size())
                                                                       : path;
}

// With the source as %1 and the file as %2.
QString sentenceOf(const Access& refused) {
    if (refused.is_removal) return SourcePermissions::tr("%1 may not remove or replace %2: it did not make it");
    if (refused.allow.empty()) {
        return refused.is_write ? SourcePermissions::tr("%1 may not write %2: it is no regular file")
                                : SourcePermissions::tr("%1 may not read %2: it is no regular file");
    }
    if (refused.lacks_folder) return SourcePermissions::tr("%1 may not write %2: its folder does not exist");
    return refused.is_write ? SourcePermissions::tr("%1 may not write %2")
                            : SourcePermissions::tr("%1 may not read %2");
}

}  // namespace

SourcePermissions::SourcePermissions(views::SessionBridge& bridge, Banner& banner, QWidget* window)
    : QObject(window), bridge_(bridge), banner_(banner), window_(window) {
    connect(&bridge, &views::SessionBridge::logAdded, this, &SourcePermissions::onLog);
    connect(&bridge, &views::SessionBridge::statusChanged, this, &SourcePermissions::onStatus);
}

QString SourcePermissions::source() const {
    const auto& model = bridge_.model();
    return model ? text(model->path) : QString();
}

void SourcePermissions::onLog() {
    const Entry& entry = bridge_.log().back();
    switch (entry.access.kind) {
        case Access::Kind::None:
            return;
        case Access::Kind::Left:
            return;
        case Access::Kind::Refused:
            refused_.push_back(entry);
            is_shown_ = false;
            break;
        case Access::Kind::Wrote:
            folder_ = text(entry.access.folder);
            is_folder_shown_ = false;
            break;
    }
    // More may follow while a source is opened or runs.
    if (!bridge_.isBusy()) tell();
}

void SourcePermissions::onStatus() {
    const RunState now = bridge_.status().state;
    if (now == state_) return;
    const RunState before = state_;
    state_ = now;
    if (now == RunState::Opening) {
        refused_.clear();
        folder_.clear();
        is_shown_ = is_folder_shown_ = true;
        return;
    }
    // A failure has a banner of its own, with linksOfFailure().
    if (now == RunState::Failed || before == now || bridge_.isBusy()) return;
    tell();
}

void SourcePermissions::tell() {
    if (!is_shown_ && !refused_.empty()) {
        is_shown_ = true;
        // Refused writes first.
        const auto writes =
            std::find_if(refused_.begin(), refused_.end(), [](const Entry& entry) { return entry.access.is_write; });
        const Entry& first = writes != refused_.end() ? *writes : refused_.front();
        const QString name = QFileInfo(text(first.source.file)).fileName();
        const QString who = name.isEmpty()          ? tr("The source")
                            : first.source.line > 0 ? QStringLiteral("%1:%2").arg(name).arg(first.source.line)
                                                    : name;
        QString what = sentenceOf(first.access).arg(who, shortPath(text(first.access.path)));
        if (refused_.size() > 1)
            what += tr(", and %n more (see the log)", nullptr, static_cast<int>(refused_.size()) - 1);
        std::vector<Banner::Link> links = allowLink();
        for (Banner::Link& link : lineLink()) links.push_back(std::move(link));
        banner_.note(what + QLatin1Char('.'), links);
        return;
    }
    if (is_folder_shown_ || folder_.isEmpty()) return;
    is_folder_shown_ = true;
    // Edited and opened again, a source writes the same again.
    if (folder_of_ == source()) return;
    folder_of_ = source();
    banner_.note(
        tr("%1 wrote files into a folder of its own: %2").arg(QFileInfo(source()).fileName(), shortPath(folder_)),
        {{tr("Save what it wrote as\u2026"), [this] { keepWritten(); }},
         {tr("Show the folder"), [this] { showFolder(); }}});
}

std::vector<Banner::Link> SourcePermissions::linksOfFailure() {
    if (std::exchange(is_shown_, true)) return {};
    std::vector<Banner::Link> links = allowLink();
    // The line of the error itself comes before that of a refusal.
    if (bridge_.status().error_source.line > 0) return links;
    for (Banner::Link& link : lineLink()) links.push_back(std::move(link));
    return links;
}

// One or none.
std::vector<Banner::Link> SourcePermissions::allowLink() {
    const auto allowed = [](const Entry& entry) { return !entry.access.allow.empty(); };
    const auto first = std::find_if(refused_.begin(), refused_.end(), allowed);
    if (first == refused_.end() || source().isEmpty()) return {};
    const bool isOne = std::all_of(refused_.begin(), refused_.end(), [&](const Entry& entry) {
        const Access& other = entry.access;
        return !allowed(entry) || (other.allow == first->access.allow && other.is_write == first->access.is_write);
    });
    const QString what = first->access.is_write ? tr("Allow writing to %1") : tr("Allow reading %1");
    return {{isOne ? what.arg(shortPath(text(first->access.allow))) : tr("Allow all of it"), [this] { allow(); }}};
}

std::vector<Banner::Link> SourcePermissions::lineLink() {
    if (refused_.empty() || refused_.front().source.line <= 0) return {};
    return {{tr("Show the line"), [this, place = refused_.front().source] { emit lineWanted(place); }}};
}

void SourcePermissions::allow() {
    const QString file = source();
    FilePermissions permissions = bridge_.session().permissions_of(file.toStdString());
    for (const Entry& entry : refused_) {
        if (entry.access.allow.empty()) continue;
        (entry.access.is_write ? permissions.write : permissions.read).emplace_back(entry.access.allow);
        bridge_.addLog({.level = Entry::Level::Info,
                        .text = (entry.access.is_write ? tr("%1 may write to %2 until the window is closed")
                                                       : tr("%1 may read %2 until the window is closed"))
                                    .arg(QFileInfo(file).fileName(), text(entry.access.allow))
                                    .toStdString(),
                        .scope = {},
                        .source = {}});
    }
    bridge_.session().permit_source(file.toStdString(), permissions);
    emit openWanted(file);
}

void SourcePermissions::showFolder() const { QDesktopServices::openUrl(QUrl::fromLocalFile(folder_)); }

void SourcePermissions::keepWritten() {
    const QString to = views::EngineFiles::getExistingDirectory(window_, tr("Save what the source wrote in"),
                                                                QFileInfo(source()).absolutePath());
    if (!to.isEmpty()) copyWritten(to);
}

void SourcePermissions::copyWritten(const QString& to) {
    bridge_.ask(QStringLiteral("keep written"), session::KeepWrittenQuery{folder_.toStdString(), to.toStdString()},
                this, [this, to](const std::string& error) {
                    if (!error.empty())
                        return banner_.tell(text(error), {{tr("Save elsewhere\u2026"), [this] { keepWritten(); }}});
                    bridge_.addLog({.level = Entry::Level::Info,
                                    .text = tr("What the source wrote was copied to %1").arg(to).toStdString(),
                                    .scope = {},
                                    .source = {}});
                });
}

}  // namespace loupe::window
