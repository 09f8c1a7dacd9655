import { UserError } from '../../contract/errors.ts';
import { type Bundle, collectBundle, writeBundle } from '../../session/bundle/export-bundle.ts';
import { type Imported, importBundle } from '../../session/bundle/import-bundle.ts';
import { sessionPlace } from '../../session/session-place.ts';
import { sessionFirewall } from '../conversation/redact-session.ts';
import type { Host } from '../host.ts';
import { type Settings, sessionFolder, sessionStore } from '../settings.ts';
import { writeExportTo } from './export-target.ts';

type Place = { settings: Settings; host: Host };

type ExportBundleOptions = {
  file: (id: string) => string;
  withSecrets?: boolean;
  allFiles?: boolean;
  /** Overwrites whatever file is there. */
  force?: boolean;
};

/** Writes a session with everything that belongs to it to one file. Null if there is no such session. */
export async function exportBundle(
  wanted: string,
  { file, withSecrets = false, allFiles = false, force = false }: ExportBundleOptions,
  { settings, host }: Place,
): Promise<(Bundle & { file: string }) | null> {
  const store = sessionStore(settings);
  const id = await store.find(wanted);
  if (id === null) return null;
  const workingDirectory = store.folderOf(id);
  if (workingDirectory === null)
    throw new UserError(
      `The file of session ${id.slice(0, 8)} is damaged: it no longer says which folder it belongs to.`,
      'Export the conversation with --format json instead.',
    );
  const { firewall, isClosed } = sessionFirewall(workingDirectory, { settings, host });
  const redaction = { learn: firewall.learn, hide: (text: string) => firewall.hide(text), isClosed };
  const bundle = collectBundle({
    place: sessionPlace({
      dataRoot: settings.root,
      sessions: sessionFolder(settings),
      id,
      cwd: workingDirectory,
    }),
    workingDirectory,
    dataRoot: settings.root,
    allFiles,
    ...(!withSecrets && { redaction }),
  });
  const to = file(id);
  await writeExportTo(to, { force }, () => writeBundle(bundle, to));
  return { ...bundle, file: to };
}

/** Imports a bundle as a session of the folder. */
export function importBundleAt(
  file: string,
  { at, files = false }: { at: string; files?: boolean },
  { settings }: Place,
): Promise<Imported> {
  const { config, root } = settings;
  return importBundle(file, {
    dataRoot: root,
    sessions: sessionFolder(settings),
    at,
    files,
    limits: { bytes: (config.storageLimitMb + config.undoLimitMb) * 1024 * 1024 },
  });
}
