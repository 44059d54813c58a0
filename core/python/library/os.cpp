// SPDX-License-Identifier: Apache-2.0
// The module os, in the file sandbox of the program that runs.
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <thread>

#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/key_lookup.h"
#include "core/python/language/stream.h"
#include "core/python/library/path_arguments.h"
#include "core/python/library/standard_modules.h"

namespace loupe::python {
namespace {

namespace fs = std::filesystem;

IValue make_folders(CallArguments a) {
    const BoundArguments given(a, "makedirs", {"name", "mode=", "exist_ok="});
    const std::string path = path_argument({{given[0]}, {}});
    return with_files([&](FileSandbox& files) -> IValue {
        const bool may_exist = given.truth_or(2, false);
        const auto there = files.find(path);
        if (there && !(may_exist && there->is_folder())) throw_os_error(EEXIST, path);
        if (!there) files.require_writable(path);
        std::vector<std::string> missing;
        for (fs::path at = path; !at.empty() && files.is_missing(at.string()); at = at.parent_path()) {
            if (at.has_filename()) missing.push_back(at.string());
            if (at == at.parent_path()) break;
        }
        std::reverse(missing.begin(), missing.end());
        for (const std::string& folder : missing) {
            try {
                files.make_folder(folder);
            } catch (const SystemError& error) {
                // Another rank made it meanwhile.
                if (error.number() != EEXIST || (folder == missing.back() && !may_exist)) throw;
            }
        }
        return {};
    });
}

IValue names_in(CallArguments a) {
    std::vector<std::string> names = with_files([&](FileSandbox& files) { return files.names(path_argument(a)); });
    std::vector<IValue> out;
    for (std::string& name : names) out.emplace_back(std::move(name));
    return make_list(std::move(out));
}

IValue facts_of(CallArguments a) {
    const FileFacts facts = facts_at(a);
    const IValue types = Evaluator::current()->import_module("types");
    CallArguments fields;
    fields.keywords = {{"st_mode", IValue(static_cast<std::int64_t>(facts.mode))},
                       {"st_size", IValue(facts.size)},
                       {"st_mtime", IValue(modified(facts))}};
    return call(get_attribute(types, "SimpleNamespace"), std::move(fields));
}

using OnPath = void (FileSandbox::*)(const std::string&);
template <OnPath work>
IValue on_path(CallArguments a) {
    with_files([&](FileSandbox& files) { (files.*work)(path_argument(a)); });
    return {};
}

IValue rename_file(CallArguments a) {
    check_positional(a, "rename", 2, 2);
    with_files([&](FileSandbox& files) { files.rename(path_argument(a), path_argument(a, 1)); });
    return {};
}

}  // namespace

void fill_os(PythonModule& module) {
    module.define("name", IValue("posix"));
    module.define("sep", IValue("/"));
    module.define("linesep", IValue("\n"));
    const auto environment = make_dict();
    for (const auto& [name, value] : Evaluator::current()->state().options.environment)
        environment->set(IValue(name), IValue(value));
    module.define("environ", environment);
    module.define("cpu_count",
                  [](CallArguments) { return IValue(static_cast<std::int64_t>(std::thread::hardware_concurrency())); });
    module.define("getenv", [environment](CallArguments a) {
        check_positional(a, "getenv", 1, 2);
        if (const IValue* found = find_key(*environment, a.positional[0])) return *found;
        return a.positional.size() > 1 ? a.positional[1] : IValue();
    });
    module.define("path", Evaluator::current()->import_module("os.path"));
    module.define("listdir", names_in);
    module.define("mkdir", on_path<&FileSandbox::make_folder>);
    module.define("makedirs", make_folders);
    module.define("remove", on_path<&FileSandbox::remove_file>);
    module.define("unlink", on_path<&FileSandbox::remove_file>);
    module.define("rmdir", on_path<&FileSandbox::remove_folder>);
    module.define("getcwd", [](CallArguments) {
        return with_files([](FileSandbox& files) { return IValue(files.working_folder()); });
    });
    module.define("_temporary_folder", [](CallArguments) {
        return with_files([](FileSandbox& files) { return IValue(files.temporary_folder()); });
    });
    module.define("rename", rename_file);
    module.define("replace", rename_file);
    module.define("stat", facts_of);
    module.define("fspath", [](CallArguments a) {
        check_positional(a, "fspath", 1, 1);
        return IValue(path_text(a.positional[0]));
    });
    module.define("pathsep", IValue(":"));
    module.define("devnull", IValue("/dev/null"));
    module.define("urandom", [](CallArguments a) {
        return python::call(get_attribute(Evaluator::current()->import_module("_native"), "urandom"), std::move(a));
    });
    // Processes are not shown to a program, not even its own.
    module.define("getpid", [](CallArguments) { return IValue(std::int64_t{1000}); });
    module.define("walk", [](CallArguments a) {
        return call(get_attribute(Evaluator::current()->import_module("_file_tools"), "walk"), std::move(a));
    });
    module.define("PathLike", IValue::other(make_ptr<ClassObject>("PathLike", "os",
                                                                  std::vector<ClassPtr>{builtin_classes().object})));
}

}  // namespace loupe::python
