local stage = require "stage"

local pad = "....................\n....................\n....................\n"

test("a platform carries what stands on it, sideways and up and down", function()
    for _, path in ipairs { "dx = 64", "dy = -40", "dx = -30, dy = 30" } do
        stage.start { rows = pad .. "..........@.........\n..........P.........\n....................\n....................\n",
            entities = "{ prefab = 'platform', components = { PlaceCMP = { letter = 'P' }, MoverCMP = { seconds = 3, " .. path .. " } } }" }
        stage.stepUntil(function() return stage.get("BodyCMP").onGround end, 60)
        local platform = stage.find("MoverCMP"):getComponent("TransformCMP")
        local offset = stage.get("TransformCMP").x - platform.x
        local x, y = platform.x, platform.y
        local far = 0
        for _ = 1, 240 do
            stage.step(1)
            far = math.max(far, math.abs(platform.x - x) + math.abs(platform.y - y))
            check(math.abs(stage.get("TransformCMP").x - platform.x - offset) < 0.01, "it slid off, " .. path)
            check(math.abs(stage.get("TransformCMP").y + 14 - platform.y) < 0.1, "it left the platform, " .. path)
        end
        check(far > 20, "the platform has not moved")
    end
end)

test("a crumbling block falls when it was stood on, and comes back when time does", function()
    stage.start { rows = pad .. "....@...............\n....%...............\n....................\n####################\n" }
    stage.stepUntil(function() return stage.get("BodyCMP").onGround end, 60)
    local block = stage.find("CrumbleCMP")
    check(block)
    local frame = stage.rewind:getFrame()
    stage.step(60)
    equal(block:getState(), "zombie")
    check(stage.get("TransformCMP").y > 80, "it still stands in the air")
    stage.rewind:seek(frame)
    equal(block:getState(), "managed")
    equal(stage.find("CrumbleCMP"), block)
    stage.rewind:stop()
    stage.step(5)
    check(stage.get("BodyCMP").onGround)
end)

test("coins count, and are uncounted by a rewind", function()
    stage.start { rows = pad .. "....................\n@...o..o............\n####################\n" }
    stage.step(5)
    local frame = stage.rewind:getFrame()
    stage.step(60, "right")
    equal(stage.session().coins, 2)
    equal(stage.host.sounds[#stage.host.sounds] ~= nil, true)
    stage.rewind:seek(frame)
    equal(stage.session().coins, 0)
    equal(stage.world:query():with("TouchCMP"):count(), 2)
    stage.rewind:stop()
end)

test("a door wants its key, and the key is used up", function()
    local rows = "==========...\n==========...\n==========...\n.............\n.............\n.@..K..D.....\n#############\n"
    local door = "{ prefab = 'door', components = { PlaceCMP = { letter = 'D' } } },"
    stage.start { rows = rows, entities = door .. "{ prefab = 'key', components = { PlaceCMP = { letter = 'K' } } }" }
    stage.step(300, "right")
    check(stage.get("TransformCMP").x > 7 * 16 + 20, "the door is shut")
    equal(stage.count("KeyCMP"), 0)
    stage.start { rows = rows, entities = door .. "{ prefab = 'key', components = { PlaceCMP = { letter = 'K' }, KeyCMP = { color = 'red' } } }" }
    stage.step(300, "right")
    check(stage.get("TransformCMP").x < 7 * 16, "another key opened it")
end)

test("a plate opens its door while something stands on it", function()
    stage.start { rows = "==========...\n==========...\n==========...\n.............\n.............\n.@..L....D...\n#############\n",
        entities = "{ prefab = 'door', components = { PlaceCMP = { letter = 'D' }, DoorCMP = { color = 'teal' } } },"
            .. "{ prefab = 'plate', components = { PlaceCMP = { letter = 'L' } } }" }
    local door = stage.find("DoorCMP"):getComponent("DoorCMP")
    stage.put(4, 5)
    stage.step(60)
    equal(door.opening, 1)
    stage.put(1, 5)
    stage.step(90)
    equal(door.opening, 0)
end)

test("a spring throws higher than a jump", function()
    stage.start { rows = ("....................\n"):rep(8) .. "....@...............\n....................\n....s...............\n####################\n" }
    local top = math.huge
    for _ = 1, 120 do
        stage.step(1)
        top = math.min(top, stage.get("TransformCMP").y)
    end
    check(11 * 16 - (top + 14) > 100, "it threw only " .. 11 * 16 - (top + 14))
end)

test("a trigger spawns its group once", function()
    stage.start { rows = pad .. "....................\n@..X................\n####################\n",
        entities = "{ prefab = 'trigger', components = { PlaceCMP = { letter = 'X' }, TriggerCMP = { prefab = 'walker', count = 5, dx = 100, dy = -20 } } }" }
    stage.step(5)
    equal(stage.count("WalkerCMP"), 0)
    local frame = stage.rewind:getFrame()
    stage.step(40, "right")
    equal(stage.count("WalkerCMP"), 5)
    stage.step(30, "left")
    stage.step(40, "right")
    equal(stage.count("WalkerCMP"), 5)
    stage.rewind:seek(frame)
    equal(stage.count("WalkerCMP"), 0)
    stage.rewind:stop()
end)
