import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDaemon } from '../kit/daemon.ts'
import {
  bridgeFile,
  faults,
  foldersDuring,
  isTakenBackAtOnce,
  lastSaga,
  neighbour,
  putForeign,
} from './faults.ts'
import {
  ability,
  bridge,
  canonical,
  codeOf,
  detailOf,
  folders,
  install,
  installed,
  projected,
  readied,
  reviewed,
  rowCounts,
  slug,
  stateOf,
  stored,
  versions,
} from './installing.ts'

test.each(faults.filter(isTakenBackAtOnce))(
  'a first installation that fails at $step is taken back, and the bridge was never touched',
  async (fault) => {
    const daemon = await startDaemon()
    await installed(daemon, neighbour)
    const draft = await reviewed(daemon)
    const before = { rows: rowCounts(daemon), files: folders(daemon), bridge: bridge(daemon) }
    const file = await bridgeFile(daemon)
    await fault.arrange(daemon)

    const reply = await daemon.post(`${draft.url}/install`)

    expect(reply.json()).toMatchObject({
      error: { code: fault.code, details: { status: 'compensated', step: fault.step } },
    })
    expect(stateOf(daemon, draft)).toEqual(['quarantined', 'quarantined'])
    expect(stored(daemon, draft.proposal).install_lane).toBe('quarantined')
    expect(foldersDuring(daemon, fault)).toEqual(before.files)
    expect({ rows: rowCounts(daemon), bridge: bridge(daemon) }).toEqual({
      rows: before.rows,
      bridge: before.bridge,
    })
    expect(await bridgeFile(daemon)).toBe(file)
    expect(daemon.eventsOf(draft.session).slice(-2)).toEqual([
      'learn.session.state_changed',
      'learn.install.failed',
    ])
    expect(lastSaga(daemon, draft.proposal)).toMatchObject({
      status: 'compensated',
      error_code: fault.code,
      previous: { bridge_hash: before.bridge.content_hash },
    })
    await fault.mend(daemon)
  },
)

test.each(faults.filter((fault) => !isTakenBackAtOnce(fault)))(
  'a first installation that fails at $step waits, is not usable, and goes on when asked again',
  async (fault) => {
    const daemon = await startDaemon()
    await installed(daemon, neighbour)
    const draft = await reviewed(daemon)
    const before = bridge(daemon)
    await fault.arrange(daemon)

    const reply = await daemon.post(`${draft.url}/install`)

    expect(reply.json()).toMatchObject({
      error: { code: fault.code, retryable: true, details: { status: 'degraded' } },
    })
    expect(stateOf(daemon, draft)).toEqual(['installing_private', 'installing_private'])
    if (fault.step !== 'finish') expect(ability(daemon)?.usable_now).toBe(false)
    if (fault.step === 'bridge') {
      expect(ability(daemon)?.reason_unusable).toBe('bridge_pending')
      expect(bridge(daemon)).toEqual({ ...before, bridge_state: 'stale' })
    }
    expect((await detailOf(daemon, draft)).allowed_actions).toEqual(['install'])
    const approve = await daemon.post(`${draft.url}/approve`, { draft_hash: draft.draft_hash })
    expect(codeOf(approve), 'something else has to wait').toBe('INSTALL_IN_PROGRESS')
    await fault.mend(daemon)

    await install(daemon, draft)

    expect(stateOf(daemon, draft)).toEqual(['installed_private', 'installed_private'])
    expect(ability(daemon)).toMatchObject({ usable_now: true, current_version: 1 })
    expect(lastSaga(daemon, draft.proposal)).toMatchObject({ status: 'completed', attempts: 2 })
    expect(lastSaga(daemon, draft.proposal).error_code).toBeUndefined()
    expect(bridge(daemon).bridge_state).toBe('current')
    expect(versions(daemon)).toHaveLength(1)
  },
)

test.each(faults.filter((fault) => !isTakenBackAtOnce(fault)))(
  'a first installation that fails at $step three times is taken back and leaves nothing',
  async (fault) => {
    const daemon = await startDaemon()
    await installed(daemon, neighbour)
    const draft = await reviewed(daemon)
    const before = {
      rows: rowCounts(daemon),
      files: folders(daemon),
      entries: bridge(daemon).entries,
    }
    await fault.arrange(daemon)

    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect(codeOf(await daemon.post(`${draft.url}/install`))).toBe(fault.code)
    }

    await expect.poll(() => stateOf(daemon, draft)).toEqual(['quarantined', 'quarantined'])
    expect({
      rows: rowCounts(daemon),
      files: folders(daemon),
      entries: bridge(daemon).entries,
    }).toEqual(before)
    expect(codeOf(await daemon.post(`${draft.url}/install`))).toBe('INVALID_LEARN_STATE_TRANSITION')
    await fault.mend(daemon)
  },
)

test.each(faults)(
  'an approval from review that fails at $step ends in quarantine',
  async (fault) => {
    const daemon = await startDaemon()
    await installed(daemon, neighbour)
    const draft = await reviewed(daemon)
    await fault.arrange(daemon)
    for (let attempt = 0; attempt < (isTakenBackAtOnce(fault) ? 1 : 3); attempt += 1) {
      const reply = await daemon.post(`${draft.url}/approve`, { draft_hash: draft.draft_hash })
      expect(codeOf(reply)).toBe(fault.code)
    }
    await expect.poll(() => stateOf(daemon, draft)).toEqual(['quarantined', 'quarantined'])
    expect(ability(daemon)).toBeUndefined()
    const approvals = await daemon.get('/api/learn/receipts?receipt_kind=learn.proposal.approved')
    expect(approvals.json<{ receipts: object[] }>().receipts).toHaveLength(1)
    await fault.mend(daemon)
  },
)

test('a folder that somebody else put into the workspace is neither replaced nor removed', async () => {
  const daemon = await startDaemon()
  putForeign(projected(daemon), slug)
  const draft = await reviewed(daemon)

  const reply = await daemon.post(`${draft.url}/install`)

  expect(reply.json()).toMatchObject({
    error: { code: 'MATERIALIZATION_FAILED', details: { reason: expect.stringContaining(slug) } },
  })
  expect(folders(daemon)).toEqual({
    canonical: {},
    projected: { [`${slug}/SKILL.md`]: '644 # Written by hand\n' },
  })
  expect(stateOf(daemon, draft)).toEqual(['quarantined', 'quarantined'])
  await daemon.post(`${draft.url}/revise`, {
    edited_fields: { proposed_skill_slug: 'note-to-pdf' },
  })
  const { ability_id } = await install(daemon, await readied(daemon, draft))
  expect(ability_id).toBe('learned.note-to-pdf')
  expect(readFileSync(join(projected(daemon), slug, 'SKILL.md'), 'utf8')).toContain('by hand')
})

test('what was taken back can be revised, tested and installed', async () => {
  const daemon = await startDaemon()
  const draft = await reviewed(daemon)
  mkdirSync(join(daemon.home, 'workspace'), { recursive: true })
  const file = join(daemon.home, 'workspace', 'skills')
  writeFileSync(file, 'in the way')
  expect(codeOf(await daemon.post(`${draft.url}/install`))).toBe('MATERIALIZATION_FAILED')
  expect(existsSync(join(canonical(daemon), slug))).toBe(false)
  rmSync(file)

  await daemon.post(`${draft.url}/revise`, { revision_instructions: 'Again' })
  await install(daemon, await readied(daemon, draft))
  expect(ability(daemon)).toMatchObject({ usable_now: true, current_version: 1 })
})
