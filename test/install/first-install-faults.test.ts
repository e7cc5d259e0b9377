import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDaemon } from '../kit/daemon.ts'
import {
  readBridgeFile,
  FAULTS,
  readFoldersDuring,
  isCompensatedAtOnce,
  readLastSaga,
  NEIGHBOUR,
  writeForeignFolder,
} from './faults.ts'
import {
  readAbility,
  readBridge,
  canonicalRoot,
  readCode,
  getDetail,
  readFolders,
  install,
  installProposal,
  projectedRoot,
  validateDraft,
  prepareProposal,
  countRows,
  SLUG,
  readStates,
  readProposal,
  readVersions,
} from './install-kit.ts'

test.each(FAULTS.filter(isCompensatedAtOnce))(
  'a first installation that fails at $step is compensated without changing the bridge',
  async (fault) => {
    const daemon = await startDaemon()
    await installProposal(daemon, NEIGHBOUR)
    const draft = await prepareProposal(daemon)
    const before = {
      rows: countRows(daemon),
      files: readFolders(daemon),
      bridge: readBridge(daemon),
    }
    const file = await readBridgeFile(daemon)
    await fault.arrange(daemon)

    const reply = await daemon.post(`${draft.url}/install`)

    expect(reply.json()).toMatchObject({
      error: { code: fault.code, details: { status: 'compensated', step: fault.step } },
    })
    expect(readStates(daemon, draft)).toEqual(['quarantined', 'quarantined'])
    expect(readProposal(daemon, draft.proposal).install_lane).toBe('quarantined')
    expect(readFoldersDuring(daemon, fault)).toEqual(before.files)
    expect({ rows: countRows(daemon), bridge: readBridge(daemon) }).toEqual({
      rows: before.rows,
      bridge: before.bridge,
    })
    expect(await readBridgeFile(daemon)).toBe(file)
    expect(daemon.eventsOf(draft.session).slice(-2)).toEqual(['learn.session.state_changed', 'learn.install.failed'])
    const saga = readLastSaga(daemon, draft.proposal)
    expect(saga).toMatchObject({
      status: 'compensated',
      error_code: fault.code,
      previous: { bridge_hash: before.bridge.content_hash },
    })
    const failed = await daemon.get('/api/learn/receipts?receipt_kind=learn.install.failed')
    expect(failed.json()).toMatchObject({
      total: 1,
      receipts: [{ status: 'failed', saga_id: saga.saga_id, proposal_id: draft.proposal }],
    })
    await fault.repair(daemon)
  },
)

test.each(FAULTS.filter((fault) => !isCompensatedAtOnce(fault)))(
  'a first installation that fails at $step is degraded and unusable; the same request resumes it',
  async (fault) => {
    const daemon = await startDaemon()
    await installProposal(daemon, NEIGHBOUR)
    const draft = await prepareProposal(daemon)
    const before = readBridge(daemon)
    await fault.arrange(daemon)

    const reply = await daemon.post(`${draft.url}/install`)

    expect(reply.json()).toMatchObject({
      error: { code: fault.code, retryable: true, details: { status: 'degraded' } },
    })
    expect(readStates(daemon, draft)).toEqual(['installing_private', 'installing_private'])
    if (fault.step !== 'finish') expect(readAbility(daemon)?.usable_now).toBe(false)
    if (fault.step === 'bridge') {
      expect(readAbility(daemon)?.reason_unusable).toBe('bridge_pending')
      expect(readBridge(daemon)).toEqual({ ...before, bridge_state: 'stale' })
    }
    expect((await getDetail(daemon, draft)).allowed_actions).toEqual(['install'])
    const approve = await daemon.post(`${draft.url}/approve`, { draft_hash: draft.draft_hash })
    expect(readCode(approve), 'another request is refused').toBe('INSTALL_IN_PROGRESS')
    await fault.repair(daemon)

    await install(daemon, draft)

    expect(readStates(daemon, draft)).toEqual(['installed_private', 'installed_private'])
    expect(readAbility(daemon)).toMatchObject({ usable_now: true, current_version: 1 })
    expect(readLastSaga(daemon, draft.proposal)).toMatchObject({ status: 'completed', attempts: 2 })
    expect(readLastSaga(daemon, draft.proposal).error_code).toBeUndefined()
    expect(readBridge(daemon).bridge_state).toBe('current')
    expect(readVersions(daemon)).toHaveLength(1)
  },
)

