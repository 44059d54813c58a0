// SPDX-License-Identifier: Apache-2.0
// ONNX's own cases of operators and small models (Debian's libonnx-testdata): each runs and gives what the file says.
// Those that may fail stand in known_cases.txt, with a reason.
#include <QTest>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "core/autograd/grad_mode.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/model/program.h"
#include "core/study/compare.h"
#include "plugins/onnx/proto/onnx.pb.h"
#include "plugins/onnx/proto/tensors.h"

using namespace loupe;
namespace fs = std::filesystem;
namespace messages = loupe::onnx::proto;

namespace {

// Of Debian's ONNX, or another version's: LOUPE_ONNX_DATA names a folder like it, whose failures are printed.
const char* const kOther = std::getenv("LOUPE_ONNX_DATA");
// Cases of a newer ONNX than Debian's.
const fs::path kNewer = LOUPE_SOURCE_DIR "/tests/fixtures/onnx/cases";
const fs::path kData = kOther != nullptr ? kOther : "/usr/share/libonnx-testdata/data";
// As ONNX's own runner compares. Sums that cancel are rounded to the size of what was summed: a millionth of the
// largest value, eight units in the last place of float32.
constexpr double kRelative = 1e-3;
constexpr double kAbsolute = 1e-7;
constexpr double kOfLargest = 1e-6;

std::string bytes_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

template <typename Message>
Message parsed(const std::string& bytes) {
    Message message;
    if (!message.ParseFromString(bytes)) throw Error(ErrorKind::File, "a value's file is damaged");
    return message;
}

IValue tensor_value(messages::TensorProto tensor) {
    onnx::ExternalFiles none{fs::path()};
    return onnx::take_tensor(tensor, none);
}
IValue sequence_value(const messages::SequenceProto& sequence) {
    std::vector<IValue> elements;
    for (const auto& each : sequence.tensor_values()) elements.push_back(tensor_value(each));
    return make_ptr<ListObject>(types::tensor(), std::move(elements));
}
// A value by the type that the model gives it.
IValue value_of(const std::string& bytes, const messages::TypeProto& type) {
    if (type.has_sequence_type()) return sequence_value(parsed<messages::SequenceProto>(bytes));
    if (!type.has_optional_type()) {
        auto tensor = parsed<messages::TensorProto>(bytes);
        // numpy has no bfloat16: its bits were written as whole numbers.
        const bool is_bfloat = type.tensor_type().elem_type() == messages::TensorProto::BFLOAT16;
        if (is_bfloat && tensor.data_type() == messages::TensorProto::UINT16)
            tensor.set_data_type(messages::TensorProto::BFLOAT16);
        return tensor_value(std::move(tensor));
    }
    const auto optional = parsed<messages::OptionalProto>(bytes);
    if (optional.has_sequence_value()) return sequence_value(optional.sequence_value());
    return optional.has_tensor_value() ? tensor_value(optional.tensor_value()) : IValue();
}

std::vector<IValue> values_in(const fs::path& folder, const std::string& kind,
                              const std::vector<messages::TypeProto>& types) {
    std::vector<IValue> values;
    for (std::size_t i = 0; i < types.size(); ++i) {
        const fs::path path = folder / concat(kind, "_", i, ".pb");
        if (fs::exists(path)) values.push_back(value_of(bytes_of(path), types[i]));
    }
    return values;
}

Tensor in_float(const Tensor& t) {
    return is_float8(t.dtype()) ? fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Float32)) : t;
}

// is_chain: the result of several operators, or of one that is many.
std::string differences(const IValue& actual, const IValue& expected, bool is_chain) {
    if (expected.is_none()) return actual.is_none() ? std::string() : std::string("a value, none was expected");
    if (expected.is_list()) {
        if (!actual.is_list()) return "no sequence";
        const auto &a = actual.to_list().elements, &b = expected.to_list().elements;
        if (a.size() != b.size()) return concat(a.size(), " elements, expected ", b.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (std::string found = differences(a[i], b[i], is_chain); !found.empty())
                return concat("element ", i, ": ", found);
        }
        return {};
    }
    if (!actual.is_tensor()) return concat("a ", value_type_name(actual), ", no tensor");
    const Tensor a = actual.to_tensor(), b = expected.to_tensor();
    if (a.dtype() != b.dtype()) return concat(dtype_name(a.dtype()), ", expected ", dtype_name(b.dtype()));
    double largest = 0;
    if (is_floating(b.dtype()) && b.numel() > 0)
        largest = item(fn::amax(fn::abs(in_float(b)), Dims(), false)).to_double();
    // Where values of 16 bits are rounded on the way the last two of those bits may differ.
    const double relative = !is_chain                           ? kRelative
                            : b.dtype() == ScalarType::BFloat16 ? 0x1p-6
                            : b.dtype() == ScalarType::Float16  ? 0x1p-9
                                                                : kRelative;
    const double absolute = std::isfinite(largest) ? std::max(kAbsolute, kOfLargest * largest) : kAbsolute;
    const auto difference = session::compare_tensors(a, b, relative, absolute);
    if (difference.is_equal) return {};
    return concat("off by ", difference.max_abs, " ", difference.why);
}

