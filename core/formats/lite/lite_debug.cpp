// SPDX-License-Identifier: Apache-2.0
#include "core/formats/lite/lite_debug.h"

#include <map>
#include <utility>

#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/ir/compilation_unit.h"

namespace loupe {
namespace {

constexpr const char* kHandles = "mobile_debug_handles.pkl";
constexpr const char* kCalls = "callstack_debug_map.pkl";
constexpr std::string_view kHandleList = "function_debug_handles";
constexpr std::size_t kMostCalls = 1000;  // nested
// PyTorch's names for a module whose own method is called, and for one that is not reached by its name.
constexpr std::string_view kSelf = "SELF";
constexpr std::string_view kUnknownInstance = "INSTANCE_NAME_UNKNOWN";

IValue tuple(std::vector<IValue> elements) { return make_ptr<TupleObject>(std::move(elements)); }

std::pair<std::string, std::string> split_name(const std::string& qualified_name) {
    const auto dot = qualified_name.rfind('.');
    if (dot == std::string::npos) return {"", qualified_name};
    return {qualified_name.substr(0, dot), qualified_name.substr(dot + 1)};
}

// --- writing ---

class Writer {
  public:
    Writer(const nn::Module& module, PlaceTags& tags) : tags_(tags) {
        for (const auto& [name, method] : module.type()->methods()) {
            const auto* function = dynamic_cast<const ir::ScriptFunction*>(method);
            if (function != nullptr && function->unit() != nullptr) unit_ = function->unit();
        }
    }

    LiteDebugRecords write(const LiteBytecode& bytecode) {
        const auto& functions = bytecode.functions.to_tuple().elements;
        std::vector<IValue> all{functions[0]};
        for (std::size_t i = 1; i < functions.size(); ++i) {
            std::vector<std::int64_t> handles;
            for (const LitePlace& place : bytecode.places[i - 1]) handles.push_back(add(place));
            all.push_back(tuple({functions[i].to_tuple().elements[0],
                                 tuple({tuple({IValue(kHandleList), tuple({IValue(handles)})})})}));
        }
        return {tuple(std::move(all)), tuple(std::move(calls_)), std::move(places_)};
    }

  private:
    std::int64_t add(const LitePlace& place) {
        const auto handle = static_cast<std::int64_t>(calls_.size());
        calls_.push_back(
            tuple({handle, tag(place.range), place.kind, place.call ? call(*place.call, IValue()) : IValue()}));
        return handle;
    }

    std::int64_t tag(const ir::SourceRange& range) {
        if (!tags_.knows(range)) places_.push_back({places_.size(), range});
        return tags_.tag(range);
    }

    // The outermost call, holding those that it made: ((class, instance), place, inner call, method).
    IValue call(const ir::InlinedCall& inner, const IValue& held) {
        IValue& made = made_[{&inner, held.is_none() ? nullptr : held.object_pointer()}];
        if (!made.is_none()) return made;
        const auto [owner, method] = split_name(inner.function);
        const IValue self = unit_ != nullptr && unit_->find_class(owner) ? tuple({owner, instance(inner)}) : IValue();
        const IValue one = tuple({self, tag(inner.range.original()), held, method});
        return made = inner.caller ? call(*inner.caller, one) : one;
    }

    // "conv1" of the path "layer1.0.conv1".
    static std::string instance(const ir::InlinedCall& call) {
        const std::string_view outer = call.caller ? std::string_view(call.caller->scope) : std::string_view();
        return std::string(call.scope == outer ? kSelf : split_name(call.scope).second);
    }