test.each(FAULTS.filter((fault) => !isCompensatedAtOnce(fault)))(
  'a first installation that fails at $step three times is compensated without leaving files, rows or bridge entries',
  async (fault) => {
    const daemon = await startDaemon()
    await installProposal(daemon, NEIGHBOUR)
    const draft = await prepareProposal(daemon)
    const before = {
      rows: countRows(daemon),
      files: readFolders(daemon),
      entries: readBridge(daemon).entries,
    }
    await fault.arrange(daemon)

    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect(readCode(await daemon.post(`${draft.url}/install`))).toBe(fault.code)
    }

    await expect.poll(() => readStates(daemon, draft)).toEqual(['quarantined', 'quarantined'])
    expect({
      rows: countRows(daemon),
      files: readFolders(daemon),
      entries: readBridge(daemon).entries,
    }).toEqual(before)
    expect(readCode(await daemon.post(`${draft.url}/install`))).toBe('INVALID_LEARN_STATE_TRANSITION')
    await fault.repair(daemon)
  },
)

test.each(FAULTS)('an approval from review that fails at $step quarantines the proposal', async (fault) => {
  const daemon = await startDaemon()
  await installProposal(daemon, NEIGHBOUR)
  const draft = await prepareProposal(daemon)
  await fault.arrange(daemon)
  for (let attempt = 0; attempt < (isCompensatedAtOnce(fault) ? 1 : 3); attempt += 1) {
    const reply = await daemon.post(`${draft.url}/approve`, { draft_hash: draft.draft_hash })
    expect(readCode(reply)).toBe(fault.code)
  }
  await expect.poll(() => readStates(daemon, draft)).toEqual(['quarantined', 'quarantined'])
  expect(readAbility(daemon)).toBeUndefined()
  const approvals = await daemon.get('/api/learn/receipts?receipt_kind=learn.proposal.approved')
  expect(approvals.json<{ receipts: object[] }>().receipts).toHaveLength(1)
  await fault.repair(daemon)
})

test('a workspace folder that the daemon did not write is neither replaced nor removed', async () => {
  const daemon = await startDaemon()
  writeForeignFolder(projectedRoot(daemon), SLUG)
  const draft = await prepareProposal(daemon)

  const reply = await daemon.post(`${draft.url}/install`)

  expect(reply.json()).toMatchObject({
    error: { code: 'MATERIALIZATION_FAILED', details: { reason: expect.stringContaining(SLUG) } },
  })
  expect(readFolders(daemon)).toEqual({
    canonical: {},
    projected: { [`${SLUG}/SKILL.md`]: '644 # Written by hand\n' },
  })
  expect(readStates(daemon, draft)).toEqual(['quarantined', 'quarantined'])
  await daemon.post(`${draft.url}/revise`, {
    edited_fields: { proposed_skill_slug: 'note-to-pdf' },
  })
  const { ability_id } = await install(daemon, await validateDraft(daemon, draft))
  expect(ability_id).toBe('learned.note-to-pdf')
  expect(readFileSync(join(projectedRoot(daemon), SLUG, 'SKILL.md'), 'utf8')).toContain('by hand')
})

test('a compensated proposal can be revised, tested and installed', async () => {
  const daemon = await startDaemon()
  const draft = await prepareProposal(daemon)
  mkdirSync(join(daemon.home, 'workspace'), { recursive: true })
  const file = join(daemon.home, 'workspace', 'skills')
  writeFileSync(file, 'not a folder')
  expect(readCode(await daemon.post(`${draft.url}/install`))).toBe('MATERIALIZATION_FAILED')
  expect(existsSync(join(canonicalRoot(daemon), SLUG))).toBe(false)
  rmSync(file)

  await daemon.post(`${draft.url}/revise`, { edited_fields: { goal_summary: 'Again' } })
  await install(daemon, await validateDraft(daemon, draft))
  expect(readAbility(daemon)).toMatchObject({ usable_now: true, current_version: 1 })
})
