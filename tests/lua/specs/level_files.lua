-- Level files: what they may hold, what they may do, and the errors that name file, line and field.
local revenant = require "revenant"
local scene = require "scene"
local level_scene = require "level_scene"
local files, levelWorld = level_scene.files, level_scene.world

test("a broken file leaves the running level untouched and says file, line and field", function()
    local world, levels = levelWorld()
    levels:load("forest")
    world:update(0)
    local before = world:getAllManagedEntities()
    local broken = {
        { "return {\n  entities = {\n    { name = 'a' },\n    { name = 'b', components = {\n      HealthCMP = {\n        points = 'many' } } },\n  },\n}",
            "levels/broken.lua:6:", "entities[2].components.HealthCMP", "points" },
        { "return {\n  entities = {\n    {\n      colour = 'red' },\n  },\n}", "levels/broken.lua:4:", "entities[1].colour" },
        { "return {\n  entities = {\n    { components = {\n NopeCMP = {} } },\n  },\n}", "levels/broken.lua:4:", "NopeCMP" },
        { "return {\n  monsters = {},\n}", "levels/broken.lua:2:", "monsters" },
        { "return {\n\n  entities = 5 }", "levels/broken.lua:3:", "entities" },
        { "return {\n  entities = {\n", "levels/broken.lua:3:" },
        { "return nothing.at.all", "levels/broken.lua:1:" },
        { "return 5", "levels/broken.lua", "table" },
        { "\n\nos.execute('x')", "levels/broken.lua:3:", "os" },
        { "while true do end", "too long" },
        { "\27LJ", "bytecode" },
        { "return { entities = { { prefab = 'nobody' } } }", "levels/broken.lua:1:", "nobody" },
        { "return {\n prefabs = {\n  [5] = {} } }", "prefabs" },
        { "return {\n entities = {\n { name = 'x', children = {\n 7 } } } }", "levels/broken.lua:4:", "children[1]" },
        { "return {\n entities = {\n foo = { name = 'x' } } }", "levels/broken.lua:3: entities.foo: ", "a list", "'foo'", "keyed by name" },
        { "return { entities = {\n {},\n nil,\n {} } }", "levels/broken.lua:3: entities[2]: ", "a list", "holes" },
        { "return { entities = {\n { children = {\n gun = {} } } } }", "levels/broken.lua:3: entities[1].children.gun: ", "a list" },
        { "return { entities = {\n { children = { {},\n nil, {} } } } }", "levels/broken.lua:3: entities[1].children[2]: ", "holes" },
        { "return { entities = {\n { children = { {},\n [3.5] = {} } } } }", "levels/broken.lua:3: entities[1].children[3.5]: ", "a list" },
        { "return { prefabs = { a = { children = { {} } } }, entities = {\n { prefab = 'a', children = {\n gun = {} } } } }",
            "levels/broken.lua:3: entities[1].children.gun: ", "a list" },
        { "return { prefabs = { a = { children = { {} } } }, entities = {\n { prefab = 'a', children = {\n { colour = 1 } } } } }",
            "levels/broken.lua:3: entities[1].children[1].colour: " },
        { "return { prefabs = {\n a = { prefab = 'b' },\n b = { children = {\n { prefab = 'a' } } } } }",
            "levels/broken.lua:4: prefabs.b.children[1].prefab: ", "circle", "a, b, a" },
        { "local t = {}\nt.children = { t, t }\nreturn { prefabs = {\n a = t } }", "levels/broken.lua:4: prefabs.a.children[1]", "circle" },
        { "return { prefabs = {\n a = { prefab = 'a' } } }", "levels/broken.lua:2: prefabs.a.prefab: ", "circle", "a, a" },
    }
    for i, case in ipairs(broken) do
        files["levels/broken.lua"] = case[1]
        levels:load("broken")
        local message = raises(function() world:update(0) end, unpack(case, 2))
        equal(levels:getLevel(), "forest", "case " .. i)
        same(world:getAllManagedEntities(), before)
        equal(world:getStats().detached, 0, message)
        check(not levels:isPending())
        world:update(0)
    end
    levels:load("missing")
    raises(function() world:update(0) end, "missing")
    equal(levels:getLevel(), "forest")
end)

