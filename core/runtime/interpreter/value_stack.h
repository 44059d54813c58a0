// SPDX-License-Identifier: Apache-2.0
#pragma once
// Registers of the frames of one thread: chunks with stable addresses, allocated and freed in stack order.

#include <cstddef>
#include <memory>
#include <vector>

#include "core/value/ivalue.h"

namespace loupe::runtime {

class ValueStack {
  public:
    // The stack of the calling thread.
    static ValueStack& of_thread();

    // `count` empty values; they must be empty again when they are freed.
    IValue* take(std::size_t count) {
        if (chunk_ < chunks_.size() && chunks_[chunk_].size - used_ >= count) [[likely]] {
            IValue* const values = chunks_[chunk_].values.get() + used_;
            used_ += count;
            return values;
        }
        return take_in_next_chunk(count);
    }
    struct Mark {
        std::size_t chunk;
        std::size_t used;
    };
    Mark mark() const { return {chunk_, used_}; }
    void give_back(Mark mark) {
        chunk_ = mark.chunk;
        used_ = mark.used;
    }

  private:
    struct Chunk {
        std::unique_ptr<IValue[]> values;
        std::size_t size;
    };
    IValue* take_in_next_chunk(std::size_t count);

    std::vector<Chunk> chunks_;
    std::size_t chunk_ = 0;
    std::size_t used_ = 0;
};

}  // namespace loupe::runtime
