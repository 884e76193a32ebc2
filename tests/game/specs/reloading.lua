local stage = require "stage"

test("a system whose file changes runs the new code, with the world kept; a mistake is reported once", function()
    stage.start { rows = "....................\n....................\n....................\n@...................\n####################\n" }
    stage.step(30, "right")
    local x, player = stage.get("TransformCMP").x, stage.player()
    local path = "systems/input.lua"
    local text = stage.host.readFile(path)
    stage.host.headless = false
    -- From now on it only ever wants to the left.
    stage.host.files[path] = text:gsub("player%.wish = %(controls.-\n", "player.wish = -1\n")
    check(stage.host.files[path] ~= text)
    stage.step(200, "right")
    equal(stage.player(), player)
    check(stage.get("TransformCMP").x < x)
    stage.host.files[path] = text .. "\nthis is no Lua"
    local raised = 0
    for _ = 1, 150 do
        local ok, message = pcall(stage.step, 1, "right")
        if not ok then
            raised = raised + 1
            check(message:find("systems/input.lua", 1, true), message)
        end
    end
    equal(raised, 1)
    stage.host.files[path] = nil
    stage.step(70, "right")
    stage.host.headless = true
    stage.step(30, "right")
    equal(stage.get("PlayerCMP").wish, 1)
end)

test("without a window nothing is looked at again", function()
    stage.start { rows = "@...\n####\n" }
    stage.host.files["systems/input.lua"] = "this is no Lua"
    stage.step(100)
    stage.host.files["systems/input.lua"] = nil
end)
