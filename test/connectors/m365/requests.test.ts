import { expect, test } from 'vitest'
import { OutlookThreadFetchRequest } from '@apprentice/contracts/connectors/m365/target.ts'
import { M365OperationRequest } from '@apprentice/contracts/connectors/m365/operations.ts'
import { mergeSlots } from '../../../src/knowledge/m365/calendar.ts'
import { chooseSources, findMissingScopes } from '../../../src/knowledge/m365/call-scopes.ts'
import { formatDocumentRef, parseDocumentRef } from '../../../src/knowledge/m365/document-ref.ts'
import { describeReply } from '../../../src/knowledge/m365/graph-fault.ts'
import { formatPath, get, quoteFilter, quoteSearch } from '../../../src/knowledge/m365/graph-request.ts'
import { toHtml } from '../../../src/knowledge/m365/markdown-html.ts'
import { readOperation } from '../../../src/knowledge/m365/operation-request.ts'
import { toTime } from '../../../src/knowledge/m365/values.ts'
import { createCommentReader, createDocumentReader } from '../../../src/knowledge/m365/word-readers.ts'

const CONTEXT = { server_id: 'm365-contoso-1', interaction_mode: 'interactive_user', timeout_ms: 30_000 } as const

test('additional test 38: a target has exactly one of thread and message', () => {
  const parse = (target: unknown) =>
    M365OperationRequest.safeParse({ ...CONTEXT, operation_family: 'outlook_get_thread', target }).success
  expect(parse({ thread_id: 'a' })).toBe(true)
  expect(parse({ message_id: 'a' })).toBe(true)
  for (const target of [
    { thread_id: 'a', message_id: 'b' },
    {},
    undefined,
    { thread_id: '' },
    { thread_id: 'a', more: 1 },
  ]) {
    expect(parse(target)).toBe(false)
  }
})

test('requests have the defaults of the context and refuse unknown fields', () => {
  const request = { server_id: 'm365-contoso-1', operation_family: 'search', query: 'roof' }
  expect(M365OperationRequest.parse(request)).toEqual({
    ...request,
    interaction_mode: 'interactive_user',
    timeout_ms: 30_000,
    schema_version: 1,
    entity_filters: [],
    max_results: 20,
  })
  for (const more of [{ max_results: 101 }, { entity_filters: ['notes'] }, { unknown: 1 }, { timeout_ms: 999 }]) {
    expect(M365OperationRequest.safeParse({ ...request, ...more }).success).toBe(false)
  }
})

test('the thread of an older request must be that of its target', () => {
  const parse = (target: object) => OutlookThreadFetchRequest.safeParse({ target, thread_id: 'a' }).success
  expect([parse({ thread_id: 'a' }), parse({ thread_id: 'b' }), parse({ message_id: 'b' })]).toEqual([
    true,
    false,
    true,
  ])
})

test('older forms of requests are read as the present ones', () => {
  expect(
    readOperation('outlook_mail_search', { query: 'roof', page_size: 7, target: { thread_id: 'a' } }, CONTEXT),
  ).toMatchObject({
    operation: { request: { query: 'roof', max_results: 7 }, narrow_to: { thread_id: 'a' } },
  })
  expect(readOperation('outlook_get_thread', { thread_id: 'a', client_request_id: 'x' }, CONTEXT)).toMatchObject({
    operation: { request: { target: { thread_id: 'a' } } },
  })
  expect(readOperation('outlook_mail_search', { query: 'roof', page_size: 101 }, CONTEXT)).toHaveProperty('issues')
})

test('arguments cannot name another server, and the project of the call is used', () => {
  const project = { ...CONTEXT, project_id: 'roof' }
  expect(readOperation('project_get_latest_document', {}, project)).toMatchObject({
    operation: { request: { project_id: 'roof' } },
  })
  expect(readOperation('project_get_latest_document', {}, CONTEXT)).toHaveProperty('issues')
  const other = readOperation('search', { query: 'x', server_id: 'other-server' }, CONTEXT)
  expect(other).toMatchObject({ operation: { request: { server_id: CONTEXT.server_id } } })
})

