# Chapter 02 for 2028: other counts by hand.

# %% [markdown] statement="lidstone"
# ## 1. Add a little to everything
#
# With $V$ possible events, $c$ becomes $c + \alpha$, so a row grows by $V\alpha$ in all. G. Lidstone's estimate is
#
# $$P(w_2 \mid w_1) = \frac{c(w_1 w_2) + \alpha}{n(w_1) + V\alpha}.$$
#
# - `lidstone_by_hand()`: after *tea*, the $V = 4$ events *or*, `</s>`, *milk*, *tea* were seen 3, 1, 0, 0 times. Return
#   `{"or": P, "milk": P}` for $\alpha = 1$ (**Laplace**);
# - `lidstone(counts, w1, w2, alpha, V)`: the same for any `counts` `{(w1, w2): int}`, which may lack $w_1$;
# - `lidstone_array(C, alpha)`: all of them at once, no loop, from the count matrix $C$ of shape [contexts, V].


# %% task="lidstone" points=4 level=1 minutes=12
def lidstone_by_hand():
    """{"or": P(or | tea), "milk": P(milk | tea)} for alpha = 1."""
    ### BEGIN SOLUTION
    return {"or": (3 + 1) / (4 + 4), "milk": (0 + 1) / (4 + 4)}
    ### END SOLUTION


def lidstone(counts, w1, w2, alpha, V):
    """P(w2 | w1) from counts {(w1, w2): int}, with alpha added to each of V events; counts stay as they are."""
    ### BEGIN SOLUTION
    n = sum(count for (first, _), count in counts.items() if first == w1)
    return (counts.get((w1, w2), 0) + alpha) / (n + V * alpha)
    ### END SOLUTION


def lidstone_array(C, alpha):
    """P, shape [contexts, V], from counts C, shape [contexts, V]; C stays as it is."""
    ### BEGIN SOLUTION
    return (C + alpha) / (C.sum(axis=1, keepdims=True) + C.shape[1] * alpha)
    ### END SOLUTION


# %% test="lidstone" aspect="four events by hand" points=1
_got = lidstone_by_hand()
assert hasattr(_got, "keys"), f"lidstone_by_hand returns a dict; yours: {_got!r}."
for _name in ("or", "milk"):
    _value = _got.get(_name)
    assert is_number(_value), f"{_name}: a number is wanted, not {_value!r}."
assert 0 < _got["milk"] < _got["or"] < 1, (
    f"milk is possible but less likely than or; yours: {_got!r}."
)
### BEGIN HIDDEN TESTS
for _name, _wanted in (("or", 1 / 2), ("milk", 1 / 8)):
    assert math.isclose(_got[_name], _wanted, abs_tol=0.006), (
        f"P({_name} | tea) is not {_got[_name]}: one more for each of 4 events, above and below the line."
    )
### END HIDDEN TESTS


# %% replaces="1-add-a-little-to-everything-4"
tea = {("tea", "or"): 3, ("tea", "</s>"): 1}
for name, alpha in {
    "Laplace": 1,
    "Jeffreys-Perks": 0.5,
    "nearly nothing": 0.001,
}.items():
    print(f"{name:14}", *lidstone_array(np.array([[3, 1, 0, 0]]), alpha).round(3))
array = lidstone_array(np.array([[3, 1, 0, 0]]), 1)
print(
    "three ways:",
    lidstone_by_hand()["or"],
    lidstone(tea, "tea", "or", 1, 4),
    array[0, 0],
)
