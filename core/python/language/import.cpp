// SPDX-License-Identifier: Apache-2.0
// Finding and loading modules: those of the library, those of the main file's package, files beside it, packages that
// are installed beside the main file's.
//
// A package of the program's own is loaded when it is first asked for a name, and only as far as that name needs: its
// __init__.py runs only where the name is not simply imported there from one of its modules. So a file of a large
// package opens without the rest of it.
#include <algorithm>
#include <filesystem>

#include "core/base/marked_folders.h"
#include "core/base/strings.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/operations.h"
#include "core/python/language/relative_import.h"

namespace loupe::python {
namespace {

namespace fs = std::filesystem;

std::string parent_of(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    return std::string(dot == std::string_view::npos ? std::string_view() : name.substr(0, dot));
}

// A package whose __init__.py has not run yet.
class Package final : public RefCounted {
  public:
    Package(std::string name, std::string path) : name_(std::move(name)), path_(std::move(path)) {}

    void begin(Evaluator& owner) {
        const auto source = std::make_shared<ir::Source>(owner.state().files().read_text(path_), path_);
        unit = owner.state().add_unit(owner, source, name_);
        unit->package = name_;
        unit->globals->set("__file__", IValue(path_));
        unit->globals->set("__path__", make_list({IValue(fs::path(path_).parent_path().string())}));
    }

    std::optional<IValue> find(std::string_view wanted) {
        if (has_run_) return std::nullopt;  // the globals have been asked
        Evaluator& owner = *Evaluator::current();
        const bool is_special = wanted.starts_with("__") && wanted.ends_with("__");
        if (is_special && wanted != "__all__" && wanted != "__version__") return std::nullopt;
        if (const auto origin = imported_from(wanted)) {
            if (const auto module = owner.state().find_module(owner, origin->first)) {
                if (origin->second.empty()) return module;
                auto value = owner.state().find_name(*module, origin->first, origin->second);
                if (value) unit->globals->set(wanted, *value);
                return value;
            }
        }
        const std::string full = concat(name_, ".", wanted);
        if (!binds(wanted) && owner.state().find_file(full)) return owner.state().find_module(owner, full);
        has_run_ = true;
        run_module(*unit);
        return unit->globals->find(wanted);
    }

    Ptr<Unit> unit;

  private:
    // (module, name) where one plain `from module import name` of __init__.py binds the name, and nothing else does.
    std::optional<std::pair<std::string, std::string>> imported_from(std::string_view wanted) const {
        std::optional<std::pair<std::string, std::string>> found;
        for (const script::Stmt* s : unit->tree->body) {
            const auto* from = script::as<script::ImportFrom>(s);
            if (from == nullptr) {
                if (binds_otherwise(s, wanted)) return std::nullopt;
                continue;
            }
            for (const script::ImportName& name : from->names) {
                if (name.bound != wanted || name.name == "*") continue;
                if (found) return std::nullopt;
                const std::string module = absolute_module_name(unit->package, *from);
                if (module == name_) {
                    // `from . import layers`: the module of that name.
                    found.emplace(concat(name_, ".", name.name), std::string());
                    continue;
                }
                const std::string root = module.substr(0, module.find('.'));
                if (root != name_.substr(0, name_.find('.'))) return std::nullopt;
                found.emplace(module, std::string(name.name));
            }
        }
        return found;
    }

    // Does a statement other than an import at its top mention the name where it is bound?
    static bool binds_otherwise(const script::Stmt* s, std::string_view wanted) {
        if (const auto* def = script::as<script::Def>(s)) return def->name == wanted;
        if (const auto* cls = script::as<script::Class>(s)) return cls->name == wanted;
        if (const auto* assign = script::as<script::Assign>(s)) {
            for (const script::Expr* target : assign->targets) {
                const auto* name = script::as<script::Name>(target);
                if (name != nullptr && name->id == wanted) return true;
            }
        }
        return false;
    }
    bool binds(std::string_view wanted) const {
        for (const script::Stmt* s : unit->tree->body) {
            if (binds_otherwise(s, wanted)) return true;
            const auto* from = script::as<script::ImportFrom>(s);
            if (from == nullptr) continue;
            for (const script::ImportName& name : from->names) {
                if (name.bound == wanted && !(from->module.empty() && name.name == wanted)) return true;
            }
        }
        return false;
    }

