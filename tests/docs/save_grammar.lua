-- Reads saves by nothing but the grammar of docs/save_file_format.md, down to the last byte: one that was kept with the suite, and
-- one of a world whose content is known. A reader that shares no code with the library's.
--
--     luajit tests/docs/save_grammar.lua MODULE_FOLDER SAVES_FOLDER

local ffi = require "ffi"
local bit = require "bit"
package.cpath = arg[1] .. "/?.so;" .. package.cpath
local notation = dofile((arg[0]:match("^(.*)/") or ".") .. "/grammar_notation.lua")
local Reader, open, unpackZstd, xxhash = notation.Reader, notation.open, notation.unpackZstd, notation.xxhash

-- ---- plain data ------------------------------------------------------------------------------------

-- An entity of the save, or what says which one is not in it.
local function referenceTo(what, kind, entities)
    if kind == 0 then
        assert(what == 0, "no reference")
        return nil
    end
    if kind == 1 then return assert(entities[what], "an entity that is not there") end
    assert((kind == 2 or kind == 3) and what > 0, "no reference")
    return (kind == 2 and "gone " or "unknown ") .. what
end
local function unpacked(packed, entities)
    local what, kind = tonumber(bit.band(packed, 0xFFFFFFFFULL)), tonumber(bit.rshift(packed, 32))
    return what > 0 and referenceTo(what, kind == 0 and 1 or kind, entities) or nil
end

