// A scripted model: a server of OpenAI's chat completions on the loopback, whose answers come as a stream.

import http from 'node:http';

const SSE = { 'Content-Type': 'text/event-stream' };

/**
 * Serves. `answer` gets what was asked, and gives `{ say: [pieces] }` or `{ calls: [[tool, arguments]] }`, with `hold` a
 * promise that comes before the end; the tool is named by its dotted name.
 */
export async function serve(answer) {
  const asked = [];
  const server = http.createServer(async (request, response) => {
    let said = '';
    for await (const bytes of request) said += bytes;
    if (!request.url.endsWith('/chat/completions')) {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ object: 'list', data: [{ id: 'scripted', object: 'model' }] }));
      return;
    }
    const body = JSON.parse(said);
    asked.push(body);
    const { say = [], calls = [], hold } = answer(body, asked.length);
    const names = (body.tools ?? []).map((tool) => tool.function.name);
    const of = (tool) => names.find((name) => name.replace(/[._]+/g, '.') === tool.replace(/[._]+/g, '.')) ?? tool;
    response.writeHead(200, SSE);
    const send = (delta, finish_reason = null, usage) => {
      const chunk = { id: 'x', object: 'chat.completion.chunk', created: 1, model: body.model, choices: [{ index: 0, delta, finish_reason }], usage };
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    };
    for (const piece of say) {
      send({ role: 'assistant', content: piece });
      await new Promise((done) => setTimeout(done, 30));
    }
    await hold;
    const tool_calls = calls.map(([tool, args], index) => ({ index, id: `call_${asked.length}_${index}`, type: 'function', function: { name: of(tool), arguments: JSON.stringify(args) } }));
    if (tool_calls.length > 0) send({ role: 'assistant', tool_calls });
    send({}, tool_calls.length > 0 ? 'tool_calls' : 'stop', { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 });
    response.end('data: [DONE]\n\n');
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { asked, url: `http://127.0.0.1:${server.address().port}/v1#scripted` };
}
