/** Why there is no chat. */
export type Problem =
  | { type: 'untrusted' }
  | { type: 'no-folder' }
  | { type: 'not-found'; setting: string }
  | { type: 'no-model' }
  | { type: 'refused' }
  | { type: 'stopped'; reason: string };

/** Thrown where the user has to do something before there can be a chat. */
export class ChatUnavailable extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(describeProblem(problem).text);
    this.problem = problem;
  }
}

type Action = { label: string; command: string };

/** What happened and what to do, with commands that do it. */
export function describeProblem(problem: Problem): { text: string; actions: Action[] } {
  switch (problem.type) {
    case 'untrusted':
      return {
        text: 'This folder is in Restricted Mode. aca can read and change files and run commands, so it needs a folder that you trust.',
        actions: [{ label: 'Manage Trust', command: 'workbench.trust.manage' }],
      };
    case 'no-folder':
      return {
        text: 'Open a folder to chat about it.',
        actions: [{ label: 'Open Folder', command: 'workbench.action.files.openFolder' }],
      };
    case 'not-found':
      return {
        text:
          problem.setting === ''
            ? 'The program aca was not found in your PATH. Install it, or set its path.'
            : `There is no program at ${problem.setting}. Change the setting aca.path.`,
        actions: [
          { label: 'Set the Path', command: 'aca.setPath' },
          { label: 'Try Again', command: 'aca.restart' },
        ],
      };
    case 'no-model':
      return {
        text: 'No model is set up. Choose a vendor and enter a key, or use a model on this machine.',
        actions: [
          { label: 'Set Up a Model', command: 'aca.setUpModel' },
          { label: 'Try Again', command: 'aca.restart' },
        ],
      };
    case 'refused':
      return {
        text: 'The server no longer accepts this token or invitation. Ask for a new one.',
        actions: [
          { label: 'Attach to Server…', command: 'aca.attach' },
          { label: 'Detach', command: 'aca.detach' },
        ],
      };
    case 'stopped':
      return {
        text: `aca stopped. ${problem.reason}`,
        actions: [
          { label: 'Restart', command: 'aca.restart' },
          { label: 'Open the Log', command: 'aca.openLog' },
        ],
      };
    default:
      return problem satisfies never;
  }
}
