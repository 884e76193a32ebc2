-- What is known of a component type (`info`):
--   struct, constStruct   the struct, and the same for read-only columns
--   fill(o, e, initial)   what is initially there merged with overrides, in info.scratch; raises before it writes
--   Handle                what e:getComponent returns
--   columns               the types of its columns, made when first asked for

local core = ...
local ffi = require "ffi"
local C = core.C

local function complete(link, info)
    local number = link.number
    table.sort(info.fields, function(a, b) return a.offset < b.offset end)
    info.byName, info.checks = {}, {}
    for i, field in ipairs(info.fields) do
        field.isDirect = not field.isArray and field.type ~= "entity" and field.type ~= "string" and field.type ~= "i64"
        field.raw = "__field" .. i
        info.byName[field.name] = field
        info.checks[field.name] = core.elementChecker(number, field.type)
    end
    info.struct = core.declareStruct(number, info, false)
    info.constStruct = core.declareStruct(number, info, true)
    info.scratch = info.struct()
    info.initial = info.struct()
    ffi.copy(info.initial, info.defaults, info.size)
    info.fill = core.makeFill(number, info)
    info.Handle = core.makeHandle(info)
end

-- What is known of a component type, by name; nil where there is none.
function core.typeInfo(link, name)
    if type(name) ~= "string" then return nil end
    local id = C.findType(link.number, name, #name)
    if id < 0 then return nil end
    local info = core.native.schemaOf(link.number, id)
    info.id = id
    info.columns = {}
    if info.isScript then
        info.scratch = ffi.new("revenant_ScriptReference")
    else
        complete(link, info)
    end
    link.types[name] = info
    return info
end
