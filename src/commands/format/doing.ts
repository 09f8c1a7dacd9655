/** What a running call does, by the first word of its title. */
const VERBS: Readonly<Record<string, string>> = {
  Bash: 'Running',
  BashOutput: 'Reading the output of',
  Delete: 'Deleting',
  Edit: 'Editing',
  'Explore:': 'Exploring:',
  Fetch: 'Fetching',
  Glob: 'Finding',
  Grep: 'Searching for',
  KillShell: 'Stopping',
  List: 'Listing',
  Read: 'Reading',
  Recall: 'Recalling',
  Search: 'Searching for',
  Skill: 'Using the skill',
  Task: 'Waiting for',
  WebFetch: 'Fetching',
  WebSearch: 'Searching the web for',
  Write: 'Writing',
};

/** Titles whose details are shown elsewhere. */
const WHOLE: Readonly<Record<string, string>> = {
  AskUser: 'Waiting for your answer',
  Todo: 'Updating the todos',
};

/** `Bash npm test` while it runs: `Running npm test`. Other titles stay as they are. */
export function doingText(title: string): string {
  const [first = ''] = title.split(' ', 1);
  if (Object.hasOwn(WHOLE, first)) return WHOLE[first] ?? title;
  return Object.hasOwn(VERBS, first) ? `${VERBS[first]}${title.slice(first.length)}` : title;
}
