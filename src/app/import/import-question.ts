import { setValue } from '../../config/edit.ts';
import { userConfigFile } from '../../config/load.ts';
import { supportTables } from '../../config/other-assistants/tables.ts';
import { assistantNames } from '../../config/schema/other-assistants.ts';
import type { Frontend } from '../conversation/frontend.ts';
import type { Settings } from '../settings.ts';

/** Asks once whether to use the settings that other assistants keep in the home folder. True after an answer. */
export async function offerImport(
  { others, root }: Pick<Settings, 'others' | 'root'>,
  talk: Pick<Frontend, 'ask' | 'print'>,
): Promise<boolean> {
  const { waiting } = others;
  if (waiting.length === 0) return false;
  const assistants = assistantNames.filter((name) => waiting.some(({ assistant }) => assistant === name));
  const names = assistants.map((assistant) => supportTables[assistant].name).join(' and ');
  for (const { file, settings } of waiting) talk.print(`${file}: ${settings.join(', ')}`);
  const answer = await talk.ask(`Found your ${names} settings. Use them? [y/n] `);
  const said = answer?.trim().toLowerCase();
  if (said !== 'y' && said !== 'n') return false;
  for (const assistant of assistants)
    await setValue(
      userConfigFile(root),
      ['otherAssistants', assistant],
      said === 'y' ? 'use' : 'no-settings',
    );
  talk.print('To change this later, run `aca import`.');
  return true;
}
