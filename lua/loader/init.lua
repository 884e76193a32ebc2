-- Finds and loads the Revenant binary for this platform. A game carries this file as revenant/init.lua with the
-- binaries beside it, and calls require "revenant":
--
--     revenant/init.lua
--     revenant/linux-x64/revenant.so
--     revenant/linux-arm64/revenant.so
--     revenant/windows-x64/revenant.dll
--
-- An operating system loads libraries only from real files. So where LÖVE runs an archive (a .love or a fused
-- executable) the binary is copied into the game's save directory first, under a name made from its content: a new
-- version of the game gets a new file. Without a binary of its own the game gets the one that is installed.

if type(jit) ~= "table" then
    error("revenant needs LuaJIT, and this is " .. _VERSION .. "; LÖVE and luajit have it", 0)
end

local platform = jit.os:lower() .. "-" .. jit.arch
local fileName = jit.os == "Windows" and "revenant.dll" or "revenant.so"
local files = type(love) == "table" and love.filesystem

-- In the game's folder or archive, as LÖVE sees it, or beside this file.
local chunk = debug.getinfo(1, "S").source
local folder = (...) and (...):gsub("%.", "/"):gsub("/init$", "") or "revenant"
local besides = chunk:sub(1, 1) == "@" and chunk:sub(2):match("^(.*)[/\\]init%.lua$") or "."

local function isFile(path)
    local file = io.open(path, "rb")
    if file then file:close() end
    return file ~= nil
end

-- Writes the copy whole or not at all: another instance of the game may be loading it at this moment, and a library that is
-- cut while it is mapped ends its process.
local function writeCopy(target, content)
    local unique = ("%s.%s-%d.new"):format(target, tostring({}):match("%w+$"), os.clock() * 1e6)
    local ok, why = files.write(unique, content)
    if not ok then
        files.remove(unique)
        return nil, why
    end
    local save = files.getSaveDirectory() .. "/"
    if os.rename(save .. unique, save .. target) then return true end
    files.remove(unique) -- Windows: its code page lacks a letter of the path, or the file is in use; it cannot be cut there
    return files.write(target, content)
end

-- The binary in the save directory, copied there if it is not yet.
local function copyOut(path)
    local content, reason = files.read(path)
    if not content then error("revenant: cannot read " .. path .. " in the game: " .. tostring(reason), 0) end
    local data = love.data or require "love.data" -- conf.lua may leave it out
    local digest = data.encode("string", "hex", data.hash("sha1", content)):sub(1, 16)
    local target = "revenant-" .. digest .. "-" .. fileName
    if not files.getInfo(target) or files.read(target) ~= content then
        local ok, why = writeCopy(target, content)
        if not ok and files.read(target) ~= content then -- another instance of the game may have been faster
            error("revenant: cannot copy its binary to " .. files.getSaveDirectory() .. "/" .. target .. ": "
                .. tostring(why):gsub("%.$", "") .. "; the game needs to write to its save directory (t.identity in conf.lua)", 0)
        end
    end
    return files.getSaveDirectory() .. "/" .. target
end

local function findInLove()
    for _, place in ipairs { folder, besides } do
        local path = place .. "/" .. platform .. "/" .. fileName
        if files.getInfo(path, "file") then
            local real = files.getRealDirectory(path) .. "/" .. path
            return isFile(real) and real or copyOut(path)
        end
    end
end

local function findBesides()
    local path = besides .. "/" .. platform .. "/" .. fileName
    return isFile(path) and path or nil
end

-- Windows reads the path that loadlib gets in the code page of the user's language, and LÖVE's paths are UTF-8. A library
-- with other letters than ASCII in its path is loaded by its wide name first: loadlib then knows it by its file name.
local function nameToLoad(path)
    if jit.os ~= "Windows" or not path:find("[\128-\255]") then return path end
    local ffi = require "ffi"
    ffi.cdef [[
        int revenantWiden(unsigned page, unsigned long flags, const char* text, int size, wchar_t* wide, int room)
            __asm__("MultiByteToWideChar");
        void* revenantLoadWide(const wchar_t* path) __asm__("LoadLibraryW");
    ]]
    local utf8 = 65001
    local size = ffi.C.revenantWiden(utf8, 0, path, -1, nil, 0)
    local wide = ffi.new("wchar_t[?]", math.max(size, 1))
    ffi.C.revenantWiden(utf8, 0, path, -1, wide, size)
    return ffi.C.revenantLoadWide(wide) ~= nil and path:match("[^/\\]+$") or path
end

local path = files and findInLove() or findBesides() or package.searchpath("revenant", package.cpath)
if not path then
    error("revenant: there is no binary for " .. platform .. ". Put " .. fileName .. " for it at " .. folder .. "/" .. platform
        .. "/" .. fileName .. " in the game, or install it where package.cpath finds it", 0)
end
local open, reason = package.loadlib(nameToLoad(path), "luaopen_revenant")
if not open then
    error("revenant: " .. path .. " is there but cannot be loaded on " .. platform .. ": " .. tostring(reason)
        .. "; either it is for another platform, or a library that it needs is missing", 0)
end
return open("revenant")
