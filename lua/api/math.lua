---@meta _

---Elementary functions that give the same bits on Linux, Windows, x86-64 and arm64. Those of Lua's `math` come from the
---C library, whose last bits differ, so that a replay or a hash made on one machine fails on another.
---@class revenant.math
local math = {}

---@param radians number
---@return number
function math.sin(radians) end

---@param radians number
---@return number
function math.cos(radians) end

---@param radians number
---@return number
function math.tan(radians) end

---@param x number
---@return number radians
function math.asin(x) end

---@param x number
---@return number radians
function math.acos(x) end

---@param x number
---@return number radians
function math.atan(x) end

---@param y number
---@param x number
---@return number radians
function math.atan2(y, x) end

---@param x number
---@return number
function math.exp(x) end

---The natural logarithm.
---@param x number
---@return number
function math.log(x) end

---@param x number
---@param y number
---@return number
function math.pow(x, y) end

---@param x number
---@return number
function math.sqrt(x) end

---The remainder with the sign of the divisor, exact: what `%` means. LuaJIT's `%` rounds.
---@param dividend number
---@param divisor number
---@return number
function math.mod(dividend, divisor) end
