// SPDX-License-Identifier: GPL-3.0-or-later
// The Tensor panel, on slices made by hand.

#include <qcustomplot.h>
#include <QAbstractItemModelTester>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/views/patience.h"
#include "tests/views/sample_run.h"
#include "views/tensor/tensor_view.h"

using namespace loupe;
using namespace loupe::views;

namespace {

// tiles x rows x columns, counting up; one NaN and one Inf.
session::TensorSlice slice(int tiles, int rows, int columns) {
    session::TensorSlice made;
    made.name = "%x";
    made.dtype = "float32";
    made.shape = made.sliced_shape = {tiles, rows, columns};
    made.strides = {rows * columns, columns, 1};
    made.rows = rows;
    made.columns = columns;
    made.tiles = tiles;
    double next = 0;
    for (int t = 0; t < tiles; ++t) {
        session::TensorTile tile;
        tile.label = "[" + std::to_string(t) + "]";
        tile.rows = rows;
        tile.columns = columns;
        for (int i = 0; i < rows * columns; ++i) tile.elements.push_back(next++);
        made.data.push_back(tile);
    }
    made.statistics.count = static_cast<std::int64_t>(next);
    made.statistics.finite.emplace().max = next - 1;
    return made;
}

}  // namespace

class TensorTest : public QObject {
    Q_OBJECT

  private slots:
    void grid() {
        TensorGridModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        auto numbers = slice(2, 3, 4);
        numbers.data[1].elements[5] = std::nan("");
        model.setTile(numbers, 1);
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(model.columnCount(), 4);
        QCOMPARE(model.data(model.index(0, 1), Qt::DisplayRole).toString(), QStringLiteral("13"));
        QCOMPARE(model.data(model.index(1, 1), Qt::DisplayRole).toString(), QStringLiteral("nan"));
        QVERIFY(model.data(model.index(1, 1), Qt::BackgroundRole).isValid());
        model.setTile(numbers, -1);
        QCOMPARE(model.rowCount(), 0);
    }

