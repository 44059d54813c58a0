// SPDX-License-Identifier: Apache-2.0
#include "core/formats/pickle/pickle_reader.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"

namespace loupe {
namespace {

constexpr std::size_t kMostNodes = 20'000'000;

[[noreturn]] void fail_kind(std::string_view expected, PickleKind got) {
    throw_file_error(concat("pickle: expected ", expected, ", got ", pickle_kind_name(got)));
}

template <typename T>
const T& get_as(const PickleNode& node, PickleKind kind) {
    if (node.kind != kind) fail_kind(pickle_kind_name(kind), node.kind);
    return std::get<T>(node.value);
}

}  // namespace

std::string_view pickle_kind_name(PickleKind kind) {
    switch (kind) {
        case PickleKind::None:
            return "None";
        case PickleKind::Bool:
            return "a bool";
        case PickleKind::Int:
            return "an int";
        case PickleKind::Float:
            return "a float";
        case PickleKind::String:
            return "a string";
        case PickleKind::Bytes:
            return "bytes";
        case PickleKind::List:
            return "a list";
        case PickleKind::Tuple:
            return "a tuple";
        case PickleKind::Set:
            return "a set";
        case PickleKind::Dict:
            return "a dict";
        case PickleKind::Global:
            return "a name";
        case PickleKind::Reduce:
            return "a call";
        case PickleKind::Object:
            return "an object";
        case PickleKind::Persistent:
            return "a persistent id";
    }
    return "?";
}

bool PickleNode::to_bool() const { return get_as<bool>(*this, PickleKind::Bool); }
std::int64_t PickleNode::to_int() const { return get_as<std::int64_t>(*this, PickleKind::Int); }
double PickleNode::to_float() const {
    if (kind == PickleKind::Int) return static_cast<double>(std::get<std::int64_t>(value));
    return get_as<double>(*this, PickleKind::Float);
}
const std::string& PickleNode::to_string() const { return get_as<std::string>(*this, PickleKind::String); }
const std::string& PickleNode::to_bytes() const { return get_as<std::string>(*this, PickleKind::Bytes); }
const std::string& PickleNode::global_name() const { return get_as<std::string>(*this, PickleKind::Global); }

const PickleNode::Elements& PickleNode::elements() const {
    if (kind != PickleKind::List && kind != PickleKind::Tuple && kind != PickleKind::Set) fail_kind("a list", kind);
    return std::get<Elements>(value);
}

const PickleNode::Elements& PickleNode::tuple(std::size_t size) const {
    const auto& all = get_as<Elements>(*this, PickleKind::Tuple);
    if (all.size() != size) {
        throw_file_error(concat("pickle: expected a tuple of ", size, ", got one of ", all.size()));
    }
    return all;
}

const PickleNode::Elements& PickleNode::items() const { return get_as<Elements>(*this, PickleKind::Dict); }

const PickleCall& PickleNode::call() const {
    if (kind != PickleKind::Reduce && kind != PickleKind::Object) fail_kind("a call", kind);
    return *std::get<std::unique_ptr<PickleCall>>(value);
}

std::string_view PickleNode::callable_name() const {
    if (kind != PickleKind::Reduce && kind != PickleKind::Object) return {};
    const PickleRef callable = call().callable;
    return callable->is(PickleKind::Global) ? std::string_view(callable->global_name()) : std::string_view();
}

PickleRef PickleNode::persistent_id() const { return get_as<Elements>(*this, PickleKind::Persistent).front(); }

// Python's pickle machine: a stack, marks in it, and a memo of numbered values.
class PickleMachine {
  public:
    explicit PickleMachine(std::span<const std::byte> bytes) : reader_(bytes, "pickle") {
        none_ = make(PickleKind::None, {});
        true_ = make(PickleKind::Bool, true);
        false_ = make(PickleKind::Bool, false);
        empty_tuple_ = make(PickleKind::Tuple, PickleNode::Elements());
    }

    Pickle run() {
        std::size_t steps = 0;
        while (true) {
            if (++steps % 4096 == 0) check_cancelled();
            const auto op = reader_.little<std::uint8_t>();
            if (op == '.') break;
            if (!do_constant(op) && !do_container(op) && !do_call(op) && !do_stack(op)) fail_op(op);
        }
        pickle_.root_ = pop();
        pickle_.size_ = reader_.position();
        return std::move(pickle_);
    }

  private:
    using Elements = PickleNode::Elements;

