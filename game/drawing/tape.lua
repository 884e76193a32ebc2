-- The picture of a tape that runs backwards: bright lines that wander upwards, and a band that does not
-- quite hold. For the eye only, so it may use whatever numbers it likes.

return function(canvas, width, height, frame, speed, strength)
    local lines = 3 + math.min(8, math.floor(speed * 2))
    for i = 1, lines do
        local y = (i * 97 - frame * (2 + i % 3)) % (height + 20) - 10
        local length = 40 + (i * 53 + frame * 7) % 200
        local x = (i * 131 + frame * 17) % (width + length) - length
        canvas:rect(x, y, length, 1, 0xd2b8e200 + math.floor(70 * strength))
    end
    local band = (frame * -3) % (height + 80) - 40
    canvas:rect(0, band, width, 14, 0xfaf4ff00 + math.floor(14 * strength))
    canvas:rect(0, band + 14, width, 2, 0xfaf4ff00 + math.floor(34 * strength))
    for y = 0, height - 1, 3 do canvas:rect(0, y, width, 1, 0x0e0b1c00 + math.floor(26 * strength)) end
end
