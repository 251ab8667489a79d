import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';

/** One check, as `autograder check --json` has it. */
export interface Verdict {
  grade_id: string;
  task: string;
  aspect: string;
  points: number;
  most_points: number;
  outcome: string;
  message: string;
}

/** What the server knows of a notebook. */
export interface State {
  /** Whether hidden tests can be run here; null as long as that is not known. */
  hidden: boolean | null;
  /** What to say of that, or of a check that could not be made; '' if nothing. */
  problem: string;
  running: boolean;
  /** Seconds that the check has taken so far. */
  seconds: number;
  /** null before the first check. */
  checks: Verdict[] | null;
  /** Tasks that were as they are handed out when they were checked. */
  not_begun: string[];
}

/** A model that the learner has made, as the course's gallery keeps it. */
export interface Model {
  name: string;
  text: string;
  kept: string;
  /** By prompt. */
  continuations: Record<string, string>;
  bits_per_byte?: number | null;
  bits_above_floor?: number | null;
}

async function request(route: string, method: string, fields: Record<string, string>): Promise<any> {
  const settings = ServerConnection.makeSettings();
  let url = URLExt.join(settings.baseUrl, 'autograder', 'panel', route);
  const init: RequestInit = { method };
  if (method === 'POST') {
    init.body = JSON.stringify(fields);
  } else {
    url += URLExt.objectToQueryString(fields);
  }
  const response = await ServerConnection.makeRequest(url, init, settings).catch(() => {
    throw new Error('The Jupyter server does not answer. Is it still running in its terminal?');
  });
  const found = await response.json().catch(() => ({}));
  if (!response.ok) {
    throw new Error(found.message || `The server answered ${response.status}.`);
  }
  return found;
}

export const stateOf = (path: string): Promise<State> => request('check', 'GET', { path });
/** Check one task, or all if `task` is ''. */
export const startCheck = (path: string, task: string): Promise<State> => request('check', 'POST', { path, task });
export const stopCheck = (path: string): Promise<State> => request('check', 'DELETE', { path });
/** The latest first. */
export const modelsNear = async (path: string): Promise<Model[]> => (await request('gallery', 'GET', { path })).models;
/** The course's answer; null if this was the first time that the learner asked. */
export const reveal = async (path: string, task: string): Promise<string | null> =>
  (await request('reveal', 'POST', { path, task })).answer;