    [[noreturn]] void fail(std::string_view what) const {
        throw_file_error(concat("pickle: ", what, " at byte ", reader_.position()));
    }
    [[noreturn]] void fail_op(std::uint8_t op) const { fail(concat("unsupported opcode ", int{op})); }

    PickleNode* make(PickleKind kind, decltype(PickleNode::value) value) {
        if (pickle_.nodes_.size() >= kMostNodes) fail("too many values");
        return &pickle_.nodes_.emplace_back(PickleNode{kind, std::move(value)});
    }
    void push(PickleNode* node) { stack_.push_back(node); }
    void push_new(PickleKind kind, decltype(PickleNode::value) value) { push(make(kind, std::move(value))); }
    void push_int(std::int64_t value) { push_new(PickleKind::Int, value); }
    void push_text(PickleKind kind, std::uint64_t size) { push_new(kind, std::string(reader_.take_text(size))); }

    PickleNode* pop() {
        if (stack_.empty() || (!marks_.empty() && stack_.size() <= marks_.back())) fail("stack underflow");
        PickleNode* node = stack_.back();
        stack_.pop_back();
        return node;
    }
    PickleNode* top() {
        PickleNode* node = pop();
        push(node);
        return node;
    }
    // The values above the last mark.
    Elements pop_to_mark() {
        if (marks_.empty()) fail("no mark");
        const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
        Elements elements(begin, stack_.end());
        stack_.erase(begin, stack_.end());
        marks_.pop_back();
        return elements;
    }

    // clang-format off
    bool do_constant(std::uint8_t op) {
        switch (op) {
            case 'N': push(none_); return true;
            case 0x88: push(true_); return true;
            case 0x89: push(false_); return true;
            case 'K': push_int(reader_.little<std::uint8_t>()); return true;
            case 'M': push_int(reader_.little<std::uint16_t>()); return true;
            case 'J': push_int(static_cast<std::int32_t>(reader_.little<std::uint32_t>())); return true;
            case 0x8a: push_int(read_long(reader_.little<std::uint8_t>())); return true;
            case 0x8b: push_int(read_long(reader_.little<std::uint32_t>())); return true;
            case 'G': push_new(PickleKind::Float, std::bit_cast<double>(reader_.big<std::uint64_t>())); return true;
            case 'X': push_text(PickleKind::String, reader_.little<std::uint32_t>()); return true;
            case 0x8c: push_text(PickleKind::String, reader_.little<std::uint8_t>()); return true;
            case 0x8d: push_text(PickleKind::String, reader_.little<std::uint64_t>()); return true;
            case 'T': push_text(PickleKind::String, reader_.little<std::uint32_t>()); return true;
            case 'U': push_text(PickleKind::String, reader_.little<std::uint8_t>()); return true;
            case 'B': push_text(PickleKind::Bytes, reader_.little<std::uint32_t>()); return true;
            case 'C': push_text(PickleKind::Bytes, reader_.little<std::uint8_t>()); return true;
            case 0x8e: push_text(PickleKind::Bytes, reader_.little<std::uint64_t>()); return true;
            case 0x96: push_text(PickleKind::Bytes, reader_.little<std::uint64_t>()); return true;
            default: return false;
        }
    }

    bool do_container(std::uint8_t op) {
        switch (op) {
            case ')': push(empty_tuple_); return true;
            case ']': push_new(PickleKind::List, Elements()); return true;
            case '}': push_new(PickleKind::Dict, Elements()); return true;
            case 0x8f: push_new(PickleKind::Set, Elements()); return true;
            case 't': push_new(PickleKind::Tuple, pop_to_mark()); return true;
            case 'l': push_new(PickleKind::List, pop_to_mark()); return true;
            case 'd': push_new(PickleKind::Dict, pop_pairs()); return true;
            case 0x91: push_new(PickleKind::Set, pop_to_mark()); return true;
            case 0x85: push_tuple(1); return true;
            case 0x86: push_tuple(2); return true;
            case 0x87: push_tuple(3); return true;
            case 'a': extend(Elements{pop()}); return true;
            case 'e':
            case 0x90: extend(pop_to_mark()); return true;
            case 's': {
                const PickleRef value = pop();
                const PickleRef key = pop();
                set_items({key, value});
                return true;
            }
            case 'u': set_items(pop_pairs()); return true;
            default: return false;
        }
    }

