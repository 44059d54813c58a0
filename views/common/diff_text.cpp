// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/diff_text.h"

#include <QPainter>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextLayout>

#include "views/common/theme.h"

namespace loupe::views {
namespace {

using Rules = std::vector<std::pair<const QRegularExpression*, QColor>>;

// PyTorch's graph text: values, operators, types, comments; the later ones over the earlier.
Rules rulesOfGraphs() {
    static const QRegularExpression values(QStringLiteral("%[\\w.]+"));
    static const QRegularExpression operators(QStringLiteral("\\b[a-z_]\\w*::\\w+"));
    static const QRegularExpression types(QStringLiteral("(?<= : )[^%=#]+?(?= =|, %|\\)|$)"));
    static const QRegularExpression comments(QStringLiteral("#.*$"));
    const Theme& theme = Theme::instance();
    return {{&values, theme.colour(Theme::Colour::Warning)},
            {&operators, theme.series(0)},
            {&types, theme.colour(Theme::Colour::Faint)},
            {&comments, theme.colour(Theme::Colour::Faint)}};
}

// Python, line by line: texts over several lines have no colour.
Rules rulesOfPython() {
    static const QRegularExpression numbers(QStringLiteral("\\b\\d[\\w.]*"));
    static const QRegularExpression names(QStringLiteral("(?<=\\bdef )\\w+|(?<=\\bclass )\\w+"));
    static const QRegularExpression keywords(
        QStringLiteral("\\b(?:and|as|assert|break|class|continue|def|elif|else|for|from|if|import|in|is|lambda|not|or|"
                       "pass|raise|return|while|with|yield|None|True|False)\\b"));
    static const QRegularExpression texts(QStringLiteral("'[^']*'|\"[^\"]*\""));
    static const QRegularExpression comments(QStringLiteral("#.*$"));
    const Theme& theme = Theme::instance();
    return {{&numbers, theme.colour(Theme::Colour::Warning)},
            {&names, theme.series(0)},
            {&keywords, theme.series(6)},
            {&texts, theme.colour(Theme::Colour::Good)},
            {&comments, theme.colour(Theme::Colour::Faint)}};
}

QList<QTextLayout::FormatRange> coloursOf(const QString& line, const Rules& rules) {
    QList<QTextLayout::FormatRange> all;
    for (const auto& [pattern, colour] : rules) {
        for (auto match = pattern->globalMatch(line); match.hasNext();) {
            const auto found = match.next();
            QTextLayout::FormatRange range{
                static_cast<int>(found.capturedStart()), static_cast<int>(found.capturedLength()), {}};
            range.format.setForeground(colour);
            all << range;
        }
    }
    return all;
}

}  // namespace

class DiffText::Margin : public QWidget {
  public:
    explicit Margin(DiffText* text) : QWidget(text), text_(text) {}

  protected:
    void paintEvent(QPaintEvent* event) override { text_->paintMargin(event); }

  private:
    DiffText* text_;
};

DiffText::DiffText(Side side, QWidget* parent) : QPlainTextEdit(parent), side_(side) {
    setReadOnly(true);
    setLineWrapMode(NoWrap);
    setFont(Theme::instance().monoFont());
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    margin_ = new Margin(this);
    connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& area, int dy) {
        if (dy != 0)
            margin_->scroll(0, dy);
        else
            margin_->update(0, area.y(), margin_->width(), area.height());
    });
    connect(this, &QPlainTextEdit::cursorPositionChanged, this, [this] {
        applySelections();
        if (!hasFocus() || is_filling_) return;
        emit rowChosen();
        emit lineChosen(chosenLine());
    });
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        for (QTextBlock block = document()->firstBlock(); block.isValid(); block = block.next()) block.setUserState(-1);
        applySelections();
        viewport()->update();
        margin_->update();
    });
}

int DiffText::marginWidth() const {
    const auto digits = QString::number(std::max<std::size_t>(100, row_of_line_.size())).size();
    return fontMetrics().horizontalAdvance(QLatin1Char('9')) * static_cast<int>(digits) + 14;
}

void DiffText::setRows(const QStringList& lines, std::vector<DiffRow> rows) {
    rows_ = std::move(rows);
    row_of_line_.assign(static_cast<std::size_t>(lines.size()), -1);
    QStringList shown;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const int line = side_ == Side::Left ? rows_[i].left : rows_[i].right;
        shown << (line >= 0 ? lines[line] : QString());
        if (line >= 0) row_of_line_[static_cast<std::size_t>(line)] = static_cast<int>(i);
    }
    marked_.clear();
    marked_row_ = -1;
    is_filling_ = true;
    setPlainText(shown.join(QLatin1Char('\n')));
    is_filling_ = false;
    setViewportMargins(marginWidth(), 0, 0, 0);
    applySelections();
}

int DiffText::rowOfLine(int line) const {
    return line >= 0 && line < static_cast<int>(row_of_line_.size()) ? row_of_line_[static_cast<std::size_t>(line)]
                                                                     : -1;
}

