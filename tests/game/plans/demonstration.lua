-- What `./play` shows where there is no display (game/demonstration.txt): the first steps, a walker, coins.

return {
    level = 1, seed = 1,
    { to = { 15, 14 } }, { to = { 21, 12 } }, { to = { 31, 16 } }, { to = { 41, 16 } },
    { to = { 47, 13 } }, { to = { 54, 10 } },
    { hold = "right", steps = 90 },
}
