import { z } from 'zod'
import type { M365OperationResult, M365Request } from '@apprentice/contracts/connectors/m365/operations.ts'
import { get, type GraphRequest, patch, post, quoteFilter, quoteSearch } from './graph-request.ts'
import { toHtml } from './markdown-html.ts'
import { clip, Id, readItems, Text, toTime } from './values.ts'

type Found = Extract<M365OperationResult, { operation_family: 'outlook_mail_search' }>['messages'][number]

export const Message = z.object({
  id: Id,
  subject: Text,
  conversationId: Text,
  isDraft: z.boolean().nullish(),
  receivedDateTime: Text,
  from: z.looseObject({ emailAddress: z.looseObject({ address: Text, name: Text }).nullish() }).nullish(),
})
export type Message = z.infer<typeof Message>

const SELECTED = 'id,subject,conversationId,isDraft,receivedDateTime,from'
/** A thread has at most so many messages here. */
export const LONGEST_THREAD = 500
const PAGE = '100'

export const searchMailRequest = ({
  query,
  folder,
  max_results,
}: Pick<M365Request<'outlook_mail_search'>, 'query' | 'folder' | 'max_results'>): GraphRequest =>
  get([...(folder === undefined ? ['me'] : ['me', 'mailFolders', folder]), 'messages'], {
    $search: quoteSearch(query),
    $select: SELECTED,
    $top: String(max_results),
  })

export const toFoundMessages = (messages: readonly Message[], max: number): Found[] =>
  messages.slice(0, max).map(({ id, subject, from, receivedDateTime }) => ({
    message_id: id,
    subject: clip(subject),
    from: clip(from?.emailAddress?.address ?? from?.emailAddress?.name) || undefined,
    received_at: toTime(receivedDateTime),
  }))

export const readMessages = (items: readonly unknown[]): Message[] => readItems(Message, items)

export const getMessageRequest = (messageId: string): GraphRequest =>
  get(['me', 'messages', messageId], { $select: SELECTED })

/** The messages of a thread. Graph cannot sort them together with this filter. */
export const listThreadRequest = (threadId: string): GraphRequest =>
  get(['me', 'messages'], { $filter: `conversationId eq ${quoteFilter(threadId)}`, $select: SELECTED, $top: PAGE })

export const sortThread = (messages: readonly Message[]): Message[] =>
  messages.toSorted((a, b) => (toTime(a.receivedDateTime) ?? '').localeCompare(toTime(b.receivedDateTime) ?? ''))

type Reply = Pick<M365Request<'outlook_draft_reply'>, 'body_markdown' | 'subject_override'>

const toDraft = ({ body_markdown, subject_override }: Reply) => ({
  body: { contentType: 'html', content: toHtml(body_markdown) },
  ...(subject_override === undefined ? {} : { subject: subject_override }),
})

export const createReplyRequest = (messageId: string, reply: Reply): GraphRequest =>
  post(['me', 'messages', messageId, 'createReply'], { message: toDraft(reply) })

export const updateDraftRequest = (draftId: string, reply: Reply): GraphRequest =>
  patch(['me', 'messages', draftId], toDraft(reply))
