// SPDX-License-Identifier: Apache-2.0
// What os and os.path do with files and folders, in the sandbox of the program that runs.
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "core/base/strings.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/library/standard_modules.h"
#include "core/python/language/stream.h"

namespace loupe::python {
namespace {

namespace fs = std::filesystem;

std::string path_argument(const CallArguments& a, std::size_t index = 0) {
    if (index >= a.positional.size()) return ".";
    return path_text(a.positional[index]);
}

// os.path.abspath: by text alone.
std::string full_path(FileSandbox& files, const std::string& path) {
    const fs::path given(path);
    const fs::path whole = given.is_absolute() ? given : fs::path(files.working_folder()) / given;
    const std::string text = whole.lexically_normal().string();
    return text.size() > 1 && text.ends_with('/') ? text.substr(0, text.size() - 1) : text;
}

IValue make_folders(CallArguments a) {
    const BoundArguments given(a, "makedirs", {"name", "mode=", "exist_ok="});
    const std::string path = path_text(given[0]);
    return with_files([&](FileSandbox& files) -> IValue {
        const auto there = files.find(path);
        if (there && !(given.truth_or(2, false) && there->is_folder())) throw_os_error(EEXIST, path);
        if (!there) files.require_writable(path);
        std::vector<std::string> missing;
        for (fs::path at = path; !at.empty() && files.is_missing(at.string()); at = at.parent_path()) {
            if (at.has_filename()) missing.push_back(at.string());
            if (at == at.parent_path()) break;
        }
        std::reverse(missing.begin(), missing.end());
        for (const std::string& folder : missing) files.make_folder(folder);
        return {};
    });
}

IValue names_in(CallArguments a) {
    std::vector<std::string> names = with_files([&](FileSandbox& files) { return files.names(path_argument(a)); });
    std::vector<IValue> out;
    for (std::string& name : names) out.emplace_back(std::move(name));
    return make_list(std::move(out));
}

FileFacts facts_at(const CallArguments& a) {
    return with_files([&](FileSandbox& files) { return files.facts(path_argument(a)); });
}

double modified(const FileFacts& facts) {
    return static_cast<double>(facts.modified_seconds) + static_cast<double>(facts.modified_nanoseconds) * 1e-9;
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

template <typename Test>
auto finds(Test test) {
    return [test](CallArguments a) {
        return with_files([&](FileSandbox& files) {
            const auto facts = files.find(path_argument(a));
            return IValue(facts.has_value() && test(*facts));
        });
    };
}

}  // namespace

void fill_os_files(PythonModule& module) {
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
    module.define("urandom", [](CallArguments a) { return python::call(get_attribute(Evaluator::current()->import_module("_native"), "urandom"), std::move(a)); });
    // Processes are not shown to a program, not even its own.
    module.define("getpid", [](CallArguments) { return IValue(std::int64_t{1000}); });
    module.define("walk", [](CallArguments a) {
        return call(get_attribute(Evaluator::current()->import_module("_file_tools"), "walk"), std::move(a));
    });
    module.define("PathLike", IValue::other(make_ptr<ClassObject>("PathLike", "os", std::vector<ClassPtr>{builtin_classes().object})));
}

void fill_os_path_files(PythonModule& module) {
    module.define("exists", finds([](const FileFacts&) { return true; }));
    module.define("isfile", finds([](const FileFacts& facts) { return facts.is_regular(); }));
    module.define("isdir", finds([](const FileFacts& facts) { return facts.is_folder(); }));
    module.define("getsize", [](CallArguments a) { return IValue(facts_at(a).size); });
    module.define("getmtime", [](CallArguments a) { return IValue(modified(facts_at(a))); });
    module.define("abspath", [](CallArguments a) {
        return with_files([&](FileSandbox& files) { return IValue(full_path(files, path_argument(a))); });
    });
    module.define("realpath", [](CallArguments a) {
        return with_files([&](FileSandbox& files) { return IValue(files.real_path(path_argument(a))); });
    });
    module.define("relpath", [](CallArguments a) {
        const std::string start = a.positional.size() > 1 ? path_argument(a, 1) : ".";
        return with_files([&](FileSandbox& files) {
            return IValue(fs::path(full_path(files, path_argument(a))).lexically_relative(full_path(files, start)).string());
        });
    });
    module.define("expanduser", [](CallArguments a) {
        std::string path = path_argument(a);
        const IValue environment = get_attribute(Evaluator::current()->import_module("os"), "environ");
        const IValue* home = environment.to_dict().find("HOME");
        if (home != nullptr && (path == "~" || path.starts_with("~/"))) path = str(*home) + path.substr(1);
        return IValue(path);
    });
    module.define("split", [](CallArguments a) {
        const std::string path = path_argument(a);
        const std::size_t name = path.rfind('/') + 1;
        std::string head = path.substr(0, name);
        while (head.size() > 1 && head.back() == '/' && head.find_first_not_of('/') != std::string::npos) head.pop_back();
        return make_tuple({IValue(head), IValue(path.substr(name))});
    });
    module.define("commonprefix", [](CallArguments a) {
        check_positional(a, "commonprefix", 1, 1);
        const std::vector<IValue> paths = to_vector(a.positional[0]);
        std::string common = paths.empty() ? "" : path_text(paths.front());
        for (const IValue& path : paths) {
            const std::string text = path_text(path);
            const auto ends = std::mismatch(common.begin(), common.end(), text.begin(), text.end());
            common.erase(ends.first, common.end());
        }
        return IValue(common);
    });
}

}  // namespace loupe::python
