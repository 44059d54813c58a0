// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/engine_files.h"

#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QPointer>
#include <QStandardPaths>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/session/imported_file.h"
#include "views/common/far_file_dialog.h"
#include "views/common/file_output.h"
#include "views/common/format.h"

namespace loupe::views {

namespace {

EngineFiles* current = nullptr;
constexpr qint64 kPiece = qint64{256} << 10;

session::FileFacts factsHere(const QString& file) {
    const QFileInfo info(file);
    session::FileFacts facts;
    facts.exists = info.exists();
    facts.is_folder = info.isDir();
    facts.bytes = info.size();
    facts.changed = info.lastModified().toMSecsSinceEpoch();
    facts.imported = session::imported_kind(file.toStdString());
    facts.holds_weights = facts.exists && session::holds_weights(file.toStdString());
    return facts;
}

}  // namespace

EngineFiles* EngineFiles::instance() { return current; }

EngineFiles::EngineFiles(SessionBridge& bridge, const QString& host, QObject* parent)
    : QObject(parent), bridge_(bridge), host_(host) {
    current = this;
}

void EngineFiles::findOwnFolder() {
    bridge_.ask(QStringLiteral("own file"), session::OwnFileQuery{"x"}, this, [this](const session::FileBytes& answer) {
        if (answer.error.empty()) own_ = text(answer.bytes).section(QLatin1Char('/'), 0, -2);
    });
}

EngineFiles::~EngineFiles() {
    if (current == this) current = nullptr;
}

// --- choosing

QString EngineFiles::getOpenFileName(QWidget* parent, const QString& title, const QString& folder,
                                     const QString& filter) {
    if (!areFar()) return QFileDialog::getOpenFileName(parent, title, folder, filter);
    FarFileDialog dialog(*instance(), FarFileDialog::Mode::Open, title, folder, filter, parent);
    return dialog.exec() == QDialog::Accepted ? dialog.chosen() : QString();
}

QString EngineFiles::getExistingDirectory(QWidget* parent, const QString& title, const QString& folder) {
    if (!areFar()) return QFileDialog::getExistingDirectory(parent, title, folder);
    FarFileDialog dialog(*instance(), FarFileDialog::Mode::Folder, title, folder, {}, parent);
    return dialog.exec() == QDialog::Accepted ? dialog.chosen() : QString();
}

QString EngineFiles::getSaveFileName(QWidget* parent, const QString& title, const QString& name, const QString& filter,
                                     QString* chosen) {
    if (!areFar()) return QFileDialog::getSaveFileName(parent, title, name, filter, chosen);
    FarFileDialog dialog(*instance(), FarFileDialog::Mode::Save, title, name, filter, parent);
    if (chosen) dialog.setFilter(*chosen);
    if (dialog.exec() != QDialog::Accepted) return {};
    if (!dialog.isHere()) {
        if (chosen) *chosen = dialog.filter();
        return dialog.chosen();
    }
    const QString here = QFileDialog::getSaveFileName(parent, title, QFileInfo(name).fileName(), filter, chosen);
    if (here.isEmpty()) return {};
    // Of another name than any file that was sent there.
    const QString there = QStringLiteral("%1/save-%2-%3")
                              .arg(ownFolder())
                              .arg(++instance()->last_brought_)
                              .arg(QFileInfo(here).fileName());
    instance()->brings_[there] = here;
    return there;
}

void EngineFiles::saved(const QString& file, const std::function<void(const QString&, const QString&)>& done) {
    if (!areFar()) return done(file, {});
    auto& files = *instance();
    const auto found = files.brings_.find(file);
    if (found == files.brings_.end()) return done(tr("%1 on %2").arg(file, host()), {});
    const QString here = found->second;
    files.brings_.erase(found);
    files.bring(file, here, &files, [here, done](const QString& error) { done(here, error); });
}

// --- reading and writing

QString EngineFiles::write(const QString& file, const QByteArray& bytes) {
    if (!areFar()) {
        FileOutput out(file);
        out.write(bytes);
        return out.commit();
    }
    // What was chosen to be saved here needs not come from there.
    if (const auto found = instance()->brings_.find(file); found != instance()->brings_.end()) {
        FileOutput out(found->second);
        instance()->brings_.erase(found);
        out.write(bytes);
        if (const QString error = out.commit(); !error.isEmpty()) return error;
    }
    // A tag of its own: none of them takes another's place.
    instance()->bridge_.ask(
        QStringLiteral("write ") + file, session::WriteFileQuery{file.toStdString(), bytes.toStdString()}, instance(),
        [](const std::string& error) {
            if (error.empty() || !instance()) return;
            instance()->bridge_.addLog(
                {.level = SessionBridge::LogEntry::Level::Error, .text = error, .scope = {}, .source = {}});
        });
    return {};
}

QString EngineFiles::ownFolder() {
    if (areFar()) return instance()->own_;
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
}

void EngineFiles::read(const QString& file, QObject* receiver,
                       const std::function<void(const QByteArray&, const QString&)>& reply) {
    if (!areFar()) {
        QFile here(file);
        if (!here.open(QIODevice::ReadOnly)) return reply({}, here.errorString());
        return reply(here.readAll(), {});
    }
    instance()->bridge_.ask(QStringLiteral("read ") + file, session::ReadFileQuery{file.toStdString()}, receiver,
                            [reply](const session::FileBytes& answer) {
                                const bool isWhole = answer.bytes.size() == answer.size;
                                reply(QByteArray::fromStdString(answer.bytes), !answer.error.empty()
                                                                                   ? text(answer.error)
                                                                               : isWhole ? QString()
                                                                                         : tr("it is too long"));
                            });
}

void EngineFiles::look(const QString& file, QObject* receiver,
                       const std::function<void(const session::FileFacts&)>& reply) {
    if (!areFar()) return reply(factsHere(file));
    instance()->bridge_.ask(QStringLiteral("look at ") + file, session::LookAtFileQuery{file.toStdString()}, receiver,
                            reply);
}

// --- copies

// A piece at a time: what is asked meanwhile does not wait for a whole file.
class EngineFiles::Transfer : public QObject {
  public:
    Transfer(EngineFiles& files, QObject* receiver) : QObject(&files), files_(files), receiver_(receiver) {}

