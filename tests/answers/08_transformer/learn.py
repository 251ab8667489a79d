"""Answers to the task learn of chapter 08."""


# %% right="a while loop, gradients cleared by hand, deepcopy"
def learn(model, batches, loss, step, measure, steps, every, patience, parts=1, watch=None):
    import copy

    history, kept, best, waited, s = [], None, None, 0, 0
    while True:
        if s == steps or not s % every:
            now = measure(model)
            history += [(s, now)]
            if watch:
                watch(s, model)
            if best is None or now < best:
                best, waited, kept = now, 0, copy.deepcopy(model.state_dict())
            else:
                waited += 1
                if waited == patience:
                    break
        if s == steps:
            break
        for weight in model.parameters():
            weight.grad = None
        for i in range(parts * s, parts * (s + 1)):
            loss(model, batches(i)).div(parts).backward()
        step(model, s)
        s += 1
    model.load_state_dict(kept)
    return history


# %% right="the losses of the parts are summed, then one backward"
# -         for part in range(parts):
# -             (loss(model, batches(s * parts + part)) / parts).backward()
# +         losses = [loss(model, batches(s * parts + part)) for part in range(parts)]
# +         (sum(losses) / parts).backward()

# %% right="gradients are cleared behind the step"
# -         model.zero_grad()
# +         if s == 0:
# +             model.zero_grad()
#           for part in range(parts):
#               (loss(model, batches(s * parts + part)) / parts).backward()
#           step(model, s)
# +         model.zero_grad()


# %% wrong="gradients are never cleared" caught_by="gradients add up, then are cleared" change="model.zero_grad() -> pass"

# %% wrong="gradients are cleared between the parts" caught_by="gradients add up, then are cleared"
# -         model.zero_grad()
#           for part in range(parts):
# +             model.zero_grad()
#               (loss(model, batches(s * parts + part)) / parts).backward()

# %% wrong="the sum of the parts, not their mean" caught_by="gradients add up, then are cleared" change="(loss(model, batches(s * parts + part)) / parts).backward() -> loss(model, batches(s * parts + part)).backward()"

# %% wrong="every step begins with the same batch" caught_by="gradients add up, then are cleared" change="s * parts + part -> part"

# %% wrong="steps overlap in their batches" caught_by="gradients add up, then are cleared" change="s * parts + part -> s + part"

# %% wrong="the weights are kept without a copy" caught_by="the best weights come back"
#                   kept = {
# -                     name: value.detach().clone()
# +                     name: value.detach()

# %% wrong="ends with the last weights" caught_by="the best weights come back" change="model.load_state_dict(kept) -> pass"

# %% wrong="of equal measurements the last one" caught_by="the best weights come back" change="if held_out < best: -> if held_out <= best:"

# %% wrong="one measurement too patient" caught_by="patience" change="waited >= patience -> waited > patience"

# %% wrong="patience counts all bad measurements" caught_by="patience" change="best, waited = held_out, 0 -> best = held_out; waited -= 1"

# %% wrong="not measured at the end" caught_by="measures, watches, steps in order" change="if s % every == 0 or s == steps: -> if s % every == 0 and s < steps or not history:"

# %% wrong="watches before it measures, and at every step" caught_by="measures, watches, steps in order"
#       for s in range(steps + 1):
# +         if watch is not None:
# +             watch(s, model)
#           if s % every == 0 or s == steps:
#               held_out = measure(model)
#               history.append((s, held_out))
# -             if watch is not None:
# -                 watch(s, model)


# %% wrong="the measurement that ends it is not watched" caught_by="measures, watches, steps in order"
# -             if watch is not None:
# -                 watch(s, model)
#               waited += 1

#               if waited >= patience:
#                   break
# +             if watch is not None:
# +                 watch(s, model)


# %% wrong="a loss that is lower by less than a millionth is not lower" caught_by="patience" change="if held_out < best: -> if held_out < best - 1e-6:"
