// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Output files of panels, with the engine's AtomicFile, so that no partial file is left, and links and devices are
// kept.

#include <QBuffer>
#include <QImage>
#include <QString>

namespace loupe::views {

// Buffers the writes until commit().
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
