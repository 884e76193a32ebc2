#include "world/codec/file_bytes.hpp"

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <io.h>
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "world/error.hpp"

namespace revenant {

namespace {

// The few calls that differ between systems. Not std::filesystem and std::fstream: where the C++ library is part of the
// module, they are a quarter of it.
#ifdef _WIN32

using Path = std::wstring;

// Windows itself would read plain chars in the code page of the user's language.
Path pathOf(const std::string& utf8) {
    const int size = static_cast<int>(utf8.size());
    const int room =
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, utf8.data(), size, nullptr, 0);
    if (room == 0) fail(ErrorCode::BadArgument, "its path is empty or not UTF-8");
    Path path(static_cast<std::size_t>(room), L' ');
    MultiByteToWideChar(CP_UTF8, 0, utf8.data(), size, path.data(), room);
    return path;
}

std::FILE* openFile(const Path& path) noexcept {
    return _wfopen(path.c_str(), L"rb");
}

// What is at a path and is no file; null: a file, or nothing.
const char* findOther(const Path& path) noexcept {
    const DWORD attributes = GetFileAttributesW(path.c_str());
    const bool isFolder =
        attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    return isFolder ? "it is a folder" : nullptr;
}

Path followLinks(const std::string& utf8) {
    return pathOf(utf8);
}

std::FILE* openNew(const Path& path, const Path& /*like*/) noexcept {
    return _wfopen(path.c_str(), L"wb");
}

std::int64_t sizeOf(std::FILE* file) noexcept {
    const std::int64_t size = _fseeki64(file, 0, SEEK_END) == 0 ? _ftelli64(file) : -1;
    return _fseeki64(file, 0, SEEK_SET) == 0 ? size : -1;
}

bool flushToDisk(std::FILE* file) noexcept {
    return std::fflush(file) == 0 && _commit(_fileno(file)) == 0;
}

// Returns 0, or the system's error code.
int rename(const Path& from, const Path& to) noexcept {
    const DWORD how = MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH;
    return MoveFileExW(from.c_str(), to.c_str(), how) != 0 ? 0 : static_cast<int>(GetLastError());
}

void remove(const Path& path) noexcept {
    _wremove(path.c_str());
}

void flushFolderOf(const Path& /*path*/) noexcept {}  // the rename has written through

#else

using Path = std::string;

Path pathOf(const std::string& utf8) {
    return utf8;
}

std::FILE* openFile(const Path& path) noexcept {
    return std::fopen(path.c_str(), "rb");
}

// What is at a path and is no file; null: a file, or nothing. Opening a pipe would block, and a device would be replaced.
const char* findOther(const Path& path) noexcept {
    struct stat about {};
    if (stat(path.c_str(), &about) != 0 || S_ISREG(about.st_mode)) return nullptr;
    return S_ISDIR(about.st_mode) ? "it is a folder" : "it is a device or a pipe, not a file";
}

// A link stays, and what it leads to is replaced. One that leads nowhere is replaced itself.
Path followLinks(const std::string& utf8) {
    char found[PATH_MAX];
    return realpath(utf8.c_str(), found) ? found : utf8;
}

// Creates a new file, even where one of its name was left behind, with the permissions of the file it will replace.
std::FILE* openNew(const Path& path, const Path& like) noexcept {
    constexpr mode_t usual = 0666;
    struct stat about {};
    const bool isThere = stat(like.c_str(), &about) == 0;
    unlink(path.c_str());
    const int number = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, usual);
    if (number < 0) return nullptr;
    if (isThere) static_cast<void>(fchmod(number, about.st_mode & 07777));
    std::FILE* file = fdopen(number, "wb");
    if (!file) close(number);
    return file;
}

std::int64_t sizeOf(std::FILE* file) noexcept {
    const std::int64_t size = fseeko(file, 0, SEEK_END) == 0 ? ftello(file) : -1;
    return fseeko(file, 0, SEEK_SET) == 0 ? size : -1;
}

// Waits until the operating system has handed the file's bytes to the disk. Some file systems have nothing to
// flush and say so with EINVAL.
bool flushToDisk(std::FILE* file) noexcept {
    return std::fflush(file) == 0 && (fsync(fileno(file)) == 0 || errno == EINVAL);
}

int rename(const Path& from, const Path& to) noexcept {
    return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

void remove(const Path& path) noexcept {
    unlink(path.c_str());
}

// Makes a rename durable by syncing the folder. A failure is harmless: the file is whole either way.
void flushFolderOf(const Path& folder) noexcept {
    const int number = open(folder.c_str(), O_RDONLY | O_CLOEXEC);
    if (number < 0) return;
    fsync(number);
    close(number);
}

#endif

// Returns 0, or the errno of what failed.
int writeAll(const Path& path, const Path& like, std::span<const std::byte> bytes) noexcept {
    errno = 0;
    std::FILE* file = openNew(path, like);
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

struct Closing {
    std::FILE* file;
    explicit Closing(std::FILE* opened) noexcept : file(opened) {}
    Closing(const Closing&) = delete;
    Closing& operator=(const Closing&) = delete;
    ~Closing() {
        if (file) std::fclose(file);
    }
};

}  // namespace

std::vector<std::byte> readFile(const std::string& utf8, std::uint64_t mostBytes) {
    const Path path = pathOf(utf8);
    if (const char* other = findOther(path))
        fail(ErrorCode::BadArgument, "it cannot be read: ", other);
    errno = 0;
    const Closing in(openFile(path));
    const std::int64_t size = in.file ? sizeOf(in.file) : -1;
    if (size < 0) fail(ErrorCode::BadArgument, "it cannot be read: ", std::strerror(errno));
    if (static_cast<std::uint64_t>(size) > mostBytes)
        fail(ErrorCode::BadArgument, "it is too large: it has ", size, " bytes, and none of its ",
             "kind has more than ", mostBytes);
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    if (size > 0 && std::fread(bytes.data(), 1, bytes.size(), in.file) != bytes.size())
        fail(ErrorCode::BadArgument, "it cannot be read: ",
             errno != 0 ? std::strerror(errno) : "it is shorter than it says");
    return bytes;
}

void writeFile(const std::string& utf8, std::span<const std::byte> bytes) {
    // Everything that allocates comes first, so that running out of memory leaves nothing behind.
    const Path to = followLinks(utf8);
    const Path from = to + pathOf(".unfinished");
    const auto slash = to.find_last_of('/');
    const Path folder = slash == Path::npos ? pathOf(".") : to.substr(0, slash + 1);
    if (const char* other = findOther(to))
        fail(ErrorCode::BadArgument, "it cannot be written: ", other);
    const int unwritten = writeAll(from, to, bytes);
    const int unnamed = unwritten == 0 ? rename(from, to) : 0;
    if (unwritten == 0 && unnamed == 0) return flushFolderOf(folder);
    remove(from);
    fail(ErrorCode::BadArgument, "it cannot be written: ",
         unwritten != 0 ? std::string(std::strerror(unwritten))
                        : std::system_category().message(unnamed));
}

}  // namespace revenant
