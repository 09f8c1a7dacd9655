/** Defined by the build. */
declare const ACA_VERSION: string | undefined;

/** The running version. */
export const version = typeof ACA_VERSION === 'string' ? ACA_VERSION : '0.0.0-development';
