import { expect, test } from 'vitest'
import { NOTES, readNotes, FIRST_NOTES } from '../runs/run-kit.ts'
import { formatChange, formatPage } from '../../src/mcp/tool/screen-lines.ts'
import { connectClient, readError, readText, startNotes } from './mcp-client.ts'

/** The reference of the line that contains these words. */
function findRef(text: string, words: string): string {
  const line = text.split('\n').find((one) => one.includes(words))
  const ref = /\be\d+\b/.exec(line ?? '')?.[0]
  if (ref === undefined) throw new Error(`No line contains ${words}:\n${text}`)
  return ref
}

test('an agent sees the screen, acts by references and is told what changed', async () => {
  const { daemon, url } = await startNotes()
  const client = await connectClient(url)
  const call = async (name: string, args: Record<string, unknown>) => await client.callTool({ name, arguments: args })
  const act = async (...actions: Record<string, unknown>[]) => readText(await call('do_actions', { actions }))

  const { devices } = (await call('list_devices', {})).structuredContent as { devices: { serial: string }[] }
  expect(devices).toHaveLength(1)
  const opened = await act({ do: 'open_app', package: NOTES })
  expect(opened).toContain('Meeting')
  const editor = await act({ do: 'tap', on: findRef(opened, 'New note') })
  const title = findRef(editor, 'Title')
  const filled = await act({ do: 'type', on: title, text: 'By hand' })
  expect(filled).toContain('By hand')
  expect(filled.length).toBeLessThan(editor.length)
  const saved = await act({ do: 'tap', on: findRef(editor, 'Save') })
  expect(saved).toContain('By hand')
  expect(readNotes(daemon).slice(FIRST_NOTES)).toMatchObject([{ title: 'By hand' }])

  const stale = await call('do_actions', { actions: [{ do: 'type', on: title, text: 'x' }] })
  expect(stale.isError).toBe(true)
  expect(readError(stale)).toMatchObject({ code: 'STALE_REFERENCE', message: expect.stringContaining('By hand') })
  expect(readNotes(daemon)).toHaveLength(FIRST_NOTES + 1)

  const seen = await call('see_screen', { picture: true })
  expect(seen.structuredContent).toMatchObject({ package: NOTES })
  expect(seen.content[1]).toMatchObject({ type: 'image', mimeType: 'image/png' })
})

test('long lists are cut and say how to go on', () => {
  const lines = Array.from({ length: 300 }, (_, at) => ({ ref: `e${at}`, words: `text "${at}"` }))
  const first = formatPage(lines).split('\n')
  expect([first.length, first.at(-1)]).toEqual([121, '180 more elements: see_screen with from=120'])
  expect(formatPage(lines, 240).split('\n')).toHaveLength(60)
  const change = formatChange(lines, lines.slice(0, 10))?.split('\n')
  expect([change?.length, change?.at(-1)]).toEqual([121, '170 more are gone: see_screen shows all'])
  expect(formatChange(lines, lines)).toBe('')
})

test('an agent assists a person who teaches: start, demonstrate, stop, draft', async () => {
  const { url } = await startNotes()
  const client = await connectClient(url)
  const call = async (name: string, args: Record<string, unknown>) => await client.callTool({ name, arguments: args })
  const started = await call('teach', { step: { do: 'start', goal: 'Write a note', keep_typed_text: true } })
  expect(started.structuredContent).toMatchObject({ state: 'capturing' })
  const { session_id } = started.structuredContent as { session_id: string }

  const list = readText(await call('do_actions', { actions: [{ do: 'open_app', package: NOTES }] }))
  const editor = readText(await call('do_actions', { actions: [{ do: 'tap', on: findRef(list, 'New note') }] }))
  await call('do_actions', { actions: [{ do: 'type', on: findRef(editor, 'Title'), text: 'Shown once' }] })
  await call('do_actions', { actions: [{ do: 'tap', on: findRef(editor, 'Save') }] })

  const marked = await call('teach', { step: { do: 'mark', session_id, label: 'The note is saved' } })
  expect(marked.isError, readText(marked)).toBeUndefined()
  expect((await call('teach', { step: { do: 'stop', session_id } })).structuredContent).not.toHaveProperty(
    'proposal_id',
  )
  const drafted = await call('teach', { step: { do: 'draft', session_id } })
  expect(drafted.structuredContent, readText(drafted)).toHaveProperty('proposal_id')
  const early = await call('teach', { step: { do: 'stop', session_id } })
  expect(early.isError).toBe(true)
})

test('an agent answers what the demonstration leaves open', async () => {
  const { url } = await startNotes()
  const client = await connectClient(url)
  const teach = async (step: Record<string, unknown>) => {
    const reply = await client.callTool({ name: 'teach', arguments: { step } })
    expect(reply.isError, readText(reply)).toBeUndefined()
    return reply.structuredContent as { session_id: string; questions: { question_id: string }[] }
  }
  const { session_id } = await teach({ do: 'start', goal: 'Look after the phone' })
  await client.callTool({ name: 'do_actions', arguments: { actions: [{ do: 'open_app', package: NOTES }] } })
  await client.callTool({ name: 'do_actions', arguments: { actions: [{ do: 'key', key: 'home' }] } })
  await teach({ do: 'stop', session_id })
  const { questions } = await teach({ do: 'draft', session_id })
  const [first] = questions
  expect(first).toBeDefined()
  const answered = await teach({
    do: 'answer',
    session_id,
    question_id: first?.question_id,
    answer: 'The list of apps is on the screen',
  })
  expect(answered.questions.map(({ question_id }) => question_id)).not.toContain(first?.question_id)
})
