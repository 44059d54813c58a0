// SPDX-License-Identifier: Apache-2.0
// The module os.path, in the file sandbox of the program that runs.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/base/strings.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator.h"
#include "core/python/language/key_lookup.h"
#include "core/python/language/stream.h"
#include "core/python/library/path_arguments.h"
#include "core/python/library/standard_modules.h"

namespace loupe::python {
namespace {

namespace fs = std::filesystem;

std::string path_of(const CallArguments& a, std::string_view function) {
    if (a.positional.empty()) throw_type_error(concat(function, "() missing 1 required positional argument: 'path'"));
    return path_text(a.positional[0]);
}

// os.path.abspath: by text alone.
std::string full_path(FileSandbox& files, const std::string& path) {
    const fs::path given(path);
    const fs::path whole = given.is_absolute() ? given : fs::path(files.working_folder()) / given;
    const std::string text = whole.lexically_normal().string();
    return text.size() > 1 && text.ends_with('/') ? text.substr(0, text.size() - 1) : text;
}

template <typename Test>
auto finds(Test test) {
    return [test](CallArguments a) {
        return with_files([&](FileSandbox& files) {
            const auto facts = files.find(path_of(a, "stat"));
            return IValue(facts.has_value() && test(*facts));
        });
    };
}

}  // namespace

void fill_os_path(PythonModule& module) {
    const auto on_path = [&](std::string name, IValue (*work)(const std::string&)) {
        module.define(name, [name, work](CallArguments a) { return work(path_of(a, name)); });
    };
    module.define("join", [](CallArguments a) {
        std::string out;
        for (const IValue& part : a.positional) {
            const std::string text = path_text(part);
            if (text.starts_with('/') || out.empty())
                out = text;
            else
                out += out.ends_with('/') ? text : concat("/", text);
        }
        return IValue(out);
    });
    on_path("basename", [](const std::string& p) { return IValue(p.substr(p.rfind('/') + 1)); });
    on_path("dirname", [](const std::string& p) {
        const std::size_t slash = p.rfind('/');
        return IValue(slash == std::string::npos ? std::string() : slash == 0 ? std::string("/") : p.substr(0, slash));
    });
    on_path("splitext", [](const std::string& p) {
        const std::size_t dot = p.rfind('.');
        const std::size_t name = p.rfind('/') + 1;
        const bool has_suffix = dot != std::string::npos && dot > name;
        return make_tuple(
            {IValue(has_suffix ? p.substr(0, dot) : p), IValue(has_suffix ? p.substr(dot) : std::string())});
    });
    on_path("normpath",
            [](const std::string& p) { return IValue(std::filesystem::path(p).lexically_normal().string()); });
    module.define("exists", finds([](const FileFacts&) { return true; }));
    module.define("isfile", finds([](const FileFacts& facts) { return facts.is_regular(); }));
    module.define("isdir", finds([](const FileFacts& facts) { return facts.is_folder(); }));
    module.define("getsize", [](CallArguments a) { return IValue(facts_at(a).size); });
    module.define("getmtime", [](CallArguments a) { return IValue(modified(facts_at(a))); });
    module.define("abspath", [](CallArguments a) {
        return with_files([&](FileSandbox& files) { return IValue(full_path(files, path_of(a, "abspath"))); });
    });
    module.define("realpath", [](CallArguments a) {
        return with_files([&](FileSandbox& files) { return IValue(files.real_path(path_argument(a))); });
    });
    module.define("relpath", [](CallArguments a) {
        const std::string path = path_of(a, "relpath");
        const std::string start = a.positional.size() > 1 ? path_text(a.positional[1]) : ".";
        return with_files([&](FileSandbox& files) {
            return IValue(fs::path(full_path(files, path)).lexically_relative(full_path(files, start)).string());
        });
    });
    module.define("expanduser", [](CallArguments a) {
        std::string path = path_of(a, "expanduser");
        const IValue environment = get_attribute(Evaluator::current()->import_module("os"), "environ");
        const IValue* home = find_key(environment.to_dict(), "HOME");
        if (home != nullptr && (path == "~" || path.starts_with("~/"))) path = str(*home) + path.substr(1);
        return IValue(path);
    });
    module.define("split", [](CallArguments a) {
        const std::string path = path_of(a, "split");
        const std::size_t name = path.rfind('/') + 1;
        std::string head = path.substr(0, name);
        while (head.size() > 1 && head.back() == '/' && head.find_first_not_of('/') != std::string::npos)
            head.pop_back();
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
    on_path("isabs", [](const std::string& p) { return IValue(p.starts_with('/')); });
}

}  // namespace loupe::python
