-- Entities as plain data in the shape of templates (entity_template.lua, plain_template.lua), and back.

local core = ...
local ffi = require "ffi"
local C, links, native, raise, describe = core.C, core.links, core.native, core.raise, core.describe
local istype, EntityType = ffi.istype, core.EntityType
local Entity, World = core.Entity, core.World
local cast = ffi.cast

local looks = ffi.new("double[5]")  -- shape, flags, whether it has children, disabled components (low and high half)
local reference = ffi.typeof("const revenant_ScriptReference *")
local deepest = core.deepestTemplate

-- ---- native components -----------------------------------------------------------------------------------

local readers = setmetatable({}, { __mode = "k" })  -- by what a layout shares

local function fieldReader(slot, field)
    local read, raw, count = core.elementReader(slot, field.type), field.raw, field.count
    local isEntity = field.type == "entity"
    local function element(value, root)
        local result = read(value)
        if isEntity and result ~= nil then return core.referenceTo(root, result) end
        return result
    end
    if not field.isArray then return function(struct, root) return element(struct[raw], root) end end
    return function(struct, root)
        local values = {}
        for i = 1, count do
            local value = element(struct[raw].__data[i - 1], root)
            if isEntity and value == nil then value = { ["$entity"] = false } end
            values[i] = value
        end
        return values
    end
end

