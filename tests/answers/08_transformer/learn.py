"""Answers to the task learn of chapter 08."""


# %% right="a while loop, gradients cleared by hand, deepcopy"
def learn(model, batches, loss, move, measure, steps, every, patience, watch=None):
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
        loss(model, batches(s)).backward()
        move(model, s)
        s += 1
    model.load_state_dict(kept)
    return history


# %% right="gradients are cleared behind the move"
# -         model.zero_grad()
# +         if step == 0:
# +             model.zero_grad()
#           loss(model, batches(step)).backward()
#           move(model, step)
# +         model.zero_grad()


# %% wrong="gradients are never cleared" caught_by="gradients are cleared" change="model.zero_grad() -> pass"

# %% wrong="gradients are cleared once, at the beginning" caught_by="gradients are cleared"
# -         model.zero_grad()
# +         if step == 0:
# +             model.zero_grad()

# %% wrong="gradients are cleared behind each move, and never before the first" caught_by="gradients are cleared"
# -         model.zero_grad()
#           loss(model, batches(step)).backward()
#           move(model, step)
# +         model.zero_grad()

# %% wrong="gradients are cleared before the move reads them" caught_by="gradients are cleared"
# -         model.zero_grad()
#           loss(model, batches(step)).backward()
# +         model.zero_grad(set_to_none=False)

# %% wrong="every step reads the same batch" caught_by="measures, watches, moves in order" change="batches(step) -> batches(0)"

# %% wrong="the steps are counted from 1" caught_by="measures, watches, moves in order" change="move(model, step) -> move(model, step + 1)"

# %% wrong="the weights are kept without a copy" caught_by="the best weights come back"
#                   kept = {
# -                     name: value.detach().clone()
# +                     name: value.detach()

# %% wrong="ends with the last weights" caught_by="the best weights come back" change="model.load_state_dict(kept) -> pass"

# %% wrong="of equal measurements the last one" caught_by="the best weights come back" change="held_out < best: -> held_out <= best:"

# %% wrong="one measurement too patient" caught_by="patience" change="waited >= patience -> waited > patience"

# %% wrong="patience counts all bad measurements" caught_by="patience" change="best, waited = held_out, 0 -> best = held_out; waited -= 1"

# %% wrong="not measured at the end" caught_by="measures, watches, moves in order" change="if step % every == 0 or step == steps: -> if step % every == 0 and step < steps or not history:"

# %% wrong="watches before it measures, and at every step" caught_by="measures, watches, moves in order"
#       for step in range(steps + 1):
# +         if watch is not None:
# +             watch(step, model)
#           if step % every == 0 or step == steps:

# -             if watch is not None:
# -                 watch(step, model)


# %% wrong="the measurement that ends it is not watched" caught_by="measures, watches, moves in order"
# -             if watch is not None:
# -                 watch(step, model)
#               if waited >= patience:
#                   break
# +             if watch is not None:
# +                 watch(step, model)


# %% wrong="a loss that is lower by less than a millionth is not lower" caught_by="patience" change="held_out < best: -> held_out < best - 1e-6:"


# %% wrong="it watches before it measures" caught_by="measures, watches, moves in order"
#           if step % every == 0 or step == steps:
# +             if watch is not None:
# +                 watch(step, model)
#               held_out = measure(model)

#                   }
# -             if watch is not None:
# -                 watch(step, model)
#               if waited >= patience:


# %% wrong="watch is called where there is none" caught_by="measures, watches, moves in order"
# -             if watch is not None:
# -                 watch(step, model)
# +             watch(step, model)
