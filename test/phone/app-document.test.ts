import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Action } from '@apprentice/phone/documents/app-action.ts'
import { Node } from '@apprentice/phone/documents/app-node.ts'
import { FUNCTION_NAMES } from '@apprentice/phone/documents/evaluation.ts'
import {
  createPhone,
  readAppDocument,
  shippedAppsFolder,
  type Phone,
} from '@apprentice/phone/phone.ts'

function document(changes: object = {}): object {
  return {
    package: 'com.example.test',
    label: 'Test',
    version: { name: '1', code: 1 },
    launch_screen: 'main',
    saved: { count: 0 },
    screens: { main: { content: [] } },
    ...changes,
  }
}

function faults(changes: object): string[] {
  const reading = readAppDocument(document(changes))
  return reading.ok ? [] : reading.faults.map(({ path, reason }) => `${path}: ${reason}`)
}

const content = (...nodes: object[]): object => ({ screens: { main: { content: nodes } } })

test.each([
  [content({ type: 'text' }), /^screens\.main\.content\[0\]\.text: /],
  [content({ type: 'txt', text: 'a' }), /^screens\.main\.content\[0\]\.type: /],
  [
    content({ type: 'text', text: 'a', colour: '#fff' }),
    /^screens\.main\.content\[0\]: .*"colour"/,
  ],
  [
    content({ type: 'text', text: 'a', id: '1 x' }),
    /^screens\.main\.content\[0\]\.id: write an id/,
  ],
  [
    content({ type: 'text', text: '{saved.count +}' }),
    /^screens\.main\.content\[0\]\.text: expected a value but found the end/,
  ],
  [
    content({ type: 'text', text: 'open {saved.count' }),
    /^screens\.main\.content\[0\]\.text: "\{" without "\}"/,
  ],
  [
    content({ type: 'text', text: '{saved.cuont}' }),
    /^screens\.main\.content\[0\]\.text: "saved\.cuont" is not declared in "saved"/,
  ],
  [
    content({ type: 'text', text: '{local.x}' }),
    /^screens\.main\.content\[0\]\.text: "local\.x" is not declared/,
  ],
  [
    content({ type: 'text', text: '{state.x}' }),
    /^screens\.main\.content\[0\]\.text: there is no name "state"/,
  ],
  [
    content({ type: 'text', text: '{shout(1)}' }),
    /^screens\.main\.content\[0\]\.text: there is no function "shout"/,
  ],
  [
    content({ type: 'text', text: '@hello' }),
    /^screens\.main\.content\[0\]\.text: there is no string "hello"/,
  ],
  [
    content({ type: 'text', text: 'x', visible: 'a b' }),
    /^screens\.main\.content\[0\]\.visible: expected the end but found "b"/,
  ],
  [
    content({ type: 'use', component: 'row' }),
    /^screens\.main\.content\[0\]\.component: there is no component "row"/,
  ],
  [
    content({ type: 'switch', bind: 'saved' }),
    /^screens\.main\.content\[0\]\.bind: "saved" is not a place/,
  ],
  [
    content({ type: 'button', text: 'x', on_tap: [{ do: 'open', screen: 'mian' }] }),
    /^screens\.main\.content\[0\]\.on_tap\[0\]\.screen: there is no screen "mian"/,
  ],
  [
    content({ type: 'button', text: 'x', on_tap: [{ do: 'fly' }] }),
    /^screens\.main\.content\[0\]\.on_tap\[0\]\.do: /,
  ],
  [
    content({
      type: 'column',
      children: [
        {
          type: 'row',
          children: [
            {
              type: 'button',
              text: 'x',
              on_tap: [{ do: 'if', when: 'true', actions: [{ do: 'dialog', dialog: 'no' }] }],
            },
          ],
        },
      ],
    }),
    /^screens\.main\.content\[0\]\.children\[0\]\.children\[0\]\.on_tap\[0\]\.actions\[0\]\.dialog: there is no dialog "no"/,
  ],
  [
    content({
      type: 'button',
      text: 'x',
      on_tap: [{ do: 'set', target: 'saved.count', value: { a: ['{('] } }],
    }),
    /^screens\.main\.content\[0\]\.on_tap\[0\]\.value\.a\[0\]: "\{" without/,
  ],
  [{ launch_screen: 'nope' }, /^launch_screen: there is no screen "nope"/],
  [{ package: 'no good' }, /^package: write a package as/],
  [{ version: { name: '1', code: 0 } }, /^version\.code: /],
  [{ surprise: 1 }, /^\(document\): .*"surprise"/],
  [
    {
      components: {
        a: { type: 'column', children: [{ type: 'use', component: 'b' }] },
        b: { type: 'use', component: 'a' },
      },
    },
    /^components\.a: component "a" contains itself/,
  ],
  [
    { popups: [{ when: 'true', dialog: 'gone' }] },
    /^popups\[0\]\.dialog: there is no dialog "gone"/,
  ],
])('mistake %# is named with its place', (changes, expected) => {
  const found = faults(changes)
  expect(
    found.some((fault) => expected.test(fault)),
    found.join('\n'),
  ).toBe(true)
})

test('a good document has no faults', () => {
  expect(faults({})).toEqual([])
})

async function phoneWith(files: Record<string, string>): Promise<Phone> {
  const folder = await mkdtemp(join(tmpdir(), 'apprentice-apps-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return createPhone({ appsDirs: [folder, join(folder, 'missing')] })
}

test('broken documents are reported and skipped, the others are on the phone', async () => {
  const phone = await phoneWith({
    'good.json': JSON.stringify(document()),
    'bad.json': JSON.stringify(document({ package: 'com.example.bad', launch_screen: 'x' })),
    'torn.json': '{"package":',
    'readme.txt': 'not an app',
  })
  expect(phone.documentReports.map(({ file, path }) => [file.split('/').at(-1), path])).toEqual([
    ['bad.json', 'launch_screen'],
    ['torn.json', ''],
    ['missing', ''],
  ])
  expect(phone.documentReports[0]?.reason).toBe('there is no screen "x"')
  expect(phone.state('com.example.test').saved).toEqual({ count: 0 })
  expect(() => phone.state('com.example.bad')).toThrow('no app com.example.bad')
  expect(phone.state('org.apprentice.notes').saved).toHaveProperty('notes')
})

test('an app of the same package in an extra folder replaces the shipped one', async () => {
  const phone = await phoneWith({
    'notes.json': JSON.stringify(document({ package: 'org.apprentice.notes' })),
  })
  expect(phone.documentReports).toHaveLength(1)
  expect(phone.state('org.apprentice.notes').saved).toEqual({ count: 0 })
})

/** The words a union tells its members apart by. */
function wordsOf(rule: { values?: ReadonlySet<unknown>; options?: readonly string[] }): string[] {
  return [...(rule.options ?? rule.values ?? [])].map(String)
}

test('the format page shows an app that works and names every node, action and function', async () => {
  const page = await readFile(join(shippedAppsFolder(), 'README.md'), 'utf8')
  const example = /```json\n([^]*?)```/.exec(page)?.[1] ?? ''
  expect(readAppDocument(JSON.parse(example))).toMatchObject({ ok: true })
  const types = Node.options.flatMap((option) => wordsOf(option.shape.type))
  const actions = Action.options.flatMap((option) => wordsOf(option.shape.do))
  expect(types.length + actions.length).toBeGreaterThan(30)
  const missing = [...types, ...actions].filter((word) => !page.includes(`\`${word}\``))
  expect(missing).toEqual([])
  expect([...FUNCTION_NAMES].filter((name) => !page.includes(`\`${name}(`))).toEqual([])
})
