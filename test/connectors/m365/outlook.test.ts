import { expect, test } from 'vitest'
import type { ConnectorCall } from '@apprentice/contracts/connectors/dispatch.ts'
import { approve, decide, readCall, waitForEnd } from '../call-kit.ts'
import { askFamily, approveFamily, callFamily, readFamily, shareM365 } from './m365-kit.ts'

const shared = shareM365()
const DAY = { time_min: '2026-03-02T09:00:00Z', time_max: '2026-03-02T11:00:00Z' }

test('outlook_mail_search follows pages up to its maximum, and searches a folder if it is named', async () => {
  const server = shared()
  const { result } = await readFamily(server, 'outlook_mail_search', { query: 'roof', max_results: 3 })
  expect(result).toMatchObject({
    messages: [
      {
        message_id: 'msg-1',
        subject: 'Roof offer',
        from: 'ben@contoso.example',
        received_at: '2026-02-01T10:00:00.000Z',
      },
      { message_id: 'msg-3' },
      { message_id: 'msg-2', from: 'cleo@contoso.example' },
    ],
  })
  const archived = await readFamily(server, 'outlook_mail_search', { query: 'roof', folder: 'archive' })
  expect(archived.result).toMatchObject({ messages: [{ message_id: 'msg-4' }] })
  const quoted = await readFamily(server, 'outlook_mail_search', { query: 'say "roof" \\' })
  expect(quoted.result).toMatchObject({ messages: [] })
})

test('the older form of a mail search narrows it to the thread of its target', async () => {
  const server = shared()
  const search = async (target: object) =>
    (await readFamily(server, 'outlook_mail_search', { query: 'roof', page_size: 10, target })).result
  const party = { messages: [{ message_id: 'msg-4' }] }
  expect(await search({ message_id: 'msg-4' })).toMatchObject(party)
  expect(await search({ thread_id: "thread-o'party" })).toMatchObject(party)
})

test('outlook_get_thread lists the messages of a thread oldest first, by thread or by message', async () => {
  const server = shared()
  const thread = { thread_id: 'thread-roof', message_ids: ['msg-1', 'msg-2', 'msg-3'] }
  for (const given of [
    { target: { thread_id: 'thread-roof' } },
    { target: { message_id: 'msg-2' } },
    { thread_id: 'thread-roof' },
  ]) {
    expect((await readFamily(server, 'outlook_get_thread', given)).result).toMatchObject(thread)
  }
  const unknown = await callFamily(server, 'outlook_get_thread', { target: { thread_id: 'thread-x' } })
  expect(unknown.json()).toMatchObject({ error_code: 'graph_not_found' })
})

test('outlook_draft_reply writes nothing before it is approved, then answers the last message of the thread', async () => {
  const server = shared()
  const { messages } = server.graph.state
  const before = messages.length
  const given = { target: { thread_id: 'thread-roof' }, body_markdown: 'Hello **Ben**,\n\n- <one>\n- two' }
  const id = await askFamily(server, 'outlook_draft_reply', given)
  expect(messages).toHaveLength(before)
  const { result } = await approveFamily(server, id)
  expect(result).toMatchObject({ thread_id: 'thread-roof', status: 'draft_created' })
  expect(messages.slice(before)).toMatchObject([
    {
      id: (result as { draft_id: string }).draft_id,
      subject: 'Re: Re: Roof offer',
      isDraft: true,
      body: {
        contentType: 'html',
        content: '<p>Hello <strong>Ben</strong>,</p><ul><li>&lt;one&gt;</li><li>two</li></ul>',
      },
    },
  ])
})

test('a reply to a draft changes the draft', async () => {
  const server = shared()
  const { messages } = server.graph.state
  const make = async (given: object) =>
    (await approveFamily(server, await askFamily(server, 'outlook_draft_reply', given))).result
  const first = await make({ target: { message_id: 'msg-1' }, body_markdown: 'One' })
  const { draft_id } = first as { draft_id: string }
  const before = messages.length
  const again = { target: { message_id: draft_id }, body_markdown: 'Two', subject_override: 'Better' }
  expect(await make(again)).toMatchObject({ draft_id, status: 'draft_updated' })
  expect(messages).toHaveLength(before)
  expect(messages.find(({ id }) => id === draft_id)).toMatchObject({
    subject: 'Better',
    body: { content: '<p>Two</p>' },
  })
})

test('a denied reply is never written', async () => {
  const server = shared()
  const before = [...server.graph.state.messages]
  server.graph.requests.length = 0
  const id = await askFamily(server, 'outlook_draft_reply', { target: { message_id: 'msg-1' }, body_markdown: 'No' })
  await decide(server.daemon, id, 'deny')
  expect(await waitForEnd(server.daemon, id)).toMatchObject({ status: 'denied' })
  expect(server.graph.state.messages).toEqual(before)
  expect(server.graph.requests).toEqual([])
})

test('calendar_check_availability merges the views of people, and unknown people make slots unknown', async () => {
  const server = shared()
  const check = async (given: object) =>
    (await readFamily(server, 'calendar_check_availability', { ...DAY, ...given })).result
  const time = (clock: string) => `2026-03-02T${clock}:00.000Z`
  expect(await check({ attendee_emails: ['ben@contoso.example', 'cleo@contoso.example'] })).toEqual({
    operation_family: 'calendar_check_availability',
    slots: [
      { start_time: time('09:00'), end_time: time('09:30'), state: 'free' },
      { start_time: time('09:30'), end_time: time('10:15'), state: 'busy' },
      { start_time: time('10:15'), end_time: time('10:30'), state: 'tentative' },
      { start_time: time('10:30'), end_time: time('11:00'), state: 'free' },
    ],
  })
  const longer = await check({ attendee_emails: ['ben@contoso.example'], duration_minutes: 45 })
  expect(longer).toMatchObject({ slots: [{ state: 'busy' }, { start_time: time('10:00'), state: 'free' }] })
  expect(await check({ attendee_emails: ['nobody@contoso.example'] })).toMatchObject({ slots: [{ state: 'unknown' }] })
})

