// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/source/source_view.h"

#include <Qsci/qscilexerpython.h>
#include <Qsci/qsciscintilla.h>

#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QStackedWidget>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>
#include <set>

#include "core/base/library_path.h"
#include "core/session/queries/line_values.h"
#include "core/study/verdict.h"
#include "views/common/comparison.h"
#include "views/common/constructor_bar.h"
#include "views/common/elided_fields.h"
#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/common/panel_bar.h"
#include "views/common/reference_texts.h"
#include "views/common/text_diff.h"
#include "views/common/theme.h"
#include "views/source/continue_edit.h"
#include "views/source/inline_values.h"

namespace loupe::views {

namespace {

enum Marker {
    CurrentLine = 0,
    CurrentArrow,
    ReachedLine,
    ReachedArrow,
    FailedLine,
    FailedMark,
    BreakpointMark,
    DisabledBreakpointMark
};
constexpr int kSymbolMargin = 0;
constexpr int kNumberMargin = 1;

// Code that came with Python or a library. A file that is edited here is the user's wherever it lies.
bool isOfLibrary(const session::SourceFile& source) {
    return source.is_original && !source.is_editable && is_library_path(source.name);
}

}  // namespace

// "resnet.py  torchvision/models" for a file; names in the archive are unchanged.
QString SourceView::fileTitle(const session::SourceFile& source) {
    const QString name = text(source.name);
    const auto slash = name.lastIndexOf(QLatin1Char('/'));
    if (!source.is_original || slash < 0) return name;
    return QStringLiteral("%1   %2").arg(name.mid(slash + 1), name.left(slash));
}

ViewDescription SourceView::describe() {
    return {QStringLiteral("source"), tr("Source"),
            tr("The code of the model. The current event's line is marked; click in the margin to break at a line, on "
               "a line to go to its event."),
            QStringLiteral("source"), Place::Centre};
}

SourceView::SourceView(SessionBridge& bridge, QWidget* parent)
    : View(bridge, parent),
      files_(new ElidedComboBox(this)),
      note_(new QLabel(this)),
      again_(new QToolButton(this)),
      continue_(new QToolButton(this)),
      continued_(new QLabel(this)),
      continue_edit_(new ContinueEdit(bridge, this)),
      editor_(new QsciScintilla(this)),
      lexer_(new QsciLexerPython(editor_)),
      constructors_(new ConstructorBar(bridge, ConstructorBar::Guesses::Hidden, this)),
      values_(new InlineValues(editor_)) {
    files_->setObjectName(QStringLiteral("files"));
    files_->setAccessibleName(tr("Source file"));
    files_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    files_->setMinimumContentsLength(16);
    files_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    note_->setProperty("faint", true);
    auto* again = new QAction(themeIcon(QStringLiteral("run")), tr("Save and run again"), this);
    again->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_Return));
    again->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    again->setToolTip(tr("Writes the file and runs the model as it is now (Ctrl+Return)"));
    connect(again, &QAction::triggered, this, &SourceView::saveAndRun);
    addAction(again);
    again_->setObjectName(QStringLiteral("again"));
    again_->setDefaultAction(again);
    again_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    again_->setAutoRaise(true);
    makeContinue();
    makeEditor();
    auto* bar = new PanelBar(this, {4, 3, 4, 3}, 8);
    bar->addWidget(files_);
    bar->addWidget(note_);
    bar->addWidget(continue_);
    bar->addWidget(again_);
    beside_ =
        bar->toggle(tr("Beside the reference"), tr("The source of the pinned run on the left, this one's on the right"),
                    QStringLiteral("besideReference"));
    connect(beside_, &QToolButton::toggled, this, &SourceView::compareTexts);
    search_ = bar->search(tr("Find"), tr("Find in the source"));
    search_->addAction(themeIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    search_->setMaximumWidth(180);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(constructors_);
    layout->addWidget(continued_);
    makeDiff();
    layout->addWidget(stack_, 1);
    setFocusProxy(editor_);

    listen();
    applyTheme();
    showModel();
    takeReference();
}

