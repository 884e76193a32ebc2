-- A barred door.

local function door(light, mid, dark)
    local rows = { "kkkkkkkkkkkk" }
    for i = 1, 46 do
        if i % 15 == 8 then
            rows[#rows + 1] = "k" .. light:rep(9) .. mid .. "k"
        elseif i % 15 == 7 or i % 15 == 9 then
            rows[#rows + 1] = ("k"):rep(12)
        elseif i >= 21 and i <= 27 then
            rows[#rows + 1] = ({ "kkkkkkkkkkkk", "kyyyykkyyyok", "kyyykbbkyyok", "kyyykbbkyyok", "kyyyykkyyyok", "kyyyykkyyook",
                "kkkkkkkkkkkk" })[i - 20]
        else
            rows[#rows + 1] = ("kLMk.kLMk.kLMk"):sub(1, 12):gsub("L", light):gsub("M", dark):gsub("%.", "n")
        end
    end
    rows[#rows + 1] = "kkkkkkkkkkkk"
    return table.concat(rows, "\n")
end

return { frames = { door("f", "e", "h") } }
