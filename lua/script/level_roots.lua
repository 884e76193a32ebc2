-- The roots of the running level, which are a resource of the world and are rewound with it. A root that is not rewindable
-- lives on through a rewind, but only in its level: at frames of another level, or after the level was unloaded, the root is
-- out of the world. It comes back, as it was left, at frames of its level.

local core = ...
local native = core.native

local resource = "LevelManager.roots"

-- A save of format 1 has no removed entities: loading one leaves holes in their place.
local function of(data)
    local stored, roots = data.link.world:getResource(resource) or {}, {}
    for i = 1, table.maxn(stored) do
        if stored[i] ~= nil then roots[#roots + 1] = stored[i] end
    end
    return roots
end

local function remove(data)
    for _, root in ipairs(of(data)) do
        if root:isValid() then data.link.world:removeEntity(root) end
    end
end

-- Each entry is {entity, first, last, isOut, isRetained}: the frames at which its level was the running one, and whether the
-- manager has taken it out. An entry is kept, with a reference, until no frame leads to its level any more.
local function findTimeless(data)
    local stored = data.link.world:getResource(resource)
    if data.timeless and rawequal(stored, data.storedRoots) then return end
    data.timeless = data.timeless or {}
    local known = {}
    for _, entry in ipairs(data.timeless) do known[entry.entity] = true end
    data.storedRoots, data.isRoot = stored, {}
    for _, root in ipairs(of(data)) do
        data.isRoot[root] = true
        if not known[root] and root:isValid() and not root:isRewindable() then
            table.insert(data.timeless, { entity = root, isOut = false })
        end
    end
end

local function releaseTimeless(data, i)
    local entry = table.remove(data.timeless, i)
    if entry.isRetained and entry.entity:isValid() then entry.entity:release() end
end

-- At a frame of its level: it is in, unless the game has removed it.
local function settleInLevel(data, i, frame)
    local entry = data.timeless[i]
    if entry.isOut then
        entry.isOut = false
        data.link.world:addEntity(entry.entity)
    elseif entry.entity:getState() == "zombie" then
        return releaseTimeless(data, i)
    end
    if frame then entry.first, entry.last = entry.first or frame, frame end
end

-- At any other frame: it is out, and kept while there is a frame of its level.
local function settleElsewhere(data, i, rewind)
    local entry = data.timeless[i]
    if not entry.isOut then
        entry.isOut = true
        data.link.world:removeEntity(entry.entity)
    end
    if native.isInPast(data.link.number) then return end
    local newest = rewind and rewind:getNewestFrame()
    if not (newest and entry.first) or entry.first > newest or entry.last < rewind:getOldestFrame() then
        return releaseTimeless(data, i)
    end
    entry.last = math.min(entry.last, newest)
end

-- Takes roots that are not rewindable out at frames of other levels, and puts them back, as they were left, at frames of
-- their own. `isRecorded`: the current frame has been recorded.
local function settleTimeless(data, isRecorded)
    local number = data.link.number
    if native.isResimulating(number) then return end
    findTimeless(data)
    if #data.timeless == 0 then return end
    local rewind = core.rewindOf(data.link)
    local frame = isRecorded and rewind and not native.isInPast(number) and rewind:getFrame()
    for i = #data.timeless, 1, -1 do
        local entry = data.timeless[i]
        if rewind and not entry.isRetained and entry.entity:isValid() then
            entry.entity:retain()
            entry.isRetained = true
        end
        if not entry.entity:isValid() then
            table.remove(data.timeless, i)
        elseif data.isRoot[entry.entity] then
            settleInLevel(data, i, frame)
        else
            settleElsewhere(data, i, rewind)
        end
    end
end

core.levelRoots = { resource = resource, of = of, remove = remove, settle = settleTimeless }
