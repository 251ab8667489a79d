"""Answers to the task shape_hunt of chapter 06."""


# %% right="numpy tries it"
def product_shape(*shapes):
    product = np.zeros(shapes[0])
    try:
        for shape in shapes[1:]:
            product = product @ np.zeros(shape)
    except ValueError:
        return None
    return product.shape


printed_shape = {"A": None, "B": (1, 5), "C": None, "D": None, "E": None, "F": None, "G": (5, 9)}


# %% right="recursion, and the table from the function"
def product_shape(*shapes):
    if len(shapes) == 1:
        return list(shapes[0])
    first, second, *rest = shapes
    if first[-1] != second[0]:
        return None
    return product_shape([*first[:-1], second[1]], *rest)


n, d, h = 9, 5, 4
printed_shape = {
    "A": product_shape((n,), (d, n)),
    "B": product_shape((1, n), (n, d)),
    "C": product_shape(product_shape((n, h), (h, n)), (h, n)),
    "D": product_shape((n, h), (n, h), (n, h)),
    "E": product_shape((h, n), (h, n), (h, n)),
    "F": product_shape((n, h), (h, n), (h, n)),
    "G": product_shape((d, d), (d, n), (n, d), (d, d), (d, d), (d, n)),
}


# %% wrong="first and last only, nothing checked" caught_by="two or more matrices | a vector comes first"
def product_shape(*shapes):
    return (*shapes[0][:-1], shapes[-1][-1])


printed_shape = {"A": None, "B": (1, 5), "C": None, "D": None, "E": None, "F": None, "G": (5, 9)}


# %% wrong="only the first two are checked" caught_by="a vector comes first"
def product_shape(*shapes):
    if len(shapes) > 1 and shapes[0][-1] != shapes[1][0]:
        return None
    return (*shapes[0][:-1], shapes[-1][-1])


printed_shape = {"A": None, "B": (1, 5), "C": None, "D": None, "E": None, "F": None, "G": (5, 9)}


# %% wrong="a vector keeps its length as rows" caught_by="a vector comes first"
def product_shape(*shapes):
    shape = shapes[0]
    for rows, columns in shapes[1:]:
        if rows != shape[-1]:
            return None
        shape = (shape[0], columns)
    return shape


printed_shape = {"A": None, "B": (1, 5), "C": None, "D": None, "E": None, "F": None, "G": (5, 9)}


# %% wrong="rows of the second compared with rows" caught_by="two or more matrices"
def product_shape(*shapes):
    shape = shapes[0]
    for rows, columns in shapes[1:]:
        if rows != shape[0]:
            return None
        shape = (*shape[:-1], columns)
    return shape


printed_shape = {"A": None, "B": (1, 5), "C": None, "D": None, "E": None, "F": None, "G": (5, 9)}


# %% wrong="False instead of None" caught_by="two or more matrices" change="return None -> return (0, 0)"


# %% wrong="the comment beside B believed" caught_by="what the lectures print"
def product_shape(*shapes):
    kept, inner = shapes[0][:-1], shapes[0][-1]
    for rows, columns in shapes[1:]:
        if rows != inner:
            return None
        inner = columns
    return (*kept, inner)


printed_shape = {"A": None, "B": (9, 5), "C": None, "D": None, "E": None, "F": None, "G": (5, 9)}


# %% wrong="F saved by its first product" caught_by="what the lectures print"
def product_shape(*shapes):
    kept, inner = shapes[0][:-1], shapes[0][-1]
    for rows, columns in shapes[1:]:
        if rows != inner:
            return None
        inner = columns
    return (*kept, inner)


printed_shape = {"A": None, "B": (1, 5), "C": None, "D": None, "E": None, "F": (9, 9), "G": (5, 9)}


# %% wrong="p x, as it was meant" caught_by="what the lectures print"
def product_shape(*shapes):
    kept, inner = shapes[0][:-1], shapes[0][-1]
    for rows, columns in shapes[1:]:
        if rows != inner:
            return None
        inner = columns
    return (*kept, inner)


printed_shape = {"A": (5,), "B": (1, 5), "C": None, "D": None, "E": None, "F": None, "G": (5, 9)}


# %% wrong="nothing runs" caught_by="what the lectures print"
def product_shape(*shapes):
    kept, inner = shapes[0][:-1], shapes[0][-1]
    for rows, columns in shapes[1:]:
        if rows != inner:
            return None
        inner = columns
    return (*kept, inner)


printed_shape = dict.fromkeys("ABCDEFG")


# %% wrong="all repaired" caught_by="what the lectures print"
def product_shape(*shapes):
    kept, inner = shapes[0][:-1], shapes[0][-1]
    for rows, columns in shapes[1:]:
        if rows != inner:
            return None
        inner = columns
    return (*kept, inner)


printed_shape = {"A": (5,), "B": (1, 5), "C": (9, 4), "D": (9, 4), "E": (4, 9), "F": (9, 4), "G": (5, 9)}


# %% wrong="a one stretches" caught_by="a vector comes first" change="inner: -> inner and 1 not in (rows, inner):"


# %% wrong="only the last product is checked" caught_by="two or more matrices"
def product_shape(*shapes):
    if len(shapes) > 1 and shapes[-2][-1] != shapes[-1][0]:
        return None
    return (*shapes[0][:-1], shapes[-1][-1])


printed_shape = {"A": None, "B": (1, 5), "C": None, "D": None, "E": None, "F": None, "G": (5, 9)}


# %% wrong="three matrices at most" caught_by="two or more matrices"
def product_shape(*shapes):
    for left, right in zip(shapes[:2], shapes[1:3]):
        if left[-1] != right[0]:
            return None
    return (*shapes[0][:-1], shapes[-1][-1])


printed_shape = {"A": None, "B": (1, 5), "C": None, "D": None, "E": None, "F": None, "G": (5, 9)}


# %% wrong="a vector alone becomes a number" caught_by="a vector comes first"
def product_shape(*shapes):
    if any(left[-1] != right[0] for left, right in zip(shapes, shapes[1:])):
        return None
    if len(shapes[0]) == 1 and shapes[-1][-1] == 1:
        return ()
    return (*shapes[0][:-1], shapes[-1][-1])


printed_shape = {"A": None, "B": (1, 5), "C": None, "D": None, "E": None, "F": None, "G": (5, 9)}


# %% right="lists and arrays"
def product_shape(*shapes):
    shape = list(shapes[0])
    for rows, columns in shapes[1:]:
        if shape[-1] != rows:
            return
        shape = [*shape[:-1], columns]
    return np.array(shape)


printed_shape = {"A": None, "B": [1, 5], "C": None, "D": None, "E": None, "F": None, "G": np.array([5, 9])}


# %% wrong="one row is a vector" caught_by="two or more matrices" change="*kept -> inner,) if kept == (1,) else (*kept"


# %% wrong="a last factor must have columns" caught_by="a vector comes first"
#       kept, inner = shapes[0][:-1], shapes[0][-1]
# +     if len(shapes[-1]) < 2:
# +         return None
