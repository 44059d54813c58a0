// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/session_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "views/common/file_output.h"

namespace loupe::window {

namespace {

constexpr qint64 kLargestState = qint64{64} << 20;
constexpr int kDays = 30;

const char* nameOf(SessionStore::Mark mark) { return mark == SessionStore::Mark::Restoring ? "restoring" : "refused"; }

// A folder of this user without write permission for others; no link.
bool isOwn(const QString& folder) {
    struct stat status {};
    return ::lstat(QFile::encodeName(folder).constData(), &status) == 0 && S_ISDIR(status.st_mode) &&
           status.st_uid == ::geteuid() && (status.st_mode & 022) == 0;
}

qint64 bytesIn(const QString& folder) {
    qint64 bytes = 0;
    for (const QFileInfo& file : QDir(folder).entryInfoList(QDir::Files | QDir::Hidden | QDir::NoSymLinks))
        bytes += file.size();
    return bytes;
}

}  // namespace

QString SessionStore::root() {
    QString state = qEnvironmentVariable("XDG_STATE_HOME");
    if (!QDir::isAbsolutePath(state)) state = QDir::homePath() + QStringLiteral("/.local/state");
    return state + QStringLiteral("/tensorloupe/sessions");
}

SessionStore::~SessionStore() { release(); }

void SessionStore::release() {
    if (lock_ >= 0) ::close(lock_);
    lock_ = -1;
    folder_.clear();
}

std::optional<int> SessionStore::lock(const QString& folder) {
    const QByteArray name = QFile::encodeName(folder + QStringLiteral("/lock"));
    const int fd = ::open(name.constData(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (fd < 0) return std::nullopt;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
    ::close(fd);
    return std::nullopt;
}

QString SessionStore::folder() {
    if (!folder_.isEmpty() || !error_.isEmpty()) return folder_;
    QDir().mkpath(root());
    QFile::setPermissions(root(), QFileDevice::ReadOwner | QFileDevice::WriteOwner | QFileDevice::ExeOwner);
    const QString stamp = QDateTime::currentDateTimeUtc().toString(QStringLiteral("yyyyMMdd-HHmmss"));
    for (int number = 0; number < 1000 && isOwn(root()); ++number) {
        const QString name =
            QStringLiteral("%1/%2-%3-%4").arg(root(), stamp).arg(QCoreApplication::applicationPid()).arg(number);
        if (::mkdir(QFile::encodeName(name).constData(), 0700) != 0) {
            if (errno == EEXIST) continue;
            break;
        }
        const auto locked = lock(name);
        if (!locked) break;
        lock_ = *locked;
        return folder_ = name;
    }
    error_ = QStringLiteral("%1: %2").arg(root(), QString::fromLocal8Bit(std::strerror(errno != 0 ? errno : EACCES)));
    return {};
}

bool SessionStore::adopt(const QString& folder) {
    if (!isOwn(folder)) return false;
    const auto locked = lock(folder);
    if (!locked) return false;
    drop();
    lock_ = *locked;
    folder_ = folder;
    // Left over from an interrupted write.
    for (const QFileInfo& file : QDir(folder).entryInfoList(
             {QStringLiteral("*.pt.??????"), QStringLiteral("state.json.??????")}, QDir::Files | QDir::NoSymLinks)) {
        QFile::remove(file.filePath());
    }
    return true;
}

// Removes the program's files only, and no folder below: other files are the user's.
void SessionStore::remove(const QString& folder) {
    static const QStringList kOwn{
        QStringLiteral("state.json*"),  QStringLiteral("run-*.events"), QStringLiteral("run-*.values"),
        QStringLiteral("training.pt*"), QStringLiteral("model.pt*"),    QStringLiteral("training-start-*.pt*"),
        QStringLiteral("restoring"),    QStringLiteral("refused"),      QStringLiteral("lock")};
    for (const QFileInfo& file : QDir(folder).entryInfoList(kOwn, QDir::Files | QDir::Hidden | QDir::System))
        QFile::remove(file.filePath());
    QDir().rmdir(folder);
}

void SessionStore::drop() {
    if (folder_.isEmpty()) return;
    remove(folder_);
    release();
}

std::vector<SessionStore::Found> SessionStore::ended() const {
    std::vector<Found> found;
    for (const QFileInfo& folder : QDir(root()).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot | QDir::NoSymLinks)) {
        const QString name = folder.filePath();
        const QFileInfo state(name + QStringLiteral("/state.json"));
        if (name == folder_ || !isOwn(name) || !state.isFile() || isMarked(name, Mark::Refused)) continue;
        const auto locked = lock(name);
        if (!locked) continue;
        ::close(*locked);
        found.push_back({name, state.lastModified()});
    }
    std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.written > b.written; });
    return found;
}

std::optional<QByteArray> SessionStore::read(const QString& folder) {
    const QByteArray name = QFile::encodeName(folder + QStringLiteral("/state.json"));
    const int fd = ::open(name.constData(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return std::nullopt;
    QFile file;
    struct stat status {};
    const bool isFile = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= kLargestState;
    if (!isFile || !file.open(fd, QIODevice::ReadOnly, QFileDevice::AutoCloseHandle)) {
        if (!isFile) ::close(fd);
        return std::nullopt;
    }
    return file.readAll();
}

bool SessionStore::write(const QString& folder, const QByteArray& state) {
    views::FileOutput file(folder + QStringLiteral("/state.json"));
    file.write(state);
    return file.commit().isEmpty();
}

void SessionStore::mark(const QString& folder, Mark mark, bool is_set) {
    const QString name = folder + QLatin1Char('/') + QLatin1String(nameOf(mark));
    if (!is_set) {
        QFile::remove(name);
        return;
    }
    const int fd =
        ::open(QFile::encodeName(name).constData(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (fd >= 0) ::close(fd);
}

bool SessionStore::isMarked(const QString& folder, Mark mark) {
    return QFileInfo::exists(folder + QLatin1Char('/') + QLatin1String(nameOf(mark)));
}

void SessionStore::clean() const {
    qint64 bytes = 0;
    int count = 0;
    const QDateTime oldest = QDateTime::currentDateTime().addDays(-kDays);
    for (const Found& session : ended()) {
        bytes += bytesIn(session.folder);
        if (++count > kMost || session.written < oldest || (count > 1 && bytes > kMostBytes)) remove(session.folder);
    }
    // Folders without a state, and refused ones.
    for (const QFileInfo& folder : QDir(root()).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot | QDir::NoSymLinks)) {
        const QString name = folder.filePath();
        const bool isEmpty = !QFileInfo::exists(name + QStringLiteral("/state.json"));
        const bool isOld = folder.lastModified() < (isEmpty ? QDateTime::currentDateTime().addSecs(-3600) : oldest);
        if (name == folder_ || !isOwn(name) || !isOld || !(isEmpty || isMarked(name, Mark::Refused))) continue;
        if (const auto locked = lock(name)) {
            remove(name);
            ::close(*locked);
        }
    }
}

}  // namespace loupe::window
