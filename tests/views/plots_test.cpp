// SPDX-License-Identifier: GPL-3.0-or-later
// Gradient flow and Memory.

#include <qcustomplot.h>

#include <QAbstractItemModelTester>
#include <QMenu>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <limits>

#include "core/record/recording_writer.h"
#include "tests/views/patience.h"
#include "tests/views/sample_run.h"
#include "views/common/format.h"
#include "views/common/plot_style.h"
#include "views/common/theme.h"
#include "views/gradient_flow/gradient_flow_view.h"
#include "views/memory/address_map.h"
#include "views/memory/memory_view.h"

using namespace loupe;
using namespace loupe::views;
using session::Category;

namespace {

session::GradientRow row(const char* name, double mean, double norm, double weights) {
    session::GradientRow made;
    made.parameter = name;
    made.module = made.parameter.substr(0, made.parameter.rfind('.'));
    made.has_gradient = true;
    made.finite = {mean, mean * 5, norm};
    made.weight_norm = weights;
    return made;
}

std::vector<session::GradientRow> rows() {
    std::vector<session::GradientRow> all{row("conv1.weight", 1e-9, 1e-7, 3), row("layer1.0.conv.weight", 0.01, 0.3, 2),
                                          row("fc.weight", 40, 5000, 2)};
    session::GradientRow unused;
    unused.parameter = "fc.bias";
    unused.module = "fc";
    all.push_back(unused);
    session::GradientRow broken = row("layer1.1.conv.weight", 1, 1, 1);
    broken.nan_count = 3;
    broken.shape = {3, 3};
    broken.event = 9;
    all.push_back(broken);
    return all;
}

// A thousand blocks of four parameters each.
std::vector<session::GradientRow> manyRows() {
    std::vector<session::GradientRow> many;
    for (int layer = 0; layer < 12; ++layer) {
        for (int block = 0; block < 90; ++block) {
            const std::string module = "layers." + std::to_string(layer) + ".block" + std::to_string(block) + ".";
            for (const char* name : {"attn.weight", "attn.bias", "fc.weight", "fc.bias"}) {
                many.push_back(row((module + name).c_str(), 0.5, 3, 4));
                many.back().shape = {8};
            }
        }
    }
    return many;
}

session::Allocation block(Category category, std::int64_t bytes, session::EventId made) {
    session::Allocation allocation;
    allocation.category = category;
    allocation.bytes = bytes;
    allocation.allocated = made;
    allocation.owner = "%x";
    return allocation;
}

// Parameters throughout; an activation of events 1 to 3; a gradient from 3.
std::shared_ptr<const session::Recording> memoryRun(std::int64_t parameter = 1000) {
    session::RecordingWriter writer;
    writer.add_allocation(block(Category::Parameter, parameter, 0));
    const std::size_t activation = writer.add_allocation(block(Category::Activation, 500, 1));
    for (int i = 0; i < 4; ++i) {
        session::Event event;
        event.op = writer.intern("aten::relu");
        event.start = i;
        event.duration = 1;
        writer.add_event(event);
        if (i == 2) writer.add_allocation(block(Category::Gradient, 200, 3));
    }
    writer.end_allocation(activation, 3);
    writer.note_peak(1700, 3);
    writer.finish();
    return writer.recording();
}

}  // namespace

class PlotsTest : public QObject {
    Q_OBJECT

  private slots:
    void gradientPanel() {
        SessionBridge bridge;
        bridge.show(testing::sampleModel(), testing::sampleRun());
        GradientFlowView view(bridge, nullptr);
        view.resize(900, 300);
        view.show();
        view.showRows(rows());
        QVERIFY(view.health()->count() >= 2);
        QVERIFY(view.health()->item(0)->text().startsWith(QStringLiteral("NaN or Inf in layer1.1.conv.weight")));
        // Without a loss scale is not judged; the line leads to where one is chosen.
        QSignalSpy wanted(&bridge, &SessionBridge::panelWanted);
        QListWidgetItem* last = view.health()->item(view.health()->count() - 1);
        QVERIFY(last->text().contains(QStringLiteral("scale is not judged")));
        QTest::mouseClick(view.health()->viewport(), Qt::LeftButton, {}, view.health()->visualItemRect(last).center());
        QCOMPARE(wanted.count(), 1);
        QCOMPARE(wanted.front().front().toString(), QStringLiteral("inputs"));
        // A finding leads to where it happened.
        QTest::mouseClick(view.health()->viewport(), Qt::LeftButton, {},
                          view.health()->visualItemRect(view.health()->item(0)).center());
        const session::EventId cause = session::judge_gradients(rows(), bridge.recording().get()).front().event;
        QCOMPARE(bridge.currentEvent(), cause != 0 ? cause : 9u);
        for (int i = 0; i < 4; ++i) {
            view.setMeasure(static_cast<GradientFlowView::Measure>(i));
            QVERIFY(!view.grab().isNull());
        }
        QTemporaryDir folder;
        for (const char* ending : {"png", "svg", "pdf", "csv"}) {
            const QString file = folder.filePath(QStringLiteral("plot.") + QLatin1String(ending));
            QCOMPARE(savePlot(*view.plot(), file), QString());
            QVERIFY(QFileInfo(file).size() > 10);
        }
    }

