import { expect, test } from 'vitest'
import { startDaemon } from '../kit/daemon.ts'
import { faults, foldersDuring, isTakenBackAtOnce, lastSaga, neighbour } from './faults.ts'
import {
  ability,
  abilityId,
  bridge,
  codeOf,
  folders,
  improved,
  install,
  installed,
  stateOf,
  stored,
  versions,
} from './installing.ts'

test.each(faults)(
  'an improvement that fails at $step leaves the version before in force, whole and usable',
  async (fault) => {
    const daemon = await startDaemon()
    await installed(daemon, neighbour)
    await installed(daemon)
    const next = await improved(daemon, { goal: 'Share a note as PDF by mail' })
    const before = { files: folders(daemon), entries: bridge(daemon).entries }
    const { updated_at: _, ...known } = ability(daemon) ?? { updated_at: '' }
    await fault.arrange(daemon)

    const attempts = isTakenBackAtOnce(fault) ? 1 : 3
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const reply = await daemon.post(`${next.url}/install`)
      expect(reply.json()).toMatchObject({ error: { code: fault.code } })
      if (attempt === attempts) break
      expect(lastSaga(daemon, next.proposal)).toMatchObject({
        status: 'degraded',
        step: fault.step,
        attempts: attempt,
      })
      expect(stateOf(daemon, next)).toEqual(['installing_private', 'installing_private'])
    }

    await expect
      .poll(() => lastSaga(daemon, next.proposal))
      .toMatchObject({ status: 'compensated', error_code: fault.code })
    expect(stateOf(daemon, next)).toEqual(['quarantined', 'quarantined'])
    expect(foldersDuring(daemon, fault)).toEqual(before.files)
    expect(bridge(daemon).entries).toEqual(before.entries)
    const [first, ...others] = versions(daemon)
    expect([first?.version, first?.partial_state, first?.retired_at, others]).toEqual([
      1,
      undefined,
      undefined,
      [],
    ])
    expect([first?.materialized, first?.projected]).toEqual([
      fault.step !== 'materialize',
      fault.step !== 'project',
    ])
    await fault.mend(daemon)
    if (isTakenBackAtOnce(fault)) return
    expect(ability(daemon)).toMatchObject(known)
    expect(ability(daemon)?.usable_now).toBe(true)
  },
)

test.each(faults)(
  'a change of lane that fails at $step leaves the private installation as it was',
  async (fault) => {
    const daemon = await startDaemon()
    await installed(daemon, neighbour)
    const draft = await installed(daemon)
    const before = { files: folders(daemon), entries: bridge(daemon).entries }
    await fault.arrange(daemon)
    for (let attempt = 0; attempt < (isTakenBackAtOnce(fault) ? 1 : 3); attempt += 1) {
      const reply = await daemon.post(`${draft.url}/approve`, { draft_hash: draft.draft_hash })
      expect(codeOf(reply)).toBe(fault.code)
    }
    await expect
      .poll(() => lastSaga(daemon, draft.proposal))
      .toMatchObject({ status: 'compensated' })
    expect(stateOf(daemon, draft)).toEqual(['installed_private', 'installed_private'])
    expect(stored(daemon, draft.proposal).install_lane).toBe('experimental_private')
    expect(ability(daemon)).toMatchObject({ install_lane: 'experimental_private' })
    expect(versions(daemon)).toMatchObject([{ install_lane: 'experimental_private' }])
    expect(foldersDuring(daemon, fault)).toEqual(before.files)
    expect(bridge(daemon).entries).toEqual(before.entries)
    await fault.mend(daemon)
    if (!isTakenBackAtOnce(fault)) expect(ability(daemon)?.usable_now).toBe(true)
    const again = await daemon.post(`${draft.url}/approve`, { draft_hash: draft.draft_hash })
    expect(again.statusCode, again.body).toBe(200)
    expect(ability(daemon)).toMatchObject({ install_lane: 'approved_workspace', usable_now: true })
  },
)

test.each(faults)('a return that fails at $step leaves the newer version', async (fault) => {
  const daemon = await startDaemon()
  await installed(daemon, neighbour)
  await installed(daemon)
  await install(daemon, await improved(daemon, { goal: 'Share a note as PDF by mail' }))
  const before = { files: folders(daemon), entries: bridge(daemon).entries }
  await fault.arrange(daemon)
  for (let attempt = 0; attempt < (isTakenBackAtOnce(fault) ? 1 : 3); attempt += 1) {
    expect(codeOf(await daemon.post(`/api/abilities/${abilityId}/rollback`))).toBe(fault.code)
  }
  await expect.poll(() => versions(daemon).map(({ version }) => version)).toEqual([1, 2])
  expect(foldersDuring(daemon, fault)).toEqual(before.files)
  expect(bridge(daemon).entries).toEqual(before.entries)
  expect(ability(daemon)).toMatchObject({
    current_version: 2,
    title: 'Share a note as PDF by mail',
  })
  await fault.mend(daemon)
  expect(codeOf(await daemon.post(`/api/abilities/${abilityId}/rollback`))).toBe('done')
  expect(ability(daemon)).toMatchObject({ current_version: 3, usable_now: true })
})
