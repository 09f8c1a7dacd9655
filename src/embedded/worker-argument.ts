/** As the first argument, it makes the standalone binary run the worker. */
export const workerArgument = '--as-embedded-worker';
