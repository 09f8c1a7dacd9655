// @ts-expect-error: a file that the build of the binary puts beside the code.
import native from 'keyring.node';

/** Replaces the package @napi-rs/keyring in the binary. */
export const { AsyncEntry } = native;
