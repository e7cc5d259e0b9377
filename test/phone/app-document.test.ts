import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { Action } from '@apprentice/phone/documents/app-action.ts'
import { AppDocument } from '@apprentice/phone/documents/app-document.ts'
import { Node } from '@apprentice/phone/documents/app-node.ts'
import { FUNCTION_NAMES } from '@apprentice/phone/documents/evaluation.ts'
import { createPhone, readAppDocument, shippedAppsFolder, type Phone } from '@apprentice/phone/phone.ts'

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

function listFaults(changes: object): string[] {
  const reading = readAppDocument(document(changes))
  return reading.ok ? [] : reading.faults.map(({ path, reason }) => `${path}: ${reason}`)
}

const content = (...nodes: object[]): object => ({ screens: { main: { content: nodes } } })

test.each([
  [content({ type: 'text' }), /^screens\.main\.content\[0\]\.text: /],
  [content({ type: 'txt', text: 'a' }), /^screens\.main\.content\[0\]\.type: /],
  [content({ type: 'text', text: 'a', colour: '#fff' }), /^screens\.main\.content\[0\]: .*"colour"/],
  [content({ type: 'text', text: 'a', id: '1 x' }), /^screens\.main\.content\[0\]\.id: write an id/],
  [
    content({ type: 'text', text: '{saved.count +}' }),
    /^screens\.main\.content\[0\]\.text: expected a value but found the end/,
  ],
  [content({ type: 'text', text: 'open {saved.count' }), /^screens\.main\.content\[0\]\.text: "\{" without "\}"/],
  [
    content({ type: 'text', text: '{saved.cuont}' }),
    /^screens\.main\.content\[0\]\.text: "saved\.cuont" is not declared; add "cuont" to "saved"/,
  ],
  [content({ type: 'text', text: '{local.x}' }), /^screens\.main\.content\[0\]\.text: "local\.x" is not declared/],
  [
    content({ type: 'text', text: '{state.x}' }),
    /^screens\.main\.content\[0\]\.text: unknown name "state"; use one of saved, /,
  ],
  [
    content({ type: 'text', text: '{shout(1)}' }),
    /^screens\.main\.content\[0\]\.text: unknown function "shout"; use one of t, len, /,
  ],
  [
    content({ type: 'text', text: '@hello' }),
    /^screens\.main\.content\[0\]\.text: string "hello" is not declared; add it to "strings\.en"/,
  ],
  [
    content({ type: 'text', text: 'x', visible: 'a b' }),
    /^screens\.main\.content\[0\]\.visible: expected the end but found "b"/,
  ],
  [
    content({ type: 'use', component: 'row' }),
    /^screens\.main\.content\[0\]\.component: component "row" is not declared; add it to "components"/,
  ],
  [
    content({ type: 'switch', bind: 'saved' }),
    /^screens\.main\.content\[0\]\.bind: "saved" is not a writable path; write a path such as saved\.name/,
  ],
  [
    content({ type: 'button', text: 'x', on_tap: [{ do: 'open', screen: 'mian' }] }),
    /^screens\.main\.content\[0\]\.on_tap\[0\]\.screen: screen "mian" is not declared; add it to "screens"/,
  ],
  [content({ type: 'button', text: 'x', on_tap: [{ do: 'fly' }] }), /^screens\.main\.content\[0\]\.on_tap\[0\]\.do: /],
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
    /^screens\.main\.content\[0\]\.children\[0\]\.children\[0\]\.on_tap\[0\]\.actions\[0\]\.dialog: dialog "no" is not declared; add it to "dialogs"/,
  ],
  [
    content({
      type: 'button',
      text: 'x',
      on_tap: [{ do: 'set', target: 'saved.count', value: { a: ['{('] } }],
    }),
    /^screens\.main\.content\[0\]\.on_tap\[0\]\.value\.a\[0\]: "\{" without/,
  ],
  [
    content({ type: 'button', text: 'x', on_tap: [{ do: 'call', procedure: 'svae' }] }),
    /^screens\.main\.content\[0\]\.on_tap\[0\]\.procedure: procedure "svae" is not declared; add it to "procedures"/,
  ],
  [
    { procedures: { save: [{ do: 'set', target: 'saved.cuont', value: 1 }] } },
    /^procedures\.save\[0\]\.target: "saved\.cuont" is not declared/,
  ],
  [
    content({ type: 'text', text: 'x', on_swipe: { sideways: [] } }),
    /^screens\.main\.content\[0\]\.on_swipe: .*"sideways"/,
  ],
  [content({ type: 'choice', bind: 'saved.count', options: [] }), /^screens\.main\.content\[0\]\.options: /],
  [
    content({ type: 'choice', bind: 'saved.count', options: [{ value: 1, text: '{item.nam +}' }] }),
    /^screens\.main\.content\[0\]\.options\[0\]\.text: expected a value/,
  ],
  [content({ type: 'calendar' }), /^screens\.main\.content\[0\]\.bind: /],
  [{ timers: [{ actions: [] }] }, /^timers\[0\]: write either "at_ms" or "every_ms"/],
  [{ timers: [{ at_ms: 1, actions: [{ do: 'dialog', dialog: 'no' }] }] }, /^timers\[0\]\.actions\[0\]\.dialog: /],
  [{ toolkit: 'swing' }, /^toolkit: /],
  [{ launch_screen: 'nope' }, /^launch_screen: screen "nope" is not declared/],
  [{ package: 'no good' }, /^package: write a package as/],
  [{ version: { name: '1', code: 0 } }, /^version\.code: /],
  [{ color: 'red' }, /^color: write a color as #rrggbb/],
  [{ screens: { main: { content: [], activity: '1x' } } }, /^screens\.main\.activity: write an activity as/],
  [{ screens: { main: { content: [], links: ['x'] } } }, /^screens\.main\.links\[0\]: write a link as/],
  [{ surprise: 1 }, /^\(document\): .*"surprise"/],
  [
    {
      components: {
        a: { type: 'column', children: [{ type: 'use', component: 'b' }] },
        b: { type: 'use', component: 'a' },
      },
    },
    /^components\.a: component "a" contains itself; remove the "use" node/,
  ],
  [{ popups: [{ when: 'true', dialog: 'gone' }] }, /^popups\[0\]\.dialog: dialog "gone" is not declared/],
])('fault %# is reported with its path', (changes, expected) => {
  const found = listFaults(changes)
  expect(
    found.some((fault) => expected.test(fault)),
    found.join('\n'),
  ).toBe(true)
})

