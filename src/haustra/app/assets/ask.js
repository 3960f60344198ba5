// Questions to the app's server; its refusals are one line for the reader.
export async function ask(address, { method = 'GET', body, headers } = {}) {
  const sent = body === undefined || body instanceof Blob ? body : JSON.stringify(body);
  const answer = await fetch(address, { method, body: sent, headers });
  const value = await answer.json().catch(() => ({ error: `the app answered ${answer.status}` }));
  if (!answer.ok) throw Object.assign(new Error(value.error), { status: answer.status });
  return value;
}
export const recordingAddress = (id, what = '') => `/api/recordings/${encodeURIComponent(id)}${what ? `/${what}` : ''}`;
