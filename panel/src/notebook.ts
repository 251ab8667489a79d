import { Cell } from '@jupyterlab/cells';
import { Notebook } from '@jupyterlab/notebook';

/** One task of a notebook as the learner has it. */
export interface Task {
  name: string;
  cell: Cell;
  /** The tests that students can see. */
  tests: Cell[];
  points: number;
  /** How long the course says that it takes; 0 if it does not. */
  minutes: number;
  /** Markdown, the weakest hint first. */
  hints: string[];
}

const HINT = /<details[^>]*>\s*<summary>([\s\S]*?)<\/summary>([\s\S]*?)<\/details>/g;
const CHECKS = /^# Checks (\S+): /;

interface Facts {
  grade_id?: unknown;
  grade?: unknown;
  solution?: unknown;
  points?: unknown;
}

/** nbgrader's facts of a cell; empty if it has none. */
export function factsOf(cell: Cell): Facts {
  const facts = cell.model.getMetadata('nbgrader');
  return facts && typeof facts === 'object' ? (facts as Facts) : {};
}

/** nbgrader's name of a cell, or ''. */
export function nameOf(cell: Cell): string {
  const name = factsOf(cell).grade_id;
  return typeof name === 'string' ? name : '';
}

/** The first line of a course's check says which task it checks; other courses' tests follow their task. */
export function tasksOf(notebook: Notebook): Task[] {
  const tasks: Task[] = [];
  let text = ''; // what stands between the last task and here
  for (const cell of notebook.widgets) {
    const facts = factsOf(cell);
    const source = cell.model.sharedModel.getSource();
    if (cell.model.type === 'markdown' && !facts.solution) {
      text += `${source}\n`;
    } else if (cell.model.type === 'code' && facts.solution && !facts.grade) {
      const minutes = /about (\d+) minutes/.exec(text);
      tasks.push({
        name: nameOf(cell),
        cell,
        tests: [],
        points: 0,
        minutes: minutes ? Number(minutes[1]) : 0,
        hints: [...matches(text)]
      });
      text = '';
    } else if (cell.model.type === 'code' && facts.grade && tasks.length) {
      const named = CHECKS.exec(source);
      const task = tasks.find(each => named?.[1] === each.name) ?? tasks[tasks.length - 1];
      task.tests.push(cell);
      task.points += typeof facts.points === 'number' ? facts.points : 0;
    }
  }
  return tasks;
}

function* matches(text: string): Generator<string> {
  HINT.lastIndex = 0;
  let found: RegExpExecArray | null;
  while ((found = HINT.exec(text))) {
    yield `**${found[1].trim()}**\n\n${found[2].trim()}`;
  }
}

/** What the learner must change first: the last error that a cell showed, or ''. */
export function errorOf(cell: Cell): string {
  const outputs = (cell.model.toJSON().outputs ?? []) as { output_type: string; ename?: string; evalue?: string }[];
  const error = outputs.find(output => output.output_type === 'error');
  if (!error) {
    return '';
  }
  return error.ename === 'AssertionError' && error.evalue ? error.evalue : `${error.ename}: ${error.evalue}`;
}
