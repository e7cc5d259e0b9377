import { expect, test } from 'vitest'
import { ABILITY_ID, prepareImprovement, install, installProposal } from './install-kit.ts'
import { createTemplate, readEndingsAfter, readUndisturbedEnding } from './kill-moments.ts'

const listMoments = (what: string, ...numbers: readonly number[]) => numbers.map((n) => `${what}:${n}`)
const MAIL = { goal: 'Share a note as PDF by mail' }

test('an improvement ends in the same state wherever the daemon is killed, also while folders are swapped', async () => {
  const template = await createTemplate(async (daemon) => {
    await installProposal(daemon)
    const { url } = await prepareImprovement(daemon, MAIL)
    return { method: 'POST', url: `${url}/install` }
  })
  const ending = await readUndisturbedEnding(template)
  expect(ending).toMatchObject({
    status: 200,
    temporary: [],
    ability: { usable_now: true, current_version: 2, title: MAIL.goal },
    versions: [{ retired: true }, { retired: false }],
    sagas: [{ status: 'completed' }, { status: 'completed', attempts: 1 }],
  })

  const moments = [
    ...listMoments('inside', 2, 3, 4, 5),
    ...listMoments('after', 1, 2, 3, 4, 5),
    // Before the old folder is moved away, before the new one is renamed, and before the old one is deleted.
    ...listMoments('rename', 7, 8, 13, 14),
    ...listMoments('rm', 9, 16),
    'inside:6',
  ]
  for await (const { moment, ending: reached } of readEndingsAfter(template, moments)) {
    expect(reached, moment).toEqual(ending)
  }
}, 600_000)

test('a rollback ends in the same state wherever the daemon is killed', async () => {
  const template = await createTemplate(async (daemon) => {
    await installProposal(daemon)
    await install(daemon, await prepareImprovement(daemon, MAIL))
    return { method: 'POST', url: `/api/abilities/${ABILITY_ID}/rollback` }
  })
  const ending = await readUndisturbedEnding(template)
  expect(ending).toMatchObject({ status: 200, ability: { current_version: 3, usable_now: true } })
  const moments = ['after:1', 'after:2', 'rename:11', 'inside:4']
  for await (const { moment, ending: reached } of readEndingsAfter(template, moments)) {
    expect(reached, moment).toEqual(ending)
  }
}, 600_000)

test('a removal ends without files and rows wherever the daemon is killed', async () => {
  const template = await createTemplate(async (daemon) => {
    await installProposal(daemon)
    return { method: 'DELETE', url: `/api/abilities/${ABILITY_ID}` }
  })
  const ending = await readUndisturbedEnding(template)
  expect(ending).toMatchObject({
    status: 200,
    files: { canonical: {}, projected: {} },
    temporary: [],
    versions: [],
    entries: [],
    health: [],
  })
  const moments = ['inside:1', 'after:1', 'rename:1', 'rename:2', 'rm:2', 'inside:2', 'after:2']
  for await (const { moment, ending: reached } of readEndingsAfter(template, moments)) {
    expect(reached, moment).toEqual(ending)
  }
}, 600_000)
