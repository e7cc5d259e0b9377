import { z } from 'zod'
import { READ_CHANNEL_MESSAGES } from '../../../knowledge/m365/call-scopes.ts'
import { hasScope } from '../../../knowledge/m365/scope-table.ts'
import {
  getChannelRequest,
  listChannelMessagesRequest,
  postMessageRequest,
  RECENT_MESSAGES,
} from '../../../knowledge/m365/teams.ts'
import { clip, Id, Text } from '../../../knowledge/m365/values.ts'
import { read } from '../graph-client.ts'
import { type Operation, refuseRequest } from './operation.ts'

const Posted = z.object({ id: Id })
const Channel = z.object({ displayName: Text })
const Messages = z.object({ value: z.array(z.unknown()) })

export const postMessage: Operation<'teams_post_message'> = async (request, { graph }) => {
  const { target_kind, target_ref, message_markdown } = request
  const asked = postMessageRequest(request, message_markdown)
  if (asked === undefined) throw refuseRequest('target_ref', `it does not name a ${target_kind}`)
  const { id } = read(Posted, await graph.send(asked))
  return { result: { operation_family: 'teams_post_message', message_id: id, target_kind, target_ref } }
}

export const getChannelContext: Operation<'teams_get_channel_context'> = async (request, deps) => {
  const { graph, granted_scopes } = deps
  const { team_id, channel_id, include_recent_messages } = request
  const mayRead = hasScope(granted_scopes, READ_CHANNEL_MESSAGES)
  const channel = getChannelRequest(team_id, channel_id)
  const isCounted = include_recent_messages && mayRead
  const bodies = isCounted
    ? (await graph.batch([channel, listChannelMessagesRequest(team_id, channel_id)])).map((one) => graph.readReply(one))
    : [await graph.send(channel)]
  const { displayName } = read(Channel, bodies[0])
  const recent = isCounted ? read(Messages, bodies[1]).value.length : 0
  return {
    result: {
      operation_family: 'teams_get_channel_context',
      team_id,
      channel_id,
      channel_name: clip(displayName) || undefined,
      recent_message_count: Math.min(recent, RECENT_MESSAGES),
    },
    missing_scopes: include_recent_messages && !mayRead ? [READ_CHANNEL_MESSAGES] : [],
  }
}
