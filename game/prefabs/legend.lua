-- Which prefab a letter of a map stands for. What needs more than a place is in the level's own list.

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
