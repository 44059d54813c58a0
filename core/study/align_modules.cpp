// SPDX-License-Identifier: Apache-2.0
#include "core/study/align_modules.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/base/strings.h"
#include "core/study/align_keys.h"
#include "core/study/align_sequences.h"

namespace loupe::session {
namespace {

std::string last_part(const std::string& name) { return name.substr(name.rfind('.') + 1); }

bool is_in(const std::string& path, const std::string& module) {
    return path == module || module.empty() || (path.starts_with(module) && path[module.size()] == '.');
}

// Pairs found so far, one to one.
class Pairing {
  public:
    Pairing(const std::vector<ModuleOutline>& own, const std::vector<ModuleOutline>& other) {
        for (const ModuleOutline& each : own) own_.insert(each.path);
        for (const ModuleOutline& each : other) other_.insert(each.path);
    }

    bool is_free(const std::string& own, const std::string& other) const {
        return own_.contains(own) && other_.contains(other) && !there_.contains(own) && !taken_.contains(other);
    }
    bool has(const std::string& own) const { return there_.contains(own); }
    bool is_taken(const std::string& other) const { return taken_.contains(other); }
    void add(const std::string& own, const std::string& other) {
        if (!is_free(own, other)) return;
        there_[own] = other;
        taken_.insert(other);
    }
    std::map<std::string, std::string> finish() { return std::move(there_); }

