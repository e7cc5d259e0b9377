import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Action } from '@apprentice/contracts/devices/action.ts'
import { normalizeExecution } from '@apprentice/contracts/devices/execution.ts'
import { type TestPolicy, TestPolicyMode } from '@apprentice/contracts/learn/test-policy.ts'
import type { NodeSummary } from '../../src/screen/matcher.ts'
import { findBreach } from '../../src/domain/validation/policy-audit.ts'
import { createPolicyGate, findRefusedActions } from '../../src/knowledge/action-policy/policy-gate.ts'
import { countRuns } from '../kit/count-runs.ts'

function buildPolicy(mode: TestPolicy['mode'], changes: Partial<TestPolicy> = {}): TestPolicy {
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

function buildActions(...actions: { type: string; params?: object }[]): Action[] {
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
const enterText = (text: string, field = 'Title', submit = false) => ({
  type: 'enter_text',
  params: { matcher: { textEquals: field }, text, submit },
})

const buildNode = (changes: Partial<NodeSummary> = {}): NodeSummary => ({
  path: '0.1.2',
  label: '',
  class: 'android.widget.Button',
  resource_id: '',
  content_desc: '',
  role: 'button',
  bounds: null,
  ...changes,
})

/** The refusal of a first touch on a node, if it is refused. */
function checkTouch(policy: TestPolicy, node: Partial<NodeSummary>): string | undefined {
  const gate = createPolicyGate(policy)
  const [action] = buildActions({
    type: 'click',
    params: { matcher: { class: 'android.widget.Button' } },
  })
  if (action === undefined) throw new Error('no action')
  return gate(action)?.message ?? gate(action, buildNode(node))?.message
}

describe('labels', () => {
  const live = buildPolicy('controlled_live_test')

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
  ])('%s is destructive', (label) => {
    expect(checkTouch(live, { label })).toContain('forbids destructive actions')
    expect(checkTouch(live, { content_desc: label })).toContain('forbids destructive actions')
    expect(checkTouch({ ...live, forbid_destructive_writes: false }, { label })).toBeUndefined()
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
  ])('%s sends something', (label) => {
    expect(checkTouch(live, { label })).toContain('forbids sending to others')
    expect(checkTouch({ ...live, forbid_external_send: false }, { label })).toBeUndefined()
  })

  test.each(['Undelete', 'Sender', 'Postman', 'Resettlement', 'Callisto', 'Kaufmann', 'Lobby'])(
    '%s is neither destructive nor sending',
    (label) => {
      expect(checkTouch(live, { label })).toBeUndefined()
    },
  )

  test('resource ids are checked like labels', () => {
    expect(checkTouch(live, { resource_id: 'com.x:id/btnDeleteAll' })).toContain('forbids destructive actions')
    expect(checkTouch(live, { resource_id: 'com.x:id/send_button' })).toContain('forbids sending to others')
    expect(checkTouch(live, { resource_id: 'com.delete.app:id/title' })).toBeUndefined()
  })
})

test('swiping a list entry sideways may remove it, dragging it only moves it', () => {
  const matcher = { textEquals: 'Travel form' }
  const [away, drag] = buildActions(
    { type: 'swipe', params: { matcher, direction: 'left' } },
    { type: 'swipe', params: { matcher, onto: { textEquals: 'Price list' } } },
  )
  const check = (action: Action | undefined, policy: TestPolicy) => action && createPolicyGate(policy)(action)?.message
  expect(check(away, buildPolicy('controlled_live_test'))).toContain('forbids destructive actions')
  expect(check(away, buildPolicy('controlled_live_test', { forbid_destructive_writes: false }))).toBeUndefined()
  expect(check(drag, buildPolicy('controlled_live_test'))).toBeUndefined()
  expect(check(drag, buildPolicy('read_only'))).toBeDefined()
})

