// SPDX-License-Identifier: GPL-3.0-or-later
// The window of an engine far away: how it is reached, which files it has, what is said when it cannot be reached.
#include <QFileInfo>
#include <QProcess>
#include <QTimer>

#include "app/window/actions.h"
#include "app/window/banner.h"
#include "app/window/connect_dialog.h"
#include "app/window/docks.h"
#include "app/window/far_connection.h"
#include "app/window/main_window.h"
#include "app/window/weights_loader.h"
#include "core/session/far_place.h"
#include "core/session/queries/watched_programs.h"
#include "views/common/engine_files.h"
#include "views/common/format.h"
#include "views/inputs/inputs_view.h"

namespace loupe::window {

using Kind = session::FarState::Kind;
using views::EngineFiles;

void MainWindow::makeFar() {
    const auto place = session::far_place();
    auto* files = new EngineFiles(*bridge_, place ? views::text(place->host()) : QString(), this);
    if (!place) return;
    connect(files, &EngineFiles::copying, this, &MainWindow::showCopying);
    connect(files, &EngineFiles::copied, this, [this] {
        if (copying_note_ != 0 && banner_->current() == copying_note_) banner_->dismiss();
        copying_note_ = 0;
    });
    far_ = new FarConnection(place, this);
    setWindowTitle(titleOf({}));
    connect(far_, &FarConnection::turned, this, &MainWindow::showFar);
    connect(bridge_, &views::SessionBridge::logAdded, this, [this, told = std::string()]() mutable {
        const session::EngineEnd end = bridge_->session().engine_end();
        if (end.kind == session::EngineEnd::Kind::None && !end.text.empty() && end.text != told) tellEarlierEnd(end);
        told = end.text;
    });
    sayConnecting();
}

QString MainWindow::titleOf(const QString& model) const {
    const QString title =
        model.isEmpty() ? QStringLiteral("Tensorloupe") : QStringLiteral("%1[*] \u2013 Tensorloupe").arg(model);
    return far_ ? tr("%1 on %2").arg(title, far_->host()) : title;
}

void MainWindow::makeFarActions() {
    actions_->add({"connect",
                   tr("&Connect\u2026"),
                   tr("Open a window on an engine on another machine, in a container or behind a batch system"),
                   {},
                   {},
                   [this] { connectTo({}); },
                   {}});
    actions_->add({"reconnect",
                   tr("Reconnect &now"),
                   tr("Try again to reach the engine, instead of waiting for the next try"),
                   {},
                   {},
                   [this] {
                       if (bridge_->session().engine_end().kind != session::EngineEnd::Kind::None)
                           return bridge_->session().restart_engine(false);
                       far_->reconnectNow();
                   },
                   [this] {
                       if (!far_) return tr("the engine is on this machine");
                       return far_->isConnected() ? tr("it is connected") : QString();
                   }});
}

// A window has one engine: another one gets a window of its own.
void MainWindow::connectTo(const QString& address) {
    if (!address.isEmpty()) {
        if (!QProcess::startDetached(QCoreApplication::applicationFilePath(), {QStringLiteral("--connect"), address}))
            return banner_->tell(tr("No other window can be started."), {});
        // This one has nothing to lose.
        if (!bridge_->model() && !far_) close();
        return;
    }
    auto* dialog = new ConnectDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &ConnectDialog::wanted, this, &MainWindow::connectTo);
    dialog->open();
}

void MainWindow::attachFar(const QString& name) {
    bridge_->ask(QStringLiteral("watched programs"), session::WatchedProgramsQuery{}, this,
                 [this, name](const std::vector<session::WatchedProgram>& found) {
                     const auto meant = session::watched_programs_named(found, name.toStdString());
                     if (meant.size() == 1) return openFile(views::text(meant.front().socket));
                     if (meant.empty() && !name.isEmpty())
                         banner_->tell(tr("No program '%1' is watched on %2.").arg(name, far_->host()), {});
                     chooseTraining();
                 });
}

// Nothing that is unsaved is lost: it stays in the engine, and edits of sources do not.
bool MainWindow::leavesAll() const {
    return far_ && far_->state().kind != Kind::Over && bridge_->sourceEdits().empty();
}

void MainWindow::showFar() {
    actions_->update();
    switch (far_->state().kind) {
        case Kind::Connecting:
            if (!was_connected_) sayConnecting();
            break;
        case Kind::Connected:
            was_connected_ = true;
            EngineFiles::instance()->findOwnFolder();
            if (banner_->property("far").toBool()) banner_->dismiss();
            banner_->setProperty("far", false);
            break;
        case Kind::Lost:
            banner_->tell(tr("The connection is lost: %1. What runs there goes on, and what was seen stays.")
                              .arg(views::text(far_->state().text)),
                          {{tr("Reconnect now"), [this] { far_->reconnectNow(); }}});
            banner_->setProperty("far", true);
            break;
        case Kind::Over:
            was_connected_ = false;
            break;  // the end of the engine is told
    }
}

