---@meta _

---What a view asks of an entity.
---@class revenant.ComponentRequirementDesc
local ComponentRequirementDesc = {}

---@param mustHave? boolean default true; false: optional
---@param readOnly? boolean default false
---@return revenant.ComponentRequirementDesc
function ComponentRequirementDesc:new(mustHave, readOnly) end

---The entity has the component.
---@param access? "readWrite"|"readOnly" default "readWrite"
---@return revenant.ComponentRequirementDesc
function ComponentRequirementDesc:mustHave(access) end

---The entity may lack it: its row of the column is EMPTY then.
---@param access? "readWrite"|"readOnly" default "readWrite"
---@return revenant.ComponentRequirementDesc
function ComponentRequirementDesc:optional(access) end

---The entity does not have it.
---@return revenant.ComponentRequirementDesc
function ComponentRequirementDesc:without() end

---A live table: one column per component name, one row per matching active entity, in world order.
---@class revenant.ComponentsView : revenant.Columns
---@field count integer
---@field entities revenant.Entity[]
local ComponentsView = {}

---The value of an optional column where the entity lacks the component. Reads nil, refuses writes.
ComponentsView.EMPTY = {}

---Whether a change is waiting for the next reconcile.
---@return boolean
function ComponentsView:isDirty() end

---False once it was released or its world reset.
---@return boolean
function ComponentsView:isValid() end

---Releases the view. Equal requests share one view: its last release frees it.
function ComponentsView:release() end

---The row of an entity.
---@param entity revenant.Entity
---@return integer?
function ComponentsView:rowOf(entity) end

---@return table<string, number>
function ComponentsView:getStats() end

---The column as it should be drawn: between two frames `lerp` and `angle` fields are blended, and of a
---script component it is what its lerpRewindState(a, b, part) returns. In play, at a frame and where both frames
---agree it is the component itself. Read-only.
---@generic T
---@param name `T`
---@return (T|any)[]
function ComponentsView:display(name) end

---Runs of rows that lie side by side, as plain, unchecked FFI arrays that begin at 0:
---for count, a, b in view:runs("A", "B") do for i = 0, count - 1 do a[i].x = b[i].x end end
---Where runs would be short, as after much spawning and removing, all rows are one run: what it gives is then
---indexed alike, but is not a pointer. An optional component that the rows of a run lack is nil.
---@param ... string names of columns
---@return fun(state: table): integer?, ...
---@return table
function ComponentsView:runs(...) end

---As runs, always as plain pointers, such as C functions take; after much spawning and removing a run may be one row.
---@param ... string names of columns
---@return fun(state: table): integer?, ...
---@return table
function ComponentsView:contiguousRuns(...) end

---Fills an array with a field of all rows, in order: plain numbers or booleans, false where the entity lacks an optional
---component. For games without LuaJIT's compiler (iOS, consoles, `jit.off()`), where columns are slow: read fields into
---arrays that you keep, compute, and write them back. Where a formula says it, `compute` is faster.
---@param name string
---@param field string
---@param into? table the array to fill; default: a new one
---@return table values
---@return integer count
function ComponentsView:readField(name, field, into) end

---Writes a field of all rows from an array: all of them, or none where a value does not fit. Rows that lack an optional
---component are passed over.
---@param name string
---@param field string
---@param values table
function ComponentsView:writeField(name, field, values) end

---Sets fields of all rows by a formula, in C++, for games without LuaJIT's compiler:
---view:compute("BodyCMP.x = BodyCMP.x + BodyCMP.speed * dt", { dt = dt })
---A formula is one or more assignments to fields that are f32 or f64, separated by lines or semicolons. It may use
---numbers and booleans (as 0 and 1) of the row's components, numbers, values by their names, `+ - * /`, parentheses, and abs, floor, ceil,
---min, max and the functions of `revenant.math`. A row that lacks a component of an assignment is passed over by it. The view
---keeps the last formulas that it was asked for: hand over what changes as a value.
---@param formula string
---@param values? table<string, number>
function ComponentsView:compute(formula, values) end
