// SPDX-License-Identifier: Apache-2.0
// Cases made by PyTorch, one layer each: the layer is built through its record, loaded, run forward and backward; its
// outputs, gradients, state afterwards and printed form are PyTorch's.

#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "tests/conformance/run_case.h"
#include "tests/nn/constructor_call.h"

using namespace loupe;

namespace {

std::vector<std::filesystem::path> archives() {
    std::vector<std::filesystem::path> out;
    for (const auto& entry : std::filesystem::directory_iterator(LOUPE_SOURCE_DIR "/tests/conformance/modules")) {
        if (entry.path().extension() == ".zip") out.push_back(entry.path());
    }
    std::sort(out.begin(), out.end());
    return out;
}

TensorList tensors_in(const IValue& value) {
    TensorList out;
    visit_tensors(value, [&](const Tensor& t) { out.push_back(t); });
    return out;
}

class ModuleCasesTest : public QObject {
    Q_OBJECT
  private slots:
    void layer_data();
    void layer();
};

}  // namespace

void ModuleCasesTest::layer_data() {
    QTest::addColumn<QString>("archive");
    QTest::addColumn<int>("index");
    const auto paths = archives();
    QCOMPARE(paths.size(), std::size_t{88});
    for (const auto& path : paths) {
        const conformance::CaseArchive archive(path);
        for (std::size_t i = 0; i < archive.cases().size(); ++i) {
            QTest::addRow("%s.%d", path.stem().c_str(), archive.cases()[i].k)
                << QString::fromStdString(path.string()) << static_cast<int>(i);
        }
    }
}

void ModuleCasesTest::layer() {
    QFETCH(QString, archive);
    QFETCH(int, index);
    const TorchReleaseScope release(TorchRelease::V1_13);  // which wrote them
    const conformance::CaseArchive cases(archive.toStdString());
    const conformance::CaseEntry& entry = cases.cases()[static_cast<std::size_t>(index)];
    const std::string difference = conformance::one_line([&] {
        const nn::ModulePtr model = test::build_model(cases.file(entry, "py"));
        std::ifstream file(cases.file(entry, "repr.txt"));
        std::stringstream printed;
        printed << file.rdbuf();
        std::string want = printed.str();
        while (want.ends_with('\n')) want.pop_back();
        if (model->str() != want) return concat("prints ", model->str(), ", expected ", want);
        return conformance::check_module(cases, entry, *model, [&](const std::vector<IValue>& arguments) {
            return tensors_in(model->call(arguments));
        });
    });
    QCOMPARE(QString::fromStdString(difference), QString());
}

QTEST_APPLESS_MAIN(ModuleCasesTest)
#include "test_module_cases.moc"
