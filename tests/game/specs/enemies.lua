local stage = require "stage"

local arena = "....................\n....................\n....................\n....................\n"

test("walkers turn at walls and at edges", function()
    stage.start { rows = arena .. "@.....w..#..........\n...#######..........\n...######...........\n####################\n" }
    local walker = stage.find("WalkerCMP")
    local least, most = math.huge, -math.huge
    for _ = 1, 900 do
        stage.step(1)
        local x = walker:getComponent("TransformCMP").x
        least, most = math.min(least, x), math.max(most, x)
        equal(walker:getComponent("TransformCMP").y, 5 * 16 - 10)
    end
    check(least >= 3 * 16 - 12 and least < 4 * 16, "it went to " .. least)
    check(most == 9 * 16 - 12, "it went to " .. most)
end)

test("a player that comes from above wins, one from the side dies", function()
    stage.start { rows = arena .. "....................\n......w....@........\n####################\n" }
    local walker = stage.find("WalkerCMP")
    walker:getComponent("WalkerCMP").speed = 0
    stage.put(6, 1)
    stage.stepUntil(function() return not walker:isActive() end, 90)
    equal(stage.session().state, "play")
    check(stage.get("VelocityCMP").y < 0, "no bounce")
    stage.start { rows = arena .. "....................\n......w....@........\n####################\n" }
    stage.stepUntil(function() return stage.session().state == "dying" end, 200, "left")
    check(not stage.get("PlayerCMP").isAlive)
end)

test("sparks hit walkers; shooters spit until they are hit twice", function()
    stage.start { rows = arena .. "....................\n@.......w...........\n####################\n" }
    stage.step(2)
    stage.step(1, "act")
    stage.step(1)
    equal(stage.count("BoltCMP"), 1)
    stage.stepUntil(function() return stage.count("WalkerCMP") == 0 end, 60)
    stage.step(2)
    equal(stage.count("BoltCMP"), 0)
    stage.start { rows = arena .. "....................\n@.......t...........\n####################\n" }
    stage.stepUntil(function() return stage.count("BoltCMP") > 0 end, 200)
    stage.start { rows = arena .. "....................\n@.......t...........\n####################\n" }
    for _ = 1, 2 do
        stage.step(1, "act")
        stage.step(30)
    end
    equal(stage.count("ShooterCMP"), 0)
end)

test("bolts end at walls, and kill", function()
    stage.start { rows = arena .. "....................\n@..#....t...........\n####################\n" }
    stage.step(400)
    equal(stage.session().state, "play")
    check(stage.count("BoltCMP") <= 2)
    stage.start { rows = arena .. "....................\n@.......t...........\n####################\n" }
    stage.stepUntil(function() return stage.session().state == "dying" end, 400)
end)

test("flyers chase a player that comes near, and go home", function()
    stage.start { rows = arena .. "....................\n@...........b.......\n####################\n" }
    local flyer = stage.find("FlyerCMP")
    stage.step(60)
    check(not flyer:getComponent("FlyerCMP").isChasing)
    stage.put(8, 5)
    stage.step(2)
    check(flyer:getComponent("FlyerCMP").isChasing)
    stage.put(0, 5)
    stage.step(200)
    check(math.abs(flyer:getComponent("TransformCMP").x - 12 * 16) < 60)
end)

test("spikes kill, and so does the abyss", function()
    stage.start { rows = arena .. "....................\n@...................\n####^^##############\n####################\n" }
    stage.stepUntil(function() return stage.session().state == "dying" end, 200, "right")
    stage.start { rows = arena .. "....................\n@...................\n####................\n####................\n" }
    stage.stepUntil(function() return stage.session().state == "dying" end, 300, "right")
end)

test("contacts reach the world as collision events", function()
    stage.start { rows = arena .. "....................\n@...o...............\n####################\n" }
    local seen = {}
    for i = 1, 150 do
        stage.step(1, i < 60 and "right" or "left")
        for _, event in ipairs(stage.world:getCollisionEvents()) do
            seen[event.second and event.second:getName() or "tile"] = event.first:getName()
        end
    end
    equal(seen.coin, "player")
    equal(seen.tile, "player")
end)
