// SPDX-License-Identifier: Apache-2.0
#include "core/formats/checkpoint/tar_checkpoint.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/archive/raw_tensor.h"

namespace loupe {
namespace {

constexpr std::size_t kBlock = 512;

// A number in octal digits, as tar writes sizes.
std::uint64_t octal(std::string_view text) {
    std::uint64_t value = 0;
    for (const char c : text) {
        if (c == '\0' || c == ' ') continue;
        if (c < '0' || c > '7' || value >> 60 != 0) throw_file_error("tar: bad size in a header");
        value = value * 8 + static_cast<std::uint64_t>(c - '0');
    }
    return value;
}

std::span<const std::byte> find_entry(std::span<const std::byte> tar, std::string_view wanted) {
    for (std::size_t at = 0; tar.size() - at >= kBlock;) {
        const std::string_view header = as_text(tar.subspan(at, kBlock));
        if (header.front() == '\0') break;
        std::string_view name = header.substr(0, 100);
        name = name.substr(0, std::min(name.find('\0'), name.size()));
        const std::uint64_t size = octal(header.substr(124, 12));
        at += kBlock;
        if (size > tar.size() - at)
            throw_file_error(concat("truncated: tar entry ", quote_name(name), " of ", size, " bytes"));
        const bool is_file = header[156] == '0' || header[156] == '\0';
        if (is_file && (name == wanted || (name.starts_with("./") && name.substr(2) == wanted)))
            return tar.subspan(at, size);
        const std::size_t padded = (static_cast<std::size_t>(size) + kBlock - 1) / kBlock * kBlock;
        at += std::min(padded, tar.size() - at);
    }
    throw_file_error(concat("tar archive without ", wanted));
}

// Pickles one after the other, with raw bytes between.
class Stream {
  public:
    Stream(std::span<const std::byte> bytes, std::string_view what) : bytes_(bytes), reader_(bytes, what) {}
    Pickle next() {
        Pickle pickle = read_pickle(bytes_.subspan(reader_.position()));
        reader_.skip(pickle.size());
        return pickle;
    }
    std::int64_t next_count() {
        const std::int64_t count = next().root()->to_int();
        // Each takes more than a byte.
        if (count < 0 || static_cast<std::uint64_t>(count) > reader_.remaining())
            throw_file_error(concat("tar: ", count, " entries"));
        return count;
    }
    std::int64_t number() { return static_cast<std::int64_t>(reader_.little<std::uint64_t>()); }
    ByteReader& reader() { return reader_; }

  private:
    std::span<const std::byte> bytes_;
    ByteReader reader_;
};

struct Part {
    Ptr<Storage> storage;
    ScalarType dtype = ScalarType::Float32;
    std::int64_t begin = 0;  // in elements
    std::int64_t count = 0;
};

class TarStorages final : public StorageSource {
  public:
    explicit TarStorages(std::span<const std::byte> tar) {
        read_storages(find_entry(tar, "storages"));
        read_tensors(find_entry(tar, "tensors"));
    }
    Ptr<Storage> open(const std::string& key, ScalarType, std::uint64_t) override {
        throw_file_error(concat("tar: a tensor on storage ", quote_name(key), " of another layout"));
    }
    IValue load(const PickleNode& persistent) override {
        const PickleNode& id = *persistent.persistent_id();
        // A class with its source: only the class is meant.
        if (id.is(PickleKind::Tuple))
            throw Error(ErrorKind::Unsupported, "holds a pickled module, which is not supported");
        std::int64_t key = 0;
        if (id.is(PickleKind::String)) {
            const auto& text = id.to_string();
            const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), key);
            if (failure != std::errc()) throw_file_error(concat("tar: bad id ", quote_name(text)));
        } else {
            key = id.to_int();
        }
        const auto found = tensors_.find(key);
        if (found == tensors_.end()) throw_file_error(concat("tar: no tensor ", key));
        return found->second;
    }

