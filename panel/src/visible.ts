import { Cell } from '@jupyterlab/cells';
import { Notebook, NotebookActions, NotebookPanel } from '@jupyterlab/notebook';
import { errorOf, factsOf, nameOf, tasksOf } from './notebook';
import { Verdict } from './server';

export const STOPPED = 'Stopped. Nothing of this check was kept.';

/** For each notebook: what each cell held when it last ran in the kernel that runs now. */
const ran = new WeakMap<Notebook, Map<string, string>>();

const sourceOf = (cell: Cell) => cell.model.sharedModel.getSource();

/** Remember from here on which cells of a notebook have run. */
export function followRuns(panel: NotebookPanel): void {
  const cells = new Map<string, string>();
  const begun = new Map<string, string>(); // a cell may be edited while it runs
  ran.set(panel.content, cells);
  const scheduled = (_: unknown, { notebook, cell }: { notebook: Notebook; cell: Cell }) => {
    if (notebook === panel.content) {
      begun.set(cell.model.id, sourceOf(cell));
    }
  };
  const executed: Parameters<typeof NotebookActions.executed.connect>[0] = (_, { notebook, cell, success, error }) => {
    if (notebook === panel.content && (success || (error && error.errorName !== 'KeyboardInterrupt'))) {
      cells.set(cell.model.id, begun.get(cell.model.id) ?? '');
    }
  };
  NotebookActions.executionScheduled.connect(scheduled);
  NotebookActions.executed.connect(executed);
  panel.sessionContext.kernelChanged.connect(() => cells.clear());
  panel.sessionContext.statusChanged.connect((_, status) => {
    if (status.endsWith('restarting')) {
      cells.clear();
    }
  });
  panel.disposed.connect(() => {
    NotebookActions.executionScheduled.disconnect(scheduled);
    NotebookActions.executed.disconnect(executed);
  });
}

/**
 * Run the checks that a learner can see, of one task or of all, in the notebook's own kernel.
 *
 * Before them run the cells above, from the first one that has changed since it ran or has not run yet.
 */
export async function runVisible(panel: NotebookPanel, wanted: string, isStopped: () => boolean): Promise<Verdict[]> {
  const tasks = tasksOf(panel.content).filter(task => !wanted || task.name === wanted);
  const tests = new Set(tasks.reduce((all, task) => all.concat(task.tests), [] as Cell[]));
  const cells = panel.content.widgets;
  const last = Math.max(...Array.from(tests, test => cells.indexOf(test)));
  const before = new Map(ran.get(panel.content));
  let upToDate = true;
  for (const cell of cells.slice(0, last + 1)) {
    const { grade, solution } = factsOf(cell);
    if (cell.model.type !== 'code' || (grade && !solution && !tests.has(cell))) {
      continue;
    }
    upToDate = upToDate && (tests.has(cell) || before.get(cell.model.id) === sourceOf(cell));
    if ((tests.has(cell) || !upToDate) && !isStopped()) {
      await NotebookActions.runCells(panel.content, [cell], panel.sessionContext).catch(() => false);
    }
  }
  if (isStopped()) {
    throw new Error(STOPPED);
  }
  return tasks.reduce((all, task) => all.concat(task.tests.map(test => verdictOf(test, task.name))), [] as Verdict[]);
}

/** What a check's output says. */
function verdictOf(test: Cell, task: string): Verdict {
  const message = errorOf(test);
  const points = Number(factsOf(test).points ?? 0);
  const first = sourceOf(test).split('\n', 1)[0];
  return {
    grade_id: nameOf(test),
    task,
    aspect: /^# Checks \S+: (.*) \(/.exec(first)?.[1] ?? nameOf(test),
    points: message ? 0 : points,
    most_points: points,
    outcome: message ? 'failed' : 'passed',
    message
  };
}
