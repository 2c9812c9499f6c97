#include "runner/bundle/archive.h"

#include <archive.h>
#include <archive_entry.h>

#include <array>
#include <cstdint>
#include <memory>

namespace zs {
namespace {

constexpr int64_t kMostBytes = int64_t{4} << 30;

struct EntryDeleter {
  void operator()(archive_entry* entry) const { ::archive_entry_free(entry); }
};
struct WriterDeleter {
  void operator()(archive* a) const { ::archive_write_free(a); }
};
struct ReaderDeleter {
  void operator()(archive* a) const { ::archive_read_free(a); }
};
using Writer = std::unique_ptr<archive, WriterDeleter>;
using ArchiveReader = std::unique_ptr<archive, ReaderDeleter>;

la_ssize_t Append(archive* /*a*/, void* context, const void* data,
                  size_t size) {
  static_cast<std::string*>(context)->append(static_cast<const char*>(data),
                                             size);
  return static_cast<la_ssize_t>(size);
}

std::string Message(archive* a) {
  const char* text = ::archive_error_string(a);
  return text == nullptr ? "unknown error" : text;
}

Status WriteEntry(archive* a, const std::string& path,
                  const std::string& text) {
  const std::unique_ptr<archive_entry, EntryDeleter> entry(
      ::archive_entry_new());
  ::archive_entry_set_pathname(entry.get(), path.c_str());
  ::archive_entry_set_size(entry.get(), static_cast<la_int64_t>(text.size()));
  ::archive_entry_set_filetype(entry.get(), AE_IFREG);
  ::archive_entry_set_perm(entry.get(), 0644);
  ::archive_entry_set_mtime(entry.get(), 0, 0);
  if (::archive_write_header(a, entry.get()) != ARCHIVE_OK ||
      ::archive_write_data(a, text.data(), text.size()) !=
          static_cast<la_ssize_t>(text.size())) {
    return InternalError(path + ": " + Message(a));
  }
  return OkStatus();
}

// The rest of the entry at which A stands.
Result<std::string> ReadEntry(archive* a, int64_t& left) {
  std::string text;
  std::array<char, 65536> block{};
  while (true) {
    const la_ssize_t size = ::archive_read_data(a, block.data(), block.size());
    if (size == 0) {
      return text;
    }
    if (size < 0) {
      return Status(StatusCode::kDataLoss, Message(a));
    }
    left -= size;
    if (left < 0) {
      return Status(StatusCode::kOutOfRange, "it holds more than 4 GiB");
    }
    text.append(block.data(), static_cast<size_t>(size));
  }
}

}  // namespace

Result<std::string> MakeArchive(const ArchiveFiles& files) {
  std::string out;
  const Writer writer(::archive_write_new());
  archive* const a = writer.get();
  if (::archive_write_set_format_pax_restricted(a) != ARCHIVE_OK ||
      ::archive_write_add_filter_zstd(a) != ARCHIVE_OK ||
      ::archive_write_set_bytes_in_last_block(a, 1) != ARCHIVE_OK ||
      ::archive_write_open(a, &out, nullptr, &Append, nullptr) != ARCHIVE_OK) {
    return InternalError("libarchive: " + Message(a));
  }
  for (const auto& [path, text] : files) {
    RETURN_IF_ERROR(WriteEntry(a, path, text));
  }
  if (::archive_write_close(a) != ARCHIVE_OK) {
    return InternalError("libarchive: " + Message(a));
  }
  return out;
}

Result<ArchiveFiles> ReadArchive(const std::string& path) {
  const ArchiveReader reader(::archive_read_new());
  archive* const a = reader.get();
  ::archive_read_support_filter_zstd(a);
  ::archive_read_support_format_tar(a);
  if (::archive_read_open_filename(a, path.c_str(), 65536) != ARCHIVE_OK) {
    return Status(StatusCode::kDataLoss,
                  path + ": no archive of `runner bundle`: " + Message(a));
  }
  ArchiveFiles files;
  int64_t left = kMostBytes;
  std::string last = "its beginning";
  while (true) {
    archive_entry* entry = nullptr;
    const int found = ::archive_read_next_header(a, &entry);
    if (found == ARCHIVE_EOF) {
      return files;
    }
    if (found != ARCHIVE_OK) {
      return Status(StatusCode::kDataLoss,
                    path + ": damaged after " + last + ": " + Message(a));
    }
    const char* name = ::archive_entry_pathname(entry);
    auto text = ReadEntry(a, left);
    if (!text.ok()) {
      return text.status().WithContext(
          path + ": damaged at " +
          (name == nullptr ? std::string("an entry") : std::string(name)));
    }
    if (name != nullptr && ::archive_entry_filetype(entry) == AE_IFREG) {
      last = name;
      files[last] = *std::move(text);
    }
  }
}

}  // namespace zs
