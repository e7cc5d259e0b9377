import { expect, test } from 'vitest'
import type { AbilityAvailabilityEntry } from '@apprentice/contracts/abilities/ability.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { refreshAvailability } from '../../src/domain/abilities/availability.ts'
import { runCommand } from '../abilities/ability-rows.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { removeInstallation } from '../projections/installed-rows.ts'
import { addNote, callStep, countRows, FIRST_NOTES, installRecipes, NOTES, readNotes, startRun } from './run-kit.ts'

const listed = (text: string) => ({
  resource_id: `${NOTES}:id/note`,
  containing: { text_equals: text, annotation: 'USER_SPECIFIC' as const },
})

/** Writes two notes by calling the ability that writes one, and verifies that the first is listed. */
const addTwo: Recipe = {
  ...addNote,
  recipe_id: `${NOTES}.add-two`,
  summary: 'Write two notes',
  inputs: [
    { name: 'first', type: 'string', required: true },
    { name: 'text', type: 'string', required: false },
  ],
  steps: [
    callStep('call_first', 'add-note', { inputs: { title: '${inputs.first}', body: '${inputs.text}' } }),
    callStep('call_second', 'add-note', { inputs: { title: 'Second', body: 'fixed text' } }),
    { id: 'again', type: 'close_app' },
    { id: 'list', type: 'open_app' },
  ],
  verification: [{ id: 'listed', selector: listed('${inputs.first}') }],
  checkpoints: [],
}

const withDefault: Recipe = {
  ...addNote,
  inputs: addNote.inputs.map((input) => (input.name === 'body' ? { ...input, default: 'by default' } : input)),
}

async function startNotes(recipes: Readonly<Record<string, Recipe>>): Promise<Daemon> {
  const daemon = await startDaemon({ quick: true, config: { phone: 'simulated' } })
  await installRecipes(daemon, recipes)
  return daemon
}

test('an ability runs another one as a step, with its own verification', { timeout: 120_000 }, async () => {
  const daemon = await startNotes({ 'add-note': withDefault, 'add-two': addTwo })
  const { reply, run } = await startRun(daemon, 'add-two', { inputs: { first: 'First' } })
  expect(reply.statusCode, reply.body).toBe(200)
  expect(run.state, JSON.stringify(run.trouble)).toBe('success')
  expect(readNotes(daemon).slice(FIRST_NOTES)).toEqual([
    { title: 'First', body: 'by default' },
    { title: 'Second', body: 'fixed text' },
  ])
  expect(run.verification.map(({ verification_id, held }) => [verification_id, held])).toEqual([
    ['call_first/verify.written', true],
    ['call_second/verify.written', true],
    ['verify.listed', true],
  ])
  expect(run.checkpoints_reached).toEqual(['call_first/saved', 'call_second/saved'])
  const called = run.parts?.find(({ call }) => call === 'call_first')
  expect(called).toMatchObject({ ability_id: 'learned.add-note', version: 1 })
  expect(called?.content_hash).toMatch(/^[0-9a-f]{64}$/)
  expect(called?.content_hash).not.toBe(run.content_hash)

  const trace = daemon.system.store.read(({ db }) => db.prepare('SELECT body FROM traces').pluck().get())
  const { steps } = JSON.parse(String(trace)) as { steps: { step_id: string; steps?: { step_id: string }[] }[] }
  expect(steps.map(({ step_id }) => step_id)).toEqual([
    'session_close',
    'session_open',
    'call_first',
    'call_second',
    'again',
    'list',
    'verify.listed',
  ])
  expect(steps[2]).toMatchObject({ action_label: 'call_ability', ability_id: 'learned.add-note', success: true })
  expect(steps[2]?.steps?.at(-1)).toMatchObject({ step_id: 'verify.written' })
})

test('a called ability that fails ends the run at its step', { timeout: 120_000 }, async () => {
  const wrong: Recipe = {
    ...addNote,
    verification: [{ id: 'written', selector: { text_equals: 'Gone', annotation: 'STRUCTURAL' }, timeout_ms: 300 }],
  }
  const daemon = await startNotes({ 'add-note': wrong, 'add-two': addTwo })
  const { run } = await startRun(daemon, 'add-two', { inputs: { first: 'First', text: 'x' } })
  expect(run).toMatchObject({
    state: 'failed',
    trouble: { code: 'VERIFY_FAILED', step_id: 'call_first/verify.written' },
  })
  // The second call is not started.
  expect(readNotes(daemon).slice(FIRST_NOTES)).toEqual([{ title: 'First', body: 'x' }])
})

