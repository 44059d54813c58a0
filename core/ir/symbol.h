// SPDX-License-Identifier: Apache-2.0
#pragma once
// Interned names: node kinds ("prim::If", "aten::conv2d") and attribute names ("value").

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace loupe::ir {

class Symbol {
  public:
    constexpr Symbol() = default;
    // The symbol of a name; makes it when it is new. Safe from any thread.
    static Symbol intern(std::string_view name);

    const std::string& str() const;  // "prim::If"
    std::string_view space() const;  // "prim"; empty without "::"
    std::string_view name() const;   // "If"
    constexpr std::uint32_t id() const { return id_; }

    friend constexpr bool operator==(Symbol, Symbol) = default;
    friend constexpr auto operator<=>(Symbol, Symbol) = default;

    // For the tables below.
    static constexpr Symbol known(std::uint32_t id) {
        Symbol symbol;
        symbol.id_ = id;
        return symbol;
    }

  private:
    std::uint32_t id_ = 0;  // 0 is the empty name
};

// Kinds that the engine itself handles, as constants to switch on.
// clang-format off
#define LOUPE_PRIM_SYMBOLS(X)                                                                                       \
    X(Constant) X(Param) X(Return) X(If) X(Loop) X(With) X(Enter) X(Exit) X(CallFunction) X(CallMethod) X(GetAttr)  \
    X(SetAttr) X(HasAttr) X(CreateObject) X(fork) X(Closure) X(RaiseException) X(Print) X(Uninitialized)            \
    X(TupleConstruct) X(TupleUnpack) X(TupleIndex) X(TupleSlice) X(ListConstruct) X(ListUnpack) X(DictConstruct)    \
    X(ModuleContainerIndex) X(StringIndex) X(EnumName) X(EnumValue) X(ConstantChunk) X(isinstance)                  \
    X(unchecked_cast) X(unchecked_unwrap_optional) X(annotate) X(NumToTensor) X(tolist) X(device) X(dtype)          \
    X(layout) X(requires_grad) X(grad) X(data) X(is_cuda) X(min) X(max) X(abs) X(rangelist) X(id) X(TupleExpand)     \
    X(BreakStmt) X(ContinueStmt) X(ReturnStmt) X(LoopContinuation) X(Load) X(Store) X(Guard) X(profile)             \
    X(FusionGroup) X(DifferentiableGraph)
#define LOUPE_ATTRIBUTE_SYMBOLS(X) X(value) X(name) X(types) X(Subgraph) X(warn_id) X(chunks) X(dim) X(key)
// clang-format on

namespace detail {
enum KnownSymbol : std::uint32_t {
    kNoSymbol = 0,
#define LOUPE_SYMBOL(n) kPrim_##n,
    LOUPE_PRIM_SYMBOLS(LOUPE_SYMBOL)
#undef LOUPE_SYMBOL
#define LOUPE_SYMBOL(n) kAttr_##n,
        LOUPE_ATTRIBUTE_SYMBOLS(LOUPE_SYMBOL)
#undef LOUPE_SYMBOL
            kKnownSymbols
};
}  // namespace detail

namespace prim {
#define LOUPE_SYMBOL(n) inline constexpr Symbol n = Symbol::known(detail::kPrim_##n);
LOUPE_PRIM_SYMBOLS(LOUPE_SYMBOL)
#undef LOUPE_SYMBOL
}  // namespace prim

namespace attr {
#define LOUPE_SYMBOL(n) inline constexpr Symbol n = Symbol::known(detail::kAttr_##n);
LOUPE_ATTRIBUTE_SYMBOLS(LOUPE_SYMBOL)
#undef LOUPE_SYMBOL
}  // namespace attr

}  // namespace loupe::ir

template <>
struct std::hash<loupe::ir::Symbol> {
    std::size_t operator()(loupe::ir::Symbol symbol) const noexcept { return symbol.id(); }
};
