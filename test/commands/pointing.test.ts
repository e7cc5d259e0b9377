import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ElementMark } from '@apprentice/contracts/learn/elements.ts'
import type { Conversation } from '../../src/commands/terminal/conversation.ts'
import { parsePointing, pointAt } from '../../src/commands/teach/pointing.ts'
import { TeachDialog } from '../../src/commands/teach/teach-dialog.ts'
import { ok, open, startTeaching, tap } from '../teach/teaching.ts'

const DESK = 'org.example.quietdesk'
const APPS = join(import.meta.dirname, '..', 'teach', 'apps')

test.each([
  ['proves', 'Saved as draft', { kind: 'proof', words: 'Saved as draft' }],
  ['input', 'Ada', { kind: 'input', words: 'Ada' }],
  ['always', 'as usual', { kind: 'constant', words: 'as usual' }],
  ['return', 'Total', { kind: 'output', words: 'Total' }],
  ['return', 'Total due as amount', { kind: 'output', words: 'Total due', name: 'amount' }],
  ['return', 'sent as planned as state', { kind: 'output', words: 'sent as planned', name: 'state' }],
  ['return', 'all Ada as names', { kind: 'output', words: 'Ada', name: 'names', value_type: 'list' }],
] as const)('%s %s is read as words, name and type', (verb, text, expected) => {
  expect(parsePointing(verb, text)).toEqual(expected)
})

test('words are never lost or changed, whatever they are', () => {
  const word = fc.stringMatching(/^[A-Za-zÄÖÜäöüß€0-9.,]{1,8}$/).filter((one) => !['as', 'all'].includes(one))
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 5 }),
      fc.option(fc.constantFrom('price', 'a1')),
      (words, name) => {
        const text = words.join(' ')
        const read = parsePointing('return', name === null ? text : `${text} as ${name}`)
        expect(read.words).toBe(text)
        expect(read.name).toBe(name ?? undefined)
      },
    ),
  )
})

test('an element is pointed at by its words, and several are listed with numbers', async () => {
  const setup = await startTeaching({ config: { simApps: APPS } })
  const { daemon, phone } = setup
  const { call } = await daemon.listen()
  const made = await ok<{ session: { learn_session_id: string } }>(daemon, '/api/learn/sessions', {
    entry_mode: 'demonstrating_skill',
    observation_mode: 'outside_agent',
    device_serial: phone.serial,
  })
  const sessionId = made.session.learn_session_id
  const url = `/api/learn/sessions/${sessionId}`
  await ok(daemon, `${url}/start`)
  await setup.act(open(DESK), tap('Orders'))
  const said: string[] = []
  const answers = ['2', 'neither']
  const conversation = {
    signal: new AbortController().signal,
    say: (text = '') => said.push(text),
    ask: () => Promise.resolve(answers.shift()),
  } as unknown as Conversation
  const dialog = new TeachDialog({ options: {}, conversation, call }, { serial: phone.serial, sessionId })
  const listMarks = async () => (await daemon.get(`${url}/marks`)).json<{ marks: ElementMark[] }>().marks

  await pointAt(dialog, 'return', 'Chairs as title')
  expect(said.at(-1)).toBe('Saved: runs return "Chairs" as title.')
  await pointAt(dialog, 'proves', 'open')
  expect(said.join('\n')).toMatch(/Several elements show that:\n {2}1\. open \(at \d+, \d+\)\n {2}2\. open/)
  const [first, second] = await listMarks()
  expect(first).toMatchObject({ kind: 'output', name: 'title', value_type: 'text', label: 'Chairs' })
  expect(second).toMatchObject({ kind: 'proof', label: 'open' })
  await pointAt(dialog, 'proves', 'open')
  expect(said.at(-1)).toBe('Nothing was marked.')
  await pointAt(dialog, 'proves', '')
  expect(said.at(-1)).toContain('proves <text>')
  await expect(pointAt(dialog, 'proves', 'Sofas')).rejects.toMatchObject({ code: 'ELEMENT_NOT_FOUND' })
  expect(await listMarks()).toHaveLength(2)
})
