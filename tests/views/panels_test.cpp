// SPDX-License-Identifier: GPL-3.0-or-later
// Modules, Source, Inputs, Watch and breakpoints, Log.

#include <Qsci/qsciscintilla.h>

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QComboBox>
#include <QGlyphRun>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTableView>
#include <QTest>
#include <QTextEdit>
#include <QTextLayout>
#include <QToolTip>
#include <QTreeView>
#include <QTreeWidget>
#include <cmath>

#include "core/base/library_path.h"
#include "tests/views/patience.h"
#include "tests/views/sample_run.h"
#include "views/common/colour_map.h"
#include "views/common/cut_texts.h"
#include "views/common/elided_label.h"
#include "views/common/empty_hint.h"
#include "views/common/format.h"
#include "views/common/theme.h"
#include "views/gradient_flow/gradient_flow_view.h"
#include "views/inputs/input_model.h"
#include "views/inputs/inputs_view.h"
#include "views/log/log_view.h"
#include "views/modules/module_model.h"
#include "views/modules/modules_view.h"
#include "views/registry.h"
#include "views/source/source_view.h"
#include "views/watch/breakpoint_model.h"
#include "views/watch/watch_model.h"
#include "views/watch/watch_view.h"

using namespace loupe;
using namespace loupe::views;

namespace {

constexpr Theme::Colour kRoles[] = {Theme::Colour::Window,  Theme::Colour::Panel,       Theme::Colour::Raised,
                                    Theme::Colour::Border,  Theme::Colour::Grid,        Theme::Colour::Text,
                                    Theme::Colour::Faint,   Theme::Colour::Accent,      Theme::Colour::AccentBack,
                                    Theme::Colour::Reached, Theme::Colour::ReachedBack, Theme::Colour::Good,
                                    Theme::Colour::Warning, Theme::Colour::Bad,         Theme::Colour::BadBack};

QSet<QString> coloursOf(Theme::Mode mode) {
    Theme::instance().setMode(mode);
    QSet<QString> all;
    for (const auto role : kRoles) all += Theme::instance().colour(role).name();
    return all;
}

// Where a widget names one of the colours: in its words, its items, its style.
QStringList namesOf(const QWidget& view, const QSet<QString>& colours) {
    QStringList found;
    const auto look = [&](const QWidget& in, const char* where, const QString& words) {
        static const QRegularExpression kColour(QStringLiteral("#[0-9a-fA-F]{6}"));
        for (auto each = kColour.globalMatch(words); each.hasNext();) {
            const QString colour = each.next().captured().toLower();
            if (colours.contains(colour))
                found << QStringLiteral("%1 %2 in %3 of %4")
                             .arg(colour, QLatin1String(where), QLatin1String(in.metaObject()->className()),
                                  in.objectName());
        }
    };
    const auto lookAt = [&](const QWidget& in, const char* where, const QVariant& colour) {
        if (colour.canConvert<QBrush>()) look(in, where, colour.value<QBrush>().color().name());
    };
    QList<QWidget*> all = view.findChildren<QWidget*>();
    for (const QWidget* widget : all) {
        look(*widget, "style", widget->styleSheet());
        look(*widget, "tip", widget->toolTip());
        for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::Window,
                                QPalette::Base, QPalette::Link})
            look(*widget, "palette", widget->palette().color(role).name());
        if (const auto* label = qobject_cast<const QLabel*>(widget)) look(*widget, "text", label->text());
        if (const auto* edit = qobject_cast<const QTextEdit*>(widget)) look(*widget, "html", edit->toHtml());
        const auto* items = qobject_cast<const QAbstractItemView*>(widget);
        if (!items || !items->model()) continue;
        std::function<void(const QModelIndex&)> walk = [&](const QModelIndex& parent) {
            const QAbstractItemModel& model = *items->model();
            for (int row = 0; row < std::min(200, model.rowCount(parent)); ++row) {
                for (int column = 0; column < model.columnCount(parent); ++column) {
                    const QModelIndex index = model.index(row, column, parent);
                    lookAt(*widget, "item", index.data(Qt::ForegroundRole));
                    lookAt(*widget, "ground", index.data(Qt::BackgroundRole));
                }
                walk(model.index(row, 0, parent));
            }
        };
        walk({});
    }
    return found;
}

}  // namespace

class PanelsTest : public QObject {
    Q_OBJECT

