import { fail, type GraphCall, type GraphRoute, ok, page } from './graph-reply.ts'
import type { GraphMessage } from './graph-state.ts'

const READ = ['Mail.Read', 'Mail.ReadWrite']
const PAGE_SIZE = 2

const toMessage = ({ folder: _f, from, body: _b, ...message }: GraphMessage) => ({
  ...message,
  from: { emailAddress: { address: from, name: from } },
})

function listMessages(call: GraphCall, folder: string | undefined) {
  const { query, state } = call
  const [search, filter] = [query.get('$search'), query.get('$filter')]
  if (search !== null && filter !== null) return fail(400, 'ErrorInvalidUrlQuery')
  const phrase = /^"((?:[^"\\]|\\.)*)"$/.exec(search ?? '""')?.[1]?.replaceAll(/\\(.)/g, '$1')
  if (phrase === undefined) return fail(400, 'ErrorInvalidUrlQuery')
  const thread = /^conversationId eq '((?:[^']|'')*)'$/.exec(filter ?? '')?.[1]?.replaceAll("''", "'")
  const found = state.messages
    .filter((one) => folder === undefined || one.folder === folder)
    .filter(({ subject }) => subject.toLowerCase().includes(phrase.toLowerCase()))
    .filter(({ conversationId }) => filter === null || conversationId === thread)
  return page(call, found.map(toMessage), PAGE_SIZE)
}

const findMessage = ({ state, parts }: GraphCall) => state.messages.find(({ id }) => id === parts[0])

export const mailRoutes: readonly GraphRoute[] = [
  { method: 'GET', path: /^\/me\/messages$/, scopes: READ, handle: (call) => listMessages(call, undefined) },
  {
    method: 'GET',
    path: /^\/me\/mailFolders\/([^/]+)\/messages$/,
    scopes: READ,
    handle: (call) => listMessages(call, call.parts[0]),
  },
  {
    method: 'GET',
    path: /^\/me\/messages\/([^/]+)$/,
    scopes: READ,
    handle: (call) => {
      const found = findMessage(call)
      return found === undefined ? fail(404, 'ErrorItemNotFound') : ok(toMessage(found))
    },
  },
  {
    method: 'POST',
    path: /^\/me\/messages\/([^/]+)\/createReply$/,
    scopes: ['Mail.ReadWrite'],
    handle: (call) => {
      const answered = findMessage(call)
      if (answered === undefined) return fail(404, 'ErrorItemNotFound')
      const { message = {}, comment } = call.body as { message?: Partial<GraphMessage>; comment?: string }
      if (message.body !== undefined && comment !== undefined) return fail(400, 'ErrorInvalidRequest')
      const draft: GraphMessage = {
        ...answered,
        subject: `Re: ${answered.subject}`,
        ...message,
        id: `draft-${call.state.messages.length}`,
        folder: 'drafts',
        isDraft: true,
      }
      call.state.messages.push(draft)
      return ok(toMessage(draft), 201)
    },
  },
  {
    method: 'PATCH',
    path: /^\/me\/messages\/([^/]+)$/,
    scopes: ['Mail.ReadWrite'],
    handle: (call) => {
      const found = findMessage(call)
      if (found === undefined) return fail(404, 'ErrorItemNotFound')
      Object.assign(found, call.body)
      return ok(toMessage(found))
    },
  },
]
