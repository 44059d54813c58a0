// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The text of a panel without contents: why, and what to do.

#include <QLabel>

namespace loupe::views {

class EmptyHint : public QLabel {
    Q_OBJECT

  public:
    // Covers the widget; of a scroll area its contents. Transparent to the mouse.
    explicit EmptyHint(QWidget* over);

    // An empty text hides it.
    void say(const QString& text);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void fit();
};

}  // namespace loupe::views
