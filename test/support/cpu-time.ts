/** Processor time of this process: on a busy machine wall time is meaningless. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
