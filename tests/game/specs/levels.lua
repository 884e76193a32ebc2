local stage = require "stage"

local function leave()
    stage.start { rows = "....................\n....................\n....................\n@..o.E..............\n####################\n", next = "levels/second" }
    stage.host.files["levels/second.lua"] = "return { entities = { { prefab = 'map', components = { TileMapCMP = { title = 'two', rows = [[\n"
        .. "..........\n..........\n....@.....\n##########\n]] } } }, { prefab = 'player' } } }"
    stage.step(5)
    local first = stage.player()
    local hashes = {}
    local frame = 0
    for _ = 1, 400 do
        stage.step(1, "right")
        frame = stage.rewind:getFrame()
        hashes[frame] = stage.rewind:frameHash(frame)
        if stage.game.summary().level == "levels/second" then break end
    end
    equal(stage.game.summary().level, "levels/second")
    stage.step(30)
    return first, frame, hashes
end

test("the exit leads to the next level, and rewinding leads back", function()
    local first, frame, hashes = leave()
    check(stage.player() ~= first)
    equal(first:getState(), "zombie")
    equal(stage.session().coins, 1)
    stage.rewind:seek(frame - 1)
    equal(stage.player(), first)
    equal(stage.game.summary().level, "levels/spec")
    stage.rewind:seek(frame - 40)
    equal(stage.player(), first)
    for at = frame - 60, frame do
        stage.rewind:seek(at)
        equal(stage.world:stateHash(), hashes[at])
    end
    stage.rewind:seek(frame - 60)
    equal(stage.session().state, "play")
    stage.rewind:stop()
    -- And through the exit once more.
    stage.stepUntil(function() return stage.game.summary().level == "levels/second" end, 300, "right")
    equal(first:getState(), "zombie")
    equal(stage.session().coins, 1)
end)

test("by the key, too: hold it and the first level is back", function()
    local first = leave()
    stage.stepUntil(function() return stage.game.summary().level == "levels/spec" end, 200, "rewind")
    equal(stage.player(), first)
    stage.step(60, "rewind")
    stage.step(2)
    equal(stage.time().mode, "play")
    stage.stepUntil(function() return stage.game.summary().level == "levels/second" end, 400, "right")
end)

test("rewinding at the very step of the change undoes the request", function()
    stage.start { rows = "....................\n....................\n....................\n@....E..............\n####################\n", next = "levels/second" }
    stage.stepUntil(function() return stage.session().state == "loading" end, 400, "right")
    stage.step(160, "rewind")
    stage.step(2)
    equal(stage.game.summary().level, "levels/spec")
    equal(stage.session().state, "play")
end)

test("a missing or broken level says so, and the game goes on in the old one", function()
    for path, text in pairs { ["levels/nowhere"] = false, ["levels/broken"] = "return {\n  entities = {\n    { prefab = 'dragon' },\n  },\n}" } do
        stage.host.files[path .. ".lua"] = text or nil
        stage.start { rows = "....................\n....................\n....................\n@....E..............\n####################\n", next = path }
        stage.stepUntil(function() return stage.session().state == "loading" end, 400, "right")
        local message = raises(function() stage.step(1) end, path)
        if text then check(message:find("broken.lua:3:", 1, true) and message:find("dragon", 1, true), message) end
        stage.step(10)
        equal(stage.game.summary().level, "levels/spec")
        stage.step(120, "rewind")
        stage.step(10)
        equal(stage.session().state, "play")
    end
    -- The very first level is missing.
    stage.start { level = "levels/nowhere", isBare = true }
    raises(function() stage.step(1) end, "nowhere")
    stage.step(10)
    stage.game.draw(0)
    equal(stage.game.summary().level, "")
end)

test("a map with a letter that means nothing, or without a place for a thing, says so", function()
    raises(function() stage.start { rows = "@..?..\n######\n" } end, "'?'")
    raises(function() stage.start { rows = "@.....\n######\n", entities = "{ prefab = 'key', components = { PlaceCMP = { letter = 'K' } } }" } end, "'K'", "key")
end)

test("an error in a system is reported, and all others tick", function()
    stage.start { rows = "....................\n....................\n....................\n@....E..............\n####################\n" }
    local camera = stage.world:getSystem("CameraSys")
    local class = getmetatable(camera).__index
    local tick = class.tick
    class.tick = function() error("lens broken") end
    local x = stage.get("TransformCMP").x
    for _ = 1, 20 do raises(function() stage.step(1, "right") end, "lens broken") end
    class.tick = tick
    check(stage.get("TransformCMP").x > x + 5)
    stage.step(1)
end)

test("a level is chosen by number or by path", function()
    for level, name in pairs { [1] = "levels/level_1", ["2"] = "levels/level_2", ["levels/level_3.lua"] = "levels/level_3" } do
        stage.start { level = level }
        equal(stage.game.summary().level, name)
    end
end)

test("everything that the game knows is met on the way, and each exit leads to the next level", function()
    local tiles = { "#", "=", "-", "^" }
    local components = { "WalkerCMP", "FlyerCMP", "ShooterCMP", "MoverCMP", "CrumbleCMP", "KeyCMP", "DoorCMP", "PlateCMP",
        "SpringCMP", "CheckpointCMP", "TriggerCMP", "SignCMP", "ImmuneCMP" }
    local following = { "levels/level_2", "levels/level_3", "" }
    local met = {}
    for number = 1, 3 do
        stage.start { level = number }
        local map = stage.find("TileMapCMP"):getComponent("TileMapCMP")
        equal(map.next, following[number])
        for _, tile in ipairs(tiles) do met[tile] = met[tile] or map.rows:find(tile, 1, true) end
        for _, component in ipairs(components) do met[component] = met[component] or stage.count(component) > 0 end
        local kinds = {}
        for _, entity in ipairs(stage.world:query():with("TouchCMP"):entities()) do
            local kind = entity:getComponent("TouchCMP").kind
            kinds[kind] = (kinds[kind] or 0) + 1
        end
        equal(kinds.exit, 1, "exits of level " .. number)
        check(kinds.coin >= 5, "hardly a coin in level " .. number)
        check(kinds.checkpoint, "no hourglass in level " .. number)
    end
    for _, what in ipairs(tiles) do check(met[what], "no level has a tile " .. what) end
    for _, what in ipairs(components) do check(met[what], "nobody meets " .. what) end
end)