test('a valid document has no faults', () => {
  expect(listFaults({})).toEqual([])
})

async function phoneWith(files: Record<string, string>): Promise<Phone> {
  const folder = await mkdtemp(join(tmpdir(), 'apprentice-apps-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return createPhone({ appsDirs: [folder, join(folder, 'missing')] })
}

test('invalid documents are reported and skipped, and the others are installed', async () => {
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
  expect(phone.documentReports[0]?.reason).toBe('screen "x" is not declared; add it to "screens" or correct the name')
  expect(phone.state('com.example.test').saved).toEqual({ count: 0 })
  expect(() => phone.state('com.example.bad')).toThrow('no app com.example.bad')
  expect(phone.state('org.apprentice.notes').saved).toHaveProperty('notes')
})

test('an app in an additional folder replaces the shipped app of the same package', async () => {
  const phone = await phoneWith({
    'notes.json': JSON.stringify(document({ package: 'org.apprentice.notes' })),
  })
  expect(phone.documentReports).toHaveLength(1)
  expect(phone.state('org.apprentice.notes').saved).toEqual({ count: 0 })
})

/** The discriminator values of a member of a union. */
function listValues(rule: { values?: ReadonlySet<unknown>; options?: readonly string[] }): string[] {
  return [...(rule.options ?? rule.values ?? [])].map(String)
}

/** The names of all fields in a JSON schema. */
function collectFields(schema: unknown): Set<string> {
  if (typeof schema !== 'object' || schema === null) return new Set()
  const properties = 'properties' in schema ? Object.keys(schema.properties ?? {}) : []
  const nested = Object.values(schema).flatMap((value) => [...collectFields(value)])
  return new Set([...properties, ...nested])
}

test('the format reference has a valid example and names every field, node, action and function', async () => {
  const page = await readFile(join(shippedAppsFolder(), 'README.md'), 'utf8')
  const example = /```json\n([^]*?)```/.exec(page)?.[1] ?? ''
  expect(readAppDocument(JSON.parse(example))).toMatchObject({ ok: true })
  const types = Node.options.flatMap((option) => listValues(option.shape.type))
  const actions = Action.options.flatMap((option) => listValues(option.shape.do))
  expect(types.length + actions.length).toBeGreaterThan(30)
  const missing = [...types, ...actions].filter((name) => !page.includes(`\`${name}\``))
  expect(missing).toEqual([])
  expect([...FUNCTION_NAMES].filter((name) => !page.includes(`\`${name}(`))).toEqual([])
  const fields = collectFields(z.toJSONSchema(AppDocument, { io: 'input' }))
  expect(fields.size).toBeGreaterThan(80)
  expect([...fields].filter((name) => !/^(name|code|x|y)$/.test(name) && !page.includes(`\`${name}\``))).toEqual([])
})
