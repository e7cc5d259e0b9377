import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { eventually } from '../devices/driver/outcomes.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { postRepeatedly } from '../kit/repeated-request.ts'
import { addNote, countRows, FIRST_NOTES, installRecipes, NOTES, pauses, readNotes, startRun } from './run-kit.ts'

const INPUTS = { title: 'Plan', body: 'Water the plants' }
const [firstStep, ...laterSteps] = addNote.steps
if (firstStep === undefined) throw new Error('no step')

/** 120 steps between the first step of a note and the others: three executions and the verification. */
const longNote: Recipe = { ...addNote, steps: [firstStep, ...pauses(120), ...laterSteps] }

/** The first execution does nothing, the last one opens the app again and verifies its first screen. */
const reopen: Recipe = {
  ...addNote,
  recipe_id: `${NOTES}.reopen`,
  inputs: [],
  capabilities: ['observe', 'navigate'],
  steps: [...pauses(60), { id: 'again', type: 'open_app' }],
  verification: [{ id: 'listed', selector: { resource_id: `${NOTES}:id/notes` } }],
  checkpoints: [],
}

async function startPhone(recipes: Readonly<Record<string, Recipe>>, home?: string): Promise<Daemon> {
  const daemon = await startDaemon({
    quick: true,
    config: { phone: 'simulated' },
    ...(home === undefined ? {} : { home }),
  })
  if (home === undefined) await installRecipes(daemon, recipes)
  return daemon
}

const readRun = async (daemon: Daemon, { run_id }: AbilityRun): Promise<AbilityRun> =>
  (await daemon.get(`/api/abilities/runs/${run_id}`)).json<{ run: AbilityRun }>().run

const waitForEnd = (daemon: Daemon, run: AbilityRun) =>
  eventually(
    () => readRun(daemon, run),
    ({ settled_at }) => settled_at !== undefined,
  )

test('a recipe of 127 actions runs as several executions of one run', { timeout: 120_000 }, async () => {
  const daemon = await startPhone({ long: longNote })
  const { reply, run } = await startRun(daemon, 'long', { inputs: INPUTS })
  expect(reply.statusCode, reply.body).toBe(200)
  expect(run.state, JSON.stringify(run.trouble)).toBe('success')
  expect(readNotes(daemon).slice(FIRST_NOTES)).toEqual([INPUTS])
  expect(run.parts?.map(({ state }) => state)).toEqual(['succeeded', 'succeeded', 'succeeded', 'succeeded'])
  expect(run.parts?.every(({ actions }) => actions <= 50)).toBe(true)
  expect(run.parts?.reduce((sum, { actions }) => sum + actions, 0)).toBe(128)
  expect(run).toMatchObject({
    checkpoints_reached: ['saved'],
    verification: [{ verification_id: 'verify.written', held: true }],
  })

  const steps = daemon
    .events()
    .filter(({ kind, subject }) => subject === `run/${run.run_id}` && kind.endsWith('step_finished'))
  expect(steps).toHaveLength(128)
  const leases = daemon.events().filter(({ kind }) => kind === 'device.leased' || kind === 'device.released')
  expect(leases.map(({ kind }) => kind)).toEqual(['device.leased', 'device.released'])
  expect(countRows(daemon, 'use_receipts')).toBe(1)
  // The values of inputs are not kept twice.
  const kept = daemon.system.store.read(({ db }) =>
    db.prepare('SELECT count(*) FROM ability_run_parts WHERE payload IS NOT NULL').pluck().get(),
  )
  expect(kept).toBe(0)
})

test('a long run that finds its outcome reached only verifies it', { timeout: 90_000 }, async () => {
  const listed = {
    resource_id: `${NOTES}:id/note`,
    containing: { text_equals: '${inputs.title}', annotation: 'USER_SPECIFIC' as const },
  }
  const once: Recipe = {
    ...addNote,
    skip_if_done: true,
    steps: [...addNote.steps.slice(0, 4), ...pauses(60)],
    verification: [{ id: 'listed', selector: listed }],
  }
  const daemon = await startPhone({ once })
  const first = await startRun(daemon, 'once', { inputs: INPUTS })
  expect(first.run).toMatchObject({ state: 'success', acted: true })
  const second = await startRun(daemon, 'once', { inputs: INPUTS })
  expect(second.run).toMatchObject({ state: 'success', acted: false })
  expect(second.run.parts?.map(({ state }) => state)).toEqual(['succeeded', undefined, 'succeeded'])
  expect(readNotes(daemon)).toHaveLength(FIRST_NOTES + 1)
})

test('a short run takes no lease and is one execution', { timeout: 60_000 }, async () => {
  const daemon = await startPhone({ short: addNote })
  const { run } = await startRun(daemon, 'short', { inputs: INPUTS })
  expect(run).toMatchObject({ state: 'success', timeout_ms: 90_000, parts: [{ execution_id: run.execution_id }] })
  expect(daemon.events().map(({ kind }) => kind)).not.toContain('device.leased')
})

test('the time of a run is divided over its executions', { timeout: 60_000 }, async () => {
  const daemon = await startPhone({ short: addNote })
  const tooLong = await startRun(daemon, 'short', { inputs: INPUTS, timeout_ms: 900_001 })
  expect(tooLong.reply.statusCode).toBe(400)
  const { run } = await startRun(daemon, 'short', { inputs: INPUTS, timeout_ms: 300_000 })
  expect(run.state, JSON.stringify(run.trouble)).toBe('success')
  expect(run.parts?.length).toBeGreaterThan(1)
  const limits = daemon.system.store.read(({ db }) =>
    db.prepare("SELECT payload ->> '$.timeoutMs' FROM executions").pluck().all(),
  )
  expect(limits.every((limit) => Number(limit) <= 120_000)).toBe(true)
})