  private:
    void read_storages(std::span<const std::byte> bytes) {
        Stream stream(bytes, "tar: storages");
        const std::int64_t count = stream.next_count();
        for (std::int64_t i = 0; i < count; ++i) {
            const Pickle entry = stream.next();
            const auto& parts = entry.root()->tuple(3);
            const auto dtype = storage_dtype(parts[2]->global_name());
            if (!dtype)
                throw Error(ErrorKind::Unsupported, concat("storage of type ", quote_name(parts[2]->global_name()),
                                                           ", which is not supported"));
            const std::int64_t numel = stream.number();
            const auto width = static_cast<std::uint64_t>(element_size(*dtype));
            if (numel < 0 || static_cast<std::uint64_t>(numel) > stream.reader().remaining() / width) {
                throw_file_error(concat("truncated: tar: storage of ", numel, " elements"));
            }
            auto storage =
                copy_to_storage(stream.reader().take(static_cast<std::uint64_t>(numel) * width), MemoryCategory::Other);
            if (*dtype == ScalarType::Bool)
                normalise_bools({static_cast<std::byte*>(storage->data()), storage->bytes()});
            parts_[parts[0]->to_int()] = {std::move(storage), *dtype, 0, numel};
        }
        const Pickle views = stream.next();
        for (const PickleRef view : views.root()->elements()) {
            const auto& fields = view->tuple(4);
            const Part& root = part(fields[1]->to_int());
            const std::int64_t begin = fields[2]->to_int();
            const std::int64_t size = fields[3]->to_int();
            if (begin < 0 || size < 0 || begin > root.count || size > root.count - begin)
                throw_file_error("tar: a view leaves its storage");
            parts_[fields[0]->to_int()] = {root.storage, root.dtype, root.begin + begin, size};
        }
    }

    void read_tensors(std::span<const std::byte> bytes) {
        Stream stream(bytes, "tar: tensors");
        const std::int64_t count = stream.next_count();
        for (std::int64_t i = 0; i < count; ++i) {
            const Pickle entry = stream.next();
            const auto& fields = entry.root()->tuple(3);
            const Part& storage = part(fields[1]->to_int());
            const auto dimensions = stream.reader().little<std::uint32_t>();
            stream.reader().skip(4);
            if (dimensions > 64) throw_file_error(concat("tar: tensor of ", dimensions, " dimensions"));
            Dims sizes;
            Dims strides;
            for (std::uint32_t d = 0; d < dimensions; ++d) sizes.push_back(stream.number());
            for (std::uint32_t d = 0; d < dimensions; ++d) strides.push_back(stream.number());
            tensors_[fields[0]->to_int()] = make_tensor(storage, sizes, strides, stream.number());
        }
    }

    static Tensor make_tensor(const Part& part, const Dims& sizes, const Dims& strides, std::int64_t offset) {
        std::int64_t last = offset;
        bool is_empty = false;
        for (std::size_t d = 0; d < sizes.size(); ++d) {
            if (sizes[d] < 0 || strides[d] < 0) throw_file_error("tar: tensor with a negative size or stride");
            is_empty = is_empty || sizes[d] == 0;
            if (sizes[d] <= 1) continue;
            if (strides[d] > part.count || sizes[d] > (std::int64_t{1} << 40))
                throw_file_error("tar: a tensor leaves its storage");
            const auto reach = static_cast<double>(sizes[d] - 1) * static_cast<double>(strides[d]);
            if (reach > static_cast<double>(part.count)) throw_file_error("tar: a tensor leaves its storage");
            last += (sizes[d] - 1) * strides[d];
        }
        if (offset < 0 || (!is_empty && last >= part.count)) throw_file_error("tar: a tensor leaves its storage");
        checked_numel(span_of(sizes));
        return tensor_on(part.storage, part.dtype, span_of(sizes), span_of(strides),
                         is_empty ? 0 : part.begin + offset);
    }

    const Part& part(std::int64_t key) const {
        const auto found = parts_.find(key);
        if (found == parts_.end()) throw_file_error(concat("tar: no storage ", key));
        return found->second;
    }

    std::map<std::int64_t, Part> parts_;
    std::map<std::int64_t, Tensor> tensors_;
};

}  // namespace

IValue read_tar_checkpoint(std::span<const std::byte> bytes, PickledClasses& classes) {
    TarStorages storages(bytes);
    const Pickle value = read_pickle(find_entry(bytes, "pickle"));
    return ValueBuilder(storages, classes).build(*value.root());
}

}  // namespace loupe
