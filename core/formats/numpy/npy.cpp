// SPDX-License-Identifier: Apache-2.0
#include "core/formats/numpy/npy.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/archive/raw_tensor.h"
#include "core/formats/archive/zip_reader.h"
#include "core/formats/archive/zip_writer.h"
#include "core/formats/numpy/dtype_code.h"
#include "core/kernels/elementwise.h"
#include "core/tensor/copy_elements.h"
#include "core/tensor/device_copy.h"

namespace loupe {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are viewed in place as little-endian");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostDimensions = 64;
constexpr std::uint64_t kLargestArray = std::uint64_t{1} << 40;

struct Header {
    ScalarType dtype = ScalarType::Float32;
    bool big_endian = false;
    bool fortran_order = false;
    Dims sizes;
};

// Reads the header, a Python dict literal: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
  public:
    explicit HeaderParser(std::string_view text) : text_(text) {}

    Header parse() {
        Header header;
        int found = 0;
        expect('{');
        while (!accept('}')) {
            const auto key = quoted_text();
            expect(':');
            if (key == "descr") {
                parse_descr(header);
            } else if (key == "fortran_order") {
                header.fortran_order = boolean();
            } else if (key == "shape") {
                header.sizes = shape();
            } else {
                fail();
            }
            ++found;
            if (!accept(',') && peek() != '}') fail();
        }
        if (found != 3) fail();
        return header;
    }

  private:
    [[noreturn]] void fail() const { throw_file_error(concat("npy: bad header ", quote_name(text_))); }

