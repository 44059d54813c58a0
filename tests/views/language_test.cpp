// SPDX-License-Identifier: GPL-3.0-or-later
// The panels of language models, on a tiny model that an engine runs.

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>

#include "core/session/queries/next_tokens.h"
#include "tests/views/patience.h"
#include "tests/views/sample_run.h"
#include "views/attention/attention_picture.h"
#include "views/attention/attention_view.h"
#include "views/attention/head_tiles.h"
#include "views/common/bar_delegate.h"
#include "views/common/elided_fields.h"
#include "views/common/theme.h"
#include "views/common/token_chips.h"
#include "views/common/token_text.h"
#include "views/events/events_view.h"
#include "views/generation/cache_table.h"
#include "views/generation/generation_view.h"
#include "views/generation/sampling_bar.h"
#include "views/graph/node_metrics.h"
#include "views/tensor/tensor_view.h"
#include "views/text/odds_model.h"
#include "views/text/text_view.h"

using namespace loupe;
using namespace loupe::views;

namespace {

const QString kLlama = QStringLiteral(LOUPE_SOURCE_DIR "/tests/fixtures/generation/llama");

std::vector<session::TokenInfo> tokensOf(const QStringList& words) {
    std::vector<session::TokenInfo> out;
    for (const QString& word : words) {
        session::TokenInfo& token = out.emplace_back();
        token.id = static_cast<std::int64_t>(out.size()) + 100;
        token.text = token.token = word.toStdString();
        token.is_special = word.startsWith(QLatin1Char('<'));
    }
    return out;
}

// A bridge with the tiny model open, and a text that ran.
class Running {
  public:
    explicit Running(const QString& words, TextView** view = nullptr) : text_(bridge, nullptr) {
        text_.resize(700, 500);
        text_.show();
        if (view != nullptr) *view = &text_;
        bridge.open(kLlama);
        [&] { QTRY_VERIFY(bridge.model() && !bridge.isBusy() && text_.prompt()->isEnabled()); }();
        text_.prompt()->setPlainText(words);
        [&] { QTRY_VERIFY(!text_.chips()->tokens().empty() && text_.isSettled()); }();
        text_.run();
        [&] { QTRY_VERIFY(bridge.status().state == session::RunState::Finished && text_.isSettled()); }();
        [&] { QTRY_VERIFY(text_.choices()->topLevelItemCount() > 0); }();
    }

    SessionBridge bridge;

  private:
    TextView text_;
};

}  // namespace

class LanguageTest : public QObject {
    Q_OBJECT

  private slots:
    void namesShowWhatCannotBeSeen() {
        QCOMPARE(visibleText(QStringLiteral(" a b\n\tc")), QStringLiteral("\u00b7a\u00b7b\u23ce\u21e5c"));
        QCOMPARE(percentText(0.1234), QStringLiteral("12.3 %"));
        QCOMPARE(percentText(0.0001), QStringLiteral("< 0.1 %"));
        QCOMPARE(percentText(0), QStringLiteral("0.0 %"));
    }

    void chipsFillRowsAndAreChosen() {
        TokenChips chips;
        chips.resize(160, 120);
        chips.show();
        chips.setTokens(tokensOf({"<s>", "The", " quick", " brown", " fox", " jumps"}));
        QVERIFY(chips.chipRect(5).top() > chips.chipRect(0).top());
        QVERIFY(chips.chipRect(1).left() > chips.chipRect(0).right());
        QVERIFY(chips.heightFor(90) > chips.heightFor(900));
        QSignalSpy chosen(&chips, &TokenChips::chosenChanged);
        QTest::mouseClick(chips.viewport(), Qt::LeftButton, {}, chips.chipRect(2).center());
        QCOMPARE(chips.chosen(), 2);
        QTest::keyClick(&chips, Qt::Key_Right);
        QCOMPARE(chosen.takeLast().at(0).toInt(), 3);
        QTest::keyClick(&chips, Qt::Key_Home);
        QTest::keyClick(&chips, Qt::Key_Left);
        QCOMPARE(chips.chosen(), 0);
        QTest::keyClick(&chips, Qt::Key_Down);
        QVERIFY(chips.chipRect(chips.chosen()).top() > chips.chipRect(0).top());
        // Numbers have colours; the greatest is the strongest.
        QVERIFY(!chips.chipColour(1).isValid());
        chips.setScores({0, 2, -1, 0.5, 0, 0});
        QVERIFY(chips.chipColour(1).red() > chips.chipColour(1).blue());
        QVERIFY(chips.chipColour(2).blue() > chips.chipColour(2).red());
        chips.setScores({1, 2});  // of another text
        QVERIFY(chips.scores().empty());
    }

