-- A game of some seconds, the same on every platform: runs under any luajit and compares each frame's hash with a file.
--
--     luajit tests/platforms/scripted_game.lua MODULE_FOLDER tests/platforms/hashes.txt [--write]
--
-- It loads the module, spawns, parents, removes, throws dice, computes with revenant.math, rewinds, resumes, saves
-- and loads. `--write` keeps the hashes of this platform as those that all must have.

local folder, file, mode = arg[1], arg[2], arg[3]
package.cpath = folder .. "/?.so;" .. folder .. "/?.dll;" .. package.cpath

local revenant = require "revenant"
local t, exact = revenant.types, revenant.math
local world = revenant.World.getInstance()
world:setRandomSeed(2026)
world:defineComponent("BodyCMP", { x = t.lerp(t.f32(0)), y = t.lerp(t.f32(0)), angle = t.angle(t.f64(0)), speed = 1 })
world:defineComponent("NameCMP", { text = t.string("nameless"), target = t.entity(), marks = t.array(t.i32(0), 4) })
world:defineScriptComponent("MindCMP", { mood = 0.5, path = {} })

local Drift = revenant.BaseSystem:extend("DriftSys")
function Drift:init() self:addComponentRequirement("BodyCMP") end
function Drift:tick(dt)
    local view = self:getComponentsView()
    for i = 1, view.count do
        local body = view.BodyCMP[i]
        body.angle = exact.mod(body.angle + exact.sin(body.x * 0.1) * dt, 6.283185307179586)
        body.x = body.x + exact.cos(body.angle) * body.speed * dt
        body.y = body.y + exact.sin(body.angle) * body.speed * dt + exact.exp(-body.y * body.y) * 0.01
        body.speed = exact.pow(body.speed, 0.999) + exact.log(1 + exact.sqrt(body.speed)) * 0.001
    end
end

local Spawner = { name = "SpawnSys" }
local flock = {}
function Spawner:tick()
    if world:random() < 0.4 then
        local e = world:newEntity("bird" .. world:random(1000))
        e:addComponent("BodyCMP", { x = world:random() * 100, speed = 1 + world:random() })
        e:addComponent("NameCMP", { text = "n" .. world:random(9), target = flock[#flock], marks = { 1, 2, world:random(99) } })
        if world:random(3) == 1 then e:addComponent("MindCMP", { mood = world:random(), path = { 1, { "two", e } }, lost = 0 / 0, found = -(0 / 0) }) end
        if flock[1] and flock[1]:getState() == "managed" and world:random(4) == 1 then flock[1]:addChild(e) end
        world:addEntity(e)
        flock[#flock + 1] = e
    end
    if #flock > 12 then world:removeEntity(table.remove(flock, world:random(2, #flock))) end
    for _, e in ipairs(world:getActiveEntities()) do
        local mind = e:getComponent("MindCMP")
        if mind then mind.mood = exact.atan2(mind.mood, 0.9) end
    end
end

local rewind = world:registerSystem(revenant.TimeRewindSys:new(world, { seconds = 60 }))
world:registerSystem(Drift:new(world))
world:registerSystem(Spawner)

local hashes = {}
local function note(what) hashes[#hashes + 1] = what .. " " .. tostring(world:stateHash()) end
local function play(frames)
    for _ = 1, frames do
        world:update(1 / 60)
        note("frame " .. rewind:getFrame())
    end
end

play(240)
for _, frame in ipairs { 200, 17, 120 } do
    rewind:seek(frame)
    assert(world:stateHash() == rewind:frameHash(frame), "frame " .. frame .. " did not come back as it was")
    note("back at " .. frame)
end
flock = {}
rewind:stop()
play(120)

world:reconcile()  -- a save is the world as the next reconcile would make it
local before = world:stateHash()
world:loadFromString(world:saveToString())
world:reconcile()
note("loaded")
assert(world:stateHash() == before, "what was saved is not what was loaded")

local text = table.concat(hashes, "\n") .. "\n"
if mode == "--write" then
    assert(io.open(file, "wb")):write(text)
    print("wrote " .. #hashes .. " hashes")
    return
end
local expected = assert(io.open(file, "rb")):read("*a"):gsub("\r", "")
local number = 0
for line in expected:gmatch("[^\n]+") do
    number = number + 1
    if hashes[number] ~= line then
        print("differs at line " .. number .. ": " .. tostring(hashes[number]) .. " instead of " .. line)
        os.exit(1)
    end
end
assert(number == #hashes, "there are " .. #hashes .. " hashes instead of " .. number)
print(jit.os .. " " .. jit.arch .. ": " .. number .. " hashes as on every other platform")
