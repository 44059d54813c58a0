// SPDX-License-Identifier: Apache-2.0
// What is named while a training goes on: jumps, divergence, plateaus, dead units.
#include <QtTest>
#include <cmath>

#include "core/formats/numpy/npy.h"
#include "core/train/trainer.h"
#include "core/train/training_norms.h"
#include "core/train/training_watch.h"
#include "tests/session/test_training_steps.h"

using namespace loupe;
using namespace loupe::session;

void TestTrainingSteps::old_norms_are_merged() {
    const std::vector<std::string> names{"a", "b"};
    NormHistory history(names, 300 * 2 * sizeof(ParameterNorms));
    for (std::int64_t step = 1; step <= 5000; ++step) {
        const float gradient = step == 3333 ? 50.F : step == 60 ? 7.F : 1.F;
        const ParameterNorms norms[] = {{gradient, 0.1F, 2.F}, {ParameterNorms::kNone, 0.F, 0.F}};
        history.add(step, norms);
    }
    QCOMPARE(history.last_step(), 5000);
    QVERIFY(history.stride() > 1);
    // The first hundred stay as they were; what stood out later is still there, within the stride.
    QCOMPARE(history.at(60)[0].gradient, 7.F);
    QCOMPARE(history.at(61)[0].gradient, 1.F);
    QCOMPARE(history.at(3333)[0].gradient, 50.F);
    QCOMPARE(history.at(3333 + 2 * history.stride())[0].gradient, 1.F);
    const std::int64_t edges[] = {1, 51, 101, 3001, 4001, 5001};
    const NormMap map = history.map(NormKind::Gradient, edges);
    QCOMPARE(map.buckets, std::size_t{5});
    const double expected[] = {1, 7, 1, 50, 1};
    for (std::size_t b = 0; b < 5; ++b) {
        QCOMPARE(map.at(b, 0), expected[b]);
        QCOMPARE(map.at(b, 1), -1.0);
    }
    QCOMPARE(history.map(NormKind::Ratio, edges).at(0, 0), static_cast<double>(0.1F) / 2);
    QCOMPARE(history.until(100).last_step(), 100);
}

void TestTrainingSteps::a_jump_and_its_end_are_named() {
    TrainingWatch watch({}, "Adam()", 100);
    for (std::int64_t step = 1; step <= 60; ++step) {
        const double noise = 0.02 * std::sin(static_cast<double>(7 * step));
        watch.add_step(step, step == 40 || step == 41 ? 1.9 : 2.3 / (1 + 0.1 * static_cast<double>(step)) + noise, {});
    }
    QCOMPARE(watch.findings().size(), std::size_t{1});
    const TrainingFinding& jump = watch.findings().front();
    QCOMPARE(jump.kind, TrainingFinding::Kind::Spike);
    QCOMPARE(jump.step, 40);
    QCOMPARE(jump.last_step, 41);
    // Of the steps before it: between the loss 16 steps earlier and that of the last.
    QVERIFY2(jump.text.starts_with("the loss jumps to 1.9 at step 40: it was about 0."), jump.text.c_str());
    const double before = std::stod(jump.text.substr(jump.text.find("about ") + 6));
    QVERIFY2(before > 2.3 / (1 + 3.9) - 0.02 && before < 2.3 / (1 + 2.4) + 0.02, jump.text.c_str());
    QVERIFY2(jump.text.find(" times as much") != std::string::npos, jump.text.c_str());
    QVERIFY(watch.verdict().is_good);
}

void TestTrainingSteps::a_loss_near_0_may_go_up_and_down_data() {
    QTest::addColumn<double>("first");
    QTest::addColumn<double>("usual");
    QTest::addColumn<double>("jump");
    QTest::addColumn<int>("findings");
    QTest::newRow("learned") << 2.3 << 1e-4 << 3e-4 << 0;
    QTest::newRow("learned, weights from before") << 1e-4 << 1e-4 << 3e-4 << 0;
    QTest::newRow("learned, a hard batch") << 2.3 << 1e-4 << 0.02 << 0;
    QTest::newRow("small numbers, another scale") << 1e-6 << 1e-6 << 1e-4 << 1;
    QTest::newRow("learned, then a jump") << 2.3 << 1e-4 << 0.9 << 1;
}
void TestTrainingSteps::a_loss_near_0_may_go_up_and_down() {
    QFETCH(double, first);
    QFETCH(double, usual);
    QFETCH(double, jump);
    QFETCH(int, findings);
    TrainingWatch watch({}, "Adam()", 500);
    for (std::int64_t step = 1; step <= 90; ++step) {
        const double noise = 0.05 * usual * std::sin(static_cast<double>(7 * step));
        watch.add_step(step, step < 5 ? first : step == 60 ? jump : usual + noise, {});
    }
    QCOMPARE(watch.findings().size(), static_cast<std::size_t>(findings));
}

