"""Answers to the task train_on of chapter 05."""

# %% right="itertools, a generator of rates"
import itertools


def train_on(step, batches, steps, lr, watch):
    losses = []
    state = None
    for i, (inputs, targets) in zip(range(steps), itertools.cycle(batches)):
        watch(i)
        state = state if i % len(batches) else None
        found = step(inputs, targets, state, lr - lr * i / steps)
        losses += [found[0]]
        state = found[2]
    watch(steps)
    return losses


# %% right="pass by pass, an array of rates"
def train_on(step, batches, steps, lr, watch):
    losses, i = [], 0
    rates = np.linspace(lr, 0, steps + 1)
    while i < steps:
        state = None
        for inputs, targets in batches[: steps - i]:
            watch(i)
            loss, norm, state = step(inputs, targets, state, float(rates[i]))
            losses.append(loss)
            i += 1
    watch(i)
    return tuple(losses)


# %% wrong="the state is never forgotten" caught_by="the state goes on"
# -         if place == 0:
# -             state = None


# %% wrong="the state does not go on" caught_by="the state goes on" change="loss, _, state = -> loss, _, _ ="


# %% wrong="the norm goes on as the state" caught_by="the state goes on" change="loss, _, state = -> loss, state, _ ="


# %% wrong="one pass only" caught_by="the state goes on" change="range(steps) -> range(min(steps, len(batches)))"


# %% wrong="batches backwards in the second pass" caught_by="the state goes on" change="batches[place] -> batches[place if i < len(batches) else -1 - place]"


# %% wrong="the rate stays" caught_by="large steps first" change="lr * (1 - i / steps) -> lr"


# %% wrong="the rate falls within each pass" caught_by="large steps first" change="lr * (1 - i / steps) -> lr * (1 - place / len(batches))"


# %% wrong="the rate begins one step late" caught_by="large steps first" change="lr * (1 - i / steps) -> lr * (1 - (i + 1) / steps)"


# %% wrong="the rate reaches 0 in the last step" caught_by="large steps first" change="(1 - i / steps) -> (1 - i / max(steps - 1, 1))"


# %% wrong="no look at the end" caught_by="watches, and keeps the losses"
# -     watch(steps)


# %% wrong="looks after the step" caught_by="watches, and keeps the losses"
# -         watch(i)
# -         place = i % len(batches)
# +         place = i % len(batches)
#           if place == 0:
#               state = None
#           inputs, targets = batches[place]
#           loss, _, state = step(inputs, targets, state, lr * (1 - i / steps))
# +         watch(i)


# %% wrong="the last loss only" caught_by="watches, and keeps the losses" change="return losses -> return losses[-1:]"


# %% wrong="norms instead of losses" caught_by="watches, and keeps the losses" change="loss, _, state = -> _, loss, state ="


# %% wrong="a state of 0 is taken for none" caught_by="the state goes on"
def train_on(step, batches, steps, lr, watch):
    losses, state = [], None
    for i in range(steps):
        watch(i)
        k = i % len(batches)
        if k == 0:
            state = None
        state = state or None
        inputs, targets = batches[k]
        loss, _, state = step(inputs, targets, state, lr * (1 - i / steps))
        losses.append(loss)
    watch(steps)
    return losses


# %% wrong="a batch that equals the first one begins a new pass" caught_by="the state goes on"
def train_on(step, batches, steps, lr, watch):
    losses, state = [], None
    for i in range(steps):
        watch(i)
        batch = batches[i % len(batches)]
        if batch == batches[0]:
            state = None
        loss, _, state = step(*batch, state, lr * (1 - i / steps))
        losses.append(loss)
    watch(steps)
    return losses


# %% wrong="the first batch, known by which object it is, begins a new pass" caught_by="the state goes on"
def train_on(step, batches, steps, lr, watch):
    losses, state = [], None
    for i in range(steps):
        watch(i)
        batch = batches[i % len(batches)]
        if batch is batches[0]:
            state = None
        loss, _, state = step(*batch, state, lr * (1 - i / steps))
        losses.append(loss)
    watch(steps)
    return losses


# %% wrong="stops at a loss that is no number" caught_by="the state goes on"
# -         losses.append(loss)
# +         losses.append(loss)
# +         if not math.isfinite(loss):
# +             break
