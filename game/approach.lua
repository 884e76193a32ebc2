-- approach(value, goal, step): the value, nearer to the goal by a step at most.

return function(value, goal, step)
    if value < goal then return math.min(goal, value + step) end
    return math.max(goal, value - step)
end
