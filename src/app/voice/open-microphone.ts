import type { Config } from '../../config/schema/schema.ts';
import { UserError } from '../../contract/errors.ts';
import { programOutside } from '../../sandbox/shell/program-path.ts';
import { type RecorderProgram, startRecorder } from '../../sandbox/shell/recorder-process.ts';
import { commandEnvironment } from '../../sandbox/shell/shell-program.ts';
import type { Microphone } from '../../voice/record.ts';
import { installHint, type Recorder, recordersOf } from '../../voice/recorders.ts';
import type { Host } from '../host.ts';
import { keyVariables } from '../opening/find-model.ts';

type Place = Pick<Host, 'env' | 'cwd'>;
type Found = { name: string; program: RecorderProgram };

/** Starts the recorder. Throws a `UserError` if there is none. */
export function openMicrophone(config: Config, place: Place): Microphone {
  const { name, program } = findRecorder(config, place);
  return { name, ...startRecorder(program, commandEnvironment(place.env, keyVariables(config))) };
}

/** The user's command, or the first recorder that is installed outside the project. */
export function findRecorder({ voice }: Pick<Config, 'voice'>, { env, cwd }: Place): Found {
  const { recorder: wanted, recordCommand, device } = voice;
  if (recordCommand !== undefined)
    return { name: 'voice.recordCommand', program: { command: recordCommand } };
  const { platform } = process;
  const rows = recordersOf(platform).filter(({ name }) => wanted === undefined || name === wanted);
  const installed = rows.flatMap((row) => {
    const file = programOutside(row.name, cwd, env);
    return file === null ? [] : [{ row, file }];
  });
  for (const { row, file } of installed) {
    const args = row.args(device);
    if (args) return { name: row.name, program: { file, args } };
  }
  throw missing(
    wanted,
    installed.map(({ row }) => row),
  );
}

function missing(wanted: string | undefined, [unusable]: readonly Recorder[]): UserError {
  if (unusable)
    return new UserError(
      `${unusable.name} needs to know which microphone to use.`,
      'Set voice.device to its name; `ffmpeg -list_devices true -f dshow -i dummy` lists them.',
    );
  return new UserError(
    wanted === undefined ? 'No program that records was found.' : `${wanted} was not found.`,
    wanted === undefined
      ? installHint(process.platform)
      : 'Install it, or remove voice.recorder to use another.',
  );
}
