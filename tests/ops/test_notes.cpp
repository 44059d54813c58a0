// SPDX-License-Identifier: Apache-2.0
// What a reader is told of every operator: a sentence, a formula where there is one, and the formulas of gradients; and
// the names by which derivatives read arguments.

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QSet>
#include <QTest>
#include <algorithm>
#include <string>

#include "core/base/error.h"
#include "core/dispatch/registry.h"
#include "core/ops/notes.h"

using namespace loupe;

namespace {

QString text(std::string_view utf8) { return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size())); }

bool is_in(std::string_view family, std::initializer_list<std::string_view> families) {
    return std::find(families.begin(), families.end(), family) != families.end();
}

bool takes_tensors(const Operator& op) { return (op.tensor_arguments | op.list_arguments) != 0; }

bool has_gradient(const Operator& op) {
    const auto& arguments = op.schema.arguments;
    return std::any_of(arguments.begin(), arguments.end(),
                       [&](const Argument& a) { return !gradient_formula(op, a.name).empty(); });
}

// "sum_{i}(x[i])": every bracket has its other half; "|" stands for both of its own.
bool is_balanced(std::string_view formula) {
    std::string open;
    for (const char c : formula) {
        if (c == '(' || c == '[' || c == '{') open += c;
        if (c != ')' && c != ']' && c != '}') continue;
        // [lower, upper) is an interval.
        if (open.empty()) return false;
        const char want = open.back() == '(' ? ')' : open.back() == '[' ? ']' : '}';
        if (c != want && !(open.back() == '[' && c == ')')) return false;
        open.pop_back();
    }
    return open.empty();
}

// The names of all arguments that operators of a family have.
QSet<QString> argument_names(const QString& family) {
    QSet<QString> names;
    for (const Operator* op : all_operators()) {
        if (text(op->family) != family) continue;
        for (const Argument& argument : op->schema.arguments) names.insert(text(argument.name));
    }
    return names;
}

constexpr char kReads[] =
    R"re(\b(?:c|context)\.(?:argument|value|sizes|strides|storage_offset|dtype|list_size|arguments_of_list|needs|)re"
    R"re(set_grad|grad|is_argument_defined)\(\s*"(\w+)")re";
constexpr char kSaves[] = R"re(save_(?:argument|result)\(\s*(?:"(\w+)"|\d+)(?:, "(\w+)")?)re";

// c.argument("weight"), save_argument("self", "other"): the names in a source.
QStringList names_in_derivatives(const QString& source) {
    static const QRegularExpression read(QString::fromLatin1(kReads));
    static const QRegularExpression saved(QString::fromLatin1(kSaves));
    QStringList names;
    for (auto found = read.globalMatch(source); found.hasNext();) names << found.next().captured(1);
    for (auto found = saved.globalMatch(source); found.hasNext();) {
        const QRegularExpressionMatch match = found.next();
        names << match.captured(1) << match.captured(2);
    }
    names.removeAll(QString());
    return names;
}

}  // namespace

class TestNotes : public QObject {
    Q_OBJECT

