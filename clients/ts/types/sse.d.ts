/** @typedef {{event: string, data: string, id: string}} SseMessage `id` is the last that was given, also by a message before */
/** Takes bytes as they come, cut anywhere, and gives whole messages; comments are passed over. */
export class SseParser {
    /**
     * @param {Uint8Array} piece
     * @returns {SseMessage[]}
     */
    feed(piece: Uint8Array): SseMessage[];
    #private;
}
/**
 * `id` is the last that was given, also by a message before
 */
export type SseMessage = {
    event: string;
    data: string;
    id: string;
};
