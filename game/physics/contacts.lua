-- Contacts: sends collision events for what touches what. Touchers are few (the player and
-- its bolts), what can be touched may be thousands.

local floor = math.floor

local contacts = {}

local size = 16
local hazard = 3

-- Events of one toucher with all of a view (TransformCMP, BoxCMP, TouchCMP) whose bits fit.
function contacts.touch(world, toucher, bits, x, y, w, h, view)
    local row = 0
    local entities = view.entities
    local right, bottom = x + w, y + h
    for count, transforms, boxes, touches in view:runs("TransformCMP", "BoxCMP", "TouchCMP") do
        for i = 0, count - 1 do
            local transform, box = transforms[i], boxes[i]
            if transform.x < right and x < transform.x + box.w and transform.y < bottom and y < transform.y + box.h
                and bit.band(touches[i].by, bits) ~= 0 then
                local entity = entities[row + i + 1]
                if entity ~= toucher then
                    world:recordCollisionEvent { first = toucher, second = entity,
                        pointX = transform.x + box.w / 2, pointY = transform.y + box.h / 2 }
                end
            end
        end
        row = row + count
    end
end

-- Whether a box touches spikes, which fill the lower half of their tile.
function contacts.isHurt(grid, x, y, w, h)
    for row = math.max(floor(y / size), 0), math.min(floor((y + h - 0.02) / size), grid.height - 1) do
        for column = math.max(floor(x / size), 0), math.min(floor((x + w - 0.02) / size), grid.width - 1) do
            if grid.cells[row * grid.width + column] == hazard
                and y + h > row * size + 8 and x + w > column * size + 3 and x < column * size + 13 then
                return true
            end
        end
    end
    return false
end

return contacts
