local stage = require "stage"
local feel = require "feel"

local flat = [[
..............................
..............................
..............................
..............................
..@...........................
##########....................
##########....................
]]

test("running speeds up, stops, and has a top speed", function()
    stage.start { rows = flat }
    stage.step(5)
    local first = stage.get("VelocityCMP").x
    stage.step(2, "right")
    local early = stage.get("VelocityCMP").x
    check(early > first and early < feel.runSpeed, "no acceleration")
    stage.step(15, "right")
    equal(stage.get("VelocityCMP").x, feel.runSpeed)
    stage.step(10)
    equal(stage.get("VelocityCMP").x, 0)
end)

test("a jump rises three tiles, and less when it is let go early", function()
    local function height(steps)
        stage.start { rows = flat }
        stage.step(10)
        local floor, top = stage.get("TransformCMP").y, math.huge
        for i = 1, 60 do
            stage.step(1, i <= steps and "jump" or nil)
            top = math.min(top, stage.get("TransformCMP").y)
        end
        return floor - top
    end
    local held, tapped = height(40), height(3)
    check(held > 48 and held < 64, "a held jump rises " .. held)
    check(tapped < held * 0.6 and tapped > 8, "a tap rises " .. tapped)
end)

-- Runs off the edge and presses jump so many steps after the floor has gone.
local function jumpAfterEdge(late)
    stage.start { rows = flat }
    stage.step(5)
    stage.stepUntil(function() return not stage.get("BodyCMP").onGround end, 200, "right")
    stage.step(late, "right")
    stage.step(1, "right", "jump")
    return stage.get("VelocityCMP").y < -200
end

test("coyote time: a jump just behind the edge still counts, a late one does not", function()
    check(jumpAfterEdge(0))
    check(jumpAfterEdge(3))
    check(not jumpAfterEdge(12))
end)

test("a jump that is pressed just before landing is made on landing", function()
    local function pressedEarly(steps)
        stage.start { rows = flat }
        stage.put(5, 1)
        local landing = 0
        stage.stepUntil(function() return stage.get("BodyCMP").onGround end, 100)
        landing = stage.steps
        stage.start { rows = flat }
        stage.put(5, 1)
        stage.step(landing - 1 - steps)
        stage.step(1, "jump")
        local rose = false
        for _ = 1, 30 do
            stage.step(1, "jump")
            rose = rose or stage.get("VelocityCMP").y < -200
        end
        return rose
    end
    check(pressedEarly(4), "the buffered jump was lost")
    check(not pressedEarly(14), "a press long ago still counts")
end)

test("heads slip past corners, and hit ceilings", function()
    local rows = "..........\n..........\n..##......\n..........\n..........\n...@......\n##########\n"
    stage.start { rows = rows }
    stage.step(5)
    -- Three pixels under the block: it slips out to the right.
    stage.get("TransformCMP").x = 4 * 16 - 3
    stage.step(24, "jump")
    check(stage.get("TransformCMP").x >= 64, "it did not slip")
    check(stage.get("TransformCMP").y < 48, "it was stopped")
    stage.start { rows = rows }
    stage.step(5)
    stage.get("TransformCMP").x = 2 * 16 + 8
    local top = math.huge
    for _ = 1, 24 do
        stage.step(1, "jump")
        top = math.min(top, stage.get("TransformCMP").y)
    end
    equal(top, 48)
end)

test("ledges hold from above, and let through from below and on request", function()
    stage.start { rows = "..........\n..........\n..........\n..........\n....--....\n..........\n....@.....\n##########\n" }
    stage.step(5)
    stage.stepUntil(function() return stage.get("BodyCMP").onGround and stage.get("TransformCMP").y < 60 end, 60, "jump")
    equal(stage.get("TransformCMP").y + 14, 64)
    stage.step(30)
    equal(stage.get("TransformCMP").y + 14, 64)
    stage.step(20, "down")
    check(stage.get("TransformCMP").y > 80)
end)

test("walls stop, at any speed", function()
    stage.start { rows = "....#....\n....#....\n.@..#....\n#########\n" }
    stage.step(5)
    stage.get("VelocityCMP").x = 5000
    stage.step(1, "right")
    equal(stage.get("TransformCMP").x + 10, 64)
    equal(stage.get("BodyCMP").wall, 1)
    equal(stage.get("VelocityCMP").x, 0)
end)