    // Modules stand for what is inside until one is opened.
    void manyParametersAreGroupedByModule() {
        const std::vector<session::GradientRow> many = manyRows();
        QCOMPARE(many.size(), 4320u);
        GradientColumns columns;
        columns.setRows(many);
        QCOMPARE(columns.all().size(), 12u);  // "layers" alone says nothing
        QCOMPARE(columns.label(3, true), QStringLiteral("layers.3"));
        QCOMPARE(columns.columnOf(4319), 11);
        const session::GradientRow sum = columns.sum(0, many);
        QVERIFY(sum.finite && qFuzzyCompare(sum.finite->norm, std::sqrt(360 * 9.0)) &&
                qFuzzyCompare(*sum.weight_norm, std::sqrt(360 * 16.0)));
        QVERIFY(qFuzzyCompare(sum.finite->mean_abs, 0.5) && qFuzzyCompare(sum.finite->max_abs, 2.5));
        QVERIFY(qFuzzyCompare(columns.ratio(0, many).value_or(0), 3.0 / 4));
        QVERIFY(columns.toggle(2));
        QCOMPARE(columns.all().size(), 11u + 90u);
        QVERIFY(columns.toggle(2));  // its first block
        QCOMPARE(columns.all().size(), 11u + 89u + 2u);
        QVERIFY(columns.toggle(2));
        QCOMPARE(columns.label(2, false), QStringLiteral("layers.2.block0.attn.weight"));
        QCOMPARE(columns.label(3, true), QStringLiteral("bias"));
        QCOMPARE(columns.label(3, false), QStringLiteral("layers.2.block0.attn.bias"));
        QVERIFY(columns.toggle(3));  // closes attn again
        QCOMPARE(columns.all().size(), 11u + 89u + 2u);
        columns.setSearch(QStringLiteral("layers.7.block33 bias"));
        QCOMPARE(columns.matches(), 2u);
        QCOMPARE(columns.all().size(), 2u);
        columns.setSearch({});
        columns.setGrouping(GradientGrouping::EveryModule);
        QCOMPARE(columns.all().size(), 12u * 90 * 2);
        columns.setGrouping(GradientGrouping::Parameters);
        QCOMPARE(columns.all().size(), 4320u);
        // Few parameters stand for themselves.
        columns.setGrouping(GradientGrouping::Automatic);
        columns.setRows(rows());
        QCOMPARE(columns.all().size(), rows().size());
    }

    void labelsOfManyParametersKeepApart() {
        SessionBridge bridge;
        bridge.show(testing::sampleModel(), testing::sampleRun());
        GradientFlowView view(bridge, nullptr);
        view.resize(900, 300);
        view.show();
        view.showRows(manyRows());
        const auto apart = [&] {
            view.plot()->replot();
            double least = 1e9;
            double before = -1e9;
            for (const auto& [column, label] : view.shownLabels()) {
                const double x = view.plot()->xAxis->coordToPixel(column);
                least = std::min(least, x - before);
                before = x;
            }
            return least;
        };
        QVERIFY(apart() > 12);
        QCOMPARE(view.shownLabels().size(), 12u);
        // However many there are, names do not lie upon each other, and there are some.
        view.setGrouping(GradientGrouping::Parameters);
        QVERIFY(apart() > 12);
        QVERIFY(view.shownLabels().size() >= 12u);
        // Zoomed in each has its own.
        view.plot()->xAxis->setRange(100, 120);
        QVERIFY(apart() > 12);
        QCOMPARE(view.shownLabels().size(), 21u);
        // Double click on the bar of a module opens it.
        view.setGrouping(GradientGrouping::Automatic);
        view.plot()->replot();
        const QPoint place(static_cast<int>(view.plot()->xAxis->coordToPixel(4)),
                           view.plot()->axisRect()->center().y());
        QTest::mouseDClick(view.plot(), Qt::LeftButton, {}, place);
        QCOMPARE(view.columns().all().size(), 11u + 90u);
    }

