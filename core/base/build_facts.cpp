// SPDX-License-Identifier: Apache-2.0
#include "core/base/build_facts.h"

#include <elf.h>
#include <link.h>

#include <cstring>

#include "core/base/strings.h"

namespace loupe {
namespace {

// The number in a segment of notes: each has the sizes of its name and content, its type, then both, in whole words.
std::string build_id_in(const char* notes, std::size_t size) {
    const auto rounded = [](std::size_t bytes) { return (bytes + 3) / 4 * 4; };
    while (size >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        std::memcpy(&note, notes, sizeof note);
        const std::size_t whole = sizeof note + rounded(note.n_namesz) + rounded(note.n_descsz);
        if (whole > size) break;
        if (note.n_type == NT_GNU_BUILD_ID &&
            std::string_view(notes + sizeof note, note.n_namesz) == std::string_view("GNU", 4)) {
            std::string id;
            const char* const bytes = notes + sizeof note + rounded(note.n_namesz);
            for (std::size_t i = 0; i < note.n_descsz; ++i) {
                constexpr std::string_view kDigits = "0123456789abcdef";
                const auto byte = static_cast<unsigned char>(bytes[i]);
                id += kDigits[byte / 16];
                id += kDigits[byte % 16];
            }
            return id;
        }
        notes += whole;
        size -= whole;
    }
    return {};
}

}  // namespace

std::string_view version() { return LOUPE_VERSION; }

std::string build_facts(std::string_view program) {
#if defined(__clang__)
    constexpr const char* kCompiler = "clang " __clang_version__;
#else
    constexpr const char* kCompiler = "gcc " __VERSION__;
#endif
#if defined(__x86_64__)
    constexpr const char* kMachine = "x86-64";
#elif defined(__aarch64__)
    constexpr const char* kMachine = "aarch64";
#else
    constexpr const char* kMachine = "another machine";
#endif
    return concat(program, " ", version(), "\nbuilt by ", kCompiler, " for ", kMachine, ", ", LOUPE_BUILD_TYPE,
                  "; C++ library ", __GLIBCXX__);
}

std::string build_id() {
    struct Search {
        ElfW(Addr) inside;
        std::string found;
    };
    Search search{reinterpret_cast<ElfW(Addr)>(&build_id), {}};
    const auto look = [](dl_phdr_info* object, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        bool is_ours = false;
        for (int i = 0; i < object->dlpi_phnum; ++i) {
            const auto& part = object->dlpi_phdr[i];
            const ElfW(Addr) begin = object->dlpi_addr + part.p_vaddr;
            is_ours =
                is_ours || (part.p_type == PT_LOAD && wanted.inside >= begin && wanted.inside < begin + part.p_memsz);
        }
        if (!is_ours) return 0;
        for (int i = 0; i < object->dlpi_phnum && wanted.found.empty(); ++i) {
            const auto& part = object->dlpi_phdr[i];
            if (part.p_type == PT_NOTE)
                wanted.found =
                    build_id_in(reinterpret_cast<const char*>(object->dlpi_addr + part.p_vaddr), part.p_memsz);
        }
        return 1;
    };
    ::dl_iterate_phdr(look, &search);
    return search.found;
}

}  // namespace loupe