test('a reference to a document is not a path', () => {
  const ref = formatDocumentRef({ drive_id: 'b!x-Y_1', item_id: '01AB' })
  expect(parseDocumentRef(ref)).toEqual({ drive_id: 'b!x-Y_1', item_id: '01AB' })
  expect(parseDocumentRef('01AB')).toEqual({ item_id: '01AB' })
  for (const bad of ['a/b', '..', '.', 'm365:a:..', 'm365:a', 'm365::x', 'x:y:z', 'm365:a:b:c', 'a%2Fb', 'a?b', '']) {
    expect(parseDocumentRef(bad), bad).toBeUndefined()
  }
})

test('every segment and value of an address is encoded', () => {
  expect(formatPath(get(['me', 'messages', 'a/b?c=#='], { $search: '"x&y"' }))).toBe(
    '/me/messages/a%2Fb%3Fc%3D%23%3D?$search=%22x%26y%22',
  )
  expect(() => formatPath(get(['me', '..']))).toThrow('Not a segment')
  expect(quoteFilter("o'x")).toBe("'o''x'")
  expect(quoteSearch('say "x" \\')).toBe(String.raw`"say \"x\" \\"`)
})

test('Markdown becomes HTML in which nothing of the text is markup', () => {
  expect(toHtml('# Title\nOne *two* **three**\nfour')).toBe(
    '<h1>Title</h1><p>One <em>two</em> <strong>three</strong><br>four</p>',
  )
  expect(toHtml('1. a\n2. b\n- c')).toBe('<ol><li>a</li><li>b</li></ol><ul><li>c</li></ul>')
  expect(toHtml('<script>"x" & \'y\'</script>')).toBe(
    '<p>&lt;script&gt;&quot;x&quot; &amp; &#39;y&#39;&lt;/script&gt;</p>',
  )
  expect(toHtml('[a](https://x.example/?q=1&r=2) [b](javascript:alert(1))')).toBe(
    '<p><a href="https://x.example/?q=1&amp;r=2">a</a> [b](javascript:alert(1))</p>',
  )
  expect(toHtml('`**x** <b>`')).toBe('<p><code>**x** &lt;b&gt;</code></p>')
})

test('slots cover the window, and the worst state of all people holds', () => {
  const window = { time_min: '2026-03-02T09:00:00Z', time_max: '2026-03-02T10:00:00Z' }
  const at = (minutes: number): number => Date.parse(window.time_min) + minutes * 60_000
  const states = (intervals: Parameters<typeof mergeSlots>[0]) =>
    mergeSlots(intervals, window).map(({ state }) => state)
  expect(states([])).toEqual(['free'])
  expect(
    states([
      { start: at(-60), end: at(90), state: 'unknown' },
      { start: at(15), end: at(30), state: 'tentative' },
    ]),
  ).toEqual(['unknown', 'tentative', 'unknown'])
  expect(
    states([
      { start: at(60), end: at(90), state: 'busy' },
      { start: at(0), end: at(60), state: 'free' },
    ]),
  ).toEqual(['free'])
})

test('times of Graph are UTC if they name no zone', () => {
  expect(toTime('2026-03-02T09:00:00.1234567')).toBe('2026-03-02T09:00:00.123Z')
  expect(toTime('2026-03-02T09:00:00+02:00')).toBe('2026-03-02T07:00:00.000Z')
  expect([toTime('soon'), toTime(null), toTime(undefined)]).toEqual([undefined, undefined, undefined])
})

