-- What e:getComponent returns: checks at each access that the component still exists.

local core = ...
local ffi = require "ffi"
local C, cast = core.C, ffi.cast
local badValue, noField = core.badValue, core.noField
local asArray, indexInto = core.asArray, core.indexInto
local elementsOf, copyArray = core.elementsOf, core.copyArray

local handleDeclaration = "struct { const uint32_t __index, __generation, __link; }"

local function gone(self, info, level)
    local entity = core.valueOf(self.__link, self.__index, self.__generation)
    if C.isValid(self.__link, self.__index, self.__generation) == 0 then
        error("component '" .. info.name .. "' of " .. tostring(entity) .. " is gone, as its entity is", level + 1)
    end
    error(tostring(entity) .. " has no component '" .. info.name .. "' any more", level + 1)
end

function core.makeHandle(info, id)
    local methods = info.methods
    local readPointer = ffi.typeof("$ *", info.constStruct)
    local writePointer = ffi.typeof("$ *", info.struct)
    local arrays = {}
    local Handle = ffi.typeof(handleDeclaration)

    for _, field in ipairs(info.fields) do
        if field.isArray then
            local raw = field.raw
            local Elements = ffi.typeof(handleDeclaration)
            ffi.metatype(Elements, asArray(info, field, {
                __index = function(self, i)
                    local at = C.findComponent(self.__link, self.__index, self.__generation, id)
                    if at == nil then gone(self, info, 2) end
                    indexInto(info, field, i, 2)
                    return cast(readPointer, at)[0][raw][i]
                end,
                __newindex = function(self, i, value)
                    local at = C.writeComponent(self.__link, self.__index, self.__generation, id)
                    if at == nil then gone(self, info, 2) end
                    indexInto(info, field, i, 2)
                    local _, takes = info.checks[field.name](value)
                    if takes then badValue(info, field, takes, value, 2) end
                    cast(writePointer, at)[0][raw][i] = value
                end,
            }))
            arrays[field.name] = Elements
        end
    end

    ffi.metatype(Handle, {
        __index = function(self, key)
            local at = C.findComponent(self.__link, self.__index, self.__generation, id)
            if at == nil then gone(self, info, 2) end
            local Elements = arrays[key]
            if Elements then return Elements(self.__index, self.__generation, self.__link) end
            if not info.byName[key] then
                local method = methods and methods[key]
                if method == nil then noField(info, key, 2) end
                return method
            end
            return cast(readPointer, at)[0][key]
        end,
        __newindex = function(self, key, value)
            local field = info.byName[key]
            if not field then noField(info, key, 2) end
            local elements, count
            if field.isArray then elements, count = elementsOf(info, field, info.checks[key], value, 2) end
            local at = C.writeComponent(self.__link, self.__index, self.__generation, id)
            if at == nil then gone(self, info, 2) end
            if elements then
                copyArray(cast(writePointer, at)[0][field.raw], elements, count)
                return
            end
            local _, takes = info.checks[key](value)
            if takes then badValue(info, field, takes, value, 2) end
            cast(writePointer, at)[0][key] = value
        end,
        __pairs = info.pairs,
        __tostring = function() return "component '" .. info.name .. "'" end,
    })
    return Handle
end
