// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/file_output.h"

#include <QFileInfo>
#include <QObject>

#include "core/base/error.h"
#include "core/base/file.h"

namespace loupe::views {

FileOutput::FileOutput(const QString& file) : file_(file) { open(QIODevice::WriteOnly); }

QString FileOutput::commit() {
    close();
    try {
        write_file_atomically(file_.toStdString(), {data().constData(), static_cast<std::size_t>(data().size())});
        return {};
    } catch (const Error& error) {
        const QString reason = QString::fromStdString(error.message());
        return QObject::tr("cannot write %1: %2").arg(file_, reason.section(QStringLiteral("cannot write: "), -1));
    }
}

QString saveImage(const QImage& image, const QString& file) {
    const QString ending = QFileInfo(file).suffix().toLower();
    FileOutput out(file);
    if (!image.save(&out, ending.toLatin1().constData()))
        return QObject::tr("cannot write %1 (png, svg and pdf are known)").arg(file);
    return out.commit();
}

}  // namespace loupe::views
