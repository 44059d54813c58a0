// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a guided tour shows over the window: a note beside the place that it is about, and a ring around that place.

#include <QFrame>
#include <QPointer>

class QLabel;
class QPushButton;

namespace loupe::window {

// Lets the mouse through.
class TourRing : public QWidget {
    Q_OBJECT

  public:
    explicit TourRing(QWidget* window);
    // place: in the window; empty: hidden.
    void surround(const QRect& place);

  protected:
    void paintEvent(QPaintEvent*) override;
};

class TourCallout : public QFrame {
    Q_OBJECT

  public:
    explicit TourCallout(QWidget* window);

    void showStep(const QString& title, const QString& text, int number, int count);
    // work: there is something to do that is not done. waits: it is being done.
    void setState(bool hasWork, bool isDone, bool waits);
    // What went wrong; empty: nothing.
    void setProblem(const QString& problem);
    // Beside the place, inside the window, and over as little of it as can be.
    void stand(const QRect& place);

    QPushButton* nextButton() const { return next_; }
    QPushButton* backButton() const { return back_; }

  signals:
    void nextWanted();
    void backWanted();
    void endWanted();

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

  private:
    void colour();
    void fit();

    QLabel* title_;
    QLabel* number_;
    QLabel* text_;
    QLabel* problem_;
    QPushButton* back_;
    QPushButton* next_;
    bool is_last_ = false;
};

}  // namespace loupe::window