describe('modes', () => {
  test('dry_run_only admits no action', () => {
    const gate = createPolicyGate(buildPolicy('dry_run_only'))
    const all = buildActions(
      { type: 'open_app', params: { applicationId: 'com.x' } },
      tap('Lobby'),
      { type: 'scroll' },
      { type: 'press_key', params: { key: 'back' } },
    )
    for (const action of all) expect(gate(action)?.code).toBe('TEST_POLICY_VIOLATION')
    const [look] = buildActions({ type: 'snapshot_ui' })
    expect(look && gate(look)).toBeUndefined()
  })

  test('read_only admits navigation and search, but no changes', () => {
    const reading = buildPolicy('read_only')
    expect(checkTouch(reading, { label: 'Lobby' })).toBeUndefined()
    expect(checkTouch(reading, { label: 'Search', class: 'android.widget.EditText' })).toBeUndefined()
    expect(findRefusedActions(reading, buildActions(enterText('lobby', 'Search units', true)))).toEqual([])
    for (const node of [
      { label: 'Save' },
      { label: 'Speichern' },
      { label: 'Power', class: 'android.widget.Switch' },
      { label: '', class: 'android.view.View' },
      { content_desc: 'Add note' },
    ]) {
      expect(checkTouch(reading, node), JSON.stringify(node)).toContain('only reading')
    }
    expect(findRefusedActions(reading, buildActions(enterText('hello')))).toHaveLength(1)
  })

  test('a row without a label is judged by its matcher', () => {
    const [row] = buildActions({
      type: 'click',
      params: { matcher: { resourceId: 'com.x:id/unit', containing: { textEquals: 'Lobby' } } },
    })
    const gate = createPolicyGate(buildPolicy('read_only'))
    expect(row && gate(row, buildNode({ class: 'android.widget.LinearLayout' }))).toBeUndefined()
  })

  test('changes are admitted only inside a safe target, until it is left', () => {
    const policy = buildPolicy('blank_artifact', {
      safe_targets: [{ target_kind: 'blank_document', ref: 'Practice note' }],
    })
    const outside = findRefusedActions(policy, buildActions(tap('Groceries'), enterText('milk'), tap('Save')))
    expect(outside.map(({ action }) => action.id)).toEqual(['a1', 'a2'])
    const inside = buildActions(tap('Practice note'), enterText('milk'), tap('Save'))
    expect(findRefusedActions(policy, inside)).toEqual([])
    const leaving = buildActions(
      tap('Practice note'),
      { type: 'press_key', params: { key: 'back' } },
      tap('Groceries'),
      enterText('milk'),
    )
    expect(findRefusedActions(policy, leaving).map(({ action }) => action.id)).toEqual(['a3'])
    const wrongKind = { ...policy, mode: 'copy_artifact' } as const
    expect(findRefusedActions(wrongKind, inside)).toHaveLength(2)
    expect(findRefusedActions(policy, buildActions(tap('Practice note'), tap('Delete')))).toHaveLength(1)
    expect(findRefusedActions(policy, buildActions(tap('My Practice notes'), tap('Save')))).toHaveLength(1)
  })

  test('redirect_send admits only the safe recipient', () => {
    const policy = buildPolicy('redirect_send', {
      safe_targets: [{ target_kind: 'safe_email_recipient', ref: 'test@example.org' }],
    })
    const safe = buildActions(enterText('test@example.org', 'To'), enterText('hi', 'Body'), tap('Send'))
    expect(findRefusedActions(policy, safe)).toEqual([])
    const other = buildActions(enterText('boss@example.org', 'To'), tap('Send'))
    expect(findRefusedActions(policy, other).map(({ action }) => action.id)).toEqual(['a1'])
  })

  test('submitted text counts as sending, unless it is a search', () => {
    const live = buildPolicy('controlled_live_test')
    expect(findRefusedActions(live, buildActions(enterText('hi', 'Message', true)))).toHaveLength(1)
    expect(findRefusedActions(live, buildActions(enterText('hi', 'Message')))).toEqual([])
    expect(findRefusedActions(live, buildActions(enterText('hi', 'Suche', true)))).toEqual([])
  })
})

describe('addresses', () => {
  const open = (uri: string) => buildActions({ type: 'open_uri', params: { uri } })
  const policy = buildPolicy('controlled_live_test', {
    allowed_domains: ['example.org', '*.test.org'],
  })

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
    expect(findRefusedActions(policy, open(uri))).toHaveLength(times)
  })

  test('without allowed_domains all domains are admitted, but no calls or messages', () => {
    const free = buildPolicy('controlled_live_test')
    expect(findRefusedActions(free, open('https://anywhere.net'))).toEqual([])
    expect(findRefusedActions(free, open('tel:112'))).toHaveLength(1)
    expect(findRefusedActions(free, open('mailto:a@b.c'))).toHaveLength(1)
  })
})

test('max_actions counts executed actions only, and each touch once', () => {
  const gate = createPolicyGate(buildPolicy('controlled_live_test', { max_actions: 3 }))
  const [adjust, key] = buildActions(
    {
      type: 'adjust_until',
      params: { value: { resourceId: 'v' }, target: 3, increase: { resourceId: 'plus' } },
    },
    { type: 'press_key', params: { key: 'back' } },
  )
  if (adjust === undefined || key === undefined) throw new Error('no actions')
  const button = buildNode({ path: '0.1.2', label: 'Warmer' })
  const row = buildNode({ path: '0.1', class: 'android.widget.LinearLayout' })
  expect(gate(adjust)).toBeUndefined()
  for (let touch = 0; touch < 2; touch += 1) {
    expect(gate(adjust, button)).toBeUndefined()
    expect(gate(adjust, row)).toBeUndefined()
  }
  expect(gate(key)).toBeUndefined()
  expect(gate(adjust)).toBeUndefined()
  expect(gate(adjust, button)?.message).toContain('used up')
})

describe('audit', () => {
  const policy = buildPolicy('controlled_live_test', { max_actions: 2 })
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

  test('admitted actions and actions that were not executed are no breach', () => {
    const looked = { ...done('look'), actionType: 'snapshot_ui' }
    const failed = { ...done('c'), success: false, outcome: 'failed' as const }
    const results = [done('a'), looked, failed, done('d', { already: 'true' })]
    expect(findBreach({ policy, results, checks: [check('a'), check('c', false)] })).toBeUndefined()
  })

  test('unchecked, refused and excess actions are breaches', () => {
    expect(findBreach({ policy, results: [done('a')], checks: [] })).toContain('without a policy check')
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
    buildPolicy(mode, {
      ...flags,
      safe_targets: safe ? [{ target_kind: 'blank_document', ref: 'Practice note' }] : [],
    }),
  )
const LABELS = ['Lobby', 'Save', 'Delete', 'Send', 'Practice note', 'Löschen', 'Search', 'Teilen']
const anyPlan = fc.array(
  fc.oneof(
    fc.constantFrom(...LABELS).map(tap),
    fc.constantFrom(...LABELS).map((field) => enterText('x', field)),
    fc.constant({ type: 'press_key', params: { key: 'back' } }),
  ),
  { minLength: 1, maxLength: 8 },
)

test('decisions are deterministic, and a stricter policy never admits more', () => {
  fc.assert(
    fc.property(anyPolicy, anyPlan, (policy, plan) => {
      const actions = buildActions(...plan)
      const refused = (changes: Partial<TestPolicy> = {}) =>
        findRefusedActions({ ...policy, ...changes }, actions).map(({ action }) => action.id)
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
    { numRuns: countRuns(300) },
  )
})
