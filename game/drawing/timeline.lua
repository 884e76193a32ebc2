-- The timeline: the frames of the history, the current frame, and the checkpoints.

local function text(canvas, x, y, string, color)
    canvas:text(x + 1, y + 1, string, 0x0e0b1cd0)
    canvas:text(x, y, string, color)
end

local labels = { rewind = "REWIND", pause = "PAUSED", dead = "DEAD" }

return function(canvas, world, time, x, y, width, strength, blink)
    local rewind = world:getSystem("TimeRewindSys")
    local frame, oldest, newest = rewind:getFrame(), rewind:getOldestFrame(), rewind:getNewestFrame()
    if not frame or strength <= 0 then return end
    y = y - math.floor((1 - strength) * 60)
    local span = math.max(1, newest - oldest)
    local function place(at) return x + math.floor((at - oldest) / span * (width - 1)) end
    canvas:rect(x - 6, y - 19, width + 12, 31, 0x0e0b1ca8)
    canvas:rect(x, y, width, 6, 0x2a2349ff)
    local here = place(frame)
    canvas:rect(x, y, here - x, 6, 0x65528fff)
    canvas:rect(x, y, here - x, 1, 0x9a80bdff)
    -- Frames ahead exist only until play resumes.
    for at = here + 2, x + width - 2, 3 do canvas:rect(at, y + 2, 1, 2, 0x86e8c4a0) end
    for second = math.ceil(oldest / 60), math.floor(newest / 60) do
        local isLong = second % 10 == 0
        if span < 3600 or isLong then canvas:rect(place(second * 60), y + (isLong and 3 or 4), 1, isLong and 3 or 2, 0xd2b8e270) end
    end
    for name, at in pairs(rewind:getCheckpoints()) do
        local color = name:find("^level") and 0xfaf4ffff or 0xf9c857ff
        canvas:rect(place(at), y - 2, 1, 9, color)
        canvas:rect(place(at) - 1, y - 3, 3, 2, color)
    end
    canvas:rect(here - 1, y - 4, 3, 14, 0x0e0b1cff)
    canvas:rect(here, y - 3, 1, 12, 0xfff1b8ff)
    canvas:rect(here - 1, y - 4, 3, 2, 0xfff1b8ff)
    local label = labels[time.mode] or ""
    if time.mode == "rewind" then
        label = ("%s %gx"):format((time.speed >= 4 and "◀◀◀" or time.speed >= 2 and "◀◀" or "◀"), time.speed)
    end
    if time.mode ~= "pause" or blink then text(canvas, x, y - 15, label, 0xfff1b8ff) end
    local back = frame == newest and "now" or ("-%.2f s"):format((newest - frame) / 60)
    text(canvas, x + width - canvas:textWidth(back), y - 15, back, 0x86e8c4ff)
    local number = "frame " .. frame
    text(canvas, x + math.floor((width - canvas:textWidth(number)) / 2), y - 15, number, 0xd2b8e2ff)
end
