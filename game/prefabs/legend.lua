-- Which prefab a letter of a map stands for. Things that need more than a place are in the level's own list.

return {
    o = "coin",
    w = "walker",
    b = "flyer",
    t = "shooter",
    T = "shooterRight",
    s = "spring",
    ["%"] = "crumble",
    ["!"] = "checkpoint",
    E = "exit",
}
