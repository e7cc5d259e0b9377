import { fail, type GraphCall, type GraphRoute, ok } from './graph-reply.ts'
import type { TeamsMessage } from './graph-state.ts'

function postTo(messages: TeamsMessage[] | undefined, { body }: GraphCall) {
  if (messages === undefined) return fail(404, 'NotFound')
  const message = { id: String(messages.length + 1), body: body['body'] as TeamsMessage['body'] }
  messages.push(message)
  return ok(message, 201)
}

const findChannel = ({ parts, state }: GraphCall) => state.channels[`${parts[0]}/${parts[1]}`]

export const teamsRoutes: readonly GraphRoute[] = [
  {
    method: 'GET',
    path: /^\/teams\/([^/]+)\/channels\/([^/]+)$/,
    scopes: ['Channel.ReadBasic.All'],
    handle: (call) => {
      const found = findChannel(call)
      return found === undefined ? fail(404, 'NotFound') : ok({ id: call.parts[1], displayName: found.displayName })
    },
  },
  {
    method: 'GET',
    path: /^\/teams\/([^/]+)\/channels\/([^/]+)\/messages$/,
    scopes: ['ChannelMessage.Read.All'],
    handle: (call) => {
      const found = findChannel(call)
      return found === undefined ? fail(404, 'NotFound') : ok({ value: found.messages })
    },
  },
  {
    method: 'POST',
    path: /^\/teams\/([^/]+)\/channels\/([^/]+)\/messages$/,
    scopes: ['ChannelMessage.Send'],
    handle: (call) => postTo(findChannel(call)?.messages, call),
  },
  {
    method: 'POST',
    path: /^\/chats\/([^/]+)\/messages$/,
    scopes: ['Chat.ReadWrite', 'ChatMessage.Send'],
    handle: (call) => postTo(call.state.chats[call.parts[0] ?? ''], call),
  },
]
