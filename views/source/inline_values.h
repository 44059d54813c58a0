// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What lines gave names, behind their ends: painted over an editor, not part of its text.

#include <QWidget>
#include <map>

class QsciScintilla;

namespace loupe::views {

class InlineValues : public QWidget {
    Q_OBJECT

  public:
    explicit InlineValues(QsciScintilla* editor);

    // By line, from 0.
    void setTexts(std::map<int, QString> texts);
    const std::map<int, QString>& texts() const { return texts_; }

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QsciScintilla* editor_;
    std::map<int, QString> texts_;
};

}  // namespace loupe::views
