"""Answers to the task slide_check of chapter 01."""

# %% right="from the tables, verdicts by rounding"
recomputed = {"a": math.prod([0.25, 0.33, 0.0011, 0.5, 0.68])}
for letter, w1, w2 in (("b", "want", "lunch"), ("c", "want", "chinese"), ("d", "i", "lunch")):
    recomputed[letter] = pair_counts.loc[w1, w2] / word_counts[w1]
recomputed |= {"e": 35 / 75, "f": 35 / 73}
printed = {"a": 0.00031, "b": 0, "c": 0, "d": 0, "e": 0.48, "f": 0.48}
verdicts = {letter: f"{recomputed[letter]:.2g}" == f"{value:.2g}" for letter, value in printed.items()}


# %% right="rounded numbers, typed"
recomputed = {"a": 0.000031, "b": 0.0054, "c": 0.0065, "d": 0, "e": 0.47, "f": 0.48}
verdicts = {"a": False, "b": False, "c": False, "d": True, "e": False, "f": True}


# %% right="exact counts in a, numpy numbers"
recomputed = {
    "a": np.float64(0.25 * 827 / 2533 * 1 / 927 * 0.5 * 0.68),
    "b": 5 / 927,
    "c": 6 / 927,
    "d": 0.0,
    "e": np.float64(35) / 75,
    "f": 35 / 73,
}
verdicts = {"a": 0, "b": 0, "c": 0, "d": 1, "e": 0, "f": 1}


# %% wrong="believes the slide in a" caught_by="a product of five factors | six verdicts"
recomputed = {"a": 0.00031, "b": 5 / 927, "c": 6 / 927, "d": 0.0, "e": 35 / 75, "f": 35 / 73}
verdicts = {"a": True, "b": False, "c": False, "d": True, "e": False, "f": True}


# %% wrong="believes the struck-out sentences" caught_by="three claims of zero | six verdicts"
recomputed = {"a": 0.25 * 0.33 * 0.0011 * 0.5 * 0.68, "b": 0, "c": 0, "d": 0.0, "e": 35 / 75, "f": 35 / 73}
verdicts = {"a": False, "b": True, "c": True, "d": True, "e": False, "f": True}


# %% wrong="divides by the second word" caught_by="three claims of zero"
recomputed = {"a": 0.25 * 0.33 * 0.0011 * 0.5 * 0.68, "b": 5 / 341, "c": 6 / 158, "d": 0.0, "e": 35 / 75, "f": 35 / 73}
verdicts = {"a": False, "b": False, "c": False, "d": True, "e": False, "f": True}


# %% wrong="thinks no zero can be right" caught_by="six verdicts"
recomputed = {"a": 0.25 * 0.33 * 0.0011 * 0.5 * 0.68, "b": 5 / 927, "c": 6 / 927, "d": 0.0, "e": 35 / 75, "f": 35 / 73}
verdicts = {"a": False, "b": False, "c": False, "d": False, "e": False, "f": True}


# %% wrong="the two counts swapped" caught_by="two counts for one fraction | six verdicts"
recomputed = {"a": 0.25 * 0.33 * 0.0011 * 0.5 * 0.68, "b": 5 / 927, "c": 6 / 927, "d": 0.0, "e": 35 / 73, "f": 35 / 75}
verdicts = {"a": False, "b": False, "c": False, "d": True, "e": True, "f": False}


# %% wrong="one small factor forgotten in a" caught_by="a product of five factors"
recomputed = {"a": 0.25 * 0.33 * 0.5 * 0.68, "b": 5 / 927, "c": 6 / 927, "d": 0.0, "e": 35 / 75, "f": 35 / 73}
verdicts = {"a": False, "b": False, "c": False, "d": True, "e": False, "f": True}


# %% wrong="divides by the number of sentences" caught_by="three claims of zero"
recomputed = {"a": 3.0855e-5, "b": 5 / 9222, "c": 6 / 9222, "d": 0.0, "e": 35 / 75, "f": 35 / 73}
verdicts = {"a": False, "b": False, "c": False, "d": True, "e": False, "f": True}


# %% wrong="nearly equal is called equal" caught_by="six verdicts"
recomputed = {"a": 3.0855e-5, "b": 5 / 927, "c": 6 / 927, "d": 0.0, "e": 35 / 75, "f": 35 / 73}
verdicts = {"a": False, "b": False, "c": False, "d": True, "e": True, "f": True}


# %% wrong="want behind the bar read as in front of it" caught_by="three claims of zero"
recomputed = {"a": 3.0855e-5, "b": 0 / 341, "c": 0 / 158, "d": 0.0, "e": 35 / 75, "f": 35 / 73}
verdicts = {"a": False, "b": False, "c": False, "d": True, "e": False, "f": True}


# %% right="NumPy's numbers and truths"
recomputed = {key: np.float32(value) for key, value in zip("abcdef", (3.1e-5, 5 / 927, 6 / 927, 0, 0.467, 0.479))}
verdicts = {key: np.bool_(key in "df") for key in "abcdef"}
