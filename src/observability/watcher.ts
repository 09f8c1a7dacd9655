import type { AgentEvent } from '../contract/event.ts';
import type { OperationIds } from './telemetry/trace-ids.ts';

/**
 * Receives all events of a session, with the operation each belongs to. An event may contain secrets; `hide`
 * redacts them in a string, or in the strings of a plain value.
 */
export type Watcher = (event: AgentEvent, about: { ids: OperationIds; hide<T>(value: T): T }) => void;
