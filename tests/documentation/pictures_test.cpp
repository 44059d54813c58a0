// SPDX-License-Identifier: GPL-3.0-or-later
// The pictures of the pages of help: the steps of each page are done in the real window, which is drawn at a fixed size
// and theme. A picture that differs coarsely from the one that lies in resources/docs/pictures fails; fonts and times
// do not. LOUPE_WRITE_PICTURES=1 writes them there.

#include <qcustomplot.h>

#include <QComboBox>
#include <QDir>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QTabBar>
#include <QTreeView>
#include <QTreeWidget>
#include <cmath>

#include "app/window/banner.h"
#include "tests/app/window_fixture.h"
#include "tests/documentation/pages.h"
#include "views/common/comparison.h"
#include "views/explain/explain_view.h"
#include "views/gradient_flow/gradient_flow_view.h"
#include "views/graph/graph_view.h"
#include "views/inputs/inputs_view.h"
#include "views/kernels/kernels_view.h"
#include "views/memory/memory_view.h"
#include "views/modules/module_model.h"
#include "views/modules/modules_view.h"
#include "views/passes/passes_view.h"
#include "views/registry.h"
#include "views/tensor/tensor_view.h"
#include "views/train/train_form.h"
#include "views/train/train_plots.h"
#include "views/train/train_view.h"

using namespace loupe;
using namespace loupe::testing;

namespace {

constexpr QSize kWindow{1440, 900};
constexpr QSize kCoarse{48, 30};
constexpr double kMostDifference = 7;  // mean over the coarse picture, of 255
constexpr qint64 kMostBytes = 400 * 1024;

QString example(const char* name) {
    return QStringLiteral(LOUPE_SOURCE_DIR "/resources/docs/examples/%1").arg(QLatin1String(name));
}

// The mean difference of two pictures of any sizes, each brought to kCoarse; of 255.
double difference(const QImage& one, const QImage& other) {
    const auto coarse = [](const QImage& image) {
        return image.convertToFormat(QImage::Format_RGB32)
            .scaled(kCoarse, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    };
    const QImage a = coarse(one);
    const QImage b = coarse(other);
    double sum = 0;
    for (int y = 0; y < kCoarse.height(); ++y) {
        for (int x = 0; x < kCoarse.width(); ++x) {
            const QColor left = a.pixelColor(x, y);
            const QColor right = b.pixelColor(x, y);
            sum += std::abs(left.red() - right.red()) + std::abs(left.green() - right.green()) +
                   std::abs(left.blue() - right.blue());
        }
    }
    return sum / (3.0 * kCoarse.width() * kCoarse.height());
}

}  // namespace

class PicturesTest : public WindowFixture {
    Q_OBJECT

  private slots:
    void initTestCase() {
        prepare();
        QVERIFY(QDir().mkpath(made_) && QDir().mkpath(kept_));
    }
    void init() { startAnew(); }
    void cleanup() { window_.reset(); }

    // task_nan.md
    void whereANanComesFrom() {
        open(example("pairs.py"));
        auto& train = view<views::TrainView>("train");
        window_->docks().show(QStringLiteral("train"));
        session::TrainOptions options = train.form().options();
        options.data.path = example("pairs_data.npz").toStdString();
        options.loss = "own";
        options.optimizer = "Adam(0.01)";
        options.batch_size = 16;
        options.shuffle = false;
        train.form().setOptions(options);
        train.train();
        QTRY_VERIFY(train.plots().lossGraph()->dataCount() == 2 && !window_->bridge().isTraining());
        window_->docks().toggleMaximised(QStringLiteral("train"));
        take("nan_training");
        window_->docks().toggleMaximised(QStringLiteral("train"));
        QVERIFY(clickInBanner(QStringLiteral("Show where")));
        QTRY_COMPARE(std::string(current().op), std::string("SqrtBackward0"));
        window_->docks().show(QStringLiteral("source"));
        window_->docks().show(QStringLiteral("tensor"));
        window_->docks().show(QStringLiteral("events"));
        take("nan_backward");
    }

