-- A game with a pool, at random: entities are prepared long before they come in, leave and come back, and what they are is in the
-- tables of their script components. It is played straight on, and once more with seeks and resumes in between: every frame is as
-- it was, for those that wait in the pool, too.
local revenant = require "revenant"
local seeds = tonumber(os.getenv("REVENANT_FUZZ_SEEDS")) or 20
local firstSeed = tonumber(os.getenv("REVENANT_FUZZ_SEED")) or 1
local frames = 70

local function generator(seed)
    local state = (seed * 7919 + 104729) % 2 ^ 31
    return function(n)
        state = (state * 1103515245 + 12345) % 2 ^ 31
        return math.floor(state / 65536) % n + 1
    end
end

local Bullet = {}
Bullet.__index = Bullet
function Bullet:fly(world)
    self.x = self.x + world:random()
    self.trail[#self.trail % 4 + 1] = self.x
end
-- Once for each time that it comes in, whatever way time goes.
function Bullet:onAdded() self.isIn = true end
function Bullet:onRestored() self.isIn = true end
function Bullet:onRemoved() self.isIn = false end

local function text(bullet)
    return ("x %.9g aim %d in %s from %s trail %s"):format(bullet.x, bullet.aim, tostring(bullet.isIn),
        bullet.from and bullet.from:getName() or "none", table.concat(bullet.trail, " "))
end

local function play(seed)
    local game = { copies = {} }
    local world = revenant.World:new()
    world:defineScriptComponent("BulletCMP", Bullet)
    world:defineScriptComponent("PoolCMP")
    world:defineComponent("BodyCMP", { x = 0 })
    local rewind = world:registerSystem(revenant.TimeRewindSys:new(world, { seconds = 1000 }))
    game.world, game.rewind = world, rewind
    world:setRandomSeed(seed)
    local keeper = world:newEntity("keeper")
    local pool = { free = {}, flying = {}, made = 0 }
    keeper:addComponent("PoolCMP", pool)
    world:addEntity(keeper)

    function game.look()
        local lines = {}
        for _, list in ipairs { pool.free, pool.flying } do
            for _, e in ipairs(list) do
                -- Whether one that is out is detached or a zombie depends on the frames that are kept.
                lines[#lines + 1] = ("%s %s %s"):format(e:getName(), tostring(e:isActive()), text(e:getComponent("BulletCMP")))
            end
        end
        return table.concat(lines, "\n")
    end

    local function prepare()
        pool.made = pool.made + 1
        local e = world:newEntity("bullet " .. pool.made)
        e:addComponent("BodyCMP")
        e:addComponent("BulletCMP", setmetatable({ x = pool.made, aim = world:random(1, 9), trail = {}, isIn = false }, Bullet))
        table.insert(pool.free, e)
    end
    local function shoot()
        if #pool.free == 0 then return end
        local e = table.remove(pool.free, world:random(1, #pool.free))
        local bullet = e:getComponent("BulletCMP")
        bullet.x, bullet.from, bullet.trail = world:random(1, 50), pool.flying[1], { 0 }
        e:getComponent("BodyCMP").x = bullet.x
        world:addEntity(e)
        table.insert(pool.flying, e)
    end
    local function hit()
        if #pool.flying == 0 then return end
        local place = world:random(1, #pool.flying)
        -- What is added and removed in one frame was never in, and what was written to it is no part of any past.
        if pool.flying[place]:getState() ~= "managed" then return end
        local e = table.remove(pool.flying, place)
        local bullet = e:getComponent("BulletCMP")
        bullet.aim, bullet.from = bullet.aim + 1, nil
        world:removeEntity(e)
        table.insert(pool.free, e)
    end
    world:registerSystem { name = "copies", priority = 2 ^ 29, tick = function()
        local frame, now = rewind:getFrame(), game.look()
        if game.expect then game.expect(frame, now, "played") end
        game.copies[frame] = now
    end }
    world:registerSystem { name = "game", tick = function()
        for _ = 1, world:random(0, 3) do
            local deed = world:random(1, 5)
            if deed == 1 and pool.made < 8 then prepare() elseif deed <= 3 then shoot() else hit() end
        end
        for _, e in ipairs(pool.flying) do e:getComponent("BulletCMP"):fly(world) end
    end }
    function game.tick() world:update(1 / 30) end
    return game
end

local function compare(seed)
    local draw = generator(seed)
    local straight, crooked = play(seed), play(seed)
    for _ = 1, frames do straight.tick() end
    local function expect(frame, now, what)
        if frame <= frames and now ~= straight.copies[frame] then
            error(("seed %d, %s frame %d:\n%s\nwas\n%s"):format(seed, what, frame, now, tostring(straight.copies[frame])), 0)
        end
    end
    crooked.expect = expect
    local rewind = crooked.rewind
    crooked.tick()
    for _ = 1, 20 do
        if rewind:getNewestFrame() >= frames then break end
        for _ = 1, draw(12) do crooked.tick() end
        for _ = 1, draw(3) do
            local frame = draw(rewind:getNewestFrame())
            rewind:seek(frame)
            expect(frame, crooked.look(), "sought")
            equal(crooked.world:stateHash(), rewind:frameHash(frame))
        end
        if draw(3) > 1 then rewind:seek(math.max(rewind:getNewestFrame() - draw(8), 1)) end
        expect(rewind:getFrame(), crooked.look(), "sought")
        rewind:stop()
        equal(#crooked.world:validate() + #rewind:validate(), 0)
    end
end

test("what waits in a pool goes back in time with the rest, and a resumed run is an uninterrupted one", function()
    for seed = firstSeed, firstSeed + seeds - 1 do compare(seed) end
end)
