// SPDX-License-Identifier: Apache-2.0
// PyTorch's aten schemas (schemas.txt, written by make_schema_list.py) are the engine's, but for those that
// left_out.txt names with a reason. A line says how many schemas it stands for, so that the list can only shrink.
// Autocast's lists are PyTorch's too (autocast.txt, written by make_autocast_table.py).

#include <QtTest>

#include <set>
#include <sstream>

#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/dispatch/autocast.h"
#include "core/dispatch/registry.h"
#include "tests/support/table.h"

using namespace loupe;

namespace {

struct LeftOut {
    std::string pattern;  // "*" stands for any characters
    int count = 0;
    std::string reason;
    int found = 0;
};

bool fits(std::string_view name, std::string_view pattern) {
    const std::size_t star = pattern.find('*');
    if (star == std::string_view::npos) return name == pattern;
    if (!name.starts_with(pattern.substr(0, star))) return false;
    const std::string_view after = pattern.substr(star + 1);
    for (std::size_t at = star; at <= name.size(); ++at) {
        if (fits(name.substr(at), after)) return true;
    }
    return false;
}

std::string text_of(const char* name) { return read_text_file(std::string(LOUPE_SOURCE_DIR) + "/tests/ops/" + name); }

std::vector<LeftOut> read_left_out() {
    std::vector<LeftOut> lines;
    std::istringstream text(text_of("left_out.txt"));
    for (std::string line; std::getline(text, line);) {
        if (line.empty() || line.front() == '#') continue;
        std::istringstream words(line);
        LeftOut entry;
        words >> entry.pattern >> entry.count >> std::ws;
        std::getline(words, entry.reason);
        lines.push_back(std::move(entry));
    }
    return lines;
}

}  // namespace

class TestSchemas : public QObject {
    Q_OBJECT

  private slots:
    void every_schema_is_known_or_left_out_for_a_reason() {
        std::vector<LeftOut> left_out = read_left_out();
        std::string unexplained;
        std::istringstream names(text_of("schemas.txt"));
        for (std::string name; std::getline(names, name);) {
            if (name.empty() || name.front() == '#' || find_operator(name) != nullptr) continue;
            const auto line =
                std::ranges::find_if(left_out, [&](const LeftOut& each) { return fits(name, each.pattern); });
            if (line == left_out.end())
                unexplained += name + "; ";
            else
                ++line->found;
        }
        QVERIFY2(unexplained.empty(), ("neither built nor left out: " + unexplained).c_str());
        for (const LeftOut& line : left_out) {
            QVERIFY2(!line.reason.empty(), (line.pattern + " gives no reason").c_str());
            QVERIFY2(line.count == line.found,
                     concat(line.pattern, " says ", line.count, " schemas, ", line.found, " are left out").c_str());
        }
    }

    // On CUDA the list says only which operators have a rule.
    void autocast_is_as_listed() {
        const auto word = [](Autocast policy) {
            switch (policy) {
                case Autocast::Lower:
                    return "lower";
                case Autocast::Widest:
                    return "widest";
                case Autocast::Float32:
                    return "float32";
                case Autocast::Float32Kept:
                    return "float32-kept";
                default:
                    return "another";
            }
        };
        std::set<std::pair<std::string, std::string>> listed;
        QStringList wrong;
        for (const auto& row : test::read_table("ops/autocast.txt")) {
            if (row[0] == "#") continue;
            listed.emplace(row[0], row[1]);
            const Operator* op = find_operator(row[1]);
            if (op == nullptr) continue;  // left_out.txt says why
            const Autocast policy = autocast_of(*op, row[0] == "cpu" ? DeviceType::Cpu : DeviceType::Cuda);
            if (row[0] == "cpu" ? row[2] != word(policy) : policy == Autocast::None)
                wrong << QString::fromStdString(concat(row[0], " ", row[1], " is ", word(policy)));
        }
        // PyTorch's other overloads call the one that is listed; out= forms are left alone.
        std::set<std::pair<std::string, std::string>> names;
        for (const auto& [device, name] : listed) names.emplace(device, name.substr(0, name.find('.')));
        names.emplace("cpu", "aten::nll_loss_nd");  // calls nll_loss
        // In compiled graphs in the place of linear.
        for (const char* device : {"cpu", "cuda"}) names.emplace(device, "loupe::linear_activation");
        for (const Operator* op : all_operators()) {
            const bool is_out = op->schema.overload.ends_with("out");
            for (const auto& [device, type] : {std::pair("cpu", DeviceType::Cpu), std::pair("cuda", DeviceType::Cuda)})
                if (autocast_of(*op, type) != Autocast::None && (is_out || !names.contains({device, op->schema.name})))
                    wrong << QString::fromStdString(concat(device, " ", op->full_name, " has a rule"));
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    void a_pattern_stands_for_any_characters() {
        QVERIFY(fits("aten::_nested_sum.out", "aten::_nested_*"));
        QVERIFY(fits("aten::mps_convolution", "aten::*mps*"));
        QVERIFY(!fits("aten::add.out", "aten::*nested*"));
        QVERIFY(!fits("aten::add.out", "aten::add"));
    }
};

QTEST_GUILESS_MAIN(TestSchemas)
#include "test_schemas.moc"