void SourceView::listen() {
    connect(files_, &QComboBox::currentIndexChanged, this, &SourceView::showFile);
    connect(search_, &QLineEdit::returnPressed, this, [this] { search(true); });
    connect(search_, &QLineEdit::textEdited, this, [this] { search(true); });
    connect(editor_, &QsciScintilla::textChanged, this, &SourceView::noteEdit);
    connect(editor_, &QsciScintilla::modificationChanged, this, [this] {
        noteEdit();
        askForValues();  // values belong to the text that ran
    });
    connect(&bridge(), &SessionBridge::sourceSaved, this, [this](const QString& file) {
        if (file != shown_) return;
        is_filling_ = true;
        editor_->setModified(false);
        is_filling_ = false;
        showEdited();
    });
    connect(&bridge(), &SessionBridge::sourceEditsDiscarded, this, [this] {
        if (const auto* source = shownSource(); source && editor_->isModified()) showText(*source);
        showEdited();
    });
    connect(&bridge(), &SessionBridge::sourceEditRestored, this, [this](const QString& file) {
        if (const auto* source = shownSource(); source && file == shown_) showText(*source);
        showEdited();
        showBreakpoints();
    });
    connect(&Comparison::of(bridge()), &Comparison::textsWanted, this, [this] { showBeside(true); });
    connect(&Comparison::of(bridge()), &Comparison::referencesChanged, this, &SourceView::takeReference);
    connect(&Comparison::of(bridge()), &Comparison::differencesChanged, this, &SourceView::takeReference);
    connect(&bridge(), &SessionBridge::modelChanged, this, &SourceView::showModel);
    connect(&bridge(), &SessionBridge::currentChanged, this, &SourceView::showCurrent);
    connect(&bridge(), &SessionBridge::statusChanged, this, [this] {
        showEdited();
        showReached();
        showFailed();
        askForValues();
    });
    connect(editor_, &QsciScintilla::SCN_UPDATEUI, values_, qOverload<>(&QWidget::update));
    connect(&bridge(), &SessionBridge::breakpointsChanged, this, &SourceView::showBreakpoints);
    connect(&Theme::instance(), &Theme::changed, this, &SourceView::applyTheme);
}

void SourceView::makeContinue() {
    auto* action = new QAction(themeIcon(QStringLiteral("step_over")), tr("Continue with the edit"), this);
    action->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Return));
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    action->setToolTip(
        tr("Writes the file; the run that is parked or has failed goes on with it from the start of the function that "
           "changed (Ctrl+Shift+Return)"));
    connect(action, &QAction::triggered, this, &SourceView::continueWithEdit);
    addAction(action);
    continue_->setObjectName(QStringLiteral("continue"));
    continue_->setDefaultAction(action);
    continue_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    continue_->setAutoRaise(true);
    continue_->hide();
    continued_->setObjectName(QStringLiteral("continued"));
    continued_->setTextFormat(Qt::PlainText);
    continued_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    continued_->setWordWrap(true);
    continued_->setContentsMargins(8, 2, 8, 4);
    continued_->hide();
    const auto show = [this](const QString& line, bool is_bad) {
        continued_->setProperty("bad", is_bad);
        continued_->style()->unpolish(continued_);
        continued_->style()->polish(continued_);
        continued_->setText(line);
        continued_->setVisible(!line.isEmpty());
    };
    connect(continue_edit_, &ContinueEdit::said, this, [show](const QString& line) { show(line, false); });
    connect(continue_edit_, &ContinueEdit::refused, this,
            [this, show](const QString& why, const session::SourcePlace& place) {
                show(why, true);
                if (place.line <= 0 || text(place.file) != currentFile()) return;
                editor_->setCursorPosition(place.line - 1, 0);
                bringIntoSight(place.line - 1);
                values_->setTrouble(place.line - 1, why);
            });
}

void SourceView::continueWithEdit() { continue_edit_->start(); }

QString SourceView::continuedText() const { return continued_->isHidden() ? QString() : continued_->text(); }

