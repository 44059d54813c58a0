// SPDX-License-Identifier: Apache-2.0
// conformance FOLDER: runs every case zip of a folder and prints a line for each operator or module.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/plugin/plugin_loader.h"
#include "tests/conformance/derivatives.h"
#include "tests/conformance/exported_cases.h"
#include "tests/conformance/known_exceptions.h"
#include "tests/conformance/run_case.h"
#include "tests/conformance/worker_pool.h"

namespace loupe::conformance {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

struct Options {
    std::string folder;
    std::string only;
    std::vector<std::string> exceptions;
    bool prints_dtypes = false;
    bool prints_all = false;
    bool checks_derivatives = false;
    bool scripted = false;
    bool written = false;
    std::string device = "cpu";
    std::string plugins;
    int limit_seconds = 60;
    unsigned workers = std::max(1U, std::thread::hardware_concurrency());
};

// Zips of cases, and programs that are one case each.
std::vector<fs::path> list_zips(const Options& options) {
    if (!fs::is_directory(options.folder)) throw Error(ErrorKind::Usage, "no such folder", {.file = options.folder});
    std::vector<fs::path> zips = list_programs(options.folder);
    std::erase_if(zips, [&](const fs::path& path) { return !options.only.empty() && case_name(path) != options.only; });
    for (const auto& entry : fs::directory_iterator(options.folder)) {
        const fs::path& path = entry.path();
        if (path.extension() == ".zip" && (options.only.empty() || path.stem() == options.only)) zips.push_back(path);
    }
    std::sort(zips.begin(), zips.end());
    if (zips.empty())
        throw Error(ErrorKind::Usage, "no case zips there",
                    {.file = options.folder, .hint = "give a folder of NAME.zip, NAME.pt2 or NAME.onnx"});
    return zips;
}

// [{k, dtype, failure}]
std::string run_zip(const fs::path& zip, const Options& options) {
    const bool checks_derivatives = options.checks_derivatives;
    const ModuleForm form = options.written    ? ModuleForm::Written
                            : options.scripted ? ModuleForm::Scripted
                                               : ModuleForm::Source;
    if (!options.plugins.empty()) load_plugins_from(options.plugins);  // in the worker: a device may not outlive a fork
    const Device device = parse_device(options.device);
    set_thread_count(1);
    Json results = Json::array();
    if (zip.extension() == ".pt2" || zip.extension() == ".onnx") {
        results.push_back({{"k", 0}, {"dtype", "program"}, {"failure", run_program_case(zip, device)}});
        return results.dump(-1, ' ', false, Json::error_handler_t::replace);
    }
    try {
        const CaseArchive archive(zip);
        for (const CaseEntry& entry : archive.cases()) {
            if (checks_derivatives && (archive.is_of_modules() || !has_derivatives(entry))) continue;
            const std::string failure = checks_derivatives ? check_derivatives(archive, entry, zip.stem().string())
                                        : archive.is_of_modules()
                                            ? run_module_case(archive, entry, form, device)
                                            : run_operator_case(archive, entry, zip.stem().string(), device);
            results.push_back(
                {{"k", entry.k}, {"dtype", archive.is_of_modules() ? entry.mode : entry.dtype}, {"failure", failure}});
        }
    } catch (const std::exception& error) {
        results.push_back({{"k", -1}, {"dtype", ""}, {"failure", error.what()}});
    }
    return results.dump(-1, ' ', false, Json::error_handler_t::replace);
}

struct Tally {
    int passed = 0;
    int failed = 0;
    int excused = 0;
};

class Report {
  public:
    Report(const Options& options, std::vector<KnownException> exceptions)
        : options_(options), exceptions_(std::move(exceptions)) {}

    void add(const std::string& name, const Json& results) {
        Tally here;
        std::vector<std::string> failures;
        for (const Json& result : results) {
            const std::string failure = result["failure"];
            const std::string dtype = result["dtype"];
            const int k = result["k"];
            KnownException* excuse = failure.empty() ? nullptr : find_exception(exceptions_, name, k, dtype);
            if (excuse != nullptr) excuse->was_needed = true;
            for (Tally* tally : {&here, &total_, &by_dtype_[dtype], &by_name_[name][dtype]}) {
                ++(failure.empty() ? tally->passed : excuse != nullptr ? tally->excused : tally->failed);
            }
            if (!failure.empty() && excuse == nullptr)
                failures.push_back(concat("case ", k, " ", dtype, ": ", failure));
        }
        print_line(name, here, failures);
    }

