// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Folders of sessions in the user's state directory: one for each running window, which locks it. A folder with a free
// lock belongs to a window that has ended.

#include <QByteArray>
#include <QDateTime>
#include <QString>
#include <optional>
#include <vector>

namespace loupe::window {

class SessionStore {
  public:
    // XDG_STATE_HOME/tensorloupe/sessions, by default below ~/.local/state.
    static QString root();

    SessionStore() = default;
    SessionStore(const SessionStore&) = delete;
    SessionStore& operator=(const SessionStore&) = delete;
    // The folder stays, for the next window.
    ~SessionStore();

    // Of this window; created and locked on first use. Empty when that fails: see error().
    QString folder();
    bool hasFolder() const { return !folder_.isEmpty(); }
    const QString& error() const { return error_; }
    // The folder of a session that has ended is this window's from now on. False when another window has it.
    bool adopt(const QString& folder);
    // Releases the folder, and keeps it.
    void release();
    // This window has no state to restore: removes its folder.
    void drop();

    struct Found {
        QString folder;
        QDateTime written;
    };
    // Ended sessions with a state, the newest first. Skips those that could not be restored.
    std::vector<Found> ended() const;
    // The state of a session; none when it cannot be read.
    static std::optional<QByteArray> read(const QString& folder);
    // Replaces the state atomically. Any thread. False when it cannot be written.
    static bool write(const QString& folder, const QByteArray& state);

    // A session is marked while it is restored: one that crashes the program is not restored automatically again.
    enum class Mark { Restoring, Refused };
    static void mark(const QString& folder, Mark mark, bool is_set);
    static bool isMarked(const QString& folder, Mark mark);

    // Removes ended sessions: all but the newest kMost, those older than a month, and beyond kMostBytes in total.
    void clean() const;
    static constexpr int kMost = 8;
    static constexpr qint64 kMostBytes = qint64{4} << 30;

  private:
    static std::optional<int> lock(const QString& folder);
    static void remove(const QString& folder);

    QString folder_;
    QString error_;
    int lock_ = -1;
};

}  // namespace loupe::window
