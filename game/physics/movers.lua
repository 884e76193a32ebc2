-- Movers: platforms that go to and fro, and carry what stands on them.

local sweep = require "physics.sweep"

local movers = {}

local reach = 0.1  -- how near feet must be to stand on something

-- Moves the bodies that stand on a box by (dx, dy): through ledges and past other solids, but not
-- through rock.
local function carry(bodies, grid, x, y, w, dx, dy)
    for count, transforms, velocities, boxes in bodies:runs("TransformCMP", "VelocityCMP", "BoxCMP") do
        for i = 0, count - 1 do
            local transform, box = transforms[i], boxes[i]
            local feet = transform.y + box.h - y
            if feet < reach and feet > -reach and velocities[i].y >= 0
                and transform.x < x + w and transform.x + box.w > x then
                local newX = sweep.x(grid, nil, 0, transform.x, transform.y, box.w, box.h, dx)
                local newY, side = sweep.y(grid, nil, 0, newX, transform.y, box.w, box.h, dy, true)
                transform.x = newX
                -- Puts it exactly onto the box, without rounding errors; a ceiling presses it through.
                transform.y = side < 0 and newY or y + dy - box.h
            end
        end
    end
end

-- Moves all movers of a view (TransformCMP, BoxCMP, MoverCMP) by one step.
function movers.move(view, bodies, grid, dt)
    for i = 1, view.count do
        local transform, box, mover = view.TransformCMP[i], view.BoxCMP[i], view.MoverCMP[i]
        mover.clock = (mover.clock + dt) % mover.seconds
        local part = 0.5 - 0.5 * math.cos(2 * math.pi * mover.clock / mover.seconds)
        local oldX, oldY = transform.x, transform.y
        transform.x = mover.homeX + mover.dx * part
        transform.y = mover.homeY + mover.dy * part
        carry(bodies, grid, oldX, oldY, box.w, transform.x - oldX, transform.y - oldY)
    end
end

return movers
