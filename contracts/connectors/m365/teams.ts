import { z } from 'zod'
import { M365Ref } from '../m365-families.ts'

const TargetKind = z.enum(['channel', 'chat'])

export const PostMessageFields = {
  target_kind: TargetKind,
  target_ref: M365Ref.describe('The id of a chat, or of a team and a channel: <team_id>/<channel_id>'),
  message_markdown: z.string().min(1).max(20_000),
}

export const PostMessageResult = z.object({
  operation_family: z.literal('teams_post_message'),
  message_id: M365Ref,
  target_kind: TargetKind,
  target_ref: M365Ref,
})

export const ChannelContextFields = {
  team_id: M365Ref,
  channel_id: M365Ref,
  include_recent_messages: z.boolean().default(false),
}

export const ChannelContextResult = z.object({
  operation_family: z.literal('teams_get_channel_context'),
  team_id: M365Ref,
  channel_id: M365Ref,
  channel_name: z.string().max(240).optional(),
  recent_message_count: z.int().min(0).default(0),
})