  private slots:
    // The texts are of the window's language, which changes between two days.
    void aKeptChoiceHasNoLanguage() {
        SessionBridge bridge;
        const auto panel = [&](const QStringList& fixed, const QStringList& named) {
            auto view = std::make_unique<View>(bridge, nullptr);
            auto* first = new QComboBox(view.get());
            first->addItems(fixed);
            auto* second = new QComboBox(view.get());
            for (int i = 0; i < named.size(); ++i) second->addItem(named[i], QStringLiteral("data %1").arg(i));
            for (QComboBox* box : {first, second}) box->setProperty("kept", true);
            return view;
        };
        const auto english = panel({"norm", "mean", "zeros"}, {"kind", "time"});
        const auto chosen = [](const View& view) {
            QList<int> all;
            for (const QComboBox* box : view.findChildren<QComboBox*>()) all += box->currentIndex();
            return all;
        };
        english->findChildren<QComboBox*>()[0]->setCurrentIndex(2);
        english->findChildren<QComboBox*>()[1]->setCurrentIndex(1);
        const auto german = panel({"Norm", "Mittel", "Nullen"}, {"Art", "Zeit"});
        german->takeState(english->keptState());
        QCOMPARE(chosen(*german), (QList<int>{2, 1}));
        // What another program wrote changes nothing.
        QJsonObject odd;
        for (const QString& key : english->keptState().keys()) odd[key] = QJsonObject{{"a", 1}};
        german->takeState(odd);
        QCOMPARE(chosen(*german), (QList<int>{2, 1}));
    }

    // In a list of two lines the sentence of an empty panel is whole too.
    void aHintGivesItsMarginBeforeItsText() {
        QListWidget list;
        auto* hint = new EmptyHint(&list);
        list.resize(400, 300);
        list.show();
        hint->say(QStringLiteral("Choose a pipeline and compile: its fusion groups are listed here"));
        const int wide = hint->margin();
        QVERIFY(hint->heightForWidth(hint->width()) <= hint->height());
        list.resize(260, 2 * hint->fontMetrics().lineSpacing() + 10);
        QTRY_VERIFY(hint->width() <= 260);
        QVERIFY2(hint->heightForWidth(hint->width()) <= hint->height(),
                 qPrintable(QStringLiteral("%1 of %2").arg(hint->height()).arg(hint->heightForWidth(hint->width()))));
        list.resize(400, 300);
        QTRY_COMPARE(hint->margin(), wide);
    }

