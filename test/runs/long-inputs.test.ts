import { expect, test } from 'vitest'
import { startDaemon } from '../kit/daemon.ts'
import { addNote, countRows, FIRST_NOTES, installRecipes, readNotes, startRun } from './run-kit.ts'

async function startNotes() {
  const daemon = await startDaemon({ quick: true, config: { phone: 'simulated' } })
  await installRecipes(daemon, { 'add-note': addNote })
  return daemon
}

test('a text of 4,000 characters in several lines is typed and verified', { timeout: 120_000 }, async () => {
  const daemon = await startNotes()
  const line = 'Twenty percent %s of "this" & that; it\'s $HOME. '
  const body = Array.from({ length: 4 }, () => line.repeat(20).trim())
    .join('\n')
    .padEnd(4000, '.')
    .slice(0, 4000)
  const { reply, run } = await startRun(daemon, 'add-note', { inputs: { title: 'Long', body } })
  expect(reply.statusCode, reply.body).toBe(200)
  expect(run.state, JSON.stringify(run.trouble)).toBe('success')
  expect(readNotes(daemon).slice(FIRST_NOTES)).toEqual([{ title: 'Long', body }])
  expect(body).toHaveLength(4000)
})

test.each([
  ['one character more than 4,000', { body: 'x'.repeat(4001) }, 'INVALID_REQUEST', 'body'],
  [
    'a bell character',
    { body: 'a\u0007b' },
    'RECIPE_INPUT_INVALID',
    'body must not contain the control character U+0007',
  ],
  ['a tab', { body: 'a\tb' }, 'RECIPE_INPUT_INVALID', 'body must not contain the control character U+0009'],
  ['a lone carriage return', { body: 'a\rb' }, 'RECIPE_INPUT_INVALID', 'U+000D'],
  ['a line break in an input for one line', { title: 'a\nb' }, 'RECIPE_INPUT_INVALID', 'title must be a single line'],
])('%s is refused, and nothing is queued', async (_name, changes, code, message) => {
  const daemon = await startDaemon()
  await installRecipes(daemon, { 'add-note': addNote })
  const { reply } = await startRun(daemon, 'add-note', { inputs: { title: 'Short', body: 'x', ...changes } })
  expect(reply.statusCode).toBe(400)
  const { error } = reply.json<{ error: { code: string; message: string; details: object } }>()
  expect(error.code).toBe(code)
  expect(JSON.stringify(error)).toContain(message)
  expect(countRows(daemon, 'executions')).toBe(0)
})

test('Windows line ends arrive as line breaks', { timeout: 60_000 }, async () => {
  const daemon = await startNotes()
  const { run } = await startRun(daemon, 'add-note', { inputs: { title: 'Lines', body: 'one\r\ntwo' } })
  expect(run.state, JSON.stringify(run.trouble)).toBe('success')
  expect(readNotes(daemon).at(-1)).toEqual({ title: 'Lines', body: 'one\ntwo' })
})
