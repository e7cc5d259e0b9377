import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recordOutputChunks, MAX_STORED_OUTPUTS } from '../../src/domain/skill-runs/skill-run-record.ts'
import { formatSkillRunSubject } from '../../src/domain/skill-runs/skill-run-start.ts'
import { insertSkillRun, NO_OUTPUT, type SkillRunRow } from '../../src/store/skill-runs/skill-runs.ts'
import { startSkillDaemon, SKILL_ID } from './skill-daemon.ts'

const OUTPUT = { text: 'words', bytes: 5, dropped_bytes: 0 }
const buildRow = (at: number): SkillRunRow => {
  const time = new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString()
  return {
    run_id: randomUUID(),
    owner_user_id: 'local',
    skill_id: SKILL_ID,
    kind: 'script',
    state: 'success',
    arguments: [],
    timeout_ms: 1000,
    runtime_verification: false,
    operator_package: 'x',
    stdout: OUTPUT,
    stderr: NO_OUTPUT,
    created_at: time,
    settled_at: time,
  }
}

test('a settled run deletes the output and logs of the oldest run, but not its outcome', async () => {
  const { daemon, run, read } = await startSkillDaemon(`console.log('new')`)
  const { store, clock, newId } = daemon.system
  const rows = Array.from({ length: MAX_STORED_OUTPUTS }, (_one, at) => buildRow(at))
  const runs = join(daemon.home, 'skill-runs')
  for (const { run_id } of rows) mkdirSync(join(runs, run_id), { recursive: true })
  const [oldest, second] = rows
  if (oldest === undefined || second === undefined) throw new Error('no rows')
  await store.write((tx) => {
    const actor = { kind: 'system', user_id: 'system' } as const
    const ctx = { tx, now: clock().toISOString(), actor, correlation_id: 'c', newId }
    for (const row of rows) {
      insertSkillRun(tx, row)
      recordOutputChunks(ctx, row.run_id, [{ stream: 'stdout', text: 'words' }])
    }
  })
  const { run_id } = await run()

  expect(await read(oldest.run_id)).toMatchObject({
    state: 'success',
    stdout: { text: '', bytes: 5, dropped_bytes: 5 },
  })
  expect(await read(second.run_id)).toMatchObject({ stdout: OUTPUT })
  const listPrinted = (id: string) =>
    daemon.events().filter(({ subject, kind }) => subject === formatSkillRunSubject(id) && kind === 'skill.run.printed')
  expect([listPrinted(oldest.run_id).length, listPrinted(second.run_id).length]).toEqual([0, 1])
  expect(listPrinted(run_id)).toHaveLength(1)
  expect(readdirSync(runs)).toHaveLength(MAX_STORED_OUTPUTS)
  expect(existsSync(join(runs, run_id))).toBe(true)
})
