-- The notation of docs/history_file_format.md, for readers that share no code with the library's.

local ffi = require "ffi"
local bit = require "bit"
ffi.cdef [[
size_t ZSTD_decompress(void *, size_t, const void *, size_t);
uint64_t XXH3_64bits_withSeed(const void *, size_t, uint64_t);
]]
local zstd, xxhash = ffi.load("zstd"), ffi.load("xxhash")

local Reader = {}
Reader.__index = Reader
local function open(text) return setmetatable({ text = text, at = 1 }, Reader) end
function Reader:bytes(count)
    assert(self.at + count - 1 <= #self.text, "it ends too early")
    self.at = self.at + count
    return self.text:sub(self.at - count, self.at - 1)
end
function Reader:rest() return self:bytes(#self.text - self.at + 1) end
function Reader:expectEnd() assert(self.at == #self.text + 1, "it goes on beyond its end") end
function Reader:byte() return self:bytes(1):byte() end
function Reader:u32() return tonumber(ffi.cast("const uint32_t *", self:bytes(4))[0]) end
function Reader:f64() return ffi.cast("const double *", self:bytes(8))[0] end
function Reader:u64() return ffi.cast("const uint64_t *", self:bytes(8))[0] end
function Reader:number()
    local value, shift = 0ULL, 0
    repeat
        local byte = self:byte()
        value = value + bit.lshift(0ULL + byte % 128, shift)
        shift = shift + 7
    until byte < 128
    return value
end
function Reader:count() return tonumber(self:number()) end
function Reader:signed()
    local value = self:number()
    return tonumber(ffi.cast("int64_t", bit.bxor(bit.rshift(value, 1), 0ULL - bit.band(value, 1ULL))))
end
function Reader:flag()
    local byte = self:byte()
    assert(byte <= 1, "a flag is neither 0 nor 1")
    return byte == 1
end
function Reader:sized() return self:bytes(self:count()) end
function Reader:list(read)
    local all = {}
    for i = 1, self:count() do all[i] = read(self) end
    return all
end
function Reader:id() return { index = self:count(), generation = self:count() } end
local function unpackZstd(packed)
    local reader = open(packed)
    local size, frame = reader:count(), reader:rest()
    local raw = ffi.new("uint8_t[?]", size + 1)
    assert(tonumber(zstd.ZSTD_decompress(raw, size, frame, #frame)) == size, "it does not unpack")
    return open(ffi.string(raw, size))
end

return { Reader = Reader, open = open, unpackZstd = unpackZstd, xxhash = xxhash }
