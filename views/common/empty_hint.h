// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What stands in a panel that has nothing to show: why, and what to do about it.

#include <QLabel>

namespace loupe::views {

class EmptyHint : public QLabel {
    Q_OBJECT

  public:
    // Lies over the widget; of a scroll area over its contents. The mouse goes through.
    explicit EmptyHint(QWidget* over);

    // An empty text takes the hint away.
    void say(const QString& text);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace loupe::views
