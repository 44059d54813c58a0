// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/class.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/python/language/raise.h"

namespace loupe::python {
namespace {

// C3: merges the mros of the bases, then the bases.
std::vector<ClassObject*> linearise(ClassObject* cls, const std::vector<ClassPtr>& bases) {
    std::vector<std::vector<ClassObject*>> rows;
    for (const ClassPtr& base : bases) rows.push_back(base->mro());
    std::vector<ClassObject*> last;
    for (const ClassPtr& base : bases) last.push_back(base.get());
    rows.push_back(std::move(last));
    std::vector<ClassObject*> out = {cls};
    const auto is_in_tail = [&](ClassObject* candidate) {
        return std::any_of(rows.begin(), rows.end(), [&](const auto& row) {
            return !row.empty() && std::find(row.begin() + 1, row.end(), candidate) != row.end();
        });
    };
    while (true) {
        std::erase_if(rows, [](const auto& row) { return row.empty(); });
        if (rows.empty()) return out;
        const auto good = std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return !is_in_tail(row[0]); });
        if (good == rows.end()) {
            std::vector<std::string> names;
            for (const ClassPtr& base : bases) names.push_back(base->name());
            throw_type_error(concat("Cannot create a consistent method resolution\norder (MRO) for bases ",
                                    loupe::join(names, ", ")));
        }
        ClassObject* const next = (*good)[0];
        out.push_back(next);
        for (auto& row : rows) {
            if (row[0] == next) row.erase(row.begin());
        }
    }
}

}  // namespace

const IValue* AttributeMap::find(std::string_view name) const {
    if (entries_.size() < kIndexFrom) {
        for (const Entry& entry : entries_) {
            if (entry.first == name) return &entry.second;
        }
        return nullptr;
    }
    const auto found = index_.find(name);
    return found != index_.end() ? &entries_[found->second].second : nullptr;
}

void AttributeMap::set(std::string_view name, IValue value) {
    if (const IValue* known = find(name)) {
        // A value of ours: only the map is const to those who look.
        const_cast<IValue&>(*known) = std::move(value);
        return;
    }
    entries_.emplace_back(std::string(name), std::move(value));
    if (entries_.size() < kIndexFrom) return;
    for (std::size_t i = index_.size(); i < entries_.size(); ++i) index_.emplace(entries_[i].first, i);
}

bool AttributeMap::erase(std::string_view name) {
    const auto at = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.first == name; });
    if (at == entries_.end()) return false;
    entries_.erase(at);
    index_.clear();
    if (entries_.size() < kIndexFrom) return true;
    for (std::size_t i = 0; i < entries_.size(); ++i) index_.emplace(entries_[i].first, i);
    return true;
}

void AttributeMap::clear() {
    const auto before = std::exchange(entries_, {});  // what goes may look at this map
    index_.clear();
}

ClassObject::ClassObject(std::string name, std::string module, std::vector<ClassPtr> bases, AttributeMap attributes)
    : name_(std::move(name)), module_(std::move(module)), bases_(std::move(bases)), attributes_(std::move(attributes)) {
    mro_ = linearise(this, bases_);
}

std::string ClassObject::qualified_name() const {
    const IValue* written = attributes_.find("__qualname__");
    return written != nullptr && written->is_string() ? written->to_string() : name_;
}

bool ClassObject::is_subclass_of(const ClassObject& other) const {
    return std::find(mro_.begin(), mro_.end(), &other) != mro_.end();
}

const IValue* ClassObject::find(std::string_view name) const {
    for (const ClassObject* cls : mro_) {
        if (const IValue* found = cls->attributes_.find(name)) return found;
    }
    return nullptr;
}

const IValue* ClassObject::find_special(std::string_view name) const {
    for (const ClassObject* cls : mro_) {
        if (cls->is_builtin_ && cls->module_ == "builtins") continue;
        if (const IValue* found = cls->attributes_.find(name)) return found;
    }
    return nullptr;
}

const IValue* ClassObject::find_after(const ClassObject& after, std::string_view name) const {
    auto at = std::find(mro_.begin(), mro_.end(), &after);
    if (at == mro_.end()) return nullptr;
    for (++at; at != mro_.end(); ++at) {
        if (const IValue* found = (*at)->attributes_.find(name)) return found;
    }
    return nullptr;
}

const ClassObject::New& ClassObject::make_instance() const {
    for (const ClassObject* cls : mro_) {
        if (cls->new_) return cls->new_;
    }
    throw_type_error(concat("cannot create '", name_, "' instances"));
}

void ClassObject::define(std::string_view name, NativeCallable::Body body) {
    attributes_.set(name, IValue::other(make_ptr<NativeMethod>(std::string(name), std::move(body))));
}

void ClassObject::define_property(std::string_view name, std::function<IValue(const IValue& self)> get,
                                  std::function<void(const IValue& self, IValue value)> set) {
    auto property = make_ptr<Property>();
    property->native_getter = std::move(get);
    property->native_setter = std::move(set);
    attributes_.set(name, IValue::other(property));
}

void ClassObject::define_static(std::string_view name, NativeCallable::Body body) {
    IValue function = IValue::other(make_ptr<NativeCallable>(std::string(name), std::move(body)));
    attributes_.set(name, IValue::other(make_ptr<MethodWrapper>(MethodWrapper::Kind::Static, std::move(function))));
}

void ClassObject::define_class_method(std::string_view name, NativeCallable::Body body) {
    IValue function = IValue::other(make_ptr<NativeCallable>(std::string(name), std::move(body)));
    attributes_.set(name, IValue::other(make_ptr<MethodWrapper>(MethodWrapper::Kind::Class, std::move(function))));
}

const std::shared_ptr<Instance*>& Instance::weak_reference() {
    if (!weak_) weak_ = std::make_shared<Instance*>(this);
    return weak_;
}

Instance::~Instance() {
    if (weak_) *weak_ = nullptr;
    constexpr int kDeepest = 64;
    static thread_local int depth = 0;
    static thread_local std::vector<AttributeMap> waiting;
    if (depth >= kDeepest) {
        waiting.push_back(std::move(attributes));
        return;
    }
    ++depth;
    attributes.clear();
    while (depth == 1 && !waiting.empty()) {
        AttributeMap next = std::move(waiting.back());
        waiting.pop_back();
        next.clear();
    }
    --depth;
}

const ContainerClass* container_class(const ListObject& list) {
    if (list.element_type == types::any()) return nullptr;
    return dynamic_cast<const ContainerClass*>(list.element_type.get());
}

const ContainerClass* container_class(const DictObject& dict) {
    if (dict.value_type == types::any()) return nullptr;
    return dynamic_cast<const ContainerClass*>(dict.value_type.get());
}

}  // namespace loupe::python
