"""Answers to the task misprints of chapter 02."""


# %% right="cell by cell; strings for cells, a column by name"
def laplace_table(pair_counts, word_counts, V):
    result = pd.DataFrame(0.0, index=pair_counts.index, columns=pair_counts.columns)
    for w1 in pair_counts.index:
        for w2 in pair_counts.columns:
            result.loc[w1, w2] = (pair_counts.loc[w1, w2] + 1) / (word_counts[w1] + V)
    return result


def reconstituted(pair_counts, word_counts, V):
    result = laplace_table(pair_counts, word_counts, V)
    for w1 in result.index:
        result.loc[w1] *= word_counts[w1]
    return result


findings = {
    "addone": "food chinese",
    "laplace": "column i",
    "reconstituted": ["spend spend"],
    "denominators": [3980, 2374, 3864, 2193, 1605, 2540, 1788, 1725],
    "chinese food": 1,
}


# %% right="transposed; one tuple, all cells of the column, a Series"
def laplace_table(pair_counts, word_counts, V):
    return ((pair_counts.T + 1) / (pd.Series(word_counts) + V)).T.loc[pair_counts.index]


def reconstituted(pair_counts, word_counts, V):
    n = np.array([word_counts[w1] for w1 in pair_counts.index])[:, None]
    return pd.DataFrame(
        (pair_counts.to_numpy() + 1) * n / (n + V), index=pair_counts.index, columns=pair_counts.columns
    )


findings = {
    "addone": ("food", "chinese"),
    "laplace": [(word, "i") for word in word_counts],
    "reconstituted": ("spend", "spend"),
    "denominators": pd.Series(word_counts) + 1447,
    "chinese food": np.True_,
}


# %% right="compared by program; tables of True and False"
def laplace_table(pair_counts, word_counts, V):
    n = pd.Series(word_counts)[pair_counts.index]
    return (pair_counts + 1).div(n + V, axis="index")


def reconstituted(pair_counts, word_counts, V):
    n = pd.Series(word_counts)[pair_counts.index]
    return (pair_counts + 1).mul(n / (n + V), axis="index")


findings = {
    "addone": printed["addone"] != table + 1,
    "laplace": printed["laplace"].map("{:.2g}".format) != laplace_table(table, word_counts, 1447).map("{:.2g}".format),
    "reconstituted": printed["reconstituted"].map(lambda x: f"{x:.2g}" if x < 10 else f"{x:.0f}")
    != reconstituted(table, word_counts, 1447).map(lambda x: f"{x:.2g}" if x < 10 else f"{x:.0f}"),
    "denominators": {word: float(n + 1447) for word, n in reversed(word_counts.items())},
    "chinese food": True,
}


# %% right="dicts with the right values, conditional notation"
def laplace_table(pair_counts, word_counts, V):
    n = pd.Series(word_counts)[pair_counts.index]
    return (pair_counts + 1).div(n + V, axis="index")


def reconstituted(pair_counts, word_counts, V):
    n = pd.Series(word_counts)[pair_counts.index]
    return (pair_counts + 1).mul(n / (n + V), axis="index")


findings = {
    "addone": {("food", "chinese"): 2},
    "laplace": {"P(i | want)", "P(i | to)", "P(i | chinese)", "P(i | food)", "P(i | lunch)", "P(i | spend)"},
    "reconstituted": "row spend, column spend",
    "denominators": np.array(list(word_counts.values())) + 1447,
    "chinese food": True,
}


# %% wrong="row sums of eight columns" caught_by="add-one, each row by n + V"
def laplace_table(pair_counts, word_counts, V):
    n = pair_counts.sum(axis=1)
    return (pair_counts + 1).div(n + V, axis="index")


def reconstituted(pair_counts, word_counts, V):
    n = pd.Series(word_counts)[pair_counts.index]
    return (pair_counts + 1).mul(n / (n + V), axis="index")


findings = {
    "addone": [("food", "chinese")],
    "laplace": [(word, "i") for word in ("i", "want", "to", "chinese", "food", "lunch", "spend")],
    "reconstituted": {("spend", "spend")},
    "denominators": {word: n + 1447 for word, n in word_counts.items()},
    "chinese food": True,
}


# %% wrong="divided along the columns" caught_by="add-one, each row by n + V"
# -     return (pair_counts + 1).div(n + V, axis="index")
# +     return (pair_counts + 1) / (n + V)

# -     return laplace_table(pair_counts, word_counts, V).mul(n, axis="index")
# +     return (pair_counts + 1).mul(n / (n + V), axis="index")

# -     "laplace": "column i",
# -     "reconstituted": [("spend", "spend")],
# +     "laplace": [(word, "i") for word in ("i", "want", "to", "chinese", "food", "lunch", "spend")],
# +     "reconstituted": {("spend", "spend")},


