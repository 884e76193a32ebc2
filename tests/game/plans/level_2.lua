-- The second level: ferries, the lift, the ambush, a key. The ambush is met, regretted, and met again.

return {
    level = 2, seed = 2,
    { to = { 9, 15 } }, { to = { 13, 15 } }, { to = { 20, 15 } }, { to = { 29, 13 } },
    { to = { 40, 13 }, nearY = 8, width = 30 }, { to = { 50, 13 }, nearY = 8, width = 30 }, { to = { 57, 13 } },
    { to = { 62, 12 }, nearY = 18 }, { to = { 66, 6 } }, { to = { 80, 6 } },
    { to = { 91, 7 } }, { to = { 99, 7 } }, { to = { 105, 8 } },
    { hold = "", steps = 20 },
    { hold = "rewind", steps = 104 },
    { hold = "", steps = 4 },
    { to = { 105, 8 } }, { to = { 115, 7 } }, { to = { 123, 7 } },
    { to = { 131, 7 } }, { to = { 138, 15 } }, { to = { 146, 15 } },
    { to = { 151, 9 }, near = 5, width = 30 },
    { to = { 160, 7 }, width = 30 }, { to = { 164, 15 } }, { to = { 174, 15 }, width = 30 }, { to = { 183, 15 } },
    { hold = "right", untilState = "leaving" },
    { hold = "", untilLevel = "levels/level_3" },
    { hold = "", steps = 60 },
}