    void placesComeInPages() {
        std::vector<std::int64_t> asked;
        OddsModel model([&](std::int64_t first) { asked.push_back(first); }, nullptr);
        const auto part = [](std::int64_t first, std::int64_t count) {
            session::NextTokens next;
            next.places = 100;
            for (std::int64_t i = 0; i < count; ++i) {
                session::PlaceOdds& odds = next.odds.emplace_back();
                odds.place = first + i;
                odds.token = odds.actual = tokensOf({QStringLiteral("word")}).front();
                odds.has_actual = true;
                odds.rank = 1;
                odds.probability = 0.25;
                odds.log_probability = std::log(0.25);
                odds.top = {{odds.actual, 0.25}};
            }
            return next;
        };
        model.add(part(0, 64), true);
        QCOMPARE(model.rowCount(), 64);
        QVERIFY(model.canFetchMore({}));
        model.fetchMore({});
        QVERIFY(!model.canFetchMore({}));  // asked already
        QCOMPARE(asked, std::vector<std::int64_t>{64});
        model.add(part(64, 36), false);
        QCOMPARE(model.rowCount(), 100);
        QVERIFY(!model.canFetchMore({}));
        model.add(part(64, 36), false);  // a second time
        QCOMPARE(model.rowCount(), 100);
        QCOMPARE(model.index(3, OddsModel::Probability).data().toString(), QStringLiteral("25.0 %"));
        QCOMPARE(model.index(3, OddsModel::FirstChoice).data().toString(), QStringLiteral("word  25.0 %"));
        QCOMPARE(model.index(3, OddsModel::FirstChoice).data(BarDelegate::kShareRole).toDouble(), 0.25);
        std::int64_t count = 0;
        QVERIFY(std::abs(model.meanLoss(&count) - std::log(4.0)) < 1e-12 && count == 100);
        const QAbstractItemModelTester tester(&model);
    }

    void aTextRuns() {
        TextView* view = nullptr;
        Running running(QStringLiteral("The quick brown fox"), &view);
        const auto& tokens = view->chips()->tokens();
        QCOMPARE(tokens.size(), 12u);
        QVERIFY(tokens[0].is_special && tokens[0].is_added && !tokens[1].is_special);
        QCOMPARE(visibleToken(tokens[1]), QStringLiteral("\u00b7The"));
        QCOMPARE(view->table()->model()->rowCount(), 12);
        QVERIFY2(view->summary().startsWith(QStringLiteral("12 tokens of at most 128; loss ")),
                 qPrintable(view->summary()));
        // The last place is chosen: where the text goes on.
        QCOMPARE(view->chips()->chosen(), 11);
        QCOMPARE(view->table()->currentIndex().row(), 11);
        QCOMPARE(view->choices()->topLevelItemCount(), 30);
        const auto* words = view->findChild<QLabel*>(QStringLiteral("placeText"));
        QVERIFY2(words->text().startsWith(QStringLiteral("After ox (#11): entropy ")), qPrintable(words->text()));
        // A chip, a row and the words of the place go together.
        QTest::mouseClick(view->chips()->viewport(), Qt::LeftButton, {}, view->chips()->chipRect(3).center());
        QCOMPARE(view->table()->currentIndex().row(), 3);
        QTRY_VERIFY(words->text().contains(QStringLiteral("(#3)")));
        QVERIFY(words->text().contains(QStringLiteral(" comes, number ")));
        view->table()->setCurrentIndex(view->table()->model()->index(5, 0));
        QCOMPARE(view->chips()->chosen(), 5);
    }

    void tokensThatMatterAreColoured() {
        TextView* view = nullptr;
        Running running(QStringLiteral("The quick brown fox"), &view);
        QVERIFY(view->chips()->scores().empty());
        view->explain();
        QTRY_COMPARE(view->chips()->scores().size(), 12u);
        QTRY_VERIFY(view->isSettled());
        const auto* words = view->findChild<QLabel*>(QStringLiteral("saliencyText"));
        QVERIFY2(words->text().startsWith(QStringLiteral("Gradient \u00d7 embedding of the logit of ")),
                 qPrintable(words->text()));
        // Another text has no numbers.
        view->prompt()->setPlainText(QStringLiteral("Hello"));
        QTRY_VERIFY(view->chips()->scores().empty());
        QTRY_VERIFY2(view->summary().contains(QStringLiteral("not run yet")), qPrintable(view->summary()));
    }

