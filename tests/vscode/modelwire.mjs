// How a scripted model writes an answer over each interface: `written[api]({ say, calls, number, model, tokens })` gives the
// pieces of the stream. Calls are `[name, arguments]`, by the name that they were offered under.

const event = (value) => `data: ${JSON.stringify(value)}\n\n`;
const typed = (value) => `event: ${value.type}\n${event(value)}`;
const id = (number, index) => `call_${number}_${index}`;

export const PATHS = { chat: '/v1/chat/completions', responses: '/v1/responses', messages: '/v1/messages', ollama: '/api/chat' };

export const written = {
  chat({ say, calls, number, model, tokens }) {
    const chunk = (delta, finish_reason = null, usage) => event({ id: 'x', object: 'chat.completion.chunk', created: 1, model, choices: [{ index: 0, delta, finish_reason }], usage });
    const tool_calls = calls.map(([name, args], index) => ({ index, id: id(number, index), type: 'function', function: { name, arguments: JSON.stringify(args) } }));
    const usage = { prompt_tokens: tokens, completion_tokens: 10, total_tokens: tokens + 10 };
    const end = chunk({}, tool_calls.length > 0 ? 'tool_calls' : 'stop', usage);
    return [...say.map((content) => chunk({ role: 'assistant', content })), chunk({ role: 'assistant', tool_calls }), `${end}data: [DONE]\n\n`];
  },

  responses({ say, calls, number, model, tokens }) {
    const item = ([name, args], index) => ({ type: 'function_call', id: `fc_${id(number, index)}`, call_id: id(number, index), name, arguments: JSON.stringify(args), status: 'completed' });
    return [
      typed({ type: 'response.created', response: { model } }),
      ...say.map((delta) => typed({ type: 'response.output_text.delta', output_index: 0, delta })),
      ...calls.map((call, index) => typed({ type: 'response.output_item.done', output_index: index, item: item(call, index) })),
      typed({ type: 'response.completed', response: { usage: { input_tokens: tokens, output_tokens: 10 } } }),
    ];
  },

  messages({ say, calls, number, model, tokens }) {
    const block = (index, content_block, delta) => [
      typed({ type: 'content_block_start', index, content_block }),
      typed({ type: 'content_block_delta', index, delta }),
      typed({ type: 'content_block_stop', index }),
    ].join('');
    const texts = say.map((text, index) => block(index, { type: 'text', text: '' }, { type: 'text_delta', text }));
    const uses = calls.map(([name, args], index) =>
      block(say.length + index, { type: 'tool_use', id: id(number, index), name, input: {} }, { type: 'input_json_delta', partial_json: JSON.stringify(args) }),
    );
    const end = { type: 'message_delta', delta: { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn' }, usage: { output_tokens: 10 } };
    return [typed({ type: 'message_start', message: { model, usage: { input_tokens: tokens, output_tokens: 1 } } }), ...texts, ...uses, typed(end), typed({ type: 'message_stop' })];
  },

  ollama({ say, calls, model, tokens }) {
    const line = (value) => `${JSON.stringify({ model, ...value })}\n`;
    const tool_calls = calls.map(([name, args]) => ({ function: { name, arguments: args } }));
    const message = (content, more = {}) => line({ message: { role: 'assistant', content, ...more }, done: false });
    return [...say.map((content) => message(content)), message('', { tool_calls }), line({ done: true, done_reason: 'stop', prompt_eval_count: tokens, eval_count: 10 })];
  },
};
