// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of help: every link leads somewhere, a search finds, the window goes there and back.

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLineEdit>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextDocument>
#include <QToolButton>
#include <QTreeWidget>

#include "app/window/help_window.h"
#include "tests/views/patience.h"
#include "views/registry.h"

using namespace loupe::window;

namespace {

QString readFile(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

// As a page on the web makes of a heading what links name.
QString anchorOf(const QString& heading) {
    static const QRegularExpression mark(QStringLiteral("[^\\w\\- ]"));
    return heading.toLower().remove(mark).replace(QLatin1Char(' '), QLatin1Char('-'));
}

bool hasHeading(const HelpPage& page, const QString& anchor) {
    return std::any_of(page.sections.begin(), page.sections.end(),
                       [&](const HelpSection& section) { return anchorOf(section.heading) == anchor; });
}

}  // namespace

class HelpTest : public QObject {
    Q_OBJECT

  private slots:
    void everyPageIsInTheContents() {
        const auto pages = shippedHelpPages();
        const QStringList files =
            QDir(QStringLiteral(LOUPE_SOURCE_DIR "/resources/docs")).entryList({QStringLiteral("*.md")}, QDir::Files);
        QVERIFY(files.size() >= 8);
        QCOMPARE(static_cast<qsizetype>(pages.size()), files.size());
        for (const HelpPage& page : pages)
            QVERIFY2(!page.title.isEmpty() && page.title != page.name, qPrintable(page.name));
    }

    void everyLinkLeadsSomewhere() {
        const auto pages = shippedHelpPages();
        QStringList panels;
        for (const auto& entry : loupe::views::registry().entries()) panels += entry.description.id;
        QMap<QString, QString> texts{
            {QStringLiteral("README"), readFile(QStringLiteral(LOUPE_SOURCE_DIR "/README.md"))}};
        for (const HelpPage& page : pages) texts[page.name] = page.markdown;
        static const QRegularExpression link(QStringLiteral("\\]\\(([^)#]*)(#[^)]*)?\\)"));
        int followed = 0;
        for (auto text = texts.cbegin(); text != texts.cend(); ++text) {
            for (auto links = link.globalMatch(text.value()); links.hasNext(); ++followed) {
                const auto match = links.next();
                const QString where = text.key() + QStringLiteral(": ") + match.captured();
                if (match.captured(1).startsWith(QLatin1String("panel:"))) {
                    QVERIFY2(panels.contains(match.captured(1).mid(6)), qPrintable(where));
                    continue;
                }
                if (text.key() == QLatin1String("README")) {
                    QVERIFY2(QFileInfo::exists(QStringLiteral(LOUPE_SOURCE_DIR "/") + match.captured(1)),
                             qPrintable(where));
                }
                if (!match.captured(1).endsWith(QLatin1String(".md")) && match.captured(2).isEmpty()) continue;
                const QString name = match.captured(1).isEmpty() ? text.key() : QFileInfo(match.captured(1)).baseName();
                const auto page =
                    std::find_if(pages.begin(), pages.end(), [&](const HelpPage& each) { return each.name == name; });
                QVERIFY2(page != pages.end(), qPrintable(where));
                if (!match.captured(2).isEmpty())
                    QVERIFY2(hasHeading(*page, match.captured(2).mid(1)), qPrintable(where));
            }
        }
        QVERIFY(followed > 15);
    }

    void codeHasNoHeadings() {
        const HelpPage page = readHelpPage(
            QStringLiteral("x"), QStringLiteral("# One\ntext\n```\n# no heading\n```\n## Two `a|b`\n#none\n"));
        QCOMPARE(page.title, QStringLiteral("One"));
        QCOMPARE(page.sections.size(), std::size_t{2});
        QCOMPARE(page.sections[1].heading, QStringLiteral("Two ab"));
        QCOMPARE(page.sections[1].level, 2);
        QVERIFY(page.sections[1].text.contains(QLatin1String("#none")));
    }