    bool do_call(std::uint8_t op) {
        switch (op) {
            case 'c': {
                const auto module = reader_.line();
                const auto name = reader_.line();
                push_new(PickleKind::Global, concat(module, ".", name));
                return true;
            }
            case 0x93: {
                const auto& name = pop()->to_string();
                const auto& module = pop()->to_string();
                push_new(PickleKind::Global, concat(module, ".", name));
                return true;
            }
            case 'R': push_call(PickleKind::Reduce); return true;
            case 0x81: push_call(PickleKind::Object); return true;
            case 0x92: {
                if (!pop()->items().empty()) fail("keyword arguments of a constructor");
                push_call(PickleKind::Object);
                return true;
            }
            case 'b': {
                const PickleRef state = pop();
                call_on_top().state = state;
                return true;
            }
            case 'Q': push_new(PickleKind::Persistent, Elements{pop()}); return true;
            default: return false;
        }
    }

    bool do_stack(std::uint8_t op) {
        switch (op) {
            case '(': marks_.push_back(stack_.size()); return true;
            case '0': pop(); return true;
            case '1': pop_to_mark(); return true;
            case '2': push(top()); return true;
            case 'h': push(recall(reader_.little<std::uint8_t>())); return true;
            case 'j': push(recall(reader_.little<std::uint32_t>())); return true;
            case 'q': memo_[reader_.little<std::uint8_t>()] = top(); return true;
            case 'r': memo_[reader_.little<std::uint32_t>()] = top(); return true;
            case 0x94: {
                const auto number = static_cast<std::uint32_t>(memo_.size());
                memo_[number] = top();
                return true;
            }
            case 0x80: {
                const auto protocol = reader_.little<std::uint8_t>();
                if (protocol < 2 || protocol > 5) fail(concat("protocol ", int{protocol}, " is not supported"));
                return true;
            }
            case 0x95: reader_.little<std::uint64_t>(); return true;  // a frame: only its length
            default: return false;
        }
    }

    // clang-format on
    PickleNode* recall(std::uint32_t number) {
        const auto found = memo_.find(number);
        if (found == memo_.end()) fail(concat("nothing was memorised as ", number));
        return found->second;
    }

    // Two's complement, any length.
    std::int64_t read_long(std::uint64_t size) {
        const auto bytes = reader_.take(size);
        if (bytes.size() > 8) fail(concat("integer of ", bytes.size(), " bytes, more than 8"));
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < bytes.size(); ++i) value |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
        if (!bytes.empty() && bytes.size() < 8 && (bytes.back() & std::byte{0x80}) != std::byte{0}) {
            value |= ~std::uint64_t{0} << (8 * bytes.size());
        }
        return static_cast<std::int64_t>(value);
    }

    void push_tuple(std::size_t size) {
        Elements elements(size);
        for (std::size_t i = size; i > 0; --i) elements[i - 1] = pop();
        push_new(PickleKind::Tuple, std::move(elements));
    }

    Elements pop_pairs() {
        Elements pairs = pop_to_mark();
        if (pairs.size() % 2 != 0) fail("a key without a value");
        return pairs;
    }

    void push_call(PickleKind kind) {
        const PickleRef args = pop();
        const PickleRef callable = pop();
        auto call = std::make_unique<PickleCall>();
        call->callable = callable;
        call->args = args;
        push_new(kind, std::move(call));
    }

    PickleCall& call_on_top() {
        PickleNode* node = top();
        if (!node->is(PickleKind::Reduce) && !node->is(PickleKind::Object)) {
            fail(concat("cannot fill ", pickle_kind_name(node->kind)));
        }
        return *std::get<std::unique_ptr<PickleCall>>(node->value);
    }

    void extend(const Elements& more) {
        PickleNode* node = top();
        auto& target = node->is(PickleKind::List) || node->is(PickleKind::Set) ? std::get<Elements>(node->value)
                                                                               : call_on_top().elements;
        target.insert(target.end(), more.begin(), more.end());
    }

    void set_items(const Elements& pairs) {
        PickleNode* node = top();
        auto& target = node->is(PickleKind::Dict) ? std::get<Elements>(node->value) : call_on_top().items;
        target.insert(target.end(), pairs.begin(), pairs.end());
    }

    ByteReader reader_;
    Pickle pickle_;
    std::vector<PickleNode*> stack_;
    std::vector<std::size_t> marks_;
    std::unordered_map<std::uint32_t, PickleNode*> memo_;
    PickleNode* none_ = nullptr;
    PickleNode* true_ = nullptr;
    PickleNode* false_ = nullptr;
    PickleNode* empty_tuple_ = nullptr;
};

Pickle read_pickle(std::span<const std::byte> bytes) { return PickleMachine(bytes).run(); }

}  // namespace loupe
