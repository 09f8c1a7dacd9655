import type { Field, Schema } from './protobuf.ts';

/** OTLP's messages, as far as our metrics and traces need them; the names are those of its JSON. */
const many = (message: () => Schema): Field => ({ message, list: true });
const one = (message: () => Schema): Field => ({ message });

const anyValue = (): Schema => ({
  1: ['stringValue', 'string'],
  2: ['boolValue', 'bool'],
  3: ['intValue', 'varint'],
  4: ['doubleValue', 'double'],
  5: ['arrayValue', one(() => ({ 1: ['values', many(anyValue)] }))],
});
const keyValue = (): Schema => ({ 1: ['key', 'string'], 2: ['value', one(anyValue)] });
const resource = (): Schema => ({
  1: ['attributes', many(keyValue)],
  2: ['droppedAttributesCount', 'varint'],
});
const scope = (): Schema => ({ 1: ['name', 'string'], 2: ['version', 'string'] });

const status = (): Schema => ({ 2: ['message', 'string'], 3: ['code', 'varint'] });
const span = (): Schema => ({
  1: ['traceId', 'hex'],
  2: ['spanId', 'hex'],
  3: ['traceState', 'string'],
  4: ['parentSpanId', 'hex'],
  5: ['name', 'string'],
  6: ['kind', 'varint'],
  7: ['startTimeUnixNano', 'fixed64'],
  8: ['endTimeUnixNano', 'fixed64'],
  9: ['attributes', many(keyValue)],
  10: ['droppedAttributesCount', 'varint'],
  12: ['droppedEventsCount', 'varint'],
  14: ['droppedLinksCount', 'varint'],
  15: ['status', one(status)],
  16: ['flags', 'fixed32'],
});

export const traceRequest: Schema = {
  1: [
    'resourceSpans',
    many(() => ({
      1: ['resource', one(resource)],
      2: ['scopeSpans', many(() => ({ 1: ['scope', one(scope)], 2: ['spans', many(span)] }))],
    })),
  ],
};

const numberPoint = (): Schema => ({
  2: ['startTimeUnixNano', 'fixed64'],
  3: ['timeUnixNano', 'fixed64'],
  4: ['asDouble', 'double'],
  6: ['asInt', 'fixed64'],
  7: ['attributes', many(keyValue)],
});
const histogramPoint = (): Schema => ({
  2: ['startTimeUnixNano', 'fixed64'],
  3: ['timeUnixNano', 'fixed64'],
  4: ['count', 'fixed64'],
  5: ['sum', 'double'],
  6: ['bucketCounts', 'fixed64s'],
  7: ['explicitBounds', 'doubles'],
  9: ['attributes', many(keyValue)],
  11: ['min', 'double'],
  12: ['max', 'double'],
});
const metric = (): Schema => ({
  1: ['name', 'string'],
  2: ['description', 'string'],
  3: ['unit', 'string'],
  5: ['gauge', one(() => ({ 1: ['dataPoints', many(numberPoint)] }))],
  7: [
    'sum',
    one(() => ({
      1: ['dataPoints', many(numberPoint)],
      2: ['aggregationTemporality', 'varint'],
      3: ['isMonotonic', 'bool'],
    })),
  ],
  9: [
    'histogram',
    one(() => ({ 1: ['dataPoints', many(histogramPoint)], 2: ['aggregationTemporality', 'varint'] })),
  ],
});

export const metricsRequest: Schema = {
  1: [
    'resourceMetrics',
    many(() => ({
      1: ['resource', one(resource)],
      2: ['scopeMetrics', many(() => ({ 1: ['scope', one(scope)], 2: ['metrics', many(metric)] }))],
    })),
  ],
};