    // The heads are not known when the panel is first shown.
    void attentionFitsNarrowPanels() {
        Theme::instance().setMode(Theme::Mode::Light);  // as in the window: its style takes room of controls
        TextView* text = nullptr;
        Running running(QStringLiteral("The quick brown fox"), &text);
        AttentionView view(running.bridge, nullptr);
        view.resize(420, 480);
        view.show();
        view.comeIntoSight();
        QTRY_COMPARE(view.heads()->count(), 5);
        QTRY_VERIFY(view.isSettled());
        auto* heads = qobject_cast<ElidedComboBox*>(view.heads());
        auto* sites = qobject_cast<ElidedComboBox*>(view.sites());
        QVERIFY(heads != nullptr && sites != nullptr);
        for (const int wanted : {190, 240, 320, 460, 800}) {
            const int width = std::max(wanted, view.minimumSizeHint().width());
            QVERIFY2(width < 320 || width == wanted, "it would not fit beside other panels");
            view.resize(width, 480);
            QTRY_COMPARE(view.width(), width);
            QCoreApplication::processEvents();
            QVERIFY2(!heads->isCut(), qPrintable(QString::number(width)));
            QVERIFY2(heads->geometry().right() < width && sites->geometry().right() < width,
                     qPrintable(QString::number(width)));
        }
        // What is left is the layer's name's.
        QVERIFY(!sites->isCut());
        QVERIFY(sites->width() > 400);
    }

    void attentionIsShownByHead() {
        TextView* text = nullptr;
        Running running(QStringLiteral("The quick brown fox"), &text);
        AttentionView view(running.bridge, nullptr);
        view.resize(420, 480);
        view.show();
        view.comeIntoSight();
        QTRY_COMPARE(view.sites()->count(), 2);
        QTRY_COMPARE(view.picture()->map().map.rows, 12);
        QCOMPARE(view.heads()->count(), 5);  // the mean and four heads
        QCOMPARE(view.tiles()->count(), 4);
        QCOMPARE(view.sites()->itemText(0), QStringLiteral("model.layers.0.self_attn: 4 heads, 12\u00d712"));
        // Causal: the first token attends to itself alone.
        QVERIFY(attentionText(view.picture()->map(), 0, 0).endsWith(QStringLiteral(": 1")));
        QVERIFY(attentionText(view.picture()->map(), 0, 5).endsWith(QStringLiteral(": 0")));
        QVERIFY(attentionText(view.picture()->map(), 1, 0)
                    .startsWith(QStringLiteral("\u00b7The (#1) attends to <s> (#0)")));
        const auto mean = view.picture()->map().map.weights;
        QTest::mouseClick(view.tiles()->viewport(), Qt::LeftButton, {}, view.tiles()->tileRect(2).center());
        QTRY_VERIFY(view.isSettled() && view.picture()->map().map.weights != mean);
        QCOMPARE(view.heads()->currentText(), QStringLiteral("head 2"));
        // Another layer's module being current is followed.
        running.bridge.setCurrentModule(QStringLiteral("model.layers.1.self_attn"));
        QCOMPARE(view.sites()->currentIndex(), 1);
        QTRY_VERIFY(view.isSettled());
        QCOMPARE(view.picture()->map().site.scope, std::string("model.layers.1.self_attn"));
        testing::hover(*view.picture(), view.picture()->cellRect(4, 2).center().toPoint());
        QVERIFY2(view.said().contains(QStringLiteral(" attends to ")), qPrintable(view.said()));
    }

