// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/rank_launcher.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QPointer>
#include <QThreadPool>

#include "core/base/error.h"
#include "core/session/far_place.h"
#include "core/session/remote/rank_process.h"
#include "views/common/format.h"
#include "views/common/setting.h"

namespace loupe::window {

RankLauncher::RankLauncher(views::SessionBridge& bridge, QObject* parent)
    : QObject(parent), bridge_(bridge), is_left_(std::make_shared<CancelFlag>(false)) {}

// A launcher that has not begun is ended: the program would wait for it.
RankLauncher::~RankLauncher() { *is_left_ = true; }

QString RankLauncher::command() {
    const QString set = views::settings::kRankLauncher.words().trimmed();
    return set.isEmpty() ? QString::fromLatin1(session::kLaunchCommand) : set;
}

void RankLauncher::setCommand(const QString& command) {
    if (command.trimmed().isEmpty())
        views::settings::kRankLauncher.reset();
    else
        views::settings::kRankLauncher.set(command.trimmed());
}

void RankLauncher::start(const QString& file, int ranks) {
    if (is_starting_) return;
    const std::string engine =
        (QCoreApplication::applicationDirPath() + QStringLiteral("/tensorloupe-engine")).toStdString();
    // The launcher would wait for what it cannot start.
    if (session::far_place() == nullptr && !QFileInfo(QString::fromStdString(engine)).isExecutable())
        return emit failed(tr("%1 is not there").arg(QString::fromStdString(engine)));
    is_starting_ = true;
    const auto count = static_cast<std::size_t>(ranks);
    QThreadPool::globalInstance()->start([guard = QPointer<RankLauncher>(this), is_left = is_left_, engine, count, file,
                                          text = command().toStdString()] {
        const CancelScope scope(is_left.get());
        std::shared_ptr<session::RankProcess> process;
        QString why;
        try {
            const auto place = session::far_place();
            process = place
                          ? std::make_shared<session::RankProcess>(
                                session::far_launch_command(place->options().command, text, count), count,
                                place->options().environment)
                          : std::make_shared<session::RankProcess>(session::launch_command(text, count, engine), count);
        } catch (const Error& error) {
            why = views::text(error.what());
        }
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [guard, process, why, file, count] {
                if (!guard) return;
                guard->is_starting_ = false;
                if (!process) return emit guard->failed(why);
                views::SessionBridge& bridge = guard->bridge_;
                const auto permissions = bridge.session().permissions_of(file.toStdString());
                bridge.startRanks(
                    count,
                    [process](std::size_t rank, session::SessionListener* listener) {
                        return std::make_unique<session::Session>(*process, rank, listener);
                    },
                    process, [process] { process->kill(); });
                for (std::size_t seat = 0; seat < count; ++seat) {
                    bridge.sessionAt(seat).permit_source(file.toStdString(), permissions);
                    bridge.sessionAt(seat).open(file.toStdString());
                }
                emit guard->started();
            },
            Qt::QueuedConnection);
    });
}

}  // namespace loupe::window