# %% wrong="the slide's line: n + 1" caught_by="add-one, each row by n + V"
# -     return (pair_counts + 1).div(n + V, axis="index")
# +     return (pair_counts + 1).div(n + 1, axis="index")

# -     return laplace_table(pair_counts, word_counts, V).mul(n, axis="index")
# +     return (pair_counts + 1).mul(n / (n + V), axis="index")

# -     "laplace": "column i",
# -     "reconstituted": [("spend", "spend")],
# +     "laplace": [(word, "i") for word in ("i", "want", "to", "chinese", "food", "lunch", "spend")],
# +     "reconstituted": {("spend", "spend")},


# %% wrong="words by position" caught_by="add-one, each row by n + V | counts that they are worth"
def laplace_table(pair_counts, word_counts, V):
    n = pd.Series(list(word_counts.values()), index=pair_counts.index)
    return (pair_counts + 1).div(n + V, axis="index")


def reconstituted(pair_counts, word_counts, V):
    n = pd.Series(list(word_counts.values()), index=pair_counts.index)
    return (pair_counts + 1).mul(n / (n + V), axis="index")


findings = {
    "addone": [("food", "chinese")],
    "laplace": [(word, "i") for word in ("i", "want", "to", "chinese", "food", "lunch", "spend")],
    "reconstituted": {("spend", "spend")},
    "denominators": {word: n + 1447 for word, n in word_counts.items()},
    "chinese food": True,
}


# %% wrong="without the one" caught_by="counts that they are worth"
# -     return laplace_table(pair_counts, word_counts, V).mul(n, axis="index")
# +     return pair_counts.mul(n / (n + V), axis="index")

# -     "laplace": "column i",
# -     "reconstituted": [("spend", "spend")],
# +     "laplace": [(word, "i") for word in ("i", "want", "to", "chinese", "food", "lunch", "spend")],
# +     "reconstituted": {("spend", "spend")},


# %% wrong="worth the count plus one" caught_by="counts that they are worth"
# -     return laplace_table(pair_counts, word_counts, V).mul(n, axis="index")
# +     return (pair_counts + 1).mul((n + V) / (n + V), axis="index")

# -     "laplace": "column i",
# -     "reconstituted": [("spend", "spend")],
# +     "laplace": [(word, "i") for word in ("i", "want", "to", "chinese", "food", "lunch", "spend")],
# +     "reconstituted": {("spend", "spend")},


# %% wrong="next word first" caught_by="two lone cells"
# -     return laplace_table(pair_counts, word_counts, V).mul(n, axis="index")
# +     return (pair_counts + 1).mul(n / (n + V), axis="index")

# -     "addone": [("food", "chinese")],
# -     "laplace": "column i",
# -     "reconstituted": [("spend", "spend")],
# +     "addone": [("chinese", "food")],
# +     "laplace": [(word, "i") for word in ("i", "want", "to", "chinese", "food", "lunch", "spend")],
# +     "reconstituted": {("spend", "spend")},


# %% wrong="two cells for one" caught_by="two lone cells"
# -     return laplace_table(pair_counts, word_counts, V).mul(n, axis="index")
# +     return (pair_counts + 1).mul(n / (n + V), axis="index")

# -     "laplace": "column i",
# -     "reconstituted": [("spend", "spend")],
# +     "laplace": [(word, "i") for word in ("i", "want", "to", "chinese", "food", "lunch", "spend")],
# +     "reconstituted": [("spend", "spend"), ("lunch", "food")],


# %% wrong="half of the column" caught_by="a column from elsewhere"
# -     return laplace_table(pair_counts, word_counts, V).mul(n, axis="index")
# +     return (pair_counts + 1).mul(n / (n + V), axis="index")

# -     "laplace": "column i",
# -     "reconstituted": [("spend", "spend")],
# +     "laplace": [("want", "i"), ("to", "i"), ("chinese", "i"), ("food", "i")],
# +     "reconstituted": {("spend", "spend")},


# %% wrong="believes that chinese food is wrong" caught_by="the line and the trap"
# -     return laplace_table(pair_counts, word_counts, V).mul(n, axis="index")
# +     return (pair_counts + 1).mul(n / (n + V), axis="index")

# -     "laplace": "column i",
# -     "reconstituted": [("spend", "spend")],
# +     "laplace": [(word, "i") for word in ("i", "want", "to", "chinese", "food", "lunch", "spend")],
# +     "reconstituted": {("spend", "spend")},

# -     "chinese food": True,
# +     "chinese food": False,


# %% wrong="chinese food among the wrong cells" caught_by="a column from elsewhere"
# -     return laplace_table(pair_counts, word_counts, V).mul(n, axis="index")
# +     return (pair_counts + 1).mul(n / (n + V), axis="index")

# -     "laplace": "column i",
# -     "reconstituted": [("spend", "spend")],
# +     "laplace": [*[(word, "i") for word in word_counts], ("chinese", "food")],
# +     "reconstituted": {("spend", "spend")},


