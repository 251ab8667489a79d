"""Answers to the task returns of chapter 11."""


# %% right="loops from the end"
def returns_to_go(rewards):
    rewards = np.asarray(rewards)
    result = np.zeros(rewards.shape)
    total = np.zeros(len(rewards))
    for t in reversed(range(rewards.shape[1])):
        total = total + rewards[:, t]
        result[:, t] = total
    return result


def interleave(returns, states, actions, most, places):
    result = []
    for G, s, a in zip(returns, states, actions):
        row = []
        for t in range(len(G)):
            row += [min(G[t], most), most + 1 + s[t], most + 1 + places + a[t]]
        result.append(row)
    return np.array(result)


# %% right="all minus what came before; slices with a step of three"
def returns_to_go(rewards):
    rewards = np.array(rewards)
    return rewards.sum(axis=1, keepdims=True) - rewards.cumsum(axis=1) + rewards


def interleave(returns, states, actions, most, places):
    B, T = np.shape(returns)
    tokens = np.empty((B, 3 * T), dtype=int)
    tokens[:, ::3] = np.clip(returns, None, most)
    tokens[:, 1::3] = np.add(states, most + 1)
    tokens[:, 2::3] = np.add(actions, most + places + 1)
    return tokens


# %% wrong="what was earned so far" caught_by="what is still to come" change="np.cumsum(np.asarray(rewards)[:, ::-1], axis=1)[:, ::-1] -> np.cumsum(rewards, axis=1)"


# %% wrong="without the step's own reward" caught_by="what is still to come" change="np.cumsum(np.asarray(rewards)[:, ::-1], axis=1)[:, ::-1] -> np.cumsum(np.asarray(rewards)[:, ::-1], axis=1)[:, ::-1] - rewards"


# %% wrong="not turned back" caught_by="what is still to come" change="axis=1)[:, ::-1] -> axis=1)"


# %% wrong="summed over the games" caught_by="what is still to come" change="axis=1)[:, ::-1] -> axis=0)[:, ::-1]"


# %% wrong="games turned round as well" caught_by="what is still to come" change="np.asarray(rewards)[:, ::-1], axis=1)[:, ::-1] -> np.asarray(rewards)[::-1, ::-1], axis=1)[:, ::-1]"


# %% wrong="the whole game's return everywhere" caught_by="what is still to come"
# -     return np.cumsum(np.asarray(rewards)[:, ::-1], axis=1)[:, ::-1]
# +     rewards = np.asarray(rewards)
# +     return np.repeat(rewards.sum(1, keepdims=True), rewards.shape[1], axis=1)


# %% wrong="whole numbers only" caught_by="what is still to come" change="np.cumsum(np.asarray(rewards)[:, ::-1] -> np.cumsum(np.asarray(rewards).astype(int)[:, ::-1]"


# %% wrong="summed up in place" caught_by="what is still to come"
# -     return np.cumsum(np.asarray(rewards)[:, ::-1], axis=1)[:, ::-1]
# +     rewards = np.asarray(rewards)
# +     for t in range(rewards.shape[1] - 2, -1, -1):
# +         rewards[:, t] += rewards[:, t + 1]
# +     return rewards


# %% wrong="one kind after the other" caught_by="three kinds in turns" change="np.stack([returns, states, actions], axis=2).reshape(len(returns), -1) -> np.concatenate([returns, states, actions], axis=1)"


# %% wrong="stacked on the wrong axis" caught_by="three kinds in turns" change="axis=2) -> axis=1)"


# %% wrong="state before return" caught_by="three kinds in turns" change="np.stack([returns, states, actions] -> np.stack([states, returns, actions]"


# %% wrong="a number shared by return and state" caught_by="three kinds in turns" change="np.asarray(states) + most + 1 -> np.asarray(states) + most"


# %% wrong="actions begin where states do" caught_by="three kinds in turns" change="np.asarray(actions) + most + 1 + places -> np.asarray(actions) + most + 1"


# %% wrong="the largest state in the data for the number of places" caught_by="three kinds in turns" change="np.asarray(actions) + most + 1 + places -> np.asarray(actions) + states.max() + 1"


# %% wrong="large returns run into the states" caught_by="three kinds in turns" change="np.minimum(returns, most) -> np.asarray(returns)"


# %% wrong="large returns begin again at 0" caught_by="three kinds in turns" change="np.minimum(returns, most) -> np.asarray(returns) % (most + 1)"


# %% wrong="one flat row" caught_by="three kinds in turns" change=".reshape(len(returns), -1) -> .reshape(-1)"


# %% wrong="returns are cut off in place" caught_by="three kinds in turns"
# -     returns = np.minimum(returns, most)
# -     states = np.asarray(states) + most + 1
# +     returns[returns > most] = most
# +     states += most + 1


# %% wrong="only the first return of a game is cut off" caught_by="three kinds in turns"
# -     returns = np.minimum(returns, most)
# +     returns = np.array(returns)
# +     returns[:, 0] = np.minimum(returns[:, 0], most)


# %% wrong="large returns are cut in place" caught_by="three kinds in turns" change="returns = np.minimum(returns, most) -> np.minimum(returns, most, out=returns)"


# %% wrong="25 places at most" caught_by="three kinds in turns" change="np.asarray(states) + -> np.minimum(states, 24) +"


# %% wrong="four actions at most" caught_by="three kinds in turns" change="np.asarray(actions) + -> np.minimum(actions, 3) +"


# %% right="the total, minus what came before" change="return np.cumsum(np.asarray(rewards)[:, ::-1], axis=1)[:, ::-1] -> return np.sum(rewards, axis=1, keepdims=True) - np.cumsum(rewards, axis=1) + rewards"


# %% wrong="tokens in a byte" caught_by="three kinds in turns"
# -     returns = np.minimum(returns, most)
# -     states = np.asarray(states) + most + 1
# -     actions = np.asarray(actions) + most + 1 + places
# -     return np.stack([returns, states, actions], axis=2).reshape(len(returns), -1)
# +     out = np.empty((len(returns), 3 * returns.shape[1]), dtype=np.uint8)
# +     out[:, 0::3] = np.minimum(returns, most)
# +     out[:, 1::3] = states + most + 1
# +     out[:, 2::3] = actions + most + 1 + places
# +     return out


# %% wrong="tokens as floats" caught_by="three kinds in turns"
# -     returns = np.minimum(returns, most)
# -     states = np.asarray(states) + most + 1
# -     actions = np.asarray(actions) + most + 1 + places
# -     return np.stack([returns, states, actions], axis=2).reshape(len(returns), -1)
# +     out = np.zeros((len(returns), 3 * returns.shape[1]))
# +     out[:, 0::3] = np.minimum(returns, most)
# +     out[:, 1::3] = states + most + 1
# +     out[:, 2::3] = actions + most + 1 + places
# +     return out


# %% wrong="a large most is one less" caught_by="three kinds in turns" change="returns, most) -> returns, most - (most > 99))"


# %% wrong="tokens in the small numbers of the returns: they wrap" caught_by="three kinds in turns"
def returns_to_go(rewards):
    return np.cumsum(np.asarray(rewards)[:, ::-1], axis=1)[:, ::-1]


def interleave(returns, states, actions, most, places):
    B, T = returns.shape
    tokens = np.empty((B, 3 * T), dtype=returns.dtype)
    tokens[:, 0::3] = np.where(returns > most, most, returns)
    tokens[:, 1::3] = states.astype(int) + most + 1
    tokens[:, 2::3] = actions.astype(int) + most + 1 + places
    return tokens
