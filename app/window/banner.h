// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A line across the window that tells of an error, with the way out; it does not stop anyone.

#include <QFrame>
#include <QLabel>
#include <functional>
#include <vector>

namespace loupe::window {

class Banner : public QFrame {
    Q_OBJECT

  public:
    explicit Banner(QWidget* parent);

    struct Link {
        QString text;
        std::function<void()> follow;
    };
    void tell(const QString& message, const std::vector<Link>& links);
    QString message() const { return label_->text(); }
    void dismiss();

  signals:
    void shown(bool visible);

  private:
    QLabel* label_;
    QWidget* links_;
};

}  // namespace loupe::window