    PlaceTags& tags_;
    const ir::CompilationUnit* unit_ = nullptr;
    std::vector<IValue> calls_;
    std::vector<ir::GeneratedFrom> places_;
    std::map<std::pair<const ir::InlinedCall*, const void*>, IValue> made_;
};

// --- reading ---

class Reader {
  public:
    explicit Reader(const TorchArchive& archive) {
        for (const ZipEntry& entry : archive.zip().entries()) {
            if (!entry.name.ends_with(".debug_pkl") || entry.name.size() <= archive.root().size() + 1) continue;
            for (TaggedPlace& each : parse_tagged_records(archive.read(entry.name.substr(archive.root().size() + 1)))) {
                ranges_.try_emplace(each.tag, std::move(each.place.range));
            }
        }
        const Pickle calls = archive.read_pickle(kCalls);
        for (const PickleRef entry : calls.root()->elements()) {
            const auto& parts = entry->tuple(4);
            places_[parts[0]->to_int()] = {parts[2]->to_string(), range(*parts[1]), call(*parts[3])};
        }
    }

    std::vector<LitePlace> places(const PickleNode& handles) const {
        std::vector<LitePlace> all;
        const PickleNode& list = handles.is(PickleKind::Reduce) ? *handles.call().args->tuple(1)[0] : handles;
        for (const PickleRef handle : list.elements()) {
            const auto found = places_.find(handle->to_int());
            all.push_back(found == places_.end() ? LitePlace() : found->second);
        }
        return all;
    }

  private:
    ir::SourceRange range(const PickleNode& tag) const {
        const auto found = ranges_.find(tag.to_int());
        return found == ranges_.end() ? ir::SourceRange() : found->second;
    }

    // From the outermost call to the innermost, the operator's.
    std::shared_ptr<const ir::InlinedCall> call(const PickleNode& outermost) {
        std::shared_ptr<const ir::InlinedCall> inner;
        std::size_t depth = 0;
        for (PickleRef each = &outermost; !each->is_none(); each = each->tuple(4)[2]) {
            if (++depth > kMostCalls) throw_file_error("debug handles: calls that do not end");
            auto& known = calls_[{each, inner.get()}];
            if (!known) known = made(*each, inner);
            inner = known;
        }
        return inner;
    }

    std::shared_ptr<const ir::InlinedCall> made(const PickleNode& node,
                                                const std::shared_ptr<const ir::InlinedCall>& caller) const {
        const auto& parts = node.tuple(4);
        auto out = std::make_shared<ir::InlinedCall>();
        out->function = parts[3]->to_string();
        out->range = range(*parts[1]);
        out->caller = caller;
        if (caller) out->scope = caller->scope;
        if (parts[0]->is_none()) return out;
        const auto& self = parts[0]->tuple(2);
        out->function = concat(self[0]->to_string(), ".", out->function);
        const std::string& instance = self[1]->to_string();
        if (instance != kSelf && instance != kUnknownInstance)
            out->scope = out->scope.empty() ? instance : concat(out->scope, ".", instance);
        return out;
    }

    std::unordered_map<std::int64_t, ir::SourceRange> ranges_;
    std::unordered_map<std::int64_t, LitePlace> places_;
    std::map<std::pair<PickleRef, const ir::InlinedCall*>, std::shared_ptr<const ir::InlinedCall>> calls_;
};

}  // namespace

LiteDebugRecords lite_debug_records(const nn::Module& module, const LiteBytecode& bytecode, PlaceTags& tags) {
    return Writer(module, tags).write(bytecode);
}

std::unordered_map<std::string, std::vector<LitePlace>> read_lite_places(const TorchArchive& archive) {
    std::unordered_map<std::string, std::vector<LitePlace>> all;
    if (archive.find(kHandles) == nullptr || archive.find(kCalls) == nullptr) return all;
    const Reader reader(archive);
    const Pickle handles = archive.read_pickle(kHandles);
    const auto& functions = handles.root()->elements();
    for (std::size_t i = 1; i < functions.size(); ++i) {
        const auto& parts = functions[i]->tuple(2);
        for (const PickleRef field : parts[1]->elements()) {
            if (field->tuple(2)[0]->to_string() == kHandleList)
                all[parts[0]->to_string()] = reader.places(*field->tuple(2)[1]->tuple(1)[0]);
        }
    }
    return all;
}

}  // namespace loupe
