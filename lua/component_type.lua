-- What is known of a component type (`info`):
--   struct, constStruct   the struct, and the same for read-only columns
--   fill(overrides)       defaults merged with overrides, in info.scratch; raises before anything is bound
--   Handle                what e:getComponent returns
--   columns               the types of its columns, made when first asked for

local core = ...
local ffi = require "ffi"
local C = core.C

local keywords = {}
for word in ([[auto break case char const continue default do double else enum extern float for goto if
    inline int long register restrict return short signed sizeof static struct switch typedef union
    unsigned void volatile while bool complex _Bool _Complex __const __inline __attribute__ __asm asm
    __declspec __alignof__ __extension__ int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t
    intptr_t uintptr_t ptrdiff_t size_t wchar_t ssize_t and break do else elseif end false for function
    goto if in local nil not or repeat return then true until while]]):gmatch("%S+") do
    keywords[word] = true
end

local function isIdentifier(name)
    return name:find("^[%a_][%w_]*$") ~= nil and not keywords[name] and #name < 200
        and not pcall(ffi.sizeof, name)
end

local function complete(link, info)
    local number = link.number
    table.sort(info.fields, function(a, b) return a.offset < b.offset end)
    info.byName, info.checks = {}, {}
    for i, field in ipairs(info.fields) do
        local isDirect = not field.isArray and field.type ~= "entity" and field.type ~= "string"
            and field.type ~= "i64" and isIdentifier(field.name)
        field.raw = isDirect and field.name or "__field" .. i
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
