// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch::OrderedDict: values by key, in the order in which they came.

#include <cstddef>
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
        const K& key() const { return pair_.first; }
        V& value() { return pair_.second; }
        const V& value() const { return pair_.second; }
        V& operator*() { return value(); }
        const V& operator*() const { return value(); }
        V* operator->() { return &value(); }
        const std::pair<K, V>& pair() const { return pair_; }

      private:
        std::pair<K, V> pair_;
    };

    void insert(K key, V value) { items_.emplace_back(std::move(key), std::move(value)); }
    const V* find(const K& key) const {
        for (const Item& item : items_)
            if (item.key() == key) return &item.value();
        return nullptr;
    }
    bool contains(const K& key) const { return find(key) != nullptr; }
    // Throws c10::Error.
    const V& operator[](const K& key) const {
        const V* found = find(key);
        TORCH_CHECK(found != nullptr, "Argument '", key, "' is not defined");
        return *found;
    }
    std::size_t size() const { return items_.size(); }
    bool is_empty() const { return items_.empty(); }
    const std::vector<Item>& items() const { return items_; }
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
    auto begin() const { return items_.begin(); }
    auto end() const { return items_.end(); }

  private:
    std::vector<Item> items_;
};

}  // namespace torch
