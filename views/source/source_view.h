// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Source: the code of the model with the current line, the line the engine is parked at, and breakpoints in the margin.

#include <map>

#include "views/common/view.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QToolButton;
class QStackedWidget;
class QsciLexerPython;
class QsciScintilla;

namespace loupe::views {

class ConstructorBar;
class ContinueEdit;
class InlineValues;
class TextDiff;

class SourceView : public View {
    Q_OBJECT

  public:
    SourceView(SessionBridge& bridge, QWidget* parent);
    static ViewDescription describe();

    QsciScintilla& editor() { return *editor_; }
    QString currentFile() const;
    // Saves the edited file and runs the model again: breakpoints move with their lines.
    // False when the file is not editable, or cannot be written.
    bool saveAndRun();
    // Continues the run that is parked or has failed with the edit: see continue_edit.h.
    void continueWithEdit();
    // What became of the last one; empty: none, or it is over.
    QString continuedText() const;
    // Is the shown file editable?
    bool isEditable() const;
    ConstructorBar& constructors() { return *constructors_; }
    // Values after the lines while the engine is parked in the file, or after a run failed there, by line from 0.
    const std::map<int, QString>& valuesInLine() const;
    // The line, from 0, at which the last run or opening failed, while the text is unchanged; -1: none.
    int failedLine() const;

    // The reference's text stands beside the shown one, which cannot be edited then.
    void showBeside(bool beside_reference);
    // Of the shown file.
    bool differsFromReference();
    TextDiff& differences() { return *diff_; }

    void find() override;
    bool toggleBreakpoint() override;
    void addActions(QMenu& menu) override;

  private:
    static QString fileTitle(const session::SourceFile& source);
    void makeEditor();
    void listen();
    // Beside the reference: beside_reference.cpp.
    void makeDiff();
    void takeReference();
    void compareTexts();
    void markInDiff();
    void followReference(int line);
    bool isBeside() const;
    int cursorLine() const;
    void applyTheme();
    void showModel();
    void showFile(int index);
    void showCurrent();
    void markCurrent();
    void showBreakpoints();
    void showReached();
    void markReached();
    void goTo(const session::SourcePlace& place);
    bool isParkedAtStatement() const;
    void showFailed();
    session::SourcePlace failedPlace() const;
    void askForValues();
    std::map<int, QString> traceNotes() const;
    std::map<int, QString> originNotes() const;
    void showValues(const std::vector<session::FrameValues>& frames);
    session::SourcePlace reachedPlace() const;
    void bringIntoSight(int line);
    void hideBlankStretches(bool are_gaps);
    // Lines of the file and lines on the screen differ where stretches are hidden.
    int shownLine(int line) const;
    void search(bool forward);
    int firstFile(const session::ModelInfo& model) const;
    int fileIndex(const std::string& name) const;
    const session::SourceFile* shownSource() const;
    void showText(const session::SourceFile& source);
    void makeContinue();
    void noteEdit();
    void showEdited();
    void moveBreakpoints();

    QComboBox* files_;
    QLineEdit* search_;
    QLabel* note_;
    QToolButton* again_;
    QToolButton* continue_;
    QLabel* continued_;
    ContinueEdit* continue_edit_;
    QsciScintilla* editor_;
    QsciLexerPython* lexer_;
    QToolButton* beside_ = nullptr;
    QStackedWidget* stack_ = nullptr;  // the editor, or the text beside the reference's
    TextDiff* diff_ = nullptr;
    QString file_there_;  // of the reference, whose text is on the left
    ConstructorBar* constructors_;
    InlineValues* values_;
    QString shown_;                     // the file whose text is in the editor
    session::SourcePlace shown_place_;  // where a parked run was last gone to
    bool is_filling_ = false;           // the text is set, not typed
};

}  // namespace loupe::views
