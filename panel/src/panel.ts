import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { Cell } from '@jupyterlab/cells';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { Widget } from '@lumino/widgets';
import { button, element, round } from './elements';
import { gallerySection } from './gallery';
import { nameOf, Task, tasksOf } from './notebook';
import { Model, modelsNear, reveal, startCheck, State, stateOf, stopCheck, Verdict } from './server';
import { runVisible, STOPPED } from './visible';

const POLL = 300; // milliseconds between two questions whether a check is done

/** What the panel remembers of one notebook while it is open. */
interface Memory {
  checks: Verdict[] | null;
  notBegun: Set<string>;
  /** Whether hidden tests can be run; null as long as the server has not said so. */
  hidden: boolean | null;
  problem: string;
  /** Which task is being checked: its name, '' for all, null for none. */
  running: string | null;
  /** Whether the learner has asked to end that. */
  stopping: boolean;
  since: number;
  models: Model[];
  /** Whether all of them are shown. */
  allModels: boolean;
  /** By task: when its cell was first entered, hints that are open, the course's answer. */
  begun: Map<string, number>;
  hints: Map<string, number>;
  answers: Map<string, string>;
  asked: Set<string>;
}

/** The tasks of the notebook in front, at the side of JupyterLab. */
export class TaskPanel extends Widget {
  constructor(
    tracker: INotebookTracker,
    private readonly rendermime: IRenderMimeRegistry
  ) {
    super();
    this.addClass('nw-Panel');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', 'Tasks of this notebook');
    this.said.className = 'nw-said';
    this.said.setAttribute('role', 'status');
    this.wrong.className = 'nw-problem';
    this.wrong.setAttribute('role', 'alert');
    this.node.append(this.said, this.wrong, this.body);
    tracker.currentChanged.connect(() => void this.show_(tracker.currentWidget));
    tracker.activeCellChanged.connect(() => this.enter(tracker.activeCell));
    window.setInterval(() => this.tick(), 1000);
    void this.show_(tracker.currentWidget);
  }

  private async show_(panel: NotebookPanel | null): Promise<void> {
    this.panel = panel;
    this.say('');
    this.draw();
    if (!panel) {
      return;
    }
    await panel.context.ready;
    await panel.revealed;
    panel.content.model?.cells.changed.connect(this.draw, this);
    await this.look(panel, this.memory);
    this.draw();
  }

  /** Ask the server what it knows of a notebook and of the models beside it. */
  private async look(panel: NotebookPanel, memory: Memory): Promise<void> {
    try {
      this.take(memory, await stateOf(panel.context.path), '');
      memory.models = await modelsNear(panel.context.path);
    } catch (error) {
      memory.problem = String((error as Error).message);
    }
  }

  private get memory(): Memory {
    const path = this.panel?.context.path ?? '';
    let memory = this.memories.get(path);
    if (!memory) {
      memory = {
        checks: null,
        notBegun: new Set(),
        hidden: null,
        problem: '',
        running: null,
        stopping: false,
        since: 0,
        models: [],
        allModels: false,
        begun: new Map(),
        hints: new Map(),
        answers: new Map(),
        asked: new Set()
      };
      this.memories.set(path, memory);
    }
    return memory;
  }

  /** Keep what the server says; of the checks those of one task, or all if `task` is ''. */
  private take(memory: Memory, state: State, task: string): void {
    memory.hidden = state.hidden;
    memory.problem = state.problem;
    if (!state.checks) {
      return;
    }
    const isOther = (verdict: Verdict) => task !== '' && verdict.task !== task;
    memory.checks = [
      ...(memory.checks ?? []).filter(isOther),
      ...state.checks.filter(verdict => !isOther(verdict))
    ];
    memory.notBegun = new Set(state.not_begun);
  }

  private enter(cell: Cell | null): void {
    const name = cell && this.panel ? nameOf(cell) : '';
    if (name && !this.memory.begun.has(name)) {
      this.memory.begun.set(name, Date.now());
    }
  }

  /** Check one task, or all if `task` is ''. The notebook is saved first. */
  private async check(task: string): Promise<void> {
    const panel = this.panel;
    const memory = this.memory;
    if (!panel || memory.running !== null) {
      return;
    }
    memory.running = task;
    memory.stopping = false;
    memory.since = Date.now();
    memory.problem = '';
    this.draw();
    this.say(task ? `Checking ${task}.` : 'Checking all tasks.');
    try {
      await panel.context.save();
      if (memory.hidden === null) {
        await this.look(panel, memory);
      }
      if (memory.stopping) {
        throw new Error(STOPPED);
      }
      if (memory.hidden) {
        this.take(memory, await this.runHidden(panel, memory, task), task);
      } else if (memory.hidden === false) {
        const checks = await runVisible(panel, task, () => memory.stopping);
        this.take(memory, { hidden: false, problem: '', running: false, seconds: 0, checks, not_begun: [] }, task);
      }
      memory.models = await modelsNear(panel.context.path);
    } catch (error) {
      memory.problem = String((error as Error).message);
    }
    memory.running = null;
    this.draw();
    this.say(memory.problem ? '' : this.summary(memory, task));
  }

