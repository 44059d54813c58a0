// SPDX-License-Identifier: GPL-3.0-or-later
// The Explain panel and changes by hand, on a real run of the shipped model of digits.

#include <QLabel>
#include <QLineEdit>
#include <QTest>
#include <QUndoStack>

#include "tests/views/patience.h"
#include "views/common/format.h"
#include "views/explain/explain_view.h"
#include "views/explain/share_picture.h"
#include "views/tensor/change_dialog.h"
#include "views/tensor/element_menu.h"

using namespace loupe;
using namespace loupe::views;

namespace {

const QString kDigits = QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/digits.pt");

session::ValueId outputOf(const SessionBridge& bridge, std::string_view op) {
    const session::Recording& recording = *bridge.recording();
    for (session::EventId id = 1; id <= recording.event_count(); ++id)
        if (recording.event(id).op == op) return recording.event(id).outputs.front();
    return 0;
}

bool isDone(const SessionBridge& bridge) {
    return bridge.status().state == session::RunState::Finished && bridge.eventCount() > 0;
}

}  // namespace

class ExplainTest : public QObject {
    Q_OBJECT

  private slots:
    void init() {
        bridge_ = std::make_unique<SessionBridge>();
        bridge_->open(kDigits);
        QTRY_VERIFY(bridge_->model() != nullptr && !bridge_->isBusy());
        bridge_->run();
        QTRY_VERIFY(isDone(*bridge_));
    }
    void cleanup() { bridge_.reset(); }

    void aNumberIsExplainedStepByStep() {
        ExplainView view(*bridge_, nullptr);
        view.resize(700, 600);
        view.show();
        const session::ValueId conv = outputOf(*bridge_, "aten::_convolution") != 0
                                          ? outputOf(*bridge_, "aten::_convolution")
                                          : outputOf(*bridge_, "aten::conv2d");
        QVERIFY(conv != 0);
        const session::Shape& shape = bridge_->recording()->value(conv).shape;
        session::Shape index(shape.size(), 0);
        index.back() = shape.back() / 2;
        index[2] = shape[2] / 2;
        bridge_->explain(conv, index);
        QTRY_VERIFY(view.isSettled() && view.shown().value == conv);
        QCOMPARE(view.shown().kind, session::ShareKind::Exact);
        QTreeWidgetItem* top = view.tree()->topLevelItem(0);
        QVERIFY(top != nullptr && top->childCount() >= 2);
        // The window of the picture is drawn.
        QVERIFY(view.picture()->group().rows > 1 && view.picture()->group().columns > 1);
        QVERIFY(!shareImage(view.picture()->group()).isNull());
        const auto* sum = view.findChild<QLabel*>(QStringLiteral("explainSum"));
        QVERIFY2(sum->text().contains(QStringLiteral("exact")), qPrintable(sum->text()));

        // One step further back, when it is opened; the last value of the run has some.
        const auto last = bridge_->recording()->event(static_cast<session::EventId>(bridge_->eventCount()));
        bridge_->explain(last.outputs.front(), {});
        QTRY_VERIFY(view.isSettled() && view.shown().value == last.outputs.front());
        QTreeWidgetItem* element = view.tree()->topLevelItem(0)->child(0)->child(0);
        QVERIFY(element != nullptr);
        QCOMPARE(element->childCount(), 0);
        element->setExpanded(true);
        QTRY_VERIFY(element->childCount() > 1);

        view.setWay(ExplainView::Way::ToInputs);
        QTRY_VERIFY(view.isSettled() && view.tree()->topLevelItemCount() == 1);
        const session::Explanation& all = view.shown();
        QVERIFY(std::abs(all.sources + all.constant + all.remainder - all.number) < 1e-3 * (1 + std::abs(all.number)));
        QVERIFY(std::any_of(all.groups.begin(), all.groups.end(),
                            [](const session::ShareGroup& group) { return group.argument == "input"; }));
    }

    void aNameThatIsNoneIsRefusedInThePanel() {
        ExplainView view(*bridge_, nullptr);
        view.resize(600, 400);
        view.show();
        view.explainName(QStringLiteral("nothing.out[0]"));
        QTRY_VERIFY(view.isSettled());
        QTRY_VERIFY(view.emptyNote().contains(QStringLiteral("nothing recorded is called")));
        view.explainName(QStringLiteral("out[0, 3]"));
        QTRY_VERIFY(view.isSettled() && view.shown().value != 0);
        QVERIFY(view.emptyNote().isEmpty());
    }

    void theHintSaysWhatIsNext() {
        SessionBridge bridge;
        ExplainView view(bridge, nullptr);
        view.resize(600, 400);
        view.show();
        bridge.open(kDigits);
        QTRY_VERIFY(bridge.model() != nullptr && !bridge.isBusy());
        QVERIFY2(view.emptyNote().contains(QStringLiteral("F5")), qPrintable(view.emptyNote()));
        bridge.run();
        QTRY_VERIFY(isDone(bridge));
        QTRY_VERIFY2(view.emptyNote().startsWith(QStringLiteral("Right-click")), qPrintable(view.emptyNote()));
    }

    void anElementHasAMenu() {
        QMenu menu;
        session::TensorSlice shown;
        addElementActions(menu, *bridge_, shown, {0, 3});
        QVERIFY(!menu.actions().front()->isEnabled());  // no value of the run
        QVERIFY(!menu.actions().front()->toolTip().isEmpty());
        menu.clear();
        shown.value = outputOf(*bridge_, "aten::relu");
        QVERIFY(shown.value != 0);
        addElementActions(menu, *bridge_, shown, {0, 3});
        QVERIFY(menu.actions().front()->isEnabled());
    }

    void aChangeIsRefusedInPlaceOrRuns() {
        const session::ValueId value = outputOf(*bridge_, "aten::relu");
        const auto before = bridge_->recording();
        auto* dialog = new ChangeDialog(*bridge_, value, {}, nullptr);
        dialog->show();
        dialog->formula()->setText(QStringLiteral("torch.zeros([3, 3, 3])"));
        dialog->accept();
        QTRY_VERIFY2(dialog->problem()->text().contains(QStringLiteral("3x3x3")),
                     qPrintable(dialog->problem()->text()));
        QVERIFY(dialog->isVisible());
        QVERIFY(bridge_->recording() == before);
        dialog->formula()->setText(QStringLiteral("zeros"));
        dialog->accept();
        QTRY_VERIFY(!dialog->isVisible());
        QTRY_VERIFY(bridge_->recording() != before && isDone(*bridge_));
        delete dialog;
        QVERIFY(outputOf(*bridge_, "tensorloupe::change") != 0);
        const auto changed = bridge_->recording();
        bridge_->undoStack()->undo();
        QTRY_VERIFY(bridge_->recording() != changed && isDone(*bridge_));
        QVERIFY(outputOf(*bridge_, "tensorloupe::change") == 0);
    }

  private:
    std::unique_ptr<SessionBridge> bridge_;
};

QTEST_MAIN(ExplainTest)
#include "explain_test.moc"