// Where it takes time: ssh may ask something meanwhile.
void MainWindow::sayConnecting() {
    constexpr int kLong = 600;
    QTimer::singleShot(kLong, this, [this] {
        if (far_->state().kind != Kind::Connecting || banner_->isVisible()) return;
        banner_->note(tr("Connecting to %1\u2026").arg(far_->host()), {{tr("Give up"), [this] { close(); }}});
        banner_->setProperty("far", true);
    });
}

// Of the engine before the one that this window has; what was kept of it is back.
void MainWindow::tellEarlierEnd(const session::EngineEnd& end) {
    std::vector<Banner::Link> links;
    if (end.source.line > 0 && bridge_->model())
        links.push_back({tr("Show the line"), [this, place = end.source] { showSource(place); }});
    if (bridge_->eventCount() > 0) {
        links.push_back({tr("Show where"), [this] {
                             bridge_->setCurrentEvent(static_cast<session::EventId>(bridge_->eventCount()));
                             docks_->show(QStringLiteral("events"));
                         }});
    }
    banner_->tell(views::text(end.text), links);
    banner_->setProperty("far", false);  // it stays when the connection is there
}

void MainWindow::tellFarEnd(const session::EngineEnd& end) {
    std::vector<Banner::Link> links{{tr("Reconnect"), [this] { bridge_->session().restart_engine(false); }}};
    if (far_->state().is_busy)
        links = {{tr("Take it over"),
                  [this] {
                      far_->place().take_over_next();
                      bridge_->session().restart_engine(false);
                  }},
                 {tr("Try again"), [this] { bridge_->session().restart_engine(false); }}};
    links.push_back({tr("Connect elsewhere\u2026"), [this] { connectTo({}); }});
    if (end.can_go_back)
        links.push_back({tr("Restart and go back there"), [this] { bridge_->session().restart_engine(true); }});
    banner_->tell(views::text(end.text), links);
    banner_->setProperty("far", true);
}

// --- files

void MainWindow::openFar(const QString& file) {
    EngineFiles::look(file, this, [this, file](const session::FileFacts& facts) {
        if (!facts.exists) {
            // A path of this machine, such as a model that ships.
            if (QFileInfo(file).isFile()) return sendThere(file, [this](const QString& there) { openFar(there); });
            return banner_->tell(
                tr("%1: no such file on %2").arg(file, EngineFiles::host()),
                {{tr("Open another\u2026"), [this] { (*actions_)[QStringLiteral("open")]->trigger(); }}});
        }
        if (facts.imported != session::ImportedKind::None) return openBeside(file, facts.imported);
        whenSaved(tr("Open %1").arg(QFileInfo(file).fileName()), [this, file] { openNow(file); });
    });
}

// Files dropped on the window are of this machine.
void MainWindow::takeFar(const QString& file) {
    const QFileInfo info(file);
    if (!info.isFile())
        return banner_->tell(tr("%1 is a folder on this machine, and the engine is on %2: copy it there first.")
                                 .arg(info.fileName(), EngineFiles::host()),
                             {});
    const auto take = [this, file] {
        sendThere(file, [this](const QString& there) {
            if (!views::InputsView::feeds(there) || !bridge_->model()) return openFar(there);
            docks_->show(QStringLiteral("inputs"));
            static_cast<views::InputsView*>(docks_->view(QStringLiteral("inputs")))->takeFile(there);
        });
    };
    banner_->note(tr("%1 is on this machine, and the engine is on %2.").arg(info.fileName(), EngineFiles::host()),
                  {{tr("Send it there (%1)").arg(views::bytesText(static_cast<double>(info.size()))), take}});
}

void MainWindow::sendThere(const QString& file, std::function<void(const QString& there)> then) {
    EngineFiles::instance()->send(file, this,
                                  [this, file, then = std::move(then)](const QString& there, const QString& error) {
                                      if (error.isEmpty()) return then(there);
                                      banner_->tell(tr("%1 was not sent: %2").arg(QFileInfo(file).fileName(), error),
                                                    {{tr("Try again"), [this, file, then] { sendThere(file, then); }}});
                                  });
}

// One note for all of a copy: its button stays where it is.
void MainWindow::showCopying(const QString& what, double part) {
    const QString line = tr("%1: %2 %").arg(what).arg(static_cast<int>(part * 100));
    if (copying_note_ != 0) return banner_->amend(copying_note_, line);
    banner_->note(line, {{tr("Cancel"), [] { EngineFiles::instance()->cancelCopies(); }}});
    copying_note_ = banner_->current();
}

void MainWindow::tellSaved(const QString& file, const QString& done, const std::function<void()>& then) {
    EngineFiles::saved(file, [this, done, then](const QString& shown, const QString& error) {
        if (!error.isEmpty()) return banner_->tell(tr("It was not brought here: %1").arg(error), {});
        bridge_->addLog({.text = done.arg(shown).toStdString(), .scope = {}, .source = {}});
        if (then) then();
    });
}

}  // namespace loupe::window
