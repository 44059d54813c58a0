// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/help_window.h"

#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QImage>
#include <QLineEdit>
#include <QRegularExpression>
#include <QScrollBar>
#include <QShortcut>
#include <QSplitter>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextDocument>
#include <QTextTable>
#include <QToolButton>
#include <QTreeWidget>
#include <QUrl>
#include <algorithm>

#include "views/common/icons.h"
#include "views/common/theme.h"

namespace loupe::window {

using views::Theme;

namespace {

constexpr int kPageRole = Qt::UserRole;
constexpr int kSectionRole = Qt::UserRole + 1;
constexpr int kMargin = 20;

// As links name a heading, by its words: "2. What's new" and "2-whats-new" are one.
QString plain(const QString& heading) {
    static const QRegularExpression mark(QStringLiteral("[^\\w\\- ]"));
    return QString(heading).toLower().remove(mark).replace(QLatin1Char('-'), QLatin1Char(' '));
}

// Paragraph spacing, code background, table padding, which Qt's Markdown lacks.
void dress(QTextDocument& document) {
    const Theme& theme = Theme::instance();
    QTextCursor whole(&document);
    whole.beginEditBlock();  // laid out once
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        QTextCursor cursor(block);
        QTextBlockFormat format = block.blockFormat();
        const bool is_code =
            format.hasProperty(QTextFormat::BlockCodeFence) || format.hasProperty(QTextFormat::BlockCodeLanguage);
        const int level = format.headingLevel();
        if (is_code) {
            format.setBackground(theme.colour(Theme::Colour::Raised));
            format.setLeftMargin(10);
            format.setTopMargin(0);
            format.setBottomMargin(0);
        } else if (level > 0) {
            format.setTopMargin(level == 1 ? 4 : 22);
            format.setBottomMargin(6);
        } else if (!cursor.currentTable()) {
            format.setBottomMargin(cursor.currentList() ? 3 : 9);
            format.setLineHeight(130, QTextBlockFormat::ProportionalHeight);
        }
        cursor.setBlockFormat(format);
        for (auto part = block.begin(); !part.atEnd(); ++part) {
            const QTextFragment fragment = part.fragment();
            QTextCharFormat characters = fragment.charFormat();
            const bool is_mono = characters.fontFixedPitch() || is_code;
            if (!is_mono && level == 0 && !characters.isAnchor()) continue;
            QTextCursor selection(&document);
            selection.setPosition(fragment.position());
            selection.setPosition(fragment.position() + fragment.length(), QTextCursor::KeepAnchor);
            if (is_mono) {
                characters.setFontFamilies({theme.monoFont().family()});
                if (!is_code) characters.setBackground(theme.colour(Theme::Colour::Raised));
            }
            if (characters.isAnchor()) characters.setForeground(theme.colour(Theme::Colour::Accent));
            if (level > 0) {
                characters.setProperty(QTextFormat::FontSizeAdjustment, level == 1 ? 3 : level == 2 ? 2 : 1);
                characters.setFontWeight(QFont::DemiBold);
            }
            selection.setCharFormat(characters);
        }
    }
    for (QTextFrame* frame : document.rootFrame()->childFrames()) {
        auto* table = qobject_cast<QTextTable*>(frame);
        if (!table) continue;
        QTextTableFormat format = table->format();
        format.setBorderCollapse(true);
        format.setBorder(1);
        format.setBorderBrush(theme.colour(Theme::Colour::Grid));
        format.setCellPadding(5);
        format.setCellSpacing(0);
        format.setBottomMargin(12);
        table->setFormat(format);
    }
    whole.endEditBlock();
}

}  // namespace

