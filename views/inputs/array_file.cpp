// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/inputs/array_file.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>

#include "views/common/engine_files.h"

namespace loupe::views {

namespace {

QString write(const QString& file, const char* type, const session::Shape& shape, const void* data, std::size_t bytes) {
    QByteArray sizes;
    for (const std::int64_t size : shape) sizes += QByteArray::number(static_cast<qlonglong>(size)) + ", ";
    QByteArray header = QByteArray("{'descr': '") + type + "', 'fortran_order': False, 'shape': (" + sizes + "), }";
    // Magic, version, length and header together fill multiples of 64 bytes.
    constexpr qsizetype kFront = 10;
    header += QByteArray(63 - (kFront + header.size()) % 64, ' ') + '\n';
    QByteArray out("\x93NUMPY\x01\x00", 8);
    out += static_cast<char>(header.size() & 0xff);
    out += static_cast<char>(header.size() >> 8);
    out += header;
    out.append(static_cast<const char*>(data), static_cast<qsizetype>(bytes));
    return EngineFiles::write(file, out);
}

}  // namespace

QString writeArray(const QString& file, const session::Shape& shape, const std::vector<float>& elements) {
    return write(file, "<f4", shape, elements.data(), elements.size() * sizeof(float));
}

QString writeArray(const QString& file, const session::Shape& shape, const std::vector<std::int64_t>& elements) {
    return write(file, "<i8", shape, elements.data(), elements.size() * sizeof(std::int64_t));
}

bool isImageFile(const QString& file) {
    static const QStringList endings{QStringLiteral("png"), QStringLiteral("jpg"), QStringLiteral("jpeg")};
    return endings.contains(QFileInfo(file).suffix().toLower());
}

QString ownInputFile(const QString& model, const QString& argument) {
    // A far engine's folder for such files is there, and has no others in it.
    const QString folder = EngineFiles::ownFolder() + (EngineFiles::areFar() ? QString() : QStringLiteral("/inputs"));
    if (!EngineFiles::areFar()) QDir().mkpath(folder);
    const QByteArray hash = QCryptographicHash::hash(model.toUtf8(), QCryptographicHash::Sha1).toHex().left(10);
    return QStringLiteral("%1/%2-%3-%4.npy")
        .arg(folder, QFileInfo(model).completeBaseName(), QString::fromLatin1(hash), argument);
}

}  // namespace loupe::views
