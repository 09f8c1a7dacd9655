/** Programs that can record, for the setting `voice.recorder`. */
export const recorderNames = ['pw-record', 'parecord', 'arecord', 'sox', 'ffmpeg'] as const;

export type RecorderName = (typeof recorderNames)[number];
