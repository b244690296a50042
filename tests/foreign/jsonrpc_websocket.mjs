// vscode-ws-jsonrpc over a WebSocket of the package ws: told {url, ticket, session, run}.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { converse } from './conversation.mjs';
import { load, report, told } from './packages.mjs';

const { default: WebSocket } = await load('ws');
const { createWebSocketConnection, toSocket } = await load('vscode-ws-jsonrpc');
// The errors are those of the vscode-jsonrpc that this package brings with it.
const own = createRequire(join(process.env.BELFRY_NPM, 'node_modules/vscode-ws-jsonrpc/package.json')).resolve('vscode-jsonrpc');
const { ResponseError } = await import(pathToFileURL(own).href);
const facts = told();
const socket = new WebSocket(`${facts.url}/v1/rpc?ticket=${facts.ticket}`);
socket.on('error', (error) => { throw error; });
socket.onopen = async () => {
  const logger = { error: console.error, warn: console.error, info() {}, log() {} };
  const connection = createWebSocketConnection(toSocket(socket), logger);
  connection.listen();
  report(await converse(connection, { ...facts, ResponseError }));
};