    void textIsMadeTokenByToken() {
        TextView* text = nullptr;
        Running running(QStringLiteral("The quick brown fox"), &text);
        SessionBridge& bridge = running.bridge;
        GenerationView view(bridge, nullptr);
        view.resize(1200, 300);
        view.show();
        const auto* next = view.findChild<QToolButton*>(QStringLiteral("nextToken"));
        QTRY_VERIFY2(next->isEnabled(), qPrintable(next->toolTip()));
        view.generate(1);
        QTRY_COMPARE(view.steps()->model()->rowCount(), 1);
        QTRY_VERIFY(!bridge.isBusy() && next->isEnabled());
        QCOMPARE(view.choices()->topLevelItemCount(), 20);
        QCOMPARE(view.cache()->list()->topLevelItemCount(), 2);
        QVERIFY2(
            view.cache()->summary().startsWith(QStringLiteral("1.50 KiB of keys and values: 12 tokens, 128 B a token")),
            qPrintable(view.cache()->summary()));
        // A key of the cache is a tensor of the run.
        QSignalSpy wanted(view.cache(), &CacheTable::valueWanted);
        view.cache()->list()->setCurrentItem(view.cache()->list()->topLevelItem(1)->child(0));
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(bridge.recording()->value(bridge.currentValue()).shape, (session::Shape{1, 2, 12, 4}));
        view.generate(4);
        QTRY_COMPARE(view.steps()->model()->rowCount(), 5);
        QTRY_VERIFY(!bridge.isBusy());
        QVERIFY(view.output().startsWith(QStringLiteral("The quick brown fox")));
        // The text grew: all tokens are there, those that came apart.
        QTRY_COMPARE(text->chips()->tokens().size(), 16u);
        // A run of before is shown again.
        view.lookAt(1);
        QTRY_VERIFY(bridge.generation()->shown == 1 && !bridge.isBusy());
        QCOMPARE(view.steps()->currentIndex().row(), 1);
        // Others settings begin anew.
        view.sampling()->findChild<QComboBox*>()->setCurrentIndex(1);
        view.generate(2);
        QTRY_COMPARE(view.steps()->model()->rowCount(), 2);
    }

    void aTokenIsSteppedThrough() {
        TextView* text = nullptr;
        Running running(QStringLiteral("Hello"), &text);
        SessionBridge& bridge = running.bridge;
        GenerationView view(bridge, nullptr);
        view.show();
        const auto* next = view.findChild<QToolButton*>(QStringLiteral("nextToken"));
        QTRY_VERIFY(next->isEnabled());
        view.generate(1, true);
        QTRY_VERIFY(bridge.isPaused());
        QVERIFY(!next->isEnabled());
        bridge.step(session::StepKind::Over);
        QTRY_VERIFY(bridge.isPaused() && bridge.reachedEvent() > 0);
        bridge.run();
        QTRY_COMPARE(view.steps()->model()->rowCount(), 1);
    }

    void tensorsAreLabelledWithTokens() {
        TextView* text = nullptr;
        Running running(QStringLiteral("The quick brown fox"), &text);
        TensorView view(running.bridge, nullptr);
        view.resize(700, 400);
        view.show();
        // The first look-up: [1, 12, 16].
        const auto& recording = *running.bridge.recording();
        session::ValueId looked_up = 0;
        for (session::EventId id = 1; id <= recording.event_count() && looked_up == 0; ++id)
            if (recording.event(id).op == "aten::embedding") looked_up = recording.event(id).outputs.front();
        view.showValue(looked_up);
        view.setDisplay(TensorView::Display::Grid);
        QTRY_COMPARE(view.grid()->headerData(1, Qt::Vertical, Qt::DisplayRole).toString(),
                     QStringLiteral("1  \u00b7The"));
        QCOMPARE(view.grid()->headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("1"));
        QVERIFY(view.grid()->index(1, 0).data(Qt::ToolTipRole).toString().endsWith(QStringLiteral("   \u00b7The")));
        // A slice keeps the names of its places.
        view.setSliceText(QStringLiteral("[0, 4:]"));
        QTRY_COMPARE(view.grid()->rowCount(), 8);
        QTRY_VERIFY(
            view.grid()->headerData(0, Qt::Vertical, Qt::DisplayRole).toString().startsWith(QStringLiteral("4  ")));
    }

    // Lines of the graph: [batch, tokens, width].
    void sizesOfTokensStandInBrackets() {
        const auto model = testing::sampleModel();
        const auto recording = testing::sampleRun();
        const GraphIndex index(model->graph, false);
        NodeMetrics metrics;
        metrics.reset(&index, recording.get());
        metrics.update(recording->event_count());
        const GraphPort port{0, 0};
        const session::Value* value = metrics.portValue(port);
        QVERIFY(value != nullptr && value->shape.size() > 1);
        const QString plain = metrics.portText(port);
        QVERIFY(!plain.contains(QLatin1Char('[')) && !metrics.hasTokens(port));
        metrics.setTokenAxes({{}, {{value->id, 1}}});
        QVERIFY(metrics.hasTokens(port));
        QString wanted = plain;
        const QString size = QString::number(value->shape[1]);
        wanted.replace(wanted.indexOf(QLatin1Char('x')) + 1, size.size(), QStringLiteral("[%1]").arg(size));
        QCOMPARE(metrics.portText(port), wanted);
    }

