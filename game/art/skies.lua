-- Skies, one per mood: from the top of the picture down to the horizon, and what stands before it.
-- `far`, `middle`, `near` tint the silhouettes; `glow` is the disc, `mist` what lies between the hills.

return {
    dusk = {
        bands = { 0x161230, 0x241c4a, 0x3d2c6c, 0x664187, 0x9c5692, 0xd2738c, 0xf09c80, 0xfacb8c },
        far = 0x7d4f8e, middle = 0x4f3878, near = 0x2b2252, glow = 0xffe3b0, mist = 0xf2a98c, stars = 26,
    },
    night = {
        bands = { 0x090b1f, 0x0f1533, 0x15234a, 0x1d3660, 0x275073, 0x377082, 0x55948f, 0x7fb79a },
        far = 0x2c5473, middle = 0x1d3a5c, near = 0x121f3d, glow = 0xd9f2e6, mist = 0x6fb0a4, stars = 70,
    },
    dawn = {
        bands = { 0x2b2147, 0x4a2f62, 0x78406f, 0xa8556f, 0xd0766d, 0xe9a077, 0xf6c98f, 0xfdeab9 },
        far = 0xb4708a, middle = 0x7c4a78, near = 0x452c5c, glow = 0xfff6d6, mist = 0xffd9a0, stars = 8,
    },
}