HelpWindow::HelpWindow(std::vector<HelpPage> pages, QWidget* parent)
    : QWidget(parent, Qt::Window),
      pages_(std::move(pages)),
      search_(new QLineEdit(this)),
      contents_(new QTreeWidget(this)),
      back_(new QToolButton(this)),
      text_(new QTextBrowser(this)) {
    setObjectName(QStringLiteral("helpWindow"));
    setWindowTitle(tr("Help"));
    setWindowIcon(views::themeIcon(QStringLiteral("help")));
    resize(1040, 720);
    search_->setObjectName(QStringLiteral("helpSearch"));
    search_->setPlaceholderText(tr("Search all pages"));
    search_->setAccessibleName(tr("Search all pages"));
    search_->setClearButtonEnabled(true);
    search_->addAction(views::themeIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    contents_->setObjectName(QStringLiteral("helpContents"));
    contents_->setAccessibleName(tr("Contents"));
    contents_->setHeaderHidden(true);
    contents_->setFrameShape(QFrame::NoFrame);
    contents_->setIndentation(14);
    back_->setObjectName(QStringLiteral("helpBack"));
    back_->setIcon(views::themeIcon(QStringLiteral("back")));
    back_->setToolTip(tr("The place before (Alt+Left)"));
    back_->setAccessibleName(tr("The place before"));
    back_->setShortcut(QKeySequence(Qt::ALT | Qt::Key_Left));
    text_->setObjectName(QStringLiteral("helpText"));
    text_->setAccessibleName(tr("Page"));
    text_->setOpenLinks(false);
    text_->setFrameShape(QFrame::NoFrame);
    text_->document()->setDocumentMargin(kMargin);
    text_->setSearchPaths({helpFolder().absolutePath()});
    text_->viewport()->installEventFilter(this);

    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(6, 6, 6, 4);
    bar->addWidget(back_);
    bar->addWidget(search_, 1);
    auto* left = new QWidget(this);
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(contents_, 1);
    auto* halves = new QSplitter(this);
    halves->addWidget(left);
    halves->addWidget(text_);
    halves->setStretchFactor(1, 1);
    halves->setSizes({280, 760});
    halves->setChildrenCollapsible(false);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(halves);

    connect(search_, &QLineEdit::textChanged, this, &HelpWindow::search);
    connect(search_, &QLineEdit::returnPressed, this, [this] {
        if (auto* first = contents_->topLevelItem(0)) onItem(first);
    });
    connect(contents_, &QTreeWidget::itemClicked, this, &HelpWindow::onItem);
    connect(contents_, &QTreeWidget::itemActivated, this, &HelpWindow::onItem);
    connect(back_, &QToolButton::clicked, this, &HelpWindow::goBack);
    connect(text_, &QTextBrowser::anchorClicked, this, &HelpWindow::onLink);
    connect(new QShortcut(QKeySequence::Find, this), &QShortcut::activated, this,
            [this] { search_->setFocus(), search_->selectAll(); });
    connect(new QShortcut(Qt::Key_Escape, this), &QShortcut::activated, this, &QWidget::close);
    connect(&Theme::instance(), &Theme::changed, this, &HelpWindow::render);
    fillContents();
    if (!pages_.empty()) go({0, 0});
    search_->setFocus();
}

QString HelpWindow::page() const {
    return position_.page < 0 ? QString() : pages_[static_cast<std::size_t>(position_.page)].name;
}

void HelpWindow::showPage(const QString& name, const QString& heading) {
    for (std::size_t i = 0; i < pages_.size(); ++i) {
        if (pages_[i].name != name) continue;
        int section = 0;
        for (std::size_t j = 0; j < pages_[i].sections.size(); ++j) {
            if (!heading.isEmpty() && plain(pages_[i].sections[j].heading) == plain(heading))
                section = static_cast<int>(j);
        }
        go({static_cast<int>(i), section});
        return;
    }
}

void HelpWindow::go(Position position) {
    const bool is_other = position.page != position_.page;
    if (position_.page >= 0 && (is_other || position.section != position_.section)) seen_.push_back(position_);
    position_ = position;
    back_->setEnabled(!seen_.empty());
    if (is_other) render();
    scrollTo(position.section);
}

void HelpWindow::goBack() {
    if (seen_.empty()) return;
    const Position before = seen_.back();
    seen_.pop_back();
    const bool is_other = before.page != position_.page;
    position_ = before;
    back_->setEnabled(!seen_.empty());
    if (is_other) render();
    scrollTo(before.section);
}

// "guide.md#Who holds the memory", "#heading", "panel:events", "examples/pairs.py". Spaces of a heading are written as
// "-".
void HelpWindow::onLink(const QUrl& link) {
    if (link.scheme() == QLatin1String("panel")) {
        emit panelWanted(link.path());
        return;
    }
    if (!link.path().isEmpty() && !link.path().endsWith(QLatin1String(".md"))) {
        const QString file = helpFolder().absoluteFilePath(link.path());
        if (link.scheme().isEmpty() && QFileInfo::exists(file)) emit fileWanted(file);
        return;
    }
    const QString name = link.path().isEmpty() ? page() : link.path().remove(QStringLiteral(".md"));
    showPage(name, link.fragment(QUrl::FullyDecoded));
}

void HelpWindow::onItem(QTreeWidgetItem* item) {
    go({item->data(0, kPageRole).toInt(), item->data(0, kSectionRole).toInt()});
}

void HelpWindow::search() {
    const QString words = search_->text().trimmed();
    if (words.isEmpty()) {
        fillContents();
    } else {
        fillMatches(words);
    }
}

void HelpWindow::fillContents() {
    contents_->clear();
    QTreeWidgetItem* over = nullptr;
    for (int page = 0; page < static_cast<int>(pages_.size()); ++page) {
        const HelpPage& each = pages_[static_cast<std::size_t>(page)];
        // Pages of operators stand below the one that says what they are.
        const bool is_below = over && each.name.startsWith(QLatin1String("operators_"));
        auto* top = is_below ? new QTreeWidgetItem(over, {each.title}) : new QTreeWidgetItem(contents_, {each.title});
        if (each.name == QLatin1String("operators")) over = top;
        top->setData(0, kPageRole, page);
        top->setData(0, kSectionRole, 0);
        for (int section = 0; section < static_cast<int>(each.sections.size()); ++section) {
            const HelpSection& part = each.sections[static_cast<std::size_t>(section)];
            if (part.level != 2) continue;
            auto* item = new QTreeWidgetItem(top, {part.heading});
            item->setData(0, kPageRole, page);
            item->setData(0, kSectionRole, section);
        }
        top->setExpanded(page == position_.page || each.name == QLatin1String("guide"));
    }
}

void HelpWindow::fillMatches(const QString& words) {
    contents_->clear();
    const auto matches = searchHelp(pages_, words);
    for (const HelpMatch& match : matches) {
        const HelpPage& page = pages_[static_cast<std::size_t>(match.page)];
        const QString& heading = page.sections[static_cast<std::size_t>(match.section)].heading;
        auto* item = new QTreeWidgetItem(
            contents_, {heading == page.title ? heading : QStringLiteral("%1 \u203a %2").arg(page.title, heading)});
        item->setData(0, kPageRole, match.page);
        item->setData(0, kSectionRole, match.section);
        item->setToolTip(0, match.line);
        auto* line = new QTreeWidgetItem(item, {match.line});
        line->setData(0, Qt::ForegroundRole, Theme::themed(Theme::Colour::Faint));
        line->setData(0, kPageRole, match.page);
        line->setData(0, kSectionRole, match.section);
        item->setExpanded(true);
    }
    if (matches.empty()) {
        auto* none = new QTreeWidgetItem(contents_, {tr("No page has all of these words.")});
        none->setFlags(Qt::ItemIsEnabled);
        none->setData(0, kPageRole, std::max(0, position_.page));
        none->setData(0, kSectionRole, position_.section);
    }
}

void HelpWindow::render() {
    if (position_.page < 0) return;
    text_->document()->setDefaultFont(Theme::instance().uiFont());
    text_->setMarkdown(pages_[static_cast<std::size_t>(position_.page)].markdown);
    dress(*text_->document());
    fitPictures();
    setWindowTitle(tr("Help: %1").arg(pages_[static_cast<std::size_t>(position_.page)].title));
}

bool HelpWindow::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize && watched == text_->viewport()) fitPictures();
    return QWidget::eventFilter(watched, event);
}

