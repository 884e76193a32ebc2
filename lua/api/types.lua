---@meta _

---Field types of components.
---@class revenant.types
local types = {}

---@param initial? number
---@return table
function types.f32(initial) end

---@param initial? number
---@return table
function types.f64(initial) end

---@param initial? integer
---@return table
function types.i32(initial) end

---@param initial? integer
---@return table
function types.u32(initial) end

---@param initial? integer
---@return table
function types.i64(initial) end

---@param initial? integer
---@return table
function types.u8(initial) end

---@param initial? boolean
---@return table
function types.bool(initial) end

---@param initial? string
---@return table
function types.string(initial) end

---@return table
function types.entity() end

---Elements are `component.field[1]` to `component.field[count]`; `#` and `ipairs` work. A list that is assigned, or given as an
---override, sets as many elements as it has.
---@param element revenant.FieldType
---@param count integer
---@return table
function types.array(element, count) end

---Blended for display.
---@param field revenant.FieldType
---@return table
function types.lerp(field) end

---Blended for display, the short way round.
---@param field revenant.FieldType
---@return table
function types.angle(field) end
