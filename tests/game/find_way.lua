-- Finds a way through a level and prints it as an input log: how the play-throughs in plays/ were made.
--
--     luajit tests/game/find_way.lua MODULE_FOLDER PLAN > plays/level_1.txt
--
-- A plan (plans/*.lua) lists legs: { to = { column, row } } is searched for, { hold = "right jump",
-- steps = 20 } is played as it stands, { untilState = "leaving", hold = "right" } until it is so. The
-- search tries keys, looks how near they lead, and takes them back: it plays by rewinding.

local moduleFolder, planPath = arg[1], arg[2]
package.cpath = moduleFolder .. "/?.so;" .. package.cpath
package.path = arg[0]:match("^(.*)/") .. "/?.lua;" .. package.path
local stage = require "stage"
local plan = dofile(planPath)

local ticks = 6  -- of a move
local moves = { { "right" }, { "right", "jump" }, {}, { "jump" }, { "left" }, { "left", "jump" } }
local played = {}  -- the keys of each step so far

local function press(keys)
    stage.step(1, unpack(keys))
    played[#played + 1] = keys
end

local function distance(goal)
    local transform, box = stage.get("TransformCMP"), stage.get("BoxCMP")
    local dx = transform.x + box.w / 2 - (goal[1] * 16 + 8)
    local dy = transform.y + box.h - (goal[2] + 1) * 16
    return math.sqrt(dx * dx + dy * dy), math.abs(dx), math.abs(dy)
end

local function isThere(leg)
    local _, dx, dy = distance(leg.to)
    return dx <= (leg.near or 10) and dy <= (leg.nearY or 6) and (leg.inAir or stage.get("BodyCMP").onGround)
end

-- Back to a frame that play may go on from, as if these had been the last keys.
local function back(frame, keys)
    stage.rewind:seek(frame)
    stage.rewind:stop()
    stage.host.hold(keys)
end

local function playMoves(node, from)
    back(from, played[#played] or {})
    for _, keys in ipairs(node.moves) do stage.step(ticks, unpack(keys)) end
end

-- Alike enough to be tried once only; later is another matter, as things move.
local function keyOf(depth)
    local transform, velocity = stage.get("TransformCMP"), stage.get("VelocityCMP")
    return ("%d:%d:%d:%d:%d"):format(transform.x / 5, transform.y / 5, velocity.x / 60, velocity.y / 90, depth / 4)
end

local function search(leg)
    stage.step(1)  -- its frame is the one to come back to
    local from = stage.rewind:getFrame()
    local beam, width = { { moves = {}, distance = math.huge } }, leg.width or 12
    local seen = {}
    for depth = 1, leg.depth or 60 do
        local found = {}
        for _, node in ipairs(beam) do
            playMoves(node, from)
            stage.step(1)
            local fork = stage.rewind:getFrame()
            for _, keys in ipairs(leg.moves or moves) do
                back(fork, node.moves[#node.moves] or played[#played] or {})
                for _ = 1, ticks do
                    stage.step(1, unpack(keys))
                    if stage.session().state ~= "play" then break end
                end
                if stage.session().state == "play" then
                    local list = { unpack(node.moves) }
                    list[#list + 1] = keys
                    local key, left = keyOf(depth), (distance(leg.to))
                    if isThere(leg) then
                        stage.step(15)  -- where death is not waiting
                        if stage.session().state == "play" then return list, from end
                    end
                    if not seen[key] then
                        seen[key] = true
                        found[#found + 1] = { moves = list, distance = left + depth * 0.01 }
                    end
                end
            end
        end
        table.sort(found, function(a, b) return a.distance < b.distance end)
        if #found == 0 then break end
        beam = {}
        for i = 1, math.min(width, #found) do beam[i] = found[i] end
        -- And a few that are far, as the way may lead round.
        for i = width + 1, #found, math.max(1, math.floor(#found / 10)) do beam[#beam + 1] = found[i] end
    end
    return nil, from, beam[1] and beam[1].distance
end

local function describe()
    local transform = stage.get("TransformCMP")
    return ("step %d: column %.1f, row %.1f, %d coins, %s, %s"):format(#played, (transform.x + 5) / 16, (transform.y + 14) / 16 - 1,
        stage.session().coins, stage.session().state, stage.game.summary().level)
end

local function run(number, leg)
    if leg.to then
        local list, from, nearest = search(leg)
        if not list then error(("leg %d: no way to %d, %d (%.0f pixels short) from %s"):format(number, leg.to[1], leg.to[2], nearest or -1, describe()), 0) end
        back(from, played[#played] or {})
        for _, keys in ipairs(list) do
            for _ = 1, ticks do
                press(keys)
                if isThere(leg) then break end
            end
        end
    else
        local keys = {}
        for name in (leg.hold or ""):gmatch("%a+") do keys[#keys + 1] = name end
        for _ = 1, leg.steps or 1200 do
            if leg.untilState and stage.session().state == leg.untilState then break end
            if leg.untilLevel and stage.game.summary().level == leg.untilLevel then break end
            press(keys)
        end
    end
    io.stderr:write(("%2d  %s\n"):format(number, describe()))
end

stage.start { level = plan.level, seed = plan.seed, isBare = true, isBlind = true }
press {}
press {}
local ok, message = true, nil
for i, leg in ipairs(plan) do
    ok, message = pcall(run, i, leg)
    if not ok then
        io.stderr:write(message, "\n")
        break
    end
end

print("# Found by find_way.lua" .. (ok and "" or " (and not finished)"))
print("level " .. plan.level)
print("seed " .. plan.seed)
local first = 1
for i = 1, #played do
    local text, next = table.concat(played[i], " "), played[i + 1] and table.concat(played[i + 1], " ")
    if text ~= next then
        if text ~= "" then print(("%d %d %s"):format(first - 1, i, text)) end
        first = i + 1
    end
end
print("# " .. #played .. " steps")
os.exit(ok)