void HelpWindow::fitPictures() {
    const double room = std::max(100, text_->viewport()->width() - 2 * kMargin);
    for (QTextBlock block = text_->document()->begin(); block.isValid(); block = block.next()) {
        for (auto part = block.begin(); !part.atEnd(); ++part) {
            const QTextFragment fragment = part.fragment();
            if (!fragment.charFormat().isImageFormat()) continue;
            QTextImageFormat format = fragment.charFormat().toImageFormat();
            const QImage image(helpFolder().absoluteFilePath(format.name()));
            const double width = std::min<double>(room, image.width());
            if (image.isNull() || format.width() == width) continue;
            format.setWidth(width);
            QTextCursor selection(text_->document());
            selection.setPosition(fragment.position());
            selection.setPosition(fragment.position() + fragment.length(), QTextCursor::KeepAnchor);
            selection.setCharFormat(format);
            break;  // the fragments of the block are others now
        }
    }
}

void HelpWindow::scrollTo(int section) {
    const auto& sections = pages_[static_cast<std::size_t>(position_.page)].sections;
    // Headings of the text are in the order of the sections.
    int left = section + (sections.front().heading.isEmpty() ? 0 : 1);
    for (QTextBlock block = text_->document()->begin(); section > 0 && block.isValid(); block = block.next()) {
        if (block.blockFormat().headingLevel() == 0 || --left > 0) continue;
        text_->setTextCursor(QTextCursor(block));
        const auto place = text_->cursorRect().top() + text_->verticalScrollBar()->value();
        text_->verticalScrollBar()->setValue(place - 12);
        return;
    }
    text_->verticalScrollBar()->setValue(0);
}

}  // namespace loupe::window