test("the line is that of the field, whatever stands before it", function()
    local world, levels = levelWorld()
    local field = "entities[1].colour"
    for i, case in ipairs {
        { "-- { colour = 1\nreturn {\n--[[ a\n{ comment ]] entities = {\n{ colour = 1 } } }", 5 },
        { "return {\n--[==[ {\n]] ]==]\nentities = {\n{ colour = 1 } } }", 5 },
        { "return {\nentities = {\n{ name = [==[a\n{]]\nb]==],\ncolour = 1 } } }", 6 },
        { "return {\nentities = {\n{ name = 'it\\'s {', note = \"\\\"{\",\ncolour = 1 } } }", 4, "entities[1].note", 3 },
        { "return {\n['entities'] = {\n[1] = {\n['colour'] = 1 } } }", 4 },
        { "return {\nprefabs = { { }, { entities = { } } };\nentities = { {\ncolour = 1 } } }", 2, "prefabs" },
        { "local level = { entities = {\n{ colour = 1 } } }\nreturn level", 1 },
        { "local function f() return {\n{} } end\nreturn {\nentities = {\n{ colour = 1 } } }", 5 },
        { "local f = function() if 1 then return { } end end\nfor i = 1, 2 do f() end\nreturn { entities = {\n{ colour = 1 } } }", 4 },
        { "return { entities = {\n{ name = 'a\\\nb',\ncolour = 1 } } }", 4 },
        { "return { entities = {\n{ enabled = 1 == 1, name = ('x')\n,\ncolour = 1 } } }", 4 },
        { "local t\195\188r = {}\nreturn { entities = { t\195\188r,\n{ colour = 1 } } }", 3, "entities[2].colour" },
        { "return {\nentities = { {},\n5 } }", 3, "entities[2]" },
        { "local door = { name = 'd' }\nreturn { entities = { door,\n{ colour = 1 },\n{ name = 'ok' } } }", 3, "entities[2].colour" },
        { "local door = { colour = 1 }\nreturn { entities = { {},\ndoor,\n{} } }", 3, "entities[2].colour" },
        { "local function f(a, b) return a end\nreturn { entities = { f({}, { {}, {} }),\n(function() local a, b; return {}; end)(),\n"
            .. "{ colour = 1 } } }", 4, "entities[3].colour" },
        { "local t = { name = { 1 } }\nreturn { entities = { t.name[1] and {},\n{ colour = 1 } } }", 3, "entities[2].colour" },
        { "local function f(t) return t[1] end\nreturn { entities = {\nf { { colour = 1 } },\n{} } }", 3, "entities[1].colour" },
    } do
        files["levels/broken.lua"] = case[1]
        levels:load("broken")
        local message = raises(function() world:update(0) end, "levels/broken.lua:")
        local line, what = message:match("broken%.lua:(%d+): ([^:]*)")
        local isField = what == field and tonumber(line) == case[2]
        local isOther = case[3] and what:find(case[3], 1, true) == 1 and tonumber(line) == (case[4] or case[2])
        check(isField or isOther, "case " .. i .. ": " .. message)
    end
end)

test("prefabs of a file may build on each other in any order, and on what those build on", function()
    local world, levels = levelWorld()
    files["levels/tower.lua"] = [[return {
        prefabs = {
            c = { components = { TransformCMP = { x = 1, y = 2 } }, children = { { name = "door" } } },
            b = { prefab = "c", components = { HealthCMP = { points = 7 } } },
            a = { prefab = "b", components = { TransformCMP = { x = 5 } }, children = { { prefab = "d" } } },
            d = {},
        },
        entities = { { prefab = "a", children = { { name = "flag" } } } },
    }]]
    local function expectTower(x, points)
        levels:load("tower")
        world:update(0)
        same(scene.names(world:getAllManagedEntities()), { "a", "door", "d", "flag" })
        local root = levels:getRoots()[1]
        equal(root:getComponent("TransformCMP").x, x)
        equal(root:getComponent("TransformCMP").y, 2)
        equal(root:getComponent("HealthCMP").points, points)
    end
    expectTower(5, 7)
    -- Those of the file hold, not those that its last version left behind.
    files["levels/tower.lua"] = files["levels/tower.lua"]:gsub("points = 7", "points = 8")
    expectTower(5, 8)
    -- A circle may also lead over one that another level left behind.
    files["levels/circle.lua"] = [[return { prefabs = { c = { prefab = "b" } }, entities = {
        { prefab = "c" } } }]]
    levels:load("circle")
    raises(function() world:update(0) end, "levels/circle.lua:2: entities[1].prefab: ", "circle")
    equal(levels:getLevel(), "tower")
    equal(world:getPrefab("c"):spawn():getChildren()[1]:getName(), "door")
end)

