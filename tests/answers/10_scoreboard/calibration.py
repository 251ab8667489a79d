"""Answers to the task calibration of chapter 10."""


# %% right="bin by bin, with masks"
def reliability(confidence, right, edges):
    confidence, right = np.asarray(confidence), np.asarray(right, dtype=float)
    said, came, number = [], [], []
    for k in range(len(edges) - 1):
        last = k == len(edges) - 2
        below = confidence <= edges[k + 1] if last else confidence < edges[k + 1]
        here = (confidence >= edges[k]) & below
        number.append(int(here.sum()))
        said.append(confidence[here].mean() if here.any() else math.nan)
        came.append(right[here].mean() if here.any() else math.nan)
    return np.array(said), np.array(came), np.array(number)


def calibration_error(confidence, right, edges):
    total = 0.0
    for said, came, number in zip(*reliability(confidence, right, edges)):
        if number:
            total += number * abs(said - came)
    return total / len(confidence)


# %% right="pandas, with its bins"
def reliability(confidence, right, edges):
    K = len(edges) - 1
    bins = np.minimum(np.searchsorted(edges, confidence, side="right") - 1, K - 1)
    frame = pd.DataFrame({"bin": bins, "said": confidence, "came": np.asarray(right, float)})
    groups = frame.groupby("bin")
    means = groups.mean().reindex(range(K))
    return means["said"].to_numpy(), means["came"].to_numpy(), groups.size().reindex(range(K), fill_value=0).to_numpy()


def calibration_error(confidence, right, edges):
    said, came, number = reliability(confidence, right, edges)
    some = number > 0
    return np.average(np.abs(said - came)[some], weights=number[some])


# %% wrong="an edge belongs to the lower bin" caught_by="edges and empty bins" change="np.digitize(confidence, edges[1:-1]) -> np.digitize(confidence, edges[1:-1], right=True)"


# %% wrong="a confidence of 1 has a bin of its own" caught_by="edges and empty bins"
# -     place = np.digitize(confidence, edges[1:-1])
# +     place = np.digitize(confidence, edges) - 1
# +     kept = place < K
# +     place, confidence, right = place[kept], confidence[kept], right[kept]


# %% wrong="empty bins are left out" caught_by="edges and empty bins"
# -     return said, came, number
# +     some = number > 0
# +     return said[some], came[some], number[some]


# %% wrong="empty bins are 0" caught_by="edges and empty bins"
# -     return said, came, number
# +     return np.nan_to_num(said), np.nan_to_num(came), number


# %% wrong="bins of equal width, whatever the edges" caught_by="means and shares by bin" change="np.digitize(confidence, edges[1:-1]) -> np.digitize(confidence, np.linspace(0, 1, K + 1)[1:-1])"


# %% wrong="the middle of a bin for the mean confidence" caught_by="means and shares by bin" change="said = np.bincount(place, confidence, minlength=K) / number -> said = np.where(number > 0, (edges[1:] + edges[:-1]) / 2, np.nan)"


# %% wrong="how many came, not which share" caught_by="means and shares by bin" change="np.bincount(place, right, minlength=K) / number -> np.bincount(place, right, minlength=K).astype(float)"


# %% wrong="said and came swapped" caught_by="means and shares by bin" change="return said, came, number -> return came, said, number"


# %% wrong="shares of all places" caught_by="means and shares by bin" change="return said, came, number -> return said, came, number / len(confidence)"


# %% wrong="bins weigh the same" caught_by="places weigh, not bins" change="np.nansum(number * abs(said - came)) / number.sum() -> np.nanmean(abs(said - came))"


# %% wrong="signs cancel" caught_by="places weigh, not bins" change="abs(said - came) -> (said - came)"


# %% wrong="an empty bin makes it not a number" caught_by="places weigh, not bins" change="np.nansum -> np.sum"


# %% wrong="squared distances" caught_by="places weigh, not bins" change="abs(said - came) -> (said - came) ** 2"


# %% wrong="the largest distance" caught_by="places weigh, not bins" change="np.nansum(number * abs(said - came)) / number.sum() -> np.nanmax(abs(said - came))"


# %% wrong="no minlength" caught_by="edges and empty bins"
# -     number = np.bincount(place, minlength=K)
# +     number = np.bincount(place)
# +     K = len(number)


# %% wrong="confidences are sorted in place" caught_by="means and shares by bin"
# -     K = len(edges) - 1
# +     K = len(edges) - 1
# +     order = np.argsort(confidence)
# +     right = np.asarray(right)[order]
# +     confidence.sort()


# %% right="histograms"
def reliability(confidence, right, edges):
    number, _ = np.histogram(confidence, bins=edges)
    said, _ = np.histogram(confidence, bins=edges, weights=confidence)
    came, _ = np.histogram(confidence, bins=edges, weights=np.asarray(right, dtype=float))
    some = np.where(number > 0, number, np.nan)
    return said / some, came / some, number.astype(float)


def calibration_error(confidence, right, edges):
    said, came, number = reliability(confidence, right, edges)
    return float(np.nansum(np.abs(said - came) * number / len(confidence)))


# %% wrong="divided by the bins that are not empty" caught_by="places weigh, not bins" change="/ number.sum() -> / (number > 0).sum()"


# %% wrong="a wrong word counts as a confidence turned round" caught_by="means and shares by bin" change="np.bincount(place, confidence, minlength=K) -> np.bincount(place, np.where(right, confidence, 1 - confidence), minlength=K)"


# %% wrong="a confidence of 1 is made smaller" caught_by="edges and empty bins"
# -     K = len(edges) - 1
# +     K = len(edges) - 1
# +     confidence[confidence == 1] = 1 - 1e-9


# %% wrong="the last edge is moved" caught_by="means and shares by bin"
# -     K = len(edges) - 1
# +     K = len(edges) - 1
# +     edges[-1] += 1e-9


# %% wrong="close to an edge counts as on it" caught_by="edges and empty bins" change="np.digitize(confidence, edges[1:-1]) -> np.digitize(confidence + 1e-3, edges[1:-1])"


# %% wrong="right ones in one byte" caught_by="means and shares by bin"
# -         came = np.bincount(place, right, minlength=K) / number
# +         came = np.bincount(place, right, minlength=K) % 256 / number


# %% wrong="the distance of each single place" caught_by="places weigh, not bins"
# -     said, came, number = reliability(confidence, right, edges)
# -     return np.nansum(number * abs(said - came)) / number.sum()
# +     return float(np.mean(abs(confidence - right)))


# %% wrong="zeros and ones of `right` are taken as indices" caught_by="means and shares by bin" change="np.bincount(place, right, minlength=K) -> np.bincount(place[right], minlength=K)"
