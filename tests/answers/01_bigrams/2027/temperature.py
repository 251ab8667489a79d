"""Answers to the task temperature of chapter 01 for 2027."""

# %% right="logarithms"
# -     largest = max(distribution.values())
# -     raised = {word: (p / largest) ** beta for word, p in distribution.items()}
# +     logs = {word: beta * math.log(p) if p else -math.inf if beta else 0.0 for word, p in distribution.items()}
# +     raised = {word: math.exp(value - max(logs.values())) for word, value in logs.items()}

# %% right="a copy, changed"
# -     raised = {word: (p / largest) ** beta for word, p in distribution.items()}
# +     raised = dict(distribution)
# +     for word in raised:
# +         raised[word] = (raised[word] / largest) ** beta

# %% wrong="the temperature after all" caught_by="ratios become powers" change="** beta for -> ** (1 / max(beta, 1e-9)) for"

# %% wrong="powers of the plain probabilities" caught_by="nearly frozen" change="(p / largest) ** -> p **"

# %% wrong="not rescaled" caught_by="ratios become powers" change="{word: weight / total for -> {word: weight for"
