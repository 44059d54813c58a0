// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/source_case.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string_view>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator.h"
#include "core/python/make_evaluator.h"
#include "core/script/compile.h"
#include "core/script/error.h"

namespace loupe::fuzz {

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace

std::vector<Program> fixture_programs() {
    const fs::path tests = fs::path(LOUPE_SOURCE_DIR) / "tests";
    std::vector<Program> programs;
    for (const fs::path& folder :
         {tests / "python" / "programs", tests / "python" / "torch", tests / "fixtures" / "sources"}) {
        for (const auto& entry : fs::directory_iterator(folder)) {
            if (entry.path().extension() == ".py")
                programs.push_back({entry.path().filename().string(), read(entry.path())});
        }
    }
    const std::string prelude = read(tests / "python" / "scripted" / "prelude.py.txt");
    const std::string all = read(tests / "python" / "scripted" / "programs.txt");
    for (std::size_t at = all.find("#### "); at != std::string::npos;) {
        const std::size_t next = all.find("#### ", at + 1);
        const std::string block = all.substr(at + 5, next == std::string::npos ? next : next - at - 5);
        const std::size_t line = block.find('\n');
        programs.push_back({concat("scripted: ", block.substr(0, line)), prelude + block.substr(line + 1)});
        at = next;
    }
    std::sort(programs.begin(), programs.end(), [](const Program& a, const Program& b) { return a.name < b.name; });
    return programs;
}

std::string try_source(const std::string& text) {
    const auto source = std::make_shared<const ir::Source>(text, "case.py");
    try {
        const DeadlineScope deadline(std::chrono::seconds(1));
        const auto evaluator = python::make_evaluator();
        evaluator->run_source(source);
    } catch (const script::CompileError& error) {
        if (!error.range()) return concat("an error without a place: ", error.what());
    } catch (const python::PythonError& error) {
        if (error.what() == std::string_view()) return "an error without words";
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Internal) return concat("an internal error: ", error.what());
    } catch (const std::exception& error) {
        return concat("throws something else: ", error.what());
    }
    try {
        const DeadlineScope deadline(std::chrono::seconds(1));
        const auto unit = make_ptr<ir::CompilationUnit>();
        script::define(*unit, source, {});
        for (std::size_t i = 0; i < unit->functions().size(); ++i) {
            const Ptr<ir::ScriptFunction> function = unit->functions()[i];
            try {
                function->graph();
            } catch (const script::CompileError&) {
                continue;
            }
        }
    } catch (const script::CompileError& error) {
        if (!error.range()) return concat("an error without a place: ", error.what());
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Internal) return concat("an internal error: ", error.what());
    } catch (const std::exception& error) {
        return concat("throws something else: ", error.what());
    }
    return {};
}

}  // namespace loupe::fuzz
