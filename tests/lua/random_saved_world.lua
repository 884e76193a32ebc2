-- Worlds at random for the specs of saves: every type of field, script classes with cycles, shared tables, references to
-- entities and components as values and as keys (some of them gone), methods and shared values, hooks, families, disabled parts; a
-- game that changes all of it; and all there is to see.
local revenant = require "revenant"
local t = revenant.types

local scene = {}

local Item = {}
Item.__index = Item
revenant.registerClass("random.Item", Item)

local Vault = {}  -- a registered class with hooks, inside of components
Vault.__index = Vault
function Vault:getRewindState() return { gold = self.hidden } end
function Vault:restoreRewindState(state) self.hidden = state.gold end
revenant.registerClass("random.Vault", Vault)

local Brain = {}
Brain.__index = Brain
Brain.rewindIgnore = { "cache" }

function Brain:walk() return self end
function Brain:rest() return self end
local paint = revenant.registerShared("random.paint", function() end)
local functionNames = { [Brain.walk] = "walk", [Brain.rest] = "rest", [paint] = "paint" }

local Clock = {}  -- a component with hooks
Clock.__index = Clock
function Clock:getRewindState() return { ticks = self.count, owner = self.who } end
function Clock:restoreRewindState(state) self.count, self.who = state.ticks, state.owner end

function scene.define(world)
    world:defineComponent("AllCMP", { f32 = t.f32(0), f64 = 0, i32 = t.i32(0), u32 = t.u32(0), i64 = t.i64(0), u8 = t.u8(0), on = t.bool(true),
        tag = t.string(""), target = t.entity(), reals = t.array(t.f32(0), 2), bytes = t.array(t.u8(0), 3), wide = t.array(t.i64(0), 2),
        flags = t.array(t.bool(false), 2), names = t.array(t.string(""), 2), friends = t.array(t.entity(), 3) })
    world:defineComponent("MoreCMP", { reals = t.array(0, 2), wholes = t.array(t.i32(0), 2), counts = t.array(t.u32(0), 2),
        turn = t.angle(t.f32(0)), slide = t.lerp(t.f64(0)) })
    world:defineComponent("MoveCMP", { x = 0, v = 1 })
    world:defineComponent("TagCMP")
    world:defineScriptComponent("BrainCMP", Brain)
    world:defineScriptComponent("ClockCMP", Clock)
    world:defineScriptComponent("DrawCMP")
    world:defineScriptComponent("SpriteCMP", nil, { base = "DrawCMP" })
    world:defineEvent("lost")
    world:on("lost", function(e, how) assert(type(e:isValid()) == "boolean" and how.at > 0) end)
    return world
end

function scene.random(seed)
    return function(n)
        seed = (seed * 16807) % 2147483647
        return seed % n + 1
    end
end

local odd = { 0.1, -0.0, math.huge, -math.huge, 0 / 0, 5e-324, 1e300, 9007199254740992, -3 }
local texts = { "", "calm", "$entity", "\255\0x", "n\195\164chst", "[x]" }

-- The component of an entity, for others to refer to.
local function brainOf(e) return e:isValid() and e:getComponent("BrainCMP") or nil end

