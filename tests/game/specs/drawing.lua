local stage = require "stage"

test("every level can be drawn, playing, rewinding, paused and dead", function()
    for number = 1, 3 do
        stage.start { level = number }
        stage.step(90, "right")
        stage.host.draws, stage.host.graded = 0, nil
        stage.game.draw(0.5)
        check(stage.host.draws > 100, "an empty picture")
        equal(stage.host.graded, nil)
        stage.step(30, "rewind")
        stage.host.texts = {}
        stage.game.draw(0.5)
        check(stage.host.graded and stage.host.graded < 1, "rewinding does not show")
        check(table.concat(stage.host.texts, "\n"):find("frame " .. stage.rewind:getFrame(), 1, true), "no timeline")
        stage.step(2)
        stage.step(1, "pause")
        stage.step(20)
        stage.game.draw(0)
    end
end)

test("drawing changes nothing in the world", function()
    local function run(draws)
        stage.start { level = 1, seed = 5 }
        for i = 1, 200 do
            stage.step(1, i % 50 > 30 and "jump" or "right", i > 120 and i < 150 and "rewind" or "right")
            if draws then stage.game.draw(i % 3 / 3) end
        end
        return stage.world:stateHash()
    end
    equal(run(true), run(false))
end)

test("the name of the game and its keys are shown at its beginning, and not on the way", function()
    local function isSaid(text)
        stage.host.texts = {}
        stage.game.draw(0)
        return table.concat(stage.host.texts, "\n"):find(text, 1, true) ~= nil
    end
    stage.start { level = 1 }
    stage.step(60)
    for _, text in ipairs { "REVENANT", "SPACE", "SHIFT" } do check(isSaid(text), text) end
    stage.step(150, "right")
    for _, text in ipairs { "REVENANT", "SPACE" } do check(not isSaid(text), text) end
end)

test("what stands in brackets is drawn as a key", function()
    local lettering = require "drawing.lettering"
    local canvas = stage.host.canvas
    for text, parts in pairs {
        ["hold [SHIFT] now"] = { "hold ", "SHIFT", " now" }, ["[A][B]"] = { "A", "B" }, ["none"] = { "none" }, [""] = {},
        ["open [ only"] = { "open [ only" },
    } do
        stage.host.texts = {}
        lettering.plain(canvas, 0, 0, text, 0xffffffff)
        same(stage.host.texts, parts, text)
    end
    check(lettering.width(canvas, "[A]") > lettering.width(canvas, "A"))
end)

test("signs show their text when the player is near", function()
    stage.start { level = 1 }
    local sign = stage.find("SignCMP"):getComponent("SignCMP")
    local first = sign.text:match("^[^|]+")
    local function isSaid()
        stage.host.texts = {}
        stage.game.draw(0)
        return table.concat(stage.host.texts, "\n"):find(first, 1, true) ~= nil
    end
    stage.step(40)
    check(not isSaid())
    stage.step(20, "right")
    check(isSaid())
end)
