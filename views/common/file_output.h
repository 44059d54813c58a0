// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Files that panels write: with the engine's writer, so that nothing half written stays, and links and devices stay what they are.

#include <QBuffer>
#include <QImage>
#include <QString>

namespace loupe::views {

// Collects what is written, and puts it in its place at commit().
class FileOutput : public QBuffer {
    Q_OBJECT

  public:
    explicit FileOutput(const QString& file);
    // Empty, or why the file could not be written.
    QString commit();

  private:
    QString file_;
};

// By the file's extension. Empty, or why not.
QString saveImage(const QImage& image, const QString& file);

}  // namespace loupe::views