test(
  'outputs of a called ability become outputs of the caller, redacted by the stricter rule',
  { timeout: 60_000 },
  async () => {
    const read: Recipe = {
      ...addNote,
      recipe_id: `${NOTES}.read`,
      recipe_type: 'flow',
      capabilities: ['observe', 'navigate'],
      inputs: [],
      outputs: [{ name: 'body', type: 'string', from: 'read', redaction: 'none' }],
      steps: [
        {
          id: 'read',
          type: 'read_text',
          selector: { resource_id: `${NOTES}:id/note_body` },
          container: listed('Meeting'),
        },
      ],
      verification: [{ id: 'listed', selector: listed('Meeting') }],
      checkpoints: [],
    }
    const caller: Recipe = {
      ...read,
      recipe_id: `${NOTES}.caller`,
      outputs: [
        { name: 'open', type: 'string', redaction: 'none' },
        { name: 'closed', type: 'string' },
      ],
      steps: [
        callStep('one', 'read', { outputs: { open: 'body' } }),
        callStep('two', 'read', { outputs: { closed: 'body' } }),
      ],
    }
    const daemon = await startNotes({ read, caller })
    const { run } = await startRun(daemon, 'caller', {})
    expect(run.state, JSON.stringify(run.trouble)).toBe('success')
    expect(run.outputs).toEqual({ open: 'Monday at ten', closed: '***********en' })
  },
)

test('a purchase in a called ability needs the same permission as in the caller', { timeout: 60_000 }, async () => {
  const risky: Recipe = { ...addNote, capabilities: [...addNote.capabilities, 'purchase_risk'] }
  const daemon = await startNotes({ 'add-note': risky, 'add-two': addTwo })
  const inputs = { first: 'First', text: 'x' }
  const refused = await startRun(daemon, 'add-two', { inputs })
  expect(refused.reply.statusCode).toBe(403)
  expect(refused.reply.json()).toMatchObject({
    error: { code: 'POLICY_DENIED', details: { denied_capabilities: ['purchase_risk'], recipe_id: risky.recipe_id } },
  })
  expect(countRows(daemon, 'executions')).toBe(0)
  const { run } = await startRun(daemon, 'add-two', { inputs, allow_capabilities: ['purchase_risk'] })
  expect(run.state, JSON.stringify(run.trouble)).toBe('success')
})

const availability = async (daemon: Daemon, slug: string) =>
  (await daemon.get(`/api/abilities/learned.${slug}/availability`)).json<AbilityAvailabilityEntry>()

const UNAVAILABLE = { usable_now: false, reason_unusable: 'called_ability_unavailable:learned.add-note' }

test('a quarantined called ability makes its callers unavailable, also through another one', async () => {
  const daemon = await startDaemon()
  const outer: Recipe = {
    ...addTwo,
    recipe_id: `${NOTES}.outer`,
    steps: [callStep('inner', 'add-two', { inputs: { first: '${inputs.first}' } })],
  }
  await installRecipes(daemon, { outer, 'add-note': withDefault, 'add-two': addTwo })
  expect(await availability(daemon, 'outer')).toMatchObject({ usable_now: true })

  await daemon.post('/api/abilities/learned.add-note/quarantine', { reason: 'test' })
  expect(await availability(daemon, 'add-two')).toMatchObject(UNAVAILABLE)
  expect(await availability(daemon, 'outer')).toMatchObject({
    usable_now: false,
    reason_unusable: 'called_ability_unavailable:learned.add-two',
  })
  const { matches } = (
    await daemon.post('/api/abilities/lookup', {
      user_query: 'Reply «fast» 1',
      schema_version: 1,
      include_private_owned_by_user: true,
    })
  ).json<{ matches: { ability_id: string; reason_unusable?: string }[] }>()
  expect(matches.find(({ ability_id }) => ability_id === 'learned.add-two')).toMatchObject(UNAVAILABLE)
  const { reply } = await startRun(daemon, 'add-two', { inputs: { first: 'x' } })
  expect(reply.json()).toMatchObject({ error: { code: 'ABILITY_UNUSABLE', details: UNAVAILABLE_DETAILS } })

  await daemon.post('/api/abilities/learned.add-note/unquarantine', {})
  expect(await availability(daemon, 'outer')).toMatchObject({ usable_now: true })
})

const UNAVAILABLE_DETAILS = { reason_unusable: UNAVAILABLE.reason_unusable }

test('an uninstalled called ability makes its caller unavailable', async () => {
  const daemon = await startDaemon()
  await installRecipes(daemon, { 'add-note': withDefault, 'add-two': addTwo })
  await runCommand(daemon, (ctx) => removeInstallation(ctx, 'add-note'))
  expect(await availability(daemon, 'add-two')).toMatchObject(UNAVAILABLE)
})

test('an ability of another user cannot be called', async () => {
  const daemon = await startDaemon()
  await installRecipes(daemon, { 'add-note': withDefault, 'add-two': addTwo })
  await runCommand(daemon, (ctx) => {
    ctx.tx.db.prepare("UPDATE abilities SET owner_user_id = 'other' WHERE ability_id = 'learned.add-note'").run()
  })
  const { reply } = await startRun(daemon, 'add-two', { inputs: { first: 'x' } })
  expect(reply.json()).toMatchObject({
    error: {
      code: 'ABILITY_UNUSABLE',
      details: { called_ability_id: 'learned.add-note', reason_unusable: 'not_found' },
    },
  })
  await runCommand(daemon, (ctx) => refreshAvailability(ctx, 'test'))
  expect(await availability(daemon, 'add-two')).toMatchObject(UNAVAILABLE)
})