  private:
    std::set<std::string> own_;
    std::set<std::string> other_;
    std::map<std::string, std::string> there_;
    std::set<std::string> taken_;
};

void take_mends(const std::vector<ModuleOutline>& own, const std::vector<AlignmentMend>& mends, Pairing& pairs) {
    for (const AlignmentMend& mend : mends) {
        if (mend.kind != AlignmentMend::Kind::Module) continue;
        for (const ModuleOutline& each : own) {
            if (!is_in(each.path, mend.here)) continue;
            std::string below = each.path.substr(mend.here.empty() ? 0 : mend.here.size());
            if (mend.there.empty() && below.starts_with('.')) below.erase(0, 1);
            if (mend.here.empty() && !mend.there.empty() && !below.empty()) below.insert(0, 1, '.');
            pairs.add(each.path, mend.there + below);
        }
    }
}

// Where one model stands inside another: its paths have a part in front, most of all one and the same.
void take_prefixes(const std::vector<ModuleOutline>& own, const std::vector<ModuleOutline>& other, Pairing& pairs) {
    // By the prefix of the longer, and which is longer.
    std::map<std::pair<std::string, bool>, std::vector<std::pair<std::string, std::string>>> found;
    std::unordered_map<std::string, std::vector<const ModuleOutline*>> by_last;
    for (const ModuleOutline& each : other) {
        if (!each.path.empty() && !pairs.is_taken(each.path)) by_last[last_part(each.path)].push_back(&each);
    }
    for (const ModuleOutline& mine : own) {
        if (mine.path.empty() || pairs.has(mine.path)) continue;
        for (const ModuleOutline* theirs : by_last[last_part(mine.path)]) {
            const bool is_theirs = theirs->path.size() > mine.path.size();
            const std::string& longer = is_theirs ? theirs->path : mine.path;
            const std::string& shorter = is_theirs ? mine.path : theirs->path;
            if (!longer.ends_with("." + shorter)) continue;
            found[{longer.substr(0, longer.size() - shorter.size()), is_theirs}].emplace_back(mine.path, theirs->path);
        }
    }
    using Found = std::pair<const std::pair<std::string, bool>, std::vector<std::pair<std::string, std::string>>>;
    std::vector<const Found*> by_count;
    for (const Found& each : found) by_count.push_back(&each);
    std::stable_sort(by_count.begin(), by_count.end(),
                     [](const Found* a, const Found* b) { return a->second.size() > b->second.size(); });
    for (const Found* each : by_count) {
        // The whole of one model is that part of the other.
        const auto& [prefix, is_theirs] = each->first;
        const std::string part = prefix.substr(0, prefix.size() - 1);
        if (each == by_count.front()) pairs.add(is_theirs ? std::string() : part, is_theirs ? part : std::string());
        for (const auto& [mine, theirs] : each->second) pairs.add(mine, theirs);
    }
}

AlignKey shapes_key(const ModuleOutline& module) {
    AlignKey key = hash_of(module.tensors.size());
    for (const TensorInfo& tensor : module.tensors) key = hash_with(key, tensor.shape);
    return key;
}

// What is left, in order, by a key.
template <typename Key>
void take_in_order(const std::vector<ModuleOutline>& own, const std::vector<ModuleOutline>& other, Pairing& pairs,
                   const Key& key_of) {
    const auto left = [&](const std::vector<ModuleOutline>& all, const auto& is_paired) {
        std::pair<std::vector<AlignKey>, std::vector<const std::string*>> out;
        for (const ModuleOutline& each : all) {
            if (is_paired(each.path)) continue;
            out.first.push_back(key_of(each));
            out.second.push_back(&each.path);
        }
        return out;
    };
    const auto mine = left(own, [&](const std::string& path) { return pairs.has(path); });
    const auto theirs = left(other, [&](const std::string& path) { return pairs.is_taken(path); });
    for (const auto& [a, b] : align_sequences(mine.first, theirs.first)) pairs.add(*mine.second[a], *theirs.second[b]);
}

}  // namespace

std::vector<ModuleOutline> outline_modules(const AlignedSide& side) {
    std::vector<ModuleOutline> out;
    std::set<std::string, std::less<>> known;
    const auto add = [&](const std::string& path, const std::string& class_name) {
        if (known.insert(path).second) out.push_back({path, class_name, {}});
    };
    if (side.model != nullptr) {
        for (const ModuleInfo& module : side.model->modules) {
            add(module.path, module.class_name);
            ModuleOutline& outline = out.back();
            outline.tensors = module.parameters;
            outline.tensors.insert(outline.tensors.end(), module.buffers.begin(), module.buffers.end());
        }
    }
    for (EventId id = 1; id <= side.recording.event_count(); ++id) {
        const std::string_view scope = side.recording.event(id).scope;
        if (known.contains(scope)) continue;
        for (std::size_t dot = scope.find('.'); dot != std::string_view::npos; dot = scope.find('.', dot + 1))
            add(std::string(scope.substr(0, dot)), {});
        add(std::string(scope), {});
    }
    return out;
}

std::map<std::string, std::string> align_modules(const std::vector<ModuleOutline>& own,
                                                 const std::vector<ModuleOutline>& other,
                                                 const std::vector<AlignmentMend>& mends) {
    Pairing pairs(own, other);
    take_mends(own, mends, pairs);
    for (const ModuleOutline& each : own) {
        if (!each.path.empty()) pairs.add(each.path, each.path);
    }
    take_prefixes(own, other, pairs);
    pairs.add("", "");
    // Numbers of a Sequential say little without tensors or a class.
    take_in_order(own, other, pairs, [](const ModuleOutline& each) {
        const std::string name =
            concat(last_part(each.path), "/", each.tensors.empty() ? each.class_name : std::string());
        return hash_with(shapes_key(each), std::string_view(name));
    });
    // Without names: tensors of the same shapes. Modules without tensors are not paired so.
    take_in_order(own, other, pairs, [](const ModuleOutline& each) {
        return each.tensors.empty() ? hash_with(5, std::string_view(concat(each.class_name, "/", last_part(each.path))))
                                    : shapes_key(each);
    });
    return pairs.finish();
}

std::map<std::string, std::string> align_parameters(const std::vector<ModuleOutline>& own,
                                                    const std::vector<ModuleOutline>& other,
                                                    const std::map<std::string, std::string>& modules) {
    std::unordered_map<std::string, const ModuleOutline*> by_path;
    for (const ModuleOutline& each : other) by_path[each.path] = &each;
    std::map<std::string, std::string> out;
    for (const ModuleOutline& mine : own) {
        const auto partner = modules.find(mine.path);
        if (partner == modules.end() || !by_path.contains(partner->second)) continue;
        const std::vector<TensorInfo>& theirs = by_path[partner->second]->tensors;
        std::set<std::string> used;
        std::vector<const TensorInfo*> open;
        for (const TensorInfo& tensor : mine.tensors) {
            const auto found = std::find_if(theirs.begin(), theirs.end(), [&](const TensorInfo& each) {
                return last_part(each.name) == last_part(tensor.name);
            });
            if (found == theirs.end()) {
                open.push_back(&tensor);
                continue;
            }
            out[tensor.name] = found->name;
            used.insert(found->name);
        }
        for (const TensorInfo* tensor : open) {
            const TensorInfo* only = nullptr;
            int fitting = 0;
            for (const TensorInfo& each : theirs) {
                if (used.contains(each.name) || each.shape != tensor->shape) continue;
                only = &each;
                ++fitting;
            }
            if (fitting != 1) continue;
            out[tensor->name] = only->name;
            used.insert(only->name);
        }
    }
    return out;
}

}  // namespace loupe::session
