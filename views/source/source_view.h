// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Source: the code of the model with the current line, the line the engine is parked at, and breakpoints in the margin.

#include "views/common/view.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QsciLexerPython;
class QsciScintilla;

namespace loupe::views {

class SourceView : public View {
    Q_OBJECT

  public:
    SourceView(SessionBridge& bridge, QWidget* parent);
    static ViewDescription describe();

    QsciScintilla& editor() { return *editor_; }
    QString currentFile() const;

    void find() override;
    bool toggleBreakpoint() override;
    void addActions(QMenu& menu) override;

  private:
    void makeEditor();
    void applyTheme();
    void showModel();
    void showFile(int index);
    void showCurrent();
    void showBreakpoints();
    void showReached();
    void hideBlankStretches(bool are_gaps);
    // Lines of the file and lines on the screen differ where stretches are hidden.
    int shownLine(int line) const;
    void search(bool forward);
    int firstFile(const session::ModelInfo& model) const;
    int fileIndex(const std::string& name) const;

    QComboBox* files_;
    QLineEdit* search_;
    QLabel* note_;
    QsciScintilla* editor_;
    QsciLexerPython* lexer_;
};

}  // namespace loupe::views
