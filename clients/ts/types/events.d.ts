/** @import { Accepted, BatchResult, Entry, EventInput, StreamFilter, StreamState, Page } from '../types/wire.js' */
/** @import { Following, FollowOptions } from './follow.js' */
export class Events extends Base {
    /**
     * Sends an event, or a list of them; resolves when they are durable. It is tried again under one key, so that nothing
     * is taken twice. A refused event is thrown; of a list, the result tells each one.
     * @template {EventInput | EventInput[]} E
     * @param {E} events
     * @param {{idempotencyKey?: string}} [options]
     * @returns {Promise<E extends EventInput[] ? BatchResult : Accepted>}
     */
    emit<E extends EventInput | EventInput[]>(events: E, options?: {
        idempotencyKey?: string;
    }): Promise<E extends EventInput[] ? BatchResult : Accepted>;
    /**
     * The streams that the caller may follow.
     * @returns {Promise<StreamState[]>}
     */
    streams(): Promise<StreamState[]>;
    /**
     * Entries after a position, oldest first.
     * @param {string} stream
     * @param {StreamFilter & {after?: number, limit?: number}} [query]
     * @returns {Promise<Page<Entry> & {gap?: {from: number, to: number}}>}
     */
    page(stream: string, query?: StreamFilter & {
        after?: number;
        limit?: number;
    }): Promise<Page<Entry> & {
        gap?: {
            from: number;
            to: number;
        };
    }>;
    /**
     * Entries {sequence, event} as they come, each once and in order, from `after` on, or from `start`: `live` (unless told)
     * or `start`. `{gap: {from, to}}` stands where entries are gone for good.
     * @param {string} [stream]
     * @param {StreamFilter & FollowOptions & {after?: number, start?: 'live' | 'start', via?: 'fetch' | 'websocket'}} [options]
     * @returns {Promise<Following<Entry>>}
     */
    follow(stream?: string, options?: StreamFilter & FollowOptions & {
        after?: number;
        start?: "live" | "start";
        via?: "fetch" | "websocket";
    }): Promise<Following<Entry>>;
    /**
     * A one-time ticket for what cannot send a header: `?ticket=` on a stream or on /v1/rpc.
     * @returns {Promise<string>}
     */
    ticket(): Promise<string>;
    #private;
}
import { Base } from './base.js';
import type { EventInput } from '../types/wire.js';
import type { BatchResult } from '../types/wire.js';
import type { Accepted } from '../types/wire.js';
import type { StreamState } from '../types/wire.js';
import type { StreamFilter } from '../types/wire.js';
import type { Entry } from '../types/wire.js';
import type { Page } from '../types/wire.js';
import type { FollowOptions } from './follow.js';
import type { Following } from './follow.js';
