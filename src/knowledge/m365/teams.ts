import { get, type GraphRequest, post } from './graph-request.ts'
import { toHtml } from './markdown-html.ts'

export const RECENT_MESSAGES = 20

/** The channel or chat that a reference names. Undefined if it names none. */
export function postMessageRequest(
  { target_kind, target_ref }: { readonly target_kind: 'channel' | 'chat'; readonly target_ref: string },
  markdown: string,
): GraphRequest | undefined {
  const place = target_kind === 'chat' ? listChatSegments(target_ref) : listChannelSegments(target_ref)
  if (place === undefined) return undefined
  return post([...place, 'messages'], { body: { contentType: 'html', content: toHtml(markdown) } })
}

const ID = /^[A-Za-z0-9@:._=-]{2,200}$/

const listChatSegments = (ref: string): string[] | undefined => (isId(ref) ? ['chats', ref] : undefined)

function listChannelSegments(ref: string): string[] | undefined {
  const [team = '', channel = '', ...rest] = ref.split('/')
  return rest.length === 0 && isId(team) && isId(channel) ? ['teams', team, 'channels', channel] : undefined
}

const isId = (text: string): boolean => ID.test(text) && !/^\.+$/.test(text)

export const getChannelRequest = (teamId: string, channelId: string): GraphRequest =>
  get(['teams', teamId, 'channels', channelId], { $select: 'id,displayName' })

export const listChannelMessagesRequest = (teamId: string, channelId: string): GraphRequest =>
  get(['teams', teamId, 'channels', channelId, 'messages'], { $top: String(RECENT_MESSAGES) })
