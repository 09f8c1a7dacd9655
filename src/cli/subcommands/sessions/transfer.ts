import { closeSync, existsSync, readSync, rmdirSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Command, Option } from 'commander';
import { type ExportFormat, exported, formatOf } from '../../../app/conversation/export-file.ts';
import { redactedSession } from '../../../app/conversation/redact-session.ts';
import { sizeText } from '../../../app/housekeeping/size-text.ts';
import { loadSettings, sessionStore } from '../../../app/settings.ts';
import { exportBundle, importBundleAt } from '../../../app/transfer/bundle-session.ts';
import { writeExportTo } from '../../../app/transfer/export-target.ts';
import { UserError } from '../../../contract/errors.ts';
import type { Terminal } from '../../../frontends/shared/terminal.ts';
import { unlessErrno } from '../../../lib/files/errno.ts';
import { makeFolder } from '../../../lib/files/make-folder.ts';
import { openRegularFile } from '../../../lib/files/regular-file.ts';
import { counted } from '../../../lib/text/counted.ts';
import { visible } from '../../../lib/text/printable.ts';
import { readExport } from '../../../session/import.ts';
import { confirm } from '../confirm.ts';
import { missing, type SessionsDesk, sessionArgument } from './desk.ts';

type ExportOptions = {
  format?: ExportFormat;
  output?: string;
  withSecrets?: boolean;
  bundle?: boolean;
  allFiles?: boolean;
  yes?: boolean;
  force?: boolean;
};

/** Export and import. */
export function addTransfers(command: Command, desk: SessionsDesk): void {
  const { terminal } = desk;
  command
    .command('export')
    .description(
      'Export a session as Markdown, HTML or JSON, or with its undo data as one file to import elsewhere',
    )
    .argument(...sessionArgument)
    .addOption(
      new Option(
        '--format <format>',
        'output format (default: from the file extension, or Markdown)',
      ).choices(['markdown', 'html', 'json']),
    )
    .addOption(
      new Option(
        '--bundle',
        'everything that resume, undo and replay need, as one file to import elsewhere',
      ).conflicts('format'),
    )
    .option(
      '--all-files',
      'with --bundle: all files of the folder, not only those that the conversation names',
    )
    .option('-o, --output <file>', 'output file (default: standard output, or session-ID.aca for a bundle)')
    .option('--with-secrets', 'include passwords and keys instead of placeholders; for a bundle, asks first')
    .option('--yes', 'with --bundle --with-secrets: do not ask')
    .option('--force', 'overwrite the output file even if it is not an exported session')
    .action(async (wanted: string, options: ExportOptions) => {
      if (options.bundle) return writeBundle(wanted, options, desk);
      if (options.allFiles)
        throw new UserError('--all-files needs --bundle.', 'Other formats contain no files.');
      return writeExport(wanted, options, desk);
    });

  command
    .command('import')
    .description('Import a session that was exported as a bundle or as JSON, to resume it in this folder')
    .argument('<file>', 'a file written by `aca sessions export` with --bundle or --format json')
    .option('--at <folder>', 'the folder that the session works in from now on (default: this one)')
    .option('--files', 'of a bundle: bring files into the state in which the session left them')
    .action(async (file: string, { at, files = false }: { at?: string; files?: boolean }) => {
      const source = path.resolve(terminal.cwd, file);
      const folder = path.resolve(terminal.cwd, at ?? '.');
      if (isGzipped(source, file)) await readBundle(source, { at: folder, files }, desk);
      else await readJson(source, { at: folder, name: visible(file) }, desk);
    });
}

async function writeExport(wanted: string, options: ExportOptions, { terminal, print }: SessionsDesk) {
  const { format, output, withSecrets, force = false } = options;
  const settings = loadSettings({}, terminal);
  const whole = (await sessionStore(settings).read(wanted)) ?? missing(wanted);
  const session = withSecrets ? whole : redactedSession(whole, { settings, host: terminal });
  const text = await exported(session, format ?? formatOf(output ?? '') ?? 'markdown');
  if (output === undefined) print(text);
  else {
    const file = path.resolve(terminal.cwd, output);
    await writeExportTo(file, { force }, () => writeFile(file, text, { mode: 0o600 }));
  }
}