test("children of a template are a list, also those of a prefab", function()
    local world = scene.world()
    raises(function() world:definePrefab("k", { children = { gun = { nmae = 4 } } }) end,
        "level_files.lua:", "definePrefab 'k'", "children.gun", "a list", "keyed by name")
    raises(function() world:definePrefab("k", { children = { {}, nil, {} } }) end, "children[2]", "holes")
    raises(function() world:definePrefab("k", { children = { [0] = {}, {} } }) end, "children[0]", "a list")
    equal(world:getPrefab("k"), nil)
    equal(world:definePrefab("k", { children = { {}, { name = "gun" } } }):spawn():getChildren()[2]:getName(), "gun")
end)

test("a component given as true over a prefab's keeps what that says", function()
    local world = scene.world()
    world:definePrefab("base", { components = { TransformCMP = { x = 3 }, HealthCMP = true } })
    local e = world:definePrefab("same", { prefab = "base",
        components = { TransformCMP = true, HealthCMP = { points = 4 }, VelocityCMP = true } }):spawn()
    equal(e:getComponent("TransformCMP").x, 3)
    equal(e:getComponent("HealthCMP").points, 4)
    equal(e:getComponent("VelocityCMP").x, 0)
end)

test("a script component given as true is made by its class, one for each instance", function()
    local world, levels = levelWorld()
    local made = 0
    local Brain = {}
    Brain.__index = Brain
    function Brain:new()
        made = made + 1
        return setmetatable({ mood = "calm" }, self)
    end
    world:defineScriptComponent("BrainCMP", Brain)
    files["levels/minds.lua"] = [[return {
        prefabs = { orc = { components = { BrainCMP = true } } },
        entities = { { prefab = "orc" }, { prefab = "orc", components = { BrainCMP = true } },
            { prefab = "orc", components = { BrainCMP = { mood = "wild" } } } },
    }]]
    levels:load("minds")
    world:update(0)
    equal(made, 2)
    local minds = {}
    for i, root in ipairs(levels:getRoots()) do minds[i] = root:getComponent("BrainCMP") end
    equal(minds[1].mood, "calm")
    check(minds[1] ~= minds[2])
    equal(minds[3].mood, "wild")
    equal(getmetatable(minds[3]), Brain)
    equal(world:spawn("orc"):getComponent("BrainCMP").mood, "calm")
    equal(made, 3)
end)

test("data files see nothing of the program", function()
    local world, levels = levelWorld()
    files["levels/spy.lua"] = "seen = _G or print or require or string; return { name = tostring and 'x' or nil }"
    levels:load("spy")
    world:update(0)
    equal(levels:getLevel(), "spy")
    equal(rawget(_G, "seen"), nil)
end)

