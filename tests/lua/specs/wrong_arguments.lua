-- Every entry point with every kind of wrong value: a Lua error with a sentence, or a correct result.
local revenant = require "revenant"
local scene = require "scene"
local ffi = require "ffi"

local seed = tonumber(os.getenv("REVENANT_FUZZ_SEED")) or 1
local rounds = tonumber(os.getenv("REVENANT_FUZZ_ROUNDS")) or 40

-- A small generator of our own: runs repeat on any machine.
local function generator(state)
    return function(n)
        state = (state * 1103515245 + 12345) % 2147483648
        return math.floor(state / 65536) % n + 1
    end
end

local function values(world)
    local other = scene.world()
    local stale = scene.spawn(world, "stale")
    world:update(0)
    world:removeEntity(stale)
    world:update(0)
    local zombie = scene.spawn(world, "zombie", { TransformCMP = {} })
    zombie:retain()
    world:update(0)
    world:removeEntity(zombie)
    local managed = scene.spawn(world, "managed", { TransformCMP = {}, InventoryCMP = {}, BrainCMP = {} })
    world:update(0)
    local view = world:getComponentsView(scene.require("TransformCMP"))
    local S = revenant.BaseSystem:extend("S")
    local system = S:new(world)
    local prefab = world:getPrefab("thing")
    local recursive = {}
    recursive.recursive = recursive
    local list = {
        true, false, 0, 1, -1, 1.5, 3, 1e300, -1e300, 0 / 0, 1 / 0, -1 / 0, 2 ^ 31, 2 ^ 32, 2 ^ 53, "", "x", "x\0y",
        ("long"):rep(5000), "TransformCMP", "BrainCMP", "thing", "entityAdded", "levelLoaded", {}, { 1, 2, 3 },
        { x = 1 }, { x = "y" }, recursive, print, function() end, function() error("from inside") end,
        coroutine.create(print), newproxy(), io.stdout, ffi.new("int64_t", 5), ffi.new("int[3]"), ffi.typeof("int"),
        revenant.ComponentsView.EMPTY, stale, zombie, managed, world:newEntity("detached"), other:newEntity("stranger"),
        managed:getComponent("TransformCMP"), managed:getComponent("InventoryCMP").slots, managed:getComponent("BrainCMP"),
        world, other, view, view.TransformCMP, view.entities, S, system, prefab, world:query():with("TransformCMP"),
        revenant.types.f32(0), revenant.types.f32, revenant.ComponentRequirementDesc:new(),
        { TransformCMP = revenant.ComponentRequirementDesc:new() }, { components = { TransformCMP = {} } },
        { rewind = true }, { history = "clear" }, { seconds = 1 }, { first = managed }, revenant.World, revenant.Entity,
        setmetatable({}, { __index = function() error("index") end }), setmetatable({}, { __call = print }),
        setmetatable({}, { __tostring = function() return 5 end }),
    }
    return list, #list + 1  -- and nil
end

local function freshWorld()
    local world = scene.world()
    world:defineScriptComponent("BrainCMP", {})
    world:definePrefab("thing", { components = { TransformCMP = {} }, children = { { name = "part" } } })
    return world
end

local function isSentence(message)
    return type(message) == "string" and #message > 5
        and not message:find("^revenant/[%w_]+%.lua:%d+: attempt to")
end

-- Names of what is called on an object of each kind.
local function targets(world)
    local rewind = revenant.TimeRewindSys:new(world)
    world:registerSystem(rewind)
    local levels = revenant.LevelManager:new(world, { read = function() return "return { entities = { {} } }" end })
    local S = revenant.BaseSystem:extend("Target")
    local entity = scene.spawn(world, "target", { TransformCMP = {} })
    world:update(0.1)
    return {
        { revenant.World, world, "World" },
        { revenant.Entity, entity, "Entity" },
        { revenant.ComponentsView, world:getComponentsView(scene.require("TransformCMP")), "ComponentsView" },
        { revenant.ComponentRequirementDesc, revenant.ComponentRequirementDesc, "ComponentRequirementDesc" },
        { revenant.BaseSystem, S:new(world), "BaseSystem" },
        { revenant.BaseSystem, S, "a class" },
        { revenant.System, {}, "System" },
        { revenant.TimeRewindSys, rewind, "TimeRewindSys" },
        { revenant.LevelManager, levels, "LevelManager" },
        { revenant.HotReload, revenant.HotReload:new { read = function() return "return 1" end, onError = print }, "HotReload" },
        { revenant.Prefab, world:getPrefab("thing"), "Prefab" },
        { revenant.Query, world:query():with("TransformCMP"), "Query" },
        { revenant.types, revenant.types, "types" },
    }
end

local skipped = { ["World.new"] = true, ["World.dispose"] = true }  -- it leaves nothing to call: disposing.lua

