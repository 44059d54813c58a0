// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/shared_library.h"

#include <elf.h>

#include <cstring>
#include <type_traits>

#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"

namespace loupe::exported {
namespace {

using Bytes = std::span<const std::byte>;

Bytes part_of(Bytes bytes, std::uint64_t offset, std::uint64_t size, const char* what) {
    if (offset > bytes.size() || size > bytes.size() - offset)
        throw_file_error(concat("a library whose ", what, " lies outside"));
    return bytes.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

// Records may lie at any address.
template <class Record>
Record record_at(Bytes bytes, std::size_t index) {
    static_assert(std::is_trivially_copyable_v<Record>);
    Record record;
    std::memcpy(&record, bytes.data() + index * sizeof(Record), sizeof(Record));
    return record;
}

class Library {
  public:
    Library(Bytes bytes, const Elf64_Ehdr& header) : bytes_(bytes) {
        if (header.e_shnum > 0 && header.e_shentsize != sizeof(Elf64_Shdr))
            throw_file_error("a library whose sections have another size");
        const std::uint64_t size = std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr);
        sections_ = part_of(bytes, header.e_shoff, size, "table of sections");
        count_ = header.e_shnum;
    }

    // The place of a symbol in the file.
    std::optional<std::uint64_t> find(std::string_view name) const {
        for (const std::uint32_t kind : {std::uint32_t{SHT_DYNSYM}, std::uint32_t{SHT_SYMTAB}}) {
            for (std::size_t i = 0; i < count_; ++i) {
                const auto table = record_at<Elf64_Shdr>(sections_, i);
                if (table.sh_type != kind) continue;
                if (const auto found = find_in(table, name)) return found;
            }
        }
        return std::nullopt;
    }

  private:
    std::optional<std::uint64_t> find_in(const Elf64_Shdr& table, std::string_view name) const {
        if (table.sh_link >= count_) throw_file_error("a library whose symbols have no names");
        const auto names = record_at<Elf64_Shdr>(sections_, table.sh_link);
        const std::string_view texts = as_text(part_of(bytes_, names.sh_offset, names.sh_size, "names"));
        const Bytes symbols = part_of(bytes_, table.sh_offset, table.sh_size, "symbols");
        for (std::size_t i = 0; i < symbols.size() / sizeof(Elf64_Sym); ++i) {
            const auto symbol = record_at<Elf64_Sym>(symbols, i);
            if (symbol.st_name >= texts.size() || symbol.st_shndx >= count_) continue;
            const std::string_view rest = texts.substr(symbol.st_name);
            if (rest.substr(0, rest.find('\0')) != name) continue;
            const auto section = record_at<Elf64_Shdr>(sections_, symbol.st_shndx);
            const bool is_inside = section.sh_type == SHT_PROGBITS && symbol.st_value >= section.sh_addr &&
                                   symbol.st_value - section.sh_addr <= section.sh_size;
            if (!is_inside) throw_file_error(concat("a library whose ", quote_name(name), " lies outside"));
            part_of(bytes_, section.sh_offset, section.sh_size, "data");
            return section.sh_offset + (symbol.st_value - section.sh_addr);
        }
        return std::nullopt;
    }

    Bytes bytes_;
    Bytes sections_;
    std::size_t count_ = 0;
};

}  // namespace

std::optional<Bytes> bytes_between(Bytes library, std::string_view start, std::string_view end) {
    if (library.size() < sizeof(Elf64_Ehdr)) return std::nullopt;
    const auto header = record_at<Elf64_Ehdr>(library, 0);
    const bool is_known = std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
                          header.e_ident[EI_DATA] == ELFDATA2LSB;
    if (!is_known) return std::nullopt;
    const Library read(library, header);
    const auto from = read.find(start);
    const auto to = read.find(end);
    if (!from || !to) return std::nullopt;
    if (*to < *from) throw_file_error(concat("a library whose ", quote_name(end), " comes too early"));
    return part_of(library, *from, *to - *from, "data");
}

}  // namespace loupe::exported
