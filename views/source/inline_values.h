// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Values that lines assigned, after their ends: painted over an editor, not part of its text.

#include <QWidget>
#include <map>
#include <set>

class QPainter;
class QsciScintilla;

namespace loupe::views {

class InlineValues : public QWidget {
    Q_OBJECT

  public:
    explicit InlineValues(QsciScintilla* editor);

    // By line, from 0. bad: lines whose text is an error.
    void setTexts(std::map<int, QString> texts, std::set<int> bad = {});
    const std::map<int, QString>& texts() const { return texts_; }
    // The error at a line, after its values; -1: none.
    void setTrouble(int line, const QString& words);
    int troubleLine() const { return trouble_line_; }
    const QString& trouble() const { return trouble_; }

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QsciScintilla* editor_;
    void paintLine(QPainter& painter, int line);

    std::map<int, QString> texts_;
    std::set<int> bad_;
    int trouble_line_ = -1;
    QString trouble_;
};

}  // namespace loupe::views
