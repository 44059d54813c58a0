// SPDX-License-Identifier: Apache-2.0
// Identity, None, enums, settings of the engine, warnings, exceptions.

#include <atomic>
#include <chrono>

#include "core/autograd/grad_mode.h"
#include "core/base/strings.h"
#include "core/dispatch/autocast.h"
#include "core/dispatch/boxing.h"
#include "core/ops/numbers/family.h"
#include "core/ops/numbers/text.h"
#include "core/ops/numbers/warnings.h"

namespace loupe {
namespace {

thread_local WarningHandler warning_handler;
std::atomic<bool (*)(std::string_view, std::string_view)> warning_taker = nullptr;

}  // namespace

WarningHandler set_warning_handler(WarningHandler handler) {
    return std::exchange(warning_handler, std::move(handler));
}
void set_warning_taker(bool (*taker)(std::string_view, std::string_view)) { warning_taker = taker; }
void warn(std::string_view message, std::string_view category) {
    if (const auto taker = warning_taker.load(); taker != nullptr && taker(category, message)) return;
    // A copy: the handler may run a program that sets another.
    if (const WarningHandler handler = warning_handler) handler(category, message);
}

namespace numbers {
namespace {

void first(Arguments arguments, IValue* results) { results[0] = arguments[0]; }
void second(Arguments arguments, IValue* results) { results[0] = arguments[1]; }
void enter_part(Arguments, IValue* results) { results[0] = IValue(scalar_tensor(0.0, ScalarType::Float64)); }
// No effect but to notify the observer.
void exit_part(Arguments, IValue*) {}

thread_local std::vector<AutocastSettings> entered_autocasts;

void enter_autocast(Arguments arguments, IValue*) {
    AutocastSettings settings = autocast_settings();
    entered_autocasts.push_back(settings);
    const Device device = parse_device(arguments[0].to_string());
    AutocastSettings::OfDevice& of = settings.devices[static_cast<std::size_t>(device.type)];
    of.enabled = arguments[2].to_bool();
    if (!arguments[1].is_none()) of.dtype = static_cast<ScalarType>(arguments[1].to_int());
    if (!arguments[3].is_none()) settings.cache_enabled = arguments[3].to_bool();
    set_autocast_settings(settings);
}

void exit_autocast(Arguments, IValue*) {
    if (entered_autocasts.empty()) throw Error(ErrorKind::Run, "_exit_autocast without _enter_autocast");
    set_autocast_settings(entered_autocasts.back());
    entered_autocasts.pop_back();
    if (entered_autocasts.empty()) clear_autocast_cache();
}

void is(Arguments arguments, IValue* results) { results[0] = IValue(arguments[0].is_same(arguments[1])); }
void is_not(Arguments arguments, IValue* results) { results[0] = IValue(!arguments[0].is_same(arguments[1])); }
void always_true(Arguments, IValue* results) { results[0] = IValue(true); }
void always_false(Arguments, IValue* results) { results[0] = IValue(false); }
void unwrap(Arguments arguments, IValue* results) {
    if (arguments[0].is_none()) throw Error(ErrorKind::Run, "Unwrapping null optional");
    results[0] = arguments[0];
}
void if_then_else(Arguments arguments, IValue* results) { results[0] = arguments[arguments[0].to_bool() ? 1 : 2]; }
void warn(Arguments arguments, IValue*) { loupe::warn(arguments[0].to_string()); }
void raise(Arguments arguments, IValue*) { throw Error(ErrorKind::Run, arguments[0].to_string()); }
void tuple_index(Arguments arguments, IValue* results) {
    const auto& elements = arguments[0].to_tuple().elements;
    const auto size = static_cast<std::int64_t>(elements.size());
    std::int64_t index = arguments[1].to_int();
    if (index < 0) index += size;
    if (index < 0 || index >= size) throw Error(ErrorKind::Run, "Tuple index out of range");
    results[0] = elements[static_cast<std::size_t>(index)];
}
void enum_name(Arguments arguments, IValue* results) { results[0] = IValue(arguments[0].to_enum().name); }
void enum_value(Arguments arguments, IValue* results) { results[0] = arguments[0].to_enum().value; }
void wait(Arguments arguments, IValue* results) { results[0] = arguments[0].to_future().value; }
void set_grad_enabled(Arguments arguments, IValue*) { GradMode::set_enabled(arguments[0].to_bool()); }
std::string device_type(Device device) { return std::string(device_type_name(device.type)); }
void device_index(Arguments arguments, IValue* results) {
    const Device device = arguments[0].to_device();
    results[0] = device.type == DeviceType::Cpu ? IValue() : IValue(std::int64_t{device.index});
}
std::int64_t hash_of(const IValue& value) {
    if (value.is_int() || value.is_bool()) return value.to_int();
    if (value.is_tensor()) return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(value.object_pointer()));
    return static_cast<std::int64_t>(std::hash<std::string>()(python_repr(value)));
}
std::int64_t identity(const IValue& value) {
    if (value.is_none()) return 0;
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(value.object_pointer()));
}
std::int64_t nanoseconds() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
std::int64_t promoted(ScalarType a, ScalarType b) { return static_cast<std::int64_t>(promote_types(a, b)); }
// Python numbers have the default dtypes.
std::int64_t result_type(const Scalar& a, const Scalar& b) {
    const auto category = [](const Scalar& s) {
        if (s.kind() == Scalar::Kind::Complex) return ScalarType::Complex64;
        return s.kind() == Scalar::Kind::Double ? ScalarType::Float32 : s.dtype();
    };
    return promoted(category(a), category(b));
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::__is__(t1 self, t2 obj) -> bool", .summary = "self is obj.", .kernel = is},
    {.schema = "aten::__isnot__(t1 self, t2 obj) -> bool", .summary = "self is not obj.", .kernel = is_not},
    {.schema = "aten::__not__(bool self) -> bool", .summary = "not self.", .kernel = boxed<[](bool a) { return !a; }>},
    {.schema = "prim::unchecked_cast(t x) -> t",
     .summary = "The same value, known by a narrower type.",
     .kernel = first},
    {.schema = "prim::unchecked_unwrap_optional(t(a)? optional) -> t(a)",
     .summary = "The same value, known not to be None.",
     .kernel = first},
    {.schema = "aten::_unwrap_optional(t(a)? optional) -> t(a)",
     .summary = "The value; an error when it is None.",
     .kernel = unwrap},
    {.schema = "prim::IfThenElse(bool cond, Any(a) x, Any(b) y) -> Any(b|a)",
     .summary = "x if cond else y, both worked out.",
     .kernel = if_then_else},
    {.schema = "prim::TupleIndex(Any tup, int i) -> Any", .summary = "Element i of the tuple.", .kernel = tuple_index},
    {.schema = "prim::EnumName(AnyEnumType enum) -> str", .summary = "The name of the member.", .kernel = enum_name},
    {.schema = "prim::EnumValue.int(AnyEnumType enum) -> int",
     .summary = "The value of the member.",
     .kernel = enum_value},
    {.schema = "prim::EnumValue.float(AnyEnumType enum) -> float",
     .summary = "The value of the member.",
     .kernel = enum_value},
    {.schema = "prim::EnumValue.str(AnyEnumType enum) -> str",
     .summary = "The value of the member.",
     .kernel = enum_value},
    {.schema = "prim::RaiseException(str msg, str? cls=None) -> ()", .summary = "raise cls(msg).", .kernel = raise},
    {.schema = "aten::warn(str message, int stacklevel=2) -> ()",
     .summary = "warnings.warn(message).",
     .kernel = warn,
     .depends_on_state = true},
    {.schema = "profiler::_record_function_enter(str name, str? args=None) -> Tensor",
     .summary = "Begins a part of the program that recordings show under the name; gives what ends it.",
     .kernel = enter_part},
    {.schema = "profiler::_record_function_exit(Tensor _0) -> ()",
     .summary = "Ends the part that began last.",
     .kernel = exit_part},
    {.schema = "profiler::_call_end_callbacks_on_jit_fut(Tensor x, Future(t) y) -> Future(t)",
     .summary = "The future; the part ends when it is ready, which it is at once.",
     .kernel = second},
    {.schema = "aten::wait(Future(t) self) -> t",
     .summary = "What the forked call gave.",
     .kernel = wait,
     .depends_on_state = true},
    {.schema = "aten::is_grad_enabled() -> bool",
     .summary = "Do operators record for the backward pass?",
     .kernel = boxed<GradMode::is_enabled>,
     .depends_on_state = true},
    {.schema = "aten::set_grad_enabled(bool val) -> ()",
     .summary = "Whether operators record for the backward pass from now on.",
     .kernel = set_grad_enabled,
     .depends_on_state = true},
    {.schema = "aten::_enter_autocast(str device_type, ScalarType? dtype, bool enabled, bool? cache_enabled) -> ()",
     .summary = "Operators choose their precision from now on, until _exit_autocast; torch.autocast.",
     .kernel = enter_autocast},
    {.schema = "aten::_exit_autocast() -> ()",
     .summary = "Ends what the last _enter_autocast began.",
     .kernel = exit_autocast},
    {.schema = "aten::is_autocast_enabled() -> bool",
     .summary = "Always False.",
     .kernel = always_false,
     .depends_on_state = true},
    {.schema = "aten::is_autocast_cpu_enabled() -> bool",
     .summary = "Always False.",
     .kernel = always_false,
     .depends_on_state = true},
    {.schema = "aten::is_scripting() -> bool", .summary = "Always True.", .kernel = always_true},
    {.schema = "aten::is_vulkan_available() -> bool", .summary = "Always False.", .kernel = always_false},
    {.schema = "aten::has_torch_function(...) -> bool", .summary = "Always False.", .kernel = always_false},
    {.schema = "aten::_get_tracing_state() -> bool",
     .summary = "Always False.",
     .kernel = always_false,
     .depends_on_state = true},
    {.schema = "aten::_nnpack_available() -> bool", .summary = "Always False.", .kernel = always_false},
    {.schema = "aten::_use_cudnn_rnn_flatten_weight() -> bool", .summary = "Always False.", .kernel = always_false},
    {.schema = "aten::device(str a) -> Device", .summary = "The device of that name.", .kernel = boxed<parse_device>},
    {.schema = "prim::type(Device self) -> str", .summary = "\"cpu\" or \"cuda\".", .kernel = boxed<device_type>},
    {.schema = "prim::index(Device self) -> int?",
     .summary = "The number of the device, or None.",
     .kernel = device_index},
    {.schema = "aten::hash.generic(t value) -> int", .summary = "The same for equal values.", .kernel = boxed<hash_of>},
    {.schema = "prim::id(AnyClassType? x) -> int",
     .summary = "A number that only this object has.",
     .kernel = boxed<identity>},
    {.schema = "prim::TimePoint() -> int", .summary = "Nanoseconds of a steady clock.", .kernel = boxed<nanoseconds>},
    {.schema = "aten::Size(int[] sizes) -> int[]", .summary = "The sizes.", .kernel = first},
    {.schema = "aten::can_cast(ScalarType from, ScalarType to) -> bool",
     .summary = "May a result of the one dtype be written to a tensor of the other?",
     .kernel = boxed<can_cast>},
    {.schema = "aten::promote_types(ScalarType type1, ScalarType type2) -> ScalarType",
     .summary = "The smallest dtype that both convert to.",
     .kernel = boxed<promoted>},
    {.schema = "aten::result_type.Scalar_Scalar(Scalar scalar1, Scalar scalar2) -> ScalarType",
     .summary = "The dtype that an operation on both would give.",
     .kernel = boxed<result_type>},
};

}  // namespace

std::span<const OperatorRecord> setting_records() { return kRecords; }

}  // namespace numbers
}  // namespace loupe