-- A function for this very layout that reads a component as a table of its fields.
local function readerOf(link, info)
    local reader = readers[info.byName]
    if reader then return reader end
    local others, code = {}, { "local cast, pointer, others = ...\nreturn function(at, root)\nlocal s = cast(pointer, at)[0]\nreturn {" }
    for i, field in ipairs(info.fields) do
        if field.isDirect then
            code[#code + 1] = ("[%q] = s.%s,"):format(field.name, field.raw)
        else
            others[i] = fieldReader(link.slot, field)
            code[#code + 1] = ("[%q] = others[%d](s, root),"):format(field.name, i)
        end
    end
    code[#code + 1] = "}\nend"
    local chunk = assert(loadstring(table.concat(code, "\n"), "=revenant/" .. info.name))
    reader = chunk(cast, ffi.typeof("$ *", info.constStruct), others)
    readers[info.byName] = reader
    return reader
end

-- ---- serialize -----------------------------------------------------------------------------------

-- The component types of a shape, in its order. Shapes never change.
local function typesOf(link, entity, shape)
    local types = link.shapes[shape]
    if types then return types end
    types = {}
    for i, name in ipairs(native.getComponentNames(entity.__link, entity.__index, entity.__generation)) do
        types[i] = link.types[name] or core.typeInfo(link, name)
    end
    link.shapes[shape] = types
    return types
end

local function isDisabled(low, high, position)
    if position < 32 then return math.floor(low / 2 ^ position) % 2 == 1 end
    return math.floor(high / 2 ^ (position - 32)) % 2 == 1
end

local function serializeScript(link, info, entity, at, root)
    local to = cast(reference, at)
    if to.link ~= link.mark then return nil end
    local instance = link.tables[to.table]
    if instance == nil or core.typeOfScript(instance) ~= info.id then return nil end  -- the base of another
    if not info.rewind then return true end
    return core.scriptToPlain(link, info, instance, root)
end

local function serialize(link, entity, root, depth)
    local number, index, generation = entity.__link, entity.__index, entity.__generation
    if C.getLooks(number, index, generation, looks) ~= 0 then raise(depth + 1) end
    local shape, flags, children, low, high = looks[0], looks[1], looks[2], looks[3], looks[4]
    local components = {}
    local data = { name = entity:getName(), components = components }
    if flags ~= 7 then
        if flags % 2 == 0 then data.enabled = false end
        if flags % 4 < 2 then data.rewindable = false end
        if flags < 4 then data.persistent = false end
    end
    local types = typesOf(link, entity, shape)
    for i = 1, #types do
        local info = types[i]
        local at = C.findComponent(number, index, generation, info.id)
        if info.isScript then
            components[info.name] = serializeScript(link, info, entity, at, root)
        else
            components[info.name] = (readers[info.byName] or readerOf(link, info))(at, root)
        end
        if (low ~= 0 or high ~= 0) and isDisabled(low, high, i - 1) and components[info.name] ~= nil then
            data.disabled = data.disabled or {}
            table.insert(data.disabled, info.name)
        end
    end
    if children > 0 then
        if depth >= deepest then
            error("serialize: children are nested more than " .. deepest .. " deep", 0)
        end
        data.children = {}
        for i, child in ipairs(entity:getChildren()) do data.children[i] = serialize(link, child, root, depth + 1) end
    end
    return data
end

-- Plain data of the entity and its descendants. References inside the tree stay references; those that lead out of
-- it are none.
function Entity:serialize()
    if not istype(EntityType, self) then core.badSelf(self, "serialize") end
    return serialize(links[self.__link], self, self, 1)
end

-- ---- deserialize -----------------------------------------------------------------------------------

-- References in the fields of a native component: what is left of the fields, and a list of {field, index, path}.
function core.splitReferences(info, fields)
    local rest, found
    for _, field in ipairs(info.fields) do
        local value = field.type == "entity" and rawget(fields, field.name)
        if type(value) == "table" then
            if not rest then
                rest, found = {}, {}
                for key, each in next, fields do rest[key] = each end
            end
            rest[field.name] = nil
            if field.isArray then
                for i, each in ipairs(value) do
                    if type(each) == "table" and rawget(each, "$entity") ~= nil then
                        found[#found + 1] = { name = info.name, field = field.name, index = i, path = each["$entity"] }
                    else
                        found[#found + 1] = { name = info.name, field = field.name, index = i, value = each }
                    end
                end
            elseif rawget(value, "$entity") ~= nil then
                found[#found + 1] = { name = info.name, field = field.name, path = value["$entity"] }
            else
                rest[field.name] = value  -- which its type refuses
            end
        end
    end
    return rest or fields, found
end

function core.applyReferences(entity, references, root)
    for _, each in ipairs(references or {}) do
        local value = each.value
        if each.path then value = core.entityAt(root, each.path) end
        local component = entity:getComponent(each.name)
        if each.index then
            component[each.field][each.index] = value
        else
            component[each.field] = value
        end
    end
end

local kinds = { name = "string", enabled = "boolean", rewindable = "boolean", persistent = "boolean", disabled = "table",
    components = "table", children = "table" }

local function check(data, depth)
    if type(data) ~= "table" then error("takes what serialize gives, a table, not " .. describe(data), 0) end
    if depth > deepest then error("children are nested more than " .. deepest .. " deep, or in a circle", 0) end
    for key, value in next, data do
        local kind = kinds[key]
        if not kind then error("'" .. tostring(key) .. "' is not a field of an entity", 0) end
        if type(value) ~= kind then error(key .. " must be a " .. kind .. ", not " .. describe(value), 0) end
    end
end

-- Makes the entities; their components come when all are there.
local function makeTree(link, data, depth, made)
    check(data, depth)
    local entity = core.makeEntity(link.number, data.name or "entity")
    made[#made + 1] = entity
    made[#made + 1] = data
    if data.children then
        for _, child in ipairs(data.children) do entity:addChild(makeTree(link, child, depth + 1, made)) end
    end
    return entity
end

local function addComponents(link, entity, data, root)
    for name, fields in next, data.components or {} do
        local info = link.types[name] or core.typeInfo(link, name)
        if not info then error(core.noComponent(link, name), 0) end
        if fields ~= true and type(fields) ~= "table" then
            error("component '" .. name .. "' must be a table of fields, or true, not " .. describe(fields), 0)
        end
        if info.isScript then
            core.addScriptFromPlain(entity, link, info, fields, root)
        else
            local found
            if fields == true then
                fields = nil
            elseif core.hasEntityFields(info) then
                fields, found = core.splitReferences(info, fields)
            end
            entity:addComponent(name, fields)
            core.applyReferences(entity, found, root)
        end
    end
    for _, name in ipairs(data.disabled or {}) do entity:setComponentEnabled(name, false) end
    if data.enabled == false then entity:setEnabled(false) end
    if data.rewindable == false then entity:setRewindable(false) end
    if data.persistent == false then entity:setPersistent(false) end
end

function core.hasEntityFields(info)
    if info.hasEntityFields == nil then
        info.hasEntityFields = false
        for _, field in ipairs(info.fields) do
            if field.type == "entity" then info.hasEntityFields = true end
        end
    end
    return info.hasEntityFields
end

core.makeTree, core.addComponents = makeTree, addComponents

local function build(link, data, made)
    local root = makeTree(link, data, 1, made)
    for i = 1, #made, 2 do addComponents(link, made[i], made[i + 1], root) end
    return root
end

-- Destroys what makeTree made, without a trace. `lastSerial`: from before.
function core.unmakeTree(made, lastSerial)
    local last = #made / 2
    for i = last, 1, -1 do
        local entity = made[2 * i - 1]
        if entity:isValid() and not entity:getParent() then
            native.undoSpawn(entity.__link, entity.__index, entity.__generation, last - i + 1, lastSerial + i - 1)
            last = i - 1
        end
    end
end

-- A detached tree; or raises, and nothing of it remains. `call` begins the sentence.
function core.deserialize(link, data, call, level)
    local made, lastSerial = {}, C.lastSerial(link.number)
    local ok, result = pcall(core.settleReferences, build, link, data, made)
    if ok then return result end
    pcall(core.unmakeTree, made, lastSerial)
    if type(result) == "string" then result = call .. ": " .. result:gsub("^revenant/[^:]+:%d+: ", "") end
    error(result, level + 1)
end

function World:deserialize(data)
    local link = core.ownLink(self, "deserialize")
    return (core.deserialize(link, data, "deserialize", 2))
end
