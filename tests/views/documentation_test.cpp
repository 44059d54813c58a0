// SPDX-License-Identifier: GPL-3.0-or-later
// The Documentation panel: pages of operators, formulas, search, links.

#include <QAbstractItemView>
#include <QCompleter>
#include <QLineEdit>
#include <QTest>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextFragment>
#include <QToolButton>

#include "tests/views/patience.h"
#include "tests/views/sample_run.h"
#include "views/documentation/documentation_view.h"
#include "views/documentation/formula_text.h"

using namespace loupe;
using namespace loupe::views;

class DocumentationTest : public QObject {
    Q_OBJECT

    // Without the tags.
    static QString plain(const QString& html) {
        QTextDocument document;
        document.setHtml(html);
        return document.toPlainText();
    }
    static QString page(DocumentationView& view) { return view.page().toPlainText(); }
    // Clicks on the words where they stand on the page.
    static bool clickWords(DocumentationView& view, const QString& words) {
        QTextBrowser& browser = view.page();
        const QTextCursor found = browser.document()->find(words);
        if (found.isNull()) return false;
        browser.setTextCursor(found);
        browser.ensureCursorVisible();
        QTextCursor inside(found);
        inside.setPosition(found.selectionStart() + 1);
        QTest::mouseClick(browser.viewport(), Qt::LeftButton, {}, browser.cursorRect(inside).center());
        return true;
    }

  private slots:
    void formulas_data() {
        QTest::addColumn<QString>("formula");
        QTest::addColumn<QString>("set");
        QTest::newRow("sums and indices") << QStringLiteral("out[i, j] = sum_k self[i, k] mat2[k, j]")
                                          << QStringLiteral("outi, j = ∑k selfi, k ⋅ mat2k, j");
        QTest::newRow("powers") << QStringLiteral("x^2 - x^-1 + a^(n - 1)") << QStringLiteral("x2 − x−1 + an − 1");
        QTest::newRow("roots") << QStringLiteral("1 / sqrt(1 - x^2)") << QStringLiteral("1 / √1 − x2");
        QTest::newRow("signs") << QStringLiteral("|x| <= pi != inf") << QStringLiteral("|x| ≤ π ≠ ∞");
        QTest::newRow("Greek arguments") << QStringLiteral("beta self + alpha mat1 mat2")
                                         << QStringLiteral("β ⋅ self + α ⋅ mat1 ⋅ mat2");
        QTest::newRow("long indices keep their brackets") << QStringLiteral("input[n, c, stride p + dilation k]")
                                                          << QStringLiteral("input[n, c, stride ⋅ p + dilation ⋅ k]");
        QTest::newRow("prose is no product")
            << QStringLiteral("grad where x > 0, else 0") << QStringLiteral("grad where x > 0, else 0");
        QTest::newRow("intervals") << QStringLiteral("a drawn from [lower, upper)")
                                   << QStringLiteral("a drawn from [lower, upper)");
        QTest::newRow("half a bracket") << QStringLiteral("f(x[1") << QStringLiteral("f(x[1");
        QTest::newRow("names with indices") << QStringLiteral("grad_L / psi_n(x)") << QStringLiteral("gradL / ψn(x)");
        QTest::newRow("markup") << QStringLiteral("a < b & c > d") << QStringLiteral("a < b & c > d");
    }
    void formulas() {
        QFETCH(QString, formula);
        QFETCH(QString, set);
        const QSet<QString> variables{QStringLiteral("self"),   QStringLiteral("mat1"),     QStringLiteral("mat2"),
                                      QStringLiteral("alpha"),  QStringLiteral("beta"),     QStringLiteral("input"),
                                      QStringLiteral("stride"), QStringLiteral("dilation"), QStringLiteral("padding")};
        QCOMPARE(plain(formulaHtml(formula, variables)), set);
    }
    void variablesLeanAndFunctionsDoNot() {
        const QString html = formulaHtml(QStringLiteral("exp(x)"), {});
        QVERIFY(html.contains(QStringLiteral("exp(")));
        QVERIFY(html.contains(QStringLiteral("<i>x</i>")));
    }

    // A record gives a page, and nothing is left as markup: of one operator in ten, as a page takes milliseconds.
    void operatorsHavePages() {
        const auto all = session::list_operators();
        for (std::size_t i = 0; i < all.size(); i += 10) {
            const auto& info = all[i];
            OperatorPage page;
            page.info = info;
            const QString text = plain(operatorPageHtml(page));
            QVERIFY2(text.contains(QString::fromStdString(info.summary).simplified()), info.name.c_str());
            QVERIFY2(!text.contains(QStringLiteral("<span")) && !text.contains(QStringLiteral("&nbsp")),
                     info.name.c_str());
        }
    }

