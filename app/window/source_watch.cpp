// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/source_watch.h"

#include <QFile>
#include <QFileInfo>

#include "views/common/engine_files.h"
#include "views/common/format.h"

namespace loupe::window {

namespace {

QByteArray contents(const QString& name) {
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

SourceWatch::SourceWatch(views::SessionBridge& bridge, QObject* parent) : QObject(parent), bridge_(bridge) {
    soon_.setSingleShot(true);
    soon_.setInterval(300);
    connect(&bridge, &views::SessionBridge::modelChanged, this, &SourceWatch::follow);
    connect(&files_, &QFileSystemWatcher::fileChanged, this, [this](const QString& file) {
        touched_ += file;
        soon_.start();
    });
    connect(&soon_, &QTimer::timeout, this, &SourceWatch::look);
    connect(&bridge, &views::SessionBridge::statusChanged, this, &SourceWatch::noteFailure);
    now_and_then_.setInterval(3000);
    connect(&now_and_then_, &QTimer::timeout, this, &SourceWatch::lookFar);
}

void SourceWatch::lookFar() {
    if (bridge_.isBusy()) return;
    for (const QString& name : far_) {
        views::EngineFiles::look(name, this, [this, name](const session::FileFacts& facts) {
            if (!facts.exists) return;
            const bool isFirst = !seen_.contains(name);
            if (std::exchange(seen_[name], facts.changed) == facts.changed || isFirst) return;
            views::EngineFiles::read(name, this, [this, name](const QByteArray& now, const QString& error) {
                if (error.isEmpty()) compare(name, now);
            });
        });
    }
}

void SourceWatch::compare(const QString& name, const QByteArray& now) {
    const auto& model = bridge_.model();
    if (!model || bridge_.wrote(name, QString::fromUtf8(now))) return;
    for (const auto& source : model->sources) {
        if (views::text(source.name) != name) continue;
        if (!now.isEmpty() && now != QByteArray::fromStdString(source.text) && now != tried_.value(name))
            emit changed(name);
    }
}

void SourceWatch::noteFailure() {
    const auto state = bridge_.status().state;
    if (was_opening_ && state == session::RunState::Failed) {
        for (const QString& name : files_.files()) tried_[name] = contents(name);
    }
    was_opening_ = state == session::RunState::Opening;
}

void SourceWatch::follow() {
    tried_.clear();
    if (!files_.files().isEmpty()) files_.removePaths(files_.files());
    far_.clear();
    seen_.clear();
    now_and_then_.stop();
    const auto& model = bridge_.model();
    if (!model) return;
    if (views::EngineFiles::areFar()) {
        for (const auto& source : model->sources) {
            if (source.is_editable) far_ += views::text(source.name);
        }
        if (!far_.isEmpty()) now_and_then_.start();
        return;
    }
    for (const auto& source : model->sources) {
        if (source.is_editable && QFileInfo::exists(views::text(source.name))) files_.addPath(views::text(source.name));
    }
}

void SourceWatch::look() {
    // After the program itself saves a source, it is opened: the new contents are known then.
    if (bridge_.isBusy()) return soon_.start();
    const auto& model = bridge_.model();
    const QSet<QString> touched = std::exchange(touched_, {});
    if (!model) return;
    for (const auto& source : model->sources) {
        const QString name = views::text(source.name);
        if (!touched.contains(name)) continue;
        // Watches a file that replaced it.
        if (QFileInfo::exists(name) && !files_.files().contains(name)) files_.addPath(name);
        compare(name, contents(name));
    }
}

}  // namespace loupe::window