test.each([
  [404, 'itemNotFound', 'graph_not_found', true],
  [400, 'ErrorInvalidIdMalformed', 'graph_invalid_request', true],
  [403, 'accessDenied', 'graph_forbidden', true],
  [409, 'nameAlreadyExists', 'graph_conflict', true],
  [423, 'resourceLocked', 'graph_locked', true],
  [507, 'quotaLimitReached', 'graph_quota_exceeded', true],
  [418, 'teapot', 'graph_http_418', true],
  [401, 'InvalidAuthenticationToken', 'graph_unauthorized', undefined],
  [429, 'accessDenied', 'graph_throttled', undefined],
  [503, 'serviceNotAvailable', 'graph_unavailable', undefined],
  [500, 'generalException', 'graph_http_500', undefined],
])('a reply with %i and %s is %s', (status, code, reason_code, is_answer) => {
  const body = { error: { code, message: 'Text of the server', innerError: { 'request-id': 'b1e2' } } }
  const facts = describeReply({ status, headers: {}, body }, 0)
  expect(facts).toMatchObject({ reason_code, http_status: status, graph_code: code, request_id: 'b1e2' })
  expect(facts.is_answer).toBe(is_answer)
  expect(JSON.stringify(facts)).not.toContain('Text of the server')
})

test('a pause is in seconds or until a date, and what is not a code is left out', () => {
  const read = (headers: Record<string, string>, body?: unknown) =>
    describeReply({ status: 429, headers, body }, Date.parse('2026-03-01T12:00:00Z'))
  expect(read({ 'retry-after': '12' }).retry_after_ms).toBe(12_000)
  expect(read({ 'retry-after': 'Sun, 01 Mar 2026 12:01:00 GMT' }).retry_after_ms).toBe(60_000)
  expect(read({ 'retry-after': 'later' }).retry_after_ms).toBeUndefined()
  expect(read({}, { error: { code: '<b>x</b>' } }).graph_code).toBeUndefined()
  expect(read({}, 'a page')).toMatchObject({ reason_code: 'graph_throttled' })
})

test('the scope of a message depends on where it goes, and an approved set replaces it', () => {
  const request = {
    ...CONTEXT,
    operation_family: 'teams_post_message',
    target_kind: 'chat',
    target_ref: 'x',
    message_markdown: 'x',
  }
  const chat = M365OperationRequest.parse(request)
  expect(findMissingScopes(chat, ['ChannelMessage.Send'])).toEqual(['Chat.ReadWrite'])
  expect(findMissingScopes(chat, ['https://graph.microsoft.com/chat.readwrite'])).toEqual([])
  expect(findMissingScopes(chat, [], { teams_post_message: ['ChatMessage.Send'] })).toEqual(['ChatMessage.Send'])
})

test('a search asks what the scopes cover', () => {
  expect(chooseSources([], ['Mail.Read'])).toEqual({ sources: ['files', 'sites', 'mail'], missing_scopes: [] })
  expect(chooseSources(['files', 'people'], [])).toEqual({ sources: ['files'], missing_scopes: ['People.Read'] })
})

test('the text and the comments of a document are read in pieces, wherever they are cut', () => {
  const xml = '<w:document><w:p><w:r><w:t>One &amp; two</w:t><w:br/><w:t>three</w:t></w:r></w:p><w:p/></w:document>'
  for (let size = 1; size < xml.length; size += 7) {
    const reader = createDocumentReader()
    for (let at = 0; at < xml.length; at += size) reader.write(xml.slice(at, at + size))
    expect(reader.close()).toBe('One & two\nthree')
  }
  const comments = createCommentReader()
  comments.write(
    `<w:comments><w:comment w:id="7" w:author="${'A'.repeat(300)}"><w:t>${'x'.repeat(900)}</w:t></w:comment></w:comments>`,
  )
  expect(comments.close()).toEqual([
    { comment_id: '7', author: 'A'.repeat(240), created_at: undefined, preview: 'x'.repeat(500) },
  ])
  expect(() => createDocumentReader().write('<!DOCTYPE x [<!ENTITY a "b">]><w:t>&a;</w:t>')).toThrow('undefined entity')
})
