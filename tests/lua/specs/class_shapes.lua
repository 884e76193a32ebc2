-- Small class libraries in the shapes that games use, each as {extend(name, base), make(class, fields)}. `shapes` is
-- what the library calls an instance's metatable.

local shapes = {}

-- Metatables by hand: the class is the metatable.
shapes.plain = {
    extend = function(_, base)
        local class = setmetatable({}, { __index = base })
        class.__index = class
        return class
    end,
    make = function(class, fields) return setmetatable(fields, class) end,
}

-- Metatables by hand: a metatable apart from the class.
shapes.apart = {
    extend = function(_, base) return setmetatable({}, { __index = base }) end,
    make = function(class, fields) return setmetatable(fields, { __index = class }) end,
}

-- As middleclass has it: instances share a dictionary that is not the class, and each keeps its class.
shapes.dictionary = {
    extend = function(name, base)
        local dictionary = {}
        dictionary.__index = dictionary
        local class = { name = name, super = base, static = {}, __instanceDict = dictionary, subclasses = {} }
        if base then
            for key, value in pairs(base.__instanceDict) do
                if key ~= "__index" then dictionary[key] = value end
            end
            base.subclasses[class] = true
        end
        return setmetatable(class, {
            __index = class.static,
            __newindex = function(_, key, value) dictionary[key] = value end,
            __tostring = function() return "class " .. name end,
        })
    end,
    make = function(class, fields)
        fields.class = class
        return setmetatable(fields, class.__instanceDict)
    end,
    methods = function(class) return class.__instanceDict end,
}

-- As classic has it: metamethods are copied down, the class's metatable is its base.
shapes.copied = {
    extend = function(_, base)
        local class = {}
        for key, value in pairs(base or {}) do
            if tostring(key):find("^__") then class[key] = value end
        end
        class.__index = class
        class.super = base
        return setmetatable(class, base or {})
    end,
    make = function(class, fields) return setmetatable(fields, class) end,
}

-- As hump.class has it: members of all bases are copied into the class.
shapes.included = {
    extend = function(_, ...)
        local class = {}
        for _, base in ipairs { ... } do
            for key, value in pairs(base) do
                if key ~= "__index" and class[key] == nil then class[key] = value end
            end
        end
        class.__index = class
        return setmetatable(class, { __call = function(self) return setmetatable({}, self) end })
    end,
    make = function(class, fields) return setmetatable(fields, class) end,
}

-- As 30log has it: instances keep their class and its base, the class keeps its instances, attributes are copied.
shapes.listed = {
    extend = function(name, base)
        local class = { name = name, super = base, __instances = setmetatable({}, { __mode = "k" }) }
        class.__index = class
        return setmetatable(class, { __index = base, __call = function() return class end })
    end,
    make = function(class, fields)
        fields.class, fields.super = class, rawget(class, "super")
        class.__instances[fields] = true
        return setmetatable(fields, class)
    end,
}

-- What the specs ask of each: its name, and a base with a subclass, both with a method.
return function(visit)
    for name, shape in pairs(shapes) do
        local Base = shape.extend("Base")
        function Base:hello() return "base " .. self.x end
        local Derived = shape.extend("Derived", Base)
        function Derived:bye() return "derived " .. self.x end
        visit(name, shape.make, Base, Derived, shape.extend)
    end
end