    // Norms add up as of one vector; what has no gradient takes no part, and one NaN is not lost among the others.
    void normsOfAColumn() {
        std::vector<session::GradientRow> parameters;
        for (const char* name : {"block.a.weight", "block.a.bias", "block.b.weight", "other.weight"}) {
            parameters.push_back(row(name, 0.5, 3, 4));
            parameters.back().shape = {8};
        }
        GradientColumns columns;
        columns.setGrouping(GradientGrouping::TopModules);
        columns.setRows(parameters);
        QCOMPARE(columns.all().size(), 2u);
        QCOMPARE(columns.norm(0, {3, -1, 4, 7}), 5.0);
        QCOMPARE(columns.norm(1, {3, -1, 4, 7}), 7.0);
        QCOMPARE(columns.norm(0, {-1, -1, 0, 7}), 0.0);
        QCOMPARE(columns.norm(0, {-1, -1, -1, 7}), -1.0);
        QVERIFY(std::isnan(columns.norm(0, {3, std::nan(""), 4, 7})));
        QVERIFY(std::isnan(columns.norm(0, {3, std::numeric_limits<double>::infinity(), -1, 7})));
        QCOMPARE(columns.mean(0, {3, -1, 5, 7}), 4.0);
        QCOMPARE(columns.mean(0, {3, std::nan(""), 5, 7}), 4.0);
        QCOMPARE(columns.mean(0, {-1, -1, -1, 7}), -1.0);
        QVERIFY(std::isnan(columns.mean(0, {-1, std::nan(""), -1, 7})));
    }

    void bytesOverEvents() {
        const auto recording = memoryRun();
        const MemorySeries series = memorySeries(session::MemoryBook(*recording), recording->event_count());
        QCOMPARE(series.events(), 4u);
        const double expected[] = {1000, 1500, 1500, 1700, 1200};
        for (std::size_t i = 0; i < 5; ++i) QCOMPARE(series.total[i], expected[i]);
        QCOMPARE(series.bytes[static_cast<std::size_t>(Category::Activation)][2], 500.0);
        QCOMPARE(series.peakEvent(), 3u);
    }

    void whatIsAlive() {
        const auto recording = memoryRun();
        const session::MemoryBook book(*recording);
        QCOMPARE(book.alive_at(1).size(), 2u);
        QCOMPARE(book.alive_at(3).size(), 3u);
        QCOMPARE(book.alive_at(4).size(), 2u);
        AliveModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setBlocks(recording, book.alive_at(3), 3);
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(model.data(model.index(0, AliveModel::Category), Qt::DisplayRole).toString(),
                 QString::fromUtf8(session::category_name(Category::Parameter).data()));
        QCOMPARE(model.data(model.index(1, AliveModel::Age), Qt::DisplayRole).toString(), QStringLiteral("2"));
    }

