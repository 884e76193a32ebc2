-- A door that plates open: no lock, a teal gem.

local rows = { "kkkkkkkkkkkk" }
for i = 1, 46 do
    local gem = ({ "kkkkkkkkkkkk", "khhkkaakkhhk", "khkaawqqkhhk", "khkaqqqtkhhk", "khhkqqtkhhhk", "khhhkkkkhhhk", "kkkkkkkkkkkk" })[i - 19]
    rows[#rows + 1] = gem or (i % 12 == 0 and "kkkkkkkkkkkk" or i % 12 == 1 and "kffffffffeek" or "keeheehehehk")
end
rows[#rows + 1] = "kkkkkkkkkkkk"

return { frames = { table.concat(rows, "\n") } }
