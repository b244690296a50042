// vscode-jsonrpc over a Unix socket or TCP: told {path | port, token?, session, run}.
import net from 'node:net';
import { converse } from './conversation.mjs';
import { load, report, told } from './packages.mjs';

const { createMessageConnection, ResponseError, StreamMessageReader, StreamMessageWriter } = (await load('vscode-jsonrpc/node'));
const facts = told();
const socket = net.connect(facts.path ? { path: facts.path } : { host: '127.0.0.1', port: facts.port });
socket.on('error', (error) => { throw error; });
const connection = createMessageConnection(new StreamMessageReader(socket), new StreamMessageWriter(socket));
connection.listen();
let before = null;
if (facts.token) {
  before = await connection.sendRequest('client/user_message', {}).catch((error) => error.code);
  await connection.sendRequest('authenticate', { token: facts.token });
}
report({ before, ...await converse(connection, { ...facts, ResponseError }) });
