-- The third level. The crate is pushed into the pit and onto a plate; there is no way out of the pit but
-- back in time, and the crate stays. The key in the hole likewise.

return {
    level = 3, seed = 3,
    { to = { 12, 11 } }, { to = { 16, 8 } }, { to = { 21, 11 } },
    { hold = "right", steps = 110 },
    { hold = "", steps = 30 },
    { hold = "left jump", steps = 5 },
    { hold = "left", steps = 130 },
    { hold = "", steps = 20 },
    { hold = "rewind", steps = 146 },
    { hold = "", steps = 20 },
    { to = { 25, 11 } }, { to = { 30, 11 } }, { to = { 35, 11 } }, { to = { 39, 11 } }, { to = { 45, 11 } }, { to = { 53, 11 } },
    { to = { 62, 11 } }, { to = { 70, 11 } },
    { hold = "right", steps = 50 },
    { hold = "left", steps = 24 },
    { hold = "", steps = 10 },
    { hold = "rewind", steps = 90 },
    { hold = "", steps = 10 },
    { to = { 78, 11 } }, { to = { 88, 11 } }, { to = { 98, 11 } }, { to = { 107, 11 } }, { to = { 111, 11 } },
    { to = { 118, 9 } }, { to = { 125, 9 } }, { to = { 131, 8 } }, { to = { 135, 7 } }, { to = { 139, 6 } },
    { to = { 143, 4 } }, { to = { 148, 8 } }, { to = { 157, 11 }, near = 8, width = 30 }, { to = { 159, 10 } },
    { hold = "right", untilState = "leaving" },
    { hold = "", untilState = "won" },
    { hold = "", steps = 60 },
}