    const std::string name_;
    const std::string path_;
    bool has_run_ = false;
};

}  // namespace

std::string absolute_module_name(std::string_view package, const script::ImportFrom& from) {
    if (from.level == 0) return std::string(from.module);
    std::string base(package);
    for (std::size_t i = 1; i < from.level && !base.empty(); ++i) base = parent_of(base);
    if (base.empty()) return std::string(from.module);
    return from.module.empty() ? base : concat(base, ".", from.module);
}

void throw_no_module(const Evaluator::State& state, std::string_view name) {
    const std::string_view hint = state.library.replacement_for(name.substr(0, name.find('.')));
    throw_error("ModuleNotFoundError", concat("No module named '", name, "'", hint.empty() ? "" : ": ", hint));
}

void throw_no_name(std::string_view module, std::string_view name) {
    throw_error("ImportError", concat("cannot import name '", name, "' from '", module, "'"));
}

void Evaluator::State::put_module(std::string_view name, const IValue& module) {
    modules.insert_or_assign(std::string(name), module);
    published_modules->set(IValue(name), module);
}

// The folders above the main file that have an __init__.py.
void Evaluator::State::find_package(const std::string& file) {
    const fs::path path(file);
    std::string name = path.stem() == "__init__" ? std::string() : path.stem().string();
    for (const fs::path& folder : marked_folders(path, "__init__.py")) {
        package_root = folder.filename().string();
        package_folder = folder.string();
        name = name.empty() ? package_root : concat(package_root, ".", name);
    }
    if (package_root.empty()) return;
    const fs::path above = fs::path(package_folder).parent_path();
    if (above.filename() == "site-packages" || above.filename() == "dist-packages") installed_folder = above.string();
    package_name = name;
    if (sandbox != nullptr) sandbox->permit({.read = {package_folder}, .write = {}});
}

// The main module under its name in the package too, so that what imports it gets the same classes.
void Evaluator::State::publish_main() {
    const auto module = IValue::other(make_ptr<PythonModule>(main->name, main->globals));
    put_module(options.main_name, module);
    if (package_name.empty()) return;
    const bool is_package = main->source->file() && fs::path(*main->source->file()).stem() == "__init__";
    main->package = is_package ? package_name : parent_of(package_name);
    main->globals->set("__package__", IValue(main->package));
    put_module(package_name, module);
}

bool Evaluator::State::is_in_own_package(std::string_view name) const {
    return !package_root.empty() && name.substr(0, name.find('.')) == package_root;
}

// A package that pip put beside the one of the main file: its modules may be read like those of the program's own.
bool Evaluator::State::is_installed(std::string_view name) {
    const std::string root(name.substr(0, name.find('.')));
    if (installed_folder.empty() || root.empty() || root == package_root) return false;
    if (const auto known = installed_.find(root); known != installed_.end()) return known->second;
    const fs::path folder = fs::path(installed_folder) / root;
    const fs::path file = folder.string() + ".py";
    std::error_code failed;
    const bool is_folder = fs::is_regular_file(fs::symlink_status(folder / "__init__.py", failed));
    const bool is_here = library.find(root) == nullptr && library.replacement_for(root).empty() &&
                         (is_folder || fs::is_regular_file(fs::symlink_status(file, failed)));
    if (is_here) files().permit({.read = {(is_folder ? folder : file).string()}, .write = {}});
    return installed_[root] = is_here;
}

std::optional<std::string> Evaluator::State::find_file(std::string_view name) {
    std::string relative(name);
    std::replace(relative.begin(), relative.end(), '.', '/');
    std::vector<std::string> directories;
    if (is_in_own_package(name)) directories.push_back(fs::path(package_folder).parent_path().string());
    // Modules beside a file of a package are the package's, not top-level ones.
    if (package_root.empty()) directories.push_back(directory);
    if (is_installed(name)) directories.push_back(installed_folder);
    directories.insert(directories.end(), options.search_paths.begin(), options.search_paths.end());
    for (const std::string& root : directories) {
        if (root.empty()) continue;
        for (const char* suffix : {"/__init__.py", ".py"}) {
            const std::string path = concat(root, "/", relative, suffix);
            if (const auto facts = files().find(path); facts && facts->is_regular()) return path;
        }
    }
    return std::nullopt;
}

// A folder of the program's own without an __init__.py, which holds modules all the same.
bool Evaluator::State::has_folder(std::string_view name) {
    std::string relative(name);
    std::replace(relative.begin(), relative.end(), '.', '/');
    const std::string root = is_in_own_package(name) ? fs::path(package_folder).parent_path().string() : directory;
    if (root.empty()) return false;
    const auto facts = files().find(concat(root, "/", relative));
    return facts && facts->is_folder();
}

IValue Evaluator::State::load_package(Evaluator& owner, const std::string& name, const std::string& path) {
    const auto package = make_ptr<Package>(name, path);
    package->begin(owner);
    const auto module = IValue::other(make_ptr<PythonModule>(
        name, package->unit->globals, [package](std::string_view wanted) { return package->find(wanted); }));
    put_module(name, module);
    return module;
}

// A module of ours, a module of ours in Python, or a file of the program's own.
std::optional<IValue> Evaluator::State::load_module(Evaluator& owner, std::string_view name) {
    const ModuleRecord* record = library.find(name);
    if (record != nullptr && record->fill == nullptr && is_in_own_package(name) && find_file(name)) record = nullptr;
    if (record != nullptr && record->fill != nullptr) {
        auto module = make_ptr<PythonModule>(std::string(name));
        put_module(name, IValue::other(module));
        record->fill(*module);
        return IValue::other(module);
    }
    std::shared_ptr<const ir::Source> source;
    if (record != nullptr) {
        std::string file = concat("<", name, ">");
        if (record->is_shown) {
            file = concat(name, ".py");
            std::replace(file.begin(), file.end() - 3, '.', '/');
        }
        source = std::make_shared<ir::Source>(std::string(record->source), file);
    } else if (const auto path = find_file(name)) {
        if (path->ends_with("/__init__.py")) return load_package(owner, std::string(name), *path);
        source = std::make_shared<ir::Source>(files().read_text(*path), *path);
    } else if (has_folder(name)) {
        const auto folder = IValue::other(make_ptr<PythonModule>(std::string(name)));
        put_module(name, folder);
        return folder;
    } else {
        return std::nullopt;
    }
    const Ptr<Unit> unit = add_unit(owner, source, std::string(name));
    unit->is_library = record != nullptr && !record->is_shown;
    unit->package = record != nullptr ? std::string(name) : parent_of(name);
    if (record == nullptr) unit->globals->set("__file__", IValue(*source->file()));
    const auto module = IValue::other(make_ptr<PythonModule>(std::string(name), unit->globals));
    put_module(name, module);
    try {
        run_module(*unit);
    } catch (...) {
        modules.erase(std::string(name));
        published_modules->erase(IValue(name));
        throw;
    }
    // It may have put another object in its place.
    if (const IValue* published = published_modules->find(IValue(name))) return *published;
    return module;
}

std::optional<IValue> Evaluator::State::find_module(Evaluator& owner, std::string_view name) {
    // What the program has put into sys.modules itself comes first.
    if (const IValue* published = published_modules->find(IValue(name))) return *published;
    const std::size_t dot = name.rfind('.');
    std::optional<IValue> parent;
    if (dot != std::string_view::npos) {
        parent = find_module(owner, name.substr(0, dot));
        if (!parent) return std::nullopt;
        if (const IValue* published = published_modules->find(IValue(name))) return *published;
    }
    auto module = load_module(owner, name);
    if (!module && parent) module = find_attribute(*parent, name.substr(dot + 1));
    if (!module) return std::nullopt;
    auto* object = parent ? object_as<PythonModule>(*parent) : nullptr;
    if (object != nullptr) object->define(std::string(name.substr(dot + 1)), *module);
    return module;
}

IValue Evaluator::import_module(std::string_view name) {
    const EvaluatorScope scope(this);
    if (auto module = state_->find_module(*this, name)) return std::move(*module);
    throw_no_module(*state_, name);
}

std::optional<IValue> Evaluator::State::find_name(const IValue& module, std::string_view module_name,
                                                  std::string_view name) {
    if (auto found = find_attribute(module, name)) return found;
    const std::string full = concat(module_name, ".", name);
    const bool is_module = library.find(full) != nullptr || find_file(full);
    return is_module ? find_module(*Evaluator::current(), full) : std::nullopt;
}

std::vector<std::pair<std::string, IValue>> exported_names(const IValue& module) {
    std::vector<std::pair<std::string, IValue>> out;
    if (auto listed = find_attribute(module, "__all__")) {
        for_each(*listed, [&](const IValue& name) {
            out.emplace_back(str(name), get_attribute(module, str(name)));
            return true;
        });
        return out;
    }
    if (auto* object = object_as<PythonModule>(module)) {
        for (auto& entry : object->entries()) {
            if (!entry.first.starts_with('_')) out.push_back(std::move(entry));
        }
    }
    return out;
}

}  // namespace loupe::python