  /** End the check that is running; nothing of it is kept. */
  private async stop(): Promise<void> {
    this.memory.stopping = true; // what waits for the hidden tests sees it
    this.say('Stopping.');
    if (this.memory.hidden === false) {
      await this.panel?.sessionContext.session?.kernel?.interrupt();
    }
  }

  /** What the server says once it has run the hidden tests. */
  private async runHidden(panel: NotebookPanel, memory: Memory, task: string): Promise<State> {
    let state = await startCheck(panel.context.path, task);
    while (state.running) {
      await new Promise(done => window.setTimeout(done, POLL));
      state = await (memory.stopping ? stopCheck : stateOf)(panel.context.path);
    }
    return state;
  }

  private summary(memory: Memory, task: string): string {
    const checks = (memory.checks ?? []).filter(verdict => !task || verdict.task === task);
    if (task && memory.notBegun.has(task)) {
      return `${task}: this is still the cell that you were given.`;
    }
    const failed = checks.filter(verdict => verdict.outcome !== 'passed').length;
    const earned = checks.reduce((sum, verdict) => sum + verdict.points, 0);
    const most = checks.reduce((sum, verdict) => sum + verdict.most_points, 0);
    const what = task || 'All tasks';
    return failed
      ? `${what}: ${failed} of ${checks.length} checks failed, ${round(earned)} of ${round(most)} points.`
      : `${what}: every check passed, ${round(earned)} of ${round(most)} points.`;
  }

  private async jump(name: string): Promise<void> {
    const notebook = this.panel?.content;
    const index = notebook?.widgets.findIndex(cell => nameOf(cell) === name) ?? -1;
    if (!notebook || index < 0) {
      this.say(`This notebook has no cell ${name}.`);
      return;
    }
    notebook.activeCellIndex = index;
    notebook.deselectAll();
    await notebook.scrollToItem(index, 'start');
    notebook.mode = 'command';
    notebook.activate();
  }

  private async reveal(task: string): Promise<void> {
    const memory = this.memory;
    try {
      const answer = await reveal(this.panel!.context.path, task);
      if (answer === null) {
        memory.asked.add(task);
        this.say('First open the hints and read the messages. To see the answer all the same, press Reveal once more.');
      } else {
        memory.answers.set(task, answer);
        this.say(`The course's answer to ${task} is below it.`);
      }
    } catch (error) {
      this.say(String((error as Error).message));
    }
    this.draw();
  }

  private say(text: string): void {
    this.said.textContent = text;
  }

  private tick(): void {
    if (this.panel && this.memory.running !== null) {
      const clock = this.body.querySelector('.nw-clock');
      if (clock) {
        clock.textContent = `${Math.round((Date.now() - this.memory.since) / 1000)} s`;
      }
    }
  }

  /** Draw everything anew, and keep the focus on the button that had it. */
  private draw(): void {
    const focused = this.body.contains(document.activeElement)
      ? document.activeElement?.getAttribute('data-key')
      : null;
    this.body.replaceChildren();
    if (this.wrong.textContent !== this.memory.problem) {
      this.wrong.textContent = this.memory.problem; // only when it changes, or a screen reader would say it each time
    }
    const tasks = this.panel?.content.model ? tasksOf(this.panel.content) : [];
    if (!tasks.length) {
      this.body.append(element('p', 'nw-none', 'Open a notebook with tasks: they are listed here.'));
      return;
    }
    const memory = this.memory;
    const bar = element('div', 'nw-bar');
    bar.append(button('Check all', 'all', () => void this.check(''), { disabled: memory.running !== null }));
    if (memory.running !== null) {
      const progress = element('progress', 'nw-progress');
      progress.setAttribute('aria-label', 'The check is running');
      const clock = element('span', 'nw-clock', '0 s');
      clock.setAttribute('aria-hidden', 'true');
      bar.append(progress, clock, button('Stop', 'stop', () => void this.stop(), { label: 'Stop the check' }));
    } else if (memory.checks) {
      const checked = new Set(memory.checks.map(verdict => verdict.task));
      const earned = memory.checks.reduce((sum, verdict) => sum + verdict.points, 0);
      const most = memory.checks.reduce((sum, verdict) => sum + verdict.most_points, 0);
      const rest = tasks.filter(task => !checked.has(task.name)).reduce((sum, task) => sum + task.points, 0);
      bar.append(element('strong', 'nw-points', `${round(earned)} of ${round(most + rest)} points`));
    }
    this.body.append(bar);
    if (memory.hidden === null && !memory.problem) {
      this.body.append(element('p', 'nw-wait', 'Looking for hidden tests…'));
    } else if (memory.hidden === false) {
      this.body.append(element('p', 'nw-mode', 'Only the checks that you can see are run here.'));
    }
    const list = element('ul', 'nw-list');
    for (const task of tasks) {
      list.append(this.row(task, memory));
    }
    const known = new Set(tasks.map(task => task.name));
    const others = (memory.checks ?? []).filter(verdict => !known.has(verdict.task));
    for (const name of new Set(others.map(verdict => verdict.task))) {
      const item = element('li', 'nw-task');
      item.append(this.messages(others.filter(verdict => verdict.task === name)));
      list.append(item);
    }
    this.body.append(list);
    if (memory.models.length) {
      const toggle = () => {
        memory.allModels = !memory.allModels;
        this.draw();
      };
      this.body.append(gallerySection(memory.models, memory.allModels, toggle));
    }
    if (focused) {
      const find = (key: string) => this.body.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
      (find(focused) ?? find(focused.replace('hint', 'check')) ?? find('all'))?.focus();
    }
  }