    void numbers() {
        QCOMPARE(counted(1, "module"), QStringLiteral("1 module"));
        QCOMPARE(counted(0, "module"), QStringLiteral("0 modules"));
        QCOMPARE(counted(12'000, "pass", "passes"), QStringLiteral("12,000 passes"));
        QCOMPARE(numberText(0.12345678), QStringLiteral("0.1235"));
        QCOMPARE(numberText(12), QStringLiteral("12"));
        QCOMPARE(numberText(-1.5e-7), QStringLiteral("-1.50e-07"));
        QCOMPARE(numberText(std::nan("")), QStringLiteral("nan"));
        QCOMPARE(countText(11689512), QStringLiteral("11,689,512"));
        QCOMPARE(shapeText({1, 64, 56, 56}), QStringLiteral("1x64x56x56"));
        QCOMPARE(shortOpName("aten::conv2d"), QStringLiteral("conv2d"));
    }
    // Fonts with a ligature for it draw "1x64" with a sign of multiplication: shapes have one sign wherever they stand.
    void shapesKeepTheirSign() {
        const auto glyphs = [](const QString& words, const QFont& font) {
            QTextLayout layout(words, font);
            layout.beginLayout();
            layout.createLine();
            layout.endLayout();
            return layout.glyphRuns().front().glyphIndexes();
        };
        const Theme& theme = Theme::instance();
        for (QFont font : {theme.uiFont(), theme.monoFont(), theme.codeFont()}) {
            for (const bool is_bold : {false, true}) {
                font.setBold(is_bold);
                QCOMPARE(glyphs(QStringLiteral("1x64x8"), font)[1], glyphs(QStringLiteral("x"), font).front());
            }
        }
    }
    void colourMapsCoverTheirRange() {
        for (int i = 0; i < kColourMaps; ++i) {
            const auto map = static_cast<ColourMap>(i);
            QCOMPARE(colourAt(map, -1), colourAt(map, 0));
            QCOMPARE(colourAt(map, 2), colourAt(map, 1));
            QVERIFY(colourAt(map, 0) != colourAt(map, 1));
        }
        QCOMPARE(colourAt(ColourMap::Grey, 0.5), qRgb(128, 128, 128));
    }
    // Text is read on every ground that it stands on, in both themes.
    void textStandsOutFromItsGround() {
        using Colour = Theme::Colour;
        const auto luminance = [](const QColor& colour) {
            const auto part = [](double c) { return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
            return 0.2126 * part(colour.redF()) + 0.7152 * part(colour.greenF()) + 0.0722 * part(colour.blueF());
        };
        const auto contrast = [&](const QColor& a, const QColor& b) {
            const double one = luminance(a) + 0.05;
            const double two = luminance(b) + 0.05;
            return std::max(one, two) / std::min(one, two);
        };
        Theme& theme = Theme::instance();
        const auto usual = qScopeGuard([&] { theme.setContrast(false); });
        for (const int i : {0, 1, 2, 3}) {
            const bool isHigh = i >= 2;
            theme.setMode(i % 2 == 0 ? Theme::Mode::Dark : Theme::Mode::Light);
            theme.setContrast(isHigh);
            for (const auto text : {Colour::Text, Colour::Faint, Colour::Accent, Colour::Good, Colour::Warning,
                                    Colour::Bad, Colour::Reached}) {
                for (const auto ground : {Colour::Window, Colour::Panel, Colour::Raised, Colour::AccentBack,
                                          Colour::ReachedBack, Colour::BadBack}) {
                    const double ratio = contrast(theme.colour(text), theme.colour(ground));
                    QVERIFY2(ratio >= (isHigh ? 7 : 4.2), qPrintable(QStringLiteral("%1 on %2: %3")
                                                                         .arg(static_cast<int>(text))
                                                                         .arg(static_cast<int>(ground))
                                                                         .arg(ratio)));
                }
            }
        }
    }

    // A text with a link that was set in one theme is read in the other.
    void linksFollowTheTheme() {
        QLabel label(QStringLiteral("<a href='x'>MMMMMMMM</a>"));
        label.setAutoFillBackground(true);
        Theme& theme = Theme::instance();
        for (const auto mode : {Theme::Mode::Light, Theme::Mode::Dark, Theme::Mode::Light}) {
            theme.setMode(mode);
            const QImage image = label.grab().toImage();
            const QColor wanted = theme.colour(Theme::Colour::Accent);
            int close = 0;
            for (int y = 0; y < image.height(); ++y) {
                for (int x = 0; x < image.width(); ++x) {
                    const QColor pixel = image.pixelColor(x, y);
                    close += std::abs(pixel.red() - wanted.red()) + std::abs(pixel.green() - wanted.green()) +
                                 std::abs(pixel.blue() - wanted.blue()) <
                             30;
                }
            }
            QVERIFY2(close > 8, qPrintable(QString::number(close)));
        }
    }

    // After a switch no panel has a colour of the theme before, in words, items or styles.
    void everyPanelFollowsTheTheme() {
        const QSet<QString> dark = coloursOf(Theme::Mode::Dark);
        const QSet<QString> light = coloursOf(Theme::Mode::Light);
        SessionBridge bridge;
        std::vector<std::unique_ptr<View>> views;
        for (const auto& entry : registry().entries()) views.emplace_back(entry.create(bridge, nullptr));
        bridge.show(testing::sampleModel(), testing::sampleRun());
        bridge.setCurrentEvent(4);
        using Level = SessionBridge::LogEntry::Level;
        for (const Level level : {Level::Info, Level::Warning, Level::Error}) {
            SessionBridge::LogEntry entry;
            entry.level = level;
            entry.text = "told";
            entry.event = 4;
            bridge.addLog(entry);
        }
        auto& build = *std::find_if(views.begin(), views.end(), [](const auto& view) {
            return view->template findChild<QTreeWidget*>(QStringLiteral("buildPalette")) != nullptr;
        });
        QVERIFY(build->findChild<QTreeWidget*>(QStringLiteral("buildPalette"))->topLevelItemCount() > 0);
        for (auto& view : views) {
            view->resize(900, 600);
            view->show();
            view->comeIntoSight();
            if (auto* gradients = dynamic_cast<GradientFlowView*>(view.get())) {
                std::vector<session::GradientRow> rows(2);
                rows[0].parameter = "a.weight";
                rows[1].parameter = "b.weight";
                rows[1].has_gradient = true;
                rows[1].finite = session::GradientRow::Magnitudes{1e-9, 1e-9, 1e-9};
                gradients->showRows(rows);
            }
            QTRY_VERIFY(view->isSettled());
        }
        for (const auto mode : {Theme::Mode::Dark, Theme::Mode::Light, Theme::Mode::Dark}) {
            Theme::instance().setMode(mode);
            QCoreApplication::processEvents();
            const QSet<QString> others = mode == Theme::Mode::Dark ? light - dark : dark - light;
            for (const auto& view : views) {
                const QStringList found = namesOf(*view, others);
                QVERIFY2(found.isEmpty(), qPrintable(QLatin1String(view->metaObject()->className()) +
                                                     QStringLiteral(": ") + found.join(QStringLiteral("; "))));
            }
        }
    }

    void textCutByItsColumnIsInATip() {
        QStandardItemModel model(1, 2);
        model.setHorizontalHeaderLabels({QStringLiteral("A heading that is long"), QStringLiteral("B")});
        model.setItem(0, 0, new QStandardItem(QStringLiteral("layers.11.self_attn.out_proj.weight")));
        model.setItem(0, 1, new QStandardItem(QStringLiteral("x")));
        QTreeView view;
        view.setModel(&model);
        view.setColumnWidth(0, 60);
        view.resize(300, 100);
        view.show();
        view.header()->resizeSection(1, 4);
        tipWhatIsCutIn(view);
        tipWhatIsCut(view);
        // Columns begin as wide as their titles; one that is made narrower ends in dots.
        for (int column = 0; column < 2; ++column)
            QVERIFY(view.header()->sectionSize(column) >= view.header()->sectionSizeHint(column));
        QCOMPARE(view.header()->textElideMode(), Qt::ElideRight);
        view.setColumnWidth(0, 60);
        const auto tipAt = [](QWidget& widget, const QPoint& at) {
            QToolTip::hideText();
            QHelpEvent event(QEvent::ToolTip, at, widget.mapToGlobal(at));
            QApplication::sendEvent(&widget, &event);
            return QToolTip::text();
        };
        QVERIFY(tipAt(*view.viewport(), view.visualRect(model.index(0, 0)).center())
                    .contains(QStringLiteral("out_proj.weight")));
        QVERIFY(!tipAt(*view.viewport(), view.visualRect(model.index(0, 1)).center()).contains(QLatin1Char('x')));
        QVERIFY(tipAt(*view.header()->viewport(), {20, 5}).contains(QStringLiteral("long")));
        // Likewise a label, with links or without, and a line edit.
        for (const char* words :
             {"a text that is much longer than its label", "<b>a text</b> that is much longer than its label"}) {
            ElidedLabel label;
            label.setText(QLatin1String(words));
            label.resize(60, 20);
            QVERIFY(label.minimumSizeHint().width() < 60);
            QVERIFY(tipAt(label, {5, 5}).contains(QStringLiteral("a text that is much longer")));
            label.resize(label.sizeHint());
            QHelpEvent event(QEvent::ToolTip, {5, 5}, label.mapToGlobal(QPoint(5, 5)));
            QApplication::sendEvent(&label, &event);
            QVERIFY(!event.isAccepted());
        }
        QWidget panel;
        auto* edit = new QLineEdit(QStringLiteral("/home/me/data/digits_data.npz"), &panel);
        edit->setToolTip(QStringLiteral("The data"));
        tipWhatIsCutIn(panel);
        edit->resize(70, 24);
        QVERIFY(isCut(*edit));
        QVERIFY(tipAt(*edit, {5, 5}).contains(QStringLiteral("/home/me/data")));
        edit->resize(400, 24);
        QVERIFY(!isCut(*edit));
    }

    void everyPanelIsDescribed() {
        QSet<QString> ids;
        for (const auto& entry : registry().entries()) {
            QVERIFY(!entry.description.title.isEmpty());
            QVERIFY2(entry.description.tip.size() > 20, qPrintable(entry.description.id));
            QVERIFY2(!ids.contains(entry.description.id), qPrintable(entry.description.id));
            ids += entry.description.id;
        }
    }

    void moduleTree() {
        ModuleModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const auto info = testing::sampleModel();
        model.setModel(info);
        const QModelIndex root = model.index(0, 0);
        QCOMPARE(root.data().toString(), QStringLiteral("sample.pt"));
        QCOMPARE(model.rowCount(root), 3);
        const QModelIndex conv = model.indexOfModule(QStringLiteral("layer1.0.conv"));
        QCOMPARE(conv.data().toString(), QStringLiteral("conv"));
        QCOMPARE(conv.siblingAtColumn(ModuleModel::Parameters).data().toString(), QStringLiteral("576"));
        QCOMPARE(conv.siblingAtColumn(ModuleModel::Grad).data().toString(), QStringLiteral("all"));
        const QModelIndex weight = model.index(0, 0, conv);
        QCOMPARE(weight.data(ModuleModel::TensorRole).toString(), QStringLiteral("layer1.0.conv.weight"));
        QCOMPARE(weight.siblingAtColumn(ModuleModel::Shape).data().toString(), QStringLiteral("8x8x3x3"));
        QVERIFY(summaryText(*info).contains(QStringLiteral("Total parameters: 1,448")));
        // Freezing a part shows in it, below it and above it.
        model.setTrainable(QStringLiteral("layer1"), false);
        const auto grad = [&](const char* path) {
            return model.indexOfModule(QString::fromLatin1(path)).siblingAtColumn(ModuleModel::Grad).data().toString();
        };
        QCOMPARE(grad("layer1.0.conv"), QStringLiteral("none"));
        QCOMPARE(grad("layer1"), QStringLiteral("none"));
        QCOMPARE(grad("conv1"), QStringLiteral("all"));
        QCOMPARE(grad(""), QStringLiteral("some"));
        QCOMPARE(weight.siblingAtColumn(ModuleModel::Grad).data().toString(), QStringLiteral("no"));
        model.setTrainable({}, true);
        QCOMPARE(grad(""), QStringLiteral("all"));
        model.setModel(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }
    // What the file says of itself stands under one row, in its order.
    void metadataIsNoModule() {
        session::ModelInfo info = *testing::sampleModel();
        for (int i = 1; i <= 11; ++i)
            info.modules.front().attributes["note" + std::to_string(i)] =
                "'key" + std::to_string(i) + " = " + std::to_string(i) + "'";
        ModuleModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const QModelIndex before = [&] {
            model.setModel(testing::sampleModel());
            return model.index(0, 0);
        }();
        const int rows = model.rowCount(before);
        model.setModel(std::make_shared<const session::ModelInfo>(info));
        const QModelIndex root = model.index(0, 0);
        QCOMPARE(model.rowCount(root), rows + 1);
        QModelIndex metadata;
        for (int i = 0; i <= rows; ++i)
            if (model.index(i, 0, root).data().toString() == QStringLiteral("metadata"))
                metadata = model.index(i, 0, root);
        QVERIFY(metadata.isValid());
        QCOMPARE(model.rowCount(metadata), 11);
        QCOMPARE(model.index(9, 0, metadata).data().toString(), QStringLiteral("key10"));
        QCOMPARE(model.index(9, ModuleModel::Class, metadata).data().toString(), QStringLiteral("10"));
    }

    void modulesAreTickedForTheRecording() {
        SessionBridge bridge;
        ModulesView view(bridge, nullptr);
        view.resize(700, 500);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view, kPatience));
        bridge.show(testing::sampleModel(), testing::sampleRun());
        view.tree().expandAll();
        auto& model = view.model();
        const auto tick = [&](const char* path) {
            return model.indexOfModule(QString::fromLatin1(path))
                .siblingAtColumn(ModuleModel::Record)
                .data(Qt::CheckStateRole)
                .toInt();
        };
        const auto click = [&](const QModelIndex& row) {
            const QModelIndex index = row.siblingAtColumn(ModuleModel::Record);
            view.tree().scrollTo(index);
            const QRect cell = view.tree().visualRect(index);
            QTest::mouseClick(view.tree().viewport(), Qt::LeftButton, {}, QPoint(cell.left() + 10, cell.center().y()));
        };
        QCOMPARE(tick(""), int(Qt::Checked));
        click(model.indexOfModule(QStringLiteral("layer1.0.conv")));
        QCOMPARE(tick("layer1.0.conv"), int(Qt::Unchecked));
        QCOMPARE(tick("layer1.0"), int(Qt::PartiallyChecked));
        QCOMPARE(tick("layer1.1"), int(Qt::Checked));
        QCOMPARE(tick(""), int(Qt::PartiallyChecked));
        QCOMPARE(bridge.runOptions().left_out, (ModuleModel::Names{"layer1.0.conv", "layer1.0.conv.weight"}));
        // A parent ticks all below it.
        click(model.indexOfModule(QStringLiteral("layer1")));
        QCOMPARE(tick("layer1"), int(Qt::Checked));
        QVERIFY(bridge.runOptions().left_out.empty());
        // A parameter by itself.
        click(model.index(0, 0, model.indexOfModule(QStringLiteral("fc"))));
        QCOMPARE(bridge.runOptions().left_out, ModuleModel::Names{"fc.weight"});
        QCOMPARE(tick("fc"), int(Qt::PartiallyChecked));
        QVERIFY(!model.indexOfModule(QStringLiteral("fc")).data(Qt::CheckStateRole).isValid());
        // Another model has other names.
        auto other = std::make_shared<session::ModelInfo>(*testing::sampleModel());
        other->path = "other.pt";
        bridge.show(other, nullptr);
        QVERIFY(bridge.runOptions().left_out.empty());
        QCOMPARE(tick("fc"), int(Qt::Checked));
    }
    void modulesFollowTheEventAndLeadToIt() {
        SessionBridge bridge;
        ModulesView view(bridge, nullptr);
        bridge.show(testing::sampleModel(), testing::sampleRun());
        bridge.setCurrentEvent(4);
        QCOMPARE(view.tree().currentIndex().data(ModuleModel::PathRole).toString(), QStringLiteral("layer1.1.conv"));
        view.tree().setCurrentIndex(view.model().indexOfModule(QStringLiteral("fc")));
        QCOMPARE(bridge.currentEvent(), 6u);
        // In backward one stays in backward.
        bridge.setCurrentEvent(9);
        view.tree().setCurrentIndex(view.model().indexOfModule(QStringLiteral("conv1")));
        QCOMPARE(bridge.currentEvent(), 12u);
    }

    void sourceShowsTheLineAndBreakpoints() {
        SessionBridge bridge;
        SourceView view(bridge, nullptr);
        view.resize(600, 300);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view, kPatience));
        bridge.show(testing::sampleModel(), testing::sampleRun());
        bridge.setCurrentEvent(4);
        QCOMPARE(view.currentFile(), QStringLiteral("sample.py"));
        QVERIFY(view.editor().markersAtLine(5) != 0);  // event 4 is on line 6
        QCOMPARE(view.editor().markersAtLine(4), 0u);
        emit view.editor().marginClicked(0, 7, Qt::NoModifier);
        QCOMPARE(bridge.breakpoints().size(), 1u);
        QCOMPARE(bridge.breakpoints().front().line, 8);
        QVERIFY(view.editor().markersAtLine(7) != 0);
        bridge.undoStack()->undo();
        QVERIFY(bridge.breakpoints().empty());
        QCOMPARE(view.editor().markersAtLine(7), 0u);
    }

