// Archives of files in memory: tar, compressed with Zstandard.
#ifndef RUNNER_BUNDLE_ARCHIVE_H_
#define RUNNER_BUNDLE_ARCHIVE_H_

#include <map>
#include <string>

#include "base/status.h"

namespace zs {

using ArchiveFiles = std::map<std::string, std::string>;  // by path

// The same files give the same bytes: no times, no owners, in order of paths.
Result<std::string> MakeArchive(const ArchiveFiles& files);

// The regular files of the archive at PATH. kDataLoss where it is damaged or
// cut off, naming the last entry that was whole; kOutOfRange beyond 4 GiB
// unpacked. Nothing is written anywhere.
Result<ArchiveFiles> ReadArchive(const std::string& path);

}  // namespace zs

#endif  // RUNNER_BUNDLE_ARCHIVE_H_