test("every entry point survives every kind of argument", function()
    local random = generator(seed)
    local calls, refused = 0, 0
    local names = {}
    for i, target in ipairs(targets(freshWorld())) do
        names[i] = {}
        for name, value in pairs(target[1]) do
            if type(value) == "function" and name:sub(1, 2) ~= "__" then table.insert(names[i], name) end
        end
        table.sort(names[i])
        check(#names[i] > 0, target[3])
    end
    for i, list in ipairs(names) do
        local world = freshWorld()
        local target = targets(world)[i]
        local others, count = values(world)
        for _, name in ipairs(list) do
            local where = target[3] .. "." .. name
            for round = 1, skipped[where] and 0 or rounds do
                local arguments = {}
                local given = random(5) - 1
                for k = 1, given do arguments[k] = others[random(count)] end
                local self = target[2]
                if round % 4 == 0 then self = others[random(count)] end
                local ok, message = pcall(target[1][name], self, unpack(arguments, 1, given))
                calls = calls + 1
                if not ok then
                    refused = refused + 1
                    if not isSentence(message) and not tostring(message):find("index$") and not tostring(message):find("inside") then
                        error(where .. ": not a sentence: " .. tostring(message))
                    end
                end
                if round % 10 == 0 then collectgarbage("step", 20) end
            end
        end
        pcall(world.update, world, 0.1)
        same(world:validate(), {}, target[3])
        world:reset()
        world:update(0.1)
    end
    check(calls > 1000 and refused > calls / 4)
end)

test("fields, rows and elements survive every kind of key and value", function()
    local random = generator(seed + 1)
    local world = freshWorld()
    local others, count = values(world)
    local e = scene.spawn(world, "e", { TransformCMP = {}, TargetCMP = {}, InventoryCMP = {}, HealthCMP = {} })
    world:update(0)
    local Desc = revenant.ComponentRequirementDesc
    local view = world:getComponentsView { TransformCMP = Desc:new(), TargetCMP = Desc:new(), InventoryCMP = Desc:new(true, true), HealthCMP = Desc:new(false) }
    local names = { "x", "y", "who", "title", "serial", "slots", "names", "points", "isImmortal" }
    local function subjects()
        return {
            view, view.TransformCMP, view.TargetCMP, view.InventoryCMP, view.HealthCMP, view.entities,
            view.TransformCMP[view.count], view.TargetCMP[1], view.InventoryCMP[1], view.InventoryCMP[1].slots,
            e:getComponent("TransformCMP"), e:getComponent("TargetCMP"), e:getComponent("InventoryCMP"),
            e:getComponent("InventoryCMP").slots, e:getComponent("InventoryCMP").names, e:getComponent("HealthCMP"), e,
            revenant.ComponentsView.EMPTY,
        }
    end
    local all = subjects()
    for round = 1, rounds * 100 do
        local subject = all[random(#all)]
        local key = random(2) == 1 and names[random(#names)] or others[random(count)]
        local value = others[random(count)]
        if random(2) == 1 then
            pcall(function() return subject[key] end)
        else
            pcall(function() subject[key] = value end)
        end
        pcall(function() return #subject end)
        pcall(tostring, subject)
    end
    same(world:validate(), {})
end)

test("objects cannot be forged", function()
    local world = freshWorld()
    for _, object in ipairs { world, world:getComponentsView {}, world:query(), world:getPrefab("thing"),
        revenant.BaseSystem:extend("X"):new(world), revenant.TimeRewindSys:new(world) } do
        local copy = setmetatable({}, debug.getmetatable(object))
        for name in pairs(revenant.World) do
            pcall(function() return copy[name](copy) end)
        end
        for _, name in ipairs { "count", "entities", "isDirty", "release", "first", "spawn", "tick", "seek", "getFrame", "update" } do
            pcall(function() return copy[name](copy, 1) end)
            pcall(function() return copy[name] end)
        end
        for key in pairs { number = 1, link = 1, handle = 1, system = 1, view = 1 } do
            pcall(rawset, object, key, 12345)
        end
        pcall(function() object:update(0) end)
        pcall(function() object:tick(0) end)
    end
    same(world:validate(), {})
end)

test("an overridden hook, metamethod or library function of the script's own does no harm", function()
    local world = freshWorld()
    local e = scene.spawn(world, "e", { TransformCMP = {} })
    local brain = e:addComponent("BrainCMP", setmetatable({}, {
        __index = function(_, key) error("no " .. tostring(key)) end,
        __newindex = function() error("frozen") end,
        __pairs = function() error("pairs") end,
        __len = function() error("len") end,
    }))
    local rewind = revenant.TimeRewindSys:new(world)
    world:registerSystem(rewind)
    pcall(function() world:update(0.1) end)
    setmetatable(brain, { __index = { getRewindState = function() return print end, restoreRewindState = 5 } })
    pcall(function() world:update(0.1) end)
    pcall(function() rewind:seek(1) end)
    setmetatable(brain, { __index = { getRewindState = function(self) collectgarbage() world:removeEntity(e) return 1 end,
        restoreRewindState = function() world:reset() end } })
    pcall(function() world:update(0.1) end)
    pcall(function() world:update(0.1) end)
    pcall(function() rewind:seek(rewind:getOldestFrame()) end)
    pcall(function() rewind:stop() end)
    pcall(function() world:update(0.1) end)
    same(world:validate(), {})
end)