// Noise with a long tail: one step in ten is several times the others.
void TestTrainingSteps::noise_with_a_long_tail_is_no_jump() {
    TrainingWatch watch({}, "SGD()", 500);
    for (std::int64_t step = 1; step <= 400; ++step) {
        const double hard = step % 9 == 0 ? 0.25 + 0.1 * std::sin(static_cast<double>(step)) : 0;
        watch.add_step(step, 0.05 + 0.01 * std::sin(static_cast<double>(7 * step)) + hard, {});
    }
    for (const TrainingFinding& finding : watch.findings())
        QVERIFY2(finding.kind != TrainingFinding::Kind::Spike, finding.text.c_str());
}

void TestTrainingSteps::divergence_is_named_once() {
    TrainingWatch watch({"w"}, "SGD(lr=5)", 57);
    for (std::int64_t step = 1; step <= 200; ++step) {
        const ParameterNorms norms[] = {{1.F, step == 3 ? 28.F : 0.1F, 2.F}};
        watch.add_step(step, step < 5 ? 2.3 : 2e5 + 100 * static_cast<double>(step % 7), norms);
    }
    QCOMPARE(watch.findings().size(), std::size_t{1});
    QCOMPARE(watch.findings().front().kind, TrainingFinding::Kind::Divergence);
    QCOMPARE(watch.findings().front().step, 5);
    QVERIFY2(watch.findings().front().text.find("14 times") != std::string::npos,
             watch.findings().front().text.c_str());
    QVERIFY(!watch.verdict().is_good);
    QCOMPARE(watch.verdict().step, 5);
    // Losses below 0, as log likelihoods have them.
    TrainingWatch negative({}, "Adam()", 57);
    for (std::int64_t step = 1; step <= 200; ++step)
        negative.add_step(step, -3 - 0.01 * static_cast<double>(step) + 0.1 * std::sin(static_cast<double>(step)), {});
    QVERIFY(negative.findings().empty());
}

void TestTrainingSteps::a_plateau_is_named() {
    TrainingWatch watch({}, "Adam()", 50);
    std::int64_t named = 0;
    for (std::int64_t step = 1; step <= 400; ++step) {
        const double noise = 0.01 * std::sin(static_cast<double>(7 * step));
        const double loss = step < 60    ? 2.3 - 0.01 * static_cast<double>(step)
                            : step < 300 ? 1.7
                                         : 1.7 - 0.01 * static_cast<double>(step - 300);
        watch.add_step(step, loss + noise, {});
        if (named == 0 && !watch.findings().empty()) named = step;
    }
    QVERIFY(named > 100 && named < 220);
    QCOMPARE(watch.findings().front().kind, TrainingFinding::Kind::Plateau);
    QVERIFY(std::abs(watch.findings().front().step - 60) < 30);
    QVERIFY(watch.findings().front().last_step > 250);
    // One that has learned all there is is none.
    TrainingWatch learned({}, "Adam()", 50);
    for (std::int64_t step = 1; step <= 400; ++step)
        learned.add_step(step, 0.01 + 2.3 * std::exp(-0.1 * static_cast<double>(step)), {});
    QVERIFY(learned.findings().empty());
}

void TestTrainingSteps::parameters_without_gradient_are_named() {
    TrainingWatch watch({"a.weight", "a.bias", "b.weight", "unused"}, "Adam()", 50);
    for (std::int64_t step = 1; step <= 40; ++step) {
        const float dead = step >= 11 && step < 30 ? 0.F : 0.3F;
        const ParameterNorms norms[] = {
            {dead, 0.F, 1.F}, {dead, 0.F, 1.F}, {0.3F, 0.F, 1.F}, {ParameterNorms::kNone, 0.F, 1.F}};
        watch.add_step(step, 1, norms);
    }
    QCOMPARE(watch.findings().size(), std::size_t{2});
    QCOMPARE(watch.findings()[0].text, std::string("backward gives no gradient to unused since step 1"));
    QCOMPARE(watch.findings()[1].text,
             std::string("the gradients of a.weight and 1 other parameter are exactly 0 since step 11"));
    QCOMPARE(watch.findings()[1].last_step, 29);
}

void TestTrainingSteps::dead_units_are_named() {
    TrainingWatch watch({}, "Adam()", 50);
    const auto units = [](bool second) { return std::vector<UnitActivity>{{"relu", {false, second, true, false}}}; };
    watch.add_units(1, units(true));
    watch.add_units(40, units(false));
    QVERIFY(watch.findings().empty());
    watch.add_units(95, units(true));
    QCOMPARE(watch.findings().size(), std::size_t{1});
    QCOMPARE(watch.findings()[0].text,
             std::string("relu: 1 of 4 units gave only 0 at the last 3 steps recorded (1, 40, 95)"));
    watch.add_units(120, units(false));
    QCOMPARE(watch.findings().size(), std::size_t{1});  // the same again
}

void TestTrainingSteps::a_good_training_has_nothing_named() {
    Session session;
    open(session, LOUPE_SOURCE_DIR "/resources/models/digits.pt");
    TrainOptions how;
    how.data.path = LOUPE_SOURCE_DIR "/resources/models/digits_data.npz";
    how.max_steps = 120;
    train(session, how);
    QVERIFY2(session.training()->verdict().is_good, session.training()->verdict().text.c_str());
    QVERIFY(session.training()->verdict().text.find("in 120 steps") != std::string::npos);
}
