-- A coin, turning.

return {
    frames = {
        [[
        ..kkkkkk..
        .kccyyyyk.
        kccyyyyyok
        kcyykkyyok
        kcykccyyok
        kcykcyyyok
        kcyykkyyok
        kyyyyyyook
        .kyyyyook.
        ..kkkkkk..
        ]], [[
        ...kkkk...
        ..kccyyk..
        .kccyyyok.
        .kcykyyok.
        .kcykyyok.
        .kcykyyok.
        .kcykyyok.
        .kyyyyook.
        ..kyyook..
        ...kkkk...
        ]], [[
        ....kk....
        ...kcok...
        ...kcok...
        ...kyok...
        ...kyok...
        ...kyok...
        ...kyok...
        ...kyok...
        ...kyok...
        ....kk....
        ]], [[
        ...kkkk...
        ..kyycck..
        .koyyycck.
        .koyykyck.
        .koyykyck.
        .koyykyck.
        .koyykyck.
        .kooyyyyk.
        ..kooyyk..
        ...kkkk...
        ]],
    },
    clips = { idle = { 1, 1, 2, 3, 4, rate = 8 } },
}
