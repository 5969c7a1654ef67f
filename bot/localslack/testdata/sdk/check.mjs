// Slack's own Node SDK against a local workspace: connect, take a slash command, acknowledge it, post, open a modal,
// take its submit. Exits 0 when everything went as with Slack.
//
//   GPUSPEND_SLACK=http://127.0.0.1:PORT node check.mjs
//
// The workspace must accept the tokens below and know the user and channel below.
import { createRequire } from 'node:module';

// The SDK is looked for where this is started, so that the script can stay in the repository without node_modules.
const require = createRequire(process.cwd() + '/package.json');
const { SocketModeClient } = require('@slack/socket-mode');
const { WebClient } = require('@slack/web-api');

const base = process.env.GPUSPEND_SLACK;
if (!base) {
  console.error('GPUSPEND_SLACK must hold the base URL of the workspace');
  process.exit(2);
}
const botToken = process.env.SLACK_BOT_TOKEN ?? 'xoxb-test';
const appToken = process.env.SLACK_APP_TOKEN ?? 'xapp-test';
const user = process.env.SLACK_USER ?? 'U0LIN';
const channel = process.env.SLACK_CHANNEL ?? 'C0OPS';

const clientOptions = { slackApiUrl: `${base}/api/`, retryConfig: { retries: 0 } };
const web = new WebClient(botToken, clientOptions);
const socket = new SocketModeClient({ appToken, clientOptions });

const deadline = setTimeout(() => fail(new Error('nothing happened for 15 s')), 15_000);

function fail(err) {
  console.error(err);
  process.exit(1);
}

function check(ok, what) {
  if (!ok) throw new Error(what);
}

// act does what a person does, through the page's own door.
async function act(what, body) {
  const r = await fetch(`${base}/local/${what}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Local': '1' },
    body: JSON.stringify({ user, channel, ...body }),
  });
  const a = await r.json();
  check(a.ok, `${what}: ${a.error}`);
  return a.reply;
}

const commands = [];
const submits = [];

socket.on('slash_commands', async ({ ack, body }) => {
  try {
    await ack();
    commands.push(body);
    await web.chat.postMessage({
      channel: body.channel_id,
      text: 'as of now',
      blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '*as of now*' } }],
    });
    await web.views.open({
      trigger_id: body.trigger_id,
      view: {
        type: 'modal',
        callback_id: 'sdk',
        title: { type: 'plain_text', text: 'From the SDK' },
        submit: { type: 'plain_text', text: 'Go' },
        blocks: [
          {
            type: 'input',
            block_id: 'name',
            label: { type: 'plain_text', text: 'Name' },
            element: { type: 'plain_text_input', action_id: 'name' },
          },
        ],
      },
    });
  } catch (err) {
    fail(err);
  }
});

socket.on('interactive', async ({ ack, body }) => {
  try {
    submits.push(body);
    await ack(submits.length === 1 ? { response_action: 'errors', errors: { name: 'Another name.' } } : undefined);
  } catch (err) {
    fail(err);
  }
});

try {
  const who = await web.auth.test();
  check(who.user_id && who.bot_id, 'auth.test names no bot');
  await socket.start();
  await act('command', { text: '/gpu status' });
  let state;
  for (let i = 0; i < 100 && !state?.views?.length; i++) {
    state = await (await fetch(`${base}/local/state?user=${user}`)).json();
    await new Promise((r) => setTimeout(r, 50));
  }
  check(commands[0]?.command === '/gpu' && commands[0]?.text === 'status', 'the command arrived wrongly');
  const view = state.views[0];
  check(view?.callback_id === 'sdk', 'no modal is open');
  const first = await act('submit', { view: view.id, values: { name: { name: 'x' } } });
  check(first.action === 'errors' && first.errors.name === 'Another name.', 'the refusal did not come back');
  const second = await act('submit', { view: view.id, values: { name: { name: 'y' } } });
  check(second.action === '', 'the modal did not close');
  check(submits[1].view.state.values.name.name.value === 'y', 'the value arrived wrongly');
  const said = await web.conversations.history({ channel });
  check(said.messages.some((m) => m.text === 'as of now'), 'the message is not in the history');
  await web.chat.postMessage({ channel, text: 'x', blocks: [{ type: 'blink' }] }).then(
    () => check(false, 'an unknown block was accepted'),
    (err) => check(err.data?.error === 'invalid_blocks', `want invalid_blocks, got ${err}`),
  );
  await socket.disconnect();
  clearTimeout(deadline);
  console.log('ok');
  process.exit(0);
} catch (err) {
  fail(err);
}