    char peek() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    bool accept(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (!accept(c)) fail();
    }
    std::string_view quoted_text() {
        const char quote = peek();
        if (quote != '\'' && quote != '"') fail();
        const auto end = text_.find(quote, at_ + 1);
        if (end == std::string_view::npos) fail();
        const auto inside = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        return inside;
    }
    bool boolean() {
        for (const auto& [word, value] : {std::pair{std::string_view("True"), true}, {"False", false}}) {
            peek();
            if (!text_.substr(at_).starts_with(word)) continue;
            at_ += word.size();
            return value;
        }
        fail();
    }
    Dims shape() {
        Dims sizes;
        expect('(');
        while (!accept(')')) {
            peek();
            std::int64_t size = 0;
            const auto result = std::from_chars(text_.data() + at_, text_.data() + text_.size(), size);
            if (result.ec != std::errc() || size < 0 || sizes.size() == kMostDimensions) fail();
            sizes.push_back(size);
            at_ = static_cast<std::size_t>(result.ptr - text_.data());
            accept('L');  // Python 2 wrote long integers so
            if (!accept(',') && peek() != ')') fail();
        }
        return sizes;
    }
    void parse_descr(Header& header) {
        if (peek() == '[' || peek() == '(') {
            throw Error(ErrorKind::Unsupported, "npy: an array of structures; save each field as an array of its own");
        }
        const auto descr = quoted_text();
        if (descr.empty()) fail();
        const bool has_order = std::string_view("<>|=").find(descr.front()) != std::string_view::npos;
        const auto code = descr.substr(has_order ? 1 : 0);
        const auto dtype = dtype_from_numpy_code(code);
        if (!dtype) {
            throw Error(ErrorKind::Unsupported, concat("npy: no tensor holds elements of type ", quote_name(descr)));
        }
        header.dtype = *dtype;
        header.big_endian = descr.front() == '>';
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

Dims column_major_strides(IntSpan sizes) {
    Dims strides(sizes.size());
    std::int64_t stride = 1;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        strides[d] = stride;
        stride *= std::max<std::int64_t>(sizes[d], 1);
    }
    return strides;
}

// Reverses the bytes of each number; a complex element is two.
void swap_byte_order(std::span<std::byte> bytes, ScalarType dtype) {
    const auto width = static_cast<std::size_t>(element_size(dtype)) / (is_complex(dtype) ? 2 : 1);
    for (std::size_t i = 0; i + width <= bytes.size(); i += width) std::ranges::reverse(bytes.subspan(i, width));
}

Tensor make_tensor(const Header& header, std::span<std::byte> data, Ptr<RefCounted> owner) {
    Ptr<Storage> storage;
    if (header.big_endian) {
        storage = copy_to_storage(data, MemoryCategory::Input);
        swap_byte_order({static_cast<std::byte*>(storage->data()), data.size()}, header.dtype);
    } else {
        const auto alignment = static_cast<std::size_t>(element_size(header.dtype));
        storage = storage_on(data, alignment, std::move(owner), MemoryCategory::Input);
    }
    if (header.dtype == ScalarType::Bool) normalise_bools({static_cast<std::byte*>(storage->data()), data.size()});
    const auto sizes = span_of(header.sizes);
    const Dims strides = header.fortran_order ? column_major_strides(sizes) : contiguous_strides(sizes);
    return tensor_on(std::move(storage), header.dtype, sizes, span_of(strides), 0);
}

std::uint64_t checked_bytes(const Header& header) {
    auto bytes = static_cast<std::uint64_t>(element_size(header.dtype));
    for (const auto size : header.sizes) {
        if (size == 0) return 0;
    }
    for (const auto size : header.sizes) {
        if (static_cast<std::uint64_t>(size) > kLargestArray / bytes) {
            throw_file_error(concat("npy: an array of ", shape_text(span_of(header.sizes)), " elements is too large"));
        }
        bytes *= static_cast<std::uint64_t>(size);
    }
    return bytes;
}

// Copies the elements in row-major order, whatever the strides.
void gather(const Tensor& tensor, std::byte* out) {
    const auto width = static_cast<std::size_t>(tensor.element_size());
    const auto* base = static_cast<const std::byte*>(tensor.raw_data());
    if (tensor.is_contiguous()) {
        if (tensor.numel() > 0) std::memcpy(out, base, tensor.bytes());
        return;
    }
    const auto dims = static_cast<std::size_t>(tensor.dim());
    Dims index(dims, 0);
    std::int64_t offset = 0;
    for (std::int64_t n = 0; n < tensor.numel(); ++n) {
        std::memcpy(out, base + offset * tensor.element_size(), width);
        out += width;
        for (std::size_t d = dims; d > 0; --d) {
            offset += tensor.strides()[d - 1];
            if (++index[d - 1] < tensor.sizes()[d - 1]) break;
            offset -= index[d - 1] * tensor.strides()[d - 1];
            index[d - 1] = 0;
        }
    }
}

// The elements as numpy stores them: row-major, those that numpy lacks widened.
Tensor writable(const Tensor& given) {
    const Tensor tensor = look_at_elements(given);  // of packed weights their numbers
    Tensor dense = tensor;
    if (!tensor.is_contiguous()) {
        dense = empty(tensor.sizes(), tensor.dtype());
        gather(tensor, static_cast<std::byte*>(dense.raw_data()));
    }
    if (!numpy_code(tensor.dtype()).empty()) return dense;
    Tensor wide = empty(tensor.sizes(), is_complex(tensor.dtype()) ? ScalarType::Complex64 : ScalarType::Float32);
    copy_into(wide, dense);
    return wide;
}

std::string npy_header(const Tensor& tensor) {
    std::string dict = concat("{'descr': '", tensor.element_size() == 1 ? '|' : '<', numpy_code(tensor.dtype()),
                              "', 'fortran_order': False, 'shape': (", join(tensor.sizes(), ", "),
                              tensor.dim() == 1 ? ",), }" : "), }");
    // The data starts at a multiple of 64.
    constexpr std::size_t kAlignment = 64;
    const std::size_t before = kMagic.size() + 4;
    dict.append(kAlignment - 1 - (before + dict.size()) % kAlignment, ' ');
    dict += '\n';
    std::string header(kMagic);
    header += {'\x01', '\x00', static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
    return header + dict;
}

std::span<const std::byte> bytes_of(const Tensor& tensor) {
    return {static_cast<const std::byte*>(tensor.raw_data()), tensor.bytes()};
}

// The entry's bytes in place where the elements are aligned, else copied.
Tensor read_entry(const ZipReader& archive, const ZipEntry& entry) {
    const std::size_t size = archive.checked_size(entry, kLargestArray);
    if (entry.is_stored() && entry.data_offset % 64 == 0) return parse_npy(archive.stored_bytes(entry), archive.file());
    const MemoryCategoryScope category(MemoryCategory::Input);
    auto storage = Storage::allocate(size);
    const std::span<std::byte> bytes(static_cast<std::byte*>(storage->data()), size);
    archive.read_into(entry, bytes);
    return parse_npy(bytes, storage);
}

}  // namespace

Tensor parse_npy(std::span<std::byte> bytes, Ptr<RefCounted> owner) {
    ByteReader reader(bytes, "npy file");
    if (reader.take_text(kMagic.size()) != kMagic) throw_file_error("npy: no NumPy array");
    const auto version = reader.little<std::uint8_t>();
    reader.skip(1);
    if (version < 1 || version > 3) throw_file_error(concat("npy: format version ", int{version}));
    const std::uint32_t length = version == 1 ? reader.little<std::uint16_t>() : reader.little<std::uint32_t>();
    const Header header = HeaderParser(reader.take_text(length)).parse();
    const auto size = checked_bytes(header);
    if (size > reader.remaining()) {
        throw_file_error(concat("truncated: array ", shape_text(span_of(header.sizes)), " needs ", size,
                                " bytes, the file has ", reader.remaining()));
    }
    return make_tensor(header, bytes.subspan(reader.position(), static_cast<std::size_t>(size)), std::move(owner));
}

Tensor read_npy(const std::filesystem::path& path) {
    const auto file = MappedFile::open(path);
    try {
        return parse_npy(file->bytes(), file);
    } catch (Error& error) {
        error.add_context({.file = path.string()});
        throw;
    }
}

NamedTensors read_npz(const std::filesystem::path& path) { return read_npz(MappedFile::open(path)); }

NamedTensors read_npz(const Ptr<MappedFile>& file) {
    const ZipReader archive(file);
    NamedTensors tensors;
    for (const auto& entry : archive.entries()) {
        try {
            std::string name = entry.name;
            if (name.ends_with(".npy")) name.resize(name.size() - 4);
            tensors.emplace_back(std::move(name), read_entry(archive, entry));
        } catch (const Error& error) {
            throw Error(error.kind(), concat("in ", quote_name(entry.name), ": ", error.message()),
                        {.file = archive.file_name()});
        }
    }
    return tensors;
}

void write_npy(const std::filesystem::path& path, const Tensor& tensor) {
    const Tensor dense = writable(tensor);
    AtomicFile file(path);
    file.write(npy_header(dense));
    file.write(bytes_of(dense));
    file.commit();
}

void write_npz(const std::filesystem::path& path, const NamedTensors& tensors) {
    ZipWriter archive(path);
    for (const auto& [name, tensor] : tensors) add_npy(archive, name + ".npy", tensor);
    archive.finish();
}

void add_npy(ZipWriter& archive, std::string_view entry, const Tensor& tensor) {
    const Tensor dense = writable(tensor);
    const std::string header = npy_header(dense);
    archive.add(entry, {std::as_bytes(std::span(header)), bytes_of(dense)});
}

}  // namespace loupe
