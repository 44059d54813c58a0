// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/imports.h"

#include "views/common/format.h"

namespace loupe::views {
namespace {

QString pathOf(const TracePtr& trace) { return text(trace->trace.path); }
QString pathOf(const SnapshotPtr& snapshot) { return text(snapshot->snapshot.path); }

template <typename Ptr>
bool removeFrom(std::vector<Ptr>& all, const QString& path) {
    return std::erase_if(all, [&](const Ptr& each) { return pathOf(each) == path; }) > 0;
}

}  // namespace

Imports::Imports(SessionBridge& bridge) : QObject(&bridge), bridge_(bridge) {}

Imports& Imports::of(SessionBridge& bridge) {
    auto* there = bridge.findChild<Imports*>(QString(), Qt::FindDirectChildrenOnly);
    return there ? *there : *new Imports(bridge);
}

void Imports::open(const QString& file, session::ImportedKind kind) {
    reading_ = file;
    emit readingChanged();
    const std::string path = file.toStdString();
    if (kind == session::ImportedKind::MemorySnapshot) {
        bridge_.ask<session::ReadSnapshotQuery>(QStringLiteral("import"), {path}, this,
                                                [this, file](session::SnapshotAnswer answer) {
                                                    finish(file, answer.error);
                                                    if (answer.snapshot) add(answer.snapshot);
                                                });
        return;
    }
    bridge_.ask<session::ReadTraceQuery>(QStringLiteral("import"), {path}, this,
                                         [this, file](session::TraceAnswer answer) {
                                             finish(file, answer.error);
                                             if (answer.trace) add(answer.trace);
                                         });
}

void Imports::finish(const QString& file, const std::string& error) {
    if (reading_ == file) reading_.clear();
    emit readingChanged();
    if (error.empty()) return;
    const QString why = text(error);
    emit failed(why.contains(file) ? why : tr("%1: %2").arg(file, why));
}

void Imports::add(TracePtr trace) {
    removeFrom(traces_, pathOf(trace));
    traces_.push_back(std::move(trace));
    emit tracesChanged();
    bridge_.showPanel(QStringLiteral("timeline"));
}

void Imports::add(SnapshotPtr snapshot) {
    removeFrom(snapshots_, pathOf(snapshot));
    snapshots_.push_back(std::move(snapshot));
    emit snapshotsChanged();
    bridge_.showPanel(QStringLiteral("memory"));
}

void Imports::closeTrace(const QString& path) {
    if (removeFrom(traces_, path)) emit tracesChanged();
}

void Imports::closeSnapshot(const QString& path) {
    if (removeFrom(snapshots_, path)) emit snapshotsChanged();
}

}  // namespace loupe::views