# %% wrong="row i for column i" caught_by="a column from elsewhere"
# -     return laplace_table(pair_counts, word_counts, V).mul(n, axis="index")
# +     return (pair_counts + 1).mul(n / (n + V), axis="index")

# -     "laplace": "column i",
# -     "reconstituted": [("spend", "spend")],
# +     "laplace": [("i", word) for word in word_counts],
# +     "reconstituted": {("spend", "spend")},


# %% wrong="textbook V" caught_by="the line and the trap"
# -     return laplace_table(pair_counts, word_counts, V).mul(n, axis="index")
# +     return (pair_counts + 1).mul(n / (n + V), axis="index")

# -     "laplace": "column i",
# -     "reconstituted": [("spend", "spend")],
# -     "denominators": {word: n + 1447 for word, n in word_counts.items()},
# +     "laplace": [(word, "i") for word in ("i", "want", "to", "chinese", "food", "lunch", "spend")],
# +     "reconstituted": {("spend", "spend")},
# +     "denominators": {word: n + 1446 for word, n in word_counts.items()},


# %% wrong="the printed line" caught_by="the line and the trap"
# -     return laplace_table(pair_counts, word_counts, V).mul(n, axis="index")
# +     return (pair_counts + 1).mul(n / (n + V), axis="index")

# -     "laplace": "column i",
# -     "reconstituted": [("spend", "spend")],
# -     "denominators": {word: n + 1447 for word, n in word_counts.items()},
# +     "laplace": [(word, "i") for word in ("i", "want", "to", "chinese", "food", "lunch", "spend")],
# +     "reconstituted": {("spend", "spend")},
# +     "denominators": list(line),


# %% wrong="no cells at all" caught_by="two lone cells | a column from elsewhere"
# -     return laplace_table(pair_counts, word_counts, V).mul(n, axis="index")
# +     return (pair_counts + 1).mul(n / (n + V), axis="index")

# -     "addone": [("food", "chinese")],
# -     "laplace": "column i",
# -     "reconstituted": [("spend", "spend")],
# +     "addone": [],
# +     "laplace": [],
# +     "reconstituted": [],


# %% wrong="adds one to the table of the caller" caught_by="add-one, each row by n + V"
# -     n = pd.Series(word_counts)[pair_counts.index]
# -     return (pair_counts + 1).div(n + V, axis="index")
# +     pair_counts += 1
# +     return pair_counts.div(pd.Series(word_counts)[pair_counts.index] + V, axis="index")

# -     return laplace_table(pair_counts, word_counts, V).mul(n, axis="index")
# +     return (pair_counts + 1).mul(n / (n + V), axis="index")


# %% wrong="a helper column stays in the table of the caller" caught_by="counts that they are worth"
# -     n = pd.Series(word_counts)[pair_counts.index]
# -     return laplace_table(pair_counts, word_counts, V).mul(n, axis="index")
# +     words = list(pair_counts.columns)
# +     pair_counts["n"] = pd.Series(word_counts)
# +     share = pair_counts["n"] / (pair_counts["n"] + V)
# +     return (pair_counts[words] + 1).mul(share, axis="index")


# %% wrong="V added to the count of each pair" caught_by="add-one, each row by n + V" change="+ V -> + len(pair_counts.columns) * 125"


# %% wrong="rows renamed after the columns" caught_by="add-one, each row by n + V | counts that they are worth"
# -     n = pd.Series(word_counts)[pair_counts.index]
# -     return (pair_counts + 1).div(n + V, axis="index")
# +     n = np.array([word_counts[word] for word in pair_counts.columns])
# +     P = (pair_counts.to_numpy() + 1) / (n + V)[:, None]
# +     return pd.DataFrame(P, pair_counts.columns, pair_counts.columns)

# -     n = pd.Series(word_counts)[pair_counts.index]
# -     return laplace_table(pair_counts, word_counts, V).mul(n, axis="index")
# +     n = np.array([word_counts[word] for word in pair_counts.columns])
# +     return laplace_table(pair_counts, word_counts, V) * n[:, None]


# %% right="built cell by cell, words in alphabetical order"
# -     n = pd.Series(word_counts)[pair_counts.index]
# -     return (pair_counts + 1).div(n + V, axis="index")
# +     columns = {}
# +     for w2 in sorted(pair_counts.columns):
# +         columns[w2] = {w1: (pair_counts.loc[w1, w2] + 1) / (word_counts[w1] + V) for w1 in sorted(pair_counts.index)}
# +     return pd.DataFrame(columns)

# -     n = pd.Series(word_counts)[pair_counts.index]
# -     return laplace_table(pair_counts, word_counts, V).mul(n, axis="index")
# +     P = laplace_table(pair_counts, word_counts, V)
# +     return P.apply(lambda row: row * word_counts[row.name], axis=1)
