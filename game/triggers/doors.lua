-- Doors, and what opens them: a key of their colour in the player's hands, or a plate of their colour
-- while it is pressed. A door slides up into its frame.

local burst = require "prefabs.burst"
local sound = require "sound"

local doors = {}

local function overlaps(ax, ay, aw, ah, bx, by, bw, bh)
    return ax < bx + bw and bx < ax + aw and ay < by + bh and by < ay + ah
end

-- A plate is pressed while any body rests on it.
local function press(world, plates, bodies)
    for i = 1, plates.count do
        local plate, at, size, sprite = plates.PlateCMP[i], plates.TransformCMP[i], plates.BoxCMP[i], plates.SpriteCMP[i]
        local isPressed = false
        for k = 1, bodies.count do
            local transform, box = bodies.TransformCMP[k], bodies.BoxCMP[k]
            if bodies.BodyCMP[k].onGround
                and overlaps(transform.x, transform.y, box.w, box.h, at.x + 2, at.y, size.w - 4, size.h) then
                isPressed = true
                break
            end
        end
        if isPressed ~= plate.isPressed then
            plate.isPressed = isPressed
            sprite.clip, sprite.start = isPressed and "pressed" or "idle", world:getTime()
            sound("door", 0.6, isPressed and 1.4 or 1.1)
        end
    end
end

local function isHeldOpen(plates, color)
    for i = 1, plates.count do
        if plates.PlateCMP[i].isPressed and plates.PlateCMP[i].color == color then return true end
    end
    return false
end

local function heldKey(keys, color)
    for i = 1, keys.count do
        local key = keys.KeyCMP[i]
        if key.isHeld and key.color == color then return keys.entities[i] end
    end
    return nil
end

-- Keys that are held float behind the player.
local function follow(world, keys, dt)
    local player = world:getMainCharacter()
    if not player then return end
    local transform, facing = player:getComponent("TransformCMP"), player:getComponent("PlayerCMP").facing
    local place = 0
    for i = 1, keys.count do
        if keys.KeyCMP[i].isHeld then
            place = place + 1
            local at = keys.TransformCMP[i]
            local x = transform.x - facing * (4 + 12 * place)
            local y = transform.y - 8 + 2 * math.sin(world:getTime() * 4 + place)
            local blend = math.min(1, 7 * dt)
            at.x, at.y = at.x + (x - at.x) * blend, at.y + (y - at.y) * blend
        end
    end
end

-- A key is used up, unless it is immune to time: its door may be shut again by a rewind, and no other
-- key would open it.
local function unlock(world, door, key, transform, box)
    door.isOpen = true
    if key:isRewindable() then world:removeEntity(key) end
    burst.sparkle(world, transform.x + box.w / 2, transform.y + box.h / 2, 12)
    sound("door")
end

function doors.tick(world, sets, dt)
    press(world, sets.plates, sets.bodies)
    follow(world, sets.keys, dt)
    local player = world:getMainCharacter()
    for i = 1, sets.doors.count do
        local door, transform, box = sets.doors.DoorCMP[i], sets.doors.TransformCMP[i], sets.doors.BoxCMP[i]
        local color = door.color
        if not door.isOpen and player then
            local key = heldKey(sets.keys, color)
            local at, size = player:getComponent("TransformCMP"), player:getComponent("BoxCMP")
            if key and overlaps(at.x - 6, at.y, size.w + 12, size.h, transform.x, transform.y, box.w, box.h) then
                unlock(world, door, key, transform, box)
            end
        end
        local goal = (door.isOpen or isHeldOpen(sets.plates, color)) and 1 or 0
        if door.opening ~= goal then
            local before = door.opening
            local step = goal > door.opening and dt * 2.2 or -dt * 1.2
            door.opening = math.max(0, math.min(1, door.opening + step))
            transform.y = transform.y - (door.opening - before) * (box.h - 2)
        end
    end
end

return doors