local function plainOf(bytes, entities)
    local r, tables = open(bytes), {}
    local plain
    local function chars() return r:bytes(r:u32()) end
    local function table_(tag, made)
        tables[#tables + 1] = made
        if tag == 9 then
            for i = 1, r:u32() do made[i] = plain(r:byte()) end
        else
            assert(tag == 6, "no table")
        end
        while true do
            local key = r:byte()
            if key == 7 then return made end
            key = plain(key)
            local value = plain(r:byte())
            if key ~= nil then made[key] = value end
        end
    end
    function plain(tag)
        if tag == 0 then return nil end
        if tag == 1 or tag == 2 then return tag == 2 end
        if tag == 3 then return r:f64() end
        if tag == 4 then return chars() end
        if tag == 5 then return referenceTo(r:u32(), r:u32(), entities) end
        if tag == 8 then return assert(tables[r:u32() + 1], "a table that did not begin") end
        if tag == 10 then
            local class = chars()
            return table_(r:byte(), { class = class })
        end
        if tag == 11 then
            local made = { hooked = chars() }
            tables[#tables + 1] = made
            made.state = plain(r:byte())
            return made
        end
        if tag == 12 then return "class " .. chars() end
        if tag == 13 then return "own class" end
        if tag == 15 then return "method " .. chars() end
        if tag == 14 then
            local of, lost = referenceTo(r:u32(), r:u32(), entities), r:u32()
            assert(lost <= 1 and r:u32() == 0)
            return { component = chars(), of = of, isLost = lost == 1 }
        end
        return table_(tag, {})
    end
    local value = plain(r:byte())
    r:expectEnd()
    return value
end

-- ---- the file --------------------------------------------------------------------------------------

local sizes = { [0] = 4, 8, 4, 4, 8, 1, 1, 8, 4 }
local types = { [0] = "float", "double", "int32_t", "uint32_t", "int64_t", "uint8_t", "uint8_t", "uint64_t", "uint32_t" }

local function component(r)
    local function field() return { name = r:sized(), type = r:byte(), count = r:count(), isArray = r:flag() } end
    return { name = r:sized(), version = r:count(), state = r:byte(), fields = r:list(field), rows = {} }
end
local function makeup(r) return { components = r:list(Reader.count), disabled = r:number() } end

local function readEntities(r, save)
    local entities = {}
    for i = 1, r:count() do entities[i] = { number = i, components = {}, flags = r:byte() } end
    for _, each in ipairs(entities) do each.name = assert(save.strings[r:count() + 1]) end
    for i, each in ipairs(entities) do
        local back = r:count()
        each.parent = back > 0 and assert(entities[i - back]) or nil
    end
    local serial = 0
    for _, each in ipairs(entities) do
        serial = serial + r:signed()
        each.serial = serial
    end
    for _, each in ipairs(entities) do each.makeup = assert(save.makeups[r:count() + 1]) end
    return entities
end

-- The rows of a component are the entities whose makeup has it.
local function readColumn(r, save, number, info)
    local owners = {}
    for _, entity in ipairs(save.entities) do
        for _, each in ipairs(entity.makeup.components) do
            if each == number then owners[#owners + 1] = entity end
        end
    end
    for _, entity in ipairs(owners) do entity.components[info.name] = {} end
    for _, field in ipairs(info.fields) do
        local size, planes = sizes[field.type], {}
        for plane = 1, size * field.count do planes[plane] = r:bytes(#owners) end
        for row, entity in ipairs(owners) do
            local values = {}
            for i = 1, field.count do
                local bytes = {}
                for k = 1, size do bytes[k] = planes[(i - 1) * size + k]:sub(row, row) end
                local value = ffi.cast("const " .. types[field.type] .. " *", table.concat(bytes))[0]
                if field.type == 6 then value = value == 1 end
                if field.type == 7 then value = unpacked(value, save.entities) end
                if field.type == 8 then value = assert(save.strings[tonumber(value) + 1]) end
                values[i] = value
            end
            if field.isArray then entity.components[info.name][field.name] = values else entity.components[info.name][field.name] = values[1] end
        end
    end
    if info.state == 0 then return end
    for _, entity in ipairs(owners) do
        if r:flag() then
            local make, content = r:sized(), r:sized()
            entity.components[info.name] = { make = make, state = info.state == 2 and plainOf(content, save.entities) or content }
        end
    end
end

local function value(r, save)
    local kind = r:byte()
    if kind == 0 then return nil end
    if kind == 1 then return r:flag() end
    if kind == 2 then return ffi.cast("int64_t", r:u64()) end
    if kind == 3 then return r:f64() end
    if kind == 4 then return r:sized() end
    if kind == 5 then
        local bits = r:u64()
        return referenceTo(tonumber(bit.band(bits, 0xFFFFFFFFULL)), tonumber(bit.rshift(bits, 32)), save.entities)
    end
    assert(kind == 6, "a value of no known kind")
    local all = {}
    for i = 1, r:count() do all[i] = value(r, save) end
    return all
end

local function read(text)
    local head = open(text)
    assert(head:bytes(8) == "REVSAVE\n")
    local format, size, checksum = head:u32(), head:u64(), head:u64()
    assert(format == 1 or format == 2)
    local packed = head:rest()
    assert(size == #packed and checksum == xxhash.XXH3_64bits_withSeed(packed, #packed, format))
    local r = unpackZstd(packed)
    local save = { strings = r:list(Reader.sized), components = r:list(component), makeups = r:list(makeup) }
    save.entities = readEntities(r, save)
    for i, info in ipairs(save.components) do readColumn(r, save, i - 1, info) end
    save.time, save.tick = r:f64(), r:count()
    save.random = { r:u64(), r:u64(), r:u64(), r:u64() }
    save.draws, save.lastSerial = r:count(), r:count()
    save.mainCharacter, save.mainCamera = unpacked(r:number(), save.entities), unpacked(r:number(), save.entities)
    save.resources, save.systems = {}, {}
    for _ = 1, r:count() do
        local name, content = r:sized(), open(r:sized())
        save.resources[name] = value(content, save) or false
        content:expectEnd()
    end
    for _ = 1, r:count() do
        local system = { name = r:sized(), seconds = r:f64(), kind = r:byte() }
        if system.kind > 0 then system.state = r:sized() end
        if system.kind == 2 then system.state = plainOf(system.state, save.entities) end
        save.systems[system.name] = system
    end
    r:expectEnd()
    return save
end

-- ---- what was saved --------------------------------------------------------------------------------

local revenant = require "revenant"
local t = revenant.types
local Item = {}
Item.__index = Item
revenant.registerClass("Item", Item)
local world = revenant.World:new()
world:defineComponent("BodyCMP", { x = 0, y = t.f32(0), id = t.i64(0), on = t.bool(true), tag = t.string(""), target = t.entity(),
    slots = t.array(t.i32(0), 3) }, { version = 3 })
world:defineScriptComponent("BrainCMP", Item)
world:defineScriptComponent("GhostCMP", { haunt = function() end })
world:registerSystem { name = "WaveSys", tick = function() end, getRewindState = function() return { wave = 7 } end,
    restoreRewindState = function() end }
local ship, shield = world:newEntity("ship"), world:newEntity("shield")
ship:addComponent("BodyCMP", { x = 0.1, y = -2.5, id = -9007199254740993LL, tag = "hero", target = shield, slots = { -1, 2, 3 } })
local brain = ship:addComponent("BrainCMP", { 10, 20, mood = "calm", friend = shield, [shield] = "mine", [2.5] = true })
brain.item, brain.myself = setmetatable({ price = 4 }, Item), brain
ship:addChild(shield)
shield:addComponent("BodyCMP", { on = false })
shield:setComponentEnabled("BodyCMP", false)
shield:setEnabled(false)
world:addEntity(ship)
world:setMainCharacter(ship)
local rock, hud = world:newEntity("rock"), world:newEntity("hud")
hud:setPersistent(false)
for _, each in ipairs { rock, hud } do world:addEntity(each) end
shield:getComponent("BodyCMP").target = hud
brain.last, brain.hud, brain.panel = rock, hud, hud:addComponent("BrainCMP")
brain.lost = shield:addComponent("GhostCMP")
world:update(0.125)
shield:removeComponent("GhostCMP")
world:removeEntity(rock)
world:update(0.125)

local save = read(world:saveToString())
local first, second = save.entities[1], save.entities[2]
assert(#save.entities == 2 and first.name == "ship" and second.name == "shield" and second.parent == first and not first.parent)
assert(first.flags == 3 and second.flags == 2 and second.makeup.disabled == 1 and save.mainCharacter == first and not save.mainCamera)
local body = first.components.BodyCMP
assert(body.x == 0.1 and body.y == -2.5 and body.id == -9007199254740993LL and body.on and body.tag == "hero" and body.target == second)
assert(body.slots[1] == -1 and body.slots[3] == 3 and not second.components.BodyCMP.on and second.components.BodyCMP.target == "gone 4")
local state = first.components.BrainCMP.state
assert(state[1] == 10 and state[2] == 20 and state.mood == "calm" and state.friend == second and state[second] == "mine" and state[2.5])
assert(state.item.class == "Item" and state.item.price == 4 and state.myself == state)
assert(state.last == "unknown 1" and state.hud == "gone 4")
assert(state.panel.component == "BrainCMP" and state.panel.of == "gone 4" and not state.panel.isLost)
assert(state.lost.component == "GhostCMP" and state.lost.of == second and state.lost.isLost)
assert(save.time == 0.25 and save.tick == 2 and save.systems.WaveSys.state.wave == 7)
for _, info in ipairs(save.components) do assert(info.version == (info.name == "BodyCMP" and 3 or 1)) end

-- Those that are kept, of other worlds: read to the end, and found to be whole.
for _, name in ipairs { "format_1.save", "format_1_scripts.save", "format_2.save", "format_2_scripts.save" } do
    local file = assert(io.open(arg[2] .. "/" .. name, "rb"))
    local old = read(file:read("*a"))
    file:close()
    assert(#old.entities > 5 and #old.components > 2 and old.tick > 0, name)
    local serials = {}
    for _, entity in ipairs(old.entities) do
        assert(not serials[entity.serial] and entity.serial <= old.lastSerial)
        serials[entity.serial] = true
    end
end
print "the grammar holds"
