-- The colours of everything, by letter. Pictures are strings of these letters; a dot is nothing.

local palette = {}

palette.colors = {
    k = 0x0e0b1c, n = 0x1a1530, d = 0x2a2349, i = 0x41386b, v = 0x65528f, l = 0x9a80bd, p = 0xd2b8e2, w = 0xfaf4ff,
    r = 0xd9415d, o = 0xf27f45, y = 0xf9c857, c = 0xfff1b8, R = 0x8f2750,
    T = 0x123a45, t = 0x1d6068, q = 0x2fa597, a = 0x86e8c4,
    b = 0x3b2838, m = 0x6e4a4c, s = 0xb1805f, S = 0xe0b487,
    h = 0x3f4763, e = 0x73809f, f = 0xb7c4d9,
}

-- As the canvas takes them, 0xRRGGBBAA, and as four bytes.
palette.numbers, palette.bytes = {}, { ["."] = "\0\0\0\0" }
for letter, rgb in pairs(palette.colors) do
    palette.numbers[letter] = rgb * 256 + 255
    palette.bytes[letter] = string.char(math.floor(rgb / 65536), math.floor(rgb / 256) % 256, rgb % 256, 255)
end

-- A colour between two, both 0xRRGGBB.
function palette.mix(a, b, part)
    local mixed = 0
    for shift = 16, 0, -8 do
        local x, y = math.floor(a / 2 ^ shift) % 256, math.floor(b / 2 ^ shift) % 256
        mixed = mixed + math.floor(x + (y - x) * part + 0.5) * 2 ^ shift
    end
    return mixed
end

-- The same colour, seen through: alpha is 0 to 1.
function palette.fade(number, alpha)
    return math.floor(number / 256) * 256 + math.floor((number % 256) * alpha + 0.5)
end

return palette