    // task_wrong_export.md
    void whatAnExportChanged() {
        open(example("exported.py"));
        run();
        session::ReferenceSource other;
        other.kind = session::ReferenceSource::Kind::File;
        other.file = example("exported.onnx").toStdString();
        comparison().pin(other);
        QTRY_VERIFY(comparison().differences());
        QVERIFY2(comparison().headline().contains(QStringLiteral("blocks.0.act")), qPrintable(comparison().headline()));
        action("divergence")->trigger();
        QTRY_COMPARE(std::string(current().op), std::string("aten::gelu"));
        window_->docks().show(QStringLiteral("compare"));
        takePanel("export_divergence", "compare");
        view<views::TensorView>("tensor").setDisplay(views::TensorView::Display::HeatMap);
        takePanel("export_tensor", "tensor");
    }

    // task_slow.md
    void whereTimeAndMemoryGo() {
        open(example("slow.py"));
        runBackward(session::parse_backward_from("sum"));
        action("time_properly")->trigger();
        QTRY_VERIFY(window_->bridge().warmTimes() && !window_->bridge().isTiming());
        auto& graph = view<views::GraphView>("graph");
        graph.setColouring(views::GraphColouring::Time);
        window_->docks().show(QStringLiteral("events"));
        window_->docks().show(QStringLiteral("graph"));
        take("slow_time");
        action("panel.memory")->trigger();
        auto& memory = view<views::MemoryView>("memory");
        memory.showSide(views::MemoryView::Side::Modules);
        memory.plot()->setFocus();
        QVERIFY(choose(memory, "Go to the peak of memory"));
        takePanel("slow_memory", "memory");

        startAnew();
        open(example("slow.py"));
        window_->docks().show(QStringLiteral("modules"));
        auto* modules = window_->findChild<QTreeView*>(QStringLiteral("moduleTree"));
        QTRY_VERIFY(modules->model()->rowCount() > 0);
        modules->setCurrentIndex(modules->model()->index(0, 0));
        QVERIFY(choose(view<views::ModulesView>("modules"), "Let (model) only answer (eval mode)"));
        run();
        window_->docks().show(QStringLiteral("kernels"));
        auto& kernels = view<views::KernelsView>("kernels");
        kernels.pipeline()->setCurrentText(QStringLiteral("inference"));
        kernels.compile();
        QTRY_VERIFY(kernels.isSettled() && kernels.list()->topLevelItemCount() > 0);
        kernels.list()->setCurrentItem(kernels.list()->topLevelItem(1));
        kernels.pages()->setCurrentIndex(1);
        takePanel("slow_kernels", "kernels");
    }

    // task_vanishing.md
    void whyItDoesNotLearn() {
        open(example("vanishing.py"));
        auto& train = view<views::TrainView>("train");
        window_->docks().show(QStringLiteral("train"));
        session::TrainOptions options = train.form().options();
        options.data.path = LOUPE_SOURCE_DIR "/resources/models/digits_data.npz";
        options.epochs = 5;
        train.form().setOptions(options);
        train.train();
        QTRY_VERIFY(train.plots().lossGraph()->dataCount() == 285 && !window_->bridge().isTraining());
        takePanel("vanishing_train", "train");
        train.lookAt(1);
        QTRY_VERIFY(window_->bridge().isPaused());
        train.pauseOrGoOn();
        QTRY_VERIFY(!window_->bridge().isBusy() && !window_->bridge().isPaused());
        auto& flow = view<views::GradientFlowView>("gradient_flow");
        window_->docks().show(QStringLiteral("gradient_flow"));
        flow.setMeasure(views::GradientFlowView::Measure::Norm);
        QTRY_VERIFY(flow.isSettled() && flow.health()->count() > 0);
        takePanel("vanishing_flow", "gradient_flow");
    }