void SourceView::makeEditor() {
    editor_->setObjectName(QStringLiteral("editor"));
    editor_->setAccessibleName(tr("Source"));
    editor_->setLexer(lexer_);
    editor_->setReadOnly(true);
    editor_->setUtf8(true);
    editor_->setFrameShape(QFrame::NoFrame);
    editor_->setFolding(QsciScintilla::NoFoldStyle);
    // Folding would bring hidden lines back.
    editor_->SendScintilla(QsciScintilla::SCI_SETPROPERTY, "fold", "0");
    editor_->SendScintilla(QsciScintilla::SCI_SETAUTOMATICFOLD, 0UL);
    editor_->setMarginType(kSymbolMargin, QsciScintilla::SymbolMargin);
    editor_->setMarginWidth(kSymbolMargin, 18);
    editor_->setMarginSensitivity(kSymbolMargin, true);
    editor_->setMarginType(kNumberMargin, QsciScintilla::NumberMargin);
    editor_->setMarginSensitivity(kNumberMargin, true);
    editor_->markerDefine(QsciScintilla::Background, CurrentLine);
    editor_->markerDefine(QsciScintilla::RightTriangle, CurrentArrow);
    editor_->markerDefine(QsciScintilla::Background, ReachedLine);
    editor_->markerDefine(QsciScintilla::RightArrow, ReachedArrow);
    editor_->markerDefine(QsciScintilla::Background, FailedLine);
    editor_->markerDefine(QsciScintilla::SmallRectangle, FailedMark);
    editor_->markerDefine(QsciScintilla::Circle, BreakpointMark);
    editor_->markerDefine(QsciScintilla::Circle, DisabledBreakpointMark);
    editor_->setMarginMarkerMask(kSymbolMargin, 1 << CurrentArrow | 1 << ReachedArrow | 1 << FailedMark |
                                                    1 << BreakpointMark | 1 << DisabledBreakpointMark);
    editor_->setMarginMarkerMask(kNumberMargin, 0);
    connect(editor_, &QsciScintilla::marginClicked, this, [this](int, int line, Qt::KeyboardModifiers) {
        if (currentFile().isEmpty()) return;
        moveBreakpoints();
        bridge().toggleLineBreakpoint(currentFile(), line + 1);
    });
    // A click on a line selects its event; moving with the keyboard does not.
    connect(editor_, &QsciScintilla::selectionChanged, this, [this] {
        if (editor_->hasSelectedText() || !editor_->hasFocus() || QGuiApplication::mouseButtons() == Qt::NoButton)
            return;
        int line = 0, column = 0;
        editor_->getCursorPosition(&line, &column);
        if (bridge().currentSource().line != line + 1)
            bridge().setCurrentSource({currentFile().toStdString(), line + 1, 0});
    });
}

void SourceView::applyTheme() {
    const Theme& theme = Theme::instance();
    const QColor paper = theme.colour(Theme::Colour::Panel);
    const QColor ink = theme.colour(Theme::Colour::Text);
    lexer_->setDefaultFont(theme.codeFont());
    lexer_->setDefaultPaper(paper);
    lexer_->setDefaultColor(ink);
    for (int style = 0; style < 128; ++style) {
        lexer_->setFont(theme.codeFont(), style);
        lexer_->setPaper(paper, style);
        lexer_->setColor(ink, style);
    }
    const QColor text = theme.colour(Theme::Colour::Good);
    for (const int style : {QsciLexerPython::SingleQuotedString, QsciLexerPython::DoubleQuotedString,
                            QsciLexerPython::TripleSingleQuotedString, QsciLexerPython::TripleDoubleQuotedString,
                            QsciLexerPython::UnclosedString}) {
        lexer_->setColor(text, style);
    }
    lexer_->setColor(theme.colour(Theme::Colour::Faint), QsciLexerPython::Comment);
    lexer_->setColor(theme.colour(Theme::Colour::Faint), QsciLexerPython::CommentBlock);
    lexer_->setColor(theme.series(6), QsciLexerPython::Keyword);
    lexer_->setColor(theme.colour(Theme::Colour::Warning), QsciLexerPython::Number);
    lexer_->setColor(theme.series(0), QsciLexerPython::ClassName);
    lexer_->setColor(theme.series(0), QsciLexerPython::FunctionMethodName);
    lexer_->setColor(theme.series(3), QsciLexerPython::Decorator);
    editor_->setPaper(paper);
    editor_->setCaretForegroundColor(ink);
    editor_->setMarginsFont(theme.codeFont());
    editor_->setMarginsBackgroundColor(theme.colour(Theme::Colour::Window));
    editor_->setMarginsForegroundColor(theme.colour(Theme::Colour::Faint));
    editor_->setSelectionBackgroundColor(theme.colour(Theme::Colour::AccentBack));
    editor_->resetSelectionForegroundColor();
    const auto mark = [&](Theme::Colour colour, int marker) {
        editor_->setMarkerBackgroundColor(theme.colour(colour), marker);
        editor_->setMarkerForegroundColor(theme.colour(colour), marker);
    };
    mark(Theme::Colour::AccentBack, CurrentLine);
    mark(Theme::Colour::Accent, CurrentArrow);
    mark(Theme::Colour::ReachedBack, ReachedLine);
    mark(Theme::Colour::Reached, ReachedArrow);
    mark(Theme::Colour::BadBack, FailedLine);
    mark(Theme::Colour::Bad, FailedMark);
    mark(Theme::Colour::Bad, BreakpointMark);
    mark(Theme::Colour::Bad, DisabledBreakpointMark);
    editor_->setMarkerBackgroundColor(theme.colour(Theme::Colour::Window), DisabledBreakpointMark);
}

