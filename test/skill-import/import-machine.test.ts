import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { ImportState } from '@apprentice/contracts/skills/import-record.ts'
import { assertImportMove, IMPORT_MOVES, isFinalState } from '../../src/domain/skill-import/record/import-machine.ts'
import { type ImportRow, insertImport } from '../../src/store/skill-import/skill-imports.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { runCommand, getDetail, readOutcome } from './import-kit.ts'

const states = ImportState.options

/** The moves of the specification, independent of the implementation. */
const MOVES = new Set(
  `upload_pending>uploaded upload_pending>discarded upload_pending>expired
   uploaded>scanning uploaded>discarded uploaded>expired
   scanning>scan_complete scanning>scan_failed scanning>expired
   scan_failed>discarded scan_failed>expired
   scan_complete>staging scan_complete>discarded scan_complete>expired scan_complete>rejected
   staging>ready_for_review staging>stage_failed staging>discarded
   stage_failed>discarded stage_failed>expired
   ready_for_review>install_queued ready_for_review>approved ready_for_review>rejected ready_for_review>discarded
   install_queued>installed_private install_queued>install_failed
   install_failed>discarded install_failed>rejected`.split(/\s+/),
)
const RETRY_MOVES = new Set(['scan_failed>scanning', 'stage_failed>staging', 'install_failed>install_queued'])

describe('every pair of states', () => {
  const cells = states.flatMap((from) => states.map((to) => [from, to] as const))
  test.each(cells)('%s to %s', (from, to) => {
    const can = (retry: boolean) => {
      try {
        assertImportMove(from, to, retry)
        return true
      } catch {
        return false
      }
    }
    expect(can(false)).toBe(MOVES.has(`${from}>${to}`))
    expect(can(true)).toBe(RETRY_MOVES.has(`${from}>${to}`))
  })

  test('five states are final', () => {
    expect(states.filter(isFinalState)).toEqual(['installed_private', 'approved', 'rejected', 'discarded', 'expired'])
    expect(Object.keys(IMPORT_MOVES).toSorted()).toEqual([...states].toSorted())
  })
})

async function insertTestImport(daemon: Daemon, stage_state: ImportState): Promise<string> {
  const import_id = randomUUID()
  const now = daemon.clock.now.toISOString()
  const row: ImportRow = {
    import_id,
    owner_user_id: 'local',
    source: 'manual_upload',
    skill_name: 'tidy-notes',
    source_ref_kind: 'temp_artifact',
    source_ref: `tmpart_${import_id}`,
    temp_artifact_ref: `tmpart_${import_id}`,
    stage_state,
    retry_scan: 0,
    retry_stage: 0,
    retry_install: 0,
    attempts: 0,
    requires_adapter: false,
    tool_shadowing_check: 'clear',
    visibility: 'private',
    migrated: false,
    created_at: now,
    updated_at: now,
  }
  await daemon.system.store.write((tx) => insertImport(tx, row))
  return import_id
}

/** The states in which each command is allowed. */
const ALLOWED_STATES: Readonly<Record<string, readonly ImportState[]>> = {
  stage: ['scan_complete'],
  approve: ['ready_for_review'],
  reject: ['scan_complete', 'ready_for_review', 'install_failed'],
  'install-private': ['ready_for_review'],
  discard: [
    'upload_pending',
    'uploaded',
    'scan_failed',
    'scan_complete',
    'staging',
    'stage_failed',
    'ready_for_review',
    'install_failed',
  ],
  'retry scan': ['scan_failed'],
  'retry stage': ['stage_failed'],
  'retry install': ['install_failed'],
}

test('every command is rejected in every other state, and the state stays', async () => {
  const daemon = await startDaemon()
  for (const [request, from] of Object.entries(ALLOWED_STATES)) {
    const [verb = '', retry_kind] = request.split(' ')
    for (const state of states.filter((one) => !from.includes(one))) {
      const import_id = await insertTestImport(daemon, state)
      const more = verb === 'reject' ? { reason: 'no' } : retry_kind === undefined ? {} : { retry_kind }
      const reply = await runCommand(daemon, verb, { import_id, ...more })
      const expected =
        state === 'expired' && /stage|scan/.test(request) ? 'SKILL_IMPORT_UPLOAD_EXPIRED' : 'SKILL_IMPORT_INVALID_STATE'
      expect([request, state, readOutcome(reply)]).toEqual([request, state, expected])
      expect((await getDetail(daemon, import_id)).import_record.stage_state).toBe(state)
    }
  }
}, 60_000)

test('a rejected move names both states', async () => {
  const daemon = await startDaemon()
  const import_id = await insertTestImport(daemon, 'rejected')
  const reply = await runCommand(daemon, 'discard', { import_id })
  expect(reply.json()).toMatchObject({ error: { details: { from: 'rejected', to: 'discarded' } } })
})