  private slots:
    void every_record_has_a_sentence() {
        for (const Operator* op : all_operators()) {
            const QString summary = text(op->record->summary);
            const QString name = text(op->full_name);
            QVERIFY2(summary.endsWith('.') || summary.endsWith('?'), qPrintable(name + ": " + summary));
            QVERIFY2(!summary.startsWith(' ') && !summary.contains("  "), qPrintable(name + ": " + summary));
            const QString bare = text(op->schema.name).section("::", 1);
            QVERIFY2(summary.chopped(1).compare(bare, Qt::CaseInsensitive) != 0, qPrintable(name + ": " + summary));
        }
    }
    void what_computes_has_a_formula() {
        for (const Operator* op : all_operators()) {
            if (!takes_tensors(*op)) continue;
            const bool is_named = op->schema.name.find("backward") == std::string::npos &&
                                  (op->schema.name.find("loss") != std::string::npos ||
                                   op->schema.name.find("norm") != std::string::npos ||
                                   op->schema.name.find("softmax") != std::string::npos);
            if (!is_in(op->family, {"pointwise", "reduction", "matrix", "rnn"}) && !(op->family == "nn" && is_named))
                continue;
            QVERIFY2(!operator_formula(*op).empty(), op->full_name.c_str());
        }
    }
    void what_has_a_derivative_says_which() {
        for (const Operator* op : all_operators()) {
            if (!op->record->derivative || op->record->is_random) continue;
            if (!is_in(op->family, {"pointwise", "reduction", "matrix", "nn", "rnn", "special"})) continue;
            QVERIFY2(has_gradient(*op), op->full_name.c_str());
        }
    }
    void derivatives_name_arguments_of_their_family() {
        QDirIterator files(QStringLiteral(LOUPE_SOURCE_DIR "/core/ops"), {"*.cpp"}, QDir::Files,
                           QDirIterator::Subdirectories);
        int count = 0;
        while (files.hasNext()) {
            QFile file(files.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QStringList used = names_in_derivatives(QString::fromUtf8(file.readAll()));
            count += static_cast<int>(used.size());
            if (used.isEmpty()) continue;
            const QSet<QString> known = argument_names(QFileInfo(file).dir().dirName());
            for (const QString& name : used)
                QVERIFY2(known.contains(name), qPrintable(file.fileName() + ": no argument " + name));
        }
        QVERIFY(count > 1000);
    }
    void a_name_finds_its_place() {
        const Operator& op = *find_operator("aten::addmm");
        QCOMPARE(op.place_of("mat2"), std::size_t{2});
        QCOMPARE(op.place_of(1), std::size_t{1});
        QVERIFY_THROWS_EXCEPTION(Error, static_cast<void>(op.place_of("weight")));
    }
    void formulas_are_well_formed() {
        for (const Operator* op : all_operators()) {
            QVERIFY2(is_balanced(operator_formula(*op)), op->full_name.c_str());
            for (const Argument& argument : op->schema.arguments) {
                QVERIFY2(is_balanced(gradient_formula(*op, argument.name)), op->full_name.c_str());
            }
        }
    }
    void a_note_speaks_of_what_there_is() {
        for (const Operator* op : all_operators()) {
            const auto overloads = operators_named(op->schema.name);
            for (const QString& line : text(op->record->gradient).split('\n', Qt::SkipEmptyParts)) {
                const std::string argument = line.section(": ", 0, 0).toStdString();
                const auto has = [&](const Operator* other) {
                    return other->schema.find_argument(argument).has_value();
                };
                const bool is_known = std::any_of(overloads.begin(), overloads.end(), has);
                QVERIFY2(is_known && line.contains(": "), qPrintable(text(op->full_name) + ": " + line));
            }
        }
    }

    void aliases_lead_to_what_they_are() {
        QCOMPARE(text(operator_formula(*find_operator("aten::arcsin"))), QStringLiteral("arcsin(x)"));
        QCOMPARE(text(gradient_formula(*find_operator("aten::multiply.Tensor"), "other")), QStringLiteral("grad self"));
        QCOMPARE(same_operator(*find_operator("aten::multiply.Scalar")), find_operator("aten::mul.Scalar"));
        QVERIFY(same_operator(*find_operator("aten::mul.Tensor")) == nullptr);
    }
    void overloads_differ() {
        QVERIFY(operator_formula(*find_operator("aten::max.dim")) != operator_formula(*find_operator("aten::max")));
        // Names that operators on numbers share say nothing about these.
        QVERIFY(gradient_formula(*find_operator("aten::add.int"), "a").empty());
        // In place, the record's own.
        QCOMPARE(text(gradient_formula(*find_operator("aten::relu_"), "self")),
                 QStringLiteral("grad where out > 0, else 0"));
        QCOMPARE(text(gradient_formula(*find_operator("aten::add_.Tensor"), "other")), QStringLiteral("alpha grad"));
    }
};

QTEST_GUILESS_MAIN(TestNotes)
#include "test_notes.moc"
