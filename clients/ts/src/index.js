// Belfry's client for browsers and Node. README.md shows what it does.
export { Client } from './client.js';
export { BelfryError } from './errors.js';
export { Following } from './follow.js';
export { Operator } from './operator.js';
export { RpcConnection, RpcError } from './rpc.js';
export { FAILED, RETRYING, Sender } from './sender.js';

/** @typedef {import('../types/wire.js').Run} Run */
/** @typedef {import('../types/wire.js').RunEvent} RunEvent */
/** @typedef {import('../types/wire.js').Pulled} Pulled */
/** @typedef {import('../types/wire.js').Agent} Agent */
/** @typedef {import('../types/wire.js').Wake} Wake */
/** @typedef {import('../types/wire.js').WakeGrant} WakeGrant */
/** @typedef {import('../types/wire.js').JournalRecord} JournalRecord */
/** @typedef {import('../types/wire.js').JournalLink} JournalLink */
/** @typedef {import('../types/wire.js').Interaction} Interaction */
/** @typedef {import('../types/wire.js').ChangeSet} ChangeSet */
/** @typedef {import('../types/wire.js').InboxMessage} InboxMessage */
/** @typedef {import('../types/wire.js').Receipt} Receipt */