int DiffText::lineOfRow(int row) const {
    if (row < 0 || row >= static_cast<int>(rows_.size())) return -1;
    const DiffRow& found = rows_[static_cast<std::size_t>(row)];
    return side_ == Side::Left ? found.left : found.right;
}

void DiffText::markLines(const std::vector<int>& lines) {
    marked_ = lines;
    applySelections();
}

void DiffText::markRow(int row) {
    marked_row_ = row;
    applySelections();
}

void DiffText::applySelections() {
    Theme& theme = Theme::instance();
    QList<QTextEdit::ExtraSelection> all;
    const auto paint = [&](int row, QColor colour) {
        QTextEdit::ExtraSelection selection;
        selection.format.setBackground(colour);
        selection.format.setProperty(QTextFormat::FullWidthSelection, true);
        selection.cursor = QTextCursor(document()->findBlockByNumber(row));
        all.push_back(selection);
    };
    const auto faded = [](QColor colour, int alpha) {
        colour.setAlpha(alpha);
        return colour;
    };
    for (int line : marked_) {
        if (const int row = rowOfLine(line); row >= 0) paint(row, faded(theme.colour(Theme::Colour::Accent), 90));
    }
    if (marked_row_ >= 0) paint(marked_row_, faded(theme.colour(Theme::Colour::Accent), 60));
    if (hasFocus() && !rows_.empty()) paint(textCursor().blockNumber(), faded(theme.colour(Theme::Colour::Accent), 60));
    setExtraSelections(all);
}

QColor DiffText::backgroundOf(int row) const {
    const Theme& theme = Theme::instance();
    const auto faded = [&](Theme::Colour role, int alpha) {
        QColor colour = theme.colour(role);
        colour.setAlpha(alpha);
        return colour;
    };
    if (row >= static_cast<int>(rows_.size())) return {};
    const DiffRow::Kind kind = rows_[static_cast<std::size_t>(row)].kind;
    if (kind == DiffRow::Kind::Same) return {};
    if (lineOfRow(row) < 0) return theme.colour(Theme::Colour::Window);
    return kind == DiffRow::Kind::Changed   ? faded(Theme::Colour::Warning, 36)
           : kind == DiffRow::Kind::Removed ? faded(Theme::Colour::Bad, 44)
                                            : faded(Theme::Colour::Good, 44);
}

void DiffText::colour(QTextBlock block) {
    constexpr int kColoured = 1;
    if (block.userState() == kColoured) return;
    block.setUserState(kColoured);
    const Rules rules = language_ == Language::Python ? rulesOfPython() : rulesOfGraphs();
    block.layout()->setFormats(coloursOf(block.text(), rules));
    block.layout()->clearLayout();  // laid out again when its size is queried
}

// Colours and backgrounds only of visible rows: graphs have tens of thousands.
void DiffText::paintEvent(QPaintEvent* event) {
    {
        QPainter painter(viewport());
        QTextBlock block = firstVisibleBlock();
        double top = blockBoundingGeometry(block).translated(contentOffset()).top();
        for (; block.isValid() && top <= event->rect().bottom(); block = block.next()) {
            colour(block);
            const double high = blockBoundingRect(block).height();
            if (const QColor colour = backgroundOf(block.blockNumber()); colour.isValid())
                painter.fillRect(QRectF(0, top, viewport()->width(), high), colour);
            top += high;
        }
    }
    QPlainTextEdit::paintEvent(event);
}

void DiffText::resizeEvent(QResizeEvent* event) {
    QPlainTextEdit::resizeEvent(event);
    const QRect inside = contentsRect();
    margin_->setGeometry(inside.left(), inside.top(), marginWidth(), inside.height());
}

void DiffText::paintMargin(QPaintEvent* event) {
    Theme& theme = Theme::instance();
    QPainter painter(margin_);
    painter.fillRect(event->rect(), theme.colour(Theme::Colour::Raised));
    painter.setFont(font());
    QTextBlock block = firstVisibleBlock();
    double top = blockBoundingGeometry(block).translated(contentOffset()).top();
    for (; block.isValid() && top <= event->rect().bottom(); block = block.next()) {
        const double high = blockBoundingRect(block).height();
        const int row = block.blockNumber();
        const int line = lineOfRow(row);
        if (line >= 0) {
            const DiffRow::Kind kind = rows_[static_cast<std::size_t>(row)].kind;
            painter.setPen(theme.colour(kind == DiffRow::Kind::Same ? Theme::Colour::Faint : Theme::Colour::Text));
            const QRectF place(0, top, margin_->width() - 10, high);
            painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter, QString::number(line + 1));
            const char* sign = kind == DiffRow::Kind::Removed   ? "-"
                               : kind == DiffRow::Kind::Added   ? "+"
                               : kind == DiffRow::Kind::Changed ? "~"
                                                                : "";
            painter.drawText(QRectF(margin_->width() - 9, top, 8, high), Qt::AlignCenter, QLatin1String(sign));
        }
        top += high;
    }
}

}  // namespace loupe::views
