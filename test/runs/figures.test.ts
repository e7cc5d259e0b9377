import { expect, test } from 'vitest'
import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import type { RunFigures } from '@apprentice/contracts/abilities/run-figures.ts'
import { buildRunFigures } from '../../src/domain/runs/run-figures.ts'
import { type AbilityRunRow, insertAbilityRun } from '../../src/store/runs/ability-runs.ts'
import { runCommand } from '../abilities/ability-rows.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { addInstallation } from '../projections/installed-rows.ts'

const NOW = new Date('2026-03-10T12:00:00.000Z')
const OWNER = 'local'

interface StoredRun {
  readonly started: string
  readonly seconds?: number
  readonly state?: AbilityRun['state']
  readonly acted?: boolean
  readonly owner?: string
  readonly items?: number
}

function toRow(at: number, run: StoredRun): AbilityRunRow {
  const { started, seconds = 10, state = 'success', acted = true, owner = OWNER, items } = run
  const id = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`
  const isSettled = state !== 'queued' && state !== 'running'
  return {
    run_id: id,
    execution_id: id,
    owner_user_id: owner,
    ability_id: 'learned.greet',
    version: 1,
    state,
    serial: 'SIMULATED01',
    input_names: [],
    outcome: {
      acted,
      verification: [],
      checkpoints_reached: [],
      used_fallbacks: [],
      dismissed: [],
      drift: [],
      outputs: {},
    },
    created_at: started,
    ...(isSettled && { settled_at: new Date(Date.parse(started) + seconds * 1000).toISOString() }),
    ...(items !== undefined && { items_total: items }),
  }
}

/** Stores runs of an ability whose demonstration took one minute. */
async function storeRuns(runs: readonly StoredRun[]): Promise<Daemon> {
  const daemon = await startDaemon({ quick: true })
  const session = await daemon.aSessionIn('armed')
  await runCommand(daemon, (ctx) => {
    addInstallation(ctx, 'greet')
    const { db } = ctx.tx
    db.prepare('UPDATE learn_sessions SET capture_accumulated_ms = 60000 WHERE learn_session_id = ?').run(session)
    db.prepare("UPDATE abilities SET learn_session_id = ? WHERE ability_id = 'learned.greet'").run(session)
    for (const [at, run] of runs.entries()) insertAbilityRun(ctx.tx, toRow(at, run))
  })
  return daemon
}

const readFigures = ({ system }: Daemon, utc_offset_minutes = 0, days = 3): RunFigures =>
  system.store.read((reader) => buildRunFigures(reader, { owner: OWNER, now: NOW, days, utc_offset_minutes }))

test('settled runs are counted per day by outcome; those of other users, open and older ones are not', async () => {
  const daemon = await storeRuns([
    { started: '2026-03-07T23:59:59.999Z' },
    { started: '2026-03-08T00:00:00.000Z' },
    { started: '2026-03-10T08:00:00.000Z', state: 'failed' },
    { started: '2026-03-10T09:00:00.000Z', state: 'indeterminate' },
    { started: '2026-03-10T10:00:00.000Z', state: 'cancelled' },
    { started: '2026-03-10T11:00:00.000Z', state: 'running' },
    { started: '2026-03-10T11:00:00.000Z', owner: 'anna' },
  ])
  const none = { success: 0, failed: 0, indeterminate: 0, cancelled: 0 }
  expect(readFigures(daemon).days).toEqual([
    { ...none, date: '2026-03-08', success: 1 },
    { ...none, date: '2026-03-09' },
    { date: '2026-03-10', success: 0, failed: 1, indeterminate: 1, cancelled: 1 },
  ])
})

test('a day begins at local midnight', async () => {
  const daemon = await storeRuns([{ started: '2026-03-09T22:30:00.000Z' }])
  const read = (offset: number) => readFigures(daemon, offset).days.find(({ success }) => success === 1)?.date
  expect([read(0), read(120), read(-120)]).toEqual(['2026-03-09', '2026-03-10', '2026-03-09'])
})

test('saved time is the demonstration minus each successful run that acted; the median counts the same runs', async () => {
  const started = '2026-03-10T08:00:00.000Z'
  const daemon = await storeRuns([
    { started, seconds: 10 },
    { started, seconds: 20 },
    { started, seconds: 300 },
    { started, seconds: 70, items: 3 },
    { started, seconds: 5, acted: false },
    { started, seconds: 5, state: 'failed' },
  ])
  // 50 s, 40 s, nothing, and three demonstrations minus 70 s.
  expect(readFigures(daemon)).toMatchObject({ saved_ms: 50_000 + 40_000 + 110_000, median_success_ms: 70_000 })
  expect(readFigures(await storeRuns([]))).toEqual({
    days: expect.arrayContaining([expect.objectContaining({ date: '2026-03-10' })]),
    saved_ms: 0,
    schema_version: 1,
  })
})

test('the runs of all abilities are listed by state for their owner only', async () => {
  const started = '2026-03-10T08:00:00.000Z'
  const daemon = await storeRuns([
    { started, state: 'failed' },
    { started, state: 'success' },
    { started, state: 'failed', owner: 'anna' },
  ])
  const list = async (query: string) => (await daemon.get(`/api/ability-runs${query}`)).json<{ runs: AbilityRun[] }>()
  expect((await list('')).runs.map(({ state }) => state).toSorted()).toEqual(['failed', 'success'])
  expect(await list('?state=failed')).toMatchObject({ runs: [{ state: 'failed' }], total: 1 })
  expect((await daemon.get('/api/abilities/learned.greet/runs?state=success')).json()).toMatchObject({ total: 1 })
  expect((await daemon.get('/api/ability-runs?state=done')).json()).toMatchObject({
    error: { code: 'INVALID_REQUEST', message: expect.stringContaining('state') },
  })
  expect((await daemon.get('/api/ability-run-figures?days=2')).json()).toMatchObject({ days: [{}, {}] })
})