QString SourceView::currentFile() const { return files_->currentData().toString(); }

int SourceView::fileIndex(const std::string& name) const { return files_->findData(text(name)); }

const std::map<int, QString>& SourceView::valuesInLine() const { return values_->texts(); }

int SourceView::failedLine() const { return values_->troubleLine(); }

void SourceView::askForValues() {
    const bool isStanding = bridge().isPaused() || bridge().status().state == session::RunState::Failed;
    if (!isStanding || editor_->isModified()) return showValues({});
    bridge().ask(QStringLiteral("line values"), session::LineValuesQuery{}, this,
                 [this](const std::vector<session::FrameValues>& frames) { showValues(frames); });
}

// Parts of the source that a traced model lacks, by line from 0.
std::map<int, QString> SourceView::traceNotes() const {
    std::map<int, QString> notes;
    const auto& model = bridge().model();
    if (!model || model->form != session::ModelForm::Traced) return notes;
    for (const auto& note : model->trace_warnings) {
        if (note.source.line <= 0 || text(note.source.file) != currentFile()) continue;
        const QString what = text(note.text).section(QStringLiteral(" might cause"), 0, 0);
        notes[note.source.line - 1] = tr("\u26a0 not in the trace: %1").arg(what);
    }
    return notes;
}

// Lines whose operators make a NaN or Inf, or turn an Inf into NaN, in this run, by line from 0.
std::map<int, QString> SourceView::originNotes() const {
    std::map<int, QString> notes;
    const auto& recording = bridge().recording();
    if (!recording || bridge().isBusy()) return notes;
    const std::string file = currentFile().toStdString();
    for (session::EventId id = 1; id <= bridge().eventCount(); ++id) {
        const session::Event& event = recording->event(id);
        if (!session::is_origin(event.not_finite) || event.source_line <= 0 || event.source_file != file) continue;
        QString& note = notes[event.source_line - 1];
        if (note.isEmpty()) note = QStringLiteral("\u2190 #%1 ").arg(id) + text(session::explain(*recording, id).text);
    }
    return notes;
}

// Of every active function in this file; of a recursive one its innermost call.
void SourceView::showValues(const std::vector<session::FrameValues>& frames) {
    std::map<int, QString> texts = traceNotes();
    std::set<std::string> seen;
    for (const session::FrameValues& frame : frames) {
        if (text(frame.source.file) != currentFile() || !seen.insert(frame.function).second) continue;
        for (const session::LineValue& value : frame.values) {
            QString& line = texts[value.line - 1];
            if (!line.isEmpty()) line += QStringLiteral("   ");
            line += QStringLiteral("%1 = %2").arg(text(value.name), text(value.text));
        }
    }
    std::set<int> bad;
    for (auto& [line, note] : originNotes()) {
        QString& shown = texts[line];
        shown = shown.isEmpty() ? note : shown + QStringLiteral("   ") + note;
        bad.insert(line);
    }
    values_->setTexts(std::move(texts), std::move(bad));
    const session::SourcePlace failed = failedPlace();
    const bool isHere = failed.line > 0 && text(failed.file) == currentFile() && !editor_->isModified();
    // The file is visible.
    QString trouble = text(bridge().status().error);
    if (const QString prefix = currentFile() + QStringLiteral(": "); trouble.startsWith(prefix))
        trouble.remove(0, prefix.size());
    values_->setTrouble(isHere ? failed.line - 1 : -1, isHere ? trouble : QString());
}

