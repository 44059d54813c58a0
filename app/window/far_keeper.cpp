// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/far_keeper.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>

#include "app/window/session_keeper.h"
#include "app/window/session_store.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "views/common/format.h"

namespace loupe::window {

namespace {

constexpr int kWriteEvery = 500;  // ms
constexpr int kMostFiles = 200;
constexpr qint64 kMostBytes = qint64{8} << 20;

QString fileOf(const QString& address, const QString& path) {
    const QByteArray hash =
        QCryptographicHash::hash((address + QLatin1Char('\n') + path).toUtf8(), QCryptographicHash::Sha256);
    return QStringLiteral("%1/%2.json").arg(FarKeeper::root(), QString::fromLatin1(hash.toHex().left(32)));
}

QJsonObject part(const QJsonObject& all, std::initializer_list<const char*> names) {
    QJsonObject out;
    for (const char* name : names) out[QLatin1String(name)] = all[QLatin1String(name)];
    return out;
}

}  // namespace

QString FarKeeper::root() { return QDir(SessionStore::root() + QStringLiteral("/../far")).absolutePath(); }

FarKeeper::FarKeeper(views::SessionBridge& bridge, SessionKeeper& keeper, const QString& address, QObject* parent)
    : QObject(parent), bridge_(bridge), keeper_(keeper), address_(address) {
    timer_.setSingleShot(true);
    timer_.setInterval(kWriteEvery);
    connect(&timer_, &QTimer::timeout, this, &FarKeeper::write);
    connect(&keeper, &SessionKeeper::changed, this, &FarKeeper::markDirty);
    using Bridge = views::SessionBridge;
    connect(&bridge_, &Bridge::modelChanged, this, &FarKeeper::takeModel);
    connect(&bridge_, &Bridge::recordingChanged, this, &FarKeeper::takeRun);
    clean();
}

// Another one each time: no two runs take the same time to the bit.
QString FarKeeper::runId() const {
    const auto& recording = bridge_.recording();
    if (!recording || recording->event_count() == 0) return {};
    const session::Event& first = recording->event(1);
    return QString::number(first.start, 'g', 17) + QLatin1Char(' ') + QString::number(first.duration, 'g', 17);
}

void FarKeeper::takeModel() {
    const auto& model = bridge_.model();
    const QString path =
        !model ? QString() : views::text(model->recorded_in.empty() ? model->path : model->recorded_in);
    if (path == path_) return;
    if (timer_.isActive()) write();
    path_ = path;
    kept_ = {};
    if (path_.isEmpty()) return;
    QFile file(fileOf(address_, path_));
    if (file.size() > kMostBytes || !file.open(QIODevice::ReadOnly)) return;
    kept_ = QJsonDocument::fromJson(file.readAll()).object();
    takeRun();
    // Behind the panels, which first show the model in their own way.
    QTimer::singleShot(0, this, [this, path] {
        if (path == path_ && !kept_.isEmpty()) takeSetup();
    });
}

// Breakpoints that the engine has are newer.
void FarKeeper::takeSetup() {
    if (bridge_.breakpoints().empty())
        keeper_.takeSetup(part(kept_, {"watches", "panels", "breakpoints", "breakpointsElsewhere"}));
    else
        keeper_.takeSetup(part(kept_, {"watches", "panels"}));
}

void FarKeeper::takeRun() {
    if (!kept_.isEmpty() && !runId().isEmpty() && kept_[QStringLiteral("run")].toString() == runId())
        keeper_.takeMarks(kept_);
}

void FarKeeper::markDirty() {
    if (!path_.isEmpty() && !timer_.isActive()) timer_.start();
}

void FarKeeper::write() {
    timer_.stop();
    if (path_.isEmpty() || !bridge_.model()) return;
    const QJsonObject state = keeper_.state();
    QJsonObject now = part(state, {"watches", "panels", "breakpoints", "breakpointsElsewhere"});
    // Marks of a run that is not shown now, and may be shown again.
    const QString run = runId();
    const QJsonObject marks = part(run.isEmpty() ? kept_ : state, {"bookmarks", "notes"});
    for (auto mark = marks.begin(); mark != marks.end(); ++mark) now[mark.key()] = mark.value();
    now[QStringLiteral("run")] = run.isEmpty() ? kept_[QStringLiteral("run")] : QJsonValue(run);
    now[QStringLiteral("address")] = address_;
    now[QStringLiteral("path")] = path_;
    if (now == kept_) return;
    kept_ = now;
    QDir().mkpath(root());
    const QString file = fileOf(address_, path_);
    const QByteArray text = QJsonDocument(now).toJson(QJsonDocument::Compact);
    try {
        write_file_atomically(file.toStdString(), {text.constData(), static_cast<std::size_t>(text.size())});
    } catch (const Error&) {
        return;  // it is kept for comfort
    }
    QFile::setPermissions(file, QFileDevice::ReadOwner | QFileDevice::WriteOwner);
}

// Those that were used last stay.
void FarKeeper::clean() {
    QDir folder(root());
    const QStringList files = folder.entryList({QStringLiteral("*.json")}, QDir::Files, QDir::Time);
    for (const QString& file : files.mid(kMostFiles)) folder.remove(file);
}

}  // namespace loupe::window
