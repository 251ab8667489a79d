import { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { describeFigures } from './alt';
import { TaskPanel } from './panel';
import { followRuns } from './visible';

const COMMAND = 'nbgrader-wall:tasks';

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'nbgrader-wall-panel:tasks',
  description: 'The tasks of the open notebook: check, hints, reveal',
  autoStart: true,
  requires: [INotebookTracker, IRenderMimeRegistry],
  optional: [ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    rendermime: IRenderMimeRegistry,
    palette: ICommandPalette | null
  ) => {
    const panel = new TaskPanel(tracker, rendermime);
    panel.id = 'nbgrader-wall-tasks';
    panel.title.label = 'Tasks';
    panel.title.caption = 'The tasks of this notebook';
    app.shell.add(panel, 'right', { rank: 50 });
    const begin = (notebook: NotebookPanel) => {
      followRuns(notebook);
      void describeFigures(notebook);
    };
    tracker.forEach(begin);
    tracker.widgetAdded.connect((_, notebook) => begin(notebook));
    app.commands.addCommand(COMMAND, {
      label: 'Show Tasks',
      execute: () => app.shell.activateById(panel.id)
    });
    app.commands.addKeyBinding({ command: COMMAND, keys: ['Accel Alt T'], selector: 'body' });
    palette?.addItem({ command: COMMAND, category: 'Notebook Operations' });
  }
};

export default plugin;
