// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A strip across the window that shows an error with a remedy, or information; it is not modal.

#include <QFrame>
#include <QLabel>
#include <functional>
#include <vector>

#include "app/window/error_details.h"

class QToolButton;

namespace loupe::window {

class Banner : public QFrame {
    Q_OBJECT

  public:
    explicit Banner(QWidget* parent);

    struct Link {
        QString text;
        std::function<void()> follow;
    };
    // details: the full text, whose first line is message; shown on request.
    void tell(const QString& message, const std::vector<Link>& links, const QString& details = {});
    // For information.
    void note(const QString& message, const std::vector<Link>& links);
    // The same note with other words: its links stay as they are, also under a mouse button that is down. Nothing when
    // another note, or none, is shown.
    void amend(int note, const QString& message);
    // Of what was said last; another one each time.
    int current() const { return current_; }
    bool isError() const { return is_error_; }
    const QString& message() const { return message_; }
    // Hidden when there are none.
    QToolButton* detailsButton() { return more_; }
    ErrorDetails& details() { return *details_; }
    void dismiss();

  signals:
    void shown(bool visible);
    // A line that the details are about.
    void placeChosen(const QString& file, int line);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void say(const QString& message, const std::vector<Link>& links, const QString& details);
    void colour();
    void fitText();

    bool is_error_ = true;
    int current_ = 0;
    QString message_;
    QLabel* label_;
    QWidget* links_;
    QToolButton* more_;
    ErrorDetails* details_;
};

}  // namespace loupe::window
