// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/protocol.h"

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

#include "core/session/queries/list.h"
#include "core/session/remote/link_messages.h"
#include "core/session/remote/messages.h"
#include "core/session/remote/recording_stream.h"
#include "core/session/verbs.h"
#include "core/study/verdict.h"

namespace loupe::session {
namespace {

// Follows wire/wire.h: a type is described as it is written there.
class Description {
  public:
    std::string take() { return std::move(text_); }
    void say(std::string_view text) { text_ += text; }

    template <typename T>
    void add() {
        add_type(static_cast<T*>(nullptr));
    }

  private:
    template <typename T>
    void add_type(T*) {
        if constexpr (std::is_same_v<T, bool>)
            say("?");
        else if constexpr (std::is_enum_v<T>)
            say("e" + std::to_string(static_cast<std::uint32_t>(last_of(T()))));
        else if constexpr (std::is_arithmetic_v<T>)
            say((std::is_floating_point_v<T> ? "f" : std::is_signed_v<T> ? "i" : "u") + std::to_string(sizeof(T)));
        else if constexpr (HasFields<T>)
            add_struct<T>();
        else
            static_assert(std::is_void_v<T>, "a type that wire.h knows and this does not");
    }
    void add_type(std::string*) { say("s"); }
    void add_type(std::string_view*) { say("s"); }
    void add_type(std::filesystem::path*) { say("s"); }
    template <typename T>
    void add_type(std::vector<T>*) {
        say("*");
        add<T>();
    }
    void add_type(std::vector<double>*) { say("*f4/8"); }
    template <typename T, std::size_t N>
    void add_type(std::array<T, N>*) {
        say("a" + std::to_string(N));
        add<T>();
    }
    template <typename T>
    void add_type(std::optional<T>*) {
        say("o");
        add<T>();
    }
    template <typename A, typename B>
    void add_type(std::pair<A, B>*) {
        say("(");
        add<A>();
        add<B>();
        say(")");
    }
    template <typename K, typename V, typename... Rest>
    void add_type(std::map<K, V, Rest...>*) {
        say("m");
        add<K>();
        add<V>();
    }
    template <typename K, typename... Rest>
    void add_type(std::set<K, Rest...>*) {
        say("t");
        add<K>();
    }
    template <typename T>
    void add_type(std::shared_ptr<const T>*) {
        say("p");
        add<T>();
    }
    template <typename T>
    void add_type(std::weak_ptr<T>*) {}

    // Once: later, and inside itself, its number.
    template <typename T>
    void add_struct() {
        const auto [known, is_new] = structs_.emplace(typeid(T), structs_.size());
        say("#" + std::to_string(known->second));
        if (!is_new) return;
        say("{");
        using Fields = decltype(fields(std::declval<T&>()));
        add_fields<Fields>(std::make_index_sequence<std::tuple_size_v<Fields>>());
        say("}");
    }
    template <typename Fields, std::size_t... I>
    void add_fields(std::index_sequence<I...>) {
        (add<std::remove_reference_t<std::tuple_element_t<I, Fields>>>(), ...);
    }

    std::string text_;
    std::map<std::type_index, std::size_t> structs_;
};

template <typename... Types>
void describe_all(Description& out) {
    (out.add<Types>(), ...);
}

template <typename Query>
void describe_query(Description& out) {
    out.say("\nquery ");
    out.say(Query::record().name);
    out.add<Query>();
    out.add<typename Query::Answer>();
    if constexpr (requires { typename Query::Progress; }) out.add<typename Query::Progress>();
}
template <typename... Queries>
void describe_queries(Description& out, QueryTypes<Queries...>) {
    (describe_query<Queries>(out), ...);
}

template <typename Verb>
void describe_verb(Description& out) {
    out.say("\nverb ");
    out.say(Verb::record().name);
    out.add<Verb>();
}
template <template <typename...> typename List, typename... Verbs>
void describe_verbs(Description& out, List<Verbs...>) {
    (describe_verb<Verbs>(out), ...);
}

// FNV-1a: nobody gains from a wrong one.
std::string hash_of(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    std::string out;
    for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[(hash >> shift) & 15];
    return out;
}

std::string description() {
    Description out;
    out.say("messages " + std::to_string(static_cast<std::uint32_t>(last_of(MessageKind()))));
    describe_all<OrderMessage, AskMessage, NumberMessage, JoinedMessage, SettingsMessage, ShownMessage,
                 TrainingGrowthMessage, ForgetMessage, ModelMessage, EventsMessage, GenerationMessage, LogMessage,
                 ReplyMessage, SharedMessage, RecordingGrowth, Status, CompileReport, HelloMessage, WelcomeMessage,
                 FarewellMessage, GrantMessage>(out);
    describe_verbs(out, AllVerbs());
    describe_queries(out, AllQueries());
    return out.take();
}

}  // namespace

const std::string& protocol_id() {
    static const std::string id = hash_of(description());
    return id;
}

}  // namespace loupe::session
