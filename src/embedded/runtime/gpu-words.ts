import type { LoadedModel } from '../protocol.ts';
import type { Gpu } from './platform.ts';
import type { GpuProbe, GpuTrial } from './probe.ts';

export function gpuName(gpu: Gpu): string {
  return { cuda: 'CUDA', vulkan: 'Vulkan', metal: 'Metal', none: 'CPU only' }[gpu];
}

/** What a loaded model runs on; null for a CPU on a machine without a graphics card. */
export function describeLoad(loaded: LoadedModel, probe: GpuProbe): string | null {
  const { gpu, gpuLayers, layers, device } = loaded;
  if (gpu === 'none') return failuresOf(probe) === '' ? null : `CPU only: ${failuresOf(probe)}.`;
  return `GPU: ${device ?? 'unnamed'}, ${gpuName(gpu)}, ${gpuLayers} of ${layers} layers`;
}

/** What models will run on, for reports; `missing` is what a graphics card lacks here. */
export function describeProbe(probe: GpuProbe, missing: readonly string[]): string {
  const works = probe.trials.find((trial): trial is GpuTrial & { works: true } => trial.works);
  const why = [failuresOf(probe), ...missing].filter((text) => text !== '').join('; ');
  if (!works || works.gpu === 'none') return why === '' ? 'CPU only' : `CPU only: ${why}`;
  return `GPU: ${works.device ?? 'unnamed'}, ${gpuName(works.gpu)}${why === '' ? '' : ` (${why})`}`;
}

function failuresOf({ trials }: GpuProbe): string {
  return trials
    .flatMap((trial) => (trial.works ? [] : [`${gpuName(trial.gpu)} does not work here: ${trial.why}`]))
    .join('; ');
}
