import { expect, test } from 'vitest'
import { readCode } from '../connector-kit.ts'
import { CHANNEL } from './graph-state.ts'
import {
  addServer,
  ALL_SCOPES,
  approveFamily,
  askFamily,
  callFamily,
  readFamily,
  shareM365,
  signInTo,
  startM365,
} from './m365-kit.ts'

const shared = shareM365()
const CHAT = '19:chat@unq.gbl.spaces'
const [team_id = '', channel_id = ''] = CHANNEL.split('/')

test('teams_post_message posts to a channel and to a chat once each, after approval', async () => {
  const server = shared()
  const { channels, chats } = server.graph.state
  const before = channels[CHANNEL]?.messages.length ?? 0
  const post = { target_kind: 'channel', target_ref: CHANNEL, message_markdown: 'Hello `all`' }
  const id = await askFamily(server, 'teams_post_message', post)
  expect(channels[CHANNEL]?.messages).toHaveLength(before)
  expect((await approveFamily(server, id)).result).toEqual({
    operation_family: 'teams_post_message',
    message_id: String(before + 1),
    target_kind: 'channel',
    target_ref: CHANNEL,
  })
  expect(channels[CHANNEL]?.messages.slice(before)).toMatchObject([
    { body: { contentType: 'html', content: '<p>Hello <code>all</code></p>' } },
  ])
  const chat = { target_kind: 'chat', target_ref: CHAT, message_markdown: 'Hi' }
  await approveFamily(server, await askFamily(server, 'teams_post_message', chat))
  expect(chats[CHAT]).toHaveLength(1)
  expect(channels[CHANNEL]?.messages).toHaveLength(before + 1)
})

test('teams_get_channel_context names a channel, and counts its recent messages if asked', async () => {
  const server = shared()
  const plain = await readFamily(server, 'teams_get_channel_context', { team_id, channel_id })
  expect(plain.result).toMatchObject({ channel_name: 'General', recent_message_count: 0 })
  server.graph.requests.length = 0
  const given = { team_id, channel_id, include_recent_messages: true }
  const { status, result } = await readFamily(server, 'teams_get_channel_context', given)
  expect(status).toBe('ok')
  expect(result).toMatchObject({ recent_message_count: server.graph.state.channels[CHANNEL]?.messages.length })
  expect(server.graph.requests[0]).toBe('POST /$batch')
})

test('without the scope for messages the context is degraded and names the scope', async () => {
  const kit = await startM365()
  const scopes = ALL_SCOPES.filter((scope) => scope !== 'ChannelMessage.Read.All' && scope !== 'Chat.ReadWrite')
  const server = await addServer(kit, { profile: { scopes } })
  await signInTo(server)
  const given = { team_id, channel_id, include_recent_messages: true }
  expect(await readFamily(server, 'teams_get_channel_context', given)).toMatchObject({
    status: 'degraded',
    missing_scopes: ['ChannelMessage.Read.All'],
    result: { channel_name: 'General', recent_message_count: 0 },
  })
})

test('additional test 40: a server with the scope of channels posts to channels, and not to chats', async () => {
  const kit = await startM365()
  const scopes = ['openid', 'ChannelMessage.Send']
  const server = await addServer(kit, { profile: { scopes }, server: { supported_tools: ['teams_post_message'] } })
  await signInTo(server)
  const chat = { target_kind: 'chat', target_ref: CHAT, message_markdown: 'Hi' }
  const reply = await callFamily(server, 'teams_post_message', chat)
  expect([reply.statusCode, readCode(reply)]).toEqual([400, 'M365_SCOPE_MISSING'])
  expect(reply.json()).toMatchObject({
    error: {
      details: { missing_scopes: ['Chat.ReadWrite'], granted_scopes: expect.arrayContaining(['ChannelMessage.Send']) },
    },
  })
  const channel = { ...chat, target_kind: 'channel', target_ref: CHANNEL }
  await approveFamily(server, await askFamily(server, 'teams_post_message', channel))
  expect(kit.graph.state.chats[CHAT]).toEqual([])
})

test.each([
  ['channel', 'team-1'],
  ['channel', 'team-1/../x'],
  ['chat', '../me/messages'],
])('the %s reference %s is refused and nothing is posted', async (target_kind, target_ref) => {
  const server = shared()
  const given = { target_kind, target_ref, message_markdown: 'Hi' }
  const id = await askFamily(server, 'teams_post_message', given)
  server.graph.requests.length = 0
  await server.daemon.post(`/api/mcp/ask-first/${id}/approve`, { decision: 'approve_once' })
  await expect
    .poll(async () => (await server.daemon.get(`/api/capabilities/connectors/calls/${id}`)).json<object>())
    .toMatchObject({ status: 'failed', error_code: 'graph_invalid_request' })
  expect(server.graph.requests).toEqual([])
})
