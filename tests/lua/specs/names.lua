-- lua/api and the module have the same names.
local revenant = require "revenant"

local function annotated()
    local names, fields, current = {}, {}, nil
    local folder = specFolder .. "/../../../lua/api/"
    local lines = {}
    for entry in io.lines(folder .. "revenant.lua") do
        local file = entry:match("^%-%- +([%w_]+%.lua)$")
        if file then
            for line in io.lines(folder .. file) do lines[#lines + 1] = line end
        end
    end
    for _, line in ipairs(lines) do
        current = line:match("^%-%-%-@class ([%w.]+)") or current
        local class, name = line:match("^function ([%a]+)[.:]([%w]+)%(")
        if not class then class, name = line:match("^([%u][%a]+)%.([%w]+) = ") end
        if class then
            names[class] = names[class] or {}
            check(not names[class][name], class .. "." .. name .. " is annotated twice")
            names[class][name] = true
        end
        local field = line:match("^%-%-%-@field ([%a]+) revenant%.") or line:match("^%-%-%-@field (version) ")
            or line:match("^%-%-%-@field (isValidating) ")
        if field and current == "revenant" then fields[field] = true end
    end
    return names, fields
end

test("lua/api has every name of the module, and no other", function()
    local names, fields = annotated()
    local missing = {}
    for name, value in pairs(revenant) do
        local isAnnotated = fields[name] or (type(value) == "function" and names.revenant[name])
        if not isAnnotated then missing[#missing + 1] = "lua/api lacks revenant." .. name end
        if type(value) == "table" then
            for key, member in pairs(value) do
                local isOwn = type(key) == "string" and key:sub(1, 2) ~= "__"
                    and (type(member) == "function" or key == "EMPTY")
                if isOwn and not (names[name] and names[name][key]) then
                    missing[#missing + 1] = "lua/api lacks " .. name .. "." .. key
                end
            end
        end
    end
    for field in pairs(fields) do
        if revenant[field] == nil then missing[#missing + 1] = "the module lacks " .. field end
    end
    for class, members in pairs(names) do
        for member in pairs(members) do
            if class == "revenant" then
                if not revenant[member] then missing[#missing + 1] = "the module lacks " .. member end
            elseif not revenant[class] or rawget(revenant[class], member) == nil then
                missing[#missing + 1] = "the module lacks " .. class .. "." .. member
            end
        end
    end
    table.sort(missing)
    check(#missing == 0, table.concat(missing, "\n"))
end)

test("every name of the contract is there", function()
    local contract = {
        World = "getInstance addEntity removeEntity update reconcile reset getAllManagedEntities getActiveEntities getZombies "
            .. "getMainCharacter setMainCharacter getMainCamera setMainCamera recordCollisionEvent getCollisionEvents "
            .. "registerSystem unregisterSystem getSystem getComponentsView defineComponent defineScriptComponent "
            .. "getRenderEnv setRenderEnv stateHash getStats getResource setResource random setRandomSeed on off newEntity",
        Entity = "new getName getId isValid getState isDirty destroy addComponent removeComponent getComponent hasComponent "
            .. "setComponentEnabled setEnabled isEnabled isActive addChild removeChild getParent getChildren retain release "
            .. "getRefCount setRewindable isRewindable",
        ComponentRequirementDesc = "new without",
        ComponentsView = "isDirty release runs display EMPTY",
        BaseSystem = "extend init addComponentRequirement getComponentsView new",
        TimeRewindSys = "new start stop isRewinding setSpeed seek step getFrame getOldestFrame getNewestFrame frameHash "
            .. "setBudget getMemory clear",
        LevelManager = "new load unload",
        types = "f32 f64 i32 u32 i64 u8 bool string entity array lerp angle",
    }
    for class, members in pairs(contract) do
        for name in members:gmatch("%S+") do
            check(rawget(revenant[class], name) ~= nil, class .. " lacks " .. name)
        end
    end
end)

test("the bound names of C++ are the same in Lua", function()
    -- One search finds both: each of these is in world.hpp, save.hpp, entity.hpp or time_rewind_sys.hpp.
    local function read(path)
        local file = assert(io.open(specFolder .. "/../../../" .. path))
        local text = file:read("*a")
        file:close()
        return text
    end
    local headers = {
        World = { read "world/world.hpp" .. read "save/save.hpp", { getInstance = 1, new = 1, dispose = 1, isComponentDefined = 1, getSystemNames = 1,
            definePrefab = 1, getPrefab = 1, spawn = 1, spawnMany = 1, defineScriptComponent = 1, stateHash = 1, defineEvent = 1,
            saveToString = 1, loadFromString = 1, deserialize = 1 } },  -- bytes in C++
        Entity = { read "world/entity.hpp", { new = 1, serialize = 1, serializeDelta = 1, applyDelta = 1 } },
        TimeRewindSys = { read "rewind/time_rewind_sys.hpp" .. read "world/system.hpp", { new = 1 } },
        Query = { read "views/query.hpp", {} },
    }
    for class, entry in pairs(headers) do
        for name, value in pairs(revenant[class]) do
            if type(value) == "function" and name:sub(1, 2) ~= "__" and not entry[2][name] then
                check(entry[1]:find("%f[%w]" .. name .. "%("), class .. "." .. name .. " is called otherwise in C++")
            end
        end
    end
end)
