// SPDX-License-Identifier: Apache-2.0
// The module typing: names that annotations are made of.
#include "core/base/strings.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/library/standard_modules.h"

namespace loupe::python {
namespace {

IValue typing_name(std::string name, ClassPtr origin) {
    auto object = make_ptr<TypingObject>();
    object->name = concat("typing.", name);
    object->origin = std::move(origin);
    return IValue::other(object);
}

IValue first(CallArguments a) {
    if (a.positional.empty()) throw_type_error("expected at least 1 argument");
    return a.positional[0];
}

}  // namespace

void fill_typing(PythonModule& module) {
    const BuiltinClasses& c = builtin_classes();
    const std::pair<const char*, ClassPtr> names[] = {
        {"Any", nullptr},
        {"Union", nullptr},
        {"Optional", nullptr},
        {"Callable", nullptr},
        {"Literal", nullptr},
        {"Final", nullptr},
        {"ClassVar", nullptr},
        {"Annotated", nullptr},
        {"NoReturn", nullptr},
        {"Self", nullptr},
        {"Iterable", nullptr},
        {"Iterator", nullptr},
        {"Generator", nullptr},
        {"Sequence", nullptr},
        {"Mapping", c.dict},
        {"MutableMapping", c.dict},
        {"Collection", nullptr},
        {"Hashable", nullptr},
        {"List", c.list},
        {"Dict", c.dict},
        {"Tuple", c.tuple},
        {"Set", c.set},
        {"FrozenSet", c.frozenset},
        {"Type", c.type},
        {"DefaultDict", c.dict},
        {"OrderedDict", c.dict},
        {"Counter", c.dict},
        {"Deque", nullptr},
        {"MutableSequence", c.list},
        {"AbstractSet", c.set},
        {"SupportsFloat", nullptr},
        {"SupportsInt", nullptr},
        {"TypeAlias", nullptr},
        {"Concatenate", nullptr},
        {"ContextManager", nullptr},
        {"BinaryIO", nullptr},
        {"IO", nullptr},
        {"Pattern", nullptr},
        {"Awaitable", nullptr},
        {"LiteralString", nullptr},
        {"Never", nullptr},
        {"Required", nullptr},
        {"NotRequired", nullptr},
        {"ParamSpec", nullptr},
        {"Unpack", nullptr},
    };
    for (const auto& [name, origin] : names) module.define(name, typing_name(name, origin));
    module.define("Text", IValue::other(c.string));
    module.define("AnyStr", IValue::other(c.string));
    module.define("Generic", IValue::other(generic_base()));
    module.define("Protocol", IValue::other(typing_base("Protocol")));
    module.define("NamedTuple", IValue::other(named_tuple_base()));
    module.define("TypedDict", IValue::other(c.dict));
    module.define("TYPE_CHECKING", IValue(false));
    module.define("TypeVar", [](CallArguments a) { return typing_variable(str(first(std::move(a)))); });
    module.define("NewType", [](CallArguments a) {
        check_positional(a, "NewType", 2, 2);
        return a.positional[1];
    });
    module.define("cast", [](CallArguments a) {
        check_positional(a, "cast", 2, 2);
        return a.positional[1];
    });
    for (const char* name : {"overload", "final", "no_type_check", "runtime_checkable", "override"})
        module.define(name, first);
    module.define("get_type_hints",
                  [](CallArguments a) { return get_attribute(first(std::move(a)), "__annotations__"); });
    module.define("get_origin", [](CallArguments a) {
        auto found = find_attribute(first(std::move(a)), "__origin__");
        return found ? *found : IValue();
    });
    module.define("get_args", [](CallArguments a) {
        auto found = find_attribute(first(std::move(a)), "__args__");
        return found ? *found : make_tuple({});
    });
}

}  // namespace loupe::python
