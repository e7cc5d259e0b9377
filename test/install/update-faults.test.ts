import { expect, test } from 'vitest'
import { startDaemon } from '../kit/daemon.ts'
import { FAULTS, readFoldersDuring, isCompensatedAtOnce, readLastSaga, NEIGHBOUR } from './faults.ts'
import {
  readAbility,
  ABILITY_ID,
  readBridge,
  readCode,
  readFolders,
  prepareImprovement,
  install,
  installProposal,
  readStates,
  readProposal,
  readVersions,
} from './install-kit.ts'

test.each(FAULTS)(
  'an improvement that fails at $step leaves the previous version current, complete and usable',
  async (fault) => {
    const daemon = await startDaemon()
    await installProposal(daemon, NEIGHBOUR)
    await installProposal(daemon)
    const next = await prepareImprovement(daemon, { goal: 'Share a note as PDF by mail' })
    const before = { files: readFolders(daemon), entries: readBridge(daemon).entries }
    const { updated_at: _, ...known } = readAbility(daemon) ?? { updated_at: '' }
    await fault.arrange(daemon)

    const attempts = isCompensatedAtOnce(fault) ? 1 : 3
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const reply = await daemon.post(`${next.url}/install`)
      expect(reply.json()).toMatchObject({ error: { code: fault.code } })
      if (attempt === attempts) break
      expect(readLastSaga(daemon, next.proposal)).toMatchObject({
        status: 'degraded',
        step: fault.step,
        attempts: attempt,
      })
      expect(readStates(daemon, next)).toEqual(['installing_private', 'installing_private'])
    }

    await expect
      .poll(() => readLastSaga(daemon, next.proposal))
      .toMatchObject({ status: 'compensated', error_code: fault.code })
    expect(readStates(daemon, next)).toEqual(['quarantined', 'quarantined'])
    expect(readFoldersDuring(daemon, fault)).toEqual(before.files)
    expect(readBridge(daemon).entries).toEqual(before.entries)
    const [first, ...others] = readVersions(daemon)
    expect([first?.version, first?.partial_state, first?.retired_at, others]).toEqual([1, undefined, undefined, []])
    expect([first?.materialized, first?.projected]).toEqual([fault.step !== 'materialize', fault.step !== 'project'])
    await fault.repair(daemon)
    if (isCompensatedAtOnce(fault)) return
    expect(readAbility(daemon)).toMatchObject(known)
    expect(readAbility(daemon)?.usable_now).toBe(true)
  },
)

test.each(FAULTS)('a change of lane that fails at $step leaves the private installation unchanged', async (fault) => {
  const daemon = await startDaemon()
  await installProposal(daemon, NEIGHBOUR)
  const draft = await installProposal(daemon)
  const before = { files: readFolders(daemon), entries: readBridge(daemon).entries }
  await fault.arrange(daemon)
  for (let attempt = 0; attempt < (isCompensatedAtOnce(fault) ? 1 : 3); attempt += 1) {
    const reply = await daemon.post(`${draft.url}/approve`, { draft_hash: draft.draft_hash })
    expect(readCode(reply)).toBe(fault.code)
  }
  await expect.poll(() => readLastSaga(daemon, draft.proposal)).toMatchObject({ status: 'compensated' })
  expect(readStates(daemon, draft)).toEqual(['installed_private', 'installed_private'])
  expect(readProposal(daemon, draft.proposal).install_lane).toBe('experimental_private')
  expect(readAbility(daemon)).toMatchObject({ install_lane: 'experimental_private' })
  expect(readVersions(daemon)).toMatchObject([{ install_lane: 'experimental_private' }])
  expect(readFoldersDuring(daemon, fault)).toEqual(before.files)
  expect(readBridge(daemon).entries).toEqual(before.entries)
  await fault.repair(daemon)
  if (!isCompensatedAtOnce(fault)) expect(readAbility(daemon)?.usable_now).toBe(true)
  const again = await daemon.post(`${draft.url}/approve`, { draft_hash: draft.draft_hash })
  expect(again.statusCode, again.body).toBe(200)
  expect(readAbility(daemon)).toMatchObject({
    install_lane: 'approved_workspace',
    usable_now: true,
  })
})

test.each(FAULTS)('a rollback that fails at $step leaves the newer version current', async (fault) => {
  const daemon = await startDaemon()
  await installProposal(daemon, NEIGHBOUR)
  await installProposal(daemon)
  await install(daemon, await prepareImprovement(daemon, { goal: 'Share a note as PDF by mail' }))
  const before = { files: readFolders(daemon), entries: readBridge(daemon).entries }
  await fault.arrange(daemon)
  for (let attempt = 0; attempt < (isCompensatedAtOnce(fault) ? 1 : 3); attempt += 1) {
    expect(readCode(await daemon.post(`/api/abilities/${ABILITY_ID}/rollback`))).toBe(fault.code)
  }
  await expect.poll(() => readVersions(daemon).map(({ version }) => version)).toEqual([1, 2])
  expect(readFoldersDuring(daemon, fault)).toEqual(before.files)
  expect(readBridge(daemon).entries).toEqual(before.entries)
  expect(readAbility(daemon)).toMatchObject({
    current_version: 2,
    title: 'Share a note as PDF by mail',
  })
  await fault.repair(daemon)
  expect(readCode(await daemon.post(`/api/abilities/${ABILITY_ID}/rollback`))).toBe('done')
  expect(readAbility(daemon)).toMatchObject({ current_version: 3, usable_now: true })
})