test("a level file is stopped wherever it asks for too much, with file, line and what to do", function()
    local world, levels = levelWorld()
    world:defineScriptComponent("NotesCMP")
    local greedy = {
        -- No library is in reach, not even by way of a string: C code cannot be stopped.
        { "\nreturn { name = (('a'):rep(30)):match(('a?'):rep(30) .. ('a'):rep(30)) }", "levels/greedy.lua:2: ", "strings have no methods", "'rep'" },
        { "local s = 'x'\nlocal f = s.gsub\nreturn {}", "levels/greedy.lua:2: ", "strings have no methods", "'gsub'" },
        { "return {\n name = ('%99999999d'):format(1) }", "levels/greedy.lua:2: ", "'format'", "a level is data" },
        { "\nreturn { name = table.concat({}, 'x') }", "levels/greedy.lua:2: ", "table" },
        { "for x in pairs {} do end", "levels/greedy.lua:1: ", "pairs" },
        { "local s = 'xxxxxxxxxxxxxxxx'\nwhile true do\n s = s .. s\nend", "levels/greedy.lua:3: ", "256 MB", "spawnMany" },
        { "local t = {}\nfor i = 1, 1e9 do\n t[i] = {} end", "levels/greedy.lua:3: ", "256 MB" },
        { "local function f(n)\n return 1 + f(n) end\nreturn { name = f(1) }", "levels/greedy.lua:2: ", "too deeply", "recursion" },
        { "local function f(n)\n return f(n) end\nreturn f(1)", "levels/greedy.lua:2: ", "too long" },
        { "\nlocal x = 1\nwhile x do x = x + 1 end", "levels/greedy.lua:3: ", "too long", "does not compute" },
        -- A hundred entities deep, two of each: 2^50 of them.
        { "local t = {}\nfor i = 1, 50 do t = { children = { t, t } } end\nreturn { entities = {\n t } }",
            "levels/greedy.lua:4: entities[1]", "more than 262144 entities", "shared", "spawnMany" },
        { "local p = { a0 = {} }\nfor i = 1, 50 do\n local n = 'a' .. (i - 1)\n"
            .. "p['a' .. i] = { children = { { prefab = n }, { prefab = n } } } end\nreturn { prefabs = p,\n entities = { { prefab = 'a50' } } }",
            "levels/greedy.lua:", "more than 262144 entities" },
        { "local big = {}\nfor i = 1, 1e5 do big[i] = i end\nlocal t = { components = { NotesCMP = { list = big } } }\n"
            .. "local all = {}\nfor i = 1, 100 do all[i] = t end\nreturn { entities = {\n { children = all } } }",
            "levels/greedy.lua:7: ", "more than 4194304 values", "shared" },
        { "local t = {}\nfor i = 1, 1e4 do t = { t } end\nreturn { entities = { {\n components = { NotesCMP = t } } } }",
            "levels/greedy.lua:4: entities[1].components.NotesCMP: ", "nested more than 200 deep" },
        { "local t = {}\nfor i = 1, 1e5 do t = { children = { t } } end\nreturn { entities = {\n t } }", "levels/greedy.lua:4: ", "more than 100 deep" },
    }
    for _, case in ipairs(greedy) do
        files["levels/greedy.lua"] = case[1]
        levels:load("greedy")
        raises(function() world:update(0) end, unpack(case, 2))
        equal(world:getStats().detached, 0)
    end
    equal(("still"):upper(), "STILL")
    levels:load("forest")
    world:update(0)
    equal(levels:getLevel(), "forest")
end)

test("a level file may compute, share tables and have 64-bit numbers", function()
    local world, levels = levelWorld()
    world:defineComponent("WideCMP", { signed = revenant.types.i64(0), other = revenant.types.i64(0) })
    world:defineScriptComponent("NotesCMP")
    files["levels/computed.lua"] = [[
        local function at(i) return { name = "row " .. i, components = { TransformCMP = { x = i * 2 } } } end
        local rows = {}
        for i = 1, 3 do rows[i] = at(i) end
        local shared = { "said once" }
        rows[4] = { components = {
            NotesCMP = { shared, shared, on = true, off = false },
            WideCMP = { signed = -9007199254740993LL, other = 9007199254740995ULL },
        } }
        return { entities = rows }
    ]]
    levels:load("computed")
    world:update(0)
    local all = world:getAllManagedEntities()
    same(scene.names(all), { "row 1", "row 2", "row 3", "entity" })
    equal(all[3]:getComponent("TransformCMP").x, 6)
    local notes, wide = all[4]:getComponent("NotesCMP"), all[4]:getComponent("WideCMP")
    check(rawequal(notes[1], notes[2]) and notes[1][1] == "said once" and notes.on == true and notes.off == false)
    check(wide.signed == -9007199254740993LL and wide.other == 9007199254740995LL)
end)

test("a debugger's hook is still there after a level was loaded, and after one that takes too long", function()
    local world, levels = levelWorld()
    local before, beforeMask, beforeCount = debug.gethook()
    local calls = 0
    local function hook() calls = calls + 1 end
    files["levels/endless.lua"] = "while true do end"
    for _, name in ipairs { "forest", "endless" } do
        debug.sethook(hook, "c")
        levels:load(name)
        local ok = pcall(world.update, world, 0)
        local after, mask = debug.gethook()
        debug.sethook()
        if type(before) == "function" then debug.sethook(before, beforeMask, beforeCount) end
        equal(ok, name == "forest")
        check(rawequal(after, hook))
        equal(mask, "c")
    end
    check(calls > 0)
end)
