#include "engine/loaded_libraries.h"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>

namespace zs {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kKernels = "linux-vdso.so.1";

std::string Hex(const unsigned char* bytes, size_t count) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += kDigits[bytes[i] >> 4U];
    text += kDigits[bytes[i] & 15U];
  }
  return text;
}

// Notes are aligned to four bytes.
size_t Padded(size_t size) {
  return (size + 3) / 4 * 4;
}

// The build id among the notes at BEGIN; empty where it is not there. See
// elf(5), "Notes".
std::string BuildIdIn(const unsigned char* begin, size_t size) {
  for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
    ElfW(Nhdr) note;
    std::memcpy(&note, begin + at, sizeof note);
    const size_t name = at + sizeof note;
    const size_t content = name + Padded(note.n_namesz);
    const size_t end = content + Padded(note.n_descsz);
    if (end > size) {
      break;
    }
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(begin + name, ELF_NOTE_GNU, 4) == 0) {
      return Hex(begin + content, note.n_descsz);
    }
    at = end;
  }
  return "";
}

std::string BuildOf(const dl_phdr_info& info, const fs::path& file) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info.dlpi_phdr[i];
    if (header.p_type == PT_NOTE) {
      std::string id = BuildIdIn(reinterpret_cast<const unsigned char*>(
                                     info.dlpi_addr + header.p_vaddr),
                                 header.p_memsz);
      if (!id.empty()) {
        return id;
      }
    }
  }
  std::error_code error;
  const auto bytes = fs::file_size(file, error);
  return "bytes:" + (error ? std::string("?") : std::to_string(bytes));
}

using Builds = std::map<std::string, std::string>;

int AddLibrary(dl_phdr_info* info, size_t /*size*/, void* builds) {
  const std::string_view name = info->dlpi_name;
  if (name.empty() || name == kKernels) {  // the program itself has no name
    return 0;
  }
  std::error_code error;
  fs::path file = fs::canonical(name, error);
  file = error ? fs::path(name) : file;
  (*static_cast<Builds*>(builds))[file.filename().string()] =
      BuildOf(*info, file);
  return 0;
}

}  // namespace

std::string LoadedLibraries() {
  Builds builds;
  ::dl_iterate_phdr(AddLibrary, &builds);
  std::string lines;
  for (const auto& [name, build] : builds) {
    lines += name + " " + build + "\n";
  }
  return lines;
}

}  // namespace zs