  private row(task: Task, memory: Memory): HTMLElement {
    const { name } = task;
    const checks = (memory.checks ?? []).filter(verdict => verdict.task === name);
    const passed = checks.filter(verdict => verdict.outcome === 'passed').length;
    const untried = !checks.length || memory.notBegun.has(name);
    const state = untried ? 'unchecked' : passed === checks.length ? 'solved' : 'open';
    const item = element('li', `nw-task nw-${state}`);
    item.setAttribute('data-task', name);
    const head = element('div', 'nw-head');
    const mark = { unchecked: '○', solved: '✓', open: '✗' }[state];
    const sign = element('span', 'nw-sign', mark);
    sign.setAttribute('role', 'img');
    sign.setAttribute('aria-label', { unchecked: 'not tried yet', solved: 'solved', open: 'not solved yet' }[state]);
    const broken = name.replace(/_/g, '_\u200b'); // a line may end there
    head.append(sign, button(broken, `jump ${name}`, () => void this.jump(name), { kind: 'nw-name', label: `Go to ${name}` }));
    const most = checks.length ? checks.reduce((sum, each) => sum + each.most_points, 0) : task.points;
    const earned = checks.reduce((sum, each) => sum + each.points, 0);
    head.append(element('span', 'nw-points', checks.length ? `${round(earned)} / ${round(most)}` : `${round(most)}`));
    item.append(head);
    const facts = [];
    if (task.minutes) {
      facts.push(`about ${task.minutes} min`);
    }
    const begun = memory.begun.get(name);
    if (begun) {
      facts.push(`begun ${Math.round((Date.now() - begun) / 60000)} min ago`);
    }
    if (facts.length) {
      item.append(element('div', 'nw-facts', facts.join(' · ')));
    }
    if (state === 'open') {
      item.append(this.messages(checks.filter(verdict => verdict.outcome !== 'passed')));
    }
    const buttons = element('div', 'nw-buttons');
    const check = { disabled: memory.running !== null, label: `Check ${name}` };
    buttons.append(button('Check', `check ${name}`, () => void this.check(name), check));
    const open = memory.hints.get(name) ?? 0;
    if (open < task.hints.length) {
      const label = `Hint ${open + 1} of ${task.hints.length}`;
      const more = () => {
        memory.hints.set(name, open + 1);
        this.draw();
        this.say(`${label} for ${name} is open.`);
      };
      buttons.append(button(label, `hint ${name}`, more, { label: `${label} for ${name}` }));
    } else if (memory.hidden && state !== 'solved' && !memory.answers.has(name)) {
      const label = memory.asked.has(name) ? 'Reveal all the same' : 'Reveal';
      buttons.append(button(label, `hint ${name}`, () => void this.reveal(name), { label: `${label}: ${name}` }));
    }
    item.append(buttons);
    for (const hint of task.hints.slice(0, open)) {
      const place = element('div', 'nw-hint');
      item.append(place);
      void this.render(hint, place);
    }
    const answer = memory.answers.get(name);
    if (answer) {
      const code = element('pre', 'nw-answer', answer);
      code.tabIndex = 0;
      item.append(code);
    }
    return item;
  }

  private messages(checks: Verdict[]): HTMLElement {
    const list = element('ul', 'nw-messages');
    for (const verdict of checks) {
      const line = element('li', '');
      const go = () => void this.jump(verdict.grade_id);
      const label = verdict.aspect || verdict.grade_id;
      line.append(button(label, `test ${verdict.grade_id}`, go, { kind: 'nw-name', label: `Go to the check: ${label}` }));
      line.append(element('div', 'nw-message', verdict.message || verdict.outcome));
      list.append(line);
    }
    return list;
  }

  private async render(markdown: string, place: HTMLElement): Promise<void> {
    const renderer = this.rendermime.createRenderer('text/markdown');
    const model = this.rendermime.createModel({ data: { 'text/markdown': markdown } });
    await renderer.renderModel(model);
    place.append(renderer.node);
    this.rendermime.latexTypesetter?.typeset(place);
  }

  private panel: NotebookPanel | null = null;
  private readonly memories = new Map<string, Memory>();
  private readonly said = document.createElement('p');
  private readonly wrong = document.createElement('p');
  private readonly body = document.createElement('div');
}