// What is wrong with one folder of inputs and outputs; empty when nothing is.
std::string run_case(const fs::path& folder) {
    try {
        const auto model = parsed<messages::ModelProto>(bytes_of(folder / "model.onnx"));
        std::vector<messages::TypeProto> inputs, outputs;
        std::vector<std::string> weights;
        for (const auto& tensor : model.graph().initializer()) weights.push_back(tensor.name());
        for (const auto& input : model.graph().input()) {
            if (std::ranges::find(weights, input.name()) == weights.end()) inputs.push_back(input.type());
        }
        for (const auto& output : model.graph().output()) outputs.push_back(output.type());
        const auto& nodes = model.graph().node();
        const bool is_chain = nodes.size() > 1 || (!nodes.empty() && nodes[0].op_type() == "Attention");
        const auto program = session::Program::open(folder / "model.onnx");
        session::PreparedMethod method(program, "forward", "none");
        for (int set = 0; fs::exists(folder / concat("test_data_set_", set)); ++set) {
            const fs::path data = folder / concat("test_data_set_", set);
            const GradModeScope grad(true);
            const IValue result = method.forward(values_in(data, "input", inputs));
            const std::vector<IValue> expected = values_in(data, "output", outputs);
            for (std::size_t i = 0; i < expected.size(); ++i) {
                const IValue& actual = outputs.size() == 1 ? result : result.to_tuple().elements.at(i);
                if (std::string found = differences(actual, expected[i], is_chain); !found.empty())
                    return concat("output ", i, ": ", found);
            }
        }
        return {};
    } catch (const std::exception& error) {
        return error.what();
    }
}

std::map<std::string, std::string> known_cases() {
    std::map<std::string, std::string> known;
    std::ifstream file(LOUPE_SOURCE_DIR "/tests/plugins/onnx/known_cases.txt");
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        const auto space = line.find(' ');
        known[line.substr(0, space)] = space == std::string::npos ? std::string() : line.substr(space + 1);
    }
    return known;
}

}  // namespace

class TestOnnxNodes : public QObject {
    Q_OBJECT

  private slots:
    void runs_as_the_file_says_data() {
        QTest::addColumn<QString>("folder");
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(kNewer))
            QTest::newRow(entry.path().filename().c_str()) << QString::fromStdString(entry.path().string());
        for (const char* kind : {"node", "simple", "pytorch-operator", "pytorch-converted"}) {
            if (!fs::exists(kData / kind)) continue;
            for (const auto& entry : fs::directory_iterator(kData / kind))
                names.push_back(concat(kind, "/", entry.path().filename().string()));
        }
        std::ranges::sort(names);
        for (const std::string& name : names) QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }

    void runs_as_the_file_says() {
        QFETCH(QString, folder);
        static const auto known = known_cases();
        const std::string failure = run_case(kData / folder.toStdString());
        const auto excuse = known.find(folder.toStdString());
        if (excuse == known.end()) QVERIFY2(failure.empty(), failure.c_str());
        if (excuse == known.end()) return;
        QVERIFY2(!excuse->second.empty(), "it stands in known_cases.txt without a reason");
        QVERIFY2(!failure.empty(), "it stands in known_cases.txt and passes");
    }

    void known_cases_exist() {
        if (!fs::exists(kData) || kOther != nullptr) QSKIP("the package libonnx-testdata is not installed");
        for (const auto& [name, reason] : known_cases()) QVERIFY2(fs::exists(kData / name), name.c_str());
    }
};

QTEST_GUILESS_MAIN(TestOnnxNodes)
#include "test_onnx_nodes.moc"