test('a run ends when its time is over, before its next execution', { timeout: 60_000 }, async () => {
  const daemon = await startPhone({ reopen })
  const off = daemon.system.store.onCommit(() => {
    if (daemon.events().some(({ kind }) => kind === 'execution.step_finished')) {
      daemon.clock.now = new Date('2026-03-01T12:20:00.000Z')
    }
  })
  onTestFinished(off)
  const { run } = await startRun(daemon, 'reopen', { timeout_ms: 100_000 })
  expect(run).toMatchObject({ state: 'failed', trouble: { code: 'RESULT_ENVELOPE_TIMEOUT' } })
  expect(run.parts?.map(({ state }) => state)).toEqual(['succeeded', undefined, undefined])
})

test('another user cannot use the device between two executions of a run', { timeout: 60_000 }, async () => {
  const daemon = await startPhone({
    reopen: {
      ...reopen,
      steps: [...pauses(59), { id: 'hold', type: 'sleep', params: { durationMs: 1500 } }, ...pauses(1, 'after')],
    },
  })
  const token = await daemon.tokenFor('other')
  const { run } = await startRun(daemon, 'reopen', { wait_ms: 0 })
  await eventually(
    () => readRun(daemon, run),
    ({ state }) => state === 'running',
  )
  const foreign = await daemon.post(
    `/api/devices/${encodeURIComponent(String(run.serial))}/lease`,
    { duration_ms: 60_000 },
    token,
  )
  expect(foreign.json()).toMatchObject({ error: { code: 'DEVICE_LEASED' } })
  expect((await waitForEnd(daemon, run)).state).toBe('success')
  const after = await daemon.post(
    `/api/devices/${encodeURIComponent(String(run.serial))}/lease`,
    { duration_ms: 60_000 },
    token,
  )
  expect(after.statusCode).toBe(201)
})

test('cancelling between two executions starts no further one', { timeout: 60_000 }, async () => {
  const hold = { id: 'hold', type: 'sleep', params: { durationMs: 60_000 } } as const
  const daemon = await startPhone({
    held: { ...longNote, steps: [...longNote.steps.slice(0, 60), hold, ...laterSteps] },
  })
  const { run } = await startRun(daemon, 'held', { inputs: INPUTS, wait_ms: 0 })
  await eventually(
    () => daemon.events().filter(({ kind }) => kind === 'execution.started').length,
    (started) => started === 2,
  )
  const reply = await postRepeatedly(daemon, `/api/abilities/runs/${run.run_id}/cancel`)
  expect(reply.statusCode, reply.body).toBe(200)
  const cancelled = reply.json<{ run: AbilityRun }>().run
  // The first execution opened the editor, so the effect is not known.
  expect(cancelled).toMatchObject({ state: 'indeterminate', acted: true, trouble: { code: 'EXECUTION_CANCELLED' } })
  expect(cancelled.parts?.map(({ state }) => state)).toEqual(['succeeded', 'cancelled', undefined])
  expect(readNotes(daemon)).toHaveLength(FIRST_NOTES)
  const again = await daemon.post(`/api/abilities/runs/${run.run_id}/cancel`)
  expect(again.json()).toMatchObject({ error: { code: 'EXECUTION_SETTLED' } })
})

/** The home as a kill would leave it at the first commit that fulfils `when`. */
async function killAt(daemon: Daemon, when: (kinds: readonly string[]) => boolean): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-killed-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  let isCopied = false
  const off = daemon.system.store.onCommit(() => {
    if (isCopied || !when(daemon.events().map(({ kind }) => kind))) return
    isCopied = true
    daemon.system.store.schema.prepare('VACUUM INTO ?').run(join(home, 'copy.db'))
  })
  onTestFinished(off)
  return home
}

const count = (kinds: readonly string[], kind: string) => kinds.filter((one) => one === kind).length

test('a run killed between two executions continues with the next one', { timeout: 90_000 }, async () => {
  const daemon = await startPhone({ reopen })
  const home = await killAt(daemon, (kinds) => count(kinds, 'ability.run.execution_queued') === 2)
  const { run } = await startRun(daemon, 'reopen', {})
  expect(run.state, JSON.stringify(run.trouble)).toBe('success')
  await daemon.stop()

  const restarted = await startOn(home)
  const resumed = await waitForEnd(restarted, run)
  expect(resumed.state, JSON.stringify(resumed.trouble)).toBe('success')
  expect(resumed.parts?.map(({ state }) => state)).toEqual(['succeeded', 'succeeded', 'succeeded'])
  // The first execution is not repeated.
  expect(restarted.events().filter(({ kind }) => kind === 'execution.started')).toHaveLength(3)
})

test('a run killed during its second execution ends as indeterminate', { timeout: 90_000 }, async () => {
  const daemon = await startPhone({ reopen })
  const home = await killAt(daemon, (kinds) => count(kinds, 'execution.started') === 2)
  const { run } = await startRun(daemon, 'reopen', {})
  await daemon.stop()

  const restarted = await startOn(home)
  const ended = await waitForEnd(restarted, run)
  expect(ended).toMatchObject({ state: 'indeterminate', trouble: { code: 'EXECUTION_INTERRUPTED' } })
  expect(ended.parts?.map(({ state }) => state)).toEqual(['succeeded', 'interrupted', undefined])
  expect(countRows(restarted, 'device_leases')).toBe(0)
})

async function startOn(home: string): Promise<Daemon> {
  copyFileSync(join(home, 'copy.db'), join(home, 'apprentice.db'))
  return startPhone({}, home)
}
