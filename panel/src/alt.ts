import { NotebookPanel } from '@jupyterlab/notebook';

/**
 * Give the figures that a notebook draws the texts that their authors wrote (`alt` in a cell's metadata): a screen
 * reader has nothing else to read, since JupyterLab shows the pictures of outputs without one.
 */
export async function describeFigures(panel: NotebookPanel): Promise<void> {
  await panel.context.ready;
  const notebook = panel.content;
  const describe = () => {
    const undescribed = notebook.node.querySelectorAll<HTMLImageElement>('.jp-OutputArea-output img:not([alt])');
    for (const picture of Array.from(undescribed)) {
      const cell = notebook.widgets.find(each => each.node.contains(picture));
      const text = cell?.model.getMetadata('alt');
      picture.alt = typeof text === 'string' ? text : 'A figure without a description';
    }
  };
  const observer = new MutationObserver(describe);
  observer.observe(notebook.node, { childList: true, subtree: true });
  panel.disposed.connect(() => observer.disconnect());
  describe();
}
