local stage = require "stage"

local flat = "....................\n....................\n....................\n....................\n@.......o...........\n####################\n"

test("holding the key runs time backwards, ever faster; letting go plays on from there", function()
    stage.start { rows = flat }
    stage.step(250, "right")
    local from = stage.rewind:getFrame()
    local speeds, last = {}, 0
    for _ = 1, 230 do
        stage.step(1, "rewind")
        local speed = stage.time().speed
        if speed ~= last then speeds[#speeds + 1] = speed end
        last = speed
        if stage.rewind:getFrame() == stage.rewind:getOldestFrame() then break end
    end
    same(speeds, { 0.5, 1, 2, 4 })
    check(stage.rewind:getFrame() < from)
    check(stage.rewind:isRewinding())
    local frame = stage.rewind:getFrame()
    stage.step(1)
    equal(stage.time().mode, "play")
    equal(stage.rewind:getFrame(), frame)
    equal(stage.rewind:getNewestFrame(), frame)
    stage.step(1)
    equal(stage.rewind:getFrame(), frame + 1)
    equal(stage.host.rewindSound, 0)
end)

test("the frames of a rewind are those of the run, and the run after it is the run before it", function()
    stage.start { rows = flat }
    local hashes = {}
    local keys = {}
    for i = 1, 120 do
        keys[i] = i % 40 > 30 and { "right", "jump" } or { "right" }
        stage.step(1, unpack(keys[i]))
        hashes[stage.rewind:getFrame()] = stage.world:stateHash()
    end
    local first = stage.rewind:getFrame() - 119
    for _ = 1, 60 do
        stage.step(1, "rewind")
        equal(stage.world:stateHash(), stage.rewind:frameHash(stage.rewind:getFrame()))
    end
    -- The same keys from the current frame, held before as they were.
    local frame = stage.rewind:getFrame()
    stage.host.hold(keys[frame - first] or {})
    for at = frame, first + 119 do
        local held = keys[at - first + 1]
        stage.step(1, unpack(held))
        equal(stage.rewind:getFrame(), at)
        equal(stage.world:stateHash(), hashes[at], "frame " .. at)
    end
end)

test("death stops the world and asks for a rewind; nothing else helps", function()
    stage.start { rows = "....................\n....................\n....................\n@...................\n####^^##############\n" }
    stage.stepUntil(function() return stage.time().mode == "dead" end, 300, "right")
    equal(stage.time().deaths, 1)
    local frame, hash = stage.rewind:getFrame(), stage.world:stateHash()
    stage.step(60, "right", "jump")
    equal(stage.rewind:getFrame(), frame)
    equal(stage.rewind:getNewestFrame(), frame)
    equal(stage.world:stateHash(), hash)
    stage.host.texts = {}
    stage.game.draw(0)
    local said = table.concat(stage.host.texts, "\n")
    check(said:find("unless you hold", 1, true) and said:find("SHIFT", 1, true), "nobody asks")
    -- Too short a way back leads to nowhere.
    stage.step(5, "rewind")
    stage.step(5)
    equal(stage.time().mode, "dead")
    stage.step(100, "rewind")
    stage.step(2)
    equal(stage.time().mode, "play")
    equal(stage.session().state, "play")
    check(stage.get("PlayerCMP").isAlive)
    check(not stage.get("SpriteCMP").isHidden)
    equal(stage.time().deaths, 1, "deaths are not rewound")
end)

test("paused, time goes frame by frame both ways, and play goes on from there", function()
    stage.start { rows = flat }
    stage.step(60, "right")
    stage.step(1, "pause")
    equal(stage.time().mode, "pause")
    local frame = stage.rewind:getFrame()
    stage.step(10)
    equal(stage.rewind:getFrame(), frame)
    for i = 1, 5 do
        stage.step(1, "back")
        stage.step(1)
        equal(stage.rewind:getFrame(), frame - i)
    end
    stage.step(1, "forward")
    stage.step(1)
    equal(stage.rewind:getFrame(), frame - 4)
    equal(stage.world:stateHash(), stage.rewind:frameHash(frame - 4))
    stage.step(60, "back")
    check(stage.rewind:getFrame() < frame - 10, "holding the key does not repeat")
    local here = stage.rewind:getFrame()
    stage.step(1)
    stage.step(1, "pause")
    equal(stage.time().mode, "play")
    equal(stage.rewind:getNewestFrame(), here)
    stage.step(10, "right")
    equal(stage.rewind:getFrame(), here + 10)
end)

test("the hourglass names its moment, and the dead may return to it", function()
    stage.start { rows = "....................\n....................\n....................\n@..!................\n########^^##########\n" }
    stage.stepUntil(function() return stage.time().mode == "dead" end, 300, "right")
    local frame = stage.rewind:getCheckpoint("checkpoint")
    check(frame)
    stage.step(1, "confirm")
    equal(stage.time().mode, "play")
    equal(stage.rewind:getFrame(), frame)
    check(math.abs(stage.get("TransformCMP").x - 48) < 24)
    equal(stage.session().state, "play")
end)

test("restarting begins the level again", function()
    stage.start { rows = flat }
    local start = stage.get("TransformCMP").x
    stage.step(100, "right")
    equal(stage.session().coins, 1)
    stage.step(1, "restart")
    stage.step(3)
    equal(stage.get("TransformCMP").x, start)
    check(stage.rewind:getNewestFrame() - stage.rewind:getOldestFrame() < 5)
end)

test("the HUD is outside of time and the camera is not", function()
    stage.start { level = 1 }
    for _, name in ipairs { "hud", "hands", "clock" } do
        local found
        for _, entity in ipairs(stage.world:getAllManagedEntities()) do
            if entity:getName() == name then found = entity end
        end
        check(found and not found:isRewindable(), name)
    end
    local camera = stage.world:getMainCamera()
    equal(camera:getParent(), stage.player())
    check(camera:isRewindable())
    stage.step(60, "right")
    local x = camera:getComponent("CameraCMP").x
    local frame = stage.rewind:getFrame()
    stage.step(120, "right", "jump")
    check(camera:getComponent("CameraCMP").x >= x)
    stage.rewind:seek(frame)
    check(math.abs(camera:getComponent("CameraCMP").x - x) < 4)
    stage.rewind:stop()
end)

test("particles rewind: what flew apart comes together", function()
    stage.start { rows = flat }
    stage.step(5)
    stage.step(6, "jump")
    local most = stage.count("ParticleCMP")
    check(most > 0)
    local frame = stage.rewind:getFrame()
    stage.step(90)
    equal(stage.count("ParticleCMP"), 0)
    stage.rewind:seek(frame)
    equal(stage.count("ParticleCMP"), most)
    stage.rewind:stop()
end)
