// SPDX-License-Identifier: Apache-2.0
// What is said of an operator, and that all operators of the models that ship and of the fixtures have enough of it.

#include <QtTest>
#include <filesystem>
#include <set>

#include "core/session/session.h"
#include "core/study/operator_info.h"

using namespace loupe::session;

namespace {

QString text(const std::string& utf8) { return QString::fromStdString(utf8); }

const OperatorInfo::Argument* find(const std::vector<OperatorInfo::Argument>& arguments, const std::string& name) {
    const auto found =
        std::find_if(arguments.begin(), arguments.end(), [&](const auto& argument) { return argument.name == name; });
    return found == arguments.end() ? nullptr : &*found;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> models() {
    std::vector<std::string> all;
    for (const char* folder : {"/resources/models", "/tests/fixtures/models"}) {
        for (const auto& entry : std::filesystem::directory_iterator(std::string(LOUPE_SOURCE_DIR) + folder)) {
            if (entry.path().extension() == ".pt") all.push_back(entry.path().string());
        }
    }
    return all;
}

}  // namespace

class TestOperatorInfo : public QObject {
    Q_OBJECT

  private slots:
    void a_record_is_told_in_full() {
        const auto info = find_operator_info("aten::addmm");
        QVERIFY(info.has_value());
        QCOMPARE(text(info->derivative), QStringLiteral("AddmmBackward0"));
        QCOMPARE(text(info->family), QStringLiteral("matrix"));
        const auto* beta = find(info->arguments, "beta");
        QVERIFY(beta != nullptr && beta->is_keyword_only);
        QCOMPARE(text(beta->type), QStringLiteral("Scalar"));
        QCOMPARE(text(beta->default_text), QStringLiteral("1"));
        QCOMPARE(text(find(info->arguments, "mat1")->gradient), QStringLiteral("alpha grad mat2^T"));
        QVERIFY(info->has_cost && !info->is_composite && !info->is_view && !info->is_random && !info->is_gradient_stop);
        QVERIFY(has(info->variants, "aten::addmm_") && has(info->variants, "aten::addmm.out"));
        QCOMPARE(text(info->kernels.back().backend), QStringLiteral("portable"));
        // A factor is kept only for the gradient of the other.
        const auto saved =
            std::find_if(info->saved.begin(), info->saved.end(), [](const auto& each) { return each.name == "mat1"; });
        QVERIFY(saved != info->saved.end());
        QCOMPARE(text(saved->if_needed), QStringLiteral("mat2"));
    }
    void marks_of_aliasing() {
        const auto written = find_operator_info("aten::add_.Tensor");
        QVERIFY(written->arguments[0].is_written);
        QCOMPARE(text(written->arguments[0].alias), QStringLiteral("a!"));
        QCOMPARE(text(written->arguments[0].type), QStringLiteral("Tensor"));
        QVERIFY(has(written->variants, "aten::add.Tensor"));
        const auto view = find_operator_info("aten::transpose.int");
        QVERIFY(view->is_view && !view->arguments[0].is_written);
        QCOMPARE(text(view->returns[0].alias), QStringLiteral("a"));
    }
    void flags() {
        QVERIFY(find_operator_info("aten::rand")->is_random);
        QVERIFY(find_operator_info("aten::argmax")->is_gradient_stop);
        QVERIFY(find_operator_info("aten::linear")->is_composite);
    }
    void names_are_found() {
        QCOMPARE(text(find_operator_info("relu")->name), QStringLiteral("aten::relu"));
        QVERIFY(!find_operator_info("aten::no_such_operator"));
        QVERIFY(!find_operator_info(""));
    }
    void relatives_are_operators() {
        for (const auto& info : list_operators()) {
            for (const auto* names : {&info.variants, &info.overloads, &info.related}) {
                for (const std::string& name : *names) {
                    const auto other = find_operator_info(name);
                    QVERIFY2(other && other->name == name && name != info.name,
                             qPrintable(text(info.name + ": " + name)));
                }
            }
        }
        QVERIFY(has(find_operator_info("aten::gelu")->related, "aten::gelu_backward"));
        QVERIFY(has(find_operator_info("aten::gelu_backward")->related, "aten::gelu"));
        QVERIFY(has(find_operator_info("aten::multiply.Tensor")->related, "aten::mul.Tensor"));
    }

    // Whoever looks at a model finds what its operators compute, and how gradients go through them.
    void models_call_what_is_explained() {
        std::set<std::string> kinds;
        for (const std::string& file : models()) {
            Session session;
            session.open(file);
            session.wait_idle();
            const auto model = session.model();
            if (!model || !model->graph) continue;
            for (const GraphNode& node : model->graph->nodes) {
                if (node.kind.starts_with("aten::") && !node.is_plumbing) kinds.insert(node.kind);
            }
        }
        QVERIFY(kinds.size() > 30);
        QStringList missing;
        // Of the overloads of a name, one that takes and gives tensors.
        for (const auto& info : list_operators()) {
            const std::string bare = info.name.substr(0, info.name.find('.', 6));
            const bool takes = std::any_of(info.arguments.begin(), info.arguments.end(),
                                           [](const auto& a) { return a.type.find("Tensor") != std::string::npos; });
            const bool gives = std::any_of(info.returns.begin(), info.returns.end(),
                                           [](const auto& a) { return a.type.find("Tensor") != std::string::npos; });
            if (!kinds.contains(bare) || !takes || !gives || info.is_gradient_stop || info.is_random) continue;
            if (info.derivative.empty() && !info.is_composite) continue;
            if (info.name.ends_with("out")) continue;  // the form of an operator that is here itself
            const bool explained = std::any_of(info.arguments.begin(), info.arguments.end(),
                                               [](const auto& a) { return !a.gradient.empty(); });
            if (!explained) missing += text(info.name);
        }
        QVERIFY2(missing.isEmpty(), qPrintable(missing.join(' ')));
    }
};

QTEST_GUILESS_MAIN(TestOperatorInfo)
#include "test_operator_info.moc"
