// SPDX-License-Identifier: Apache-2.0
#include "declared_operators.h"

#include <deque>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/dispatch/registry.h"

namespace loupe::script {
namespace {

void unavailable(Arguments, IValue*) { throw Error(ErrorKind::Run, "this operator is only declared"); }

}  // namespace

void declare_operators() {
    static std::deque<std::string> schemas;
    static std::deque<OperatorRecord> records;
    static std::vector<const OperatorRecord*> list;
    if (!list.empty()) return;
    std::ifstream file(LOUPE_SOURCE_DIR "/tests/script/operators.txt");
    for (std::string line; std::getline(file, line);) {
        if (find_operator(line.substr(0, line.find('('))) != nullptr) continue;
        schemas.push_back(line);
        OperatorRecord record;
        record.schema = schemas.back();
        record.kernel = unavailable;
        records.push_back(record);
        list.push_back(&records.back());
    }
    register_family({"declared", list});
}

}  // namespace loupe::script
