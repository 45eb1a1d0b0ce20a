// A scripted model on loopback that speaks to Claude Code: each turn is a move of the script.
import http from 'node:http';

/** Starts one; a move is `{ say, tool, input }`, and a move with no tool ends the agent's turn. */
export async function start(moves) {
  const left = [...moves];
  const server = http.createServer((asked, answer) => {
    let text = '';
    asked.on('data', (part) => (text += part));
    asked.on('end', () => respond(JSON.parse(text || '{}'), asked.url, answer, left));
  });
  await new Promise((listens) => server.listen(0, '127.0.0.1', listens));
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
}

function respond(body, url, answer, left) {
  const json = (value) => {
    answer.setHeader('content-type', 'application/json');
    answer.end(JSON.stringify(value));
  };
  if (!url.split('?')[0].endsWith('/v1/messages')) return json({ input_tokens: 10, data: [] });
  // Titles and summaries are asked for with no tools.
  const move = body.tools?.length ? (left.shift() ?? { say: 'Done.' }) : { say: 'A title' };
  const blocks = [{ type: 'text', text: move.say }];
  if (move.tool) blocks.push({ type: 'tool_use', id: `toolu_${left.length}`, name: move.tool, input: move.input });
  const stop_reason = move.tool ? 'tool_use' : 'end_turn';
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: `msg_${left.length}`, type: 'message', role: 'assistant', model: body.model, stop_sequence: null, usage };
  if (!body.stream) return json({ ...message, content: blocks, stop_reason });
  answer.setHeader('content-type', 'text/event-stream');
  const event = (type, data) => answer.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  event('message_start', { message: { ...message, content: [], stop_reason: null } });
  blocks.forEach((block, index) => {
    const said = block.type === 'text';
    event('content_block_start', { index, content_block: said ? { type: 'text', text: '' } : { ...block, input: {} } });
    const delta = said
      ? { type: 'text_delta', text: block.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
    event('content_block_delta', { index, delta });
    event('content_block_stop', { index });
  });
  event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } });
  event('message_stop', {});
  return answer.end();
}
