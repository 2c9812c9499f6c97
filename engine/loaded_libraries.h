// The shared libraries that a process runs with.
#ifndef ENGINE_LOADED_LIBRARIES_H_
#define ENGINE_LOADED_LIBRARIES_H_

#include <string>

namespace zs {

// A line "NAME BUILD" for each library that is loaded now, by name. NAME is
// that of the file behind all links (libgomp.so.1.0.0); BUILD is the linker's
// build id, in hex, which another build of the same version does not share; of
// a library without one "bytes:N", the size of its file.
std::string LoadedLibraries();

}  // namespace zs

#endif  // ENGINE_LOADED_LIBRARIES_H_
