// SPDX-License-Identifier: Apache-2.0
#pragma once
// JSON whose objects keep the file's order and find a key in constant time. nlohmann's own ordered_json compares a key
// with all before it: a header of a million names would take hours.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace loupe {

// The seed differs from process to process: no file can be made whose names all collide.
std::uint64_t seeded_hash(std::string_view text);

// The container of OrderedJson's objects. Of two equal keys the first keeps its place.
template <typename Key, typename T, typename Less = std::less<>,
          typename Allocator = std::allocator<std::pair<const Key, T>>>
class IndexedMap : public nlohmann::ordered_map<Key, T, Less, Allocator> {
    using Base = nlohmann::ordered_map<Key, T, Less, Allocator>;

  public:
    using iterator = typename Base::iterator;
    using const_iterator = typename Base::const_iterator;

    using Base::Base;

    template <typename K>
    std::pair<iterator, bool> emplace(K&& key, T&& value) {
        const std::size_t at = position(key);
        if (at < this->size()) return {this->begin() + offset(at), false};
        this->emplace_back(Key(std::forward<K>(key)), std::move(value));
        if (this->size() > kFewKeys) index_all();
        return {std::prev(this->end()), true};
    }
    template <typename K>
    T& operator[](K&& key) {
        return emplace(std::forward<K>(key), T{}).first->second;
    }
    template <typename K>
    iterator find(const K& key) {
        return this->begin() + offset(position(key));
    }
    template <typename K>
    const_iterator find(const K& key) const {
        return this->begin() + offset(position(key));
    }
    template <typename K>
    std::size_t count(const K& key) const {
        return position(key) < this->size() ? 1 : 0;
    }
    template <typename K>
    const T& at(const K& key) const {
        const std::size_t found = position(key);
        if (found == this->size()) throw std::out_of_range("key not found");
        return this->begin()[offset(found)].second;
    }
    template <typename K>
    T& at(const K& key) {
        return const_cast<T&>(std::as_const(*this).at(key));
    }
    iterator erase(iterator at) {
        slots_.clear();
        return Base::erase(at);
    }
    void clear() {
        slots_.clear();
        Base::clear();
    }

  private:
    static constexpr std::size_t kFewKeys = 16;  // up to here comparing is faster than hashing

    const Key& key_at(std::size_t at) const { return this->data()[at].first; }
    static std::ptrdiff_t offset(std::size_t at) { return static_cast<std::ptrdiff_t>(at); }

    // size() when there is none.
    std::size_t position(std::string_view key) const {
        if (indexed_ != this->size() || slots_.empty()) {
            std::size_t at = 0;
            while (at < this->size() && key_at(at) != key) ++at;
            return at;
        }
        const std::uint32_t place = slots_[slot_of(key)];
        return place == 0 ? this->size() : place - 1;
    }

    // The slot that holds the key's position plus one, or the free one where it belongs.
    std::size_t slot_of(std::string_view key) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = static_cast<std::size_t>(seeded_hash(key)) & mask;
        while (slots_[slot] != 0 && key_at(slots_[slot] - 1) != key) slot = (slot + 1) & mask;
        return slot;
    }

    // A moved-from map has no slots.
    void index_all() {
        if (slots_.empty()) indexed_ = 0;
        if (slots_.size() < 2 * this->size()) {
            std::size_t capacity = 8 * kFewKeys;
            while (capacity < 4 * this->size()) capacity *= 2;
            slots_.assign(capacity, 0);
            indexed_ = 0;
        }
        for (; indexed_ < this->size(); ++indexed_)
            slots_[slot_of(key_at(indexed_))] = static_cast<std::uint32_t>(indexed_ + 1);
    }

    std::vector<std::uint32_t> slots_;
    std::size_t indexed_ = 0;
};

using OrderedJson = nlohmann::basic_json<IndexedMap>;

}  // namespace loupe