    // The exit status.
    int finish() const {
        if (options_.prints_dtypes) print_dtypes();
        int stale = 0;
        for (const KnownException& entry : exceptions_) {
            if (entry.was_needed || !options_.only.empty()) continue;
            std::printf("known exception no longer needed: %s %s\n", entry.op.c_str(), entry.which.c_str());
            ++stale;
        }
        std::printf("%d passed, %d failed", total_.passed, total_.failed);
        if (total_.excused > 0) std::printf(", %d known exceptions", total_.excused);
        std::printf("; %zu of %zu without a failure\n", count_clean(), by_name_.size());
        return total_.failed == 0 && stale == 0 ? 0 : 1;
    }

  private:
    void print_line(const std::string& name, const Tally& here, const std::vector<std::string>& failures) const {
        std::string line = concat(here.passed, " passed, ", here.failed, " failed");
        if (here.excused > 0) line += concat(", ", here.excused, " known");
        if (!failures.empty()) line += concat(": ", failures.front());
        std::printf("%-48s %s\n", name.c_str(), line.c_str());
        for (std::size_t i = 1; options_.prints_all && i < failures.size(); ++i)
            std::printf("%-48s   %s\n", "", failures[i].c_str());
    }

    std::size_t count_clean() const {
        return static_cast<std::size_t>(std::count_if(by_name_.begin(), by_name_.end(), [](const auto& entry) {
            return std::all_of(entry.second.begin(), entry.second.end(),
                               [](const auto& tally) { return tally.second.failed == 0; });
        }));
    }

    void print_dtypes() const {
        std::printf("\n%-48s", "passed/cases");
        for (const auto& [dtype, tally] : by_dtype_) std::printf(" %9s", dtype.c_str());
        for (const auto& [name, tallies] : by_name_) {
            std::printf("\n%-48s", name.c_str());
            for (const auto& [dtype, unused] : by_dtype_) print_cell(tallies, dtype);
        }
        std::printf("\n%-48s", "all");
        for (const auto& [dtype, unused] : by_dtype_) print_cell(by_dtype_, dtype);
        std::printf("\n\n");
    }

    static void print_cell(const std::map<std::string, Tally>& tallies, const std::string& dtype) {
        const auto found = tallies.find(dtype);
        if (found == tallies.end()) {
            std::printf(" %9s", "-");
            return;
        }
        const Tally& tally = found->second;
        std::printf(" %9s", concat(tally.passed, "/", tally.passed + tally.failed + tally.excused).c_str());
    }

    const Options& options_;
    std::vector<KnownException> exceptions_;
    Tally total_;
    std::map<std::string, Tally> by_dtype_;
    std::map<std::string, std::map<std::string, Tally>> by_name_;
};

int run(const Options& options) {
    const std::vector<fs::path> zips = list_zips(options);
    std::vector<KnownException> exceptions;
    for (const std::string& file : options.exceptions)
        std::ranges::move(read_known_exceptions(file), std::back_inserter(exceptions));
    Report report(options, std::move(exceptions));
    const auto lost = [](std::size_t, const std::string& reason) {
        return Json::array({{{"k", -1}, {"dtype", ""}, {"failure", reason}}}).dump();
    };
    const auto results = run_in_workers(
        zips.size(), options.workers, options.limit_seconds, [&](std::size_t i) { return run_zip(zips[i], options); },
        lost);
    for (std::size_t i = 0; i < zips.size(); ++i) report.add(case_name(zips[i]), Json::parse(results[i]));
    return report.finish();
}

}  // namespace
}  // namespace loupe::conformance

int main(int argc, char** argv) {
    using namespace loupe;
    conformance::Options options;
    CLI::App app("Runs operator and module cases and prints a line for each operator or module.");
    app.add_option("folder", options.folder, "folder of NAME.zip, NAME.pt2 or NAME.onnx")->required();
    app.add_option("--only", options.only, "one operator or module");
    app.add_option("--exceptions", options.exceptions,
                   "table of cases that may fail: lines of name, case or dtype or *, reason");
    app.add_flag("--dtypes", options.prints_dtypes, "also a table of operators and dtypes");
    app.add_flag("--script", options.scripted, "modules are compiled as torch.jit.script does");
    app.add_flag("--written", options.written, "modules are scripted, written to an archive and read again");
    app.add_flag("--all", options.prints_all, "every failure, not only the first");
    app.add_flag("--gradgrad", options.checks_derivatives,
                 "compare first and second derivatives with differences in float64 instead");
    app.add_option("--device", options.device, "where models and inputs are put before they run");
    app.add_option("--plugins", options.plugins, "folder of more plugins, for the device");
    app.add_option("--limit", options.limit_seconds, "seconds that one zip may take");
    app.add_option("--workers", options.workers, "processes")->check(CLI::Range(1, 256));
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const int status = app.exit(error);
        return status == 0 ? 0 : 2;
    }
    try {
        return conformance::run(options);
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return error.kind() == ErrorKind::Usage ? 2 : 3;
    }
}
