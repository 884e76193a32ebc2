-- A door of light in a stone arch.

local function arch(inner)
    local rows = {
        "......kkkkkkkk......",
        "....kkeeffffeekk....",
        "...khekkkkkkkkefk...",
        "..khekkAABBAAkkefk..",
        ".khekAABBCCBBAAkefk.",
        ".kheKABBCCCCBBAkefk.",
    }
    for i = 1, 24 do
        rows[#rows + 1] = (i % 6 == 0) and ".khhkABCCDDCCBAkeek." or ".kheKABCCDDCCBAkefk."
    end
    rows[#rows + 1] = "khheekABCDDCBAkheefk"
    rows[#rows + 1] = "kkkkkkkkkkkkkkkkkkkk"
    local text = table.concat(rows, "\n")
    return (text:gsub("[ABCDK]", inner))
end

return {
    frames = {
        arch { A = "v", B = "l", C = "p", D = "w", K = "k" },
        arch { A = "i", B = "v", C = "l", D = "p", K = "k" },
        arch { A = "v", B = "p", C = "w", D = "w", K = "k" },
    },
    clips = { idle = { 1, 2, 1, 3, rate = 5 } },
}
