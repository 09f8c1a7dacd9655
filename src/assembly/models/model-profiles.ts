import path from 'node:path';
import { writeAtomic } from '../../lib/files/atomic-write.ts';
import { readTextIfAny } from '../../lib/files/read-text.ts';
import { sha256 } from '../../lib/sha256.ts';
import { parseJson } from '../../lib/text/json.ts';
import { type ModelProfile, profileSchema } from '../../providers/local/profile.ts';

/** Measured profiles of models on servers, one file each in the data root. */
export type ProfileStore = {
  find(server: string, model: string): Promise<ModelProfile | null>;
  keep(profile: ModelProfile): Promise<void>;
};

export function profileStore(dataRoot: string): ProfileStore {
  const fileOf = (server: string, model: string) =>
    path.join(dataRoot, 'profiles', `${sha256(`${server}\n${model}`).slice(0, 24)}.json`);
  return {
    async find(server, model) {
      const text = await readTextIfAny(fileOf(server, model));
      return text === null ? null : parse(text);
    },
    keep: (profile) =>
      writeAtomic(fileOf(profile.server, profile.model), `${JSON.stringify(profile, null, 2)}\n`, 0o600),
  };
}

/** Null for a file of another version, or a damaged one: the model is measured again. */
function parse(text: string): ModelProfile | null {
  return profileSchema().safeParse(parseJson(text)).data ?? null;
}
