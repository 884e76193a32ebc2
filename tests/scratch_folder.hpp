// ScratchFolder: a folder of one's own, gone with the test. Tests run side by side: no two may
// use the same.
#pragma once

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

namespace revenant {

class ScratchFolder {
public:
    ScratchFolder() {
        static std::random_device device;
        do
            path_ =
                std::filesystem::temp_directory_path() / ("revenant_" + std::to_string(device()));
        while (!std::filesystem::create_directory(path_));
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    ~ScratchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    std::string path() const { return path_.string(); }
    std::string file(const char* name) const { return (path_ / name).string(); }
    // Returns the file's path.
    std::string write(const char* name, const std::string& text) const {
        std::ofstream(path_ / name) << text;
        return file(name);
    }

private:
    std::filesystem::path path_;
};

}  // namespace revenant
