import { expect, test } from 'vitest'
import type { SnapshotDiff } from '@apprentice/contracts/devices/snapshot.ts'
import { startLamp, LAMP, tap } from './rig.ts'

interface Reply {
  readonly before?: { snapshot_revision: number }
  readonly after?: { snapshot_revision: number }
  readonly diff?: SnapshotDiff
  readonly error?: { code: string; details?: object }
}

test('a diff compares the named readings of the caller, or the last two', async () => {
  const { daemon, url, snapshot, execute, setLamp } = await startLamp()
  const diff = async (body: object = {}, token?: string) =>
    (await daemon.post(`${url}/diff`, body, token)).json<Reply>()
  expect((await diff()).error).toMatchObject({
    code: 'BASELINE_NOT_FOUND',
    details: { field: 'after_revision' },
  })
  const first = await snapshot()
  expect((await diff()).error).toMatchObject({ details: { field: 'before_revision' } })
  await execute([tap('power')])
  const second = await snapshot()
  setLamp({ guest: true })
  const third = await snapshot()
  const revisions = [first, second, third].map(({ snapshot_revision }) => snapshot_revision)
  expect(new Set(revisions).size).toBe(3)

  const [one, two, three] = revisions
  const last = await diff()
  expect(last).toMatchObject({
    before: { snapshot_revision: two },
    after: { snapshot_revision: three },
    diff: { screen_changed: false, added: [{ label: 'A guest' }], changed: [] },
  })
  const toggled = await diff({ before_revision: one, after_revision: two })
  expect(toggled.diff).toMatchObject({
    added: [],
    changed: [
      {
        element: { resource_id: `${LAMP}:id/power` },
        checked: { before: false, after: true },
      },
    ],
  })
  const bob = await daemon.tokenFor('bob')
  const foreign = await diff({ before_revision: one, after_revision: two }, bob)
  expect(foreign.error?.code).toBe('BASELINE_NOT_FOUND')
})

test('only the last eight readings can be compared', async () => {
  const { daemon, url, snapshot, setLamp } = await startLamp()
  const { snapshot_revision: before_revision } = await snapshot()
  for (const word of 'abcdefgh') {
    setLamp({ word: word.repeat(5) })
    await snapshot()
  }
  const reply = await daemon.post(`${url}/diff`, { before_revision })
  expect(reply.json<Reply>().error?.code).toBe('BASELINE_NOT_FOUND')
  const later = await daemon.post(`${url}/diff`, { before_revision: before_revision + 1 })
  expect(later.statusCode).toBe(200)
})
