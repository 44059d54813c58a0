// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Files that are looked at beside the model: traces of PyTorch's profiler, memory snapshots of its allocator. One for a
// bridge; GUI thread only.

#include <QObject>
#include <memory>
#include <vector>

#include "core/session/imported_file.h"
#include "core/session/queries/read_snapshot.h"
#include "core/session/queries/read_trace.h"
#include "views/common/session_bridge.h"

namespace loupe::views {

using TracePtr = std::shared_ptr<const session::StudiedTrace>;
using SnapshotPtr = std::shared_ptr<const session::StudiedSnapshot>;

class Imports : public QObject {
    Q_OBJECT

  public:
    // That of the bridge, made when it is asked for first.
    static Imports& of(SessionBridge& bridge);

    // Reads it in the background, then shows its panel; failed() says why not. A file that is open already is read
    // again.
    void open(const QString& file, session::ImportedKind kind);
    void closeTrace(const QString& path);
    void closeSnapshot(const QString& path);
    // The last opened last.
    const std::vector<TracePtr>& traces() const { return traces_; }
    const std::vector<SnapshotPtr>& snapshots() const { return snapshots_; }
    bool isEmpty() const { return traces_.empty() && snapshots_.empty() && reading_.isEmpty(); }
    // The file that is being read; empty: none.
    const QString& reading() const { return reading_; }

    // For tests.
    void add(TracePtr trace);
    void add(SnapshotPtr snapshot);

  signals:
    void tracesChanged();
    void snapshotsChanged();
    void readingChanged();
    void failed(const QString& why);

  private:
    explicit Imports(SessionBridge& bridge);
    void finish(const QString& file, const std::string& error);

    SessionBridge& bridge_;
    std::vector<TracePtr> traces_;
    std::vector<SnapshotPtr> snapshots_;
    QString reading_;
};

}  // namespace loupe::views
