-- sound(name, volume, pitch): an effect of the host. It is heard, and changes nothing.

local host = require "host"

return function(name, volume, pitch)
    host.sound:play(name, volume or 1, pitch or 1)
end
