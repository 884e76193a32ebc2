-- Settings that LuaJIT's compiler needs on arm64. It is one compiler for the whole Lua state, the game's own loops included.

if jit.arch ~= "arm64" then return end
local start = require("jit.opt").start

-- It would compute a * b + c with one rounding where x86-64 has two.
start("-fuse")

-- Until July 2023 (LuaJIT's issue 1031; Debian 12 has an older one) a side trace that finds the address of the Lua stack in its
-- parent's frame may take it over through a floating-point register, by its lower 32 bits, and writes to that address. With
-- no side traces, what leaves a compiled loop goes on in the interpreter until the loop comes round. LuaJIT counts itself as
-- 2.1.99 since August 2023.
if jit.version_num < 20199 then start("maxside=0") end