    void send(const QString& file, std::function<void(const QString&, const QString&)> reply) {
        auto* from = new QFile(file, this);
        if (!from->open(QIODevice::ReadOnly)) return end([&] { reply({}, from->errorString()); });
        name_ = QFileInfo(file).fileName();
        what_ = tr("Sending %1 to %2").arg(name_, files_.host_);
        tellProgress(0, from->size());
        files_.bridge_.ask(QStringLiteral("own file %1").arg(file), session::OwnFileQuery{name_.toStdString()}, this,
                           [this, from, reply](const session::FileBytes& answer) {
                               if (is_over_) return;
                               if (!answer.error.empty()) return end([&] { reply({}, text(answer.error)); });
                               sendFrom(from, text(answer.bytes), reply);
                           });
    }
    void bring(const QString& file, const QString& to, std::function<void(const QString&)> reply) {
        name_ = QFileInfo(file).fileName();
        what_ = tr("Bringing %1 from %2").arg(QFileInfo(to).fileName(), files_.host_);
        try {
            bringInto(std::make_shared<AtomicFile>(to.toStdString()), file, 0, reply);
        } catch (const Error& error) {
            fail([&] { reply(text(error.what())); });
        }
    }
    // Of both sides nothing stays.
    void cancel() {
        if (is_over_) return;
        receiver_ = nullptr;
        fail([] {});
    }

  private:
    void tellProgress(qint64 done, qint64 size) {
        emit files_.copying(what_, size > 0 ? static_cast<double>(done) / static_cast<double>(size) : 0);
    }
    void sendFrom(QFile* from, const QString& there, const std::function<void(const QString&, const QString&)>& reply) {
        const qint64 at = from->pos();
        const QByteArray piece = from->read(kPiece);
        if (from->error() != QFileDevice::NoError) return fail([&] { reply({}, from->errorString()); });
        if (at > 0 && piece.isEmpty()) return end([&] { reply(there, {}); });
        tellProgress(at, from->size());
        files_.bridge_.ask(
            QStringLiteral("send %1").arg(there),
            session::WriteFileQuery{there.toStdString(), piece.toStdString(), static_cast<std::uint64_t>(at)}, this,
            [this, from, there, reply](const std::string& error) {
                if (is_over_) return;
                if (!error.empty()) return fail([&] { reply({}, text(error)); });
                if (from->atEnd()) return end([&] { reply(there, {}); });
                sendFrom(from, there, reply);
            });
    }
    void bringInto(const std::shared_ptr<AtomicFile>& into, const QString& file, std::uint64_t at,
                   const std::function<void(const QString&)>& reply) {
        files_.bridge_.ask(QStringLiteral("bring %1").arg(file),
                           session::ReadFileQuery{file.toStdString(), at, static_cast<std::uint64_t>(kPiece)}, this,
                           [this, into, file, at, reply](const session::FileBytes& answer) {
                               if (is_over_) return;
                               if (!answer.error.empty()) return fail([&] { reply(text(answer.error)); });
                               const std::uint64_t done = at + answer.bytes.size();
                               tellProgress(static_cast<qint64>(done), static_cast<qint64>(answer.size));
                               if (done < answer.size && answer.bytes.empty())
                                   return fail([&] { reply(tr("it was cut while it was copied")); });
                               try {
                                   into->write(answer.bytes);
                                   if (done < answer.size) return bringInto(into, file, done, reply);
                                   into->commit();
                                   removeThere();
                                   end([&] { reply({}); });
                               } catch (const Error& error) {
                                   fail([&] { reply(text(error.what())); });
                               }
                           });
    }
    void removeThere() {
        files_.bridge_.ask(QStringLiteral("remove own file %1").arg(name_),
                           session::RemoveOwnFileQuery{name_.toStdString()}, &files_, [](const std::string&) {});
    }
    void fail(const std::function<void()>& tell) {
        removeThere();
        end(tell);
    }
    void end(const std::function<void()>& tell) {
        is_over_ = true;
        deleteLater();
        emit files_.copied();
        if (receiver_) tell();
    }

    EngineFiles& files_;
    QPointer<QObject> receiver_;
    QString name_;  // there
    QString what_;
    bool is_over_ = false;
};

void EngineFiles::send(const QString& file, QObject* receiver,
                       const std::function<void(const QString&, const QString&)>& reply) {
    (new Transfer(*this, receiver))->send(file, reply);
}

void EngineFiles::bring(const QString& file, const QString& to, QObject* receiver,
                        const std::function<void(const QString&)>& reply) {
    (new Transfer(*this, receiver))->bring(file, to, reply);
}

void EngineFiles::cancelCopies() {
    for (QObject* each : QObjectList(children())) {
        if (auto* transfer = dynamic_cast<Transfer*>(each)) transfer->cancel();
    }
}

}  // namespace loupe::views