    void aSearchFindsAllWords() {
        const std::vector<HelpPage> pages{
            readHelpPage(QStringLiteral("a"), QStringLiteral("# Alpha\nnothing\n## Memory peak\n- **who** holds\n")),
            readHelpPage(QStringLiteral("b"), QStringLiteral("# Beta\nmemory of the [peak](a.md)\n"))};
        const auto both = searchHelp(pages, QStringLiteral("PEAK memory"));
        QCOMPARE(both.size(), std::size_t{2});
        QCOMPARE(both[0].page, 0);  // in the heading
        QCOMPARE(both[0].section, 1);
        QCOMPARE(both[0].line, QStringLiteral("who holds"));
        QCOMPARE(both[1].line, QStringLiteral("memory of the peak"));
        QVERIFY(searchHelp(pages, QStringLiteral("peak nowhere")).empty());
        QVERIFY(searchHelp(pages, QStringLiteral("  ")).empty());
    }

    // F1's sister: every panel, one that somebody adds tomorrow too, has a section of its own.
    void everyPanelHasItsSection() {
        const auto pages = shippedHelpPages();
        QSet<QString> headings;
        for (const auto& entry : loupe::views::registry().entries()) {
            const QString heading = headingOfPanel(pages, entry.description.id);
            QVERIFY2(!heading.isEmpty(), qPrintable(entry.description.id));
            QCOMPARE(heading, entry.description.title);
            headings += heading;
        }
        QCOMPARE(static_cast<std::size_t>(headings.size()), loupe::views::registry().entries().size());
        QVERIFY(headingOfPanel(pages, QStringLiteral("nowhere")).isEmpty());
    }

    // Pages are reached by links from the first one, not by the contents alone.
    void everyPageIsReachedFromTheIndex() {
        const QString index = readFile(QStringLiteral(LOUPE_SOURCE_DIR "/resources/docs/index.md"));
        for (const HelpPage& page : shippedHelpPages()) {
            if (page.name != QLatin1String("index"))
                QVERIFY2(index.contains(QStringLiteral("](%1.md)").arg(page.name)), qPrintable(page.name));
        }
    }

    void everyFileOfALinkIsThere() {
        static const QRegularExpression link(QStringLiteral("\\]\\(((?:examples|pictures)/[^)]+)\\)"));
        int found = 0;
        for (const HelpPage& page : shippedHelpPages()) {
            for (auto links = link.globalMatch(page.markdown); links.hasNext(); ++found) {
                const QString file = links.next().captured(1);
                QVERIFY2(QFileInfo::exists(helpFolder().filePath(file)), qPrintable(page.name + ": " + file));
            }
        }
        QVERIFY(found > 15);
    }

    // The reference is made of the records: an operator's row says what its record says.
    void operatorsStandBelowTheirPage() {
        const auto pages = allHelpPages();
        const auto at = [&](const char* name) {
            return std::find_if(pages.begin(), pages.end(),
                                [&](const HelpPage& page) { return page.name == QLatin1String(name); });
        };
        const auto pointwise = at("operators_pointwise");
        QVERIFY(pointwise != pages.end() && pointwise > at("operators"));
        QVERIFY(pointwise->markdown.contains(QStringLiteral("`aten::tanh(Tensor self) -> Tensor`")));
        QVERIFY(pointwise->markdown.contains(QStringLiteral("`self: grad (1 - out^2)`")));
        QVERIFY(at("operators_nn") != pages.end() && at("operators_linalg") != pages.end());
        HelpWindow help(pages);
        help.showPage(QStringLiteral("operators_pointwise"));
        QVERIFY(help.findChild<QTextBrowser*>(QStringLiteral("helpText"))->toPlainText().contains("aten::tanh(Tensor"));
        auto* contents = help.findChild<QTreeWidget*>(QStringLiteral("helpContents"));
        const auto items =
            contents->findItems(QStringLiteral("Operators: pointwise"), Qt::MatchExactly | Qt::MatchRecursive);
        QCOMPARE(items.size(), 1);
        QCOMPARE(items.front()->parent()->text(0), QStringLiteral("Operators"));
    }

