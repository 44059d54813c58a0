// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/class.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"

namespace loupe::python {
namespace {

IValue class_value(const ClassObject* cls) {
    return IValue::other(Ptr<RefCounted>(const_cast<ClassObject*>(cls)));  // counted, never changed through it
}

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
            throw_type_error(
                concat("Cannot create a consistent method resolution\norder (MRO) for bases ", join(names, ", ")));
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

void TrackedList::add(Tracked& tracked) {
    tracked.next_ = first_;
    if (first_ != nullptr) first_->previous_ = &tracked;
    first_ = &tracked;
    tracked.list_ = this;
}

void TrackedList::remove(Tracked& tracked) {
    if (!tracked.list_) return;
    auto& list = static_cast<TrackedList&>(*tracked.list_);
    (tracked.previous_ != nullptr ? tracked.previous_->next_ : list.first_) = tracked.next_;
    if (tracked.next_ != nullptr) tracked.next_->previous_ = tracked.previous_;
}

void TrackedList::clear_all() {
    std::vector<std::pair<Ptr<RefCounted>, Tracked*>> alive;
    for (Tracked* tracked = first_; tracked != nullptr; tracked = tracked->next_) {
        alive.emplace_back(Ptr<RefCounted>(tracked->tracked_object()), tracked);
    }
    for (auto& [keep, tracked] : alive) tracked->clear_references();
}

Tracked::Tracked() {
    Evaluator* const evaluator = Evaluator::current();
    if (evaluator != nullptr) evaluator->state().tracked->add(*this);
}

Tracked::~Tracked() { TrackedList::remove(*this); }

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

std::optional<IValue> ClassObject::find_attribute(std::string_view name) {
    if (name == "__name__") return IValue(name_);
    if (name == "__qualname__") return IValue(qualified_name());
    if (name == "__class__") return IValue::other(class_of(class_value(this)));
    if (name == "__mro__" || name == "__bases__") {
        std::vector<IValue> classes;
        if (name == "__mro__") {
            for (ClassObject* cls : mro_) classes.push_back(class_value(cls));
        } else {
            for (const ClassPtr& base : bases_) classes.push_back(IValue::other(base));
        }
        return make_tuple(std::move(classes));
    }
    if (name == "__dict__") {
        auto dict = make_dict();
        for (const auto& [key, value] : attributes_.entries()) dict->set(IValue(key), value);
        return IValue(dict);
    }
    if (name == "__annotations__") {  // of this class alone
        if (attributes_.find(name) == nullptr) attributes_.set(name, make_dict());
        return *attributes_.find(name);
    }
    if (const IValue* found = find(name)) {
        if (name == "__module__" || name == "__doc__") return *found;
        return bind_attribute(*found, nullptr, ClassPtr(this));
    }
    if (name == "__module__") return IValue(module_);
    if (name == "__doc__") return IValue();
    const IValue self = class_value(this);
    const ClassPtr meta = class_of(self);
    if (const IValue* found = meta->find(name)) return bind_attribute(*found, &self, meta);
    if (const IValue* fallback = metaclass_ ? metaclass_->find("__getattr__") : nullptr) {
        return python::call(*fallback, {self, IValue(name)});
    }
    return std::nullopt;
}

void ClassObject::set_attribute(std::string_view name, IValue value) {
    if (is_builtin_) throw_type_error(concat("cannot set '", name, "' attribute of immutable type '", name_, "'"));
    if (metaclass_) {
        if (const IValue* setter = metaclass_->find("__setattr__");
            setter != nullptr && object_as<FunctionObject>(*setter)) {
            python::call(*setter, {class_value(this), IValue(name), std::move(value)});
            return;
        }
    }
    if (name == "__name__" && value.is_string()) name_ = value.to_string();
    attributes_.set(name, std::move(value));
}

void ClassObject::delete_attribute(std::string_view name) {
    if (is_builtin_ || !attributes_.erase(name)) {
        throw_error("AttributeError", concat("type object '", name_, "' has no attribute '", name, "'"));
    }
}

IValue ClassObject::get_item(const IValue& key) {
    const IValue self = class_value(this);
    if (metaclass_) {
        if (auto item = call_special(*metaclass_, "__getitem__", self, {key})) return *item;
    }
    if (auto method = find_attribute("__class_getitem__")) return python::call(*method, {key});
    auto alias = make_ptr<TypingObject>();
    alias->name = is_builtin_ ? name_ : concat(module_, ".", qualified_name());
    alias->origin = ClassPtr(this);
    return alias->get_item(key);
}

Ptr<Iterator> ClassObject::iterate() {
    if (metaclass_) {
        if (auto iterator = call_special(*metaclass_, "__iter__", class_value(this))) return python::iterate(*iterator);
    }
    throw_type_error(concat("'type' object is not iterable"));
}

std::optional<std::int64_t> ClassObject::length() {
    if (metaclass_) {
        if (auto size = call_special(*metaclass_, "__len__", class_value(this))) return to_index(*size);
    }
    return std::nullopt;
}

std::string ClassObject::repr() {
    if (metaclass_) {
        const IValue* found = metaclass_->find("__repr__");
        if (found != nullptr && object_as<FunctionObject>(*found)) {
            return python::call(*found, {class_value(this)}).to_string();
        }
    }
    if (module_.empty() || module_ == "builtins") return concat("<class '", qualified_name(), "'>");
    return concat("<class '", module_, ".", qualified_name(), "'>");
}

IValue ClassObject::call(CallArguments arguments) {
    if (metaclass_) {
        const IValue* found = metaclass_->find("__call__");
        if (found != nullptr && object_as<FunctionObject>(*found)) {
            arguments.positional.insert(arguments.positional.begin(), class_value(this));
            return python::call(*found, std::move(arguments));
        }
    }
    return instantiate(*this, std::move(arguments));
}

Instance::~Instance() {
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
