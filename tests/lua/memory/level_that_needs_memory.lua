return {
    prefabs = { crate = { components = { A = { x = 2 } } } },
    entities = {
        { name = "one", components = { A = { x = 1 } },
            children = { { name = "two", components = { B = { s = "a text of the level's own, which is long" } } } } },
        { prefab = "crate" },
    },
}