// Of a run or an opening that failed: the line that the error names, else that of the operator that failed.
session::SourcePlace SourceView::failedPlace() const {
    const session::Status& status = bridge().status();
    if (status.state != session::RunState::Failed) return {};
    if (status.error_source.line > 0) return status.error_source;
    const session::EventId last = bridge().parkedEvent();
    if (last == 0 || !bridge().recording()->event(last).failed) return {};
    const auto& event = bridge().recording()->event(last);
    return {std::string(event.source_file), event.source_line, 0};
}

void SourceView::showFailed() {
    editor_->markerDeleteAll(FailedLine);
    editor_->markerDeleteAll(FailedMark);
    const session::SourcePlace place = failedPlace();
    if (place.line <= 0 || text(place.file) != currentFile()) return;
    editor_->markerAdd(place.line - 1, FailedLine);
    editor_->markerAdd(place.line - 1, FailedMark);
    bringIntoSight(place.line - 1);
}

void SourceView::showModel() {
    constructors_->showModel();
    const QSignalBlocker blocker(files_);
    const QString before = currentFile();
    files_->clear();
    if (const auto& model = bridge().model()) {
        for (const auto& source : model->sources) {
            const bool is_own = source.is_original && !isOfLibrary(source);
            files_->addItem(themeIcon(is_own ? QStringLiteral("source") : QStringLiteral("model")), fileTitle(source),
                            text(source.name));
            files_->setItemData(files_->count() - 1, text(source.name), Qt::ToolTipRole);
        }
        const int first = files_->findData(before) >= 0 ? files_->findData(before) : firstFile(*model);
        if (first >= 0) files_->setCurrentIndex(first);
    }
    showFile(files_->currentIndex());
}

// The start of the model's forward: the outermost operator or call with a source range.
int SourceView::firstFile(const session::ModelInfo& model) const {
    if (!model.graph) return -1;
    const session::GraphNode* best = nullptr;
    for (const auto& node : model.graph->nodes) {
        // A library's calls are looked at after the user's.
        const auto order = [](const session::GraphNode& each) {
            return std::pair(is_library_path(each.source.file), each.scope.size());
        };
        if (node.source.line > 0 && (!best || order(node) < order(*best))) best = &node;
    }
    return best ? fileIndex(best->source.file) : -1;
}

const session::SourceFile* SourceView::shownSource() const {
    const auto& model = bridge().model();
    const int index = files_->currentIndex();
    const bool known = model && index >= 0 && index < static_cast<int>(model->sources.size());
    return known ? &model->sources[static_cast<std::size_t>(index)] : nullptr;
}

bool SourceView::isEditable() const { return shownSource() && shownSource()->is_editable; }

void SourceView::showFile(int) {
    const session::SourceFile* source = shownSource();
    again_->setVisible(isEditable());
    editor_->setReadOnly(!isEditable());
    if (!source) {
        editor_->clear();
        note_->clear();
        shown_.clear();
        return takeReference();
    }
    // Keeps edited text and the cursor.
    const bool isAgain = shown_ == text(source->name);
    shown_ = text(source->name);
    const bool isKept = isAgain && (editor_->isModified() ? bridge().sourceEdits().contains(shown_)
                                                          : editor_->text() == text(source->text) ||
                                                                bridge().wrote(shown_, editor_->text()));
    if (!isKept) showText(*source);
    hideBlankStretches(source->is_original && !source->is_editable);
    if (!isAgain) editor_->setFirstVisibleLine(0);
    editor_->setMarginWidth(kNumberMargin, QStringLiteral("0%1").arg(std::max(editor_->lines(), 100)));
    showEdited();
    showBreakpoints();
    markReached();
    showFailed();
    markCurrent();
    askForValues();
    takeReference();
}

