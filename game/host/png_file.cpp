#include "game/host/png_file.hpp"

#include <png.h>

#include <vector>

#include "world/error.hpp"

namespace revenant::game {

void writePng(const std::string& path, int width, int height, std::span<const Color> pixels,
              int scale) {
    const auto times = static_cast<std::size_t>(scale);
    const auto perRow = static_cast<std::size_t>(width);
    const std::size_t columns = perRow * times;
    const std::size_t rows = static_cast<std::size_t>(height) * times;
    std::vector<Color> scaledUp;
    scaledUp.reserve(columns * rows);
    for (std::size_t y = 0; y < rows; ++y)
        for (std::size_t x = 0; x < columns; ++x)
            scaledUp.push_back(pixels[y / times * perRow + x / times]);
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(columns);
    image.height = static_cast<png_uint_32>(rows);
    image.format = PNG_FORMAT_RGBA;
    if (png_image_write_to_file(&image, path.c_str(), 0, scaledUp.data(), 0, nullptr) == 0)
        fail(ErrorCode::BadArgument, "cannot write the picture '", path, "': ", image.message);
}

Image readPng(const std::string& path) {
    png_image file{};
    file.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_file(&file, path.c_str()) == 0)
        fail(ErrorCode::BadArgument, "cannot read the picture '", path, "': ", file.message);
    file.format = PNG_FORMAT_RGBA;
    Image image{static_cast<int>(file.width), static_cast<int>(file.height), {}};
    image.pixels.resize(std::size_t{file.width} * file.height);
    if (png_image_finish_read(&file, nullptr, image.pixels.data(), 0, nullptr) == 0)
        fail(ErrorCode::BadArgument, "cannot read the picture '", path, "': ", file.message);
    return image;
}

}  // namespace revenant::game
