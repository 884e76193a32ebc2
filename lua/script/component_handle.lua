-- What e:getComponent returns: checks at each access that the component still exists. It keeps where the component was
-- found last, which is good for as long as nothing in the world has moved (ComponentStore::moves).

local core = ...
local ffi = require "ffi"
local type = type  -- a local is a constant to the compiler, a global is not
local C, cast = core.C, ffi.cast
local badValue, noField = core.badValue, core.noField
local asArray, indexInto = core.asArray, core.indexInto
local elementsOf, copyArray = core.elementsOf, core.copyArray
local findComponent, writeComponent = C.findComponent, C.writeComponent
local findForHandle, openForHandle, touchForHandle = C.findForHandle, C.openForHandle, C.touchForHandle

local elementsDeclaration = "struct { const int32_t __index; const uint32_t __generation; const int32_t __link; }"
-- Const to scripts; the native side writes to them (HandleCells). `__moves`: the world's count of moves, `__now`, when the component
-- was found.
local handleDeclaration = [[struct {
    const int32_t __index;
    const uint32_t __generation;
    const int32_t __link;
    const int32_t __slot;
    const int32_t __type;
    const double __moves;
    const double *const __now;
    $ *const __at;
    void *const __page;
    const void *const __clock;
}]]

local function gone(self, info, level)
    local entity = core.valueOf(self.__link, self.__index, self.__generation)
    if C.isValid(self.__link, self.__index, self.__generation) == 0 then
        error("component '" .. info.name .. "' of " .. tostring(entity) .. " is gone, as its entity is", level + 1)
    end
    if core.native.isReplacing(self.__link) and entity:hasComponent(info.name) then
        error("component '" .. info.name .. "' of " .. tostring(entity) .. " cannot be written to while a save is loaded: "
            .. "migrate and restoreRewindState only read and write their own state", level + 1)
    end
    error(tostring(entity) .. " has no component '" .. info.name .. "' any more", level + 1)
end

local function makeElements(info, field, id)
    local readPointer = ffi.typeof("$ *", info.constStruct)
    local writePointer = ffi.typeof("$ *", info.struct)
    local raw, Elements = field.raw, ffi.typeof(elementsDeclaration)
    ffi.metatype(Elements, asArray(info, field, {
        __index = function(self, i)
            local at = findComponent(self.__link, self.__index, self.__generation, id)
            if at == nil then gone(self, info, 2) end
            indexInto(info, field, i, 2)
            return cast(readPointer, at)[0][raw][i]
        end,
        __newindex = function(self, i, value)
            local at = writeComponent(self.__link, self.__index, self.__generation, id)
            if at == nil then gone(self, info, 2) end
            indexInto(info, field, i, 2)
            local _, takes = info.checks[field.name](value)
            if takes then badValue(info, field, takes, value, 2) end
            cast(writePointer, at)[0][raw][i] = value
        end,
    }))
    return Elements
end

local mostSpelledOut = 24
local handleTypes = {}  -- by the number that LuaJIT gives a type

function core.isHandle(value) return handleTypes[tonumber(ffi.typeof(value))] or false end

-- __index and __newindex. Direct fields are spelled out, as in component_struct.lua.
local function makeAccess(info, get, set, find, lost, bad)
    local names, checks, reads, writes = {}, {}, {}, {}
    for i, field in ipairs(info.fields) do
        if field.isDirect and #reads < mostSpelledOut then
            local name, n = ("%q"):format(field.name), #reads + 1
            names[n], checks[n] = "check" .. n, info.checks[field.name]
            reads[n] = ("if key == %s then return self.__at.%s end"):format(name, field.raw)
            writes[n] = ([[if key == %s then
                if touch(self) ~= 0 then lost(self) end
                local _, takes = check%d(value)
                if takes then bad(%d, takes, value) end
                self.__at.%s = value
                return
            end]]):format(name, n, i, field.raw)
        end
    end
    local code = "local get, set, find, touch, lost, bad" .. (#names > 0 and ", " .. table.concat(names, ", ") or "")
        .. " = ...\nreturn function(self, key)\nif self.__moves ~= self.__now[0] then find(self) end\n"
        .. table.concat(reads, "\n") .. "\nreturn get(self, key)\nend,\n"
        .. "function(self, key, value)\n" .. table.concat(writes, "\n") .. "\nreturn set(self, key, value)\nend"
    return assert(loadstring(code, "=revenant/" .. info.name))(get, set, find, touchForHandle, lost, bad, unpack(checks))
end

function core.makeHandle(info, id)
    local methods = info.methods
    local Handle = ffi.typeof(handleDeclaration, info.struct)
    handleTypes[tonumber(Handle)] = true
    local arrays = {}
    for _, field in ipairs(info.fields) do
        if field.isArray then arrays[field.name] = makeElements(info, field, id) end
    end

    -- Answers whether the component is there.
    local function refresh(self) return findForHandle(self) == 0 end
    local function find(self)
        if findForHandle(self) ~= 0 then gone(self, info, 3) end
    end
    local function lost(self) gone(self, info, 3) end
    local function open(self)
        if openForHandle(self) ~= 0 then gone(self, info, 3) end
        return self.__at
    end
    local function get(self, key)
        local Elements = arrays[key]
        if Elements then return Elements(self.__index, self.__generation, self.__link) end
        if not info.byName[key] then
            local method = methods and methods[key]
            if method == nil then noField(info, key, 2) end
            return method
        end
        return self.__at[0][key]
    end
    local function set(self, key, value)
        local field = info.byName[key]
        if not field then noField(info, key, 2) end
        local elements, count
        if field.isArray then elements, count = elementsOf(info, field, info.checks[key], value, 2) end
        local at = open(self)
        if elements then
            copyArray(at[0][field.raw], elements, count)
            return
        end
        local _, takes = info.checks[key](value)
        if takes then badValue(info, field, takes, value, 2) end
        at[0][key] = value
    end
    local function bad(i, takes, value) badValue(info, info.fields[i], takes, value, 3) end

    local read, write = makeAccess(info, get, set, find, lost, bad)
    ffi.metatype(Handle, {
        __index = read,
        __newindex = write,
        __pairs = info.pairs,
        __tostring = function() return "component '" .. info.name .. "'" end,
    })
    return Handle, refresh
end
