#include "game/host/png_file.hpp"

#include <png.h>

#include <vector>

#include "world/error.hpp"

namespace revenant::game {

void writePng(const std::string& path, int width, int height, std::span<const Color> pixels,
              int scale) {
    const int columns = width * scale;
    std::vector<Color> scaledUp;
    scaledUp.reserve(static_cast<std::size_t>(columns) * static_cast<std::size_t>(height * scale));
    for (int y = 0; y < height * scale; ++y)
        for (int x = 0; x < columns; ++x)
            scaledUp.push_back(pixels[static_cast<std::size_t>((y / scale) * width + x / scale)]);
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(columns);
    image.height = static_cast<png_uint_32>(height * scale);
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
