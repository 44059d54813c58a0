// SPDX-License-Identifier: Apache-2.0
// What os and os.path do with files and folders. A program may remove and rename what it has made itself, nothing else:
// opening a model source must not cost its user a file.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/strings.h"
#include "core/python/builtin_objects.h"
#include "core/python/evaluator_state.h"
#include "core/python/standard_modules.h"
#include "core/python/stream.h"

namespace loupe::python {
namespace {

namespace fs = std::filesystem;

std::string full_path(const std::string& path) { return fs::absolute(path).lexically_normal().string(); }

void note_made(const std::string& path) { Evaluator::current()->state().made_paths.insert(full_path(path)); }

void check_made(const std::string& path, std::string_view what) {
    auto& made = Evaluator::current()->state().made_paths;
    const std::string full = full_path(path);
    const bool is_inside = std::any_of(made.begin(), made.end(), [&](const std::string& known) {
        return full == known || full.starts_with(concat(known, "/"));
    });
    struct stat facts {};
    if (::lstat(path.c_str(), &facts) != 0) throw_os_error(errno, path);
    if (is_inside) return;
    throw_error("PermissionError", concat("[Errno 1] ", what, " '", path,
                                          "': a model source can only do this to files and folders that it has made"));
}

std::string path_argument(const CallArguments& a, std::size_t index = 0) {
    if (index >= a.positional.size()) return ".";
    return path_text(a.positional[index]);
}

void make_folder(const std::string& path) {
    if (::mkdir(path.c_str(), 0777) != 0) throw_os_error(errno, path);
    note_made(path);
}

IValue make_folders(CallArguments a) {
    const BoundArguments given(a, "makedirs", {"name", "mode=", "exist_ok="});
    const std::string path = path_text(given[0]);
    std::vector<std::string> missing;
    std::error_code unknown;
    for (fs::path at = full_path(path); !at.empty() && !fs::exists(at, unknown); at = at.parent_path()) {
        if (!at.filename().empty()) missing.push_back(at.string());
    }
    if (missing.empty() && !(given.truth_or(2, false) && fs::is_directory(path, unknown))) throw_os_error(EEXIST, path);
    std::reverse(missing.begin(), missing.end());
    for (const std::string& folder : missing) make_folder(folder);
    return {};
}

IValue names_in(CallArguments a) {
    const std::string path = path_argument(a);
    std::error_code error;
    std::vector<std::string> names;
    for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
        names.push_back(at->path().filename().string());
    }
    if (error) throw_os_error(error.value(), path);
    std::sort(names.begin(), names.end());
    std::vector<IValue> out;
    for (std::string& name : names) out.emplace_back(std::move(name));
    return make_list(std::move(out));
}

struct stat stat_of(const std::string& path) {
    struct stat facts {};
    if (::stat(path.c_str(), &facts) != 0) throw_os_error(errno, path);
    return facts;
}

IValue facts_of(CallArguments a) {
    const auto facts = stat_of(path_argument(a));
    const IValue types = Evaluator::current()->import_module("types");
    CallArguments fields;
    fields.keywords = {{"st_mode", IValue(static_cast<std::int64_t>(facts.st_mode))},
                       {"st_size", IValue(static_cast<std::int64_t>(facts.st_size))},
                       {"st_mtime", IValue(static_cast<double>(facts.st_mtim.tv_sec) + static_cast<double>(facts.st_mtim.tv_nsec) * 1e-9)}};
    return call(get_attribute(types, "SimpleNamespace"), std::move(fields));
}

IValue remove_file(CallArguments a) {
    const std::string path = path_argument(a);
    check_made(path, "remove");
    if (::unlink(path.c_str()) != 0) throw_os_error(errno, path);
    return {};
}

IValue remove_folder(CallArguments a) {
    const std::string path = path_argument(a);
    check_made(path, "rmdir");
    if (::rmdir(path.c_str()) != 0) throw_os_error(errno, path);
    return {};
}

IValue rename_file(CallArguments a) {
    check_positional(a, "rename", 2, 2);
    const std::string from = path_argument(a);
    const std::string to = path_argument(a, 1);
    check_made(from, "rename");
    std::error_code unknown;
    if (fs::exists(to, unknown)) check_made(to, "replace");
    if (::rename(from.c_str(), to.c_str()) != 0) throw_os_error(errno, from);
    note_made(to);
    return {};
}

}  // namespace

void fill_os_files(PythonModule& module) {
    module.define("listdir", names_in);
    module.define("mkdir", [](CallArguments a) -> IValue {
        make_folder(path_argument(a));
        return {};
    });
    module.define("makedirs", make_folders);
    module.define("remove", remove_file);
    module.define("unlink", remove_file);
    module.define("rmdir", remove_folder);
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
    module.define("getpid", [](CallArguments) { return IValue(static_cast<std::int64_t>(::getpid())); });
    module.define("walk", [](CallArguments a) {
        return call(get_attribute(Evaluator::current()->import_module("_file_tools"), "walk"), std::move(a));
    });
    module.define("PathLike", IValue::other(make_ptr<ClassObject>("PathLike", "os", std::vector<ClassPtr>{builtin_classes().object})));
}

void fill_os_path_files(PythonModule& module) {
    module.define("getsize", [](CallArguments a) { return IValue(static_cast<std::int64_t>(stat_of(path_argument(a)).st_size)); });
    module.define("getmtime", [](CallArguments a) { return IValue(static_cast<double>(stat_of(path_argument(a)).st_mtime)); });
    module.define("realpath", [](CallArguments a) {
        std::error_code error;
        return IValue(fs::weakly_canonical(full_path(path_argument(a)), error).string());
    });
    module.define("relpath", [](CallArguments a) {
        const std::string start = a.positional.size() > 1 ? path_argument(a, 1) : ".";
        return IValue(fs::path(full_path(path_argument(a))).lexically_relative(full_path(start)).string());
    });
    module.define("expanduser", [](CallArguments a) {
        std::string path = path_argument(a);
        const char* const home = std::getenv("HOME");
        if (home != nullptr && (path == "~" || path.starts_with("~/"))) path = home + path.substr(1);
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
