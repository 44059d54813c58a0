// SPDX-License-Identifier: Apache-2.0
// What PyTorch gives for tensors without elements or without dimensions, the engine gives too, and refuses what PyTorch
// refuses: one line of edges.txt (asked of PyTorch by make_edge_table.py) a call.

#include <QtTest>
#include <cmath>
#include <complex>

#include "core/base/strings.h"
#include "tests/ops/dtype_samples.h"
#include "tests/support/table.h"

using namespace loupe;

namespace {

// Where PyTorch's answer is an accident of how it gets there.
struct Accident {
    std::string_view why;
    std::string_view edge;
    std::vector<std::string_view> names;
};
const std::vector<Accident> kAccidents = {
    {"a kernel of nothing: PyTorch gives as many channels as went in, which are none",
     "0 for 3",
     {"aten::convolution", "aten::convolution_backward", "aten::_convolution", "aten::conv1d", "aten::conv2d",
      "aten::conv3d", "aten::conv1d.padding"}},
    {"PyTorch reshapes to a size that it cannot guess", "0 for 3", {"aten::bilinear"}},
    {"PyTorch reshapes to a size that it cannot guess", "0 for 4", {"aten::bilinear"}},
    {"PyTorch does not look at the dimension", "no dimensions", {"aten::cummax", "aten::cummin"}},
    {"PyTorch spreads the gradient over the input",
     "no dimensions",
     {"aten::diagonal_backward", "aten::select_backward", "aten::slice_backward", "aten::unfold_backward"}},
    {"what only the backward pass reads has other sizes when there is no bag", "0 for 3", {"aten::_embedding_bag"}},
    {"PyTorch fails to make a list of -1 dimensions", "no dimensions", {"aten::linalg_tensorinv"}}};

bool is_accident(const std::string& name, const std::string& edge) {
    return std::any_of(kAccidents.begin(), kAccidents.end(), [&](const Accident& entry) {
        return entry.edge == edge && std::find(entry.names.begin(), entry.names.end(), name) != entry.names.end();
    });
}

std::vector<std::complex<double>> numbers_of(const Tensor& t) {
    const Tensor wide = fn::contiguous(fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Complex128)), 0);
    const auto* first = wide.data<std::complex<double>>();
    return {first, first + wide.numel()};
}

// "1.5-2j" or "1.5", as Python prints it.
std::complex<double> number_from(const std::string& text) {
    char* end = nullptr;
    const double re = std::strtod(text.c_str(), &end);
    return {re, *end == 0 ? 0 : std::strtod(end, nullptr)};
}

bool close(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 1e-5 + 1e-5 * std::abs(b);
}

// Against "float32[2]=1,2".
std::string tensor_difference(const Tensor& t, std::string_view wanted) {
    std::string sizes;
    for (const std::int64_t size : t.sizes()) sizes += concat(sizes.empty() ? "" : ",", size);
    const std::string head = t.defined() ? concat(dtype_name(t.dtype()), "[", sizes, "]") : "NoneType";
    const auto parts = split(wanted, '=');
    if (head != parts[0]) return concat("is ", head, ", should be ", parts[0]);
    if (parts.size() < 2) return {};
    const auto got = numbers_of(t);
    const auto texts = split(parts[1], ',');
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const auto want = number_from(std::string(texts[i]));
        if (!close(got[i].real(), want.real()) || !close(got[i].imag(), want.imag())) {
            return concat("element ", i, " is ", got[i].real(), ", should be ", texts[i]);
        }
    }
    return {};
}

std::string results_difference(const std::vector<IValue>& results, std::string wanted) {
    std::erase_if(wanted, [](char c) { return c == '(' || c == ')'; });
    const TensorList tensors = sweep::tensors_in(results);
    const auto all = split(wanted, ';');
    std::size_t next = 0;
    for (const std::string_view want : all) {
        if (want.empty() || want.find('[') == std::string_view::npos) continue;
        if (next == tensors.size()) return concat(tensors.size(), " tensors, should be more");
        const std::string found = tensor_difference(tensors[next++], want);
        if (!found.empty()) return concat("result ", next - 1, " ", found);
    }
    return next == tensors.size() ? "" : concat(tensors.size(), " tensors, should be ", next);
}

std::string answer_difference(const Operator& op, const std::vector<IValue>& arguments, const std::string& wanted) {
    std::vector<IValue> results(std::max<std::size_t>(op.result_count(), 1));
    try {
        call_operator(op, arguments, results.data());
    } catch (const Error& error) {
        return wanted == "refused" && error.kind() != ErrorKind::Internal ? "" : error.what();
    }
    if (wanted == "refused") return "is refused by PyTorch";
    results.resize(op.result_count());
    return results_difference(results, wanted);
}

}  // namespace

class TestEdges : public QObject {
    Q_OBJECT

  private slots:
    void answers_data() {
        QTest::addColumn<QString>("edge");
        QTest::addColumn<QString>("wanted");
        for (const auto& row : test::read_table("ops/edges.txt", '|')) {
            QTest::addRow("%s, %s", row[0].c_str(), row[1].c_str())
                << QString::fromStdString(row[1]) << QString::fromStdString(row[2]);
        }
    }
    void answers() {
        QFETCH(QString, edge);
        QFETCH(QString, wanted);
        const QString tag = QTest::currentDataTag();
        const Operator* op = find_operator(tag.left(tag.indexOf(", ")).toStdString());
        QVERIFY2(op != nullptr, "no such operator");
        const auto calls = edge_calls(*op);
        const auto call =
            std::find_if(calls.begin(), calls.end(), [&](const EdgeCall& c) { return c.name == edge.toStdString(); });
        QVERIFY2(call != calls.end(), "no such call: make the table again");
        const std::string found = answer_difference(*op, call->arguments, wanted.toStdString());
        if (!is_accident(op->full_name, call->name))
            QVERIFY2(found.empty(), found.c_str());
        else
            QVERIFY2(!found.empty(), "agrees with PyTorch: not to be listed");
    }
};

QTEST_GUILESS_MAIN(TestEdges)
#include "test_edges.moc"
