// What every JSON-RPC client of another does with Belfry, once it has a MessageConnection: speaks, is refused, follows a run.

/**
 * @param {any} connection of vscode-jsonrpc
 * @param {{session: string, run: number, ResponseError: any}} told
 */
export async function converse(connection, { session, run, ResponseError }) {
  const facts = { rejected: [], events: [] };
  const params = (text, more = {}) => ({ session_id: session, message_type: 'user_input', timestamp: new Date().toISOString(), payload: { text }, ...more });
  connection.onNotification('client/rejected', (problem) => { facts.rejected.push(problem); });
  let closed = () => {};
  const isClosed = new Promise((resolve) => { closed = resolve; });
  connection.onNotification('run/event', ({ event }) => { facts.events.push(event); });
  connection.onNotification('run/closed', (word) => { facts.closed = word; closed(); });

  await connection.sendRequest('ping');
  facts.receipt = await connection.sendRequest('client/user_message', params('as a request'));
  facts.alias = await connection.sendRequest('kaiak/client/user_message', params('by its other name'));
  await connection.sendNotification('client/user_message', params('as a notification'));
  await connection.sendNotification('client/user_message', params('to nobody', { session_id: 'nobody-at-all' }));
  facts.refusals = [];
  const attempts = [['client/user_message', params('x', { session_id: 'a b' })], ['client/user_message', params('x', { timestamp: 'yesterday' })], ['no/such', {}]];
  for (const [method, bad] of attempts) {
    try {
      await connection.sendRequest(method, bad);
      facts.refusals.push(null);
    } catch (error) {
      facts.refusals.push({ code: error.code, message: error.message, isResponseError: error instanceof ResponseError });
    }
  }
  facts.subscription = await connection.sendRequest('run/follow', { run_id: run });
  await isClosed;
  return facts;
}
