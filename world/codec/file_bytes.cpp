#include "world/codec/file_bytes.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#ifdef _WIN32
#include <io.h>
#else
#include <fcntl.h>
#include <unistd.h>
#endif

#include "world/error.hpp"

namespace revenant {

namespace {

// Waits until the operating system has handed the file's bytes to the disk.
bool flushToDisk(std::FILE* file) noexcept {
    if (std::fflush(file) != 0) return false;
#ifdef _WIN32
    return _commit(_fileno(file)) == 0;
#else
    // Some file systems have nothing to flush and say so with EINVAL.
    return fsync(fileno(file)) == 0 || errno == EINVAL;
#endif
}

// Makes a rename last: on POSIX the folder is what remembers it. A failure is harmless, the file is
// whole either way.
void flushFolder([[maybe_unused]] const std::filesystem::path& path) noexcept {
#ifndef _WIN32
    const int folder = open(path.empty() ? "." : path.c_str(), O_RDONLY | O_CLOEXEC);
    if (folder < 0) return;
    fsync(folder);
    close(folder);
#endif
}

// Answers 0, or the errno of what failed.
int writeAll(const std::string& path, std::span<const std::byte> bytes) noexcept {
    errno = 0;
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (!file) return errno;
    bool isWritten =
        bytes.empty() || std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    isWritten = isWritten && flushToDisk(file);
    const int error = errno;
    const bool isClosed = std::fclose(file) == 0;
    if (isWritten && isClosed) return 0;
    const int code = isWritten ? errno : error;
    return code != 0 ? code : EIO;
}

}  // namespace

std::vector<std::byte> readFile(const std::string& path) {
    if (std::error_code error; std::filesystem::is_directory(path, error))
        fail(ErrorCode::BadArgument, "it cannot be read: it is a folder");
    std::ifstream in(path, std::ios::binary | std::ios::ate);
    const auto size = static_cast<std::streamoff>(in.tellg());
    if (!in || size < 0) fail(ErrorCode::BadArgument, "it cannot be read: ", std::strerror(errno));
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    in.seekg(0);
    in.read(reinterpret_cast<char*>(bytes.data()), size);
    if (!in) fail(ErrorCode::BadArgument, "it cannot be read: ", std::strerror(errno));
    return bytes;
}

void writeFile(const std::string& path, std::span<const std::byte> bytes) {
    // All that needs memory first: nothing is left behind if there is none.
    const std::string unfinished = path + ".unfinished";
    const std::filesystem::path from(unfinished);
    const std::filesystem::path to(path);
    const std::filesystem::path folder = to.parent_path();
    std::error_code renamed;
    const int error = writeAll(unfinished, bytes);
    if (error == 0) std::filesystem::rename(from, to, renamed);
    if (error == 0 && !renamed) return flushFolder(folder);
    std::error_code ignored;
    std::filesystem::remove(from, ignored);
    fail(ErrorCode::BadArgument,
         "it cannot be written: ", error != 0 ? std::strerror(error) : renamed.message());
}

}  // namespace revenant
