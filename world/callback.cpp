#include "world/callback.hpp"

#include "world/error.hpp"

namespace revenant::detail {

void failEmptyCallback() {
    fail(ErrorCode::WrongState, "an empty callback was called: give it a function first");
}

}  // namespace revenant::detail
