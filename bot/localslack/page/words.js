// The page's own words, by the acting person's language. What the app says comes from the app.

const en = {
  channels: 'Channels', dms: 'Direct messages', actAs: 'You act as', guest: 'guest', stranger: 'other organisation',
  app: 'APP', edited: 'edited', only: 'Only visible to you', replies: (n) => (n === 1 ? '1 reply' : `${n} replies`),
  thread: 'Thread', reply: 'Reply in thread', replyTo: 'Reply…', close: 'Close', cancel: 'Cancel', send: 'Send', menu: 'Channels and people',
  more: 'More actions', optional: 'optional', required: 'Please fill this in.', choose: 'Choose…', today: 'Today', yesterday: 'Yesterday',
  message: (n) => `Message ${n}`, help: 'Enter sends · Shift+Enter makes a new line · type / for commands', helpShort: 'Type / for commands',
  skip: 'Skip to the message box', empty: 'Nothing here yet. Type a command below, for example', archived: 'This channel is archived.',
  on: 'gpuspend is connected', off: 'gpuspend is not connected', lost: 'The page lost its connection and tries again.',
  timeout: 'gpuspend did not answer in time.', absent: 'gpuspend is not connected, so nobody heard this.',
  trouble: 'gpuspend answered with something that cannot be shown.', modalTrouble: 'gpuspend had trouble with this. Try again.',
  slack: 'Notice', unread: (n) => `${n} unread`, newer: 'New messages', home: 'Home', messages: 'Messages', working: 'Working…',
  image: 'Image', hints: 'Commands', sendBusy: 'Sending…',
};

const zh = {
  channels: '频道', dms: '私信', actAs: '当前身份', guest: '访客', stranger: '外部组织',
  app: '应用', edited: '已编辑', only: '仅你可见', replies: (n) => `${n} 条回复`,
  thread: '消息列', reply: '在消息列中回复', replyTo: '回复…', close: '关闭', cancel: '取消', send: '发送', menu: '频道和成员',
  more: '更多操作', optional: '可不填', required: '这一项要填。', choose: '请选择…', today: '今天', yesterday: '昨天',
  message: (n) => `发消息到 ${n}`, help: 'Enter 发送 · Shift+Enter 换行 · 输入 / 查看命令', helpShort: '输入 / 查看命令',
  skip: '跳到输入框', empty: '这里还没有消息。在下面输入命令，例如', archived: '这个频道已归档。',
  on: 'gpuspend 已连接', off: 'gpuspend 未连接', lost: '页面连接断开，正在重试。',
  timeout: 'gpuspend 没有及时回应。', absent: 'gpuspend 没有连接，这条命令没有人收到。',
  trouble: 'gpuspend 的回应无法显示。', modalTrouble: 'gpuspend 处理时出了问题，请重试。',
  slack: '提示', unread: (n) => `${n} 条未读`, newer: '有新消息', home: '主页', messages: '消息', working: '处理中…',
  image: '图片', hints: '命令', sendBusy: '发送中…',
};

// words gives the table for a locale such as zh-CN.
export function words(locale) {
  return (locale || '').toLowerCase().startsWith('zh') ? zh : en;
}