    void sourceHidesWhatNobodyKnows() {
        auto model = std::make_shared<session::ModelInfo>(*testing::sampleModel());
        session::SourceFile file;
        file.name = "gaps.py";
        file.is_original = true;
        file.text =
            std::string(40, '\n') + "def f(x):\n    return x\n" + std::string(30, '\n') + "def g(x):\n    return -x\n";
        model->sources = {file};
        SessionBridge bridge;
        SourceView view(bridge, nullptr);
        bridge.show(model, nullptr);
        const auto visible = [&](int line) {
            return view.editor().SendScintilla(QsciScintilla::SCI_GETLINEVISIBLE, static_cast<unsigned long>(line)) !=
                   0;
        };
        QVERIFY(!visible(1));
        QVERIFY(!visible(38));
        QVERIFY(visible(40));
        QVERIFY(visible(41));
        QVERIFY(!visible(60));
        QVERIFY(visible(72));
        // The archive's own code is whole, blank lines and all.
        model->sources.front().is_original = false;
        bridge.show(model, nullptr);
        QVERIFY(visible(1));
    }

    void inputShapes() {
        QCOMPARE(parseShape(QStringLiteral("1x3x8x8")), (session::Shape{1, 3, 8, 8}));
        QCOMPARE(parseShape(QStringLiteral("[2, 5]")), (session::Shape{2, 5}));
        QCOMPARE(parseShape(QStringLiteral("scalar")), session::Shape{});
        QVERIFY(!parseShape(QStringLiteral("2xtwo")));
        QVERIFY(!parseShape(QStringLiteral("-1")));
    }
    void inputsAreEdited() {
        InputModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        session::InputSpec spec;
        spec.shape = {1, 3, 8, 8};
        model.setInputs({{"x", "Tensor", false}}, {spec});
        const auto set = [&](int column, const char* value) {
            return model.setData(model.index(0, column), QString::fromUtf8(value), Qt::EditRole);
        };
        QVERIFY(set(InputModel::ShapeColumn, "2x3x4x4"));
        QVERIFY(set(InputModel::Dtype, "int64"));
        QVERIFY(set(InputModel::Source, "Random"));
        QVERIFY(set(InputModel::Detail, "seed 7, -2 to 5"));
        QVERIFY(!set(InputModel::Dtype, "float1"));
        QVERIFY(!set(InputModel::ShapeColumn, "abc"));
        const auto& changed = model.specs().front();
        QCOMPARE(changed.shape, (session::Shape{2, 3, 4, 4}));
        QCOMPARE(changed.seed, 7u);
        QCOMPARE(changed.low, -2);
        QCOMPARE(changed.high, 6);
        QCOMPARE(model.index(0, InputModel::Detail).data().toString(), QStringLiteral("seed 7, -2 to 5"));
    }

