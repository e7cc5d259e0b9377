import type { OutlookTarget } from '@apprentice/contracts/connectors/m365/target.ts'
import {
  createReplyRequest,
  getMessageRequest,
  listThreadRequest,
  LONGEST_THREAD,
  Message,
  readMessages,
  searchMailRequest,
  sortThread,
  toFoundMessages,
  updateDraftRequest,
} from '../../../knowledge/m365/mail.ts'
import { clip } from '../../../knowledge/m365/values.ts'
import { GraphFault, invalid, read } from '../graph-client.ts'
import type { Operation, OperationDeps } from './operation.ts'

type Graph = Pick<OperationDeps, 'graph'>

export const searchMail: Operation<'outlook_mail_search'> = async (request, deps) => {
  const { graph, narrow_to } = deps
  const { max_results } = request
  const threadId = narrow_to === undefined ? undefined : await findThreadId(narrow_to, deps)
  // A search cannot be combined with a filter, so the thread is chosen here.
  const { items } = await graph.list(searchMailRequest(request), threadId === undefined ? max_results : LONGEST_THREAD)
  const found = readMessages(items).filter(
    ({ conversationId }) => threadId === undefined || conversationId === threadId,
  )
  return { result: { operation_family: 'outlook_mail_search', messages: toFoundMessages(found, max_results) } }
}

async function getMessage(id: string, { graph }: Graph): Promise<Message> {
  return read(Message, await graph.send(getMessageRequest(id)))
}

async function findThreadId(target: OutlookTarget, deps: Graph): Promise<string> {
  if ('thread_id' in target) return target.thread_id
  const { conversationId } = await getMessage(target.message_id, deps)
  if (conversationId === undefined || conversationId === null) throw invalid()
  return conversationId
}

async function listThread(threadId: string, { graph }: Graph): Promise<Message[]> {
  const { items } = await graph.list(listThreadRequest(threadId), LONGEST_THREAD)
  const messages = sortThread(readMessages(items))
  if (messages.length === 0) throw unknownThread()
  return messages
}

export const getThread: Operation<'outlook_get_thread'> = async ({ target }, deps) => {
  const threadId = await findThreadId(target, deps)
  const messages = await listThread(threadId, deps)
  const message_ids = messages.map(({ id }) => id)
  return { result: { operation_family: 'outlook_get_thread', thread_id: clip(threadId), message_ids } }
}

/** A target that is a draft is changed. Else a new draft answers it. */
export const draftReply: Operation<'outlook_draft_reply'> = async (request, deps) => {
  const answered = await findAnswered(request.target, deps)
  const isDraft = answered.isDraft === true
  const change = isDraft ? updateDraftRequest(answered.id, request) : createReplyRequest(answered.id, request)
  const draft = read(Message, await deps.graph.send(change))
  return {
    result: {
      operation_family: 'outlook_draft_reply',
      draft_id: draft.id,
      thread_id: clip(draft.conversationId ?? answered.conversationId) || undefined,
      status: isDraft ? 'draft_updated' : 'draft_created',
    },
  }
}

/** The message, or the last one of the thread that was sent. */
async function findAnswered(target: OutlookTarget, deps: Graph): Promise<Message> {
  if ('message_id' in target) return getMessage(target.message_id, deps)
  const last = (await listThread(target.thread_id, deps)).findLast(({ isDraft }) => isDraft !== true)
  if (last === undefined) throw unknownThread()
  return last
}

const unknownThread = (): GraphFault =>
  new GraphFault({ reason_code: 'graph_not_found', message: 'The thread has no messages.', is_answer: true })
