// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An editor of a small language: a condition, a watch, a filter. It shows errors below their position, keeps the text
// until it is valid or discarded, and completes words.

#include <QCompleter>
#include <QLabel>
#include <QLineEdit>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <functional>

namespace loupe::views {

class ExpressionEdit : public QLineEdit {
    Q_OBJECT

  public:
    struct Problem {
        QString text;  // empty: there is none
        int begin = 0;
        int end = 0;
    };
    struct Word {
        QString text;
        QString meaning;
    };
    // Words that are valid at the cursor, and the start of the current one.
    struct Completions {
        int from = 0;
        QList<Word> words;
    };
    using Check = std::function<Problem(const QString& text)>;
    using Complete = std::function<Completions(const QString& text, int cursor)>;

    explicit ExpressionEdit(QWidget* parent = nullptr);
    ~ExpressionEdit() override;

    void setCheck(Check check);
    void setComplete(Complete complete);
    const Problem& problem() const { return problem_; }
    bool isAcceptable() const { return problem_.text.isEmpty(); }
    // Checks at once, and shows errors.
    bool accept();
    // The shown error; empty: none.
    QString shownProblem() const;
    bool isCompleting() const;

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void moveEvent(QMoveEvent* event) override;

  private:
    void check();
    void showProblem();
    void offerWords(bool isAsked);
    void insertWord(const QString& word);

    Check check_;
    Complete complete_;
    Problem problem_;
    QStandardItemModel* words_;
    QCompleter* completer_;
    QLabel* note_;
};

// Edits cells with an ExpressionEdit. An edit that is wrong is not taken: the editor stays open until it is right, or
// Escape.
class ExpressionDelegate : public QStyledItemDelegate {
    Q_OBJECT

  public:
    // prepare: gives the editor of a cell its check and its words.
    using Prepare = std::function<void(ExpressionEdit& edit, const QModelIndex& index)>;
    ExpressionDelegate(Prepare prepare, QObject* parent);

    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    // What is being typed stays, whatever the model tells meanwhile.
    void setEditorData(QWidget* editor, const QModelIndex& index) const override;
    void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override;
    // Takes the text of an editor that is open, as Enter does. False: it is wrong, and the editor shows it.
    bool take(ExpressionEdit& edit);
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    Prepare prepare_;
};

// The start of the word that ends at the cursor: letters, digits, '_' and characters of `also`.
int wordStart(const QString& text, int cursor, const QString& also = {});

}  // namespace loupe::views
