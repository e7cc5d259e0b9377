import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readNestedCall } from '../../src/domain/skill-runs/nested-calls.ts'
import { parsePeerCommand } from '../../src/knowledge/skill-script/peer-command.ts'
import { countRuns } from '../kit/count-runs.ts'

fc.configureGlobal({ seed: Number(process.env['FUZZ_SEED'] ?? 20_261_116) })

/** The normalized action of a command line. */
function parseLine(line: string) {
  const argv = (line.match(/'[^']*'|\S+/g) ?? []).map((token) => token.replaceAll("'", ''))
  const command = parsePeerCommand(argv)
  if (command.kind !== 'execution') return command
  const call = readNestedCall(command, 'com.test.it')
  if ('code' in call) return call
  const { execution, serial } = call
  return { ...execution.actions[0], budget: execution.timeoutMs, serial }
}

test.each([
  ['snapshot', { type: 'snapshot_ui', budget: 30_000 }],
  ['observe snapshot --device-id a1', { type: 'snapshot_ui', serial: 'a1' }],
  ['screenshot --path /tmp/a.png', { type: 'take_screenshot', params: { path: '/tmp/a.png' } }],
  ['open com.example --json', { type: 'open_app', params: { applicationId: 'com.example' }, budget: 15_000 }],
  ['open https://example.org/x', { type: 'open_uri', params: { uri: 'https://example.org/x' } }],
  ['action open-app --app com.example --device a1', { type: 'open_app', params: { applicationId: 'com.example' } }],
  ['open-app --application-id com.example --operator-package com.op', { type: 'open_app' }],
  ['action open-uri --uri https://example.org/', { type: 'open_uri', params: { uri: 'https://example.org/' } }],
  ['observe screenshot --path a.png --receiver-package com.op', { type: 'take_screenshot' }],
  ['action close-app --app com.example', { type: 'close_app', params: { applicationId: 'com.example' } }],
  ['action wait-for-node --text Done', { type: 'wait_for_node' }],
  ['action enter-text --text hi --id field', { type: 'enter_text', params: { text: 'hi' } }],
  ['close com.example', { type: 'close_app', params: { applicationId: 'com.example' } }],
  [
    "click --text 'Save now' --device a1",
    { type: 'click', params: { matcher: { textEquals: 'Save now' } }, serial: 'a1' },
  ],
  ['action click --resource-id x --role=button', { params: { matcher: { resourceId: 'x', role: 'button' } } }],
  ['tap --coordinate 10 20', { type: 'click', params: { coordinate: { x: 10, y: 20 } } }],
  ['click --id x --long', { params: { clickType: 'long_click' } }],
  [`click --selector '{"text":"A"}'`, { params: { matcher: { textEquals: 'A' } } }],
  [
    'type hello --id field --submit',
    {
      type: 'enter_text',
      params: { text: 'hello', submit: true, clear: false, matcher: { resourceId: 'field' } },
    },
  ],
  [
    "fill --text 'a b' --desc Name",
    { type: 'enter_text', params: { text: 'a b', matcher: { contentDescEquals: 'Name' } } },
  ],
  [
    'read --text-contains Temp --container-id list',
    {
      type: 'read_text',
      params: { matcher: { textContains: 'Temp' }, container: { resourceId: 'list' } },
    },
  ],
  ['read-value --text Version', { type: 'read_key_value_pair', params: { labelMatcher: { textEquals: 'Version' } } }],
  ['wait --text Done --timeout 40000', { type: 'wait_for_node', params: { timeoutMs: 40_000 }, budget: 45_000 }],
  [
    'wait-for-nav --app com.example --timeout 5000',
    { type: 'wait_for_navigation', params: { expectedPackage: 'com.example', timeoutMs: 5000 } },
  ],
  ['press home', { type: 'press_key', params: { key: 'home' }, budget: 10_000 }],
  ['back', { type: 'press_key', params: { key: 'back' } }],
  ['sleep 100', { type: 'sleep', params: { durationMs: 100 } }],
  ['scroll up', { type: 'scroll', params: { direction: 'up' } }],
  ['scroll-until --text End --click', { type: 'scroll_until', params: { clickAfter: true } }],
  ['scroll-and-click --text End', { type: 'scroll_and_click', params: { matcher: { textEquals: 'End' } } }],
])('%s', (line, action) => {
  expect(parseLine(line)).toMatchObject(action)
})

test.each([
  '',
  'click',
  'click --text',
  `click --text A --selector '{"id":"x"}'`,
  'click --selector {',
  'open',
  'exec',
  'exec --payload {',
  'wait --text A --timeout soon',
  'frobnicate',
])('%j is a usage error', (line) => {
  expect(parseLine(line)).toMatchObject({ kind: 'usage' })
})

test('a payload keeps its own fields and gets the missing ones', () => {
  const sleep = { id: 's', type: 'sleep', params: { durationMs: 1 } }
  const read = (payload: object) => readNestedCall({ kind: 'execution', payload, form: 'run' }, 'com.test.it')
  expect(read({ timeoutMs: 2000, actions: [sleep] })).toMatchObject({
    command_id: 'com.test.it',
    execution: {
      taskId: 'com.test.it',
      source: 'com.test.it',
      expectedFormat: 'android-ui-automator',
    },
  })
  expect(read({ command_id: 'c', task_id: 't', source: 'me', timeout_ms: 2000, actions: [sleep] })).toMatchObject({
    command_id: 'c',
    execution: { taskId: 't', source: 'me' },
  })
})

test('any arguments give exactly the requested actions for the requested device, or an error message', () => {
  const token = fc.oneof(
    fc.constantFrom(
      'exec',
      'click',
      'open',
      'type',
      'wait',
      'sleep',
      'scroll',
      'press',
      '--text',
      '--id',
      '--selector',
      '--coordinate',
      '--timeout',
      '--device',
      '--',
      '--x=',
      '{}',
      '{"actions":[]}',
      '5',
      'NaN',
    ),
    fc.string({ maxLength: 12 }),
  )
  fc.assert(
    fc.property(fc.array(token, { maxLength: 7 }), (argv) => {
      const command = parsePeerCommand(argv)
      if (command.kind !== 'execution') return
      const call = readNestedCall(command, 'com.test.it')
      if ('code' in call) {
        expect(call.message.length).toBeGreaterThan(0)
        return
      }
      const { actions } = command.payload as { actions: readonly unknown[] }
      expect(actions.length).toBeGreaterThan(0)
      expect(call.execution.actions).toHaveLength(actions.length)
      if (!['exec', 'execute'].includes(argv.find((one) => !one.startsWith('--')) ?? '')) {
        expect(actions).toHaveLength(1)
      }
      expect(call.serial).toBe(command.serial)
      if (call.serial !== undefined) expect(argv.join(' ')).toContain(call.serial)
    }),
    { numRuns: countRuns(1000) },
  )
})