    // Told apart with normal sight and by who lacks one kind of cones (Machado et al., 2009), in both themes.
    void categoriesHaveColoursOfTheirOwn() {
        const double sights[4][3][3] = {
            {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
            {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
            {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
            {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}};
        const auto lab = [&](const QColor& colour, int sight) {
            const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
            const double rgb[3] = {linear(colour.redF()), linear(colour.greenF()), linear(colour.blueF())};
            double seen[3];
            for (int i = 0; i < 3; ++i)
                seen[i] = std::clamp(
                    sights[sight][i][0] * rgb[0] + sights[sight][i][1] * rgb[1] + sights[sight][i][2] * rgb[2], 0.0,
                    1.0);
            const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
            const double x = f((0.4124 * seen[0] + 0.3576 * seen[1] + 0.1805 * seen[2]) / 0.9505);
            const double y = f(0.2126 * seen[0] + 0.7152 * seen[1] + 0.0722 * seen[2]);
            const double z = f((0.0193 * seen[0] + 0.1192 * seen[1] + 0.9505 * seen[2]) / 1.089);
            return std::array<double, 3>{116 * y - 16, 500 * (x - y), 200 * (y - z)};
        };
        constexpr double kTold = 18;  // of CIE 1976's distance
        Theme& theme = Theme::instance();
        const Theme::Mode before = theme.mode();
        for (const Theme::Mode mode : {Theme::Mode::Dark, Theme::Mode::Light}) {
            theme.setMode(mode);
            for (int a = 0; a < session::kCategories; ++a) {
                for (int b = 0; b < a; ++b) {
                    for (int sight = 0; sight < 4; ++sight) {
                        const auto one = lab(theme.category(static_cast<Category>(a)), sight);
                        const auto other = lab(theme.category(static_cast<Category>(b)), sight);
                        const double distance =
                            std::sqrt(std::pow(one[0] - other[0], 2) + std::pow(one[1] - other[1], 2) +
                                      std::pow(one[2] - other[2], 2));
                        QVERIFY2(distance > kTold,
                                 qPrintable(QStringLiteral("%1 and %2: %3").arg(a).arg(b).arg(distance)));
                    }
                }
            }
        }
        theme.setMode(before);
    }

    void memoryByModuleAndCategory() {
        session::ModuleMemory root;
        root.at_event[static_cast<std::size_t>(Category::Parameter)] = 1024;
        root.at_event[static_cast<std::size_t>(Category::KernelCache)] = 4096;
        root.forward = 512;
        session::ModuleMemory inner = root;
        inner.module = "layer1";
        inner.parent = 0;
        inner.backward = -256;
        ModuleMemoryModel modules;
        const QAbstractItemModelTester tester(&modules, QAbstractItemModelTester::FailureReportingMode::QtTest);
        modules.setRows({root, inner}, 4, 7);
        const QModelIndex top = modules.index(0, 0);
        QCOMPARE(modules.rowCount(top), 1);
        const QModelIndex child = modules.indexOf(QStringLiteral("layer1"));
        QCOMPARE(child.parent(), top);
        const auto cell = [&](int column) { return child.siblingAtColumn(column).data().toString(); };
        QCOMPARE(cell(ModuleMemoryModel::AtEvent), QStringLiteral("1.00 KiB"));  // without the kernel's cache
        QCOMPARE(cell(ModuleMemoryModel::Forward), QStringLiteral("+512 B"));
        QCOMPARE(cell(ModuleMemoryModel::Backward), QString(QChar(0x2212)) + QStringLiteral("256 B"));
        QCOMPARE(modules.headerData(ModuleMemoryModel::AtPeak, Qt::Horizontal, Qt::DisplayRole).toString(),
                 QStringLiteral("At peak #7"));
        // The same modules: the tree stays open where it was.
        QSignalSpy reset(&modules, &QAbstractItemModel::modelReset);
        modules.setRows({root, inner}, 5, 7);
        QCOMPARE(reset.count(), 0);
        CategoryMemoryModel categories;
        const QAbstractItemModelTester other(&categories, QAbstractItemModelTester::FailureReportingMode::QtTest);
        categories.setBytes(root.at_event, root.at_peak, 4, 7);
        QCOMPARE(categories.rowCount(), 3);
        QCOMPARE(categories.index(2, CategoryMemoryModel::AtEvent).data().toString(), QStringLiteral("1.00 KiB"));
    }

    void memoryPanel() {
        SessionBridge bridge;
        bridge.show(testing::sampleModel(), memoryRun());
        MemoryView view(bridge, nullptr);
        view.resize(900, 300);
        view.show();
        QTRY_VERIFY(view.isSettled());
        bridge.setCurrentEvent(3);
        QCOMPARE(view.model()->rowCount(), 3);
        view.plot()->replot();
        const double x = view.plot()->xAxis->coordToPixel(1);
        QTest::mouseClick(view.plot(), Qt::LeftButton, {},
                          QPoint(static_cast<int>(x), view.plot()->axisRect()->center().y()));
        QCOMPARE(bridge.currentEvent(), 1u);
        QCOMPARE(view.model()->rowCount(), 2);
        for (const auto side : {MemoryView::Side::Modules, MemoryView::Side::Categories, MemoryView::Side::Addresses,
                                MemoryView::Side::Blocks}) {
            view.showSide(side);
            QCOMPARE(view.side(), side);
            QVERIFY(!view.grab().isNull());
        }
        view.findChild<QToolButton*>(QStringLiteral("byModule"))->click();
        QCOMPARE(view.side(), MemoryView::Side::Modules);
        QCOMPARE(view.modules()->index(0, ModuleMemoryModel::AtEvent).data().toString(), bytesText(1500));
        view.showSide(MemoryView::Side::Blocks);
        // As many events and less memory, as in the next step of a training: the axis ends where it does.
        bridge.show(testing::sampleModel(), memoryRun(100));
        QTRY_VERIFY(view.isSettled());
        QTRY_VERIFY(view.plot()->yAxis->range().upper < 1000);
    }

    // A panel behind others adds nothing up; it is as the run is when it comes into sight.
    void memoryOutOfSightWaits() {
        SessionBridge bridge;
        bridge.show(testing::sampleModel(), memoryRun());
        MemoryView view(bridge, nullptr);
        view.resize(900, 300);
        view.show();
        QTRY_VERIFY(view.isInSight() && view.isSettled());
        QCOMPARE(view.series().total[2], 1500.0);
        view.hide();
        bridge.show(testing::sampleModel(), memoryRun(100));
        bridge.setCurrentEvent(3);
        QVERIFY(view.isSettled());
        QCOMPARE(view.series().total[2], 1500.0);
        view.show();
        QTRY_COMPARE(view.series().total[2], 600.0);
        QCOMPARE(view.model()->rowCount(), 3);
        QVERIFY(view.plot()->yAxis->range().upper < 1000);
        // What the palette copies is of the run there is.
        view.hide();
        bridge.setCurrentEvent(1);
        QMenu menu;
        view.addActions(menu);
        const auto actions = menu.actions();
        const auto isCopy = [](const QAction* action) { return action->text().startsWith(QStringLiteral("Copy")); };
        const auto copy = std::find_if(actions.begin(), actions.end(), isCopy);
        QVERIFY(copy != actions.end());
        (*copy)->trigger();
        QCOMPARE(view.model()->rowCount(), 2);
    }

    void addressesAreMapped() {
        AddressMap map(nullptr);
        map.resize(400, 4 + 2 * 16);  // two rows
        const auto block = [](std::uint64_t address, std::int64_t bytes) {
            session::Allocation made;
            made.address = address;
            made.bytes = bytes;
            return made;
        };
        // Two that touch, one behind a gap of 1000 bytes, one far away.
        map.setBlocks({block(0x10000 + 2000 + 1000, 1000), block(0x10000, 1000), block(0x10000 + 1000, 1000),
                       block(0x7f0000000000, 1000)});
        QCOMPARE(map.regions(), 2);
        QCOMPARE(map.gapBytes(), 1000);
        for (int i = 0; i < 4; ++i) QCOMPARE(map.blockAt(map.placeOf(i) + QPoint(3, 3)), i);
        QCOMPARE(map.blocks().front().address, 0x10000u);
        // In the gap there is none.
        QCOMPARE(map.blockAt({(map.placeOf(1).x() + 1000 * 400 * 2 / 5000) + 40, map.placeOf(1).y() + 3}), -1);
        QSignalSpy chosen(&map, &AddressMap::chosen);
        QTest::mouseClick(&map, Qt::LeftButton, {}, map.placeOf(3) + QPoint(3, 3));
        QCOMPARE(chosen.count(), 1);
    }

    void gradientsOverRuns() {
        SessionBridge bridge;
        GradientFlowView view(bridge, nullptr);
        view.resize(900, 300);
        view.show();
        for (int run = 0; run < 3; ++run) {
            bridge.show(testing::sampleModel(), testing::sampleRun());
            // Another model begins anew, the same recording counts once.
            view.showRows(rows());
            view.showRows(rows());
            QCOMPARE(view.runs().size(), 1u);
        }
        const auto model = bridge.model();
        view.setMeasure(GradientFlowView::Measure::Runs);
        QVERIFY(!view.grab().isNull());
        QCOMPARE(view.runs().front().size(), rows().size());
    }
};

QTEST_MAIN(PlotsTest)
#include "plots_test.moc"