test('without attendees the own calendar is read', async () => {
  const { result } = await readFamily(shared(), 'calendar_check_availability', {
    attendee_emails: [],
    time_min: '2026-03-02T10:00:00+01:00',
    time_max: '2026-03-02T11:30:00Z',
  })
  const time = (clock: string) => `2026-03-02T${clock}:00.000Z`
  expect(result).toMatchObject({
    slots: [
      { start_time: time('09:00'), end_time: time('10:00'), state: 'busy' },
      { start_time: time('10:00'), end_time: time('10:20'), state: 'tentative' },
      { start_time: time('10:20'), end_time: time('11:30'), state: 'free' },
    ],
  })
})

test('calendar_create_event creates one event after its approval, and calendar_update_event changes it', async () => {
  const server = shared()
  const { events } = server.graph.state
  const before = events.length
  const id = await askFamily(server, 'calendar_create_event', {
    title: 'Roof',
    start_time: '2026-03-03T10:00:00+01:00',
    end_time: '2026-03-03T10:00:00Z',
    attendee_emails: ['ben@contoso.example'],
    location: 'Site',
    body_markdown: 'Bring *ladders*',
  })
  expect(events).toHaveLength(before)
  const { result } = await approveFamily(server, id)
  expect(result).toMatchObject({ status: 'created' })
  // The same decision again does nothing.
  await approve(server.daemon, id)
  expect(events).toHaveLength(before + 1)
  const { event_id } = result as { event_id: string }
  expect(events.at(-1)).toMatchObject({
    id: event_id,
    subject: 'Roof',
    start: { dateTime: '2026-03-03T09:00:00', timeZone: 'UTC' },
    end: { dateTime: '2026-03-03T10:00:00', timeZone: 'UTC' },
    attendees: [{ emailAddress: { address: 'ben@contoso.example' }, type: 'required' }],
    location: { displayName: 'Site' },
    body: { contentType: 'html', content: '<p>Bring <em>ladders</em></p>' },
    transactionId: id,
  })
  const change = await askFamily(server, 'calendar_update_event', { event_id, title: 'Roof again' })
  expect(events.at(-1)).toMatchObject({ subject: 'Roof' })
  expect((await approveFamily(server, change)).result).toEqual({
    operation_family: 'calendar_update_event',
    event_id,
    status: 'updated',
  })
  expect(events.at(-1)).toMatchObject({ subject: 'Roof again', location: { displayName: 'Site' } })
})

test('a change of an event that changes nothing is refused and not sent', async () => {
  const server = shared()
  const id = await askFamily(server, 'calendar_update_event', { event_id: 'event-1' })
  server.graph.requests.length = 0
  await approve(server.daemon, id)
  expect(await waitForEnd(server.daemon, id)).toMatchObject({ error_code: 'graph_invalid_request' })
  expect(server.graph.requests).toEqual([])
})

test.each([
  ['calendar_check_availability', { attendee_emails: [], time_min: DAY.time_max, time_max: DAY.time_min }, 'time_max'],
  [
    'calendar_create_event',
    { title: 'x', attendee_emails: [], start_time: DAY.time_min, end_time: DAY.time_min },
    'end_time',
  ],
  ['calendar_update_event', { event_id: 'e', start_time: DAY.time_max, end_time: DAY.time_min }, 'end_time'],
  ['outlook_get_thread', { target: { thread_id: 'a', message_id: 'b' } }, 'target'],
  ['outlook_draft_reply', { target: {}, body_markdown: 'x' }, 'target'],
  ['outlook_mail_search', { query: 'x', unknown: 1 }, ''],
])('%s with invalid arguments is refused and nothing is kept', async (family, given, field) => {
  const server = shared()
  const reply = await callFamily(server, family, given)
  expect(reply.json()).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
  expect(reply.json<{ error: { details: { field: string } } }>().error.details.field).toContain(field)
})

test('a call keeps its answer for its owner, and its receipt is named in it', async () => {
  const server = shared()
  const made = (await callFamily(server, 'outlook_mail_search', { query: 'roof' })).json<ConnectorCall>()
  const kept = await readCall(server.daemon, made.dispatch_id)
  expect(kept.result).toEqual(made.result)
  expect(made.result?.structured_content).toMatchObject({
    operation_id: made.dispatch_id,
    server_id: server.server_id,
    auth_profile_id: server.auth_profile_id,
    operation_family: 'outlook_mail_search',
    status: 'ok',
    granted_scopes: expect.arrayContaining(['Mail.Read', 'offline_access']),
    missing_scopes: [],
    identity_asserted_kind: 'oauth_user',
    identity_asserted_ref: 'ada',
    throttle_state: { state: 'none' },
  })
  const { receipts } = (await server.daemon.get('/api/capabilities/receipts')).json<{
    receipts: { receipt_id: string }[]
  }>()
  expect(receipts[0]).toMatchObject({
    receipt_id: made.result?.structured_content?.['receipt_id'],
    correlation_id: made.correlation_id,
    dispatch_id: made.dispatch_id,
    provider: 'm365',
    identity_asserted_kind: 'oauth_user',
    identity_asserted_ref: 'ada',
    result: 'success',
  })
  expect(server.graph.headers['client-request-id']).toBe(made.correlation_id)
})