    void othersAreSaidToHaveNone() {
        SessionBridge bridge;
        TextView text(bridge, nullptr);
        AttentionView attention(bridge, nullptr);
        GenerationView generation(bridge, nullptr);
        for (View* view : std::initializer_list<View*>{&text, &attention, &generation}) {
            view->resize(500, 300);
            view->show();
            QVERIFY2(view->emptyNote().startsWith(QStringLiteral("Open a ")), qPrintable(view->emptyNote()));
        }
        QSignalSpy wanted(&bridge, &SessionBridge::panelWanted);
        bridge.open(QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/digits.pt"));
        QTRY_VERIFY(bridge.model() && !bridge.isBusy());
        bridge.run();
        QTRY_VERIFY(bridge.status().state == session::RunState::Finished);
        attention.comeIntoSight();
        QTRY_COMPARE(text.emptyNote(), QStringLiteral("This model was run on no tokens."));
        QTRY_VERIFY2(attention.emptyNote().startsWith(QStringLiteral("This run has no attention")),
                     qPrintable(attention.emptyNote()));
        QTRY_VERIFY2(generation.emptyNote().startsWith(QStringLiteral("This model makes no text")),
                     qPrintable(generation.emptyNote()));
        QVERIFY(wanted.isEmpty());
    }

    // A folder that is shown and not run, and a tokenizer that is none: each panel says which, and opening goes on.
    void saysWhyNothingRuns() {
        const QString folders = QStringLiteral(LOUPE_SOURCE_DIR "/tests/fixtures/generation/llama");
        QTemporaryDir place;
        const auto changed = [&](const QString& name, const QString& file, const QByteArray& from,
                                 const QByteArray& to) {
            QDir().mkpath(place.filePath(name));
            for (const QString& each : QDir(folders).entryList(QDir::Files)) {
                QFile read(folders + QLatin1Char('/') + each), write(place.filePath(name + QLatin1Char('/') + each));
                if (!read.open(QIODevice::ReadOnly) || !write.open(QIODevice::WriteOnly)) return QString();
                QByteArray bytes = read.readAll();
                write.write(each == file ? bytes.replace(from, to) : bytes);
            }
            return place.filePath(name);
        };
        SessionBridge bridge;
        TextView text(bridge, nullptr);
        EventsView events(bridge, nullptr);
        GenerationView generation(bridge, nullptr);
        for (View* view : std::initializer_list<View*>{&text, &events, &generation}) view->show();
        bridge.open(changed(QStringLiteral("longer"), QStringLiteral("config.json"), "\"num_hidden_layers\": 2",
                            "\"num_hidden_layers\": 3"));
        QTRY_VERIFY(bridge.model() && !bridge.isBusy());
        const QString why = QStringLiteral("Nothing to run: 9 weights are missing: 'model.layers.2.");
        QTRY_VERIFY2(text.emptyNote().startsWith(why), qPrintable(text.emptyNote()));
        QTRY_VERIFY2(events.emptyNote().startsWith(why), qPrintable(events.emptyNote()));
        QTRY_VERIFY2(generation.emptyNote().contains(QStringLiteral("9 weights are missing")),
                     qPrintable(generation.emptyNote()));
        const auto before = bridge.model();
        bridge.open(changed(QStringLiteral("odd"), QStringLiteral("tokenizer.json"), "\"vocab\"", "\"vocub\""));
        QTRY_VERIFY(bridge.model() != before && !bridge.isBusy());
        QTRY_VERIFY2(text.emptyNote().startsWith(QStringLiteral("No text: ")) &&
                         text.emptyNote().contains(QStringLiteral("tokenizer.json: ")),
                     qPrintable(text.emptyNote()));
        // What cannot be opened leaves what is.
        const auto kept = bridge.model();
        bridge.open(changed(QStringLiteral("endless"), QStringLiteral("config.json"), "\"num_hidden_layers\": 2",
                            "\"num_hidden_layers\": 2000000000"));
        QTRY_VERIFY(
            QString::fromStdString(bridge.status().error).contains(QStringLiteral("num_hidden_layers is 2000000000")));
        QVERIFY(bridge.model() == kept);
        bridge.run();
        QTRY_VERIFY(bridge.status().state == session::RunState::Finished);
    }
};

QTEST_MAIN(LanguageTest)
#include "language_test.moc"
