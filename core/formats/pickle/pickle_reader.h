// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads Python pickles into a tree of plain values. No calls or imports: calls are nodes of the tree, and its reader
// decides which calls to support.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace loupe {

enum class PickleKind : std::uint8_t {
    None,
    Bool,
    Int,
    Float,
    String,
    Bytes,
    List,
    Tuple,
    Set,
    Dict,
    Global,      // a name: "torch._utils._rebuild_tensor_v2"
    Reduce,      // callable(*args), then filled
    Object,      // class.__new__(*args), then filled
    Persistent,  // stored elsewhere by the writer, by an id
};

struct PickleNode;
// Nodes belong to their Pickle. One node may have several parents (Python's sharing), and may contain itself.
using PickleRef = const PickleNode*;

// A Reduce or an Object, and its state.
struct PickleCall {
    PickleRef callable = nullptr;
    PickleRef args = nullptr;           // a tuple; for an enum PyTorch writes its value only
    PickleRef state = nullptr;          // of BUILD; null when there was none
    std::vector<PickleRef> elements{};  // appended
    std::vector<PickleRef> items{};     // key, value, key, value, ...
};

struct PickleNode {
    using Elements = std::vector<PickleRef>;

    PickleKind kind = PickleKind::None;
    std::variant<std::monostate, bool, std::int64_t, double, std::string, Elements, std::unique_ptr<PickleCall>> value;

    // Each throws Error (File) "expected a string, got a tuple" for another kind.
    bool to_bool() const;
    std::int64_t to_int() const;
    double to_float() const;  // an int too
    const std::string& to_string() const;
    const std::string& to_bytes() const;
    // Of a list, tuple or set.
    const Elements& elements() const;
    // Of a tuple, which must have that many.
    const Elements& tuple(std::size_t size) const;
    // Of a dict: key, value, key, value, ... as written; later ones win.
    const Elements& items() const;
    const std::string& global_name() const;
    // Of a Reduce or Object.
    const PickleCall& call() const;
    // The name of the called global when it is one: "torch._utils._rebuild_tensor_v2"; empty otherwise.
    std::string_view callable_name() const;
    PickleRef persistent_id() const;

    bool is(PickleKind k) const { return kind == k; }
    bool is_none() const { return kind == PickleKind::None; }
};

// "a tuple", "an int": for messages.
std::string_view pickle_kind_name(PickleKind kind);

class Pickle {
  public:
    PickleRef root() const { return root_; }
    // All nodes, also those not reachable from root().
    const std::deque<PickleNode>& nodes() const { return nodes_; }
    // Bytes up to and with the end mark; a stream may continue after it.
    std::size_t size() const { return size_; }

  private:
    friend class PickleMachine;
    std::deque<PickleNode> nodes_;
    PickleRef root_ = nullptr;
    std::size_t size_ = 0;
};

// Protocols 2 to 5. Throws Error (File) for damaged, unknown or too large pickles.
Pickle read_pickle(std::span<const std::byte> bytes);
inline Pickle read_pickle(std::string_view text) { return read_pickle(std::as_bytes(std::span(text))); }

}  // namespace loupe
