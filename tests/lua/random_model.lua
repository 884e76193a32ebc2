-- A random game. The script keeps a copy of everything it can see in each frame: after each seek the world
-- equals the copy exactly, and after each resume play goes on as if it had not been interrupted.
--
--     local play = require "random_model"
--     play(seed, {listeners = true})     -- raises what does not hold
--
-- `character`: any entity may become the main character. `listeners`: listeners and systems ask for entities, too. `kept`: systems write through rows, runs, columns and handles that
-- they keep from earlier ticks.

local revenant = require "revenant"
local Desc, types = revenant.ComponentRequirementDesc, revenant.types

local function generator(seed)
    local state = (seed * 7919 + 104729) % 2 ^ 31
    return function(n)
        state = (state * 1103515245 + 12345) % 2 ^ 31
        return math.floor(state / 65536) % n + 1
    end
end

local function idOf(e) return e:getId() end

-- A field of a component that is one: once its entity is destroyed it reads as none.
local function field(e) return e and "<" .. idOf(e) .. ">" or "<>" end

local labels = {}  -- of components that are in the world, by their tables

-- A value as text, entities by id, tables by their pairs in an order of their own; cycles by the depth they lead back to.
-- A component in another's data is a reference, and none of its fields are part of it.
local function text(value, path)
    if type(value) == "cdata" and value.getId then return "#" .. idOf(value) end
    if type(value) ~= "table" then return tostring(value) end
    path = path or {}
    if path[value] then return "^" .. path[value] end
    if #path > 0 and (labels[value] or value.isBrain) then return labels[value] or "a brain that is out" end
    path[value] = #path + 1
    path[#path + 1] = value
    local parts = {}
    for key, each in pairs(value) do parts[#parts + 1] = text(key, path) .. "=" .. text(each, path) end
    path[#path], path[value] = nil, nil
    table.sort(parts)
    return "{" .. table.concat(parts, ",") .. "}"
end

local native = { "BodyCMP", "LinkCMP" }
local script = { "BrainCMP", "BagCMP" }

-- What can be seen of the world. `asks`: requests may wait; what they change is no part of a frame before they are carried out.
local function look(world, asks)
    local lines = { ("time %.6f tick %d character %s resource %s"):format(world:getTime(), world:getTick(),
        tostring(world:getMainCharacter()), text(world:getResource("plan"))) }
    labels = {}
    for _, e in ipairs(world:getAllManagedEntities()) do
        for _, name in ipairs(script) do
            local component = e:getComponent(name)
            if component then labels[component] = name .. " of #" .. idOf(e) end
        end
    end
    for i, e in ipairs(world:getAllManagedEntities()) do
        if e:isRewindable() then
            local parts = { i .. " " .. tostring(e) .. "\t" .. tostring(e:isActive()), tostring(e:isEnabled()) }
            if not asks then
                parts[#parts + 1] = tostring(e:getParent())
                for _, child in ipairs(e:getChildren()) do parts[#parts + 1] = tostring(child) end
            end
            local body, link = e:getComponent("BodyCMP"), e:getComponent("LinkCMP")
            if body then parts[#parts + 1] = ("body %g %s %s %d"):format(body.x, tostring(body.count), body.label, body.parts[2]) end
            if link then parts[#parts + 1] = "link " .. field(link.to) .. field(link.all[1]) .. field(link.all[2]) end
            for _, name in ipairs(script) do
                local component = e:getComponent(name)
                if component then parts[#parts + 1] = name .. text(component) end
            end
            for _, names in ipairs { native, script } do
                for _, name in ipairs(names) do
                    if e:hasComponent(name) and not e:isComponentEnabled(name) then parts[#parts + 1] = "no " .. name end
                end
            end
            lines[#lines + 1] = asks and e:isDirty() and i .. " " .. tostring(e) .. "\twaits" or table.concat(parts, " ")
        end
    end
    return lines
end

local function demandSame(now, was, isGone, what)
    for i = 1, math.max(#now, #was) do
        local line = was[i] and was[i]:gsub("<([%d.]+)>", function(id) return isGone(id) and "<>" or nil end)
        local is = now[i]
        if is and line and (is:find("\twaits", 1, true) or line:find("\twaits", 1, true)) then
            is, line = is:match("^[^\t]*"), line:match("^[^\t]*")
        end
        if is ~= line then
            error(("%s: line %d is\n    %s\nand was\n    %s"):format(what, i, tostring(is), tostring(line)), 0)
        end
    end
end

local function define(world)
    world:defineComponent("BodyCMP", { x = 0, count = types.i64(0), label = "none", parts = types.array(types.u8(1), 3) })
    world:defineComponent("LinkCMP", { to = types.entity(), all = types.array(types.entity(), 2) })
    local Brain = { isBrain = true }
    Brain.__index = Brain
    function Brain:getRewindState() return { self.mood, self.friends } end
    function Brain:restoreRewindState(state) self.mood, self.friends = state[1], state[2] end
    function Brain:new() return setmetatable({ mood = 0, friends = {} }, Brain) end
    world:defineScriptComponent("BrainCMP", Brain)
    world:defineScriptComponent("BagCMP")
    world:definePrefab("pair", { components = { BodyCMP = {}, BagCMP = { n = 1 } },
        children = { { name = "second", components = { LinkCMP = {}, BrainCMP = {} } } } })
end

return function(seed, options)
    local draw = generator(seed)
    local world = revenant.World:new()
    define(world)
    local rewind = world:registerSystem(revenant.TimeRewindSys:new(world, { seconds = 1.5 }))
    local entities, copies, kept = {}, {}, {}
    local byId = {}
    local function isGone(id) return not byId[id] or byId[id]:getState() == "destroyed" end
    local function any() return entities[draw(math.max(#entities, 1))] end
    local function keep(e)
        entities[#entities < 40 and #entities + 1 or draw(40)] = e
        byId[idOf(e)] = e
        return e
    end
    local view = world:getComponentsView { BodyCMP = Desc:new(true), LinkCMP = Desc:new(false) }

    local structural = {
        function()
            local e = keep(world:newEntity("e" .. draw(30)))
            for _, name in ipairs { "BodyCMP", "LinkCMP", "BrainCMP", "BagCMP" } do
                if draw(2) == 1 then e:addComponent(name) end
            end
            if draw(5) > 1 then world:addEntity(e) end
        end,
        function() keep(world:spawn("pair", { BodyCMP = { x = draw(9) } })) end,
        function() world:addEntity(any()) end,
        function() world:removeEntity(any()) end,
        function() world:removeEntity(any()) end,
        function() any():addChild(any()) end,
        function() local e = any() e:getParent():removeChild(e) end,
        function() any():setEnabled(draw(2) == 1) end,
        function() any():addComponent(({ "BodyCMP", "LinkCMP", "BrainCMP", "BagCMP" })[draw(4)]) end,
        function() any():removeComponent(({ "BodyCMP", "LinkCMP", "BrainCMP", "BagCMP" })[draw(4)]) end,
        function() any():setComponentEnabled(({ "BodyCMP", "BrainCMP" })[draw(2)], draw(2) == 1) end,
        function() if options.character and not world:isInPast() then world:setMainCharacter(any()) end end,
        function() any():destroy() end,
    }
    local writes = {
        function() local body = any():getComponent("BodyCMP") body.x, body.count, body.parts[2] = draw(99), draw(99), draw(200) end,
        function() any():getComponent("BodyCMP").label = "label " .. draw(40) end,
        function() any():getComponent("LinkCMP").to = any() end,
        function() any():getComponent("LinkCMP").all[draw(2)] = any() end,
        function() any():getComponent("BrainCMP").friends[any()] = draw(9) end,
        function() any():getComponent("BrainCMP").mood = { draw(9), any(), { [any()] = any() } } end,
        function() any():getComponent("BrainCMP").mood = { any():getComponent("BrainCMP"), { any():getComponent("BagCMP") } } end,
        function() any():getComponent("BrainCMP").friends[any():getComponent("BrainCMP")] = draw(9) end,
        function() any():getComponent("BagCMP").other = any():getComponent(draw(2) == 1 and "BrainCMP" or "BagCMP") end,
        function() any():getComponent("BagCMP")[any()] = draw(2) == 1 and any() or nil end,
        function() local bag = any():getComponent("BagCMP") bag.self, bag.n = bag, draw(9) end,
        function() any():getComponent("BagCMP")[draw(4)] = { any(), text = "t" .. draw(9) } end,
        function() world:setResource("plan", { any(), [any()] = draw(9) }, { rewind = true }) end,
        function() world:setResource("plan", draw(5), { rewind = true }) end,
    }
    local function some(deeds, count) for _ = 1, count do pcall(deeds[draw(#deeds)]) end end

    -- Right behind the history: what it sees is what was recorded.
    world:registerSystem { name = "copies", priority = 2 ^ 29, tick = function() copies[rewind:getFrame()] = look(world, options.listeners) end }
    world:registerSystem { name = "writes", requirements = { "BodyCMP" }, tick = function(self)
        some(writes, draw(4))
        for i = 1, self.view.count do self.view.BodyCMP[i].x = self.view.BodyCMP[i].x + world:random() end
        if not options.kept then return end
        if self.view.count > 0 and draw(4) == 1 then
            kept.row = not revenant.isValidating and self.view.BodyCMP[1] or nil
            kept.column, kept.handle = self.view.BodyCMP, self.view.entities[1]:getComponent("BodyCMP")
        end
        pcall(function() kept.handle.x = draw(50) end)
        pcall(function() kept.column[1].x = draw(50) end)
        pcall(function() kept.row.x = draw(50) end)
    end }
    if options.listeners then
        world:registerSystem { name = "asks", tick = function() if draw(2) == 1 then some(structural, 1) end end }
        for _, event in ipairs { "entityAdded", "entityRemoved", "componentAdded" } do
            world:on(event, function() if draw(3) == 1 then some(structural, 1) end end)
        end
    end

    local function check(frame, what)
        local place = ("seed %d, %s %d"):format(seed, what, frame)
        if copies[frame] then demandSame(look(world, options.listeners), copies[frame], isGone, place) end
        if world:stateHash() ~= rewind:frameHash(frame) then error(place .. ": the hash differs", 0) end
        for _, problems in ipairs { world:validate(), rewind:validate() } do
            if #problems > 0 then error(place .. ": " .. problems[1], 0) end
        end
    end

    for _ = 1, 60 do
        some(structural, draw(3))
        some(writes, draw(3))
        world:update(1 / 30)
        if draw(6) == 1 then
            local oldest, newest = rewind:getOldestFrame(), rewind:getNewestFrame()
            for _ = 1, draw(5) do
                local frame = oldest + draw(newest - oldest + 1) - 1
                rewind:seek(frame)
                check(frame, "frame")
                if draw(4) == 1 then some(writes, 2) end
            end
            local frame = draw(3) == 1 and oldest or rewind:getFrame()
            rewind:seek(frame)
            rewind:stop()
            -- Requests that were waiting when the frame was recorded come back with it; the hash is that of the frame.
            if world:stateHash() ~= rewind:frameHash(frame) then error(("seed %d, resumed at %d: the hash differs"):format(seed, frame), 0) end
        end
    end
    view:release()
end