    void itFollowsTheCurrentEvent() {
        SessionBridge bridge;
        DocumentationView view(bridge, nullptr);
        view.resize(500, 800);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view, kPatience));
        QVERIFY(view.shown().isEmpty());
        bridge.show(testing::sampleModel(), testing::sampleRun());
        bridge.setCurrentEvent(2);
        QCOMPARE(view.shown(), QStringLiteral("aten::conv2d"));
        QVERIFY(page(view).contains(QStringLiteral("Convolution over two dimensions")));
        QVERIFY(page(view).contains(QStringLiteral("∂weight")));
        // The event's own numbers: 3 ms.
        QVERIFY(page(view).contains(QStringLiteral("3.00 ms")));
        // Backward shows the operator that it is the backward of.
        bridge.setCurrentEvent(7);
        QCOMPARE(view.shown(), QStringLiteral("aten::linear"));
        QVERIFY(page(view).contains(QStringLiteral("0.50 ms")) || page(view).contains(QStringLiteral("500")));
    }
    void usesAreLinks() {
        SessionBridge bridge;
        DocumentationView view(bridge, nullptr);
        view.resize(500, 800);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view, kPatience));
        bridge.show(testing::sampleModel(), testing::sampleRun());
        bridge.setCurrentEvent(1);
        QVERIFY(clickWords(view, QStringLiteral("#4")));
        QCOMPARE(bridge.currentEvent(), 4u);
        QCOMPARE(bridge.currentModule(), QStringLiteral("layer1.1.conv"));
    }
    void beforeARunNodesAreLinks() {
        SessionBridge bridge;
        DocumentationView view(bridge, nullptr);
        view.resize(500, 800);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view, kPatience));
        bridge.show(testing::sampleModel(), nullptr);
        bridge.setCurrentNode(2);
        QCOMPARE(view.shown(), QStringLiteral("aten::relu_"));
        QVERIFY(clickWords(view, QStringLiteral("layer1.1")));
        QCOMPARE(bridge.currentNode(), 4);
    }
    void operatorsAreSearched() {
        SessionBridge bridge;
        DocumentationView view(bridge, nullptr);
        view.resize(500, 800);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view, kPatience));
        view.find();
        auto* search = view.findChild<QLineEdit*>(QStringLiteral("documentationSearch"));
        QTRY_VERIFY(testing::isActive(view) && search->hasFocus());
        QTest::keyClicks(search, QStringLiteral("logsumexp"));
        QVERIFY(search->completer());
        auto* matches = search->completer()->popup();
        QTRY_VERIFY(matches->isVisible());
        QTest::keyClick(matches, Qt::Key_Down);
        QTest::keyClick(matches, Qt::Key_Return);
        QVERIFY2(view.shown().contains(QStringLiteral("logsumexp")), qPrintable(view.shown()));
        QTRY_VERIFY(search->text().isEmpty());
        // A whole name needs no list.
        QTest::keyClicks(search, QStringLiteral("add.Tensor"));
        QTest::keyClick(search, Qt::Key_Return);
        QCOMPARE(view.shown(), QStringLiteral("aten::add.Tensor"));
        QVERIFY(page(view).contains(QStringLiteral("AddBackward0")));
        QVERIFY(page(view).contains(QStringLiteral("Not called")));
    }
    void relativesAreLinksAndThereIsAWayBack() {
        SessionBridge bridge;
        DocumentationView view(bridge, nullptr);
        view.resize(500, 800);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view, kPatience));
        auto* back = view.findChild<QToolButton*>(QStringLiteral("documentationBack"));
        view.showOperator(QStringLiteral("aten::relu"));
        QVERIFY(!back->isEnabled());
        QVERIFY(clickWords(view, QStringLiteral("relu_")));
        QCOMPARE(view.shown(), QStringLiteral("aten::relu_"));
        QVERIFY(page(view).contains(QStringLiteral("written in place")));
        QTest::mouseClick(back, Qt::LeftButton);
        QCOMPARE(view.shown(), QStringLiteral("aten::relu"));
        QVERIFY(!back->isEnabled());
        // What does not exist changes nothing.
        view.showOperator(QStringLiteral("aten::no_such_operator"));
        QCOMPARE(view.shown(), QStringLiteral("aten::relu"));
    }
    void whatIsNoOperatorIsSaidToBeNone() {
        SessionBridge bridge;
        DocumentationView view(bridge, nullptr);
        auto model = std::make_shared<session::ModelInfo>(*testing::sampleModel());
        auto graph = std::make_shared<session::GraphModel>(*model->graph);
        graph->nodes[0].kind = "prim::If";
        model->graph = graph;
        bridge.show(model, nullptr);
        bridge.setCurrentNode(0);
        QCOMPARE(view.shown(), QStringLiteral("prim::If"));
        QVERIFY(page(view).contains(QStringLiteral("statement of the language")));
    }
};

QTEST_MAIN(DocumentationTest)
#include "documentation_test.moc"