// The file's text, and the edited one over it, which can be undone.
void SourceView::showText(const session::SourceFile& source) {
    is_filling_ = true;
    editor_->setReadOnly(false);
    editor_->setText(text(source.text));
    editor_->setModified(false);
    const auto edit = bridge().sourceEdits().find(text(source.name));
    if (source.is_editable && edit != bridge().sourceEdits().end()) {
        editor_->beginUndoAction();
        editor_->selectAll();
        editor_->replaceSelectedText(edit->second);
        editor_->endUndoAction();
        editor_->setCursorPosition(0, 0);
    }
    editor_->setReadOnly(!source.is_editable);
    is_filling_ = false;
}

// The bridge stores the edited text of each file, also of hidden ones.
void SourceView::noteEdit() {
    if (!is_filling_ && isEditable() && !shown_.isEmpty()) {
        bridge().setSourceEdit(shown_, editor_->isModified() ? std::optional(editor_->text()) : std::nullopt);
    }
    showEdited();
}

void SourceView::showEdited() {
    const session::SourceFile* source = shownSource();
    if (!source) return;
    const bool isEdited = source->is_editable && editor_->isModified();
    continue_->setVisible(isEdited && continue_edit_->isPossible());
    note_->setText(isEdited               ? tr("edited")
                   : isOfLibrary(*source) ? tr("library code")
                   : source->is_original  ? tr("your source")
                                          : tr("code in the archive"));
    note_->setToolTip(isEdited              ? tr("Ctrl+Return writes the file and runs the model again")
                      : source->is_editable ? tr("The file as the model was opened from it; it can be edited here")
                      : source->is_original ? tr("The lines that the file's debug records remember")
                                            : tr("TorchScript as the file contains it"));
}

bool SourceView::saveAndRun() {
    if (!isEditable()) return false;
    if (!bridge().saveSourceEdits().isEmpty()) return false;
    bridge().runAgain();
    return true;
}

// To where their lines are now.
void SourceView::moveBreakpoints() {
    if (isEditable() && editor_->isModified())
        bridge().session().move_breakpoints(shown_.toStdString(), editor_->text().toStdString());
}

// Goes to the line of the current event; but a run that is parked before a statement shows that one, not what it did
// last.
void SourceView::showCurrent() {
    const session::SourcePlace place = bridge().currentSource();
    if (!isParkedAtStatement() || bridge().currentEvent() != static_cast<session::EventId>(bridge().eventCount()))
        goTo(place);
    markCurrent();
}

void SourceView::markCurrent() {
    markInDiff();
    editor_->markerDeleteAll(CurrentLine);
    editor_->markerDeleteAll(CurrentArrow);
    const session::SourcePlace place = bridge().currentSource();
    if (place.line <= 0 || text(place.file) != currentFile()) return;
    editor_->markerAdd(place.line - 1, CurrentLine);
    editor_->markerAdd(place.line - 1, CurrentArrow);
}

// Only what follows the run or the user's choice of an event goes to another file: what fills the editor never does.
void SourceView::goTo(const session::SourcePlace& place) {
    const int index = fileIndex(place.file);
    if (index < 0) return;
    files_->setCurrentIndex(index);
    if (place.line > 0) bringIntoSight(place.line - 1);
}

int SourceView::shownLine(int line) const {
    return static_cast<int>(
        editor_->SendScintilla(QsciScintilla::SCI_VISIBLEFROMDOCLINE, static_cast<unsigned long>(line)));
}

// Debug records have only the compiled functions: between them the file is unknown, and blank here.
void SourceView::hideBlankStretches(bool are_gaps) {
    constexpr int kKept = 2;
    editor_->SendScintilla(QsciScintilla::SCI_SHOWLINES, 0UL, static_cast<long>(editor_->lines() - 1));
    if (!are_gaps) return;
    const QStringList lines = editor_->text().split(QLatin1Char('\n'));
    for (int first = 0; first < lines.size();) {
        int end = first;
        while (end < lines.size() && lines[end].trimmed().isEmpty()) ++end;
        // The last line of the document stays: the editor needs one.
        const int last = std::min<int>(end, static_cast<int>(lines.size()) - 1) - 1;
        // The very first line cannot be hidden.
        const int from = first == 0 ? 1 : first + kKept;
        if (last - from >= kKept)
            editor_->SendScintilla(QsciScintilla::SCI_HIDELINES, static_cast<unsigned long>(from),
                                   static_cast<long>(last));
        first = end + 1;
    }
}

