// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch::OrderedDict: values by key, in the order in which they came.

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <loupe_torch/error.h>

namespace torch {

template <typename K, typename V>
class OrderedDict {
  public:
    class Item {
      public:
        Item(K key, V value) : pair_(std::move(key), std::move(value)) {}
        const K& key() const noexcept { return pair_.first; }
        V& value() noexcept { return pair_.second; }
        const V& value() const noexcept { return pair_.second; }
        V& operator*() { return value(); }
        const V& operator*() const { return value(); }
        V* operator->() { return &value(); }
        const V* operator->() const { return &value(); }
        const std::pair<K, V>& pair() const noexcept { return pair_; }

      private:
        std::pair<K, V> pair_;
    };
    using Iterator = typename std::vector<Item>::iterator;
    using ConstIterator = typename std::vector<Item>::const_iterator;

    // key_description: what messages call a key.
    explicit OrderedDict(std::string key_description = "Key") : key_description_(std::move(key_description)) {}
    // Throws c10::Error for a key that stands there twice.
    OrderedDict(std::initializer_list<Item> items) : OrderedDict("Key") {
        for (const Item& item : items) insert(item.key(), item.value());
    }
    const std::string& key_description() const noexcept { return key_description_; }

    // Throws c10::Error for a key that is there.
    template <typename Key, typename Value>
    V& insert(Key&& key, Value&& value) {
        K name(std::forward<Key>(key));
        TORCH_CHECK(!contains(name), key_description_, " '", name, "' already defined");
        items_.emplace_back(std::move(name), V(std::forward<Value>(value)));
        return items_.back().value();
    }
    V& insert(K key, V&& value) { return insert<K, V>(std::move(key), std::move(value)); }
    void update(const OrderedDict& other) {
        for (const Item& item : other) insert(item.key(), item.value());
    }
    // Throws c10::Error for a key that is not there.
    void erase(const K& key) {
        const auto found = place_of(key);
        TORCH_CHECK(found != items_.end(), key_description_, " '", key, "' doesn't exist");
        items_.erase(found);
    }
    void clear() { items_.clear(); }
    void reserve(std::size_t count) { items_.reserve(count); }

    // Null when there is none.
    V* find(const K& key) noexcept {
        const auto found = place_of(key);
        return found == items_.end() ? nullptr : &const_cast<Item&>(*found).value();
    }
    const V* find(const K& key) const noexcept {
        const auto found = place_of(key);
        return found == items_.end() ? nullptr : &found->value();
    }
    bool contains(const K& key) const noexcept { return find(key) != nullptr; }

    // Throw c10::Error for a key or a number that is not there.
    V& operator[](const K& key) { return const_cast<V&>(std::as_const(*this)[key]); }
    const V& operator[](const K& key) const {
        const V* found = find(key);
        TORCH_CHECK(found != nullptr, key_description_, " '", key, "' is not defined");
        return *found;
    }
    Item& operator[](std::size_t index) { return const_cast<Item&>(std::as_const(*this)[index]); }
    const Item& operator[](std::size_t index) const {
        TORCH_CHECK(index < size(), "Index ", index, " is out of bounds");
        return items_[index];
    }
    Item& front() { return const_cast<Item&>(std::as_const(*this).front()); }
    const Item& front() const {
        TORCH_CHECK(!is_empty(), "Called front() on an empty OrderedDict");
        return items_.front();
    }
    Item& back() { return const_cast<Item&>(std::as_const(*this).back()); }
    const Item& back() const {
        TORCH_CHECK(!is_empty(), "Called back() on an empty OrderedDict");
        return items_.back();
    }

    std::size_t size() const noexcept { return items_.size(); }
    bool is_empty() const noexcept { return items_.empty(); }
    const std::vector<Item>& items() const noexcept { return items_; }
    std::vector<K> keys() const {
        std::vector<K> out;
        for (const Item& item : items_) out.push_back(item.key());
        return out;
    }
    std::vector<V> values() const {
        std::vector<V> out;
        for (const Item& item : items_) out.push_back(item.value());
        return out;
    }
    std::vector<std::pair<K, V>> pairs() const {
        std::vector<std::pair<K, V>> out;
        for (const Item& item : items_) out.push_back(item.pair());
        return out;
    }
    Iterator begin() { return items_.begin(); }
    Iterator end() { return items_.end(); }
    ConstIterator begin() const { return items_.begin(); }
    ConstIterator end() const { return items_.end(); }

  private:
    ConstIterator place_of(const K& key) const noexcept {
        return std::find_if(items_.begin(), items_.end(), [&](const Item& item) { return item.key() == key; });
    }

    std::string key_description_;
    std::vector<Item> items_;
};

}  // namespace torch
