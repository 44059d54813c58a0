// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tokens side by side, each with its id, in rows as wide as there is room. One of them is chosen, by the mouse or the
// arrow keys; each may have a number, shown below it and as its colour.

#include <QAbstractScrollArea>
#include <optional>
#include <vector>

#include "core/model/token_info.h"

namespace loupe::views {

class TokenChips : public QAbstractScrollArea {
    Q_OBJECT

  public:
    explicit TokenChips(QWidget* parent = nullptr);

    // fresh: from this one on they were made by the model; negative: none.
    void setTokens(std::vector<session::TokenInfo> tokens, int fresh = -1);
    // One a token: red above zero, blue below, as strong as the greatest; none: no numbers.
    void setScores(std::vector<double> scores);
    void setChosen(int token);  // -1: none

    const std::vector<session::TokenInfo>& tokens() const { return tokens_; }
    const std::vector<double>& scores() const { return scores_; }
    int chosen() const { return chosen_; }
    // On the viewport, as scrolled.
    QRect chipRect(int token) const;
    QColor chipColour(int token) const;  // invalid: that of a chip without a number
    QSize sizeHint() const override;
    // Of all rows at this width.
    int heightFor(int width) const;

  signals:
    void chosenChanged(int token);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void arrange();
    int arrangeIn(int width, std::vector<QRect>* out) const;
    int chipAt(QPoint place) const;
    int chipHeight() const;
    QFont wordFont() const;
    QFont idFont() const;
    QString tipOf(int token) const;
    void choose(int token);
    void paintChip(QPainter& painter, int token) const;

    std::vector<session::TokenInfo> tokens_;
    std::vector<double> scores_;
    std::vector<QRect> rects_;  // unscrolled
    double greatest_ = 0;
    int fresh_ = -1;
    int chosen_ = -1;
};

}  // namespace loupe::views
