import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Action } from '@apprentice/contracts/devices/action.ts'
import { normalizeExecution } from '@apprentice/contracts/devices/execution.ts'
import { type TestPolicy, TestPolicyMode } from '@apprentice/contracts/learn/test-policy.ts'
import type { NodeSummary } from '../../src/screen/matcher.ts'
import { findBreach } from '../../src/domain/validation/policy-audit.ts'
import { openGate, refusedByPlan } from '../../src/knowledge/action-policy/policy-gate.ts'

function aPolicy(mode: TestPolicy['mode'], changes: Partial<TestPolicy> = {}): TestPolicy {
  return {
    policy_id: '3f2c9a52-0b0f-4a35-9d0e-6f7f0f5e8a11',
    mode,
    safe_targets: [],
    forbid_destructive_writes: true,
    forbid_external_send: true,
    allowed_domains: [],
    max_actions: 40,
    cleanup_required: false,
    schema_version: 1,
    ...changes,
  }
}

function actionsOf(...actions: { type: string; params?: object }[]): Action[] {
  const read = normalizeExecution({
    commandId: 'c',
    taskId: 't',
    source: 'test',
    expectedFormat: 'android-ui-automator',
    timeoutMs: 30_000,
    actions: actions.map((action, at) => ({ id: `a${at}`, ...action })),
  })
  if (!read.ok) throw new Error(read.failure.reason)
  return read.execution.actions
}

const tap = (textEquals: string) => ({ type: 'click', params: { matcher: { textEquals } } })
const typing = (text: string, field = 'Title', submit = false) => ({
  type: 'enter_text',
  params: { matcher: { textEquals: field }, text, submit },
})

const aNode = (changes: Partial<NodeSummary> = {}): NodeSummary => ({
  path: '0.1.2',
  label: '',
  class: 'android.widget.Button',
  resource_id: '',
  content_desc: '',
  role: 'button',
  bounds: null,
  ...changes,
})

/** What becomes of a touch on a node, with nothing done before it. */
function touching(policy: TestPolicy, node: Partial<NodeSummary>): string | undefined {
  const gate = openGate(policy)
  const [action] = actionsOf({
    type: 'click',
    params: { matcher: { class: 'android.widget.Button' } },
  })
  if (action === undefined) throw new Error('no action')
  return gate(action)?.message ?? gate(action, aNode(node))?.message
}

describe('what it says decides', () => {
  const live = aPolicy('controlled_live_test')

  test.each([
    'Delete',
    'Remove from list',
    'Clear all',
    'Factory reset',
    'Uninstall',
    'Sign out',
    'Format SD card',
    'Löschen',
    'Alle entfernen',
    'Zurücksetzen',
    'Deinstallieren',
    'Abmelden',
    'Supprimer',
    'Eliminar',
  ])('destroys: %s', (label) => {
    expect(touching(live, { label })).toContain('destroys')
    expect(touching(live, { content_desc: label })).toContain('destroys')
    expect(touching({ ...live, forbid_destructive_writes: false }, { label })).toBeUndefined()
  })

  test.each([
    'Send',
    'Share',
    'Pay now',
    'Place order',
    'Buy',
    'Post',
    'Call',
    'Submit',
    'Senden',
    'Teilen',
    'Jetzt kaufen',
    'Zahlungspflichtig bestellen',
    'Anrufen',
    'Absenden',
    'Envoyer',
    'Enviar',
  ])('reaches others: %s', (label) => {
    expect(touching(live, { label })).toContain('reaches others')
    expect(touching({ ...live, forbid_external_send: false }, { label })).toBeUndefined()
  })

  test.each(['Undelete', 'Sender', 'Postman', 'Resettlement', 'Callisto', 'Kaufmann', 'Lobby'])(
    'is none of these: %s',
    (label) => {
      expect(touching(live, { label })).toBeUndefined()
    },
  )

  test('a name given by a programmer counts as well', () => {
    expect(touching(live, { resource_id: 'com.x:id/btnDeleteAll' })).toContain('destroys')
    expect(touching(live, { resource_id: 'com.x:id/send_button' })).toContain('reaches others')
    expect(touching(live, { resource_id: 'com.delete.app:id/title' })).toBeUndefined()
  })
})