    void breakpointsAreEditedAndUndone() {
        SessionBridge bridge;
        WatchView view(bridge, nullptr);
        bridge.show(testing::sampleModel(), testing::sampleRun());
        BreakpointModel& model = view.breakpoints();
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        session::Breakpoint breakpoint;
        breakpoint.kind = session::Breakpoint::Kind::Module;
        breakpoint.text = "layer1";
        bridge.addBreakpoint(breakpoint);
        bridge.toggleNodeBreakpoint(2);
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("module layer1"));
        QCOMPARE(model.index(1, 0).data().toString(), QStringLiteral("relu_ in layer1.0"));
        QVERIFY(model.setData(model.index(0, BreakpointModel::Phase), QStringLiteral("backward"), Qt::EditRole));
        QVERIFY(model.setData(model.index(0, BreakpointModel::Condition), QStringLiteral("absmax > 10"), Qt::EditRole));
        QVERIFY(model.setData(model.index(0, 0), Qt::Unchecked, Qt::CheckStateRole));
        QCOMPARE(bridge.breakpoints().front().phase, session::RunPhase::Backward);
        QCOMPARE(bridge.breakpoints().front().condition, std::string("absmax > 10"));
        QVERIFY(!bridge.breakpoints().front().enabled);
        bridge.undoStack()->undo();
        QVERIFY(bridge.breakpoints().front().enabled);
        bridge.toggleNodeBreakpoint(2);
        QCOMPARE(model.rowCount(), 1);
    }
    void watchesAreAddedInTheLastRow() {
        SessionBridge bridge;
        WatchModel model(bridge, nullptr);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model.rowCount(), 1);
        QVERIFY(model.setData(model.index(0, 0), QStringLiteral("fc.out.absmax"), Qt::EditRole));
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.expressions(), QStringList{QStringLiteral("fc.out.absmax")});
        model.remove(0);
        QCOMPARE(model.rowCount(), 1);
    }

    // Debug records name files of Python and of torch too.
    void codeOfLibrariesIsNotTheUsers() {
        for (const char* library :
             {"/usr/lib/python3/dist-packages/torch/nn/modules/conv.py",
              "/home/me/env/lib/python3.11/site-packages/a.py", "/usr/lib/python3.11/threading.py",
              "torch/nn/functional.py", "torchvision/models/resnet.py"})
            QVERIFY2(is_library_path(library), library);
        for (const char* own : {"net.py", "/home/me/torch/net.py", "/home/me/lib/python3/net.py", "torch_net.py"})
            QVERIFY2(!is_library_path(own), own);
        auto model = std::make_shared<session::ModelInfo>(*testing::sampleModel());
        const char* const conv = "/usr/lib/python3/dist-packages/torch/nn/modules/conv.py";
        model->sources = {{conv, "a = 1\n", true, false}, {"net.py", "b = 2\n", true, false}};
        SessionBridge bridge;
        SourceView view(bridge, nullptr);
        LogView log(bridge, nullptr);
        bridge.show(model, nullptr);
        const auto says = [&](const char* words) {
            const auto labels = view.findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(),
                               [&](const QLabel* label) { return label->text() == QLatin1String(words); });
        };
        bridge.setCurrentSource({conv, 1, 0});
        QVERIFY(says("library code") && !says("your source"));
        bridge.setCurrentSource({"net.py", 1, 0});
        QVERIFY(says("your source") && !says("library code"));
        SessionBridge::LogEntry entry;
        entry.text = "failed";
        entry.source = {conv, 1, 0};
        bridge.addLog(entry);
        QVERIFY(log.list().item(0)->text().contains(QStringLiteral("library code")));
    }

    void logEntriesAreLinks() {
        SessionBridge bridge;
        LogView view(bridge, nullptr);
        bridge.show(testing::sampleModel(), testing::sampleRun());
        SessionBridge::LogEntry entry;
        entry.text = "NaN in the output";
        entry.event = 4;
        bridge.addLog(entry);
        QCOMPARE(view.list().count(), 1);
        QVERIFY(view.list().item(0)->text().contains(QStringLiteral("#4")));
        emit view.list().itemActivated(view.list().item(0));
        QCOMPARE(bridge.currentEvent(), 4u);
        // Another run has an event of that number too: it is not the one that is meant.
        bridge.show(testing::sampleModel(), testing::sampleRun());
        QVERIFY2(view.list().item(0)->text().endsWith(QStringLiteral("#4 of an earlier run")),
                 qPrintable(view.list().item(0)->text()));
        QVERIFY(view.list().item(0)->toolTip().contains(QStringLiteral("of an earlier run")));
        const auto before = bridge.currentEvent();
        emit view.list().itemActivated(view.list().item(0));
        QCOMPARE(bridge.currentEvent(), before);
        bridge.addLog(entry);
        emit view.list().itemActivated(view.list().item(1));
        QCOMPARE(bridge.currentEvent(), 4u);
    }
    // Those of a sitting before have their own times, with the day.
    void olderEntriesHaveTheirTimes() {
        SessionBridge bridge;
        LogView view(bridge, nullptr);
        SessionBridge::LogEntry entry;
        entry.text = "told";
        const QDateTime then = QDateTime::currentDateTime().addDays(-2);
        entry.time = then.toMSecsSinceEpoch();
        bridge.addOlderLog({entry});
        QVERIFY2(view.list().item(0)->text().startsWith(then.toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"))),
                 qPrintable(view.list().item(0)->text()));
        entry.time = 0;
        bridge.addLog(entry);
        QVERIFY(bridge.log().back().time > 0);
    }
    // What a session before told comes first; it is no news.
    void olderEntriesStandBeforeThose() {
        SessionBridge bridge;
        LogView view(bridge, nullptr);
        const auto named = [](const std::string& words) {
            SessionBridge::LogEntry entry;
            entry.text = words;
            return entry;
        };
        bridge.addLog(named("new"));
        const QSignalSpy added(&bridge, &SessionBridge::logAdded);
        bridge.addOlderLog({named("first"), named("second")});
        bridge.addOlderLog({named("third")});
        QCOMPARE(added.count(), 0);
        QStringList rows;
        for (int row = 0; row < view.list().count(); ++row) {
            rows += view.list().item(row)->text().section(QLatin1Char(' '), -1);
        }
        QCOMPARE(rows, (QStringList{"first", "second", "third", "new"}));
        const auto inLog = [&](std::size_t index) { return views::text(bridge.log()[index].text); };
        for (int i = 0; i < 4; ++i) QCOMPARE(inLog(static_cast<std::size_t>(i)), rows[i]);
        // Where the oldest go, those that come later still stand before the new ones.
        for (std::size_t i = 0; i < 4998; ++i) bridge.addLog(named("new"));
        QCOMPARE(bridge.log().size(), std::size_t{5000});
        QCOMPARE(inLog(0), QStringLiteral("third"));
        bridge.addOlderLog({named("fourth")});
        QCOMPARE(bridge.log().size(), std::size_t{5000});
        QCOMPARE(inLog(0), QStringLiteral("fourth"));
        QCOMPARE(inLog(1), QStringLiteral("new"));
    }
};

QTEST_MAIN(PanelsTest)
#include "panels_test.moc"