async function writeBundle(wanted: string, options: ExportOptions, { terminal, print }: SessionsDesk) {
  const { output, withSecrets = false, yes = false, allFiles = false, force = false } = options;
  if (withSecrets && !yes && !(await mayContainSecrets(terminal))) {
    print('Nothing was exported.\n');
    return;
  }
  const settings = loadSettings({}, terminal);
  const file = (id: string) => path.resolve(terminal.cwd, output ?? `session-${id.slice(0, 8)}.aca`);
  const bundle =
    (await exportBundle(wanted, { file, withSecrets, allFiles, force }, { settings, host: terminal })) ??
    missing(wanted);
  const { withheld, outside, missing: gone, unnamed, files } = bundle;
  print(
    [
      `Exported to ${visible(bundle.file)} (${sizeText(statSync(bundle.file).size)}).`,
      ...(files > 0
        ? [`It includes ${counted(files, 'file')} that the session did not change, as they are now.`]
        : []),
      ...fileList(
        'Left out, because they contain secrets; they cannot be undone where you import this',
        withheld,
      ),
      ...fileList(
        'Left out, because their names contain secrets; they cannot be undone where you import this',
        unnamed,
      ),
      ...fileList('Outside the working directory; they cannot be undone where you import this', outside),
      ...fileList('No longer saved; they cannot be undone', gone),
    ]
      .map((line) => `${line}\n`)
      .join(''),
  );
}

function mayContainSecrets(terminal: Terminal): Promise<boolean> {
  if (terminal.stdin.isTTY !== true)
    throw new UserError(
      '--with-secrets puts passwords and keys into the bundle, and there is no terminal to ask you.',
      'Add --yes if you want that.',
    );
  return confirm('The bundle will contain passwords and keys as they are. Export it?', terminal);
}

async function readBundle(
  source: string,
  wanted: { at: string; files: boolean },
  { terminal, print }: SessionsDesk,
) {
  const settings = loadSettings({}, terminal);
  const { at } = wanted;
  const created = createFolder(at);
  const imported = importBundleAt(source, { ...wanted, at: folderAt(at) }, { settings, host: terminal });
  const { id, withheld, files } = await imported.catch((error: unknown) => {
    for (const folder of created) rmdirSync(folder);
    throw error;
  });
  print(`${id}\n`);
  const notes = [
    ...(files && files.placed.length > 0
      ? [`${counted(files.placed.length, 'file')} written to ${visible(at)}.`]
      : []),
    ...fileList(
      'Not as the session left them',
      (files?.kept ?? []).map(({ path: file, because }) => `${file}: ${because}`),
    ),
    ...fileList('Cannot be undone, because their contents were left out of the bundle', withheld),
  ];
  terminal.stderr.write(notes.map((line) => `${line}\n`).join(''));
}

async function readJson(
  source: string,
  { at, name }: { at: string; name: string },
  { print, open }: SessionsDesk,
) {
  const text = await readFile(source, 'utf8');
  // Before the folder: without a session, it does not matter.
  readExport(text, name);
  const copy = await open().store.importFrom(text, folderAt(at), { model: 'imported' });
  await copy.close();
  print(`${copy.session.id}\n`);
}

function fileList(heading: string, files: readonly string[]): string[] {
  return files.length === 0 ? [] : [`${heading}:`, ...files.map((file) => `  ${visible(file)}`)];
}

/** The folders that were missing, innermost first. */
function createFolder(at: string): string[] {
  const created: string[] = [];
  for (let folder = at; !existsSync(folder); folder = path.dirname(folder)) created.push(folder);
  try {
    makeFolder(at);
  } catch (error) {
    throw new UserError(
      `The folder ${visible(at)} cannot be created: ${(error as Error).message}`,
      'Name another one with --at.',
    );
  }
  return created;
}

function folderAt(folder: string): string {
  if (unlessErrno('any', false, () => statSync(folder).isDirectory())) return folder;
  throw new UserError(`There is no folder ${folder}.`, 'Create it, or name another one with --at.');
}

function isGzipped(source: string, file: string): boolean {
  const start = Buffer.alloc(2);
  try {
    const descriptor = openRegularFile(source);
    try {
      readSync(descriptor, start);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw new UserError(
      `${file} cannot be read: ${(error as Error).message}`,
      'Check the path and try again.',
    );
  }
  return start.equals(Buffer.from([0x1f, 0x8b]));
}
