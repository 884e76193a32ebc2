-- What e:getComponent returns is kept and used while entities and components come, go and move.
local revenant = require "revenant"

local function makeWorld()
    local world = revenant.World:new()
    world:defineComponent("PlaceCMP", { x = 0 })
    world:defineComponent("SpeedCMP", { x = 0 })
    return world
end

test("a handle that a listener took of an entity that is wound back is refused until it is born again", function()
    local world = makeWorld()
    local rewind = world:registerSystem(revenant.TimeRewindSys:new(world))
    for _ = 1, 5 do world:update(0.1) end
    local late = world:newEntity("late")
    late:addComponent("PlaceCMP", { x = 7 })
    world:addEntity(late)
    for _ = 1, 5 do world:update(0.1) end
    local kept, seen
    world:on("entityRemoved", function(e)
        kept = e:getComponent("PlaceCMP")
        seen = kept.x
    end)
    rewind:seek(2)
    equal(seen, 7)
    raises(function() return kept.x end, "is gone, as its entity is")
    raises(function() kept.x = 8 end, "is gone, as its entity is")
    rewind:seek(rewind:getNewestFrame())
    equal(kept.x, 7)
    kept.x = 8
    equal(late:getComponent("PlaceCMP").x, 8)
    rewind:seek(2)
    rewind:stop()
    raises(function() return kept.x end, "is gone, as its entity is")
end)

if hasSaves() then
    test("a handle that was read while a save is loaded is not open for writing", function()
        local world = makeWorld()
        local a = world:newEntity("a")
        a:addComponent("PlaceCMP")
        world:addEntity(a)
        world:update(0)
        local saved = world:saveToString()
        local other, kept, isRefused = revenant.World:new(), nil, false
        other:defineComponent("SpeedCMP", { x = 0 })
        other:defineComponent("PlaceCMP", { x = 0 }, { version = 2, migrate = function(old)
            equal(kept.x, 5)
            raises(function() kept.x = 99 end, "cannot be written to while a save is loaded")
            isRefused = true
            return old
        end })
        local b = other:newEntity("b")
        b:addComponent("PlaceCMP")
        other:addEntity(b)
        other:update(0)
        kept = b:getComponent("PlaceCMP")
        kept.x = 5
        other:loadFromString(saved)
        check(isRefused)
    end)
end

-- Every handle ever taken says what its entity's component says, or that it is gone; none says what is another's.
local function play(seed)
    math.randomseed(seed)
    local random, world = math.random, makeWorld()
    local rewind = world:registerSystem(revenant.TimeRewindSys:new(world, { seconds = 3 }))
    local entities, taken, last = {}, {}, 0
    local names = { "PlaceCMP", "SpeedCMP" }
    local function bind(e, name)
        last = last + 1
        e:addComponent(name, { x = last })
    end
    local function compare()
        for _, each in ipairs(taken) do
            local e, handle = each.entity, each.handle
            local isThere = e:isValid() and e:hasComponent(each.name)
            local ok, x = pcall(function() return handle.x end)
            equal(ok, isThere, "seed " .. seed)
            if isThere then
                equal(x, e:getComponent(each.name).x, "seed " .. seed)
                equal(x % 1, 0)
                if random(4) == 1 and not world:isInPast() then
                    last = last + 1
                    handle.x = last
                    equal(e:getComponent(each.name).x, last)
                end
            else
                check(not pcall(function() handle.x = 0.5 end), "seed " .. seed)  -- no component ever has it
            end
        end
    end
    for _ = 1, 150 do
        local e = entities[random(math.max(1, #entities - 9), math.max(1, #entities))]  -- most of the earlier ones are gone
        local action, isPast = random(11), world:isInPast()
        local isThere, name = e and e:isValid(), names[random(2)]
        if action <= 2 and not isPast then
            local new = world:newEntity("e")
            bind(new, name)
            if random(4) > 1 then world:addEntity(new) end
            entities[#entities + 1] = new
        elseif action == 3 and isThere and not isPast then
            world:removeEntity(e)
        elseif action == 4 and isThere and not isPast then
            if e:hasComponent(name) then e:removeComponent(name) end
            if random(2) == 1 then bind(e, name) end
        elseif action == 5 and rewind:getOldestFrame() then
            rewind:seek(random(math.max(rewind:getOldestFrame(), rewind:getNewestFrame() - 12), rewind:getNewestFrame()))
        elseif action == 6 or isPast and random(3) == 1 then
            rewind:stop()
        elseif action == 7 and isThere and not isPast and random(3) == 1 then
            pcall(e.destroy, e)
        elseif action >= 8 and isThere and e:hasComponent(name) then
            taken[#taken + 1] = { entity = e, name = name, handle = e:getComponent(name) }
        end
        if random(3) > 1 then world:update(0.1) end
        compare()
    end
    equal(#world:validate(), 0)
    world:dispose()
    for _, each in ipairs(taken) do check(not pcall(function() return each.handle.x end)) end
    return #taken
end

test("whatever comes, goes and is rewound, a kept handle is its entity's component or says that it is gone", function()
    local first = (tonumber(os.getenv("REVENANT_SEED")) or 1) * 1000
    local taken = 0
    for seed = first, first + 14 do taken = taken + play(seed) end
    check(taken > 100, "too few were taken")
end)