describe('modes', () => {
  test('without leave to do anything, nothing is let', () => {
    const gate = openGate(aPolicy('dry_run_only'))
    const all = actionsOf(
      { type: 'open_app', params: { applicationId: 'com.x' } },
      tap('Lobby'),
      { type: 'scroll' },
      { type: 'press_key', params: { key: 'back' } },
    )
    for (const action of all) expect(gate(action)?.code).toBe('TEST_POLICY_VIOLATION')
    const [look] = actionsOf({ type: 'snapshot_ui' })
    expect(look && gate(look)).toBeUndefined()
  })

  test('reading lets one look around and search, and change nothing', () => {
    const reading = aPolicy('read_only')
    expect(touching(reading, { label: 'Lobby' })).toBeUndefined()
    expect(touching(reading, { label: 'Search', class: 'android.widget.EditText' })).toBeUndefined()
    expect(refusedByPlan(reading, actionsOf(typing('lobby', 'Search units', true)))).toEqual([])
    for (const node of [
      { label: 'Save' },
      { label: 'Speichern' },
      { label: 'Power', class: 'android.widget.Switch' },
      { label: '', class: 'android.view.View' },
      { content_desc: 'Add note' },
    ]) {
      expect(touching(reading, node), JSON.stringify(node)).toContain('only reading')
    }
    expect(refusedByPlan(reading, actionsOf(typing('hello')))).toHaveLength(1)
  })

  test('a row without words of its own is what it was asked for as', () => {
    const [row] = actionsOf({
      type: 'click',
      params: { matcher: { resourceId: 'com.x:id/unit', containing: { textEquals: 'Lobby' } } },
    })
    const gate = openGate(aPolicy('read_only'))
    expect(row && gate(row, aNode({ class: 'android.widget.LinearLayout' }))).toBeUndefined()
  })

  test('changes go only into a safe target, until it is left', () => {
    const policy = aPolicy('blank_artifact', {
      safe_targets: [{ target_kind: 'blank_document', ref: 'Practice note' }],
    })
    const outside = refusedByPlan(policy, actionsOf(tap('Groceries'), typing('milk'), tap('Save')))
    expect(outside.map(({ action }) => action.id)).toEqual(['a1', 'a2'])
    const inside = actionsOf(tap('Practice note'), typing('milk'), tap('Save'))
    expect(refusedByPlan(policy, inside)).toEqual([])
    const left = actionsOf(
      tap('Practice note'),
      { type: 'press_key', params: { key: 'back' } },
      tap('Groceries'),
      typing('milk'),
    )
    expect(refusedByPlan(policy, left).map(({ action }) => action.id)).toEqual(['a3'])
    const wrongKind = { ...policy, mode: 'copy_artifact' } as const
    expect(refusedByPlan(wrongKind, inside)).toHaveLength(2)
    expect(refusedByPlan(policy, actionsOf(tap('Practice note'), tap('Delete')))).toHaveLength(1)
    expect(refusedByPlan(policy, actionsOf(tap('My Practice notes'), tap('Save')))).toHaveLength(1)
  })

  test('a redirected message goes to the safe recipient and to nobody else', () => {
    const policy = aPolicy('redirect_send', {
      safe_targets: [{ target_kind: 'safe_email_recipient', ref: 'test@example.org' }],
    })
    const safe = actionsOf(typing('test@example.org', 'To'), typing('hi', 'Body'), tap('Send'))
    expect(refusedByPlan(policy, safe)).toEqual([])
    const other = actionsOf(typing('boss@example.org', 'To'), tap('Send'))
    expect(refusedByPlan(policy, other).map(({ action }) => action.id)).toEqual(['a1'])
  })

  test('what is typed and sent off at once reaches others, unless it is a search', () => {
    const live = aPolicy('controlled_live_test')
    expect(refusedByPlan(live, actionsOf(typing('hi', 'Message', true)))).toHaveLength(1)
    expect(refusedByPlan(live, actionsOf(typing('hi', 'Message')))).toEqual([])
    expect(refusedByPlan(live, actionsOf(typing('hi', 'Suche', true)))).toEqual([])
  })
})

describe('addresses', () => {
  const open = (uri: string) => actionsOf({ type: 'open_uri', params: { uri } })
  const policy = aPolicy('controlled_live_test', { allowed_domains: ['example.org', '*.test.org'] })

  test.each([
    ['https://example.org/a', 0],
    ['https://shop.example.org/', 0],
    ['https://www.test.org', 0],
    ['climate://unit/2', 0],
    ['https://example.org.evil.net/', 1],
    ['https://notexample.org/', 1],
    ['https://user@evil.net/example.org', 1],
    ['HTTPS://EVIL.NET', 1],
    ['http://[bad', 1],
  ])('%s is refused %i times', (uri, times) => {
    expect(refusedByPlan(policy, open(uri))).toHaveLength(times)
  })

  test('no list means no limit, but never a call or a message', () => {
    const free = aPolicy('controlled_live_test')
    expect(refusedByPlan(free, open('https://anywhere.net'))).toEqual([])
    expect(refusedByPlan(free, open('tel:112'))).toHaveLength(1)
    expect(refusedByPlan(free, open('mailto:a@b.c'))).toHaveLength(1)
  })
})

