import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import type { ExecutionRecord } from '@apprentice/contracts/devices/executions.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { climate, installRecipe, readRoom } from './installed-recipe.ts'

const ROOM = 'Reception'

async function runRecipe(recipe: Recipe, body: object = {}) {
  const daemon = await startDaemon({ quick: true, config: { phone: 'simulated' } })
  const ability = await installRecipe(daemon, recipe)
  const reply = await daemon.post(`/api/abilities/${ability}/run`, {
    inputs: { room: ROOM },
    wait_ms: 60_000,
    ...body,
  })
  return { daemon, reply, run: reply.json<{ run: AbilityRun }>().run }
}

/** Reads the model of the phone. */
function readTemperature({ system }: Daemon): number {
  const units = system.devices.phone.simulated?.state(climate).saved['units']
  const unit = (units as { name: string; temperature: number }[]).find(({ name }) => name === ROOM)
  if (unit === undefined) throw new Error('No such room.')
  return unit.temperature
}

test('outputs are redacted as the recipe says in every stored record', { timeout: 90_000 }, async () => {
  const { daemon, reply, run: settled } = await runRecipe(readRoom)
  expect(reply.statusCode, reply.body).toBe(200)
  expect(settled.state, JSON.stringify(settled.trouble)).toBe('success')

  const key = readFileSync(join(daemon.home, 'secrets', 'outputs.key'), 'utf8').trim()
  const { degrees, shown, fingerprint } = settled.outputs
  expect(degrees).toBe(readTemperature(daemon))
  expect(shown).toMatch(/^\*+.{2}$/)
  expect(Object.keys(settled.outputs).toSorted()).toEqual(['degrees', 'fingerprint', 'shown'])
  const { execution } = (await daemon.get(`/api/executions/${settled.execution_id}`)).json<{
    execution: ExecutionRecord
  }>()
  const read = (step: string) => execution.envelope?.stepResults.find((result) => result.id === step)?.data['text']
  const open = read('read_number') ?? ''
  expect(open).toContain(String(readTemperature(daemon)))
  expect(fingerprint).toBe(createHmac('sha256', key).update(open).digest('hex'))
  expect([read('read_text'), read('read_hash'), read('read_drop')]).toEqual([shown, fingerprint, undefined])

  // Without the output that is not redacted, no table contains the value.
  const { outputs } = { ...readRoom, outputs: readRoom.outputs.slice(1) }
  const strict = await runRecipe({ ...readRoom, outputs, steps: readRoom.steps.slice(1) })
  expect(strict.run.state).toBe('success')
  const leaks = strict.daemon.system.store.read(({ db }) =>
    ['executions', 'jobs', 'events', 'ability_runs', 'traces', 'use_receipts']
      .flatMap((table) => db.prepare(`SELECT * FROM ${table}`).all())
      .map((row) => JSON.stringify(row))
      .filter((row) => row.includes(open)),
  )
  expect(leaks).toEqual([])
})

test('a step that used a fallback is reported as drift', { timeout: 60_000 }, async () => {
  const [first, ...rest] = readRoom.steps
  if (first === undefined) throw new Error('no step')
  const moved = {
    ...first,
    selector: { resource_id: `${climate}:id/moved_away` },
    fallbacks: [{ resource_id: `${climate}:id/unit_temperature` }],
  }
  const { run: settled } = await runRecipe({ ...readRoom, steps: [moved, ...rest] })
  expect(settled).toMatchObject({
    state: 'success',
    used_fallbacks: ['read_number'],
    drift: [{ step_id: 'read_number', used_fallback: 1 }],
  })
})

test.each([
  [{ min_version_code: 200, max_version_code: 300 }, 'in_range'],
  [{ max_version_code: 240 }, 'out_of_range'],
])('an app version checked against %j is reported as %s', { timeout: 60_000 }, async (compatibility, compat) => {
  const { run: settled } = await runRecipe({ ...readRoom, compatibility })
  expect(settled).toMatchObject({ state: 'success', compat })
})

test(
  'a strict run on an unsupported app version is refused before anything is queued',
  { timeout: 60_000 },
  async () => {
    const compatibility = { max_version_code: 240 }
    const { daemon, reply } = await runRecipe({ ...readRoom, compatibility }, { strict_compat: true })
    expect(reply.json()).toMatchObject({
      error: {
        code: 'RECIPE_COMPAT_OUT_OF_RANGE',
        details: { compat: 'out_of_range', version_code: 241, compatibility },
      },
    })
    expect(daemon.events().map(({ kind }) => kind)).not.toContain('execution.queued')
    const rows = daemon.system.store.read(({ db }) =>
      ['ability_runs', 'executions'].map((table) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()),
    )
    expect(rows).toEqual([0, 0])
  },
)

test('a recipe without version limits runs with any app version', { timeout: 60_000 }, async () => {
  const { run: settled } = await runRecipe(readRoom, { strict_compat: true })
  expect(settled.state).toBe('success')
  expect(settled).not.toHaveProperty('compat')
})
