-- The solids of this tick, side by side: platforms, doors, blocks, crates. A scratch list, made anew
-- each tick from the world; it remembers nothing.

local ffi = require "ffi"

ffi.cdef "typedef struct { double x, y, w, h; int32_t isLedge, isPushable, row; } game_Solid;"

local Solids = {}
Solids.__index = Solids

function Solids:new()
    return setmetatable({ array = ffi.new("game_Solid[?]", 64), capacity = 64, count = 0 }, Solids)
end

-- The view has TransformCMP, BoxCMP and SolidCMP; `row` of a solid is its row there.
function Solids:gather(view)
    local count = view.count
    if count > self.capacity then
        self.capacity = count * 2
        self.array = ffi.new("game_Solid[?]", self.capacity)
    end
    local transforms, boxes, solids = view.TransformCMP, view.BoxCMP, view.SolidCMP
    local array = self.array
    for i = 1, count do
        local into, transform, box, solid = array[i - 1], transforms[i], boxes[i], solids[i]
        into.x, into.y, into.w, into.h = transform.x, transform.y, box.w, box.h
        into.isLedge, into.isPushable = solid.isLedge and 1 or 0, solid.isPushable and 1 or 0
        into.row = i
    end
    self.count = count
end

return Solids
