import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts values for shared storage, and hashes their names. */
export type Seal = {
  nameOf(text: string): string;
  /** `name` is authenticated: under another name the text cannot be decrypted. */
  close(name: string, text: string): Buffer;
  /** Null if it was not encrypted with this key under this name. */
  open(name: string, sealed: Buffer): string | null;
};

const NONCE = 12;
const TAG = 16;
const ALGORITHM = 'aes-256-gcm';

export function createSeal(secret: string): Seal {
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', secret, 'aca cache', use, 32));
  const key = derive('values');
  const nameKey = derive('names');

  function unseal(name: string, sealed: Buffer): string {
    const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE), { authTagLength: TAG });
    decipher.setAAD(Buffer.from(name)).setAuthTag(sealed.subarray(NONCE, NONCE + TAG));
    return decipher.update(sealed.subarray(NONCE + TAG), undefined, 'utf8') + decipher.final('utf8');
  }

  return {
    nameOf: (text) => createHmac('sha256', nameKey).update(text).digest('hex'),
    close(name, text) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG });
      cipher.setAAD(Buffer.from(name));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]);
    },
    open(name, sealed) {
      if (sealed.length < NONCE + TAG) return null;
      try {
        return unseal(name, sealed);
      } catch (error) {
        // Node reports a wrong tag only as a generic error.
        if (error instanceof Error) return null;
        throw error;
      }
    },
  };
}