    // task_checkpoint.md
    void whatAFileHolds() {
        window_->openFile(example("hostile.pt"));
        QTRY_VERIFY(window_->bridge().model() &&
                    window_->bridge().model()->path == example("hostile.pt").toStdString());
        auto* modules = window_->findChild<QTreeView*>(QStringLiteral("moduleTree"));
        QTRY_VERIFY(modules->model()->rowCount() > 0);
        modules->expandAll();
        modules->setColumnWidth(views::ModuleModel::Class, 460);
        takePanel("checkpoint_hostile", "modules");
        open(model("digits"));
        auto& inputs = view<views::InputsView>("inputs");
        inputs.takeFile(QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/digits_samples/3.png"));
        QTRY_VERIFY(inputs.answer().startsWith(QStringLiteral("Output: 3")) || state() == RunState::Ready);
        run();
        QTRY_VERIFY(inputs.answer().startsWith(QStringLiteral("Output: 3")));
        takePanel("checkpoint_run", "inputs");
        window_->docks().show(QStringLiteral("explain"));
        auto& explain = view<views::ExplainView>("explain");
        explain.explainName(QStringLiteral("out[0, 3]"));
        QTRY_VERIFY(explain.isSettled());
        explain.setWay(views::ExplainView::Way::ToInputs);
        QTRY_VERIFY(explain.isSettled() && explain.tree()->topLevelItemCount() > 0);
        takePanel("checkpoint_explain", "explain");
    }

    // autograd_by_hand.md
    void autogradByHand() {
        open(example("autograd_by_hand.py"));
        runBackward(session::parse_backward_from("sum"), false);
        window_->bridge().runToBackward();
        QTRY_VERIFY(window_->bridge().isPaused());
        while (current().op != "TanhBackward0") {
            const auto before = window_->bridge().status().reached;
            action("step_over")->trigger();
            QTRY_VERIFY(window_->bridge().isPaused() && window_->bridge().status().reached != before);
        }
        window_->docks().show(QStringLiteral("source"));
        window_->docks().show(QStringLiteral("tensor"));
        window_->docks().show(QStringLiteral("log"));
        take("autograd_step");
    }

    // passes.md
    void howPassesWork() {
        open(model("digits"));
        window_->docks().show(QStringLiteral("passes"));
        auto& passes = view<views::PassesView>("passes");
        passes.choosePipeline(QStringLiteral("inference"));
        QTRY_VERIFY(passes.isSettled() && passes.list()->topLevelItemCount() > 0);
        const auto found =
            passes.list()->findItems(QStringLiteral("FoldConvBatchnorm"), Qt::MatchContains | Qt::MatchRecursive);
        QVERIFY(!found.isEmpty());
        passes.list()->setCurrentItem(found.front());
        takePanel("passes_folding", "passes");
    }

    void everyPictureIsNamedByAPage() {
        QSet<QString> named;
        for (const QString& page : page_files()) {
            for (const QString& name : page_pictures(page)) {
                QVERIFY2(QFileInfo::exists(kept_ + QStringLiteral("/%1.png").arg(name)), qPrintable(name));
                named += name;
            }
        }
        QVERIFY(named.size() >= 12);
        for (const QString& file : QDir(kept_).entryList(QDir::Files)) {
            QVERIFY2(named.contains(file.chopped(4)), qPrintable(file));
            QVERIFY2(QFileInfo(kept_ + QLatin1Char('/') + file).size() <= kMostBytes, qPrintable(file));
        }
        // Of a run of single functions not all are made.
        if (taken_.size() > 8) QCOMPARE(taken_, named);
    }

    // A panel that is another than the one in the picture is found.
    void aChangedPanelDiffers() {
        const QImage one(kept_ + QStringLiteral("/nan_training.png"));
        const QImage other(kept_ + QStringLiteral("/vanishing_train.png"));
        QVERIFY(!one.isNull() && !other.isNull());
        QVERIFY(difference(one, one) == 0);
        QImage changed = one.convertToFormat(QImage::Format_RGB32);
        QPainter painter(&changed);
        painter.fillRect(QRect(0, 0, changed.width() / 4, changed.height()), Qt::white);
        painter.end();
        QVERIFY(difference(one, changed) > kMostDifference);
    }

  private:
    // As the program begins: nothing of a training is lost without a question otherwise.
    void startAnew() {
        window_.reset();
        makeWindow();
        window_->resize(kWindow);
        settle();
    }

    session::Event current() { return window_->bridge().recording()->event(window_->bridge().currentEvent()); }
    views::Comparison& comparison() { return views::Comparison::of(window_->bridge()); }
    // A button of the banner.
    bool clickInBanner(const QString& text) const {
        for (auto* button : window_->findChild<window::Banner*>()->findChildren<QPushButton*>()) {
            if (button->text() != text || !button->isVisible()) continue;
            button->click();
            return true;
        }
        return false;
    }

    void run() {
        window_->bridge().run();
        QTRY_COMPARE(state(), RunState::Finished);
    }
    void runBackward(const session::BackwardFrom& from, bool to_the_end = true) {
        auto options = window_->bridge().runOptions();
        options.backward = true;
        options.backward_from = from;
        window_->bridge().setRunOptions(options);
        if (to_the_end) run();
    }

    static bool choose(views::View& view, const char* text) {
        // What is busy yet offers less.
        return QTest::qWaitFor([&] {
            QMenu menu;
            view.addActions(menu);
            for (QAction* each : menu.actions()) {
                if (each->text() != QLatin1String(text) || !each->isEnabled()) continue;
                each->trigger();
                return true;
            }
            return false;
        });
    }

    // The whole window.
    void take(const char* name) { save(name, *window_); }

    // One panel, as wide as the window.
    void takePanel(const char* name, const char* id) {
        window_->docks().show(QLatin1String(id));
        window_->docks().toggleMaximised(QLatin1String(id));
        settle();
        save(name, *window_->docks().view(QLatin1String(id)));
        window_->docks().toggleMaximised(QLatin1String(id));
        settle();
    }

    void save(const char* name, QWidget& widget) {
        settle();
        QTRY_VERIFY(allSettled());
        QTest::qWait(400);  // what fades in or is drawn a moment later
        const QImage picture = widget.grab().toImage().convertToFormat(QImage::Format_RGB32);
        const QString file = QStringLiteral("/%1.png").arg(QLatin1String(name));
        QVERIFY(inFewBytes(picture).save(made_ + file, "PNG", 0));
        taken_ += QLatin1String(name);
        if (qEnvironmentVariableIsSet("LOUPE_WRITE_PICTURES")) {
            QFile::remove(kept_ + file);
            QVERIFY(QFile::copy(made_ + file, kept_ + file));
        }
        const QImage kept(kept_ + file);
        QVERIFY2(!kept.isNull(), name);
        const double by = difference(picture, kept);
        qInfo("%s differs by %.2f", name, by);
        QVERIFY2(by <= kMostDifference, name);
    }

    // A table of colours is a quarter of the bytes, where there are few: Qt's own table for many is another picture.
    static QImage inFewBytes(const QImage& picture) {
        QSet<QRgb> colours;
        for (int y = 0; y < picture.height() && colours.size() <= 256; ++y) {
            for (int x = 0; x < picture.width(); ++x) colours += picture.pixel(x, y);
        }
        if (colours.size() > 256) return picture.convertToFormat(QImage::Format_RGB888);
        return picture.convertToFormat(QImage::Format_Indexed8, colours.values(), Qt::ThresholdDither);
    }

    bool allSettled() const {
        for (const auto& entry : views::registry().entries()) {
            const auto* view = window_->docks().view(entry.description.id);
            if (view->isInSight() && !view->isSettled()) return false;
        }
        return true;
    }

    const QString made_ = QStringLiteral(LOUPE_BINARY_DIR "/documentation/pictures");
    const QString kept_ = QStringLiteral(LOUPE_SOURCE_DIR "/resources/docs/pictures");
    QSet<QString> taken_;
};

QTEST_MAIN(PicturesTest)
#include "pictures_test.moc"