/** A chain of abilities in which each calls the next. */
function buildChain(length: number): Record<string, Recipe> {
  const inner = Object.fromEntries(
    Array.from({ length }, (_, at) => {
      const next = callStep('next', at === length - 1 ? 'add-note' : `link-${at + 1}`, {
        inputs: at === length - 1 ? { title: 'x', body: 'x' } : {},
      })
      return [
        `link-${at}`,
        {
          ...addNote,
          recipe_id: `${NOTES}.link-${at}`,
          inputs: [],
          steps: [next],
          checkpoints: [],
          verification: [{ id: 'any', selector: { resource_id: `${NOTES}:id/body` } }],
        },
      ]
    }),
  )
  return { ...inner, 'add-note': addNote }
}

test('calls may be nested five deep, not six', { timeout: 120_000 }, async () => {
  const daemon = await startNotes(buildChain(6))
  const deepest = await startRun(daemon, 'link-1', {})
  expect(deepest.run.state, JSON.stringify(deepest.run.trouble)).toBe('success')
  expect(readNotes(daemon)).toHaveLength(FIRST_NOTES + 1)
  expect(await availability(daemon, 'link-0')).toMatchObject({
    usable_now: false,
    reason_unusable: 'calls_nested_too_deep',
  })
  await runCommand(daemon, (ctx) => {
    ctx.tx.db.prepare('UPDATE abilities SET usable_now = 1, reason_unusable = NULL').run()
  })
  const refused = await startRun(daemon, 'link-0', {})
  expect(refused.reply.json()).toMatchObject({ error: { code: 'RECIPE_INVALID' } })
})

test('an ability that calls itself is refused by the linter and at a run', async () => {
  const daemon = await startDaemon()
  const one: Recipe = {
    ...addTwo,
    recipe_id: `${NOTES}.one`,
    inputs: [],
    verification: [{ id: 'any', selector: { resource_id: `${NOTES}:id/body` } }],
    steps: [callStep('next', 'two', {})],
  }
  const two: Recipe = { ...one, recipe_id: `${NOTES}.two`, steps: [callStep('back', 'one', {})] }
  await installRecipes(daemon, { one, two })
  await runCommand(daemon, (ctx) => {
    ctx.tx.db.prepare('UPDATE abilities SET usable_now = 1, reason_unusable = NULL').run()
  })
  const linted = await daemon.post('/api/recipes/lint', { recipe: one })
  const { valid, violations } = linted.json<{ valid: boolean; violations: Violation[] }>()
  expect(valid).toBe(false)
  expect(violations.filter(({ code }) => code === 'RECIPE_CALL_INVALID')).toMatchObject([
    { rule: 'calls', message: 'The ability calls itself, directly or through another ability' },
  ])
  const { reply } = await startRun(daemon, 'one', {})
  expect(reply.json()).toMatchObject({ error: { code: 'RECIPE_INVALID' } })
  expect(countRows(daemon, 'ability_runs')).toBe(0)
})

test('the linter checks what a call passes on', async () => {
  const daemon = await startDaemon()
  await installRecipes(daemon, { 'add-note': addNote })
  const lint = async (params: object, changes: Partial<Recipe> = {}) => {
    const step = callStep('call', 'add-note', params)
    const recipe = {
      ...addTwo,
      ...changes,
      inputs: [],
      verification: [{ id: 'any', selector: { resource_id: `${NOTES}:id/body` } }],
      steps: [step],
    }
    const { violations } = (await daemon.post('/api/recipes/lint', { recipe })).json<{ violations: Violation[] }>()
    return violations.filter(({ severity }) => severity === 'error').map(({ code, path }) => `${code} ${path}`)
  }
  const inputs = { title: 'x', body: 'x' }
  expect(await lint({ inputs })).toEqual([])
  expect(await lint({ inputs: { title: 'x' } })).toEqual(['RECIPE_CALL_INVALID steps.0.params.inputs'])
  expect(await lint({ inputs: { ...inputs, colour: 'red' } })).toEqual([
    'RECIPE_CALL_INVALID steps.0.params.inputs.colour',
  ])
  expect(await lint({ inputs, outputs: { gone: 'text' } })).toContain(
    'RECIPE_SCHEMA_INVALID steps.0.params.outputs.gone',
  )
  expect(await lint({ inputs, slug: 'add-note' })).toEqual(['RECIPE_SCHEMA_INVALID steps.0.params.ability_id'])
  expect(await lint({ inputs, ability_id: 'learned.none' })).toEqual(['RECIPE_CALL_INVALID steps.0.params.ability_id'])
  expect(await lint({ inputs }, { capabilities: ['observe', 'navigate', 'click'] })).toEqual([
    'RECIPE_CAPABILITY_UNDECLARED capabilities',
  ])
  const checkpoints = [{ checkpoint_id: 'called', after_step: 'call' }]
  expect(await lint({ inputs }, { checkpoints })).toEqual(['RECIPE_SCHEMA_INVALID checkpoints.0'])
  expect(await lint({ inputs }, { recipe_dialect: 1 })).toContain('RECIPE_ACTION_UNSUPPORTED steps.0.type')
})