    // As wide as they are, or as the page is; drawn, not a place that is left empty.
    void picturesFitThePage() {
        HelpWindow help(shippedHelpPages());
        help.resize(800, 600);
        help.show();
        QVERIFY(QTest::qWaitForWindowExposed(&help));
        help.showPage(QStringLiteral("task_nan"));
        auto* text = help.findChild<QTextBrowser*>(QStringLiteral("helpText"));
        const auto widths = [&] {
            std::vector<double> found;
            for (QTextBlock block = text->document()->begin(); block.isValid(); block = block.next()) {
                for (auto part = block.begin(); !part.atEnd(); ++part) {
                    const QTextCharFormat format = part.fragment().charFormat();
                    if (format.isImageFormat()) found.push_back(format.toImageFormat().width());
                }
            }
            return found;
        };
        QCOMPARE(widths().size(), std::size_t{2});
        const double narrow = widths().front();
        QVERIFY(narrow > 100 && narrow <= text->viewport()->width());
        QVERIFY(!text->loadResource(QTextDocument::ImageResource, QUrl(QStringLiteral("pictures/nan_training.png")))
                     .isNull());
        help.resize(1100, 600);
        QTRY_VERIFY(widths().front() > narrow);
        for (const double width : widths()) QVERIFY(width <= text->viewport()->width());
    }

    void aLinkOpensAnExample() {
        HelpWindow help(shippedHelpPages());
        help.showPage(QStringLiteral("task_nan"));
        auto* text = help.findChild<QTextBrowser*>(QStringLiteral("helpText"));
        const QSignalSpy wanted(&help, &HelpWindow::fileWanted);
        emit text->anchorClicked(QUrl(QStringLiteral("examples/pairs.py")));
        QCOMPARE(wanted.size(), 1);
        QVERIFY(QFileInfo(wanted[0][0].toString()).isFile());
        emit text->anchorClicked(QUrl(QStringLiteral("examples/nowhere.py")));
        emit text->anchorClicked(QUrl(QStringLiteral("file:///etc/passwd")));
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(help.page(), QStringLiteral("task_nan"));
    }

    void theWindowGoesThereAndBack() {
        HelpWindow help(shippedHelpPages());
        help.show();
        QVERIFY(QTest::qWaitForWindowExposed(&help));
        auto* text = help.findChild<QTextBrowser*>(QStringLiteral("helpText"));
        auto* contents = help.findChild<QTreeWidget*>(QStringLiteral("helpContents"));
        auto* search = help.findChild<QLineEdit*>(QStringLiteral("helpSearch"));
        auto* back = help.findChild<QToolButton*>(QStringLiteral("helpBack"));
        QCOMPARE(help.page(), QStringLiteral("index"));
        QVERIFY(!back->isEnabled());

        QTest::keyClicks(search, QStringLiteral("block alive owner saved it for backward peak"));
        QVERIFY(contents->topLevelItemCount() > 0);
        QVERIFY(contents->topLevelItem(0)->text(0).startsWith(QLatin1String("Guide by task")));
        QTest::keyClick(search, Qt::Key_Return);
        QCOMPARE(help.page(), QStringLiteral("guide"));
        QVERIFY(text->verticalScrollBar()->value() > 0);
        QVERIFY(text->textCursor().block().text().startsWith(QLatin1String("Who holds the memory")));

        QTest::mouseClick(back, Qt::LeftButton);
        QCOMPARE(help.page(), QStringLiteral("index"));
        emit text->anchorClicked(QUrl(QStringLiteral("guide.md#is-my-conversion-right")));
        QCOMPARE(help.page(), QStringLiteral("guide"));
        QVERIFY(text->textCursor().block().text().startsWith(QLatin1String("Is my conversion right")));
        emit text->anchorClicked(QUrl(QStringLiteral("nowhere.md")));
        QCOMPARE(help.page(), QStringLiteral("guide"));
        emit text->anchorClicked(QUrl(QStringLiteral("task_slow.md#2-whose-memory-is-it")));
        QVERIFY(text->textCursor().block().text().startsWith(QLatin1String("2. Whose memory")));
        help.showPage(QStringLiteral("guide"));

        QSignalSpy wanted(&help, &HelpWindow::panelWanted);
        emit text->anchorClicked(QUrl(QStringLiteral("panel:events")));
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(wanted[0][0].toString(), QStringLiteral("events"));

        search->clear();
        QTest::keyClicks(search, QStringLiteral("zyzzyva"));
        QCOMPARE(contents->topLevelItemCount(), 1);
        QVERIFY(contents->topLevelItem(0)->text(0).contains(QLatin1String("No page")));
    }
};

QTEST_MAIN(HelpTest)
#include "help_test.moc"
