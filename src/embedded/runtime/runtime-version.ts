/** Written by scripts/pin-runtime.mjs together with the pins; do not edit. */
export const RUNTIME_VERSION = '3.21.1';