// The statement that the engine is parked before; in a graph, the line of the last operator that ran.
session::SourcePlace SourceView::reachedPlace() const {
    if (!bridge().isPaused()) return {};
    if (bridge().status().next_source.line > 0) return bridge().status().next_source;
    const session::EventId reached = bridge().parkedEvent();
    if (reached == 0) return {};
    const auto& event = bridge().recording()->event(reached);
    return {std::string(event.source_file), event.source_line, 0};
}

bool SourceView::isParkedAtStatement() const { return bridge().isPaused() && bridge().status().next_source.line > 0; }

// Goes there once: the user may look at another file meanwhile.
void SourceView::showReached() {
    const session::SourcePlace place = isParkedAtStatement() ? reachedPlace() : session::SourcePlace();
    const bool is_news = std::tie(place.file, place.line) != std::tie(shown_place_.file, shown_place_.line);
    shown_place_ = place;
    if (is_news && place.line > 0) goTo(place);
    markReached();
}

void SourceView::markReached() {
    editor_->markerDeleteAll(ReachedLine);
    editor_->markerDeleteAll(ReachedArrow);
    const session::SourcePlace place = reachedPlace();
    if (place.line <= 0 || text(place.file) != currentFile()) return;
    editor_->markerAdd(place.line - 1, ReachedLine);
    editor_->markerAdd(place.line - 1, ReachedArrow);
}

void SourceView::bringIntoSight(int line) {
    const int first = editor_->firstVisibleLine();
    const int shown = static_cast<int>(editor_->SendScintilla(QsciScintilla::SCI_LINESONSCREEN));
    const int at = shownLine(line);
    if (at < first + 2 || at > first + shown - 3) editor_->setFirstVisibleLine(std::max(0, at - shown / 3));
}

void SourceView::showBreakpoints() {
    moveBreakpoints();
    editor_->markerDeleteAll(BreakpointMark);
    editor_->markerDeleteAll(DisabledBreakpointMark);
    const std::string file = currentFile().toStdString();
    for (const auto& breakpoint : bridge().breakpoints()) {
        if (breakpoint.kind != session::Breakpoint::Kind::Line || breakpoint.text != file) continue;
        editor_->markerAdd(breakpoint.line - 1, breakpoint.enabled ? BreakpointMark : DisabledBreakpointMark);
    }
}

bool SourceView::toggleBreakpoint() {
    if (currentFile().isEmpty()) return false;
    const int line = cursorLine();
    if (line < 0) return false;
    moveBreakpoints();
    bridge().toggleLineBreakpoint(currentFile(), line + 1);
    return true;
}

int SourceView::cursorLine() const {
    if (isBeside()) return diff_->chosenLine();
    int line = 0, column = 0;
    editor_->getCursorPosition(&line, &column);
    return line;
}

void SourceView::find() {
    search_->setFocus();
    search_->selectAll();
}

void SourceView::search(bool forward) {
    if (search_->text().isEmpty()) return;
    if (isBeside()) {
        diff_->find(search_->text(), forward);
        return;
    }
    editor_->findFirst(search_->text(), false, false, false, true, forward);
}

void SourceView::addActions(QMenu& menu) {
    if (!continue_->isHidden()) menu.addAction(continue_->defaultAction());
    if (isEditable()) menu.addAction(again_->defaultAction());
    if (constructors_->hasChoice()) {
        const bool isShown = !constructors_->isHidden();
        menu.addAction(isShown ? tr("Hide the arguments of the model") : tr("Build with other arguments\u2026"), this,
                       [this, isShown] { constructors_->want(!isShown); });
    }
    menu.addAction(tr("Toggle breakpoint at the line"), this, [this] { toggleBreakpoint(); });
    menu.addAction(tr("Copy"), editor_, &QsciScintilla::copy);
    menu.addAction(tr("Larger text"), editor_, [this] { editor_->zoomIn(); });
    menu.addAction(tr("Smaller text"), editor_, [this] { editor_->zoomOut(); });
}

}  // namespace loupe::views
