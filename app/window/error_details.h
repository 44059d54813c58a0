// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// All lines of an error: underlined source, or a traceback. A click goes to the source line.

#include <QPlainTextEdit>

namespace loupe::window {

class ErrorDetails : public QPlainTextEdit {
    Q_OBJECT

  public:
    explicit ErrorDetails(QWidget* parent);
    void setDetails(const QString& details);

  signals:
    void placeChosen(const QString& file, int line);

  protected:
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void follow(int block);
    void markPlaces();
};

}  // namespace loupe::window