test('the budget counts what is done, not what is announced, and a touch once', () => {
  const gate = openGate(aPolicy('controlled_live_test', { max_actions: 3 }))
  const [adjust, key] = actionsOf(
    {
      type: 'adjust_until',
      params: { value: { resourceId: 'v' }, target: 3, increase: { resourceId: 'plus' } },
    },
    { type: 'press_key', params: { key: 'back' } },
  )
  if (adjust === undefined || key === undefined) throw new Error('no actions')
  const button = aNode({ path: '0.1.2', label: 'Warmer' })
  const row = aNode({ path: '0.1', class: 'android.widget.LinearLayout' })
  expect(gate(adjust)).toBeUndefined()
  for (let touch = 0; touch < 2; touch += 1) {
    expect(gate(adjust, button)).toBeUndefined()
    expect(gate(adjust, row)).toBeUndefined()
  }
  expect(gate(key)).toBeUndefined()
  expect(gate(adjust)).toBeUndefined()
  expect(gate(adjust, button)?.message).toContain('used up')
})

describe('looking back', () => {
  const policy = aPolicy('controlled_live_test', { max_actions: 2 })
  const done = (id: string, data: Record<string, string> = {}) =>
    ({ id, actionType: 'click', success: true, outcome: 'succeeded', data }) as const
  const check = (action_id: string, admitted = true) => ({
    execution_id: 'e',
    action_id,
    action_type: 'click',
    target: '',
    admitted,
    created_at: '2026-03-01T12:00:00.000Z',
  })

  test('what was asked about and let is no breach, nor is what was never done', () => {
    const looked = { ...done('look'), actionType: 'snapshot_ui' }
    const failed = { ...done('c'), success: false, outcome: 'failed' as const }
    const results = [done('a'), looked, failed, done('d', { already: 'true' })]
    expect(findBreach({ policy, results, checks: [check('a'), check('c', false)] })).toBeUndefined()
  })

  test('what got through is', () => {
    expect(findBreach({ policy, results: [done('a')], checks: [] })).toContain(
      'without being asked',
    )
    const refused = [check('a'), check('a', false)]
    expect(findBreach({ policy, results: [done('a')], checks: refused })).toContain('refused')
    const three = ['a', 'b', 'c']
    const over = {
      policy,
      results: three.map((id) => done(id)),
      checks: three.map((id) => check(id)),
    }
    expect(findBreach(over)).toContain('3 steps')
  })
})

const anyPolicy = fc
  .record({
    mode: fc.constantFrom(...TestPolicyMode.options),
    forbid_destructive_writes: fc.boolean(),
    forbid_external_send: fc.boolean(),
    max_actions: fc.integer({ min: 1, max: 6 }),
    safe: fc.boolean(),
  })
  .map(({ mode, safe, ...flags }) =>
    aPolicy(mode, {
      ...flags,
      safe_targets: safe ? [{ target_kind: 'blank_document', ref: 'Practice note' }] : [],
    }),
  )
const words = ['Lobby', 'Save', 'Delete', 'Send', 'Practice note', 'Löschen', 'Search', 'Teilen']
const anyPlan = fc.array(
  fc.oneof(
    fc.constantFrom(...words).map(tap),
    fc.constantFrom(...words).map((field) => typing('x', field)),
    fc.constant({ type: 'press_key', params: { key: 'back' } }),
  ),
  { minLength: 1, maxLength: 8 },
)

test('the same question gets the same answer, and a stricter policy never lets more', () => {
  fc.assert(
    fc.property(anyPolicy, anyPlan, (policy, plan) => {
      const actions = actionsOf(...plan)
      const refused = (changes: Partial<TestPolicy> = {}) =>
        refusedByPlan({ ...policy, ...changes }, actions).map(({ action }) => action.id)
      const first = refused()
      expect(refused()).toEqual(first)
      expect(refused({ mode: 'dry_run_only' })).toHaveLength(actions.length)
      for (const stricter of [
        { forbid_destructive_writes: true },
        ...(policy.mode === 'redirect_send' ? [] : [{ forbid_external_send: true }]),
      ]) {
        expect(refused(stricter)).toEqual(expect.arrayContaining(first))
      }
      const looser = refused({ mode: 'controlled_live_test' })
      if (policy.mode !== 'redirect_send') expect(first).toEqual(expect.arrayContaining(looser))
    }),
    { numRuns: 300 },
  )
})