    void thinnedRowsKeepTheirNumbers() {
        auto numbers = slice(1, 4, 4);
        numbers.rows = 400;
        TensorGridModel model;
        model.setTile(numbers, 0);
        QCOMPARE(model.headerData(3, Qt::Vertical, Qt::DisplayRole).toString(), QStringLiteral("300"));
        QCOMPARE(model.headerData(3, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("3"));
    }

    void pictureShowsColours() {
        TensorPicture picture;
        picture.resize(300, 300);
        auto numbers = slice(1, 2, 2);
        numbers.data[0].elements = {0, 1, std::nan(""), std::numeric_limits<double>::infinity()};
        picture.setSlice(numbers);
        picture.setColours(ColourMap::Viridis, 0, 1);
        const QImage image = picture.picture();
        QCOMPARE(image.size(), QSize(2, 2));
        QCOMPARE(image.pixel(0, 0), colourAt(ColourMap::Viridis, 0) | 0xff000000);
        QCOMPARE(image.pixel(1, 0), colourAt(ColourMap::Viridis, 1) | 0xff000000);
        QVERIFY(image.pixel(0, 1) != image.pixel(1, 1));
    }

    void hoverNamesTheElement() {
        TensorPicture picture;
        picture.resize(300, 300);
        picture.setSlice(slice(1, 2, 2));
        picture.show();
        QString said;
        connect(&picture, &TensorPicture::hovered, [&](const QString& text) { said = text; });
        testing::hover(picture, QPoint(140, 140));
        QCOMPARE(said, QStringLiteral("[0, 0, 0] = 0"));
        testing::hover(picture, QPoint(160, 160));
        QCOMPARE(said, QStringLiteral("[0, 1, 1] = 3"));
    }

    // However wide the numbers at the axis are.
    void hoverOfALineNamesTheElement() {
        TensorPicture picture;
        picture.resize(900, 200);
        picture.setSlice(slice(1, 1, 40));
        picture.setMode(TensorPicture::Mode::Line);
        picture.show();
        QString said;
        connect(&picture, &TensorPicture::hovered, [&](const QString& text) { said = text; });
        for (const double low : {0.0, -0.000123456}) {
            picture.setColours(ColourMap::Viridis, low, 40);
            const QRectF area = picture.lineArea();
            for (int element = 1; element < 39; ++element) {
                const double x = area.left() + area.width() * element / 39;
                testing::hover(picture, QPoint(static_cast<int>(std::lround(x)), 100));
                QCOMPARE(said, QStringLiteral("[0, 0, %1] = %1").arg(element));
            }
        }
    }

    // The element of a slice is called by where it stands in the tensor.
    void hoverOfASliceNamesTheTensorsElement() {
        TensorPicture picture;
        picture.resize(300, 300);
        auto part = slice(1, 2, 2);
        part.shape = {4, 10, 8};
        part.sliced_shape = {2, 2};
        part.axes = {{3, 1, -1}, {5, 1, 0}, {0, 4, 1}};  // [3, 5:7, ::4]
        picture.setSlice(part);
        picture.show();
        QString said;
        connect(&picture, &TensorPicture::hovered, [&](const QString& text) { said = text; });
        testing::hover(picture, QPoint(160, 160));
        QCOMPARE(said, QStringLiteral("[3, 6, 4] = 3"));
        TensorGridModel model;
        model.setTile(part, 0);
        QCOMPARE(model.headerData(1, Qt::Vertical, Qt::DisplayRole).toString(), QStringLiteral("6"));
        QCOMPARE(model.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("4"));
        QCOMPARE(model.data(model.index(1, 1), Qt::ToolTipRole).toString(), QStringLiteral("[3, 6, 4] = 3"));
    }

    // No minimum of what is nowhere finite; the histogram is hatched for as much of it as is not.
    void nothingFiniteHasNoNumbers() {
        SessionBridge bridge;
        TensorView view(bridge, nullptr);
        view.resize(900, 600);
        view.show();
        session::TensorSlice bad = slice(1, 3, 3);
        bad.statistics.nan_count = 9;
        bad.statistics.finite.reset();
        view.showSlice(bad);
        const auto* facts = view.findChild<QTextBrowser*>();
        QVERIFY2(facts->toPlainText().contains(QStringLiteral("no finite values")), qPrintable(facts->toPlainText()));
        QVERIFY2(!facts->toPlainText().contains(QStringLiteral("min, max")), qPrintable(facts->toPlainText()));
        const auto plots = view.findChildren<QCustomPlot*>();
        const auto histogram = std::find_if(plots.begin(), plots.end(), [](const QCustomPlot* plot) {
            return plot->accessibleName().startsWith("Histogram");
        });
        QVERIFY(histogram != plots.end());
        const auto hatched = [&]() -> const QCPItemRect* {
            for (int i = 0; i < (*histogram)->itemCount(); ++i) {
                if (const auto* item = qobject_cast<const QCPItemRect*>((*histogram)->item(i))) return item;
            }
            return nullptr;
        };
        QVERIFY(hatched() && hatched()->visible() && hatched()->brush().style() == Qt::BDiagPattern);
        QCOMPARE(hatched()->topLeft->coords().x(), 0.0);
        session::TensorSlice half = slice(1, 3, 3);
        half.statistics.nan_count = 3;
        view.showSlice(half);
        QVERIFY(facts->toPlainText().contains(QStringLiteral("of the finite 67 %")));
        QVERIFY(hatched()->visible() && hatched()->topLeft->coords().x() > 0.5);
        view.showSlice(slice(1, 3, 3));
        QVERIFY(!hatched()->visible());
    }

    void equalElementsHaveABar() {
        SessionBridge bridge;
        TensorView view(bridge, nullptr);
        session::TensorSlice twos = slice(1, 2, 2);
        twos.statistics.finite->min = twos.statistics.finite->max = 2;
        twos.histogram[0] = 4;
        view.showSlice(twos);
        const auto plots = view.findChildren<QCustomPlot*>();
        const auto histogram = std::find_if(plots.begin(), plots.end(), [](const QCustomPlot* plot) {
            return plot->accessibleName().startsWith("Histogram");
        });
        QVERIFY(histogram != plots.end());
        const auto* bars = qobject_cast<QCPBars*>((*histogram)->plottable(0));
        QCOMPARE(bars->data()->size(), 1);
        QCOMPARE(bars->data()->at(0)->key, 2.0);
        QVERIFY((*histogram)->xAxis->range().contains(2.0));
    }

    void displayFollowsTheShape() {
        SessionBridge bridge;
        TensorView view(bridge, nullptr);
        view.resize(900, 600);
        view.show();
        view.showSlice(slice(1, 30, 40));
        QCOMPARE(view.picture()->mode(), TensorPicture::Mode::HeatMap);
        view.showSlice(slice(8, 30, 40));
        QCOMPARE(view.picture()->mode(), TensorPicture::Mode::Tiles);
        view.showSlice(slice(1, 1, 400));
        QCOMPARE(view.picture()->mode(), TensorPicture::Mode::Line);
        for (int i = 0; i < 5; ++i) {
            view.setDisplay(static_cast<TensorView::Display>(i));
            QVERIFY(!view.grab().isNull());
        }
    }

    void anErrorKeepsThePicture() {
        SessionBridge bridge;
        TensorView view(bridge, nullptr);
        view.showSlice(slice(1, 30, 40));
        session::TensorSlice bad;
        bad.error = "index 9 is out of bounds for dimension 0 with size 1";
        view.showSlice(bad);
        QCOMPARE(view.slice().columns, 40);
    }

    void followsTheCurrentEventUnlessLocked() {
        SessionBridge bridge;
        bridge.show(testing::sampleModel(), testing::sampleRun());
        TensorView view(bridge, nullptr);
        bridge.setCurrentEvent(1);
        auto* choice = view.findChild<QComboBox*>();
        QVERIFY(choice->count() > 0);
        const QString before = choice->itemText(0);
        view.setLocked(true);
        bridge.setCurrentEvent(3);
        QCOMPARE(choice->itemText(0), before);
        view.setLocked(false);
        QVERIFY(choice->itemText(0) != before);
    }
};

QTEST_MAIN(TensorTest)
#include "tensor_test.moc"