-- Plain data: `known` are tables of the same component, which may be named again.
local function plain(random, all, known, depth)
    local kind = random(depth > 3 and 5 or 11)
    if kind == 1 then return odd[random(#odd)] end
    if kind == 2 then return texts[random(#texts)] end
    if kind == 3 then return random(2) == 1 end
    if kind == 4 then return all[random(#all)] end
    if kind == 5 then return known[random(#known)] end
    if kind == 6 then return setmetatable({ hidden = random(9) }, Vault) end
    if kind == 8 then return brainOf(all[random(#all)]) end
    local made = kind == 7 and setmetatable({ price = random(9) }, Item) or {}
    known[#known + 1] = made
    for i = 1, random(4) - 1 do made[i] = plain(random, all, known, depth + 1) end
    for _ = 1, random(3) - 1 do made[texts[random(#texts - 3) + 3]] = plain(random, all, known, depth + 1) end
    if random(3) == 1 then made[all[random(#all)]] = plain(random, all, known, depth + 1) end
    local other = brainOf(all[random(#all)])
    if other and random(3) == 1 then made[other] = random(9) end
    if random(4) == 1 then made[random(9) / 2] = random(9) end
    if random(4) == 1 then made[random(2) == 1] = random(9) end
    return made
end

local function living(random, all)
    local e = all[random(#all)]
    return random(3) > 1 and e:isValid() and e or nil
end

local function fillAll(random, component, all)
    component.f32, component.f64 = odd[random(#odd)], odd[random(#odd)]
    component.i32, component.u32, component.u8 = random(2 ^ 30) - 2 ^ 29, random(2 ^ 30) * 4 - 1, random(256) - 1
    component.i64 = 9007199254740993LL * random(900) - random(7)
    component.on, component.tag = random(2) == 1, texts[random(#texts)]
    component.target = living(random, all)
    component.reals[2], component.bytes[3], component.wide[1] = odd[random(#odd)], random(256) - 1, -9007199254740993LL
    component.flags[1], component.names[2] = random(2) == 1, texts[random(#texts)]
    for i = 1, 3 do component.friends[i] = living(random, all) end
end

local function think(random, brain, all)
    local known = { brain }
    for i = 1, random(4) do brain[i] = plain(random, all, known, 1) end
    for _, key in ipairs { "mood", "friend", "list" } do brain[key] = plain(random, all, known, 1) end
    brain.cache, brain.myself = print, random(2) == 1 and brain or nil
    brain.state, brain.paint = random(2) == 1 and Brain.walk or Brain.rest, random(2) == 1 and paint or nil
    if random(3) == 1 then brain[all[random(#all)]] = "of mine" end
end

-- One change somewhere. `world`: of new entities; `all`: those that are known.
function scene.change(random, world, all, canAdd)
    local e = all[random(#all)]
    if not e:isValid() then return end
    local kind = random(14)
    if kind <= 2 then
        local made = world:newEntity(texts[random(#texts)])
        all[#all + 1] = made
        if random(2) == 1 or not canAdd then e:addChild(made) else world:addEntity(made) end
    elseif kind == 3 and not e:hasComponent("AllCMP") then
        fillAll(random, e:addComponent("AllCMP"), all)
    elseif kind == 4 and e:hasComponent("AllCMP") then
        fillAll(random, e:getComponent("AllCMP"), all)
    elseif kind == 5 and not e:hasComponent("BrainCMP") and not all[e] then
        think(random, e:addComponent("BrainCMP", {}), all)
    elseif kind == 6 and e:hasComponent("BrainCMP") then
        think(random, e:getComponent("BrainCMP"), all)
    elseif kind == 7 and not e:hasComponent("MoveCMP") then
        e:addComponent("MoveCMP", { x = random(50) / 7, v = random(9) })
    elseif kind == 8 and not e:hasComponent("ClockCMP") then
        e:addComponent("ClockCMP", { count = random(5), who = all[random(#all)] })
    elseif kind == 9 and not e:hasComponent("DrawCMP") then
        local drawn = random(3) == 1 and setmetatable({ price = random(5) }, Item) or { image = random(5) }
        e:addComponent(random(2) == 1 and "SpriteCMP" or "DrawCMP", drawn)
    elseif kind == 10 then
        local names = e:getComponentNames()
        local name = names[random(#names + 1)]
        if name and name ~= "DrawCMP" then e:setComponentEnabled(name, random(2) == 1) end
    elseif kind == 11 then
        if not e:hasComponent("TagCMP") then e:addComponent("TagCMP") elseif random(2) == 1 then e:removeComponent("TagCMP") end
    elseif kind == 12 then
        e:setEnabled(random(3) > 1)
    elseif kind == 13 and not e:hasComponent("MoreCMP") then
        local more = e:addComponent("MoreCMP", { turn = random(6), slide = odd[random(#odd)] })
        more.reals[2], more.wholes[1], more.counts[2] = odd[random(#odd)], -random(2 ^ 30), random(2 ^ 30) * 4 - 1
    elseif kind == 14 and random(3) == 1 then
        if e:hasComponent("BrainCMP") then
            e:removeComponent("BrainCMP")
            all[e] = "lost its brain"  -- for good: what refers to it would refer to another one, after a load
        elseif random(3) == 1 then
            e:setRewindable(false)
        end
    end
end

-- What it does follows from the world alone.
function scene.addGame(world)
    local Sys = revenant.BaseSystem:extend("GameSys")
    function Sys:getRewindState() return { waves = self.waves } end
    function Sys:restoreRewindState(state) self.waves = state.waves end
    function Sys:tick(dt)
        self.waves = (self.waves or 0) + 1
        for i, e in ipairs(world:getAllManagedEntities()) do
            local move, brain, clock = e:getComponent("MoveCMP"), e:getComponent("BrainCMP"), e:getComponent("ClockCMP")
            if move then move.x = move.x + move.v * dt * world:random() end
            if clock then clock.count = clock.count + 1 end
            if brain and world:random(20) == 1 then brain.mood = { i, setmetatable({ price = world:random(5) }, Item), brain, e } end
            if world:random(90) == 1 then e:setEnabled(not e:isEnabled()) end
            if world:random(300) == 1 and not e:getParent() then
                world:queue("lost", e, { at = i })
                world:removeEntity(e)
            end
        end
        if world:random(4) == 1 then
            local born = world:newEntity("born")
            born:addComponent("MoveCMP", { v = self.waves })
            world:addEntity(born)
        end
    end
    return world:registerSystem(Sys:new(world))
end

-- ---- all there is to see ---------------------------------------------------------------------------

local describeValue

local function keyText(key, places)
    if type(key) == "cdata" or type(key) == "table" then return "@" .. (places[key] or "none") end
    return type(key) .. ":" .. (type(key) == "number" and ("%.17g"):format(key) or tostring(key))
end

-- Whether a value refers to an entity or a component that is not among those described.
local function isNone(value, places, seen)
    local isReference = type(value) == "cdata" or (type(value) == "table" and getmetatable(value) == Brain and not seen[value])
    return isReference and not places[value]
end

local function describeTable(value, places, seen, ignored)
    if seen[value] then return "#" .. seen[value] end
    if places[value] and seen.count > 0 then return "@" .. places[value] end
    seen.count = seen.count + 1
    seen[value] = seen.count
    local keys = {}
    for key, each in next, value do
        local isLost = isNone(key, places, {}) or (isNone(each, places, seen) and not places.showsGone)
        if not isLost and not (ignored and ignored[key]) then keys[#keys + 1] = { keyText(key, places), each } end
    end
    table.sort(keys, function(a, b) return a[1] < b[1] end)
    local class = getmetatable(value) == Item and "Item" or getmetatable(value) == Vault and "Vault" or ""
    local out = { class, "#", seen[value], "{" }
    for _, pair in ipairs(keys) do out[#out + 1] = pair[1] .. "=" .. describeValue(pair[2], places, seen) .. " " end
    return table.concat(out) .. "}"
end

function describeValue(value, places, seen)
    if isNone(value, places, seen) then return "@gone" end
    if type(value) == "table" then return describeTable(value, places, seen) end
    if type(value) == "number" then return ("%.17g%s"):format(value, value == 0 and 1 / value < 0 and "-" or "") end
    if type(value) == "cdata" and places[value] then return "@" .. places[value] end
    return functionNames[value] or tostring(value)
end

local fieldsOf = {
    AllCMP = { "f32", "f64", "i32", "u32", "i64", "u8", "on", "tag", "target", "reals", "bytes", "wide", "flags", "names", "friends" },
    MoreCMP = { "reals", "wholes", "counts", "turn", "slide" },
    MoveCMP = { "x", "v" },
}
local counts = { reals = 2, bytes = 3, wide = 2, flags = 2, names = 2, friends = 3, wholes = 2, counts = 2 }

local function describeFields(name, component, places)
    local out = {}
    local function put(value)
        if type(value) == "cdata" and tostring(value):find("LL$") then out[#out + 1] = tostring(value)
        elseif type(value) == "cdata" then out[#out + 1] = "@" .. (places[value] or "none")
        elseif value == nil then out[#out + 1] = "@none"
        else out[#out + 1] = describeValue(value, places, {}) end
    end
    for _, field in ipairs(fieldsOf[name]) do
        if counts[field] then
            for i = 1, counts[field] do put(component[field][i]) end
        else
            put(component[field])
        end
    end
    return table.concat(out, name == "MoveCMP" and " " or ",")
end

-- Of a list of entities: references to others are none, or where `showsGone` something that is gone.
function scene.describe(entities, showsGone)
    local places, lines = { showsGone = showsGone }, {}
    for i, e in ipairs(entities) do
        places[e] = i
        local brain = e:getComponent("BrainCMP")
        if brain then places[brain] = "brain " .. i end
    end
    for i, e in ipairs(entities) do
        local parent = e:getParent()
        local out = { e:getName(), "in", parent and places[parent] or "-", tostring(e:isEnabled()), tostring(e:isRewindable()), tostring(e:isPersistent()) }
        local names = e:getComponentNames()
        table.sort(names)
        for _, name in ipairs(names) do
            out[#out + 1] = name .. (e:isComponentEnabled(name) and "" or " off")
            local component = e:getComponent(name)
            if fieldsOf[name] then
                out[#out + 1] = describeFields(name, component, places)
            elseif type(component) == "table" then
                out[#out + 1] = describeTable(component, places, { count = 0 }, { cache = true })
            end
        end
        lines[i] = table.concat(out, " ")
    end
    return table.concat(lines, "\n")
end

function scene.treeOf(root, into)
    into = into or {}
    into[#into + 1] = root
    for _, child in ipairs(root:getChildren()) do scene.treeOf(child, into) end
    return into
end

return scene
